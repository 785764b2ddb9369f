//! Files that a task names: `src/a.rs:10:5`, `--> src/a.rs:10:5`, `a.rs`, `src\a.rs`, a link to a line on GitHub.

use super::chunks::Chunk;
use super::sections::Origin;
use super::{PackagedPlace, QuotedPlace};

/// Endings of files that a workspace may hold and that this tool shows.
const EXTENSIONS: [&str; 23] = [
    "rs", "toml", "md", "sql", "proto", "json", "yaml", "yml", "html", "j2", "txt", "lalrpop", "pest",
    "graphql", "hbs", "tera", "css", "js", "ts", "sh", "ron", "snap", "ini",
];
/// Names that nearly every crate has: alone they say nothing, except in the first line or with a line number.
const EVERY_CRATES: [&str; 10] = [
    "main.rs",
    "lib.rs",
    "mod.rs",
    "build.rs",
    "Cargo.toml",
    "src/main.rs",
    "src/lib.rs",
    "src/mod.rs",
    "README.md",
    "CHANGELOG.md",
];
/// Parts of paths that lie outside every workspace: toolchain, system, and the standard library as it was laid out before
/// 2020.
const FOREIGN: [&str; 9] = [
    "/rustc/",
    ".rustup/",
    "library/std/",
    "library/core/",
    "library/alloc/",
    "/usr/",
    "libstd/",
    "libcore/",
    "liballoc/",
];
/// What a folder begins with to be taken for one without back-ticks.
const FOLDERS: [&str; 7] = ["src/", "crates/", "tests/", "examples/", "benches/", "docs/", "./"];
/// Places kept of one task.
const MOST_PLACES: usize = 30;

#[derive(Default)]
pub(super) struct Places {
    found: Vec<(Origin, QuotedPlace)>,
    packaged: Vec<PackagedPlace>,
}

impl Places {
    pub(super) fn take(&mut self, chunk: &Chunk) {
        match read(chunk) {
            Some(Read::Place(place)) => self.found.push((chunk.origin, place)),
            Some(Read::Packaged(place)) => self.packaged.push(place),
            None => {}
        }
    }

    /// Places best first, by origin and then as written, one for each path and line; and those in copies of packages, after
    /// those of a backtrace.
    pub(super) fn finish(mut self, traced: Vec<PackagedPlace>) -> (Vec<QuotedPlace>, Vec<PackagedPlace>) {
        self.found.sort_by_key(|(origin, _)| *origin);
        let places = self.found.into_iter().map(|(_, place)| place);
        (distinct(places), distinct(traced.into_iter().chain(self.packaged)))
    }
}

fn distinct<T: PartialEq>(all: impl Iterator<Item = T>) -> Vec<T> {
    let mut kept: Vec<T> = Vec::new();
    for one in all {
        if kept.len() < MOST_PLACES && !kept.contains(&one) {
            kept.push(one);
        }
    }
    kept
}

/// What a path is to a workspace.
pub(super) enum Read {
    Place(QuotedPlace),
    Packaged(PackagedPlace),
}

/// The path that a chunk names, in the workspace or in a package's copy; one that every crate has as well.
pub(super) fn path(chunk: &Chunk) -> Option<String> {
    match read_all(chunk)? {
        Read::Place(place) => Some(place.path),
        Read::Packaged(place) => Some(place.path),
    }
}

/// The file or folder that a chunk names; `None` for words, for paths outside every workspace, and for names that every
/// crate has.
fn read(chunk: &Chunk) -> Option<Read> {
    let read = read_all(chunk)?;
    let common = |place: &QuotedPlace| {
        let alone = chunk.origin != Origin::Title && place.line.is_none();
        EVERY_CRATES.contains(&place.path.as_str()) && (alone || chunk.origin == Origin::Log)
    };
    match &read {
        Read::Place(place) if common(place) => None,
        _ => Some(read),
    }
}

/// The same with names that every crate has.
fn read_all(chunk: &Chunk) -> Option<Read> {
    let text = chunk.text;
    if !text.contains(['.', '/', '\\']) {
        return None;
    }
    match link_path(text) {
        Some((path, line)) => of_path(path, line, chunk.ticked),
        None if text.contains("://") => None,
        None => {
            let (path, line) = split_line(text);
            of_path(path, line, chunk.ticked)
        }
    }
}

/// The same for text that is a path with a line, as in a backtrace.
pub(super) fn read_path(text: &str) -> Option<Read> {
    let (path, line) = split_line(text);
    of_path(path, line, false)
}

fn of_path(path: &str, line: Option<u32>, ticked: bool) -> Option<Read> {
    let path = path.replace('\\', "/");
    let path = path.strip_prefix("./").unwrap_or(&path).trim_start_matches('@');
    if let Some((package, path)) = packaged(path) {
        return Some(Read::Packaged(PackagedPlace {
            package: package.to_owned(),
            path: path.to_owned(),
            line,
        }));
    }
    let named = is_file(path) || is_folder(path, ticked);
    let foreign = FOREIGN.iter().any(|part| path.contains(part));
    (named && !foreign).then(|| Read::Place(QuotedPlace { path: path.to_owned(), line }))
}

/// Package and path of `…/registry/src/<index>/axum-0.6.2/src/lib.rs`, `…/git/checkouts/aya-0123456789abcdef/0123456/aya/src/lib.rs`.
fn packaged(path: &str) -> Option<(&str, &str)> {
    if let Some((_, rest)) = path.split_once("registry/src/") {
        let (_index, rest) = rest.split_once('/')?;
        let (package, path) = rest.split_once('/')?;
        let version = package.match_indices('-').find(|(at, _)| starts_with_digit(package.get(at + 1..)))?.0;
        return Some((package.get(..version)?, path));
    }
    let (_, rest) = path.split_once("git/checkouts/")?;
    let (checkout, rest) = rest.split_once('/')?;
    let (_revision, path) = rest.split_once('/')?;
    Some((checkout.rsplit_once('-').map_or(checkout, |(name, _)| name), path))
}

fn starts_with_digit(text: Option<&str>) -> bool {
    text.is_some_and(|text| text.starts_with(|c: char| c.is_ascii_digit()))
}

/// Path and line of `https://github.com/owner/name/blob/main/src/round.rs#L221-L223`.
fn link_path(text: &str) -> Option<(&str, Option<u32>)> {
    let (_, rest) = text.split_once("/blob/").filter(|_| text.starts_with("http"))?;
    let (_, path) = rest.split_once('/')?;
    let (path, anchor) = path.split_once('#').unwrap_or((path, ""));
    Some((path, leading_number(anchor.trim_start_matches('L'))))
}

/// `src/a.rs` and 10 of `src/a.rs:10:5`, `src/a.rs#L10`.
fn split_line(text: &str) -> (&str, Option<u32>) {
    for ending in [":", "#L"] {
        // Not the colon of a Windows drive.
        let from = if text.get(1..3) == Some(":\\") || text.get(1..3) == Some(":/") { 2 } else { 0 };
        if let Some(at) = text.get(from..).and_then(|t| t.find(ending)).map(|at| at + from) {
            let (path, rest) = text.split_at(at);
            return (path, leading_number(rest.trim_start_matches([':', '#', 'L'])));
        }
    }
    (text, None)
}

fn leading_number(text: &str) -> Option<u32> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text.get(..end)?.parse().ok()
}

fn is_file(path: &str) -> bool {
    let Some((stem, extension)) = path.rsplit_once('.') else { return false };
    EXTENSIONS.contains(&extension)
        && stem.chars().next_back().is_some_and(|c| c.is_alphanumeric() || "_-".contains(c))
        && path.chars().all(|c| c.is_alphanumeric() || "_-./+@~:".contains(c))
        && !(path.contains("::") || path.contains(".."))
}

fn is_folder(path: &str, ticked: bool) -> bool {
    let named = FOLDERS.iter().any(|folder| path.starts_with(folder));
    let marked = path.ends_with('/') && path.len() > 3 && ticked;
    (named || marked)
        && path
            .trim_end_matches('/')
            .split('/')
            .all(|part| !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || "_-.".contains(c)))
}
