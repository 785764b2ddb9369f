//! Models that turn texts into vectors: one trait, whoever does it.
//!
//! ```text
//! shelf ─▶ install ─▶ embedded ─▶ encoder (a model's folder, run in this process)
//!   hub ────┘  └─┐
//! ollama ────────┴▶ llm::http
//! scripted
//! ```

mod card;
mod cut;
mod error;
mod family;

#[cfg(feature = "embedded")]
mod embedded;
#[cfg(feature = "embedded")]
mod encoder;
#[cfg(feature = "embedded")]
mod hub;
#[cfg(feature = "embedded")]
mod install;
#[cfg(feature = "embedded")]
mod known;
mod ollama;
mod scripted;
mod shelf;

pub use card::Card;
#[cfg(feature = "embedded")]
pub use embedded::Embedded;
#[cfg(feature = "embedded")]
pub use encoder::Precision;
pub use error::EmbedError;
#[cfg(feature = "embedded")]
pub use hub::{HUB, Progress, pull};
#[cfg(feature = "embedded")]
pub use known::{HubModel, KNOWN};
pub use ollama::OllamaEmbedder;
pub use scripted::ScriptedEmbedder;
pub use shelf::{Chosen, Installed, Shelf, name_of};

use crate::model::Deadline;

/// A model that turns texts into vectors of length 1: those close in meaning lie close.
pub trait Embedder: Send + Sync {
    fn model(&self) -> &EmbeddingModel;

    /// Loads what has to be loaded before the first text, where that is on this process.
    ///
    /// # Errors
    /// What cannot be loaded.
    fn prepare(&self) -> Result<(), EmbedError> {
        Ok(())
    }

    /// One unit vector for each text, in their order. It takes one core at most, however many texts there are: who has many spreads
    /// batches of them over the cores.
    fn embed(&self, texts: &[String], deadline: &Deadline) -> Result<Vec<Vec<f32>>, EmbedError>;
}

/// What is known of an embedding model, whether or not it is loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmbeddingModel {
    /// For people: `all-MiniLM-L6-v2`, `ollama embeddinggemma`.
    pub name: String,
    /// What vectors are kept under: two models of the same key give the same vectors.
    pub key: String,
    /// Numbers of a vector.
    pub dimension: usize,
    /// Tokens that a text may have, by the model's own count; the embedder cuts longer ones.
    pub window: usize,
    /// What the model was taught to expect before a question, and before what is searched; often nothing.
    pub query_prefix: String,
    pub document_prefix: String,
    /// Whether it was taught with code, so that identifiers may stay as they are.
    pub is_for_code: bool,
    /// Whether texts stay on this machine.
    pub is_local: bool,
    /// Texts that one call should have.
    pub batch: usize,
}

impl EmbeddingModel {
    /// A question as the model expects it.
    pub fn query(&self, text: &str) -> String {
        format!("{}{text}", self.query_prefix)
    }

    /// What is searched, as the model expects it.
    pub fn document(&self, text: &str) -> String {
        format!("{}{text}", self.document_prefix)
    }
}
