//! Puts what the tasks listed together in the order of the commits, so that nothing depends on which was done first.

use rustc_hash::{FxHashMap, FxHashSet};

use super::changes::{ChangedPaths, Changes};
use super::log::{End, Log};
use super::{Commit, Listing};

/// The changed paths of one chunk of commits, under indices of its own.
pub(super) struct Listed {
    pub paths: Vec<String>,
    /// Each with the commit's place in the log.
    pub commits: Vec<(u32, ChangedPaths)>,
}

pub(super) struct Assembled {
    pub commits: Vec<Commit>,
    pub paths: Vec<String>,
    pub end: End,
}

/// The log with its paths; up to the first commit for which there was no time.
pub(super) fn assemble(log: Log, lists: &[Listed]) -> Assembled {
    let mut changed = by_commit(log.commits.len(), lists).into_iter();
    let mut names = Names::default();
    let mut assembled =
        Assembled { commits: Vec::with_capacity(log.commits.len()), paths: Vec::new(), end: log.end };
    for mut commit in log.commits {
        match changed.next().flatten() {
            Some((paths, ChangedPaths::Listed(changes))) => {
                commit.paths = names.todays(paths, changes);
                commit.listing = Listing::Listed;
            }
            Some((paths, ChangedPaths::TooMany(changes))) => {
                names.todays(paths, &Changes { paths: Vec::new(), renames: changes.renames.clone() });
                commit.listing = Listing::TooMany;
            }
            Some((_, ChangedPaths::Unknown)) => commit.listing = Listing::Unknown,
            None if commit.listing == Listing::Listed => {
                assembled.end = End::Deadline;
                break;
            }
            None => {}
        }
        assembled.commits.push(commit);
    }
    assembled.paths = names.names;
    assembled
}

/// For each commit, in order, what was listed, with the paths that its indices mean.
fn by_commit(commits: usize, lists: &[Listed]) -> Vec<Option<(&[String], &ChangedPaths)>> {
    let mut places = vec![None; commits];
    for listed in lists {
        for (commit, changed) in &listed.commits {
            if let Some(place) = places.get_mut(*commit as usize) {
                *place = Some((&listed.paths[..], changed));
            }
        }
    }
    places
}

/// Each path once, and what became of it. Commits come newest first: what a commit renamed holds for the older ones.
#[derive(Default)]
struct Names {
    ids: FxHashMap<String, u32>,
    names: Vec<String>,
    /// For each path the one that it has today: itself, unless a newer commit renamed it.
    today: Vec<u32>,
}

impl Names {
    /// The changed files under today's names.
    fn todays(&mut self, paths: &[String], changes: &Changes) -> Box<[u32]> {
        let global = |names: &mut Names, id: u32| Some(names.intern(paths.get(id as usize)?));
        let renames: Vec<(u32, u32)> = changes
            .renames
            .iter()
            .filter_map(|(old, new)| Some((global(self, *old)?, global(self, *new)?)))
            .collect();
        let gone: FxHashSet<u32> = renames.iter().map(|(old, _)| *old).collect();
        let ids: Vec<u32> = changes.paths.iter().filter_map(|id| global(self, *id)).collect();
        let mut ids: Vec<u32> =
            ids.into_iter().filter(|id| !gone.contains(id)).map(|id| self.today_of(id)).collect();
        ids.sort_unstable();
        ids.dedup();
        for (old, new) in renames {
            let new = self.today_of(new);
            if let Some(today) = self.today.get_mut(old as usize) {
                *today = new;
            }
        }
        ids.into_boxed_slice()
    }

    fn today_of(&self, id: u32) -> u32 {
        self.today.get(id as usize).copied().unwrap_or(id)
    }

    fn intern(&mut self, name: &str) -> u32 {
        if let Some(id) = self.ids.get(name) {
            return *id;
        }
        let id = self.names.len() as u32;
        self.ids.insert(name.to_owned(), id);
        self.names.push(name.to_owned());
        self.today.push(id);
        id
    }
}
