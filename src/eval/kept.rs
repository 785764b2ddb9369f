//! Results that outlive a run that is broken off: one line of JSON each, written as soon as it is there.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use super::Outcome;
use crate::workspace::blob_id;

/// A file of results.
#[derive(Debug)]
pub struct Kept {
    path: PathBuf,
    file: Mutex<File>,
    found: BTreeMap<String, Outcome>,
}

/// What a file of results held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reading {
    pub results: usize,
    /// Lines that are no results: a run that was killed may leave half a line.
    pub unread: usize,
}

/// A result is that of one task, one budget, one set of options and one program.
#[derive(Serialize)]
pub(super) struct Question<'a> {
    pub task: &'a str,
    pub budget: u32,
    pub options: &'a str,
    pub served: bool,
    pub program: &'a str,
}

#[derive(Serialize, Deserialize)]
struct Line {
    key: String,
    outcome: Outcome,
}

impl Kept {
    /// Opens a file of results, or begins one.
    ///
    /// # Errors
    /// It cannot be read or written.
    pub fn open(path: &Path) -> io::Result<(Kept, Reading)> {
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let mut found = BTreeMap::new();
        let mut reading = Reading { results: 0, unread: 0 };
        for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            match serde_json::from_slice::<Line>(line) {
                Ok(Line { key, outcome }) => {
                    found.insert(key, outcome);
                    reading.results += 1;
                }
                Err(_) => reading.unread += 1,
            }
        }
        if bytes.last().is_some_and(|last| *last != b'\n') {
            file.seek(SeekFrom::End(0))?;
            file.write_all(b"\n")?;
        }
        Ok((Kept { path: path.to_owned(), file: Mutex::new(file), found }, reading))
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn find(&self, question: &Question<'_>) -> Option<&Outcome> {
        self.found.get(&key(question))
    }

    /// Writes a result as one line, at once.
    pub(super) fn add(&self, question: &Question<'_>, outcome: &Outcome) -> io::Result<()> {
        let line = Line { key: key(question), outcome: outcome.clone() };
        let mut line = serde_json::to_vec(&line)?;
        line.push(b'\n');
        self.file.lock().unwrap_or_else(PoisonError::into_inner).write_all(&line)
    }
}

fn key(question: &Question<'_>) -> String {
    blob_id(&serde_json::to_vec(question).unwrap_or_default())
}
