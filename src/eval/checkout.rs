//! A repository at a snapshot, in a folder of its own, with nothing in it that shows what came later.
//!
//! A checkout borrows the objects of the repository and has no reference but a detached HEAD, so that its history is what stood
//! before the snapshot. Snapshots that will be wanted again are kept, one folder each. Those of the user's own history, one for
//! each commit, would be as many copies of the whole tree: there a checkout for each job moves from one to the next, which
//! writes only what differs between them.

use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::EvalError;
use super::git::{borrow, git};
use crate::workspace::history::origin;

/// Says that a checkout is whole.
const COMPLETE: &str = "dossier-complete";
/// Moving checkouts of one repository at the same time, of all runs.
const MOST_MOVING: usize = 1000;

/// What becomes of a checkout when its tasks are done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// It stays for the next run.
    Snapshots,
    /// It moves on, and is removed at the end.
    Nothing,
}

/// The git directory of `owner/name` below `folder`: `owner+name`, `owner/name` or `name`, bare, with `.git`, or in a
/// folder `repo` inside; or `folder` is a repository itself.
pub(super) fn find_repository(folder: &Path, repo: &str) -> Option<PathBuf> {
    let name = repo.rsplit('/').next().unwrap_or(repo);
    let places = [repo.replace('/', "+"), repo.to_string(), repo.replace('/', "__"), name.to_string()];
    let forms = ["", ".git", "repo", "repo.git"];
    let below = places
        .iter()
        .flat_map(|place| forms.iter().map(move |form| folder.join(place).join(form)))
        .chain(places.iter().map(|place| folder.join(format!("{place}.git"))))
        .find(|path| path.join("objects").is_dir() && path.join("HEAD").is_file());
    below.or_else(|| origin(folder).filter(|origin| origin.folder.is_empty()).map(|origin| origin.git))
}

/// Gives out checkouts.
pub(super) struct Checkouts<'a> {
    repos: &'a Path,
    work: &'a Path,
    keep: Keep,
    /// One is made at a time.
    making: Mutex<()>,
    idle: Mutex<Vec<Moving>>,
}

/// A folder at a snapshot.
pub(super) enum Checkout {
    Kept(PathBuf),
    Moving(Moving),
}

/// A checkout that goes from one snapshot to the next; removed when dropped. The lock keeps other runs out.
pub(super) struct Moving {
    repo: String,
    folder: PathBuf,
    _lock: File,
}

impl Checkout {
    pub fn root(&self) -> &Path {
        match self {
            Checkout::Kept(folder) => folder,
            Checkout::Moving(moving) => &moving.folder,
        }
    }
}

impl Drop for Moving {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

impl<'a> Checkouts<'a> {
    pub fn new(repos: &'a Path, work: &'a Path, keep: Keep) -> Checkouts<'a> {
        Checkouts { repos, work, keep, making: Mutex::default(), idle: Mutex::default() }
    }

    /// A checkout of `repo` at `snapshot`, for the caller alone until it is given back.
    pub fn take(&self, repo: &str, snapshot: &str) -> Result<Checkout, EvalError> {
        let missing =
            || EvalError::Repository { repo: repo.into(), folder: self.repos.display().to_string() };
        let repository = find_repository(self.repos, repo).ok_or_else(missing)?;
        let own = self.work.join(repo.replace('/', "+"));
        let made = match self.keep {
            Keep::Snapshots => self.kept(&repository, snapshot, &own.join(snapshot)).map(Checkout::Kept),
            Keep::Nothing => self.moved(&repository, repo, snapshot, &own).map(Checkout::Moving),
        };
        made.map_err(|what| EvalError::Checkout { repo: repo.into(), snapshot: snapshot.into(), what })
    }

    pub fn give_back(&self, checkout: Checkout) {
        if let Checkout::Moving(moving) = checkout {
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(moving);
        }
    }

    fn kept(&self, repository: &Path, snapshot: &str, target: &Path) -> Result<PathBuf, String> {
        let _one = self.making.lock().unwrap_or_else(PoisonError::into_inner);
        let complete = target.join(".git").join(COMPLETE);
        if complete.is_file() {
            return Ok(target.to_owned());
        }
        clear(target)?;
        let made = borrow(repository, target)
            .and_then(|()| move_to(target, snapshot))
            .and_then(|()| std::fs::write(complete, "").map_err(|error| error.to_string()));
        if made.is_err() {
            // Half a checkout is of no use, and the next run makes it anew.
            let _ = std::fs::remove_dir_all(target);
        }
        made.map(|()| target.to_owned())
    }

    fn moved(&self, repository: &Path, repo: &str, snapshot: &str, own: &Path) -> Result<Moving, String> {
        let idle = {
            let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
            let place = idle.iter().position(|moving| moving.repo == repo);
            place.map(|place| idle.swap_remove(place))
        };
        let moving = match idle {
            Some(moving) => moving,
            None => {
                let _one = self.making.lock().unwrap_or_else(PoisonError::into_inner);
                let moving = claim(own, repo)?;
                borrow(repository, &moving.folder)?;
                moving
            }
        };
        move_to(&moving.folder, snapshot)?;
        Ok(moving)
    }
}

/// A folder that no other run uses. What a run left there that was killed is removed.
fn claim(own: &Path, repo: &str) -> Result<Moving, String> {
    let text = |error: std::io::Error| error.to_string();
    std::fs::create_dir_all(own).map_err(text)?;
    for number in 0..MOST_MOVING {
        let folder = own.join(format!("moving-{number}"));
        let lock = folder.with_extension("lock");
        let lock = OpenOptions::new().create(true).truncate(false).write(true).open(lock).map_err(text)?;
        if lock.try_lock().is_ok() {
            clear(&folder)?;
            return Ok(Moving { repo: repo.to_owned(), folder, _lock: lock });
        }
    }
    Err(format!("{} is full: remove the folders `moving-…` in it", own.display()))
}

fn clear(folder: &Path) -> Result<(), String> {
    match folder.exists() {
        true => std::fs::remove_dir_all(folder).map_err(|error| error.to_string()),
        false => Ok(()),
    }
}

/// Where git lacks the content of a file it leaves the file out, unless it is to force the rest: that comes second.
fn move_to(folder: &Path, snapshot: &str) -> Result<(), String> {
    let checkout =
        |how: &[&str]| git(folder, &[&["checkout", "--quiet"], how, &["--detach", snapshot]].concat(), &[]);
    checkout(&[]).or_else(|_| checkout(&["--force"])).map(drop).map_err(|error| {
        format!(
            "{error}; fetch the commit into the repository, if it is not there; a history that was rewritten \
             since has lost it"
        )
    })
}
