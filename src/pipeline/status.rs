//! What an index on disk knows of a workspace, and how far the workspace has gone on since.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::PipelineError;
use super::before::Moves;
use crate::model::Note;
use crate::store::{IndexFolder, Part};
use crate::workspace::{Seen, Snapshot, WalkOptions};

/// The index of a workspace.
#[derive(Debug)]
pub struct IndexStatus {
    pub path: PathBuf,
    pub bytes: u64,
    /// 0 where nothing is in it.
    pub generation: u64,
    /// When it was brought up to date last.
    pub saved: Option<SystemTime>,
    /// Files that it knows.
    pub files: usize,
    /// Files that were changed, added or removed since.
    pub changed: u32,
    /// Bytes of the texts that there are now.
    pub source_bytes: u64,
    pub notes: Vec<Note>,
}

impl IndexStatus {
    /// Looks, and changes nothing; `None` where there is no index. What is damaged is set aside.
    ///
    /// # Errors
    /// Where the workspace cannot be read.
    pub fn of(
        root: &Path,
        options: &WalkOptions,
        folder: &IndexFolder,
    ) -> Result<Option<IndexStatus>, PipelineError> {
        let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
        let path = folder.database(&root, &options.view());
        if !path.exists() {
            return Ok(None);
        }
        let mut opened = folder.open(&root, &options.view());
        opened.notes.extend(opened.trouble.take());
        let seen: Seen = opened.kept.part(Part::Seen).unwrap_or_default();
        let snapshot = Snapshot::read_knowing(&root, options, &seen)?;
        Ok(Some(IndexStatus {
            bytes: folder.bytes(&path),
            path,
            generation: opened.kept.generation,
            saved: opened.kept.saved,
            files: seen.texts().count(),
            changed: Moves::of(&seen, &snapshot).changed,
            source_bytes: snapshot.seen.bytes(),
            notes: opened.notes,
        }))
    }
}
