//! The texts of the files that the walk found, in parallel; those that are known and have not changed are left for later.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::classify;
use super::roles::Marks;
use super::seen::{Content, Seen, SeenFile};
use super::source::{Text, Torn};
use super::stamp;
use super::walk::Found;

/// A file above this (bytes) is not read: no person edits it as a whole.
pub(super) const MAX_FILE_BYTES: u64 = 1 << 20;

/// All texts together (bytes). Beyond it the snapshot would not fit beside its index on a small machine.
pub(super) const MAX_TOTAL_BYTES: u64 = 256 << 20;

/// Why a file has no text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) enum Skip {
    TooLarge,
    Binary,
    NotUtf8,
    /// Not trouble: minified.
    Minified,
    OverTotal,
    Unreadable(String),
}

/// A file as it was found.
pub(super) struct Taken {
    pub text: Result<(Text, Marks), Skip>,
    /// What is to be known of it the next time.
    pub seen: Option<SeenFile>,
}

/// Where the files are, and what is known of them.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    pub root: &'a Path,
    pub seen: &'a Seen,
    /// For the texts that are left for later.
    pub torn: &'a Torn,
}

impl Reader<'_> {
    /// Each file, in the order of `files`; all their texts together have `max_total` bytes at most.
    pub(super) fn read_all(self, files: &[Found], max_total: u64) -> Vec<Taken> {
        let fits = within_total(files, max_total);
        files
            .par_iter()
            .zip(fits)
            .map_init(Vec::new, |buffer, (file, fits)| match fits {
                true => self.known(file).unwrap_or_else(|| self.read(file, buffer)),
                false => Taken { text: Err(Skip::OverTotal), seen: None },
            })
            .collect()
    }

    fn known(self, file: &Found) -> Option<Taken> {
        let seen = self.seen.still(&file.path, file.kind, &file.stamp)?;
        let text = match &seen.content {
            Content::Text { digest, marks } => {
                let text = Text::on_disk(self.root.join(&file.path), *digest, Torn::clone(self.torn));
                Ok((text, marks.clone()))
            }
            Content::Skipped(skip) => Err(skip.clone()),
        };
        Some(Taken { text, seen: Some(seen.clone()) })
    }

    /// Reads into `buffer`, which is used again for the next file.
    fn read(self, file: &Found, buffer: &mut Vec<u8>) -> Taken {
        let now = stamp::now();
        let text = read(self.root, file, buffer).map(|text| (Text::read(text), Marks::of(file.kind, text)));
        let content = match &text {
            Ok((text, marks)) => Some(Content::Text { digest: text.digest(), marks: marks.clone() }),
            Err(Skip::Unreadable(_)) => None,
            Err(skip) => Some(Content::Skipped(skip.clone())),
        };
        let (kind, stamp) = (file.kind, file.stamp);
        Taken { text, seen: content.map(|content| SeenFile { kind, stamp, read: now, content }) }
    }
}

/// Which files fit into the total: Rust and manifests before the rest, then in the order of the paths.
fn within_total(files: &[Found], max_total: u64) -> Vec<bool> {
    use crate::model::FileKind::{Manifest, Rust};
    let mut fits = vec![false; files.len()];
    let mut left = max_total;
    for code in [true, false] {
        for (fits, file) in fits.iter_mut().zip(files) {
            if matches!(file.kind, Rust | Manifest) == code && file.stamp.bytes <= left {
                left -= file.stamp.bytes.min(MAX_FILE_BYTES);
                *fits = true;
            }
        }
    }
    fits
}

fn read<'b>(root: &Path, file: &Found, buffer: &'b mut Vec<u8>) -> Result<&'b str, Skip> {
    if file.stamp.bytes > MAX_FILE_BYTES {
        return Err(Skip::TooLarge);
    }
    let text = read_into(&root.join(&file.path), buffer)?;
    if classify::has_minified_line(file.kind, text) { Err(Skip::Minified) } else { Ok(text) }
}

fn read_into<'b>(path: &Path, buffer: &'b mut Vec<u8>) -> Result<&'b str, Skip> {
    buffer.clear();
    let opened = File::open(path);
    let result = opened.and_then(|opened| opened.take(MAX_FILE_BYTES + 1).read_to_end(buffer));
    result.map_err(|error| Skip::Unreadable(error.kind().to_string()))?;
    text_of(buffer)
}

/// The text of a file that was taken before.
pub(super) fn read_text(path: &Path) -> Result<String, Skip> {
    read_into(path, &mut Vec::new()).map(str::to_owned)
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
    use super::super::stamp::Stamp;
    use super::*;

    fn found(path: &str, bytes: u64) -> Found {
        let stamp = Stamp::sized(bytes);
        Found { path: path.to_owned(), kind: classify::kind_of(path).unwrap(), stamp }
    }

    fn read_all(folder: &Folder, files: &[Found], max_total: u64) -> Vec<Taken> {
        let (root, seen, torn) = (folder.path(), Seen::default(), Torn::default());
        Reader { root: &root, seen: &seen, torn: &torn }.read_all(files, max_total)
    }

    /// What became of each file, in a word.
    fn check(folder: &Folder, files: &[Found], max_total: u64, expected: &[&str]) {
        let shown: Vec<String> = read_all(folder, files, max_total)
            .into_iter()
            .map(|taken| match taken.text {
                Ok((text, _)) => text.to_string(),
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
        assert!(read_all(&folder, &[found("folder.rs", 1)], MAX_TOTAL_BYTES)[0].text.is_err());
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
