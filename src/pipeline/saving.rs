//! What was learnt goes to the index on disk, on a thread of its own: the answer does not wait for it.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use rayon::prelude::*;

use super::Workspace;
use crate::graph::Graph;
use crate::index::Lexical;
use crate::model::{FileKind, Note};
use crate::store::{
    AnswerChange, Change, CommitChange, Index, IndexError, IndexFolder, Packed, PackedSyntax, Part,
};
use crate::syntax::{Body, FileSyntax, KeptBody};
use crate::text::Digest;
use crate::workspace::history::{Commits, HistoryOptions};
use crate::workspace::{FileKey, Seen, SourceFile};

/// After so many changes of the history what is known of it is put together again: each part costs its own look-up.
const MOST_COMMIT_PARTS: usize = 16;

/// An index that is open, for several threads.
pub(super) struct Shared {
    folder: IndexFolder,
    index: Mutex<Index>,
}

impl Shared {
    pub fn new(folder: &IndexFolder, index: Index) -> Arc<Shared> {
        Arc::new(Shared { folder: folder.clone(), index: Mutex::new(index) })
    }

    /// What is kept of the bodies of texts; nothing where that cannot be read.
    pub fn bodies(&self, digests: &[Digest]) -> Vec<Option<KeptBody>> {
        let index = self.index.lock().unwrap_or_else(PoisonError::into_inner);
        index.bodies(digests).unwrap_or_default()
    }

    fn save(&self, learnt: &Learnt) -> Result<(), IndexError> {
        let mut change = learnt.packed();
        let mut index = self.index.lock().unwrap_or_else(PoisonError::into_inner);
        change.commits = commit_change(&mut index, &learnt.commits)?;
        let is_saved = index.save(&change)?;
        if let Some(answers) = &learnt.answers {
            index.save_answers(answers)?;
        }
        tracing::debug!(is_saved, generation = learnt.generation, "index");
        self.folder.prune(index.path());
        Ok(())
    }
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
        let answers = workspace.take_news();
        if self.news.is_empty() && answers.is_none() {
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
        self.thread = thread::Builder::new().name("index".into()).spawn(move || index.save(&learnt)).ok();
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
