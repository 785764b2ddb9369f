//! What was learnt goes to the index on disk, on a thread of its own: the answer does not wait for it.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rayon::prelude::*;

use super::Workspace;
use crate::graph::Graph;
use crate::index::Lexical;
use crate::model::{FileKind, Note};
use crate::store::{
    AnswerChange, Change, CommitChange, Index, IndexError, IndexFolder, Kept, Opened, Packed, PackedSyntax,
    Part, VectorStore,
};
use crate::syntax::{Body, FileSyntax, KeptBody};
use crate::text::Digest;
use crate::workspace::history::{Commits, HistoryOptions};
use crate::workspace::{FileKey, Seen, SourceFile};

/// After so many changes of the history what is known of it is put together again: each part costs its own look-up.
const MOST_COMMIT_PARTS: usize = 16;

/// After so long an index that could not be used is tried again.
const RETRY: Duration = Duration::from_mins(1);

/// The index of a workspace, for several threads: open as long as it can be used, and opened again where it could not or was removed.
pub(super) struct Shared {
    folder: IndexFolder,
    root: PathBuf,
    view: Vec<u8>,
    /// Held while something is put down.
    index: Mutex<Option<Index>>,
    /// Held for a moment, because answers tell of it.
    health: Mutex<Health>,
}

/// How it stands with the index.
struct Health {
    is_open: bool,
    /// Something is not there that was learnt before: what comes next brings every part, not the new ones alone. Parts of two states
    /// would be an index that is wrong and does not know it.
    is_behind: bool,
    trouble: Option<Note>,
    tried: Instant,
}

impl Shared {
    /// The index in `folder` of the workspace at `root` (canonical), as it is looked at, and what it has; with what became of one that was damaged.
    pub fn open(folder: &IndexFolder, root: PathBuf, view: Vec<u8>) -> (Arc<Shared>, Kept, Vec<Note>) {
        let Opened { index, kept, notes, trouble } = folder.open(&root, &view);
        let is_open = index.is_some();
        let health = Health { is_open, is_behind: !is_open, trouble, tried: Instant::now() };
        let (index, health) = (Mutex::new(index), Mutex::new(health));
        (Arc::new(Shared { folder: folder.clone(), root, view, index, health }), kept, notes)
    }

    fn index(&self) -> MutexGuard<'_, Option<Index>> {
        self.index.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn health(&self) -> MutexGuard<'_, Health> {
        self.health.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn is_open(&self) -> bool {
        self.health().is_open
    }

    /// Why what was learnt last is not there.
    pub fn trouble(&self) -> Option<Note> {
        self.health().trouble.clone()
    }

    /// What is kept of the bodies of texts; nothing where that cannot be read.
    pub fn bodies(&self, digests: &[Digest]) -> Vec<Option<KeptBody>> {
        let packed = self.index().as_ref().and_then(|index| index.bodies(digests).ok()).unwrap_or_default();
        // Not under the lock: whoever unpacks on all cores may meanwhile be given work that waits for it.
        packed.into_par_iter().map(|packed| packed?.open()).collect()
    }

    /// Whether there are vectors of the same workspace.
    pub fn has_vectors(&self) -> bool {
        self.folder.vectors(&self.root).exists()
    }

    /// The vectors of the same workspace.
    ///
    /// # Errors
    /// Where they cannot be kept.
    pub fn vectors(&self) -> Result<VectorStore, IndexError> {
        VectorStore::open(&self.folder, &self.root, &self.view)
    }

    /// Makes sure that the index is open and where others find it; says whether it is.
    fn is_ready(&self) -> bool {
        let mut index = self.index();
        if index.as_ref().is_some_and(Index::is_there) {
            return true;
        }
        // One that was removed is made again at once.
        if index.is_none() && self.health().tried.elapsed() < RETRY {
            return false;
        }
        *index = None;
        let Opened { index: opened, trouble, notes, .. } = self.folder.open(&self.root, &self.view);
        notes.iter().for_each(|note| tracing::warn!("{}", note.text));
        *index = opened;
        let is_open = index.is_some();
        *self.health() = Health { is_open, is_behind: true, trouble, tried: Instant::now() };
        is_open
    }

    /// Whether something is not there that was learnt before.
    fn lacks(&self) -> bool {
        // Never both at once in this order: whoever puts something down takes them in the other.
        let is_behind = self.health().is_behind;
        is_behind || !self.index().as_ref().is_some_and(Index::is_there)
    }

    /// Whether it is time to try again what could not be put down.
    fn is_due(&self) -> bool {
        let health = self.health();
        health.trouble.is_some() && health.tried.elapsed() >= RETRY
    }

    fn save(&self, mut learnt: Learnt) -> Result<(), IndexError> {
        if !self.is_ready() {
            return Ok(());
        }
        if self.health().is_behind {
            (learnt.base, learnt.is_new) = (None, true);
        }
        let change = learnt.packed();
        let mut index = self.index();
        let Some(open) = index.as_mut() else { return Ok(()) };
        let saved = put(open, change, &learnt);
        let (is_behind, trouble) = match &saved {
            Ok(is_saved) => {
                tracing::debug!(is_saved, generation = learnt.generation, "index");
                self.folder.prune(open.path());
                (!is_saved, None)
            }
            Err(error) => {
                tracing::warn!(%error, "index");
                // The next time it is set aside.
                index.take_if(|_| error.is_damage());
                (true, Some(trouble(error)))
            }
        };
        *self.health() = Health { is_open: index.is_some(), is_behind, trouble, tried: Instant::now() };
        saved.map(|_| ())
    }
}

fn put(index: &mut Index, mut change: Change, learnt: &Learnt) -> Result<bool, IndexError> {
    change.commits = commit_change(index, &learnt.commits)?;
    let is_saved = index.save(&change)?;
    if let Some(answers) = &learnt.answers {
        index.save_answers(answers)?;
    }
    Ok(is_saved)
}

fn commit_change(index: &mut Index, new: &Commits) -> Result<CommitChange, IndexError> {
    if new.is_empty() {
        return Ok(CommitChange::Same);
    }
    if index.commit_parts()? < MOST_COMMIT_PARTS {
        return Ok(CommitChange::Add(Packed::new(new)));
    }
    let mut parts: Vec<Commits> = index.read()?.commits.iter().filter_map(Packed::open).collect();
    parts.push(new.clone());
    let all = Commits::joined(parts);
    // Commits that were rebased away are never forgotten one by one: all are, and those behind HEAD read again.
    let most = 2 * HistoryOptions::default().max_commits;
    Ok(CommitChange::Replace(Packed::new(if all.len() > most { new } else { &all })))
}

/// What was not known before, and is not put down yet.
#[derive(Default)]
pub(super) struct News {
    /// The state that was found on disk; `None` where it was one in memory.
    pub base: Option<u64>,
    /// Of the code.
    pub is_new: bool,
    /// Of when files were read.
    pub seen: bool,
    /// Of the files that were parsed.
    pub code: Vec<(Digest, Arc<FileSyntax>, Arc<Body>)>,
    pub commits: Commits,
}

impl News {
    /// These with those of an earlier state, which were not put down.
    pub fn and(mut self, earlier: News) -> News {
        self.is_new |= earlier.is_new;
        self.seen |= earlier.seen;
        self.code.extend(earlier.code);
        self.commits = Commits::joined(vec![earlier.commits, self.commits]);
        self
    }

    fn is_empty(&self) -> bool {
        !self.is_new && !self.seen && self.commits.is_empty()
    }
}

/// What is to be put down.
struct Learnt {
    /// The state that was found on disk; `None` where it was one in memory.
    base: Option<u64>,
    generation: u64,
    is_new: bool,
    seen: Seen,
    lexical: Arc<Lexical>,
    graph: Graph,
    syntax: Vec<(Digest, Arc<FileSyntax>, Arc<Body>)>,
    texts: Vec<Digest>,
    files: Vec<FileKey>,
    commits: Commits,
    answers: Option<AnswerChange>,
}

impl Learnt {
    fn packed(&self) -> Change {
        let mut parts = vec![(Part::Seen, Packed::new(&self.seen))];
        if self.is_new {
            let (lexical, graph) =
                rayon::join(|| Packed::new(&self.lexical.to_kept()), || Packed::new(&self.graph.to_kept()));
            parts.extend([(Part::Lexical, lexical), (Part::Graph, graph)]);
        }
        let pack = |(digest, syntax, body): &(Digest, Arc<FileSyntax>, Arc<Body>)| PackedSyntax {
            digest: *digest,
            syntax: Packed::new(&**syntax),
            body: body.to_kept().map_or_else(Packed::default, |kept| Packed::new(&kept)),
        };
        Change {
            base: self.base,
            generation: self.generation,
            parts,
            syntax: self.syntax.par_iter().map(pack).collect(),
            texts: self.texts.clone(),
            files: self.files.clone(),
            commits: CommitChange::Same,
        }
    }
}

/// What is still to be put down, and a thread that puts down what was to be; waited for when dropped.
#[derive(Default)]
pub(super) struct Saving {
    news: News,
    thread: Option<JoinHandle<Result<(), IndexError>>>,
}

impl Saving {
    pub fn of(news: News) -> Saving {
        Saving { news, thread: None }
    }

    /// What is not put down yet; from now on somebody else has it.
    pub fn take(&mut self) -> News {
        std::mem::take(&mut self.news)
    }

    /// Begins to put down the news of a workspace, where it has an index and there are any.
    pub fn start(&mut self, workspace: &Workspace) {
        let Some(index) = workspace.index.clone() else { return };
        let is_due = !self.news.is_empty() || index.is_due();
        let answers = workspace.take_news(is_due && index.lacks());
        if !is_due && answers.is_none() {
            return;
        }
        self.finish();
        let news = self.take();
        let Workspace { snapshot, graph, lexical, generation, .. } = workspace;
        let texts = || snapshot.files.iter().filter(|file| file.kind == FileKind::Rust);
        let learnt = Learnt {
            base: news.base,
            generation: *generation,
            is_new: news.is_new,
            seen: snapshot.seen.clone(),
            lexical: Arc::clone(lexical),
            graph: graph.clone(),
            syntax: news.code,
            texts: texts().map(|file| file.text.digest()).collect(),
            files: texts().map(SourceFile::key).collect(),
            commits: news.commits,
            answers,
        };
        // Without a thread to spare nothing is kept, and the next process reads it again.
        self.thread = thread::Builder::new().name("index".into()).spawn(move || index.save(learnt)).ok();
    }

    /// Waits until all is put down; says why it could not be.
    pub fn finish(&mut self) -> Option<Note> {
        Some(trouble(&self.thread.take()?.join().ok()?.err()?))
    }
}

/// That something could not be put down.
pub(super) fn trouble(error: &IndexError) -> Note {
    Note::warning(format!(
        "the index was not brought up to date ({error}): the next answer reads again what changed"
    ))
}

impl Drop for Saving {
    fn drop(&mut self) {
        self.finish();
    }
}
