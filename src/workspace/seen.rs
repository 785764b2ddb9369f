//! What is known of a workspace's files from the last time they were read, so that those that did not change need not be
//! read again.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::model::FileKind;
use crate::text::Digest;

use super::read::Skip;
use super::roles::Marks;
use super::stamp::Stamp;

/// By path.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    files: BTreeMap<String, SeenFile>,
}

/// One file as it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SeenFile {
    pub kind: FileKind,
    pub stamp: Stamp,
    /// When it was read, by our clock, in nanoseconds since 1970.
    pub read: i64,
    pub content: Content,
}

/// What was in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Content {
    Text {
        digest: Digest,
        marks: Marks,
    },
    /// Nothing that is taken.
    Skipped(Skip),
}

impl Seen {
    /// What is known of the file at a path that has this stamp now.
    pub(super) fn still(&self, path: &str, kind: FileKind, stamp: &Stamp) -> Option<&SeenFile> {
        let known = self.files.get(path)?;
        (known.kind == kind && known.stamp == *stamp && stamp.is_settled(known.read)).then_some(known)
    }

    pub(super) fn insert(&mut self, path: String, file: SeenFile) {
        self.files.insert(path, file);
    }

    /// The files that are texts, with what their texts are known by.
    pub fn texts(&self) -> impl Iterator<Item = (&str, FileKind, Digest)> {
        self.files.iter().filter_map(|(path, file)| match &file.content {
            Content::Text { digest, .. } => Some((path.as_str(), file.kind, *digest)),
            Content::Skipped(_) => None,
        })
    }

    /// Bytes of all texts.
    pub fn bytes(&self) -> u64 {
        let is_text = |file: &&SeenFile| matches!(file.content, Content::Text { .. });
        self.files.values().filter(is_text).map(|file| file.stamp.bytes).sum()
    }
}
