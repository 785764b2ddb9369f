//! What is not in the snapshot, told in one note a cause: a count and the first few names.

use crate::model::Note;

use super::path;
use super::read::Skip;
use super::walk::{MAX_ENTRIES, Walk};

/// How many names a note lists before it only counts.
pub(super) const NAMES_IN_NOTE: usize = 3;

/// Paths by cause.
#[derive(Default)]
pub(super) struct Skipped {
    too_large: Vec<String>,
    binary: Vec<String>,
    not_utf8: Vec<String>,
    over_total: Vec<String>,
    unreadable: Vec<String>,
    paths_not_utf8: Vec<String>,
    outside: Vec<String>,
    /// The walk was given up.
    endless: bool,
}

impl Skipped {
    /// What the walk could not take; its files are still to be read.
    pub(super) fn from_walk(walk: Walk) -> Skipped {
        Skipped {
            unreadable: walk
                .unreadable
                .into_iter()
                .map(|(path, cause)| format!("{path} ({cause})"))
                .collect(),
            paths_not_utf8: walk.not_utf8,
            outside: walk.outside,
            endless: walk.endless,
            ..Skipped::default()
        }
    }

    /// A file whose text was not taken. A manifest is missed more than another file: that is always trouble.
    pub(super) fn add(&mut self, path: String, skip: Skip) {
        let is_manifest = path::name(&path) == "Cargo.toml";
        match skip {
            Skip::TooLarge if is_manifest => self.unreadable.push(format!("{path} (larger than 1 MB)")),
            Skip::Binary if is_manifest => self.unreadable.push(format!("{path} (binary)")),
            Skip::NotUtf8 if is_manifest => self.unreadable.push(format!("{path} (not UTF-8)")),
            Skip::TooLarge => self.too_large.push(path),
            Skip::Binary => self.binary.push(path),
            Skip::NotUtf8 => self.not_utf8.push(path),
            Skip::OverTotal => self.over_total.push(path),
            Skip::Unreadable(cause) => self.unreadable.push(format!("{path} ({cause})")),
            Skip::Minified => {}
        }
    }

    /// Warnings first.
    pub(super) fn notes(self) -> Vec<Note> {
        let endless = self.endless.then(|| {
            format!("more than {MAX_ENTRIES} files and folders: the rest was not seen; name a smaller folder")
        });
        let warnings = [
            endless,
            listed("cannot be read", &self.unreadable),
            listed("left out, the workspace is too large", &self.over_total),
        ];
        let infos = [
            listed("left out, larger than 1 MB", &self.too_large),
            listed("left out, binary", &self.binary),
            listed("left out, not UTF-8", &self.not_utf8),
            listed("left out, the path is not UTF-8", &self.paths_not_utf8),
            listed("not followed, the link leaves the workspace", &self.outside),
        ];
        let warnings = warnings.into_iter().flatten().map(Note::warning);
        warnings.chain(infos.into_iter().flatten().map(Note::info)).collect()
    }
}

/// `3 paths left out, binary: a, b, c`; `None` for none.
fn listed(what: &str, paths: &[String]) -> Option<String> {
    let more = if paths.len() > NAMES_IN_NOTE { ", …" } else { "" };
    let named = paths.iter().take(NAMES_IN_NOTE).map(String::as_str).collect::<Vec<_>>().join(", ");
    let count = paths.len();
    let noun = if count == 1 { "path" } else { "paths" };
    (count > 0).then(|| format!("{count} {noun} {what}: {named}{more}"))
}
