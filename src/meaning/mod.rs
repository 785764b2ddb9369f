//! What is close in meaning to a task: vectors of the code's passages, as far as they are made, beside the task's.
//!
//! ```text
//! units of the index ─▶ passages ─▶ an embedder ─▶ bank ─▶ what is close
//!                        (keys)                    │  ▲
//!                                                  ▼  │
//!                                                 vectors on disk
//! ```
//!
//! A passage is known by the digest of its text, so that what is moved, or was there before, is not embedded again. Nothing waits
//! here for an embedder but the task's own vector: who has time embeds what is missing (`Meaning::embed`).
//!
//! ```text
//! query ─▶ all rows, exactly (dots) ─────────────────────────▶ the best
//!      └─▶ beyond 300,000: a bit a dimension (sketch) ─▶ the likely ones, exactly ─▶ the best
//! ```

mod bank;
mod best;
mod block;
mod dots;
mod passages;
mod query;
mod sketch;
mod source;
mod state;
mod vectors;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use rayon::prelude::*;

use crate::index::Lexical;
use crate::llm::embed::{EmbedError, Embedder, EmbeddingModel};
use crate::model::{Deadline, Note, PackedVector, VectorError};
use crate::store::{IndexError, Put, TextKey, VectorStore};
use crate::syntax::FileSyntax;
use crate::workspace::{FileKey, Snapshot};

use self::bank::Bank;
use self::passages::Recipe;
pub use self::source::EmbedderSource;
pub use self::state::Passages;
pub use self::vectors::Vectors;

/// Vectors of tasks that are remembered: an editor asks the same thing again and again.
const TASKS: usize = 16;
/// Calls that each core has at least, where the units are few: one of two cores waited for a call of 16 while the other had done its 7.
const CALLS_OF_A_CORE: usize = 2;

/// Why there are no vectors.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum MeaningError {
    #[error(transparent)]
    Embed(#[from] EmbedError),
    #[error("{model}: {source}")]
    Vector { model: String, source: VectorError },
}

/// The code of one state of a workspace.
#[derive(Clone, Copy)]
pub struct Code<'a> {
    pub snapshot: &'a Snapshot,
    pub syntax: &'a [Option<Arc<FileSyntax>>],
    pub lexical: &'a Lexical,
}

/// The vectors of one workspace by one embedder; all its states share them.
pub struct Meaning {
    embedder: Arc<dyn Embedder>,
    recipe: Recipe,
    bank: RwLock<Bank>,
    /// Never taken while the bank is held: whoever writes may have to wait for another process.
    store: Mutex<Option<VectorStore>>,
    tasks: Mutex<Vec<(TextKey, Arc<[f32]>)>>,
    trouble: Mutex<Option<Note>>,
}

/// How close each unit of the index is to a task.
#[derive(Debug, Clone, Default)]
pub struct Close {
    /// By unit: the cosine of the angle between both; `None` where the unit has no vector.
    pub units: Vec<Option<f32>>,
    /// The share of the passages that have one: 0 to 1.
    pub embedded: f64,
}

impl Meaning {
    /// What is known of a workspace by this embedder, with what `store` has of it; without one nothing is kept.
    pub fn open(embedder: Arc<dyn Embedder>, store: Option<VectorStore>) -> Meaning {
        let recipe = Recipe::of(embedder.model());
        let meaning = Meaning {
            bank: RwLock::new(Bank::new(embedder.model().dimension)),
            embedder,
            recipe,
            store: Mutex::new(store),
            tasks: Mutex::default(),
            trouble: Mutex::default(),
        };
        let model = meaning.model();
        let read = lock(&meaning.store).as_mut().map(|store| {
            let vectors = store.load(&model.key)?;
            Ok((vectors, store.lists(recipe.lists(&model.key))?))
        });
        match read {
            Some(Ok((vectors, lists))) => meaning.write().fill(vectors, lists),
            Some(Err(error)) => meaning.tell(&error),
            None => {}
        }
        meaning
    }

    pub fn model(&self) -> &EmbeddingModel {
        self.embedder.model()
    }

    /// Why vectors could not be read or kept.
    pub fn trouble(&self) -> Option<Note> {
        lock(&self.trouble).clone()
    }

    /// Whether nothing has a vector.
    pub fn is_empty(&self) -> bool {
        self.read().is_empty()
    }

    /// The passages of a state. Files that were seen before are not read for it.
    pub fn passages(&self, code: Code<'_>) -> Passages {
        let known = |file| self.read().list(file);
        let (passages, new) = Passages::of(code, self.recipe, &known);
        if !new.is_empty() {
            self.write().add_lists(&new, code.snapshot.files.len());
        }
        passages
    }

    /// Puts down which passages the files of a state have, as far as that is new, and removes the vectors of what is no longer there where
    /// they are many: an edit that is undone or a branch that is come back to costs nothing.
    pub fn keep(&self, code: Code<'_>, passages: &Passages) {
        let mut store = lock(&self.store);
        let Some(open) = store.as_mut() else { return };
        let files: Vec<FileKey> = code.snapshot.files.iter().map(|file| file.key()).collect();
        let new: Vec<(FileKey, Vec<TextKey>)> = self.read().unkept(&files);
        let model = &self.model().key;
        let put = match new.is_empty() {
            true => Ok(()),
            false => open.put_lists(self.recipe.lists(model), &new, &files).map(drop),
        };
        let keys: Vec<TextKey> = passages.keys().map(|(_, key)| key).collect();
        match put.and_then(|()| open.retain(model, &keys)) {
            Ok(_) => self.write().are_kept(new.into_iter().map(|(file, _)| file)),
            Err(error) => self.tell(&error),
        }
    }

    /// Units whose passages have no vector yet, in the order of the index.
    pub fn missing(&self, passages: &Passages) -> Vec<usize> {
        let bank = self.read();
        passages.keys().filter(|(_, key)| !bank.has(*key)).map(|(unit, _)| unit).collect()
    }

    /// The share of a state's passages that have a vector: 0 to 1.
    pub fn embedded(&self, passages: &Passages) -> f64 {
        let all = passages.keys().count();
        let missing = self.missing(passages).len();
        share(all - missing, all)
    }

    /// Embeds the passages of these units, in their order, on all cores of the present pool, and keeps their vectors; ends soon after `deadline` with
    /// what is done by then. `done` is told of each step: so many passages.
    ///
    /// # Errors
    /// Where the embedder fails; what was done before is kept.
    pub fn embed(
        &self,
        code: Code<'_>,
        units: &[usize],
        deadline: &Deadline,
        done: &(dyn Fn(usize) + Sync),
    ) -> Result<(), MeaningError> {
        let step = |units: &[usize]| match self.step(code, units, deadline) {
            Ok(()) => {
                done(units.len());
                Ok(())
            }
            // Whoever set it knows.
            Err(_) if deadline.is_over() => Ok(()),
            Err(error) => Err(error),
        };
        // Few units, as an edit leaves them, are shared out instead of filling one call.
        let share = units.len().div_ceil(CALLS_OF_A_CORE * rayon::current_num_threads());
        let call = share.min(self.model().batch).max(1);
        units.par_chunks(call).try_for_each(|units| match deadline.is_over() {
            true => Ok(()),
            false => step(units),
        })
    }

    fn step(&self, code: Code<'_>, units: &[usize], deadline: &Deadline) -> Result<(), MeaningError> {
        let passages = Passages::texts(code, self.recipe, units);
        let texts: Vec<String> = passages.iter().map(|(_, text)| self.model().document(text)).collect();
        let vectors = self.embedder.embed(&texts, deadline)?;
        let mut rows = Vec::with_capacity(vectors.len());
        for ((key, _), vector) in passages.iter().zip(&vectors) {
            rows.push((*key, PackedVector::new(vector).map_err(|source| self.wrong(source))?));
        }
        {
            let mut bank = self.write();
            for (key, vector) in &rows {
                bank.add(*key, vector).map_err(|source| self.wrong(source))?;
            }
        }
        self.put(&rows);
        Ok(())
    }

    /// Puts vectors down, and all that is known where a store lost the others.
    fn put(&self, rows: &[(TextKey, PackedVector)]) {
        let mut store = lock(&self.store);
        let Some(open) = store.as_mut() else { return };
        let key = &self.model().key;
        let put = match open.put(key, rows) {
            Ok(Put::Alone) => {
                let all = self.read().all();
                open.put(key, &all).map(drop)
            }
            put => put.map(drop),
        };
        if let Err(error) = put {
            self.tell(&error);
        }
    }

    /// Loads the embedder: what is asked then is answered at once.
    ///
    /// # Errors
    /// Where it cannot be loaded.
    pub fn prepare(&self) -> Result<(), MeaningError> {
        Ok(self.embedder.prepare()?)
    }

    /// How close the units of a state are to a task.
    ///
    /// # Errors
    /// Where the task's own vector cannot be had, in time or at all.
    pub fn close(&self, passages: &Passages, task: &str, deadline: &Deadline) -> Result<Close, MeaningError> {
        let task = self.task(task, deadline)?;
        let (vectors, rows) = self.read().rows(passages);
        // Not under the lock: the cores share this work.
        let cosines = vectors.dots(&task).map_err(|source| self.wrong(source))?;
        let known = rows.iter().flatten().count();
        let all = passages.keys().count();
        Ok(Close {
            units: rows.iter().map(|row| cosines.get((*row)? as usize).copied()).collect(),
            embedded: share(known, all),
        })
    }

    /// The vector of a task.
    fn task(&self, task: &str, deadline: &Deadline) -> Result<Arc<[f32]>, MeaningError> {
        // Not the texts: a log may have megabytes.
        let key = TextKey::of(task);
        if let Some((_, vector)) = lock(&self.tasks).iter().find(|(known, _)| *known == key) {
            return Ok(Arc::clone(vector));
        }
        let mut vectors = self.embedder.embed(&[self.model().query(task)], deadline)?;
        let vector: Arc<[f32]> = vectors.pop().unwrap_or_default().into();
        let mut tasks = lock(&self.tasks);
        tasks.insert(0, (key, Arc::clone(&vector)));
        tasks.truncate(TASKS);
        Ok(vector)
    }

    fn wrong(&self, source: VectorError) -> MeaningError {
        MeaningError::Vector { model: self.model().name.clone(), source }
    }

    fn read(&self) -> RwLockReadGuard<'_, Bank> {
        self.bank.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Bank> {
        self.bank.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Vectors cannot be read or kept.
    pub fn tell(&self, error: &IndexError) {
        tracing::warn!(%error, "vectors");
        let note = Note::warning(format!("vectors are not kept from one process to the next: {error}"));
        *lock(&self.trouble) = Some(note);
    }
}

fn share(some: usize, all: usize) -> f64 {
    if all == 0 { 1.0 } else { some as f64 / all as f64 }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
