//! What stands in the tables, read and changed within a transaction.

use std::collections::HashSet;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::TextKey;
use super::checked::{self, SUM};
use crate::model::{PackedVector, VectorError};
use crate::workspace::FileKey;

/// A view that was not opened for so long needs its vectors no more.
const VIEW_LASTS: Duration = Duration::from_hours(24 * 30);

/// Why work on the database ended: what SQLite says, or a vector that does not belong there.
pub(super) enum Failure {
    Sqlite(rusqlite::Error),
    Vector(String, VectorError),
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Failure {
        Failure::Sqlite(error)
    }
}

/// A row of the table `model`.
pub(super) struct Model {
    pub number: i64,
    /// 0 where no vector is there yet.
    pub dimension: usize,
}

impl Model {
    fn of(row: &Row<'_>) -> rusqlite::Result<Model> {
        Ok(Model { number: row.get(0)?, dimension: row.get::<_, u32>(1)? as usize })
    }

    /// Bytes of a key with what is kept under it.
    fn row_bytes(&self) -> usize {
        TextKey::LEN + PackedVector::bytes_of(self.dimension) + SUM
    }

    /// All its vectors, without those that are damaged.
    pub fn vectors(&self, connection: &Connection) -> Result<Vec<(TextKey, PackedVector)>, Failure> {
        // In the order in which they stand on disk; by the index each would be looked for.
        let mut select = connection.prepare("SELECT key, data FROM vector NOT INDEXED WHERE model = ?")?;
        let mut rows = select.query([self.number])?;
        let (mut vectors, mut whole) = (Vec::new(), Vec::with_capacity(self.row_bytes()));
        while let Some(row) = rows.next()? {
            // Where it is of another type it is damaged too.
            let (Ok(key), Ok(data)) = (row.get_ref(0)?.as_blob(), row.get_ref(1)?.as_blob()) else {
                continue;
            };
            whole.clear();
            whole.extend_from_slice(key);
            whole.extend_from_slice(data);
            if whole.len() == self.row_bytes() {
                vectors.extend(vector(&whole));
            }
        }
        Ok(vectors)
    }
}

/// The model of this name; `None` where nothing is kept of it.
pub(super) fn model(connection: &Connection, name: &str) -> rusqlite::Result<Option<Model>> {
    let sql = "SELECT number, dimension FROM model WHERE name = ?";
    connection.query_row(sql, [name], Model::of).optional()
}

/// The model of this name, entered where it is not there, and of this dimension where none is known yet.
pub(super) fn enter_model(connection: &Connection, name: &str, dimension: usize) -> rusqlite::Result<Model> {
    connection.execute(
        "INSERT INTO model (name, dimension, used) VALUES (?1, ?2, ?3)
         ON CONFLICT DO UPDATE SET dimension = iif(dimension = 0, ?2, dimension), used = ?3",
        params![name, dimension as i64, now()],
    )?;
    connection.query_row("SELECT number, dimension FROM model WHERE name = ?", [name], Model::of)
}

/// The number of the view of this name, entered where it is not there.
pub(super) fn enter_view(connection: &Connection, name: &[u8]) -> rusqlite::Result<i64> {
    let sql = "INSERT INTO view (name, used) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET used = ?2";
    connection.execute(sql, params![name, now()])?;
    connection.query_row("SELECT number FROM view WHERE name = ?", [name], |row| row.get(0))
}

/// Forgets views that were not opened for long.
pub(super) fn forget_views(connection: &Connection) -> rusqlite::Result<()> {
    let long_ago = now() - VIEW_LASTS.as_secs() as i64;
    connection.execute("DELETE FROM view WHERE used < ?", [long_ago])?;
    connection.execute("DELETE FROM list WHERE view NOT IN (SELECT number FROM view)", [])?;
    Ok(())
}

/// The list of a file, of a row of `file` and `data`; `None` where it is damaged.
pub(super) fn list(row: &Row<'_>) -> rusqlite::Result<Option<(FileKey, Vec<TextKey>)>> {
    let (file, data) = (row.get_ref(0)?.as_blob(), row.get_ref(1)?.as_blob());
    Ok(file.ok().zip(data.ok()).and_then(|(file, data)| {
        let whole = [file, data].concat();
        let (keys, rest) = checked::without_sum(&whole, file.len())?.as_chunks();
        rest.is_empty().then_some(())?;
        Some((FileKey::from_bytes(file)?, keys.iter().map(|key| TextKey(*key)).collect()))
    }))
}

/// The numbers of a model's lists that are of another recipe, or of other files than these.
pub(super) fn stale_lists(
    connection: &Connection,
    (view, model, recipe): (i64, i64, u32),
    files: &[FileKey],
) -> rusqlite::Result<Vec<i64>> {
    let files: HashSet<&[u8]> = files.iter().map(FileKey::as_bytes).collect();
    let mut select =
        connection.prepare("SELECT number, recipe, file FROM list WHERE view = ? AND model = ?")?;
    let mut rows = select.query([view, model])?;
    let mut stale = Vec::new();
    while let Some(row) = rows.next()? {
        let of_this_recipe = row.get::<_, u32>(1)? == recipe;
        if !of_this_recipe || !files.contains(row.get_ref(2)?.as_blob()?) {
            stale.push(row.get(0)?);
        }
    }
    Ok(stale)
}

/// What the lists of all views but one name of a model's texts.
pub(super) fn listed_elsewhere(
    connection: &Connection,
    model: i64,
    own: &[u8],
) -> rusqlite::Result<Vec<TextKey>> {
    let mut select = connection.prepare(
        "SELECT file, data FROM list WHERE model = ? AND view NOT IN (SELECT number FROM view WHERE name = ?)",
    )?;
    let mut rows = select.query(params![model, own])?;
    let mut keys = Vec::new();
    while let Some(row) = rows.next()? {
        keys.extend(list(row)?.into_iter().flat_map(|(_, keys)| keys));
    }
    Ok(keys)
}

/// How many vectors of a model there are.
pub(super) fn count(connection: &Connection, name: &str) -> rusqlite::Result<usize> {
    let sql = "SELECT count(*) FROM vector WHERE model = (SELECT number FROM model WHERE name = ?)";
    connection.query_row(sql, [name], |row| row.get::<_, i64>(0)).map(|count| count as usize)
}

/// The numbers of a model's vectors that are not among these, the oldest first.
pub(super) fn unused(
    connection: &Connection,
    model: i64,
    used: &HashSet<TextKey>,
) -> rusqlite::Result<Vec<i64>> {
    let mut select = connection.prepare("SELECT number, key FROM vector WHERE model = ?")?;
    let mut rows = select.query([model])?;
    let mut unused = Vec::new();
    while let Some(row) = rows.next()? {
        if TextKey::from_bytes(row.get_ref(1)?.as_blob()?).is_none_or(|key| !used.contains(&key)) {
            unused.push(row.get(0)?);
        }
    }
    unused.sort_unstable();
    Ok(unused)
}

/// Seconds since 1970.
pub(super) fn now() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs() as i64
}

/// A vector with its key, of one row; `None` where it is damaged.
fn vector(whole: &[u8]) -> Option<(TextKey, PackedVector)> {
    let bytes = checked::without_sum(whole, TextKey::LEN)?;
    Some((TextKey::from_bytes(&whole[..TextKey::LEN])?, PackedVector::from_bytes(bytes)?))
}
