//! The answer as a whole: what every face prints, sends or explains.

use serde::{Deserialize, Serialize};

use super::{Dropped, Entry};
use crate::lsp::ServerStatus;
use crate::model::Note;
use crate::plan::{ContextPlan, QueryIntent};

/// The dossier of one task.
#[derive(Debug, Clone)]
pub struct ContextPack {
    /// The task as it was given, secrets masked.
    pub query: String,
    /// The workspace's root, for a person.
    pub workspace: String,
    pub intent: QueryIntent,
    pub plan: ContextPlan,
    /// How likely the first file is one that the task is about: 0 to 1.
    pub confidence: f64,
    /// Best first.
    pub files: Vec<Entry>,
    pub dropped: Vec<Dropped>,
    /// The paths of all candidates, best first.
    pub ranking: Vec<String>,
    pub budget: BudgetUse,
    pub language_server: ServerStatus,
    pub freshness: Freshness,
    pub notes: Vec<Note>,
    /// In the order of the stages.
    pub timings: Vec<(&'static str, f64)>,
}

/// Tokens, counted on the rendered text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BudgetUse {
    pub limit: u32,
    pub used: u32,
    /// The name of the encoding that counted: `o200k_base`.
    pub tokenizer: String,
}

/// How old the facts are that the answer rests on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Freshness {
    pub generation: u64,
    pub index_age_ms: u64,
    pub changed_since: u32,
    pub embedded: Option<f64>,
}
