//! The files that one commit changed: its tree against its parent's, entry by entry, equal folders skipped.

use std::collections::VecDeque;
use std::ops::ControlFlow;

use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteVec};
use gix::diff::tree::{Error, State, Visit, visit};
use gix::objs::{FindExt, TreeRefIter};
use rustc_hash::FxHashMap;

use super::renames::{Entry, renames};
use super::repository::Opened;

/// The cache of decoded trees of one task (bytes).
const TREE_CACHE_BYTES: usize = 4 << 20;

/// Changed paths of one commit after which the comparison is given up, where the bound of what is listed is lower.
const MAX_COMPARED_PATHS: usize = 5_000;

/// The trees to compare for one commit.
pub(super) struct Job {
    /// Its place in the log.
    pub commit: u32,
    pub tree: ObjectId,
    /// `None`: a first commit, everything in it is new.
    pub parent: Option<ObjectId>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ChangedPaths {
    Listed(Changes),
    /// More than the bound. Great moves are among these: what they renamed is kept.
    TooMany(Changes),
    Unknown,
}

/// Paths are indices into those of the same `Differ`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Changes {
    pub paths: Vec<u32>,
    /// Old and new path of each file that was moved; both are in `paths`.
    pub renames: Vec<(u32, u32)>,
}

/// Compares trees; one for each task, since its handle on the objects is not shared.
pub(super) struct Differ {
    repository: gix::Repository,
    prefix: Vec<String>,
    max_paths: usize,
    state: State,
    buffers: (Vec<u8>, Vec<u8>),
    recorder: Recorder,
}

impl Differ {
    pub(super) fn new(opened: &Opened, max_paths: usize) -> Differ {
        let mut repository = opened.repository.to_thread_local();
        repository.object_cache_size(TREE_CACHE_BYTES);
        Differ {
            repository,
            prefix: opened.prefix.clone(),
            max_paths,
            state: State::default(),
            buffers: Default::default(),
            recorder: Recorder { max_paths: max_paths.max(MAX_COMPARED_PATHS), ..Recorder::default() },
        }
    }

    /// The files below the workspace's root that differ.
    pub(super) fn changed_paths(&mut self, job: &Job) -> ChangedPaths {
        match self.compare(job) {
            Ok(changes) if changes.paths.len() > self.max_paths => ChangedPaths::TooMany(changes),
            Ok(changes) => ChangedPaths::Listed(changes),
            Err(Error::Cancelled) => ChangedPaths::TooMany(Changes::default()),
            Err(Error::Failure(_)) => ChangedPaths::Unknown,
        }
    }

    /// All paths that were listed.
    pub(super) fn into_paths(self) -> Vec<String> {
        self.recorder.paths
    }

    fn compare(&mut self, job: &Job) -> Result<Changes, Error> {
        let old = self.workspace_tree(job.parent)?;
        let new = self.workspace_tree(Some(job.tree))?;
        if old == new {
            return Ok(Changes::default());
        }
        let objects = &self.repository.objects;
        let (old_buffer, new_buffer) = &mut self.buffers;
        let old = load(objects, old, old_buffer)?;
        let new = load(objects, new, new_buffer)?;
        self.recorder.start();
        gix::diff::tree(old, new, &mut self.state, objects, &mut self.recorder)?;
        Ok(self.recorder.take())
    }

    /// The tree of the workspace's root in a commit's tree; `None` where it has none.
    fn workspace_tree(&mut self, tree: Option<ObjectId>) -> Result<Option<ObjectId>, Error> {
        let Some(mut tree) = tree else { return Ok(None) };
        for part in &self.prefix {
            let mut entries =
                self.repository.objects.find_tree_iter(&tree, &mut self.buffers.0)?.filter_map(Result::ok);
            match entries.find(|entry| entry.mode.is_tree() && entry.filename == part.as_str()) {
                Some(entry) => tree = entry.oid.to_owned(),
                None => return Ok(None),
            }
        }
        Ok(Some(tree))
    }
}

fn load<'b>(
    objects: &gix::OdbHandle,
    tree: Option<ObjectId>,
    buffer: &'b mut Vec<u8>,
) -> Result<TreeRefIter<'b>, Error> {
    match tree {
        Some(tree) => Ok(objects.find_tree_iter(&tree, buffer)?),
        None => Ok(TreeRefIter::from_bytes(&[], gix::hash::Kind::Sha1)),
    }
}

/// Collects the changed files of one comparison after the other; folders, links and submodules do not count.
#[derive(Default)]
struct Recorder {
    max_paths: usize,
    ids: FxHashMap<BString, u32>,
    paths: Vec<String>,
    changed: Vec<u32>,
    added: Vec<Entry>,
    removed: Vec<Entry>,
    path: BString,
    /// The folders that are still to be compared, in the order in which the comparison gets to them.
    folders: VecDeque<BString>,
}

impl Recorder {
    /// Makes ready for the next comparison; what a cancelled one left is dropped.
    fn start(&mut self) {
        self.changed.clear();
        self.added.clear();
        self.removed.clear();
        self.folders.clear();
        self.path.clear();
    }

    /// What the comparison found.
    fn take(&mut self) -> Changes {
        let renames = renames(&self.removed, &self.added, &self.paths);
        Changes { paths: std::mem::take(&mut self.changed), renames }
    }

    fn record(&mut self, change: &visit::Change) {
        // A path that is not UTF-8 is in no snapshot.
        let Some(path) = self.intern() else { return };
        let entry = Entry { path, content: change.oid().to_owned() };
        match change {
            visit::Change::Addition { .. } => self.added.push(entry),
            visit::Change::Deletion { .. } => self.removed.push(entry),
            visit::Change::Modification { .. } => {}
        }
        // One name may be told twice: a file that became a folder.
        if self.changed.last() != Some(&path) {
            self.changed.push(path);
        }
    }

    fn intern(&mut self) -> Option<u32> {
        if let Some(id) = self.ids.get(&self.path) {
            return Some(*id);
        }
        let path = std::str::from_utf8(&self.path).ok()?;
        let id = self.paths.len() as u32;
        self.paths.push(path.to_owned());
        self.ids.insert(self.path.clone(), id);
        Some(id)
    }
}

impl Visit for Recorder {
    fn pop_front_tracked_path_and_set_current(&mut self) {
        self.path = self.folders.pop_front().unwrap_or_default();
    }

    fn push_back_tracked_path_component(&mut self, component: &BStr) {
        self.push_path_component(component);
        self.folders.push_back(self.path.clone());
    }

    fn push_path_component(&mut self, component: &BStr) {
        if !self.path.is_empty() {
            self.path.push_byte(b'/');
        }
        self.path.push_str(component);
    }

    fn pop_path_component(&mut self) {
        let end = self.path.iter().rposition(|byte| *byte == b'/').unwrap_or(0);
        self.path.truncate(end);
    }

    fn visit(&mut self, change: visit::Change) -> visit::Action {
        if change.entry_mode().is_blob() {
            self.record(&change);
        }
        if self.changed.len() > self.max_paths { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
