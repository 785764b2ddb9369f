//! Vectors on disk: they come back; damage is told and costs what it must; room is given back.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use dossier::model::PackedVector;
use dossier::store::{IndexError, IndexFolder, Lists, Put, TextKey, VectorStore};
use dossier::workspace::FileKey;
use rusqlite::Connection;
use tempfile::TempDir;

const ROOT: &str = "/a/workspace";
pub const MODEL: &str = "small 1f3a";
/// Of a batch that a writer puts down.
pub const BATCH: u32 = 100;
/// An item's bytes on disk, at the most.
const MOST_BYTES: u64 = 1_000;

pub fn folder(cache: &TempDir) -> IndexFolder {
    IndexFolder::in_cache(cache.path())
}

pub fn open(folder: &IndexFolder) -> VectorStore {
    VectorStore::open(folder, Path::new(ROOT), b"").unwrap()
}

/// A vector that is another one for each number, with its key.
fn item(number: u32, dimension: usize) -> (TextKey, PackedVector) {
    let mut state = number.wrapping_add(1).wrapping_mul(0x9e37_79b9);
    let values = (0..dimension).map(|_| {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        f32::from(state.to_le_bytes()[1]) / 128.0 - 0.99
    });
    (key(number), PackedVector::new(&values.collect::<Vec<f32>>()).unwrap())
}

fn key(number: u32) -> TextKey {
    TextKey::of(&number.to_string())
}

pub fn items(numbers: impl IntoIterator<Item = u32>) -> Vec<(TextKey, PackedVector)> {
    numbers.into_iter().map(|number| item(number, 48)).collect()
}

fn file(number: u32) -> FileKey {
    FileKey::from_bytes(key(number).as_bytes()).unwrap()
}

fn loaded(store: &mut VectorStore, model: &str) -> BTreeMap<TextKey, PackedVector> {
    store.load(model).unwrap().into_iter().collect()
}

#[track_caller]
pub fn has(store: &mut VectorStore, model: &str, numbers: impl IntoIterator<Item = u32>) {
    let (found, wanted) = (loaded(store, model), items(numbers).into_iter().collect::<BTreeMap<_, _>>());
    // Not `assert_eq`: it would print all of them.
    assert!(found == wanted, "{} instead of {}", found.len(), wanted.len());
}

#[test]
fn what_is_put_down_comes_back() {
    let cache = TempDir::new().unwrap();
    let folder = folder(&cache);
    let mut store = open(&folder);
    assert_eq!((store.load(MODEL).unwrap(), store.models().unwrap()), (Vec::new(), Vec::new()));
    assert_eq!(store.put(MODEL, &items(0..5)).unwrap(), Put::Added);
    assert_eq!(store.put("large 77", &[item(3, 768)]).unwrap(), Put::Added);
    // Another process, that looks at other files, has the same.
    let mut other = VectorStore::open(&folder, Path::new(ROOT), b"some").unwrap();
    has(&mut other, MODEL, 0..5);
    other.put(MODEL, &items(3..8)).unwrap();
    other.put(MODEL, &[]).unwrap();
    has(&mut store, MODEL, 0..8);
    drop((store, other));
    let mut store = open(&folder);
    has(&mut store, MODEL, 0..8);
    assert_eq!(store.load("large 77").unwrap(), [item(3, 768)]);
    let models = store.models().unwrap();
    let found: Vec<_> = models.iter().map(|it| (it.name.as_str(), it.dimension, it.vectors)).collect();
    assert_eq!(found, [("large 77", 768, 1), (MODEL, 48, 8)]);
    assert!(models.iter().all(|it| it.used.elapsed().unwrap() < Duration::from_secs(60)));
    store.remove("large 77").unwrap();
    assert_eq!(store.load("large 77").unwrap(), []);
    has(&mut store, MODEL, 0..8);
    assert_eq!(store.take_notes(), []);
    // Of another workspace nothing is known.
    let mut other = VectorStore::open(&folder, Path::new("/b"), b"").unwrap();
    assert_eq!(other.load(MODEL).unwrap(), []);
}

#[test]
fn another_dimension_is_refused_with_its_whole_batch() {
    let cache = TempDir::new().unwrap();
    let mut store = open(&folder(&cache));
    store.put(MODEL, &items(0..3)).unwrap();
    for batch in [vec![item(7, 49)], vec![item(8, 48), item(9, 47)]] {
        let error = store.put(MODEL, &batch).unwrap_err().to_string();
        assert!(error.contains(MODEL) && error.contains("among those of 48"), "{error}");
    }
    has(&mut store, MODEL, 0..3);
}

#[test]
fn lists_follow_the_files() {
    let cache = TempDir::new().unwrap();
    let folder = folder(&cache);
    let mut store = open(&folder);
    let of = |recipe| Lists { model: MODEL, recipe };
    let list = |number: u32| (file(number), (number..number * 2).map(key).collect::<Vec<_>>());
    let sorted = |numbers: &[u32]| {
        let mut lists: Vec<_> = numbers.iter().map(|number| list(*number)).collect();
        lists.sort();
        lists
    };
    assert_eq!(store.lists(of(1)).unwrap(), []);
    store.put_lists(of(1), &sorted(&[0, 1, 30]), &[0, 1, 30].map(file)).unwrap();
    // One changed, one is gone.
    store.put_lists(of(1), &sorted(&[2]), &[0, 2, 30].map(file)).unwrap();
    assert_eq!(store.lists(of(1)).unwrap(), sorted(&[0, 2, 30]));
    assert_eq!(store.lists(of(2)).unwrap(), []);
    // Another view has its own.
    let mut other = VectorStore::open(&folder, Path::new(ROOT), b"some").unwrap();
    assert_eq!(other.lists(of(1)).unwrap(), []);
    other.put_lists(of(1), &sorted(&[5]), &[file(5)]).unwrap();
    store.put_lists(of(2), &sorted(&[7]), &[0, 7].map(file)).unwrap();
    assert_eq!((store.lists(of(1)).unwrap(), store.lists(of(2)).unwrap()), (Vec::new(), sorted(&[7])));
    assert_eq!(other.lists(of(1)).unwrap(), sorted(&[5]));
    // What is damaged is not there.
    let connection = Connection::open(store.path()).unwrap();
    connection.execute("UPDATE list SET data = substr(data, 2)", []).unwrap();
    assert_eq!((store.lists(of(2)).unwrap(), other.lists(of(1)).unwrap()), (Vec::new(), Vec::new()));
}

#[test]
fn what_nobody_uses_goes_where_it_is_too_much() {
    let cache = TempDir::new().unwrap();
    let folder = folder(&cache);
    let mut store = open(&folder);
    for batch in 0..50 {
        store.put(MODEL, &items(batch * BATCH..(batch + 1) * BATCH)).unwrap();
    }
    store.put("other", &items(0..4_000)).unwrap();
    let before = store.bytes();
    let keys = |numbers: std::ops::Range<u32>| numbers.map(key).collect::<Vec<_>>();
    // As many again as are in use may stay.
    assert_eq!(store.retain(MODEL, &keys(3_000..5_000)).unwrap(), 0);
    // Another view uses more.
    let mut other = VectorStore::open(&folder, Path::new(ROOT), b"some").unwrap();
    let of = Lists { model: MODEL, recipe: 1 };
    other.put_lists(of, &[(file(1), keys(0..2_000))], &[file(1)]).unwrap();
    assert_eq!(store.retain(MODEL, &keys(4_990..5_000)).unwrap(), 0);
    has(&mut store, MODEL, 0..5_000);
    // It is not used for long.
    let connection = Connection::open(store.path()).unwrap();
    connection.execute("UPDATE view SET used = 0", []).unwrap();
    drop(connection);
    let removed = store.retain(MODEL, &keys(0..10)).unwrap();
    assert_eq!(removed, 5_000 - 10 - 505);
    // Of what is not used, that which came last stays.
    has(&mut store, MODEL, (0..10).chain(4_495..5_000));
    assert_eq!(store.load("other").unwrap().len(), 4_000);
    let after = store.bytes();
    assert!(after < before * 6 / 10, "{before} {after}");
    store.remove("other").unwrap();
    assert!(store.bytes() < before / 5, "{before} {}", store.bytes());
}

#[test]
fn an_item_takes_less_than_it_may() {
    for dimension in [384, 768] {
        let cache = TempDir::new().unwrap();
        let mut store = open(&folder(&cache));
        let rows = 6_000;
        for first in (0..rows).step_by(256) {
            let batch: Vec<_> =
                (first..rows.min(first + 256)).map(|number| item(number, dimension)).collect();
            store.put(MODEL, &batch).unwrap();
        }
        let all: Vec<TextKey> = (0..rows).map(key).collect();
        let lists: Vec<_> = (0..).zip(all.chunks(20)).map(|(at, keys)| (file(at), keys.to_vec())).collect();
        let files: Vec<FileKey> = lists.iter().map(|list| list.0).collect();
        store.put_lists(Lists { model: MODEL, recipe: 1 }, &lists, &files).unwrap();
        let (bytes, told) =
            (store.bytes() / u64::from(rows), store.models().unwrap()[0].bytes / u64::from(rows));
        assert!(bytes <= MOST_BYTES, "{bytes} bytes at {dimension} dimensions");
        assert!(bytes.abs_diff(told) < bytes / 10, "{bytes} at {dimension}, told as {told}");
    }
}

#[test]
fn a_place_that_cannot_be_used_is_told() {
    let cache = TempDir::new().unwrap();
    let folder = folder(&cache);
    let refused = || VectorStore::open(&folder, Path::new(ROOT), b"").unwrap_err();
    std::fs::write(folder.path(), "a file").unwrap();
    assert!(matches!(refused(), IndexError::Folder { .. }));
    std::fs::remove_file(folder.path()).unwrap();
    let path = folder.vectors(Path::new(ROOT));
    std::fs::create_dir_all(&path).unwrap();
    assert!(!refused().is_damage());
    std::fs::remove_dir(&path).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let elsewhere = cache.path().join("elsewhere");
        std::fs::write(&elsewhere, "mine").unwrap();
        symlink(&elsewhere, &path).unwrap();
        assert!(!refused().is_damage());
        assert_eq!(std::fs::read(&elsewhere).unwrap(), b"mine");
        std::fs::remove_file(&path).unwrap();

        let mode =
            |path: &Path, mode| std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
        open(&folder).put(MODEL, &items(0..3)).unwrap();
        mode(&path, 0o400);
        mode(folder.path(), 0o500);
        // Whoever may do everything is not held back by that.
        if std::fs::write(folder.path().join("try"), "").is_err() {
            let error = refused();
            assert!(!error.is_damage() && error.to_string().contains("ermission"), "{error}");
        }
        mode(folder.path(), 0o700);
        mode(&path, 0o600);
        has(&mut open(&folder), MODEL, 0..3);
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
}

/// Three batches in a file, whole.
fn filled() -> (TempDir, IndexFolder, PathBuf) {
    let cache = TempDir::new().unwrap();
    let folder = folder(&cache);
    let mut store = open(&folder);
    for batch in 0..3 {
        store.put(MODEL, &items(batch * BATCH..(batch + 1) * BATCH)).unwrap();
    }
    let path = store.path();
    (cache, folder, path)
}

/// Begins anew, says so once, and keeps what comes then.
#[track_caller]
fn begins_anew(folder: &IndexFolder, said: &str) {
    let mut store = open(folder);
    assert_eq!(store.load(MODEL).unwrap(), []);
    let notes = store.take_notes();
    assert!(notes.len() == 1 && notes[0].text.contains(said), "{notes:?}");
    store.put(MODEL, &items(0..300)).unwrap();
    let mut store = open(folder);
    has(&mut store, MODEL, 0..300);
    assert_eq!(store.take_notes(), []);
}

#[test]
fn what_is_no_database_or_not_ours_is_set_aside() {
    let (_cache, folder, path) = filled();
    std::fs::write(&path, "no database at all, but long enough to be taken for one ".repeat(99)).unwrap();
    begins_anew(&folder, "the kept vectors were damaged");
    assert!(path.with_extension("damaged").exists());
    std::fs::remove_file(&path).unwrap();
    let set = |sql: &str| Connection::open(&path).unwrap().execute_batch(sql).unwrap();
    set("CREATE TABLE photos (a); PRAGMA application_id = 7");
    begins_anew(&folder, "it is another program's database");
    set("UPDATE fact SET value = x'2f78' WHERE name = 'root'");
    begins_anew(&folder, "it is of another workspace");
    set("DROP TABLE vector");
    begins_anew(&folder, "the kept vectors were damaged");
}

#[test]
fn formats_are_told_apart() {
    let (_cache, folder, path) = filled();
    let set = |sql: &str| Connection::open(&path).unwrap().execute_batch(sql).unwrap();
    set("UPDATE fact SET value = 99 WHERE name = 'format'");
    let error = VectorStore::open(&folder, Path::new(ROOT), b"").unwrap_err();
    assert!(
        matches!(error, IndexError::Later { .. }) && error.to_string().contains("dossier clean"),
        "{error}"
    );
    set("UPDATE fact SET value = 1 WHERE name = 'format'");
    has(&mut open(&folder), MODEL, 0..300);
    set("UPDATE fact SET value = 0 WHERE name = 'format'");
    let mut store = open(&folder);
    assert_eq!((store.load(MODEL).unwrap(), store.take_notes()), (Vec::new(), Vec::new()));
}

#[test]
fn damaged_rows_cost_themselves_alone() {
    let (_cache, folder, path) = filled();
    let connection = Connection::open(&path).unwrap();
    for (number, damage) in ["x''", "x'0011'", "substr(data, 2)", "zeroblob(length(data))", "data || x'00'"]
        .into_iter()
        .enumerate()
    {
        let sql = format!("UPDATE vector SET data = {damage} WHERE number = {}", number + 1);
        connection.execute(&sql, []).unwrap();
    }
    // A vector under another's key.
    let sql = "UPDATE vector SET data = (SELECT data FROM vector WHERE number = 9) WHERE number = 6";
    connection.execute(sql, []).unwrap();
    drop(connection);
    let mut store = open(&folder);
    has(&mut store, MODEL, 6..300);
    store.put(MODEL, &items(0..6)).unwrap();
    has(&mut store, MODEL, 0..300);
}

#[test]
fn torn_pages_do_no_harm() {
    let (_cache, folder, path) = filled();
    let whole = std::fs::read(&path).unwrap();
    let mut damages: Vec<Vec<u8>> = Vec::new();
    damages
        .extend([1, 99, whole.len() / 3, whole.len() / 2, whole.len() - 1].map(|len| whole[..len].to_vec()));
    for page in (0..whole.len()).step_by(4096) {
        for byte in [0x00, 0x5a] {
            let mut torn = whole.clone();
            torn[page..(page + 4096).min(whole.len())].fill(byte);
            damages.push(torn);
        }
    }
    assert!(damages.len() > 20);
    for (number, damage) in damages.into_iter().enumerate() {
        std::fs::write(&path, damage).unwrap();
        let mut store = open(&folder);
        let found = loaded(&mut store, MODEL);
        let wanted: BTreeMap<_, _> = items(0..300).into_iter().collect();
        assert!(found.iter().all(|(key, vector)| wanted.get(key) == Some(vector)), "{number}");
        // Whether it is found out when all is read, or when something is written.
        store.put(MODEL, &items(0..300)).unwrap();
        if store.put(MODEL, &items(300..400)).unwrap() == Put::Alone {
            store.put(MODEL, &items(0..300)).unwrap();
        }
        has(&mut open(&folder), MODEL, 0..400);
    }
}

#[test]
fn one_that_is_removed_while_it_is_open_is_made_again() {
    let (_cache, folder, path) = filled();
    let mut store = open(&folder);
    assert_eq!(folder.remove(Some(Path::new(ROOT))).unwrap().count, 0);
    assert!(!path.exists());
    assert_eq!(store.load(MODEL).unwrap(), []);
    assert_eq!(store.put(MODEL, &items(0..5)).unwrap(), Put::Alone);
    assert_eq!(store.put(MODEL, &items(5..8)).unwrap(), Put::Added);
    // The folder with it.
    std::fs::remove_dir_all(folder.path()).unwrap();
    assert_eq!(store.put(MODEL, &items(0..8)).unwrap(), Put::Alone);
    has(&mut open(&folder), MODEL, 0..8);
}
