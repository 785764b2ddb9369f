//! Tasks from the user's own repository: its last commits, each with its message as the question.
//!
//! The snapshot of each task is the parent of its commit: the very state in which somebody had that task before them, with the
//! line numbers of its own diff, and with a history that ends there. One snapshot before all of the commits would need one
//! reading instead of many, but most files would have other lines by then, some would not be there yet, and a message would
//! speak of code that the tree does not have: the measures would say more of the distance than of the retrieval.

mod message;
mod patch;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use self::patch::{Change, Patch};
use super::git::{borrow, git};
use super::task::is_folder_name;
use super::{EvalError, Task};
use crate::model::{Deadline, Note, Role};
use crate::workspace::history::{Commit, History as Log, HistoryOptions, HistoryState, Listing, origin};
use crate::workspace::{Snapshot, WalkOptions};

/// Source files of one task, as in the tasks that the ranking was tuned on: a change of more is about everything.
const MOST_FILES: usize = 10;
/// Changed files of any kind; what is beyond is not looked at closer.
const MOST_PATHS: usize = 60;
/// Files that a commit may move beside what it changes.
const MOST_RENAMES: usize = 3;
/// Commits that are looked at for each task that is wanted. Of four repositories one commit in one to seven served.
const READ_FOR_EACH: usize = 40;
/// At least and at most so many.
const READ: (usize, usize) = (2_000, 50_000);
/// Heads each patch with the ids of its commit and of the parents.
const PARENTS: &str = "--pretty=tformat:%H %P";
/// Commits whose patches are read in one go.
const CHUNK: usize = 32;
/// Digits of a commit's id in the id of its task.
const SHORT: usize = 10;
/// The name of a repository whose folder has none that can be one.
const NAMELESS: &str = "repository";

/// What was made of a repository's history.
#[derive(Debug)]
pub struct History {
    /// The newest commit first.
    pub tasks: Vec<Task>,
    /// The repository's git directory, to be given as `Options::repos`.
    pub git: PathBuf,
    /// How many commits were looked at, and why those were left out that were.
    pub told: String,
    /// What is to be known of the history.
    pub notes: Vec<Note>,
}

/// Makes tasks of the newest commits that serve, `count` at most, of the repository that the workspace at `root` lies in.
/// Reads no more commits than it needs.
///
/// # Errors
/// There is no history, git fails, or no commit serves.
pub fn from_history(root: &Path, count: usize) -> Result<History, EvalError> {
    let fail = |what: String| EvalError::History { folder: root.display().to_string(), what };
    let most = (count.saturating_mul(READ_FOR_EACH)).clamp(READ.0, READ.1);
    let options = HistoryOptions { max_commits: most, ..HistoryOptions::default() };
    let log = Log::read(root, &options, &Deadline::never());
    let notes = || log.notes.iter().map(|note| note.text.as_str()).collect::<Vec<_>>().join("; ");
    let Some(origin) = origin(root).filter(|_| !log.commits.is_empty()) else { return Err(fail(notes())) };
    let scratch = tempfile::tempdir().map_err(|error| fail(error.to_string()))?;
    borrow(&origin.git, scratch.path()).map_err(fail)?;
    let mut maker = Maker {
        repo: if is_folder_name(&origin.name) { origin.name } else { NAMELESS.to_owned() },
        folder: origin.folder,
        today: Snapshot::read(root, &WalkOptions::default()).unwrap_or_default(),
        count,
        tasks: Vec::new(),
        left_out: BTreeMap::new(),
        trouble: None,
    };
    let mut looked_at = 0;
    for chunk in log.commits.chunks(CHUNK) {
        if maker.tasks.len() >= count {
            break;
        }
        looked_at += maker.take(chunk, scratch.path());
    }
    let told = maker.told(looked_at, looked_at == log.commits.len() && log.state == HistoryState::Complete);
    match maker.tasks.is_empty() {
        true => Err(fail(told)),
        false => Ok(History { tasks: maker.tasks, git: origin.git, told, notes: log.notes }),
    }
}

struct Maker {
    repo: String,
    folder: String,
    /// The workspace as it is now: what its files are used for.
    today: Snapshot,
    count: usize,
    tasks: Vec<Task>,
    left_out: BTreeMap<&'static str, usize>,
    /// What git said of the first commit that it could not compare.
    trouble: Option<String>,
}

const MERGE: &str = "are merges";
const WITHOUT_PARENT: &str = "have no parent here to be compared with";
const NO_SOURCE: &str = "change no Rust source that was there before";
const TOO_MANY: &str = "change too many files";
const INCOMPLETE: &str = "cannot be compared with their parents (a partial clone?)";
const MOVES: &str = "move files";
const FORMATTING: &str = "change only the formatting";
const SAYS_LITTLE: &str = "have a message that says too little";

impl Maker {
    /// Makes tasks of those commits that serve, in order, until there are enough; how many commits were looked at.
    fn take(&mut self, commits: &[Commit], scratch: &Path) -> usize {
        let likely: Vec<&str> =
            commits.iter().filter(|commit| unlikely(commit).is_none()).map(|commit| &*commit.id).collect();
        let mut patches = self.patches(&likely, scratch);
        for (index, commit) in commits.iter().enumerate() {
            if self.tasks.len() >= self.count {
                return index;
            }
            let made = match unlikely(commit) {
                Some(why) => Err(why),
                None => patches
                    .remove(&commit.id)
                    .unwrap_or(Ok(Patch::default()))
                    .and_then(|patch| self.task(commit, patch)),
            };
            match made {
                Ok(task) => self.tasks.push(task),
                Err(why) => *self.left_out.entry(why).or_default() += 1,
            }
        }
        commits.len()
    }

    /// The patches of commits, by their ids. A commit whose files are not here does not cost the others.
    fn patches(&mut self, ids: &[&str], scratch: &Path) -> BTreeMap<String, Result<Patch, &'static str>> {
        let sound = |patches: BTreeMap<String, Patch>| patches.into_iter().map(|(id, patch)| (id, Ok(patch)));
        if let Ok(patches) = self.printed(ids, scratch) {
            return sound(patches).collect();
        }
        let mut patches = BTreeMap::new();
        for id in ids {
            match self.printed(&[id], scratch) {
                Ok(alone) => patches.extend(sound(alone)),
                Err(error) => {
                    self.trouble.get_or_insert(error);
                    patches.insert((*id).to_owned(), Err(INCOMPLETE));
                }
            }
        }
        patches
    }

    fn printed(&self, ids: &[&str], scratch: &Path) -> Result<BTreeMap<String, Patch>, String> {
        let relative = format!("--relative={}/", self.folder);
        let mut arguments = vec!["diff-tree", "--stdin", "-r", "-p", "-M", "-U0", PARENTS];
        arguments.extend([
            "--no-ext-diff",
            "--no-textconv",
            "--no-color",
            "--src-prefix=a/",
            "--dst-prefix=b/",
        ]);
        if !self.folder.is_empty() {
            arguments.push(&relative);
        }
        let printed = git(scratch, &arguments, (ids.join("\n") + "\n").as_bytes())?;
        Ok(patch::read(&String::from_utf8_lossy(&printed)))
    }

    fn task(&self, commit: &Commit, patch: Patch) -> Result<Task, &'static str> {
        if patch.changes.iter().filter(|change| change.is_renamed).count() > MOST_RENAMES {
            return Err(MOVES);
        }
        let existing = || patch.changes.iter().filter(|change| change.old.is_some());
        let of_role = |is_role: fn(Role) -> bool| -> Vec<&Change> {
            let has_role = |path: &str| is_rust(path) && is_role(self.role(path));
            existing().filter(|change| change.old.as_deref().is_some_and(has_role)).collect()
        };
        let sources = of_role(|role| matches!(role, Role::Source | Role::BuildScript));
        if sources.len() > MOST_FILES {
            return Err(TOO_MANY);
        }
        let modified = |changes: &[&Change]| -> Vec<String> {
            let stays = changes.iter().filter(|change| change.new.is_some() && !change.lines.is_empty());
            stays.filter_map(|change| change.old.clone()).collect()
        };
        let gold = modified(&sources);
        if gold.is_empty() {
            return Err(NO_SOURCE);
        }
        if patch.is_formatting() || message::is_about_formatting(&commit.message) {
            return Err(FORMATTING);
        }
        let query = message::query(&commit.message, &patch.names()).ok_or(SAYS_LITTLE)?;
        let regions = sources.iter().filter_map(|change| Some((change.old.clone()?, change.lines.clone())));
        Ok(Task {
            id: format!("{}@{}", self.repo, commit.id.get(..SHORT).unwrap_or(&commit.id)),
            repo: self.repo.clone(),
            snapshot: patch.parent,
            folder: self.folder.clone(),
            query,
            regions: regions.filter(|(path, _)| gold.contains(path)).collect(),
            modified: gold,
            tests: modified(&of_role(|role| role == Role::Test)),
            used: Vec::new(),
            checking: false,
        })
    }

    /// What a file is used for: as today's workspace says, or by the folder of one that is gone.
    fn role(&self, path: &str) -> Role {
        if let Some(file) = self.today.find(path) {
            return self.today.file(file).role;
        }
        let of_part = |part: &str| match part.trim_end_matches(".rs") {
            "tests" | "test" => Some(Role::Test),
            "benches" => Some(Role::Bench),
            "examples" => Some(Role::Example),
            "vendor" | "third_party" => Some(Role::Vendored),
            _ => None,
        };
        path.split('/').find_map(of_part).unwrap_or(Role::Source)
    }

    fn told(&self, looked_at: usize, all: bool) -> String {
        let made = self.tasks.len();
        let commits =
            if all { format!("all {looked_at} commits") } else { format!("the newest {looked_at} commits") };
        let mut told = match made >= self.count {
            true => format!("{made} tasks of {commits}"),
            false => format!("{made} tasks instead of {} of {commits}", self.count),
        };
        for (n, (why, count)) in self.left_out.iter().enumerate() {
            told.push_str(if n == 0 { "; left out: " } else { ", " });
            told.push_str(&format!("{count} {why}"));
        }
        if let Some(trouble) = &self.trouble {
            told.push_str(&format!("; git: {trouble}"));
        }
        told
    }
}

/// What the log alone says against a commit.
fn unlikely(commit: &Commit) -> Option<&'static str> {
    match (commit.listing, commit.parents) {
        (Listing::Merge, _) => Some(MERGE),
        (Listing::Unknown, _) | (_, 0) => Some(WITHOUT_PARENT),
        (Listing::TooMany, _) => Some(TOO_MANY),
        (Listing::Listed, _) if commit.paths.is_empty() => Some(NO_SOURCE),
        (Listing::Listed, _) if commit.paths.len() > MOST_PATHS => Some(TOO_MANY),
        (Listing::Listed, _) => None,
    }
}

fn is_rust(path: &str) -> bool {
    path.ends_with(".rs")
}
