//! One workspace's database: opened, read as one state, changed in one transaction.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

use super::super::sqlite::{self, Identity, Journal, configure, fact, fold_in, identity};
use super::{AnswerChange, Change, CommitChange, FORMAT, IndexError, Kept, Packed};
use crate::text::Digest;
use crate::workspace::FileKey;

/// `DOSS`, in the place that SQLite has for it: no other program's database is taken for ours.
const APPLICATION: i32 = 0x444f_5353;

/// Nobody waits for a reader or is one's reason to wait; two writers take some milliseconds each.
const BUSY: Duration = Duration::from_secs(1);

/// Small pages, because most rows are of some thousand bytes: with the usual 4096 the index of jj is a fifth larger.
const PAGE_BYTES: i32 = 1024;

const SCHEMA: &str = "
    CREATE TABLE fact (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
    CREATE TABLE part (name TEXT PRIMARY KEY, data BLOB NOT NULL);
    CREATE TABLE syntax (digest BLOB PRIMARY KEY, data BLOB NOT NULL);
    CREATE TABLE body (digest BLOB PRIMARY KEY, data BLOB NOT NULL);
    CREATE TABLE answer (file BLOB PRIMARY KEY, data BLOB NOT NULL) WITHOUT ROWID;
    CREATE TABLE commits (number INTEGER PRIMARY KEY, data BLOB NOT NULL);
";
const TABLES: [&str; 6] = ["fact", "part", "syntax", "body", "answer", "commits"];

/// What is kept of one workspace.
#[derive(Debug)]
pub struct Index {
    connection: Connection,
    path: PathBuf,
    journal: Journal,
    /// Which file it was when it was opened.
    identity: Option<Identity>,
}

impl Index {
    /// The database at `path`, which is made where it is not there; `root` says whose it is.
    pub(super) fn open(path: &Path, root: &[u8], journal: Journal) -> Result<Index, IndexError> {
        let (connection, identity) = sqlite::connect(path, BUSY)?;
        let mut index = Index { connection, path: path.to_owned(), journal, identity };
        index.prepare(root)?;
        Ok(index)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether its file is still where it was: what is put in one that was removed is lost.
    pub fn is_there(&self) -> bool {
        identity(&self.path) == self.identity
    }

    fn failed(&self) -> impl Fn(rusqlite::Error) -> IndexError + use<> {
        let path = self.path.clone();
        move |source| IndexError::Database { path: path.clone(), source }
    }

    /// Makes sure that it is ours, of this workspace and this version: one of another version is emptied.
    fn prepare(&mut self, root: &[u8]) -> Result<(), IndexError> {
        let failed = self.failed();
        let foreign = |what| IndexError::Foreign { path: self.path.clone(), what };
        let (connection, journal) = (&mut self.connection, self.journal);
        let application: i32 =
            connection.pragma_query_value(None, "application_id", |row| row.get(0)).map_err(&failed)?;
        if application == APPLICATION
            && version_of(connection).map_err(&failed)?.as_deref() == Some(&version())
        {
            return match root_of(connection).map_err(&failed)? {
                Some(own) if own == root => configure(connection, journal).map_err(&failed),
                _ => Err(foreign("it is of another workspace")),
            };
        }
        let tables: u32 = connection
            .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
            .map_err(&failed)?;
        if application != APPLICATION && tables > 0 {
            return Err(foreign("it is another program's database"));
        }
        if tables == 0 {
            connection.pragma_update(None, "page_size", PAGE_BYTES).map_err(&failed)?;
        }
        configure(connection, journal).map_err(&failed)?;
        make_tables(connection, root).map_err(&failed)
    }

    /// All that is kept but the bodies, as one state.
    pub fn read(&mut self) -> Result<Kept, IndexError> {
        let failed = self.failed();
        read(&mut self.connection).map_err(failed)
    }

    /// What is kept of the bodies of texts; `None` where it is not there, or damaged. Bodies never change, so that they need not be
    /// of the same state.
    pub fn bodies(&self, digests: &[Digest]) -> Result<Vec<Option<Packed>>, IndexError> {
        let read = || -> rusqlite::Result<Vec<Option<Packed>>> {
            let mut select = self.connection.prepare("SELECT data FROM body WHERE digest = ?")?;
            let mut row = |digest: &Digest| {
                select.query_row([digest.as_bytes()], |row| row.get(0).map(Packed)).optional()
            };
            digests.iter().map(&mut row).collect()
        };
        read().map_err(self.failed())
    }

    /// In how many parts what is known of commits is kept.
    pub fn commit_parts(&self) -> Result<usize, IndexError> {
        let count = self.connection.query_row("SELECT count(*) FROM commits", [], |row| row.get::<_, i64>(0));
        count.map(|count| count as usize).map_err(self.failed())
    }

    /// Goes from one state to the next, whole or not at all. `false` where another process has gone on already: then
    /// nothing is done, as what it knows is as good.
    pub fn save(&mut self, change: &Change) -> Result<bool, IndexError> {
        let failed = self.failed();
        save(&mut self.connection, change).map_err(failed)
    }

    /// Puts down what a language server said. It rests on the files alone, and so belongs to no state.
    pub fn save_answers(&mut self, change: &AnswerChange) -> Result<(), IndexError> {
        let failed = self.failed();
        save_answers(&mut self.connection, change).map_err(failed)
    }
}

/// What a program of another version, or of another format, must not read.
fn version() -> String {
    format!("{FORMAT} {}", env!("CARGO_PKG_VERSION"))
}

fn version_of(connection: &Connection) -> rusqlite::Result<Option<String>> {
    fact(connection, "version")
}

fn root_of(connection: &Connection) -> rusqlite::Result<Option<Vec<u8>>> {
    fact(connection, "root")
}

fn make_tables(connection: &mut Connection, root: &[u8]) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let application: i32 = transaction.pragma_query_value(None, "application_id", |row| row.get(0))?;
    // Another process may have made them since.
    if application != APPLICATION || version_of(&transaction)?.as_deref() != Some(&version()) {
        for table in TABLES {
            transaction.execute_batch(&format!("DROP TABLE IF EXISTS {table}"))?;
        }
        transaction.execute_batch(SCHEMA)?;
        let mut insert = transaction.prepare("INSERT INTO fact VALUES (?, ?)")?;
        insert.execute(params!["version", version()])?;
        insert.execute(params!["root", root])?;
        insert.execute(params!["generation", 0])?;
        drop(insert);
        transaction.pragma_update(None, "application_id", APPLICATION)?;
    }
    transaction.commit()
}

fn read(connection: &mut Connection) -> rusqlite::Result<Kept> {
    let transaction = connection.transaction()?;
    let generation: i64 = fact(&transaction, "generation")?.unwrap_or_default();
    let saved: Option<i64> = fact(&transaction, "saved")?;
    let mut select = transaction.prepare("SELECT name, data FROM part")?;
    let parts = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?;
    let mut select = transaction.prepare("SELECT digest, data FROM syntax")?;
    let rows = select.query_map([], |row| Ok((row.get::<_, Vec<u8>>(0)?, row.get(1)?)))?;
    let rows: Vec<(Vec<u8>, Vec<u8>)> = rows.collect::<Result<_, _>>()?;
    let syntax = rows.into_iter().filter_map(|(digest, data)| Some((Digest::from_bytes(&digest)?, data)));
    let mut select = transaction.prepare("SELECT file, data FROM answer ORDER BY file")?;
    let rows = select.query_map([], |row| Ok((row.get::<_, Vec<u8>>(0)?, row.get(1)?)))?;
    let rows: Vec<(Vec<u8>, Vec<u8>)> = rows.collect::<Result<_, _>>()?;
    let answers = rows.into_iter().filter_map(|(file, data)| Some((FileKey::from_bytes(&file)?, data)));
    let mut select = transaction.prepare("SELECT data FROM commits ORDER BY number")?;
    let commits = select.query_map([], |row| row.get(0).map(Packed))?.collect::<Result<_, _>>()?;
    Ok(Kept {
        generation: generation as u64,
        saved: saved.map(|seconds| UNIX_EPOCH + Duration::from_secs(seconds.max(0) as u64)),
        parts,
        syntax: syntax.collect(),
        answers: answers.collect(),
        commits,
    })
}

fn save(connection: &mut Connection, change: &Change) -> rusqlite::Result<bool> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let generation: i64 = fact(&transaction, "generation")?.unwrap_or_default();
    let generation = generation as u64;
    let fits = match change.base {
        Some(base) => base == generation,
        None => change.generation >= generation,
    };
    if !fits || version_of(&transaction)?.as_deref() != Some(&version()) {
        return Ok(false);
    }
    for (part, data) in &change.parts {
        // Removed before it is put in anew, it leaves its pages to what comes.
        transaction.execute("DELETE FROM part WHERE name = ?", [part.name()])?;
        transaction.execute("INSERT INTO part VALUES (?, ?)", params![part.name(), data.0])?;
    }
    keep_only(&transaction, &change.texts)?;
    keep_answers(&transaction, &change.files)?;
    let mut syntax = transaction.prepare("INSERT OR REPLACE INTO syntax VALUES (?, ?)")?;
    let mut body = transaction.prepare("INSERT OR REPLACE INTO body VALUES (?, ?)")?;
    for text in &change.syntax {
        syntax.execute(params![text.digest.as_bytes(), text.syntax.0])?;
        body.execute(params![text.digest.as_bytes(), text.body.0])?;
    }
    drop((syntax, body));
    if let CommitChange::Replace(_) = change.commits {
        transaction.execute("DELETE FROM commits", [])?;
    }
    if let CommitChange::Add(data) | CommitChange::Replace(data) = &change.commits {
        transaction.execute("INSERT INTO commits (data) VALUES (?)", [&data.0])?;
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let mut put = transaction.prepare("INSERT OR REPLACE INTO fact VALUES (?, ?)")?;
    put.execute(params!["generation", change.generation as i64])?;
    put.execute(params!["saved", now as i64])?;
    drop(put);
    transaction.commit()?;
    fold_in(connection);
    Ok(true)
}

fn save_answers(connection: &mut Connection, change: &AnswerChange) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    if version_of(&transaction)?.as_deref() != Some(&version()) {
        return Ok(());
    }
    if change.is_new_speaker {
        transaction.execute("DELETE FROM answer", [])?;
    }
    let mut insert = transaction.prepare("INSERT OR REPLACE INTO answer VALUES (?, ?)")?;
    for (file, data) in &change.rows {
        insert.execute(params![file.as_bytes(), data.0])?;
    }
    drop(insert);
    transaction.commit()?;
    fold_in(connection);
    Ok(())
}

/// Removes what was said of other files.
fn keep_answers(connection: &Connection, files: &[FileKey]) -> rusqlite::Result<()> {
    let files: HashSet<&[u8]> = files.iter().map(FileKey::as_bytes).collect();
    let mut select = connection.prepare("SELECT file FROM answer")?;
    let kept: Vec<Vec<u8>> = select.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    for file in kept.iter().filter(|file| !files.contains(file.as_slice())) {
        connection.execute("DELETE FROM answer WHERE file = ?", [file])?;
    }
    Ok(())
}

/// Removes what is kept of other texts.
fn keep_only(connection: &Connection, texts: &[Digest]) -> rusqlite::Result<()> {
    let texts: HashSet<&[u8]> = texts.iter().map(Digest::as_bytes).collect();
    let mut select = connection.prepare("SELECT digest FROM syntax")?;
    let kept: Vec<Vec<u8>> = select.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    for digest in kept.iter().filter(|digest| !texts.contains(digest.as_slice())) {
        connection.execute("DELETE FROM syntax WHERE digest = ?", [digest])?;
        connection.execute("DELETE FROM body WHERE digest = ?", [digest])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    fn generation(index: &mut Index) -> u64 {
        index.read().unwrap().generation
    }

    #[test]
    fn without_common_memory_a_change_is_whole_too() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("x.db");
        let open = |journal| Index::open(&path, b"/a", journal).unwrap();
        let change = |generation| Change { generation, ..Change::default() };
        assert!(open(Journal::Wal).save(&change(1)).unwrap());
        let (mut one, mut other) = (open(Journal::Rollback), open(Journal::Rollback));
        assert!(one.save(&change(2)).unwrap());
        assert_eq!(generation(&mut other), 2);
        assert!(!other.save(&change(1)).unwrap() && other.save(&change(3)).unwrap());
        assert_eq!(generation(&mut one), 3);
        let files = || std::fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(files(), 1, "nothing beside it, not while it is open either");
        drop((one, other));
        assert_eq!(generation(&mut open(Journal::Wal)), 3);
    }

    #[test]
    fn it_is_seen_when_it_is_gone() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("x.db");
        let index = Index::open(&path, b"/a", Journal::Wal).unwrap();
        assert!(index.is_there());
        std::fs::rename(&path, folder.path().join("y.db")).unwrap();
        assert!(!index.is_there());
    }
}
