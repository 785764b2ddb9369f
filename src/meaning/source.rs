//! Where an embedder comes from when it is first needed: a model takes a tenth of a second and a hundred megabytes to load, and
//! whoever never asks should have neither.

use std::fmt;
use std::sync::Arc;

use crate::llm::embed::Embedder;
use crate::model::Note;

/// What gives an embedder, or says why there is none.
type Open = dyn Fn() -> Result<Arc<dyn Embedder>, Note> + Send + Sync;

/// A way to an embedder.
#[derive(Clone, Default)]
pub struct EmbedderSource(Option<Arc<Open>>);

impl EmbedderSource {
    /// There is none, and none is wanted.
    pub fn none() -> EmbedderSource {
        EmbedderSource(None)
    }

    /// One that `open` gives. It may be asked again where it failed: a server that was not there may have come.
    pub fn new(open: impl Fn() -> Result<Arc<dyn Embedder>, Note> + Send + Sync + 'static) -> EmbedderSource {
        EmbedderSource(Some(Arc::new(open)))
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
        self.0.as_ref().map(|open| open())
    }
}

impl fmt::Debug for EmbedderSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("EmbedderSource").field(&self.is_some()).finish()
    }
}
