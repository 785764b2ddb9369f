//! What all databases of ours have in common: how they are opened, which journal they have, what of their troubles is damage.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension};

use super::IndexError;
use crate::workspace::{drive, private};

/// How SQLite makes a change whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Journal {
    /// Nobody waits for a reader. Needs memory that all processes have in common.
    Wal,
    /// Readers wait for a writer. Needs locks alone.
    Rollback,
}

impl Journal {
    /// What can be had in a folder: on a drive that other machines write too, memory is not shared, and SQLite's WAL would be damaged.
    pub fn of(folder: &Path) -> Journal {
        if drive::shared(folder).is_some() { Journal::Rollback } else { Journal::Wal }
    }

    /// As SQLite calls it.
    fn mode(self) -> &'static str {
        match self {
            Journal::Wal => "wal",
            Journal::Rollback => "delete",
        }
    }
}

/// Which file it is, wherever it was moved: its device and its number there.
pub(super) type Identity = (u64, u64);

/// Opens the database at `path`, made as an empty file for the user alone where it is not there; who finds it in use waits so
/// long. And which file it was.
pub(super) fn connect(path: &Path, busy: Duration) -> Result<(Connection, Option<Identity>), IndexError> {
    let folder = |source| IndexError::Folder { path: path.to_owned(), source };
    // SQLite would make it for everybody to read.
    drop(private::appendable(path).map_err(folder)?);
    let failed = |source| IndexError::Database { path: path.to_owned(), source };
    let flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let connection = Connection::open_with_flags(path, flags).map_err(failed)?;
    connection.busy_timeout(busy).map_err(failed)?;
    Ok((connection, identity(path)))
}

#[cfg(unix)]
pub(super) fn identity(path: &Path) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt;
    path.symlink_metadata().ok().map(|found| (found.dev(), found.ino()))
}

#[cfg(not(unix))]
pub(super) fn identity(path: &Path) -> Option<Identity> {
    path.symlink_metadata().ok().map(|_| (0, 0))
}

pub(super) fn configure(connection: &Connection, journal: Journal) -> rusqlite::Result<()> {
    connection.pragma_update(None, "journal_mode", journal.mode())?;
    // A power failure may cost the last change, and nothing else.
    connection.pragma_update(None, "synchronous", "normal")?;
    connection.pragma_update(None, "trusted_schema", false)
}

/// A value of the table `fact`, by its name.
pub(super) fn fact<T: rusqlite::types::FromSql>(
    connection: &Connection,
    name: &str,
) -> rusqlite::Result<Option<T>> {
    connection.query_row("SELECT value FROM fact WHERE name = ?", [name], |row| row.get(0)).optional()
}

/// Else a change stays beside the database until the last process closes it, and is there twice. A reader may prevent it.
pub(super) fn fold_in(connection: &Connection) {
    let _left_for_later = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
}

/// What of a database's troubles means that it is to be thrown away.
pub(super) fn is_damage(error: &IndexError) -> bool {
    match error {
        IndexError::Folder { .. } | IndexError::Later { .. } | IndexError::Vector { .. } => false,
        IndexError::Foreign { .. } => true,
        IndexError::Database { source, .. } => match source.sqlite_error_code() {
            // `Unknown`: a table or a column is missing.
            Some(code) => {
                matches!(code, ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase | ErrorCode::Unknown)
            }
            // A value of another type.
            None => true,
        },
    }
}
