//! Tasks by their meaning: the vectors of all snapshots, in one place, as most of what is in one stands in the next too.

use std::path::Path;
use std::sync::Arc;

use super::EvalError;
use crate::llm::embed::Embedder;
use crate::meaning::Meaning;
use crate::model::Deadline;
use crate::pipeline::Workspace;
use crate::store::{IndexFolder, VectorStore};

/// What an embedder knows of all snapshots.
pub struct Embedding(Arc<Meaning>);

impl Embedding {
    /// With what is kept in the folder `work`.
    ///
    /// # Errors
    /// Where nothing can be kept there.
    pub fn open(embedder: Arc<dyn Embedder>, work: &Path) -> Result<Embedding, EvalError> {
        let failed = |what: String| EvalError::Kept { file: work.display().to_string(), what };
        std::fs::create_dir_all(work).map_err(|error| failed(error.to_string()))?;
        let root = work.canonicalize().map_err(|error| failed(error.to_string()))?;
        let store = VectorStore::open(&IndexFolder::in_cache(&root), &root, b"snapshots");
        let store = store.map_err(|error| failed(error.to_string()))?;
        Ok(Embedding(Arc::new(Meaning::open(embedder, Some(store)))))
    }

    /// Who embeds: results of another one are not reused.
    pub fn key(&self) -> &str {
        &self.0.model().key
    }

    /// Has a workspace asked by its meaning, all of it.
    ///
    /// # Errors
    /// Where the embedder fails.
    pub fn understand(&self, workspace: &Workspace) -> Result<(), EvalError> {
        workspace.understand(Arc::clone(&self.0));
        let embedded = workspace.embed(&workspace.missing(&[]), &Deadline::never(), &|_| ());
        let root = || workspace.snapshot.root.display().to_string();
        embedded.map_err(|error| EvalError::Task { id: root(), what: error.to_string() })
    }
}
