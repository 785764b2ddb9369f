//! Which files of rules (`.gitignore` and the like) may be read: a repository must not lead a walk out of itself, nor
//! into a device or a pipe that never ends.

use std::path::Path;

use super::read::MAX_FILE_BYTES;

/// Why one is not read.
pub(super) const NOT_PLAIN: &str = "not a plain file of the workspace";

/// Whether `path` is a file of a size that a person writes, inside `root` (canonical) after all links; or is not there.
pub(super) fn are_plain(root: &Path, path: &Path) -> bool {
    let Ok(own) = path.symlink_metadata() else { return true };
    let is_small_file = |found: std::fs::Metadata| found.is_file() && found.len() <= MAX_FILE_BYTES;
    if !own.is_symlink() {
        return own.is_dir() || is_small_file(own);
    }
    match path.canonicalize() {
        Ok(target) => target.starts_with(root) && target.metadata().is_ok_and(is_small_file),
        Err(_) => true,
    }
}
