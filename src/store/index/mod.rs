//! What is known of the code of a workspace, kept from one process to the next: one database of SQLite for each workspace, in the
//! user's cache folder, for the user alone.
//!
//! SQLite in WAL mode, because several processes use it at once and none waits for another to read; redb and its like
//! shut the others out. A change is one transaction: a process that is killed leaves the state before it. Values are opaque
//! here (`codec`); all of them can be made again, so that what is damaged is thrown away and never mended.

mod codec;
mod database;
mod folder;

use std::path::PathBuf;
use std::time::SystemTime;

use serde::Serialize;
use serde::de::DeserializeOwned;

pub use database::Index;
pub use folder::{IndexFolder, Opened, Removed};

use super::sqlite;
use crate::model::VectorError;
use crate::text::Digest;
use crate::workspace::FileKey;

/// The shape of all that is kept. To be raised with every change of a type that is kept; the program's own version counts besides.
const FORMAT: u32 = 2;

/// Why an index cannot be used. None of it keeps an answer from being made.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    #[error("{}: {source}", path.display())]
    Folder { path: PathBuf, source: std::io::Error },
    #[error("{}: {source}", path.display())]
    Database { path: PathBuf, source: rusqlite::Error },
    #[error("{}: {what}", path.display())]
    Foreign { path: PathBuf, what: &'static str },
    #[error("{}: a later version of Dossier made it: go on with that one, or `dossier clean` removes it", path.display())]
    Later { path: PathBuf },
    #[error("{}: {model}: {source}", path.display())]
    Vector { path: PathBuf, model: String, source: VectorError },
}

/// What is kept of a workspace as a whole, each under a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The files as they were.
    Seen,
    Lexical,
    Graph,
}

impl Part {
    fn name(self) -> &'static str {
        match self {
            Part::Seen => "seen",
            Part::Lexical => "lexical",
            Part::Graph => "graph",
        }
    }
}

/// One consistent state, as it was read.
#[derive(Debug, Default)]
pub struct Kept {
    /// Grows with each change; 0 where nothing is kept.
    pub generation: u64,
    /// When it was put down.
    pub saved: Option<SystemTime>,
    parts: Vec<(String, Vec<u8>)>,
    syntax: Vec<(Digest, Vec<u8>)>,
    answers: Vec<(FileKey, Vec<u8>)>,
    /// What is known of commits, in the order in which it was put down.
    pub commits: Vec<Packed>,
}

impl IndexError {
    /// Whether what is there is to be thrown away.
    pub fn is_damage(&self) -> bool {
        sqlite::is_damage(self)
    }
}

impl Kept {
    /// A part of it; `None` where it is not there, or damaged.
    pub fn part<T: DeserializeOwned>(&self, part: Part) -> Option<T> {
        let (_, bytes) = self.parts.iter().find(|(name, _)| name == part.name())?;
        codec::decode(bytes)
    }

    /// What is seen of each text, by the text's digest; without what is damaged.
    pub fn syntax<T: DeserializeOwned + Send>(&self) -> Vec<(Digest, T)> {
        use rayon::prelude::*;
        self.syntax.par_iter().filter_map(|(digest, bytes)| Some((*digest, codec::decode(bytes)?))).collect()
    }

    /// What a language server said of each file, in the order of their keys; without what is damaged.
    pub fn answers<T: DeserializeOwned + Send>(&self) -> Vec<(FileKey, T)> {
        use rayon::prelude::*;
        self.answers.par_iter().filter_map(|(file, bytes)| Some((*file, codec::decode(bytes)?))).collect()
    }
}

/// A value, ready to be kept.
#[derive(Debug, Clone, Default)]
pub struct Packed(Vec<u8>);

impl Packed {
    pub fn new<T: Serialize>(value: &T) -> Packed {
        Packed(codec::encode(value))
    }

    /// The value again; `None` where it is damaged.
    pub fn open<T: DeserializeOwned>(&self) -> Option<T> {
        codec::decode(&self.0)
    }
}

/// What is known of one text.
#[derive(Debug, Clone)]
pub struct PackedSyntax {
    pub digest: Digest,
    pub syntax: Packed,
    pub body: Packed,
}

/// What is to become of what is kept of commits.
#[derive(Debug, Clone, Default)]
pub enum CommitChange {
    #[default]
    Same,
    Add(Packed),
    /// In place of all that is there.
    Replace(Packed),
}

/// From one state to the next.
#[derive(Debug, Clone, Default)]
pub struct Change {
    /// The state that it starts from; `None` where it knows more than any state that is not newer.
    pub base: Option<u64>,
    /// The state that it leads to.
    pub generation: u64,
    pub parts: Vec<(Part, Packed)>,
    pub syntax: Vec<PackedSyntax>,
    /// The texts that there are; what is kept of others goes.
    pub texts: Vec<Digest>,
    /// The files that there are; what a server said of others goes.
    pub files: Vec<FileKey>,
    pub commits: CommitChange,
}

/// What a language server said of some files.
#[derive(Debug, Clone, Default)]
pub struct AnswerChange {
    /// Whether what is kept of all other files goes: another server, or another version of it, said that.
    pub is_new_speaker: bool,
    /// In place of what is kept of these files.
    pub rows: Vec<(FileKey, Packed)>,
}
