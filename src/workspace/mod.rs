//! What is on disk, read once: the one immutable snapshot that every later stage works on.
//!
//! Nothing of the workspace is run: packages and targets are read from the TOML, history from git's objects.
//!
//! ```text
//! root ─▶ walk ─▶ read ─▶ snapshot ◀─ packages ◀─ targets ◀─ manifest
//!          ▲                 ▲
//!  classify, filter        roles ◀─ markers, attributes            history
//! ```

mod path;
mod blob;
pub(crate) mod drive;
pub(crate) mod private;
mod classify;
mod markers;
mod attributes;

mod manifest;
mod targets;
mod packages;
mod roles;

mod members;
mod root;
mod rules;
mod stamp;
mod walk;
mod filter;
mod source;
mod seen;
mod read;
mod skipped;
mod snapshot;

pub mod history;
pub mod trust;
pub mod watch;

#[cfg(test)]
mod fixture;

pub use blob::{blob_id, blob_id_of_file};
pub use root::{Root, find_root};
pub use seen::Seen;
pub use snapshot::WorkspaceError;
pub use source::{FileKey, Text};
pub use walk::WalkOptions;

use std::path::PathBuf;

use serde::Serialize;

use crate::model::{FileId, FileKind, Note, Role};

use roles::Marks;
use source::Torn;

/// The files of a workspace at one moment, in the order of their paths.
#[derive(Debug, Default)]
pub struct Snapshot {
    /// Canonical path of the workspace's root.
    pub root: PathBuf,
    pub files: Vec<SourceFile>,
    /// In the order of their folders.
    pub packages: Vec<Package>,
    /// What was skipped and why, what could not be read.
    pub notes: Vec<Note>,
    /// Folders that were looked into, the root among them, relative to it; in no order.
    pub folders: Vec<String>,
    /// What is to be known of its files when they are read the next time.
    pub seen: Seen,
    torn: Torn,
}

/// One file as it was read.
#[derive(Debug, Clone)]
pub struct SourceFile {
    /// Relative to the root, with `/` between the parts.
    pub path: String,
    pub kind: FileKind,
    pub role: Role,
    pub text: Text,
    /// The package that it belongs to: an index into `Snapshot::packages`.
    pub package: Option<u32>,
    /// What its text says of its role.
    marks: Marks,
}

/// A package of the workspace, as its `Cargo.toml` says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Package {
    pub name: String,
    /// Folder relative to the root; empty for the root itself.
    pub folder: String,
    pub manifest: FileId,
    /// The year of its edition: paths resolve otherwise in 2015.
    pub edition: u16,
    /// Sorted by kind, then by root file.
    pub targets: Vec<Target>,
    /// Names under which the code of this package may import other packages of the workspace, with the package's index
    /// (path dependencies, renamed ones under their new name, `-` turned to `_`). Sorted.
    pub dependencies: Vec<(String, u32)>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Target {
    pub kind: TargetKind,
    /// The crate's name in code (`-` turned to `_`).
    pub name: String,
    /// The crate's root file.
    pub root: FileId,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub enum TargetKind {
    Lib,
    ProcMacro,
    Bin,
    Test,
    Bench,
    Example,
    BuildScript,
}
