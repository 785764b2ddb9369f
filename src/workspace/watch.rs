//! Tells that something changed in the folders of a workspace, as it happens.
//!
//! Folders are watched one by one, never what they hold: an ignored folder (`target`) costs nothing. What changed is found out by
//! looking; here it is only told that something did. A question may come sooner than the event of a change before it: `fence` waits for an
//! event of its own, which the system tells behind all those before it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use notify::event::{AccessKind, AccessMode};
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use tempfile::TempDir;

use super::{drive, private};

/// Git says by these where the branch that is checked out has gone.
const GIT_FOLDERS: [&str; 2] = [".git", ".git/logs"];
const GIT_HEAD: &str = "HEAD";

/// A watch over the folders of one workspace. Dropping it ends it.
pub struct Watch {
    root: PathBuf,
    watcher: Mutex<RecommendedWatcher>,
    watched: Mutex<BTreeSet<PathBuf>>,
    told: Arc<Told>,
    fences: TempDir,
}

/// What the system told.
#[derive(Default)]
struct Told {
    counts: Mutex<Counts>,
    heard: Condvar,
}

#[derive(Default, Clone, Copy)]
struct Counts {
    /// Changes.
    changes: u64,
    /// The last fence that was set, and the last whose event came.
    set: u64,
    passed: u64,
}

impl Watch {
    /// Watches nothing yet. `folder` is one of our own, where fences are set; `on_change` is called at each change, on a thread that must
    /// not wait.
    ///
    /// # Errors
    /// Where the system has no watches to give, or tells nothing of what other machines change.
    pub fn start(
        root: &Path,
        folder: &Path,
        on_change: impl Fn() + Send + Sync + 'static,
    ) -> Result<Watch, WatchError> {
        if let Some(drive) = drive::shared(root) {
            return Err(WatchError::Shared(drive));
        }
        let told = Arc::new(Told::default());
        private::make_folder(folder)?;
        let fences = tempfile::Builder::new().prefix("fence-").tempdir_in(folder)?;
        let place = fences.path().canonicalize()?;
        let (hears, git, at) = (Arc::clone(&told), root.join(GIT_FOLDERS[0]), place.clone());
        let mut watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
            if hears.hear(event, &at, &git) {
                on_change();
            }
        })?;
        watcher.watch(&place, RecursiveMode::NonRecursive)?;
        let (watcher, watched) = (Mutex::new(watcher), Mutex::default());
        Ok(Watch { root: root.to_owned(), watcher, watched, told, fences })
    }

    /// Watches these folders (relative to the root) from now on, and no others. Says whether there are new ones among them: what
    /// happened in those before was not seen.
    ///
    /// # Errors
    /// Where the system has not so many watches to give.
    pub fn follow(&self, folders: &[String]) -> Result<bool, WatchError> {
        let git = GIT_FOLDERS.map(|folder| self.root.join(folder)).into_iter().filter(|path| path.is_dir());
        let wanted: BTreeSet<PathBuf> = folders.iter().map(|path| self.root.join(path)).chain(git).collect();
        let mut watcher = unpoisoned(&self.watcher);
        let mut watched = unpoisoned(&self.watched);
        let gone: Vec<PathBuf> = watched.difference(&wanted).cloned().collect();
        for folder in gone {
            let _is_gone_already = watcher.unwatch(&folder);
            watched.remove(&folder);
        }
        let mut has_new = false;
        for folder in wanted {
            if watched.contains(&folder) {
                continue;
            }
            match watcher.watch(&folder, RecursiveMode::NonRecursive) {
                Ok(()) => {
                    watched.insert(folder);
                    has_new = true;
                }
                // It was removed meanwhile: its own folder tells of that.
                Err(_) if !folder.exists() => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(has_new)
    }

    /// How many changes were told by now.
    pub fn changes(&self) -> u64 {
        self.told.lock().changes
    }

    /// Waits until everything is told that happened before; says whether it is.
    pub fn fence(&self, limit: Duration) -> bool {
        let number = {
            let mut counts = self.told.lock();
            counts.set += 1;
            counts.set
        };
        let mark = self.fences.path().join(number.to_string());
        if fs::write(&mark, "").is_err() {
            return false;
        }
        let end = Instant::now() + limit;
        let mut counts = self.told.lock();
        while counts.passed < number {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            counts = self.told.heard.wait_timeout(counts, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        let has_passed = counts.passed >= number;
        drop(counts);
        let _goes_with_the_folder = fs::remove_file(&mark);
        has_passed
    }
}

impl Told {
    fn lock(&self) -> MutexGuard<'_, Counts> {
        unpoisoned(&self.counts)
    }

    /// Says whether it is a change of the workspace.
    fn hear(&self, event: notify::Result<Event>, fences: &Path, git: &Path) -> bool {
        let is_change = match &event {
            // Something was missed.
            Err(_) => true,
            Ok(event) if event.need_rescan() => true,
            Ok(event) if is_reading(event.kind) => return false,
            Ok(event) => event.paths.iter().any(|path| is_ours(path, git)),
        };
        let paths = event.iter().flat_map(|event| &event.paths);
        let fence = |path: &PathBuf| path.strip_prefix(fences).ok()?.to_str()?.parse().ok();
        let passed: Option<u64> = paths.filter_map(fence).max();
        let mut counts = self.lock();
        if let Some(number) = passed {
            counts.passed = counts.passed.max(number);
            self.heard.notify_all();
            return false;
        }
        counts.changes += u64::from(is_change);
        is_change
    }
}

fn is_reading(kind: EventKind) -> bool {
    matches!(kind, EventKind::Access(access) if access != AccessKind::Close(AccessMode::Write))
}

/// Whether a path says something of the code: in git's own folder only where the branch has gone.
fn is_ours(path: &Path, git: &Path) -> bool {
    !path.starts_with(git) || path.file_name().is_some_and(|name| name == GIT_HEAD)
}

fn unpoisoned<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Why changes are not seen as they happen.
#[derive(Debug, thiserror::Error)]
pub enum WatchError {
    #[error("no watch can be set ({0})")]
    System(#[from] notify::Error),
    #[error("no folder for the watch can be made ({0})")]
    Folder(#[from] std::io::Error),
    #[error("other machines may write there too: {0}")]
    Shared(&'static str),
}

#[cfg(test)]
mod tests {
    use super::super::fixture::Folder;
    use super::*;

    const LONG: Duration = Duration::from_secs(5);

    #[test]
    fn a_change_is_told_before_the_fence_passes() {
        let folder = Folder::new(&[("src/a.rs", ""), ("target/x.rs", "")]);
        let own = TempDir::new().unwrap();
        let watch = Watch::start(&folder.path(), own.path(), || ()).unwrap();
        assert!(watch.follow(&[String::new(), "src".to_owned()]).unwrap());
        assert!(!watch.follow(&[String::new(), "src".to_owned()]).unwrap());
        for round in 0..50 {
            let before = watch.changes();
            assert!(watch.fence(LONG));
            assert_eq!(watch.changes(), before, "nothing happened");
            folder.write("target/x.rs", format!("{round}"));
            assert_eq!(std::fs::read_to_string(folder.join("src/a.rs")).unwrap().len(), 7 * round);
            assert!(watch.fence(LONG));
            assert_eq!(watch.changes(), before, "reading and ignored folders are no change");
            folder.write("src/a.rs", "fn a(){".repeat(round + 1));
            assert!(watch.fence(LONG));
            assert!(watch.changes() > before, "round {round}");
        }
    }

    #[test]
    fn folders_that_are_gone_are_no_trouble() {
        let folder = Folder::new(&[("src/a.rs", "")]);
        let own = TempDir::new().unwrap();
        let watch = Watch::start(&folder.path(), own.path(), || ()).unwrap();
        watch.follow(&[String::new(), "src".to_owned(), "gone".to_owned()]).unwrap();
        let before = watch.changes();
        std::fs::remove_dir_all(folder.join("src")).unwrap();
        assert!(watch.fence(LONG) && watch.changes() > before);
        watch.follow(&[String::new()]).unwrap();
    }
}
