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
    Part,
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
    disk: Mutex<Disk>,
}

struct Disk {
    index: Option<Index>,
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
        let disk = Disk { is_behind: index.is_none(), index, trouble, tried: Instant::now() };
        let shared = Shared { folder: folder.clone(), root, view, disk: Mutex::new(disk) };
        (Arc::new(shared), kept, notes)
    }

    fn disk(&self) -> MutexGuard<'_, Disk> {
        self.disk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn is_open(&self) -> bool {
        self.disk().index.is_some()
    }

    /// Why what was learnt last is not there.
    pub fn trouble(&self) -> Option<Note> {
        self.disk().trouble.clone()
    }

    /// What is kept of the bodies of texts; nothing where that cannot be read.
    pub fn bodies(&self, digests: &[Digest]) -> Vec<Option<KeptBody>> {
        let disk = self.disk();
        disk.index.as_ref().and_then(|index| index.bodies(digests).ok()).unwrap_or_default()
    }

    /// Makes sure that the index is open and where others find it; says whether what was learnt can go there now, and whether all of it must.
    fn ready(&self) -> Option<Whole> {
        let mut disk = self.disk();
        let is_there = disk.index.as_ref().is_some_and(Index::is_there);
        if !is_there && (disk.index.is_some() || disk.tried.elapsed() >= RETRY) {
            disk.index = None;
            let Opened { index, trouble, notes, .. } = self.folder.open(&self.root, &self.view);
            notes.iter().for_each(|note| tracing::warn!("{}", note.text));
            *disk = Disk { index, is_behind: true, trouble, tried: Instant::now() };
        }
        disk.index.is_some().then_some(Whole(disk.is_behind))
    }

    /// Whether something is not there that was learnt before.
    fn lacks(&self) -> bool {
        let disk = self.disk();
        disk.is_behind || !disk.index.as_ref().is_some_and(Index::is_there)
    }

    /// Whether it is time to try again what could not be put down.
    fn is_due(&self) -> bool {
        let disk = self.disk();
        disk.trouble.is_some() && disk.tried.elapsed() >= RETRY
    }

    fn save(&self, mut learnt: Learnt) -> Result<(), IndexError> {
        let Some(Whole(is_whole)) = self.ready() else { return Ok(()) };
        if is_whole {
            (learnt.base, learnt.is_new) = (None, true);
        }
        let change = learnt.packed();
        let mut disk = self.disk();
        let Some(index) = disk.index.as_mut() else { return Ok(()) };
        let saved = put(index, change, &learnt);
        match &saved {
            Ok(is_saved) => {
                tracing::debug!(is_saved, generation = learnt.generation, "index");
                self.folder.prune(index.path());
                (disk.is_behind, disk.trouble) = (!is_saved, None);
            }
            Err(error) => {
                tracing::warn!(%error, "index");
                (disk.is_behind, disk.trouble) = (true, Some(trouble(error)));
                // The next time it is set aside.
                disk.index.take_if(|_| error.is_damage());
            }
        }
        disk.tried = Instant::now();
        saved.map(|_| ())
    }
}

/// Whether all that is known is to be put down.
struct Whole(bool);

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
