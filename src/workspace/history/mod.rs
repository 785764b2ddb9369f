//! Which past commit changed which files, with what message: from git's objects alone.
//!
//! Git's own command is not used: it obeys the repository's configuration, which can run programs. Nothing here fails: what
//! cannot be read leaves the history shorter, with a note.

mod assemble;
mod changes;
mod known;
mod log;
mod origin;
mod renames;
mod repository;

use std::path::Path;
use std::sync::Mutex;

use crate::model::{Deadline, Note};

use assemble::{Assembled, Listed, assemble};
use changes::{ChangedPaths, Differ, Job};
pub use known::Commits;
use known::KnownCommits;
use log::End;
pub use origin::{Origin, origin};
use repository::Opened;

/// Commits whose changed paths one task of the pool lists: enough to profit from the cache of trees, few enough to
/// spread over the cores.
const CHUNK: usize = 256;

/// How far back to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HistoryOptions {
    /// Commits, newest first.
    pub max_commits: usize,
    /// A commit that changed more files than this is kept without its paths.
    pub max_paths_per_commit: usize,
}

impl Default for HistoryOptions {
    /// Both far above what says anything about one task: the bounds keep time and memory, not quality.
    fn default() -> HistoryOptions {
        HistoryOptions { max_commits: 20_000, max_paths_per_commit: 200 }
    }
}

/// The commits behind HEAD.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct History {
    pub state: HistoryState,
    /// By commit time, newest first.
    pub commits: Vec<Commit>,
    /// The paths that `Commit::paths` index: relative to the workspace's root, with `/` between the parts; each once. Many are gone from today's tree.
    pub paths: Vec<String>,
    pub notes: Vec<Note>,
}

/// How much of the history is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HistoryState {
    /// All of it.
    Complete,
    /// The newest `max_commits`.
    Limited,
    /// A shallow clone: what was cloned.
    Shallow,
    /// The time was over, or objects are damaged or missing: a part.
    Partial,
    /// No commit yet.
    Unborn,
    /// A repository that cannot be read.
    Unreadable,
    /// No git repository.
    #[default]
    Absent,
}

/// One commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// In hexadecimal digits.
    pub id: String,
    /// When its author wrote it, in seconds since 1970 (UTC).
    pub time: i64,
    /// Cut after 8 KiB.
    pub message: String,
    /// Number of parents: 0 for a first commit, 2 and more for a merge.
    pub parents: u32,
    /// Files that it added, changed or removed against its parent, as indices into `History::paths`; sorted. A file that was
    /// renamed later stands here under its newest name, where the rename can be told (see `renames`).
    pub paths: Box<[u32]>,
    pub listing: Listing,
}

/// Whether `Commit::paths` says anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listing {
    Listed,
    /// A merge: its changes belong to the commits that it joins.
    Merge,
    /// More than `max_paths_per_commit`.
    TooMany,
    /// The objects to compare are not there: the edge of a shallow clone, a damaged or partial one.
    Unknown,
}

impl History {
    /// Reads the history of the repository that `root` lies in. Ends early, with what it has, when the deadline is over.
    pub fn read(root: &Path, options: &HistoryOptions, deadline: &Deadline) -> History {
        History::read_knowing(root, options, Vec::new(), deadline).0
    }

    /// The same, where some commits are known from before; and what is known now besides.
    pub fn read_knowing(
        root: &Path,
        options: &HistoryOptions,
        known: Vec<Commits>,
        deadline: &Deadline,
    ) -> (History, Commits) {
        let opened = match repository::open(root) {
            Ok(opened) => opened,
            Err(empty) => {
                let history = History { state: empty.state, notes: vec![empty.note], ..History::default() };
                return (history, Commits::default());
            }
        };
        let max_paths = options.max_paths_per_commit;
        let known = known.into_iter().filter(|commits| commits.holds(&opened.prefix, max_paths)).collect();
        let mut known = KnownCommits::new(known);
        let lists = Mutex::new(Vec::new());
        let mut log = rayon::scope(|scope| {
            let (opened, lists, known) = (&opened, &lists, &mut known);
            log::read(opened, known, options.max_commits, deadline, |jobs: Vec<Job>| {
                scope.spawn(move |_| {
                    let listed = list(opened, jobs, options, deadline);
                    if let Ok(mut lists) = lists.lock() {
                        lists.push(listed);
                    }
                });
            })
        });
        let mut lists = lists.into_inner().unwrap_or_default();
        let mut new = Commits::new(&opened.prefix, max_paths);
        new.put_down(std::mem::take(&mut log.read), &lists);
        lists.extend(known_lists(known.paths, std::mem::take(&mut log.known)));
        let Assembled { commits, paths, end } = assemble(log, &lists);
        let notes = note(end, commits.len()).into_iter().collect();
        (History { state: state(end), commits, paths, notes }, new)
    }

    /// Whether it is all that there is behind the commit `head`, which HEAD is at.
    pub fn is_at(&self, head: Option<&str>) -> bool {
        let is_whole = matches!(self.state, HistoryState::Complete | HistoryState::Limited);
        is_whole && self.commits.first().map(|commit| commit.id.as_str()) == head
    }

    /// The paths that a commit changed.
    pub fn paths_of<'h>(&'h self, commit: &'h Commit) -> impl Iterator<Item = &'h str> {
        commit.paths.iter().filter_map(|path| self.paths.get(*path as usize).map(String::as_str))
    }
}

/// The commit that HEAD of the repository around `root` is at, in hexadecimal digits; `None` where there is none.
pub fn head(root: &Path) -> Option<String> {
    repository::open(root).ok().map(|opened| opened.head.to_string())
}

/// What known commits changed, as if it had been listed now.
fn known_lists(paths: Vec<Vec<String>>, known: Vec<(usize, u32, ChangedPaths)>) -> Vec<Listed> {
    let mut lists: Vec<Listed> =
        paths.into_iter().map(|paths| Listed { paths, commits: Vec::new() }).collect();
    for (list, commit, changed) in known {
        lists.get_mut(list).into_iter().for_each(|list| list.commits.push((commit, changed.clone())));
    }
    lists
}

fn list(opened: &Opened, jobs: Vec<Job>, options: &HistoryOptions, deadline: &Deadline) -> Listed {
    let mut differ = Differ::new(opened, options.max_paths_per_commit);
    let mut commits = Vec::with_capacity(jobs.len());
    for job in jobs {
        if deadline.is_over() {
            break;
        }
        let index = job.commit;
        commits.push((index, differ.changed_paths(&job)));
    }
    Listed { paths: differ.into_paths(), commits }
}

fn state(end: End) -> HistoryState {
    match end {
        End::Root => HistoryState::Complete,
        End::Limit => HistoryState::Limited,
        End::Shallow => HistoryState::Shallow,
        End::Deadline | End::Damaged => HistoryState::Partial,
    }
}

fn note(end: End, commits: usize) -> Option<Note> {
    match end {
        End::Root | End::Limit => None,
        End::Shallow => Some(Note::info(format!(
            "a shallow clone: its history ends after {commits} commits; `git fetch --unshallow` brings the rest"
        ))),
        End::Deadline => {
            Some(Note::info(format!("the time was over after {commits} commits of the history")))
        }
        End::Damaged => Some(Note::warning(format!(
            "git objects are missing or damaged: {commits} commits of the history were read; `git fsck` says more"
        ))),
    }
}

#[cfg(test)]
mod tests;
