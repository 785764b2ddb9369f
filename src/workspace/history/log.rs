//! The commits behind HEAD by commit time, newest first, each read once.
//!
//! A walk of our own instead of gix's: the message is wanted of every commit, and gix would read it a second time.

use std::collections::BinaryHeap;

use gix::ObjectId;
use gix::hashtable::{HashMap, HashSet};
use gix::objs::commit::ref_iter::Token;
use gix::objs::{CommitRefIter, Find, Kind};

use crate::model::Deadline;

use super::changes::{ChangedPaths, Job};
use super::known::{Facts, KnownCommits, Read};
use super::repository::Opened;
use super::{CHUNK, Commit, Listing};

/// A message longer than this (bytes) is cut: what it is about stands at its top.
const MAX_MESSAGE_BYTES: usize = 8 << 10;

/// Reading the clock is cheap, not free: once in so many commits (2–3 ms).
const CHECK_DEADLINE_EVERY: usize = 64;

/// Why the walk ended where it did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Root,
    Limit,
    Shallow,
    Deadline,
    Damaged,
}

/// What the walk found; the paths of the commits are still to come.
pub(super) struct Log {
    pub commits: Vec<Commit>,
    pub end: End,
    /// What known commits changed: their places, and which list of paths they index.
    pub known: Vec<(usize, u32, ChangedPaths)>,
    /// The commits that were not known.
    pub read: Vec<Read>,
}

struct Decoded {
    facts: Facts,
    source: From,
}

/// Where a commit is known from.
enum From {
    /// Its object was read, and this is its tree.
    Object(ObjectId),
    /// It was known, with what it changed; nothing of a merge.
    Before(Option<(usize, ChangedPaths)>),
}

/// A commit to visit: by time, of equals the one that was found first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Next {
    commit_time: i64,
    found: std::cmp::Reverse<usize>,
    id: ObjectId,
}

struct Walk<'a, F: FnMut(Vec<Job>)> {
    objects: &'a gix::OdbHandle,
    buffer: Vec<u8>,
    shallow: HashSet<ObjectId>,
    /// Commits that were found and not yet visited; decoded already, since their time decides the order.
    queue: BinaryHeap<Next>,
    known: &'a mut KnownCommits,
    decoded: HashMap<ObjectId, Decoded>,
    found: HashSet<ObjectId>,
    /// Commits that wait for the tree of this parent.
    waiting: HashMap<ObjectId, Vec<(u32, ObjectId)>>,
    jobs: Vec<Job>,
    submit: F,
    out: Log,
}

/// Walks from HEAD. Hands out, in chunks, which trees are to be compared for which commit, as soon as both are known.
pub(super) fn read(
    opened: &Opened,
    known: &mut KnownCommits,
    max: usize,
    deadline: &Deadline,
    submit: impl FnMut(Vec<Job>),
) -> Log {
    let repository = opened.repository.to_thread_local();
    let shallow = repository.shallow_commits().ok().flatten();
    let mut walk = Walk {
        objects: &repository.objects,
        buffer: Vec::new(),
        shallow: shallow.iter().flat_map(|commits| commits.iter().copied()).collect(),
        queue: BinaryHeap::new(),
        known,
        decoded: HashMap::default(),
        found: HashSet::default(),
        waiting: HashMap::default(),
        jobs: Vec::new(),
        submit,
        out: Log { commits: Vec::new(), end: End::Root, known: Vec::new(), read: Vec::new() },
    };
    walk.find(opened.head);
    while let Some(next) = walk.queue.pop() {
        if walk.out.commits.len() >= max {
            walk.stop(End::Limit);
            break;
        }
        if walk.out.commits.len().is_multiple_of(CHECK_DEADLINE_EVERY) && deadline.is_over() {
            walk.stop(End::Deadline);
            break;
        }
        walk.visit(next.id);
    }
    walk.finish()
}

impl<F: FnMut(Vec<Job>)> Walk<'_, F> {
    /// Queues a commit, once.
    fn find(&mut self, id: ObjectId) {
        if !self.found.insert(id) {
            return;
        }
        let known = self.known.take(&id);
        let known = known.map(|known| Decoded { facts: known.facts, source: From::Before(known.changed) });
        match known.or_else(|| self.decode(id)) {
            Some(decoded) => {
                let found = std::cmp::Reverse(self.found.len());
                self.queue.push(Next { commit_time: decoded.facts.commit_time, found, id });
                self.decoded.insert(id, decoded);
            }
            None => self.stop(End::Damaged),
        }
    }

    fn decode(&mut self, id: ObjectId) -> Option<Decoded> {
        let data = self.objects.try_find(&id, &mut self.buffer).ok()??;
        if data.kind != Kind::Commit {
            return None;
        }
        decode(CommitRefIter::from_bytes(data.data, id.kind()))
    }

    fn visit(&mut self, id: ObjectId) {
        let Some(Decoded { facts, source }) = self.decoded.remove(&id) else { return };
        let index = self.out.commits.len() as u32;
        self.serve_waiting(&id, &source);
        let at_edge = self.shallow.contains(&id);
        let is_read = matches!(source, From::Object(_));
        let listing = match (&facts.parents[..], source) {
            _ if at_edge => {
                self.stop(End::Shallow);
                Listing::Unknown
            }
            (_, From::Before(Some((paths, changed)))) => {
                self.out.known.push((paths, index, changed));
                Listing::Listed
            }
            ([], From::Object(tree)) => {
                self.add_job(Job { commit: index, tree, parent: None });
                Listing::Listed
            }
            ([parent], From::Object(tree)) => {
                self.waiting.entry(*parent).or_default().push((index, tree));
                Listing::Listed
            }
            _ => Listing::Merge,
        };
        self.out.commits.push(Commit {
            id: id.to_string(),
            time: facts.author_time,
            message: facts.message.clone(),
            parents: facts.parents.len() as u32,
            paths: Box::default(),
            listing,
        });
        if !at_edge {
            for parent in &facts.parents {
                self.find(*parent);
            }
            if is_read {
                self.out.read.push(Read { commit: index, id, facts });
            }
        }
    }

    fn serve_waiting(&mut self, parent: &ObjectId, source: &From) {
        let waiting = self.waiting.remove(parent).unwrap_or_default();
        if waiting.is_empty() {
            return;
        }
        let parent_tree = self.tree(parent, source);
        for (commit, tree) in waiting {
            match parent_tree {
                Some(_) => self.add_job(Job { commit, tree, parent: parent_tree }),
                None => self.mark_unknown(commit),
            }
        }
    }

    /// The tree of a commit; of one that was known it is read now.
    fn tree(&mut self, id: &ObjectId, source: &From) -> Option<ObjectId> {
        match source {
            From::Object(tree) => Some(*tree),
            From::Before(_) => match self.decode(*id)?.source {
                From::Object(tree) => Some(tree),
                From::Before(_) => None,
            },
        }
    }

    fn add_job(&mut self, job: Job) {
        self.jobs.push(job);
        if self.jobs.len() >= CHUNK {
            (self.submit)(std::mem::take(&mut self.jobs));
        }
    }

    /// Damage is told before anything else.
    fn stop(&mut self, end: End) {
        if self.out.end != End::Damaged {
            self.out.end = end;
        }
    }

    /// Hands out what is left: commits whose parent was found and not visited any more.
    fn finish(mut self) -> Log {
        let waiting: Vec<ObjectId> = self.waiting.keys().copied().collect();
        for parent in waiting {
            match self.decoded.remove(&parent) {
                Some(decoded) => self.serve_waiting(&parent, &decoded.source),
                None => {
                    let commits = self.waiting.remove(&parent).unwrap_or_default();
                    commits.into_iter().for_each(|(commit, _)| self.mark_unknown(commit));
                }
            }
        }
        if !self.jobs.is_empty() {
            (self.submit)(std::mem::take(&mut self.jobs));
        }
        self.out
    }

    fn mark_unknown(&mut self, commit: u32) {
        if let Some(commit) = self.out.commits.get_mut(commit as usize) {
            commit.listing = Listing::Unknown;
        }
    }
}

/// `None` where the object is no whole commit.
fn decode(tokens: CommitRefIter<'_>) -> Option<Decoded> {
    let mut tree = None;
    let mut parents = Vec::new();
    let (mut author_time, mut commit_time) = (0, 0);
    let mut message = String::new();
    for token in tokens {
        match token.ok()? {
            Token::Tree { id } => tree = Some(id),
            Token::Parent { id } => parents.push(id),
            Token::Author { signature } => author_time = signature.seconds(),
            Token::Committer { signature } => commit_time = signature.seconds(),
            Token::Message(text) => message = message_text(text),
            Token::Encoding(_) | Token::ExtraHeader(_) => {}
        }
    }
    let facts = Facts { parents, author_time, commit_time, message };
    Some(Decoded { facts, source: From::Object(tree?) })
}

/// Other encodings than UTF-8 are rare and old: their letters beyond ASCII are lost.
fn message_text(bytes: &[u8]) -> String {
    let bytes = bytes.get(..MAX_MESSAGE_BYTES).unwrap_or(bytes);
    String::from_utf8_lossy(bytes).trim_end().to_owned()
}
