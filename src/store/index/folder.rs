//! Where the databases are: which one is a workspace's, which go when there are too many, what becomes of a damaged one.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::super::sqlite::{self, Identity, Journal};
use super::database::Index;
use super::{IndexError, Kept};
use crate::model::Note;
use crate::text::Digest;
use crate::workspace::{drive, private};

/// All databases together (bytes): some hundred workspaces of the size of jj.
const LARGEST_TOTAL: u64 = 1 << 30;

/// Bytes of the digests in a name: enough that no two workspaces ever share one.
const NAME_BYTES: usize = 16;

/// How often the time of the last use is put down: a write for each reading would wear more than it tells.
const USED_EVERY: Duration = Duration::from_hours(1);

const DATABASE: &str = "db";
const VECTORS: &str = "vectors";
/// Behind the name of a database: what SQLite writes beside it.
const BESIDE: [&str; 3] = ["-wal", "-shm", "-journal"];
/// What is set aside.
const DAMAGED: &str = "damaged";

/// The folder of all databases.
#[derive(Debug, Clone)]
pub struct IndexFolder {
    path: PathBuf,
    largest_total: u64,
}

/// A database with what is in it, or why there is none.
#[derive(Debug)]
pub struct Opened {
    pub index: Option<Index>,
    pub kept: Kept,
    /// What became of one that was there.
    pub notes: Vec<Note>,
    /// Why there is none.
    pub trouble: Option<Note>,
}

/// What was removed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Removed {
    /// Databases.
    pub count: usize,
    pub bytes: u64,
}

/// A file of the folder that is ours.
struct Entry {
    path: PathBuf,
    bytes: u64,
    used: SystemTime,
}

impl IndexFolder {
    /// Inside the user's folder for what can be made again.
    pub fn in_cache(cache: &Path) -> IndexFolder {
        IndexFolder { path: cache.join("index"), largest_total: LARGEST_TOTAL }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The database of the workspace at `root` (canonical), seen through `view`: which of its files are looked at.
    pub fn database(&self, root: &Path, view: &[u8]) -> PathBuf {
        let view = Digest::of(view).to_string();
        self.path.join(format!("{}-{}.{DATABASE}", name_of(root), &view[..NAME_BYTES]))
    }

    /// The vectors of the workspace at `root` (canonical), whichever of its files are looked at: they belong to texts.
    pub fn vectors(&self, root: &Path) -> PathBuf {
        self.path.join(format!("{}.{VECTORS}", name_of(root)))
    }

    /// Opens the database, and makes it where it is not there. One that is damaged, or another program's, is set aside first.
    pub fn open(&self, root: &Path, view: &[u8]) -> Opened {
        let path = self.database(root, view);
        let mut notes = Vec::new();
        let mut opened = self.open_at(&path, root);
        if let Err(error) = opened.as_ref()
            && error.is_damage()
        {
            let (damage, aside) = (error.to_string(), self.set_aside(&path));
            match aside {
                Ok(()) => {
                    notes.push(Note::warning(format!("the index was damaged ({damage}): it is made anew")));
                    opened = self.open_at(&path, root);
                }
                Err(source) => opened = Err(IndexError::Folder { path, source }),
            }
        }
        match opened {
            Ok((index, kept)) => {
                notes.extend(drive::shared(&self.path).map(on_shared));
                Opened { index: Some(index), kept, notes, trouble: None }
            }
            Err(error) => {
                Opened { index: None, kept: Kept::default(), notes, trouble: Some(without(&error)) }
            }
        }
    }

    fn open_at(&self, path: &Path, root: &Path) -> Result<(Index, Kept), IndexError> {
        let (path, journal) = self.prepare(path)?;
        let mut index = Index::open(&path, root.as_os_str().as_encoded_bytes(), journal)?;
        let kept = index.read()?;
        self.touch(&path);
        Ok((index, kept))
    }

    /// Makes the folder; where a file of it really is, and which journal it can have there.
    pub(in super::super) fn prepare(&self, path: &Path) -> Result<(PathBuf, Journal), IndexError> {
        let failed = |source| IndexError::Folder { path: self.path.clone(), source };
        private::make_folder(&self.path).map_err(failed)?;
        // The folder may be reached through links, the database may be none.
        let folder = self.path.canonicalize().map_err(failed)?;
        Ok((folder.join(path.file_name().unwrap_or_default()), Journal::of(&folder)))
    }

    /// Puts down that the database at `path` was used; where that cannot be done it goes earlier.
    pub(in super::super) fn touch(&self, path: &Path) {
        let used = path.metadata().and_then(|found| found.modified());
        if used.is_ok_and(|used| used.elapsed().is_ok_and(|since| since > USED_EVERY)) {
            let _goes_earlier =
                private::appendable(path).and_then(|file| file.set_modified(SystemTime::now()));
        }
    }

    /// Sets aside the database at `path`, which turned out to be damaged.
    pub fn set_aside(&self, path: &Path) -> std::io::Result<()> {
        let _others_wait = private::lock(&self.path);
        aside(path)
    }

    /// As `set_aside`, where it is still that file: another process may have set it aside, and made a new one.
    pub(in super::super) fn set_aside_same(
        &self,
        path: &Path,
        same: Option<Identity>,
    ) -> std::io::Result<()> {
        let _others_wait = private::lock(&self.path);
        if sqlite::identity(path) == same { aside(path) } else { Ok(()) }
    }

    /// Removes the databases that were not used for longest, where all are too large together; never the one at `own`.
    pub fn prune(&self, own: &Path) {
        let mut entries = self.entries("");
        let mut total: u64 = entries.iter().map(|entry| entry.bytes).sum();
        entries.sort_by_key(|entry| entry.used);
        for entry in entries.iter().filter(|entry| !is_of(&entry.path, own)) {
            if total <= self.largest_total {
                break;
            }
            if self.remove_entry(&entry.path).is_ok() {
                total = total.saturating_sub(entry.bytes);
            }
        }
    }

    /// Removes all that is kept of the workspace at `root` (canonical), or of every workspace.
    ///
    /// # Errors
    /// Where something cannot be removed; the rest is.
    pub fn remove(&self, root: Option<&Path>) -> Result<Removed, IndexError> {
        let mut removed = Removed::default();
        let mut trouble = None;
        for entry in self.entries(&root.map(name_of).unwrap_or_default()) {
            match self.remove_entry(&entry.path) {
                Ok(()) => {
                    removed.count += usize::from(entry.path.extension().is_some_and(|kind| kind == DATABASE));
                    removed.bytes += entry.bytes;
                }
                Err(source) => trouble = Some(IndexError::Folder { path: entry.path, source }),
            }
        }
        trouble.map_or(Ok(removed), Err)
    }

    /// Bytes that the database at `path` takes up.
    pub fn bytes(&self, path: &Path) -> u64 {
        let all = beside(path).into_iter().chain([path.to_owned()]);
        all.map(|path| path.metadata().map_or(0, |it| it.len())).sum()
    }

    fn remove_entry(&self, path: &Path) -> std::io::Result<()> {
        beside(path).iter().try_for_each(|beside| remove(beside))?;
        remove(path)
    }

    /// Databases, vectors, and those that were set aside, whose names begin so.
    fn entries(&self, prefix: &str) -> Vec<Entry> {
        let files = fs::read_dir(&self.path).into_iter().flatten().flatten();
        let ours = files.filter_map(|file| {
            let (path, found) = (file.path(), file.metadata().ok().filter(fs::Metadata::is_file)?);
            let kind = path.extension()?;
            let is_kind = [DATABASE, VECTORS, DAMAGED].iter().any(|known| kind == *known);
            let is_ours = is_kind && path.file_stem()?.to_str()?.starts_with(prefix);
            let bytes = if kind == DAMAGED { found.len() } else { self.bytes(&path) };
            let used = found.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            is_ours.then_some(Entry { path, bytes, used })
        });
        ours.collect()
    }
}

fn name_of(root: &Path) -> String {
    let mut name = Digest::of(root.as_os_str().as_encoded_bytes()).to_string();
    name.truncate(2 * NAME_BYTES);
    name
}

/// What SQLite writes beside the database at `path`.
fn beside(path: &Path) -> [PathBuf; 3] {
    BESIDE.map(|suffix| {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        name.into()
    })
}

fn aside(path: &Path) -> std::io::Result<()> {
    beside(path).iter().try_for_each(|beside| remove(beside))?;
    fs::rename(path, path.with_extension(DAMAGED))
}

/// Whether the file at `path` is the database at `own`, what was set aside of it, or the vectors of its workspace.
fn is_of(path: &Path, own: &Path) -> bool {
    let stem = |path: &Path| path.file_stem().unwrap_or_default().as_encoded_bytes().to_owned();
    let (stem, own) = (stem(path), stem(own));
    stem == own || own.strip_prefix(&stem[..]).is_some_and(|view| view.starts_with(b"-"))
}

fn remove(path: &Path) -> std::io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn on_shared(drive: &str) -> Note {
    Note::info(format!(
        "the index is where other machines may write too ({drive}): readers wait for writers there; XDG_CACHE_HOME names a folder on a disk of this machine"
    ))
}

fn without(error: &IndexError) -> Note {
    Note::warning(format!(
        "no index is used ({error}): each answer reads everything anew; make the folder writable, or say `--no-index`"
    ))
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;
    use crate::model::PackedVector;
    use crate::store::{TextKey, VectorStore};

    fn paths(folder: &IndexFolder) -> Vec<PathBuf> {
        let mut paths: Vec<PathBuf> = folder.entries("").into_iter().map(|entry| entry.path).collect();
        paths.sort();
        paths
    }

    #[test]
    fn the_workspaces_that_were_not_used_for_longest_go_first() {
        let cache = TempDir::new().unwrap();
        let mut folder = IndexFolder::in_cache(cache.path());
        let roots = ["/a", "/b", "/c"].map(Path::new);
        for (age, root) in (1..).zip(roots) {
            assert!(folder.open(root, b"").index.is_some());
            let file = private::appendable(&folder.database(root, b"")).unwrap();
            file.set_modified(SystemTime::now() - age * USED_EVERY).unwrap();
        }
        // To be used again counts.
        drop(folder.open(roots[2], b""));
        folder.prune(&folder.database(roots[0], b""));
        assert_eq!(paths(&folder).len(), 3);
        let [a, b, c] = roots.map(|root| folder.database(root, b""));
        folder.largest_total = folder.bytes(&a) + folder.bytes(&c);
        folder.prune(&b);
        let mut left = vec![b.clone(), c];
        left.sort();
        assert_eq!(paths(&folder), left);
        folder.largest_total = 0;
        folder.prune(&b);
        assert_eq!(paths(&folder), [b]);
    }

    #[test]
    fn vectors_count_and_go_with_their_workspace() {
        let cache = TempDir::new().unwrap();
        let mut folder = IndexFolder::in_cache(cache.path());
        let [own, other] = ["/a", "/b"].map(Path::new);
        for root in [own, other] {
            assert!(folder.open(root, b"x").index.is_some());
            let mut store = VectorStore::open(&folder, root, b"x").unwrap();
            store.put("model", &[(TextKey::of(""), PackedVector::new(&[1.0]).unwrap())]).unwrap();
        }
        let of = |folder: &IndexFolder, root: &Path| [folder.database(root, b"x"), folder.vectors(root)];
        let sizes = |folder: &IndexFolder| of(folder, other).map(|path| folder.bytes(&path));
        assert!(sizes(&folder).iter().all(|bytes| *bytes > 0));
        let removed = folder.remove(Some(other)).unwrap();
        assert_eq!((removed.count, sizes(&folder)), (1, [0, 0]));
        assert!(removed.bytes >= 2 * 4096);
        // Whatever is too much, what belongs to the present workspace stays.
        drop(VectorStore::open(&folder, other, b"x"));
        folder.largest_total = 0;
        folder.prune(&folder.database(own, b"x"));
        let mut left = of(&folder, own).to_vec();
        left.sort();
        assert_eq!(paths(&folder), left);
        // Damaged ones are removed too.
        fs::write(folder.vectors(own), "no database ".repeat(99)).unwrap();
        assert_eq!(VectorStore::open(&folder, own, b"x").unwrap().take_notes().len(), 1);
        assert_eq!(paths(&folder).len(), 3);
        folder.remove(Some(own)).unwrap();
        assert_eq!(paths(&folder), [] as [PathBuf; 0]);
    }

    #[test]
    fn views_are_apart_and_go_together() {
        let cache = TempDir::new().unwrap();
        let folder = IndexFolder::in_cache(cache.path());
        for (root, view) in [("/a", "x"), ("/a", "y"), ("/b", "x")] {
            assert!(folder.open(Path::new(root), view.as_bytes()).index.is_some());
        }
        assert_eq!(paths(&folder).len(), 3);
        assert_eq!(folder.remove(Some(Path::new("/a"))).unwrap().count, 2);
        assert_eq!(paths(&folder), [folder.database(Path::new("/b"), b"x")]);
        assert_eq!(folder.remove(None).unwrap().count, 1);
        assert_eq!(folder.remove(None).unwrap(), Removed::default());
    }
}
