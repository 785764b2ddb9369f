//! What is close in meaning to a task, where a workspace has an embedder: made on a thread of its own, while the task is planned.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rustc_hash::FxHashSet;

use super::Workspace;
use crate::meaning::{Close, Code, EmbedderSource, Meaning, MeaningError, Passages};
use crate::model::{Deadline, FileId, Note, SymbolId};
use crate::store::{IndexError, IndexFolder, VectorStore};

/// Commits whose files are embedded first.
const RECENT_COMMITS: usize = 30;

/// What a task's own vector may take: 5 to 25 ms in this process, once the model is loaded (0.2 s), and a server that is there answers as fast; one that
/// loads its model first is not waited for.
const ASK_TIME: Duration = Duration::from_secs(1);

/// The meaning of a task, being found out.
pub(super) struct Asking(Option<JoinHandle<Result<Close, MeaningError>>>);

impl Asking {
    /// Nothing is asked.
    pub fn nobody() -> Asking {
        Asking(None)
    }

    /// What was found, or what is to be told of why nothing was.
    pub fn answer(self) -> (Option<Close>, Option<Note>) {
        match self.0.map(JoinHandle::join) {
            Some(Ok(Ok(close))) => (Some(close), None),
            Some(Ok(Err(error))) => {
                (None, Some(Note::warning(format!("{error}: this is by words and the graph alone"))))
            }
            Some(Err(_)) => {
                (None, Some(Note::warning("the embedder gave up: this is by words and the graph alone")))
            }
            None => (None, None),
        }
    }
}

impl Workspace {
    /// From now on its tasks are asked by their meaning too, and those of the states that follow it.
    pub fn understand(&self, meaning: Arc<Meaning>) {
        // Whoever was first knows the same.
        let _is_known = self.meaning.set(meaning);
    }

    /// What is known by an embedder.
    pub fn meaning(&self) -> Option<&Arc<Meaning>> {
        self.meaning.get()
    }

    /// What of the code is to be known by its meaning, where an embedder is there.
    pub fn passages(&self) -> Option<&Arc<Passages>> {
        let meaning = self.meaning.get()?;
        Some(self.passages.get_or_init(|| Arc::new(meaning.passages(self.code()))))
    }

    /// From now on its tasks are asked by their meaning too, with the vectors that are kept; `None` where no embedder is wanted.
    ///
    /// # Errors
    /// Why there is none although one is wanted.
    pub fn open_meaning(&self, embedder: &EmbedderSource) -> Option<Result<&Arc<Meaning>, Note>> {
        if let Some(known) = self.meaning.get() {
            return Some(Ok(known));
        }
        let embedder = match embedder.open()? {
            Ok(embedder) => embedder,
            Err(note) => return Some(Err(note)),
        };
        let store = self.index.as_ref().map(|index| index.vectors());
        let (store, trouble) = match store {
            Some(Ok(store)) => (Some(store), None),
            Some(Err(error)) => (None, Some(error)),
            None => (None, None),
        };
        let meaning = Meaning::open(embedder, store);
        trouble.iter().for_each(|error| meaning.tell(error));
        Some(Ok(self.meaning.get_or_init(|| Arc::new(meaning))))
    }

    /// Whether vectors are kept of it.
    pub fn has_vectors(&self) -> bool {
        self.index.as_ref().is_some_and(|index| index.has_vectors())
    }

    /// The vectors that are kept of it in `folder`.
    ///
    /// # Errors
    /// Where they cannot be kept there.
    pub fn vectors(&self, folder: &IndexFolder) -> Result<VectorStore, IndexError> {
        VectorStore::open(folder, &self.snapshot.root, &self.options.view())
    }

    /// Puts down what of this state need not be found out again.
    pub fn keep_passages(&self) {
        if let (Some(meaning), Some(passages)) = (self.meaning(), self.passages()) {
            meaning.keep(self.code(), passages);
        }
    }

    fn code(&self) -> Code<'_> {
        Code { snapshot: &self.snapshot, syntax: &self.syntax, lexical: &self.lexical }
    }

    /// The share of the code that has a vector: 0 to 1; `None` without an embedder.
    pub fn embedded(&self) -> Option<f64> {
        Some(self.meaning()?.embedded(self.passages()?))
    }

    /// Begins to find out what is close to a task.
    pub(super) fn ask_meaning(&self, task: &str, deadline: &Deadline) -> Asking {
        let (Some(meaning), Some(passages)) = (self.meaning(), self.passages()) else {
            return Asking::nobody();
        };
        if meaning.is_empty() {
            return Asking::nobody();
        }
        let (meaning, passages) = (Arc::clone(meaning), Arc::clone(passages));
        let (task, deadline) = (task.to_owned(), deadline.clone());
        let asked = move || {
            meaning.prepare()?;
            meaning.close(&passages, &task, &deadline.within(ASK_TIME))
        };
        Asking(thread::Builder::new().name("meaning".to_owned()).spawn(asked).ok())
    }

    /// The units that have no vector yet, those first that the next task is likely about: of the files that `touched` names, of recent
    /// commits, of items that many use; tests last.
    pub fn missing(&self, touched: &[String]) -> Vec<usize> {
        let (Some(meaning), Some(passages)) = (self.meaning(), self.passages()) else { return Vec::new() };
        let mut missing = meaning.missing(passages);
        let history = &self.history;
        let recent = history.commits.iter().take(RECENT_COMMITS).flat_map(|commit| commit.paths.iter());
        let recent = recent.filter_map(|path| history.paths.get(*path as usize));
        let find = |path: &String| self.snapshot.find(path);
        let touched: BTreeSet<FileId> = touched.iter().filter_map(find).collect();
        let recent: FxHashSet<FileId> = recent.filter_map(find).collect();
        let place = |unit: &usize| {
            let unit = &self.lexical.units[*unit];
            let id = unit.item.map(|item| SymbolId { file: unit.file, item });
            let uses = id.map_or(0, |id| self.graph.usages_of(id).len());
            let syntax = self.syntax[unit.file.index()].as_ref();
            let is_test =
                unit.item.and_then(|item| syntax?.items.get(item as usize)).is_some_and(|item| item.is_test);
            let is_test = is_test || self.snapshot.file(unit.file).role != crate::model::Role::Source;
            (is_test, !touched.contains(&unit.file), !recent.contains(&unit.file), std::cmp::Reverse(uses))
        };
        missing.sort_by_cached_key(place);
        missing
    }

    /// Embeds these units in their order, on the cores of the present pool, until `deadline`.
    ///
    /// # Errors
    /// Where the embedder fails; what was done before is kept.
    pub fn embed(
        &self,
        units: &[usize],
        deadline: &Deadline,
        done: &(dyn Fn(usize) + Sync),
    ) -> Result<(), MeaningError> {
        self.meaning().map_or(Ok(()), |meaning| meaning.embed(self.code(), units, deadline, done))
    }
}
