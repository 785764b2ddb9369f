//! Files of the user's own that nobody else may read, and that two processes may write.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::time::Duration;

/// Two seconds in all: a change takes milliseconds.
const LOCK_TRIES: u32 = 200;
const LOCK_PAUSE: Duration = Duration::from_millis(10);
#[cfg(unix)]
const OWNER_ONLY_FILE: u32 = 0o600;
#[cfg(unix)]
const OWNER_ONLY_FOLDER: u32 = 0o700;

/// Writes beside the file, then renames: whoever reads meanwhile has the old one whole.
pub(crate) fn replace(file: &Path, text: &str) -> std::io::Result<()> {
    let mut name = file.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}", std::process::id()));
    let temporary = file.with_file_name(name);
    let written = truncated(&temporary)
        .and_then(|mut opened| opened.write_all(text.as_bytes()).and_then(|()| opened.sync_all()))
        .and_then(|()| fs::rename(&temporary, file));
    if written.is_err() {
        let _is_told_by_the_first_error = fs::remove_file(&temporary);
    }
    written
}

fn truncated(path: &Path) -> std::io::Result<File> {
    options().write(true).create(true).truncate(true).open(path)
}

/// The file, to be read and to be written at its end; made where it is not there.
pub(crate) fn appendable(path: &Path) -> std::io::Result<File> {
    options().read(true).append(true).create(true).open(path)
}

#[cfg(unix)]
fn options() -> fs::OpenOptions {
    use std::os::unix::fs::OpenOptionsExt;
    let mut options = fs::OpenOptions::new();
    options.mode(OWNER_ONLY_FILE);
    options
}

#[cfg(not(unix))]
fn options() -> fs::OpenOptions {
    fs::OpenOptions::new()
}

/// Makes the folder where it is not there.
#[cfg(unix)]
pub(crate) fn make_folder(folder: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().recursive(true).mode(OWNER_ONLY_FOLDER).create(folder)
}

#[cfg(not(unix))]
pub(crate) fn make_folder(folder: &Path) -> std::io::Result<()> {
    fs::create_dir_all(folder)
}

/// The folder itself is locked: no file is left behind, and the lock ends with the process. Where that cannot be done, or
/// takes too long, two at once may lose one change, and a user sees it.
#[expect(clippy::disallowed_methods, reason = "a lock cannot be waited for with an end; so many tries end")]
pub(crate) fn lock(folder: &Path) -> Option<File> {
    let folder = File::open(folder).ok()?;
    for _ in 0..LOCK_TRIES {
        if folder.try_lock().is_ok() {
            return Some(folder);
        }
        std::thread::sleep(LOCK_PAUSE);
    }
    None
}
