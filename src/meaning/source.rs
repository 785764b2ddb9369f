//! Where an embedder comes from when it is first needed: a model takes a tenth of a second and a hundred megabytes to load, and
//! whoever never asks should have neither.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use crate::llm::embed::Embedder;
use crate::model::Note;

/// What gives an embedder, or says why there is none.
type Open = dyn Fn() -> Result<Arc<dyn Embedder>, Note> + Send + Sync;

/// A way to an embedder. Its clones share the embedder that one of them was given.
#[derive(Clone, Default)]
pub struct EmbedderSource(Option<Arc<Shared>>);

struct Shared {
    open: Box<Open>,
    embedder: Mutex<Option<Arc<dyn Embedder>>>,
}

impl EmbedderSource {
    /// There is none, and none is wanted.
    pub fn none() -> EmbedderSource {
        EmbedderSource(None)
    }

    /// One that `open` gives. It may be asked again where it failed: a server that was not there may have come.
    pub fn new(open: impl Fn() -> Result<Arc<dyn Embedder>, Note> + Send + Sync + 'static) -> EmbedderSource {
        EmbedderSource(Some(Arc::new(Shared { open: Box::new(open), embedder: Mutex::default() })))
    }

    /// Whether one may be had.
    pub fn is_some(&self) -> bool {
        self.0.is_some()
    }

    /// The embedder; `None` where none is wanted.
    ///
    /// # Errors
    /// Why there is none although one is wanted.
    pub fn open(&self) -> Option<Result<Arc<dyn Embedder>, Note>> {
        let shared = self.0.as_ref()?;
        let mut known = shared.embedder.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.as_ref() {
            return Some(Ok(Arc::clone(known)));
        }
        Some((shared.open)().inspect(|embedder| *known = Some(Arc::clone(embedder))))
    }
}

impl fmt::Debug for EmbedderSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("EmbedderSource").field(&self.is_some()).finish()
    }
}
