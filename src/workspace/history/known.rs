//! What is known of commits from before. A commit never changes, so what was once read of it holds: its message, its parents, what
//! it changed. What was missing when it was read is not put down.

use gix::ObjectId;
use gix::hashtable::HashMap;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::assemble::Listed;
use super::changes::{ChangedPaths, Changes};

/// The bytes of an id.
type Id = [u8; 20];

/// Commits of one repository, as they were read together.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commits {
    /// What the changed paths depend on besides: where the workspace lies in the repository, and how many are listed at most.
    prefix: Vec<String>,
    max_paths: usize,
    /// The paths that the commits index.
    paths: Vec<String>,
    commits: Vec<KnownCommit>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct KnownCommit {
    id: Id,
    parents: Vec<Parent>,
    author_time: i64,
    commit_time: i64,
    message: String,
    changed: Changed,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
enum Parent {
    /// One of the commits here.
    Here(u32),
    Elsewhere(Id),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
enum Changed {
    Listed { paths: Vec<u32>, renames: Vec<(u32, u32)> },
    TooMany { renames: Vec<(u32, u32)> },
    Merge,
}

/// What is needed of a commit's object.
pub(super) struct Facts {
    pub parents: Vec<ObjectId>,
    pub author_time: i64,
    pub commit_time: i64,
    pub message: String,
}

/// A commit that need not be read.
pub(super) struct Known {
    pub facts: Facts,
    /// Which of the lists of paths it indexes, and what it changed; nothing of a merge.
    pub changed: Option<(usize, ChangedPaths)>,
}

impl Commits {
    pub fn len(&self) -> usize {
        self.commits.len()
    }

    pub fn is_empty(&self) -> bool {
        self.commits.is_empty()
    }

    /// For what was read under these conditions.
    pub(super) fn new(prefix: &[String], max_paths: usize) -> Commits {
        Commits { prefix: prefix.to_vec(), max_paths, ..Commits::default() }
    }

    pub(super) fn holds(&self, prefix: &[String], max_paths: usize) -> bool {
        self.prefix == prefix && self.max_paths == max_paths
    }

    /// Several, read one after the other under the same conditions, as one.
    pub fn joined(parts: Vec<Commits>) -> Commits {
        let mut parts = parts.into_iter();
        let mut all = parts.next().unwrap_or_default();
        for part in parts.filter(|part| part.prefix == all.prefix && part.max_paths == all.max_paths) {
            let (first_path, first) = (all.paths.len() as u32, all.commits.len() as u32);
            all.paths.extend(part.paths);
            all.commits.extend(part.commits.into_iter().map(|commit| commit.moved(first_path, first)));
        }
        all
    }
}

impl KnownCommit {
    fn moved(mut self, first_path: u32, first: u32) -> KnownCommit {
        for parent in &mut self.parents {
            if let Parent::Here(place) = parent {
                *place += first;
            }
        }
        if let Changed::Listed { paths, .. } = &mut self.changed {
            paths.iter_mut().for_each(|path| *path += first_path);
        }
        if let Changed::Listed { renames, .. } | Changed::TooMany { renames } = &mut self.changed {
            renames.iter_mut().for_each(|(old, new)| (*old, *new) = (*old + first_path, *new + first_path));
        }
        self
    }
}

/// The commits by their ids, and the lists of paths that they index.
#[derive(Default)]
pub(super) struct KnownCommits {
    by_id: HashMap<ObjectId, Known>,
    pub paths: Vec<Vec<String>>,
}

impl KnownCommits {
    pub fn new(parts: Vec<Commits>) -> KnownCommits {
        let mut known = KnownCommits::default();
        known.by_id.reserve(parts.iter().map(Commits::len).sum());
        for (list, part) in parts.into_iter().enumerate() {
            let ids: Vec<ObjectId> = part.commits.iter().map(|commit| ObjectId::Sha1(commit.id)).collect();
            let id = |parent: &Parent| match parent {
                Parent::Here(place) => ids.get(*place as usize).copied(),
                Parent::Elsewhere(id) => Some(ObjectId::Sha1(*id)),
            };
            for (own, commit) in ids.iter().zip(part.commits) {
                let Some(parents) = commit.parents.iter().map(id).collect() else { continue };
                let KnownCommit { author_time, commit_time, message, .. } = commit;
                let changed = match commit.changed {
                    Changed::Listed { paths, renames } => {
                        Some((list, ChangedPaths::Listed(Changes { paths, renames })))
                    }
                    Changed::TooMany { renames } => {
                        Some((list, ChangedPaths::TooMany(Changes { paths: Vec::new(), renames })))
                    }
                    Changed::Merge => None,
                };
                let facts = Facts { parents, author_time, commit_time, message };
                known.by_id.insert(*own, Known { facts, changed });
            }
            known.paths.push(part.paths);
        }
        known
    }

    pub fn take(&mut self, id: &ObjectId) -> Option<Known> {
        self.by_id.remove(id)
    }
}

/// A commit that was read now.
pub(super) struct Read {
    /// Its place in the log.
    pub commit: u32,
    pub id: ObjectId,
    pub facts: Facts,
}

impl Commits {
    /// Puts down what was read and listed now.
    pub(super) fn put_down(&mut self, read: Vec<Read>, lists: &[Listed]) {
        let mut changed: FxHashMap<u32, (&[String], &ChangedPaths)> = FxHashMap::default();
        for list in lists {
            changed
                .extend(list.commits.iter().map(|(commit, changed)| (*commit, (&list.paths[..], changed))));
        }
        let mut names = Interner { ids: FxHashMap::default(), names: &mut self.paths };
        let mut whole: Vec<(Read, Changed)> = Vec::with_capacity(read.len());
        for read in read {
            let changed = match changed.get(&read.commit) {
                Some((paths, ChangedPaths::Listed(changes))) => Changed::Listed {
                    paths: changes.paths.iter().filter_map(|path| names.intern(paths, *path)).collect(),
                    renames: names.renames(paths, changes),
                },
                Some((paths, ChangedPaths::TooMany(changes))) => {
                    Changed::TooMany { renames: names.renames(paths, changes) }
                }
                Some((_, ChangedPaths::Unknown)) => continue,
                None if read.facts.parents.len() > 1 => Changed::Merge,
                None => continue,
            };
            whole.push((read, changed));
        }
        let places: HashMap<ObjectId, u32> = (0..).zip(&whole).map(|(at, (read, _))| (read.id, at)).collect();
        self.commits = whole
            .into_iter()
            .map(|(Read { id, facts, .. }, changed)| {
                let parent = |parent: &ObjectId| match places.get(parent) {
                    Some(place) => Parent::Here(*place),
                    None => Parent::Elsewhere(bytes(parent)),
                };
                let parents = facts.parents.iter().map(parent).collect();
                let Facts { author_time, commit_time, message, .. } = facts;
                KnownCommit { id: bytes(&id), parents, author_time, commit_time, message, changed }
            })
            .collect();
    }
}

fn bytes(id: &ObjectId) -> Id {
    id.as_slice().try_into().unwrap_or_default()
}

/// Each path once.
struct Interner<'a> {
    ids: FxHashMap<&'a str, u32>,
    names: &'a mut Vec<String>,
}

impl<'l> Interner<'l> {
    fn intern(&mut self, paths: &'l [String], path: u32) -> Option<u32> {
        let path = paths.get(path as usize)?;
        let next = self.names.len() as u32;
        let id = *self.ids.entry(path).or_insert(next);
        if id == next {
            self.names.push(path.clone());
        }
        Some(id)
    }

    fn renames(&mut self, paths: &'l [String], changes: &Changes) -> Vec<(u32, u32)> {
        let pair = |names: &mut Interner<'l>, (old, new): &(u32, u32)| {
            Some((names.intern(paths, *old)?, names.intern(paths, *new)?))
        };
        changes.renames.iter().filter_map(|renamed| pair(self, renamed)).collect()
    }
}
