//! The vectors of a workspace's texts, by model and by what the text is, kept from one process to the next: one database of SQLite
//! for each workspace, beside its index.
//!
//! A file of its own, because vectors are dear: a model works for minutes on what is otherwise known again in a second. They do not
//! go with the index when its format or the program's version changes, and they serve every set of patterns that a workspace is
//! looked at through. Two processes may write at once; each batch is one transaction, so that a process that is killed loses
//! the batch that it was at.
//!
//! What is damaged is set aside, and all begins anew; so it does where somebody removed the file. `Put` tells the caller, who
//! may still have in memory what is lost on disk.

mod checked;
mod database;
mod rows;

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use self::database::Database;
use super::sqlite::{self, Identity};
use super::{IndexError, IndexFolder};
use crate::model::{Note, PackedVector};
use crate::text::Digest;
use crate::workspace::FileKey;

/// What a text is known by that was made into a vector. Half a digest: nobody gains by making two of them alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TextKey([u8; TextKey::LEN]);

impl TextKey {
    const LEN: usize = 16;

    pub fn of(text: &str) -> TextKey {
        let mut key = [0; TextKey::LEN];
        key.copy_from_slice(&Digest::of(text.as_bytes()).as_bytes()[..TextKey::LEN]);
        TextKey(key)
    }

    /// The key that `as_bytes` gave; `None` for bytes of another length.
    pub fn from_bytes(bytes: &[u8]) -> Option<TextKey> {
        bytes.try_into().ok().map(TextKey)
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

/// Which lists are meant: of texts that were made in one way for one model.
#[derive(Debug, Clone, Copy)]
pub struct Lists<'a> {
    pub model: &'a str,
    /// The number of the way in which texts are made of a file. Another one makes other texts, and other lists.
    pub recipe: u32,
}

/// A model of which something is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptModel {
    pub name: String,
    /// 0 where no vector is there yet.
    pub dimension: usize,
    pub vectors: usize,
    /// On disk, as far as it can be told apart from other models'.
    pub bytes: u64,
    /// When its vectors were read or written last, give or take an hour.
    pub used: SystemTime,
}

/// What became of vectors that were put down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Put {
    /// They are there beside those that were there.
    Added,
    /// What was there is gone (removed or damaged): they are there alone. Whoever has the others in memory should put them down again.
    Alone,
}

/// The vectors of one workspace.
#[derive(Debug)]
pub struct VectorStore {
    folder: IndexFolder,
    root: PathBuf,
    view: Vec<u8>,
    /// `None` where it could not be opened again.
    database: Option<Database>,
    /// Since vectors were put down last, those before them were lost.
    has_lost: bool,
    notes: Vec<Note>,
}

impl VectorStore {
    /// Opens the vectors of the workspace at `root` (canonical), and makes their database where it is not there. What is damaged, or
    /// another program's, is set aside first. `view` says which of its files are looked at, as for the index: the lists of
    /// each are apart, and vectors that another one uses are not removed.
    ///
    /// # Errors
    /// Where the folder or the file cannot be used, or a later version made it. Embedding works without, but keeps nothing.
    pub fn open(folder: &IndexFolder, root: &Path, view: &[u8]) -> Result<VectorStore, IndexError> {
        let (folder, root, view) = (folder.clone(), root.to_owned(), view.to_owned());
        let mut store =
            VectorStore { folder, root, view, database: None, has_lost: false, notes: Vec::new() };
        store.database = Some(store.opened()?);
        Ok(store)
    }

    /// Where the database is.
    pub fn path(&self) -> PathBuf {
        self.folder.vectors(&self.root)
    }

    /// Bytes of its file, and of what SQLite has beside it.
    pub fn bytes(&self) -> u64 {
        self.folder.bytes(&self.path())
    }

    /// What became of a database that was damaged; told once.
    pub fn take_notes(&mut self) -> Vec<Note> {
        std::mem::take(&mut self.notes)
    }

    /// All vectors of a model, in no order that means anything; without those that are damaged.
    ///
    /// # Errors
    /// Where they cannot be read.
    pub fn load(&mut self, model: &str) -> Result<Vec<(TextKey, PackedVector)>, IndexError> {
        self.with(|database| database.load(model))
    }

    /// Puts vectors down, all or none; one that is there already is replaced.
    ///
    /// # Errors
    /// Where they cannot be written (no room, no permission), or are not of as many dimensions as the model's others.
    pub fn put(&mut self, model: &str, vectors: &[(TextKey, PackedVector)]) -> Result<Put, IndexError> {
        self.with(|database| database.put(model, vectors))?;
        Ok(if std::mem::take(&mut self.has_lost) { Put::Alone } else { Put::Added })
    }

    /// The texts of files, in their order within the file, as they were put down for this view; in the order of the files' keys, without
    /// those that are damaged.
    ///
    /// # Errors
    /// Where they cannot be read.
    pub fn lists(&mut self, of: Lists<'_>) -> Result<Vec<(FileKey, Vec<TextKey>)>, IndexError> {
        self.with(|database| database.lists(of))
    }

    /// Puts down the texts of new or changed files. `files` are all that there are: lists of others go, and those of
    /// another recipe.
    ///
    /// # Errors
    /// Where they cannot be written.
    pub fn put_lists(
        &mut self,
        of: Lists<'_>,
        lists: &[(FileKey, Vec<TextKey>)],
        files: &[FileKey],
    ) -> Result<(), IndexError> {
        self.with(|database| database.put_lists(of, lists, files))
    }

    /// The models of which something is there, those used last first.
    ///
    /// # Errors
    /// Where they cannot be read.
    pub fn models(&mut self) -> Result<Vec<KeptModel>, IndexError> {
        self.with(|database| database.models())
    }

    /// Removes vectors of a model that nobody uses, where they are more than those in use: an edit that is undone, or a branch that
    /// is left and come back to, costs nothing. In use are `keys`, and what the lists of other views name that were
    /// opened within the last 30 days. How many were removed.
    ///
    /// # Errors
    /// Where they cannot be removed.
    pub fn retain(&mut self, model: &str, keys: &[TextKey]) -> Result<usize, IndexError> {
        self.with(|database| database.retain(model, keys))
    }

    /// Removes all that is kept of a model.
    ///
    /// # Errors
    /// Where it cannot be removed.
    pub fn remove(&mut self, model: &str) -> Result<(), IndexError> {
        self.with(|database| database.remove(model))
    }

    /// Does work on the database, on a new one where it is gone or turns out to be damaged.
    fn with<T>(&mut self, work: impl Fn(&mut Database) -> Result<T, IndexError>) -> Result<T, IndexError> {
        let mut database = match self.database.take() {
            Some(database) if database.is_there() => database,
            gone => {
                self.has_lost |= gone.is_some();
                drop(gone);
                self.opened()?
            }
        };
        let mut done = work(&mut database);
        if let Err(error) = done.as_ref()
            && error.is_damage()
        {
            let identity = database.identity();
            self.has_lost = true;
            drop(database);
            self.set_aside(identity, error)?;
            database = self.opened()?;
            done = work(&mut database);
        }
        self.database = Some(database);
        done
    }

    /// The database, a new one where there is none or a damaged one.
    fn opened(&mut self) -> Result<Database, IndexError> {
        let (path, journal) = self.folder.prepare(&self.path())?;
        let open = || Database::open(&path, self.root.as_os_str().as_encoded_bytes(), &self.view, journal);
        let identity = sqlite::identity(&path);
        let opened = match open() {
            Err(error) if error.is_damage() => {
                self.set_aside(identity, &error)?;
                Database::open(&path, self.root.as_os_str().as_encoded_bytes(), &self.view, journal)
            }
            opened => opened,
        };
        self.folder.touch(&path);
        opened
    }

    fn set_aside(&mut self, damaged: Option<Identity>, damage: &IndexError) -> Result<(), IndexError> {
        let path = self.path();
        match self.folder.set_aside_same(&path, damaged) {
            Ok(()) => {
                let text = format!("the kept vectors were damaged ({damage}): they are made anew");
                self.notes.push(Note::warning(text));
                Ok(())
            }
            Err(source) => Err(IndexError::Folder { path, source }),
        }
    }
}
