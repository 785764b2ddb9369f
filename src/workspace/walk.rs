//! Which files there are: what git and the user do not ignore, nothing hidden, no links followed.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};

use ignore::{DirEntry, WalkBuilder, WalkState};

use crate::model::FileKind;

use super::classify;
use super::filter::Filter;
use super::rules;
use super::snapshot::WorkspaceError;
use super::stamp::Stamp;

/// The project's own ignore file.
const OWN_IGNORE_FILE: &str = ".dossierignore";

/// Files and folders after which a walk is given up: somebody's whole home, not a workspace. A minute at worst.
pub(super) const MAX_ENTRIES: usize = 1_000_000;

/// Folders that tools fill, skipped even where nothing ignores them.
const TOOL_FOLDERS: [&str; 2] = ["node_modules", "__pycache__"];

/// What to walk. Patterns are those of `.gitignore`: `src/auth`, `*.rs`, `/docs/**`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WalkOptions {
    /// Where there are any, only files that match one come in; the manifests of their packages come along. Ignored files stay ignored.
    pub include: Vec<String>,
    /// Files that match one stay out, whatever `include` says.
    pub exclude: Vec<String>,
}

impl WalkOptions {
    /// What they let in, as bytes: the same for the same patterns.
    pub fn view(&self) -> Vec<u8> {
        let WalkOptions { include, exclude } = self;
        format!("{include:?} {exclude:?}").into_bytes()
    }
}

/// A file that may be a candidate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    /// Relative to the root.
    pub path: String,
    pub kind: FileKind,
    /// As of the walk; it may change until the file is read.
    pub stamp: Stamp,
}

/// The files in the order of their paths, and what could not be taken.
#[derive(Debug, Default)]
pub(super) struct Walk {
    pub files: Vec<Found>,
    /// Folders that were looked into, the root among them, relative to it.
    pub folders: Vec<String>,
    /// Places that could not be read: path and cause.
    pub unreadable: Vec<(String, String)>,
    /// Paths that are not UTF-8, as far as they can be shown.
    pub not_utf8: Vec<String>,
    /// Links whose target lies outside the root.
    pub outside: Vec<String>,
    /// Whether the walk was given up after `MAX_ENTRIES`.
    pub endless: bool,
}

enum Event {
    File(Found),
    Folder(String),
    Unreadable(String, String),
    NotUtf8(String),
    Outside(String),
}

/// Walks `root`, which is canonical.
pub(super) fn walk(root: &Path, options: &WalkOptions) -> Result<Walk, WorkspaceError> {
    let filter = Arc::new(Filter::new(options)?);
    let seen = AtomicUsize::new(0);
    let (sender, events) = mpsc::channel();
    builder(root, Arc::clone(&filter), sender.clone()).build_parallel().run(|| {
        let (sender, seen) = (sender.clone(), &seen);
        Box::new(move |entry| {
            if let Some(event) = event(root, entry) {
                let _receiver_lives_as_long_as_the_walk = sender.send(event);
            }
            let over = seen.fetch_add(1, Ordering::Relaxed) >= MAX_ENTRIES;
            if over { WalkState::Quit } else { WalkState::Continue }
        })
    });
    drop(sender);
    let mut walk = collect(events);
    walk.files = filter.apply(std::mem::take(&mut walk.files));
    walk.endless = seen.into_inner() > MAX_ENTRIES;
    Ok(walk)
}

fn collect(events: mpsc::Receiver<Event>) -> Walk {
    let mut walk = Walk::default();
    for event in events {
        match event {
            Event::File(found) => walk.files.push(found),
            Event::Folder(path) => walk.folders.push(path),
            Event::Unreadable(path, cause) => walk.unreadable.push((path, cause)),
            Event::NotUtf8(path) => walk.not_utf8.push(path),
            Event::Outside(path) => walk.outside.push(path),
        }
    }
    walk.files.sort_by(|a, b| a.path.cmp(&b.path));
    walk.unreadable.sort();
    walk.not_utf8.sort();
    walk.outside.sort();
    walk
}

/// Outside a git work tree `.gitignore` still counts, but only the workspace's own: a stray one in the home folder must
/// not empty it.
fn builder(root: &Path, filter: Arc<Filter>, sender: mpsc::Sender<Event>) -> WalkBuilder {
    let in_git = root.ancestors().any(|folder| folder.join(".git").exists());
    let base = root.to_owned();
    let mut builder = WalkBuilder::new(root);
    builder.follow_links(false).require_git(in_git).parents(in_git);
    read_own_rules(root, &mut builder, &sender);
    builder.filter_entry(move |entry| {
        !is_tool_folder(entry)
            && !filter.prunes(&base, entry)
            && (entry.depth() == 0 || has_plain_rules(&base, entry, &sender))
    });
    builder
}

/// The crate `ignore` reads a file of rules whatever it is, and through links: one that leads to an endless device would
/// never end. So the root's own are looked at first, and those that are no plain files are not read at all.
fn read_own_rules(root: &Path, builder: &mut WalkBuilder, sender: &mpsc::Sender<Event>) {
    let reads = |name: &str| {
        let plain = rules::are_plain(root, &root.join(name));
        if !plain {
            let _receiver_lives_as_long_as_the_walk =
                sender.send(Event::Unreadable(name.to_owned(), rules::NOT_PLAIN.to_owned()));
        }
        plain
    };
    builder.git_ignore(reads(".gitignore")).ignore(reads(".ignore")).git_exclude(reads(".git/info/exclude"));
    if reads(OWN_IGNORE_FILE) {
        builder.add_custom_ignore_filename(OWN_IGNORE_FILE);
    }
}

/// Whether a folder below the root may be entered: its rules would be read on the way.
fn has_plain_rules(root: &Path, entry: &DirEntry, sender: &mpsc::Sender<Event>) -> bool {
    if !entry.file_type().is_some_and(|kind| kind.is_dir()) {
        return true;
    }
    let odd = [".gitignore", ".ignore", OWN_IGNORE_FILE, ".git/info/exclude"]
        .into_iter()
        .map(|name| entry.path().join(name))
        .find(|path| !rules::are_plain(root, path));
    if let Some(path) = &odd {
        let shown = path.strip_prefix(root).unwrap_or(path).to_string_lossy().into_owned();
        let cause = format!("{}: its folder is left out", rules::NOT_PLAIN);
        let _receiver_lives_as_long_as_the_walk = sender.send(Event::Unreadable(shown, cause));
    }
    odd.is_none()
}

/// Cargo's `target` is known by the tag that it writes.
fn is_tool_folder(entry: &DirEntry) -> bool {
    if entry.depth() == 0 || !entry.file_type().is_some_and(|kind| kind.is_dir()) {
        return false;
    }
    let name = entry.file_name();
    TOOL_FOLDERS.iter().any(|folder| name == *folder)
        || name == "target" && entry.path().join("CACHEDIR.TAG").exists()
}

fn event(root: &Path, entry: Result<DirEntry, ignore::Error>) -> Option<Event> {
    let entry = match entry {
        Ok(entry) => entry,
        Err(error) => return unreadable(root, &error),
    };
    let kind = entry.file_type()?;
    let Some(path) = relative(root, entry.path()) else {
        if kind.is_dir() {
            // What lies in it is told.
            return None;
        }
        return Some(Event::NotUtf8(entry.path().strip_prefix(root).ok()?.to_string_lossy().into_owned()));
    };
    if kind.is_dir() {
        return Some(Event::Folder(path));
    }
    if kind.is_symlink() {
        return leaves(root, entry.path()).then_some(Event::Outside(path));
    }
    if !kind.is_file() {
        return None;
    }
    let kind = classify::kind_of(&path)?;
    match entry.metadata() {
        Ok(metadata) => {
            let stamp = Stamp::of(&metadata);
            (!classify::is_data(&path, kind, stamp.bytes)).then_some(Event::File(Found { path, kind, stamp }))
        }
        Err(error) => Some(Event::Unreadable(path, cause(&error))),
    }
}

/// `None` for what is no trouble of the tree: a pattern in an ignore file that makes no sense.
fn unreadable(root: &Path, error: &ignore::Error) -> Option<Event> {
    let path = path_of(error)?;
    let shown = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
    error.io_error().map(|_| Event::Unreadable(shown, cause(error)))
}

fn path_of(error: &ignore::Error) -> Option<PathBuf> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path.clone()),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => path_of(err),
        _ => None,
    }
}

fn cause(error: &ignore::Error) -> String {
    error.io_error().map_or_else(|| error.to_string(), |io| io.kind().to_string())
}

/// With `/` between the parts; `None` where a part is not UTF-8.
pub(super) fn relative(root: &Path, path: &Path) -> Option<String> {
    let relative = path.strip_prefix(root).ok()?.to_str()?;
    Some(if std::path::MAIN_SEPARATOR == '/' {
        relative.to_owned()
    } else {
        relative.replace(std::path::MAIN_SEPARATOR, "/")
    })
}

fn leaves(root: &Path, link: &Path) -> bool {
    link.canonicalize().is_ok_and(|target| !target.starts_with(root))
}
