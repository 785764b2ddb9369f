//! What a file is to us: its place in the snapshot, what it holds, and what Cargo uses it for.

use serde::{Deserialize, Serialize};

/// A file of one snapshot: its index in `Snapshot::files`. Ids follow the order of the paths, so they are
/// the same in every run over the same tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FileId(pub u32);

impl FileId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What the text of a file is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileKind {
    Rust,
    /// A `Cargo.toml`.
    Manifest,
    Docs,
    Sql,
    Proto,
    Template,
    Config,
}

/// What a file is used for, by what Cargo says and by markers in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    Source,
    Test,
    Bench,
    Example,
    BuildScript,
    Generated,
    Vendored,
}
