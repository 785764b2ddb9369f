//! The database of a workspace's vectors: opened, read, changed in one transaction each.
//!
//! A vector is a row of its own behind the last one, and its key is found by an index: sorted by their keys, which are random, the rows
//! themselves would leave a third of each page empty, and one of 768 dimensions would take more than 1,000 bytes.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use rusqlite::{Connection, ToSql, Transaction, TransactionBehavior, params};

use super::super::IndexError;
use super::super::sqlite::{self, Identity, Journal, configure, fact, fold_in};
use super::rows::{self, Failure};
use super::{KeptModel, Lists, TextKey, checked};
use crate::model::{PackedVector, VectorError};
use crate::workspace::{FileKey, private};

/// `DOSV`, in the place that SQLite has for it: no other program's database is taken for ours.
const APPLICATION: i32 = 0x444f_5356;

/// What the rows mean. To be raised when they mean something else, and then only: whoever raises it throws away minutes of work for
/// each workspace.
const FORMAT: u32 = 1;

/// A batch of another process takes some milliseconds, a whole workspace at once some seconds; what would be lost took longer.
const BUSY: Duration = Duration::from_secs(10);

/// How often the time of the last use is put down.
const USED_EVERY: Duration = Duration::from_hours(1);

/// Unused vectors that are kept in any workspace: in a small one an edit replaces half of them soon.
const MARGIN: usize = 1_000;

/// What a row costs beside the vector's values (bytes): checksum, scale, key, the key's place in the index, and what of a page is empty;
/// measured at 384 dimensions (benches/README.md).
const ROW_BYTES: usize = 110;

const SCHEMA: &str = "
    CREATE TABLE fact (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
    CREATE TABLE view (number INTEGER PRIMARY KEY, name BLOB NOT NULL UNIQUE, used INTEGER NOT NULL);
    CREATE TABLE model (
        number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, dimension INTEGER NOT NULL, used INTEGER NOT NULL);
    CREATE TABLE vector (number INTEGER PRIMARY KEY, model INTEGER NOT NULL, key BLOB NOT NULL, data BLOB NOT NULL);
    CREATE UNIQUE INDEX vector_key ON vector (model, key);
    CREATE TABLE list (
        number INTEGER PRIMARY KEY, view INTEGER NOT NULL, model INTEGER NOT NULL, recipe INTEGER NOT NULL,
        file BLOB NOT NULL, data BLOB NOT NULL);
    CREATE UNIQUE INDEX list_file ON list (view, model, recipe, file);
";
const TABLES: [&str; 5] = ["fact", "view", "model", "vector", "list"];

/// The vectors of one workspace, open.
#[derive(Debug)]
pub(super) struct Database {
    connection: Connection,
    path: PathBuf,
    identity: Option<Identity>,
    view: Vec<u8>,
}

impl Database {
    /// The database at `path`, which is made where it is not there; `root` says whose it is.
    pub fn open(path: &Path, root: &[u8], view: &[u8], journal: Journal) -> Result<Database, IndexError> {
        let is_new = path.metadata().map_or(true, |found| found.len() == 0);
        // Two that make it at once would hinder one another.
        let _others_wait = if is_new { path.parent().and_then(private::lock) } else { None };
        let (connection, identity) = sqlite::connect(path, BUSY)?;
        let mut database = Database { connection, path: path.to_owned(), identity, view: view.to_owned() };
        database.prepare(root, journal)?;
        database.touch("view", view);
        Ok(database)
    }

    pub fn identity(&self) -> Option<Identity> {
        self.identity
    }

    /// Whether its file is still where it was: what is put in one that was removed is lost.
    pub fn is_there(&self) -> bool {
        sqlite::identity(&self.path) == self.identity
    }

    /// Makes sure that it is ours, of this workspace and this format: one of an older format is emptied.
    fn prepare(&mut self, root: &[u8], journal: Journal) -> Result<(), IndexError> {
        let foreign = |path: &Path, what| IndexError::Foreign { path: path.to_owned(), what };
        let (application, tables) = self.done(|connection| {
            let application: i32 = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
            let tables: u32 =
                connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
            Ok((application, tables))
        })?;
        if application == APPLICATION {
            let facts = |connection: &mut Connection| {
                Ok((fact::<u32>(connection, "format")?, fact::<Vec<u8>>(connection, "root")?))
            };
            let (format, own) = self.done(facts)?;
            match format.unwrap_or_default() {
                later if later > FORMAT => return Err(IndexError::Later { path: self.path.clone() }),
                _ if own.as_deref() != Some(root) => {
                    return Err(foreign(&self.path, "it is of another workspace"));
                }
                FORMAT => return self.done(|connection| Ok(configure(connection, journal)?)),
                _ => {}
            }
        } else if tables > 0 {
            return Err(foreign(&self.path, "it is another program's database"));
        }
        self.done(|connection| {
            // So that the room of what is removed can be given back.
            connection.pragma_update(None, "auto_vacuum", "incremental")?;
            configure(connection, journal)?;
            Ok(make_tables(connection, root)?)
        })
    }

    pub fn load(&mut self, name: &str) -> Result<Vec<(TextKey, PackedVector)>, IndexError> {
        self.touch("model", name);
        self.done(|connection| {
            let transaction = connection.transaction()?;
            let model = rows::model(&transaction, name)?;
            model.map_or(Ok(Vec::new()), |model| model.vectors(&transaction))
        })
    }

    pub fn put(&mut self, name: &str, vectors: &[(TextKey, PackedVector)]) -> Result<(), IndexError> {
        let Some((_, first)) = vectors.first() else { return Ok(()) };
        self.change(|transaction, _| {
            let model = rows::enter_model(transaction, name, first.dimension())?;
            let mut insert = transaction.prepare(
                "INSERT INTO vector (model, key, data) VALUES (?, ?, ?)
                 ON CONFLICT DO UPDATE SET data = excluded.data",
            )?;
            for (key, vector) in vectors {
                let (expected, found) = (model.dimension, vector.dimension());
                if expected != found {
                    let source = VectorError::Dimension { expected, found };
                    return Err(Failure::Vector(name.to_owned(), source));
                }
                let data = checked::with_sum(key.as_bytes(), &vector.to_bytes());
                insert.execute(params![model.number, key.as_bytes(), data])?;
            }
            Ok(())
        })
    }

    pub fn lists(&mut self, of: Lists<'_>) -> Result<Vec<(FileKey, Vec<TextKey>)>, IndexError> {
        let view = self.view.clone();
        self.done(|connection| {
            let mut select = connection.prepare(
                "SELECT file, data FROM list WHERE view = (SELECT number FROM view WHERE name = ?)
                 AND model = (SELECT number FROM model WHERE name = ?) AND recipe = ? ORDER BY file",
            )?;
            let mut rows = select.query(params![view, of.model, of.recipe])?;
            let mut lists = Vec::new();
            while let Some(row) = rows.next()? {
                lists.extend(rows::list(row)?);
            }
            Ok(lists)
        })
    }

    pub fn put_lists(
        &mut self,
        of: Lists<'_>,
        lists: &[(FileKey, Vec<TextKey>)],
        files: &[FileKey],
    ) -> Result<(), IndexError> {
        self.change(|transaction, view| {
            let view = rows::enter_view(transaction, view)?;
            let model = rows::enter_model(transaction, of.model, 0)?.number;
            let mut delete = transaction.prepare("DELETE FROM list WHERE number = ?")?;
            for number in rows::stale_lists(transaction, (view, model, of.recipe), files)? {
                delete.execute([number])?;
            }
            let mut insert = transaction.prepare(
                "INSERT INTO list (view, model, recipe, file, data) VALUES (?, ?, ?, ?, ?)
                 ON CONFLICT DO UPDATE SET data = excluded.data",
            )?;
            for (file, keys) in lists {
                let bytes: Vec<u8> = keys.iter().flat_map(|key| key.as_bytes()).copied().collect();
                let data = checked::with_sum(file.as_bytes(), &bytes);
                insert.execute(params![view, model, of.recipe, file.as_bytes(), data])?;
            }
            Ok(())
        })
    }

    pub fn models(&mut self) -> Result<Vec<KeptModel>, IndexError> {
        self.done(|connection| {
            let mut select =
                connection.prepare("SELECT name, dimension, used FROM model ORDER BY used DESC, name")?;
            let models = select.query_map([], |row| {
                let name: String = row.get(0)?;
                let (dimension, used) = (row.get::<_, u32>(1)? as usize, row.get::<_, i64>(2)?.max(0) as u64);
                let vectors = rows::count(connection, &name)?;
                let bytes = (vectors * (dimension + ROW_BYTES)) as u64;
                Ok(KeptModel {
                    name,
                    dimension,
                    vectors,
                    bytes,
                    used: UNIX_EPOCH + Duration::from_secs(used),
                })
            })?;
            Ok(models.collect::<Result<_, _>>()?)
        })
    }

    pub fn retain(&mut self, name: &str, keys: &[TextKey]) -> Result<usize, IndexError> {
        let count = self.done(|connection| Ok(rows::count(connection, name)?))?;
        if count <= keys.len() * 2 + MARGIN {
            return Ok(0);
        }
        let removed = self.change(|transaction, view| {
            let Some(model) = rows::model(transaction, name)? else { return Ok(0) };
            rows::forget_views(transaction)?;
            let mut used: HashSet<TextKey> = keys.iter().copied().collect();
            used.extend(rows::listed_elsewhere(transaction, model.number, view)?);
            let unused = rows::unused(transaction, model.number, &used)?;
            let most = used.len() + MARGIN;
            if unused.len() <= most {
                return Ok(0);
            }
            // Half of what may stay, so that it is not too much again after one edit; those that were put down last.
            let old = &unused[..unused.len() - most / 2];
            let mut delete = transaction.prepare("DELETE FROM vector WHERE number = ?")?;
            for number in old {
                delete.execute([number])?;
            }
            Ok(old.len())
        })?;
        self.give_back(removed > 0);
        Ok(removed)
    }

    pub fn remove(&mut self, name: &str) -> Result<(), IndexError> {
        self.change(|transaction, _| {
            let Some(model) = rows::model(transaction, name)? else { return Ok(()) };
            for rows in ["vector WHERE model", "list WHERE model", "model WHERE number"] {
                transaction.execute(&format!("DELETE FROM {rows} = ?"), [model.number])?;
            }
            Ok(())
        })?;
        self.give_back(true);
        Ok(())
    }

    /// One change, whole or not at all.
    fn change<T>(
        &mut self,
        work: impl FnOnce(&Transaction<'_>, &[u8]) -> Result<T, Failure>,
    ) -> Result<T, IndexError> {
        let view = self.view.clone();
        self.done(|connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let done = work(&transaction, &view)?;
            transaction.commit()?;
            fold_in(connection);
            Ok(done)
        })
    }

    fn done<T>(&mut self, work: impl FnOnce(&mut Connection) -> Result<T, Failure>) -> Result<T, IndexError> {
        let path = self.path.clone();
        work(&mut self.connection).map_err(|failure| match failure {
            Failure::Sqlite(source) => IndexError::Database { path, source },
            Failure::Vector(model, source) => IndexError::Vector { path, model, source },
        })
    }

    /// Puts down that a row of `table` is used; where that cannot be done at once, another time will do.
    fn touch(&self, table: &str, name: impl ToSql) {
        let connection = &self.connection;
        let sql = format!("UPDATE {table} SET used = ?1 WHERE name = ?2 AND used < ?1 - ?3");
        let _another_time = connection
            .busy_timeout(Duration::ZERO)
            .and_then(|()| connection.execute(&sql, params![rows::now(), name, USED_EVERY.as_secs() as i64]));
        let _fails_never = connection.busy_timeout(BUSY);
    }

    /// Gives the room of what was removed back to the disk; where that fails it is used again.
    fn give_back(&self, is_worth_it: bool) {
        let vacuum = || -> rusqlite::Result<()> {
            let mut vacuum = self.connection.prepare("PRAGMA incremental_vacuum")?;
            let mut pages = vacuum.query([])?;
            while pages.next()?.is_some() {}
            Ok(())
        };
        if is_worth_it && vacuum().is_ok() {
            fold_in(&self.connection);
        }
    }
}

fn make_tables(connection: &mut Connection, root: &[u8]) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let application: i32 = transaction.pragma_query_value(None, "application_id", |row| row.get(0))?;
    // Another process may have made them since.
    if application != APPLICATION || fact(&transaction, "format")? != Some(FORMAT) {
        for table in TABLES {
            transaction.execute_batch(&format!("DROP TABLE IF EXISTS {table}"))?;
        }
        transaction.execute_batch(SCHEMA)?;
        let mut insert = transaction.prepare("INSERT INTO fact VALUES (?, ?)")?;
        insert.execute(params!["format", FORMAT])?;
        insert.execute(params!["root", root])?;
        drop(insert);
        transaction.pragma_update(None, "application_id", APPLICATION)?;
    }
    transaction.commit()
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    #[test]
    fn without_common_memory_two_write_at_once_too() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("x.vectors");
        let open = |journal| Database::open(&path, b"/a", b"", journal).unwrap();
        let item = |number: u16| {
            (TextKey::of(&number.to_string()), PackedVector::new(&[f32::from(number) + 1.0, 1.0]).unwrap())
        };
        std::thread::scope(|scope| {
            for thread in 0..3 {
                scope.spawn(move || {
                    let mut database = open(Journal::Rollback);
                    for number in 0..30 {
                        database.put("model", &[item(thread * 30 + number)]).unwrap();
                        assert!(database.load("model").unwrap().len() > usize::from(number));
                    }
                });
            }
        });
        let files = || std::fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(files(), 1, "nothing beside it");
        let mut found = open(Journal::Wal).load("model").unwrap();
        found.sort_by_key(|(key, _)| *key);
        let mut wanted: Vec<_> = (0..90).map(item).collect();
        wanted.sort_by_key(|(key, _)| *key);
        assert_eq!(found, wanted);
    }
}
