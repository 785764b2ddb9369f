//! Where a daemon is found: a folder that only its user can enter, with its socket, its lock and its log.
//!
//! There is one daemon for each user and cache folder. Whoever holds the lock is it; the system takes the lock from a process that ends
//! in any way, so that a socket without a lock is a dead one's and may be replaced.

use std::fs::{File, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};

use crate::text::Digest;
use crate::workspace::{drive, private};

/// The longest path that a socket may have everywhere: 104 bytes on macOS with its end, 108 on Linux.
const LONGEST_SOCKET: usize = 100;
/// Digits that tell the daemons of two cache folders apart.
const NAME_DIGITS: usize = 12;

/// Where a daemon's files are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DaemonPlace {
    folder: PathBuf,
}

/// Why no daemon can be there.
#[derive(Debug, thiserror::Error)]
pub enum PlaceError {
    #[error("there is no folder for a socket: set XDG_RUNTIME_DIR or HOME")]
    None,
    #[error("{} cannot be made: set XDG_RUNTIME_DIR to a folder of your own", path.display())]
    Folder { path: PathBuf, source: std::io::Error },
    #[error("{} is another user's, or others may enter it: remove it, or set XDG_RUNTIME_DIR to a folder of your own", .0.display())]
    NotOurs(PathBuf),
}

/// The lock of the daemon that runs; given back when dropped.
#[derive(Debug)]
pub struct Lock {
    file: File,
}

impl DaemonPlace {
    /// The place of the daemon that keeps what it knows in `cache`: in the folder that the system gives each user for sockets where there is one,
    /// else in the cache itself where that is a disk of this machine, else in the system's folder for temporary files.
    ///
    /// # Errors
    /// Where no path is short enough for a socket, or there is no folder at all.
    pub fn of_user(
        variable: impl Fn(&str) -> Option<String>,
        cache: Option<&Path>,
    ) -> Result<DaemonPlace, PlaceError> {
        let cache = cache.ok_or(PlaceError::None)?;
        let mut name = Digest::of(cache.as_os_str().as_encoded_bytes()).to_string();
        name.truncate(NAME_DIGITS);
        let runtime = variable("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|path| path.is_absolute());
        let places = [
            runtime.filter(|path| path.is_dir()).map(|path| path.join(format!("dossier-{name}"))),
            // Another machine's daemon would hold the lock.
            Some(cache.join("daemon")).filter(|folder| drive::shared(folder).is_none()),
            Some(std::env::temp_dir().join(format!("dossier-{}-{name}", user()))),
        ];
        let place = places.into_iter().flatten().map(|folder| DaemonPlace { folder });
        let mut fitting = place.filter(|place| place.socket().as_os_str().len() <= LONGEST_SOCKET);
        fitting.next().ok_or(PlaceError::None)
    }

    /// A place in this folder.
    pub fn in_folder(folder: PathBuf) -> DaemonPlace {
        DaemonPlace { folder }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub fn socket(&self) -> PathBuf {
        self.folder.join("socket")
    }

    fn lock_file(&self) -> PathBuf {
        self.folder.join("lock")
    }

    /// Makes the folder, and makes sure that it is ours alone: who can enter it can ask for our code.
    ///
    /// # Errors
    /// Where it cannot be made, is a link, or another user's.
    pub fn make(&self) -> Result<(), PlaceError> {
        let path = self.folder.clone();
        private::make_folder(&self.folder).map_err(|source| PlaceError::Folder { path, source })?;
        if is_ours(&self.folder) { Ok(()) } else { Err(PlaceError::NotOurs(self.folder.clone())) }
    }

    /// Whether the folder is there and ours alone.
    pub fn is_safe(&self) -> bool {
        is_ours(&self.folder)
    }

    /// Takes the lock; `None` where another process has it.
    ///
    /// # Errors
    /// Where the file of the lock cannot be opened.
    pub fn lock(&self) -> std::io::Result<Option<Lock>> {
        let mut file = private::appendable(&self.lock_file())?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(error),
        }
        file.set_len(0)?;
        writeln!(file, "{}", std::process::id())?;
        Ok(Some(Lock { file }))
    }

    /// The process that has the lock, by its own word; `None` where none has it.
    pub fn holder(&self) -> Option<u32> {
        let mut file = File::open(self.lock_file()).ok()?;
        if file.try_lock_shared().is_ok() {
            return None;
        }
        let mut text = String::new();
        file.rewind().and_then(|()| file.read_to_string(&mut text)).ok()?;
        text.trim().parse().ok()
    }

    /// Whether a process has the lock.
    pub fn is_held(&self) -> bool {
        File::open(self.lock_file()).is_ok_and(|file| file.try_lock_shared().is_err())
    }
}

impl Lock {
    /// Nobody has it from now on, and it names nobody.
    pub fn release(self) {
        let _names_nobody = self.file.set_len(0);
    }
}

#[cfg(unix)]
fn is_ours(folder: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    const OTHERS: u32 = 0o077;
    let found = folder.symlink_metadata();
    found.is_ok_and(|found| found.is_dir() && found.uid() == user() && found.mode() & OTHERS == 0)
}

#[cfg(not(unix))]
fn is_ours(folder: &Path) -> bool {
    folder.is_dir()
}

#[cfg(unix)]
fn user() -> u32 {
    rustix::process::getuid().as_raw()
}

#[cfg(not(unix))]
fn user() -> u32 {
    0
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use tempfile::TempDir;

    use super::*;

    #[test]
    fn a_socket_is_where_its_path_is_short_enough() {
        let place = |runtime: Option<&str>, cache: &str| {
            let variable = |name: &str| runtime.filter(|_| name == "XDG_RUNTIME_DIR").map(str::to_owned);
            DaemonPlace::of_user(variable, Some(Path::new(cache))).unwrap().folder
        };
        assert_eq!(place(None, "/c/dossier"), Path::new("/c/dossier/daemon"));
        assert_eq!(place(Some("/no/such"), "/c/dossier"), Path::new("/c/dossier/daemon"));
        assert!(place(Some("/tmp"), "/c/dossier").starts_with("/tmp"));
        assert_ne!(place(Some("/tmp"), "/c/dossier"), place(Some("/tmp"), "/d/dossier"));
        assert!(place(None, &"/long".repeat(40)).starts_with(std::env::temp_dir()));
        assert!(DaemonPlace::of_user(|_| None, None).is_err());
    }

    #[test]
    fn one_holds_the_lock_until_it_ends() {
        let folder = TempDir::new().unwrap();
        let place = DaemonPlace::in_folder(folder.path().join("d"));
        assert_eq!(place.holder(), None);
        place.make().unwrap();
        let lock = place.lock().unwrap().unwrap();
        assert!(place.lock().unwrap().is_none() && place.is_held());
        assert_eq!(place.holder(), Some(std::process::id()));
        drop(lock);
        assert!(!place.is_held());
        place.lock().unwrap().unwrap().release();
        assert_eq!(place.holder(), None);
    }

    #[test]
    fn a_folder_that_others_may_enter_or_that_is_a_link_is_refused() {
        let folder = TempDir::new().unwrap();
        let open = DaemonPlace::in_folder(folder.path().join("open"));
        open.make().unwrap();
        std::fs::set_permissions(open.folder(), std::fs::Permissions::from_mode(0o755)).unwrap();
        assert!(matches!(open.make(), Err(PlaceError::NotOurs(_))));
        let link = DaemonPlace::in_folder(folder.path().join("link"));
        std::os::unix::fs::symlink(folder.path(), link.folder()).unwrap();
        assert!(matches!(link.make(), Err(PlaceError::NotOurs(_))) && !link.is_safe());
    }
}
