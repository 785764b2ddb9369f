//! The texts of the files that the walk found, in parallel.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;

use super::classify;
use super::walk::Found;

/// A file above this (bytes) is not read: no person edits it as a whole.
pub(super) const MAX_FILE_BYTES: u64 = 1 << 20;

/// All texts together (bytes). Beyond it the snapshot would not fit beside its index on a small machine.
pub(super) const MAX_TOTAL_BYTES: u64 = 256 << 20;

/// Why a file has no text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Skip {
    TooLarge,
    Binary,
    NotUtf8,
    /// Not trouble: minified.
    Minified,
    OverTotal,
    Unreadable(String),
}

/// The text of each file, in the order of `files`.
pub(super) fn read_all(root: &Path, files: &[Found], max_total: u64) -> Vec<Result<Arc<str>, Skip>> {
    let fits = within_total(files, max_total);
    files
        .par_iter()
        .zip(fits)
        .map_init(
            Vec::new,
            |buffer, (file, fits)| {
                if fits { read(root, file, buffer) } else { Err(Skip::OverTotal) }
            },
        )
        .collect()
}

/// Which files fit into the total: Rust and manifests before the rest, then in the order of the paths.
fn within_total(files: &[Found], max_total: u64) -> Vec<bool> {
    use crate::model::FileKind::{Manifest, Rust};
    let mut fits = vec![false; files.len()];
    let mut left = max_total;
    for code in [true, false] {
        for (fits, file) in fits.iter_mut().zip(files) {
            if matches!(file.kind, Rust | Manifest) == code && file.bytes <= left {
                left -= file.bytes.min(MAX_FILE_BYTES);
                *fits = true;
            }
        }
    }
    fits
}

/// Reads into `buffer`, which is used again for the next file.
fn read(root: &Path, file: &Found, buffer: &mut Vec<u8>) -> Result<Arc<str>, Skip> {
    if file.bytes > MAX_FILE_BYTES {
        return Err(Skip::TooLarge);
    }
    buffer.clear();
    let opened = File::open(root.join(&file.path));
    let result = opened.and_then(|opened| opened.take(MAX_FILE_BYTES + 1).read_to_end(buffer));
    result.map_err(|error| Skip::Unreadable(error.kind().to_string()))?;
    let text = text_of(buffer)?;
    if classify::has_minified_line(file.kind, text) { Err(Skip::Minified) } else { Ok(Arc::from(text)) }
}

/// The text of a file that only says how to read the others. Bounded, and never of anything but a file: a repository may
/// hold a link to an endless device.
pub(super) fn read_small(path: &Path) -> std::io::Result<String> {
    if !path.metadata()?.is_file() {
        return Err(std::io::ErrorKind::InvalidInput.into());
    }
    let mut text = String::new();
    File::open(path)?.take(MAX_FILE_BYTES).read_to_string(&mut text)?;
    Ok(text)
}

/// The bytes as text, where they are text of a size that is taken.
fn text_of(bytes: &[u8]) -> Result<&str, Skip> {
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(Skip::TooLarge);
    }
    if bytes.contains(&0) {
        return Err(Skip::Binary);
    }
    std::str::from_utf8(bytes).map_err(|_| Skip::NotUtf8)
}

#[cfg(test)]
mod tests {
    use super::super::fixture::Folder;
    use super::*;

    fn found(path: &str, bytes: u64) -> Found {
        Found { path: path.to_owned(), kind: classify::kind_of(path).unwrap(), bytes }
    }

    /// What became of each file, in a word.
    fn check(folder: &Folder, files: &[Found], max_total: u64, expected: &[&str]) {
        let texts = read_all(&folder.path(), files, max_total);
        let shown: Vec<String> = texts
            .into_iter()
            .map(|text| match text {
                Ok(text) => text.to_string(),
                Err(skip) => format!("{skip:?}"),
            })
            .collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn files_that_changed_since_the_walk_are_read_as_they_are_or_noted() {
        let folder = Folder::new(&[("shrunk.rs", "s"), ("grown.rs", "grown")]);
        folder.write("burst.rs", vec![b'x'; 2 << 20]);
        std::fs::create_dir(folder.join("folder.rs")).unwrap();
        let files = [found("gone.rs", 3), found("shrunk.rs", 9), found("grown.rs", 1), found("burst.rs", 1)];
        let expected = ["Unreadable(\"entity not found\")", "s", "grown", "TooLarge"];
        check(&folder, &files, MAX_TOTAL_BYTES, &expected);
        assert!(read_all(&folder.path(), &[found("folder.rs", 1)], MAX_TOTAL_BYTES)[0].is_err());
    }

    #[test]
    fn beyond_the_total_code_is_read_before_the_rest() {
        let folder = Folder::new(&[("a.md", "doc"), ("b.rs", "one"), ("c.rs", "two"), ("d.rs", "3")]);
        let files = [found("a.md", 3), found("b.rs", 3), found("c.rs", 3), found("d.rs", 1)];
        check(&folder, &files, 100, &["doc", "one", "two", "3"]);
        check(&folder, &files, 7, &["OverTotal", "one", "two", "3"]);
        check(&folder, &files, 4, &["OverTotal", "one", "OverTotal", "3"]);
        check(&folder, &files, 0, &["OverTotal"; 4]);
    }

    #[test]
    fn a_byte_order_mark_and_odd_characters_are_text() {
        let folder = Folder::new(&[("a.rs", "\u{feff}fn a() {}\r\u{1b}")]);
        check(&folder, &[found("a.rs", 1)], 100, &["\u{feff}fn a() {}\r\u{1b}"]);
    }
}
