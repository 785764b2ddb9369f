//! Why texts could not be turned into vectors: what happened, where, and what to do.

use std::path::Path;
use std::time::Duration;

use crate::llm::ModelError;

/// `model` is its name for people; paths are as people see them.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum EmbedError {
    #[error("{path}: {why}; {remedy}")]
    Folder { path: String, why: String, remedy: &'static str },

    #[error(transparent)]
    Server(ModelError),

    #[error("{model} answers with vectors of {found} numbers instead of {expected}: {remedy}")]
    Dimension { model: String, found: usize, expected: usize, remedy: String },

    #[error("{model} gives no vectors that can be used ({why}): get the model anew, or choose another")]
    Vectors { model: String, why: String },

    #[error("{server} does not give {what} ({why}): {remedy}")]
    Download { server: String, what: String, why: String, remedy: String },

    #[error(
        "{model} had embedded {done} of {count} texts after {seconds:.1} s: allow more time",
        seconds = waited.as_secs_f64()
    )]
    Deadline { model: String, done: usize, count: usize, waited: Duration },

    #[error("cancelled")]
    Cancelled,

    #[error("{model} failed on a text ({why}): tell the makers of dossier which model it is")]
    Failed { model: String, why: String },
}

#[cfg(feature = "embedded")]
/// What heals a model's folder of which a file is missing or damaged.
pub(super) const GET_ANEW: &str =
    "get the model anew (`dossier embedder pull`), or name a folder that is whole";
#[cfg(feature = "embedded")]
/// What heals a folder that holds what we cannot run.
pub(super) const CHOOSE_ANOTHER: &str = "choose another model: `dossier embedder list` names some";

impl EmbedError {
    pub(super) fn folder(path: &Path, why: impl Into<String>, remedy: &'static str) -> EmbedError {
        EmbedError::Folder { path: path.display().to_string(), why: why.into(), remedy }
    }
}

impl From<ModelError> for EmbedError {
    fn from(error: ModelError) -> EmbedError {
        match error {
            ModelError::Cancelled => EmbedError::Cancelled,
            other => EmbedError::Server(other),
        }
    }
}
