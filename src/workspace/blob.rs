//! What git calls a text: the id of a blob, by which two texts are known to be the same.

use std::io::Read;
use std::path::Path;

/// Larger files are not read: none of a dossier is.
const LARGEST: u64 = 16 * 1024 * 1024;

/// The id that git gives these bytes, in hexadecimal digits.
pub fn blob_id(bytes: &[u8]) -> String {
    let id = gix::objs::compute_hash(gix::hash::Kind::Sha1, gix::objs::Kind::Blob, bytes);
    id.map(|id| id.to_string()).unwrap_or_default()
}

/// The id of a file of the workspace at `root` (canonical) as it is now; `path` is from there. `None` where there is no such
/// file, or it leads out of the workspace.
pub fn blob_id_of_file(root: &Path, path: &str) -> Option<String> {
    let file = root.join(path).canonicalize().ok()?;
    if !file.starts_with(root) || !file.metadata().ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    std::fs::File::open(file).ok()?.take(LARGEST).read_to_end(&mut bytes).ok()?;
    Some(blob_id(&bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_the_id_that_git_gives_it() {
        assert_eq!(blob_id(b""), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
        assert_eq!(blob_id(b"hello\n"), "ce013625030ba8dba906f756967f9e9ca394464a");
    }

    #[test]
    fn nothing_outside_is_read() {
        let folder = tempfile::TempDir::new().unwrap();
        let root = folder.path().canonicalize().unwrap().join("ws");
        std::fs::create_dir(&root).unwrap();
        std::fs::write(folder.path().join("outside"), "hello\n").unwrap();
        std::fs::write(root.join("inside"), "hello\n").unwrap();
        assert_eq!(blob_id_of_file(&root, "inside"), Some(blob_id(b"hello\n")));
        for other in ["../outside", "nothing", ""] {
            assert_eq!(blob_id_of_file(&root, other), None, "{other}");
        }
    }
}
