//! A task, and its dossier.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{Lsp, Place, budget, time, yes};
use crate::budget::{BudgetUse, Freshness, Level};
use crate::config::Format;
use crate::lsp::ServerStatus;
use crate::model::Note;
use crate::plan::{Action, Proposal};

/// A task, with the settings that it is answered by.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Task {
    #[serde(flatten)]
    pub place: Place,
    pub query: String,
    /// Tokens.
    #[serde(default = "budget")]
    pub budget: u32,
    #[serde(default)]
    pub max_files: Option<u32>,
    #[serde(default)]
    pub fill: bool,
    #[serde(default)]
    pub depth: Option<u32>,
    #[serde(default)]
    pub tests: Option<bool>,
    /// Whether secrets are masked.
    #[serde(default = "yes")]
    pub mask: bool,
    #[serde(default)]
    pub format: Format,
    #[serde(default)]
    pub line_numbers: bool,
    #[serde(default = "yes")]
    pub content: bool,
    #[serde(default)]
    pub lsp: Lsp,
    /// Whether every file is looked at again before the answer, whatever the watch says.
    #[serde(default)]
    pub fresh: bool,
    /// How long the answer may take, the wait for the server apart.
    #[serde(default = "time")]
    pub time_ms: u64,
    /// What a model that plans made of the candidates.
    #[serde(default)]
    pub proposal: Option<Proposed>,
    /// Whether the explanation is wanted too, and how.
    #[serde(default)]
    pub explain: Option<ExplainWish>,
    /// What a person wants otherwise.
    #[serde(default)]
    pub edits: Edits,
    /// What the client has to tell; it stands among the notes of the pack.
    #[serde(default)]
    pub notes: Vec<Note>,
}

/// What a person wants otherwise in a pack.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Edits {
    /// Paths that are not to be in it.
    pub drop: Vec<String>,
    /// Files or items that are to be in it.
    pub add: Vec<String>,
    /// How deep a file is shown that is in it, by path, whatever the budget would choose.
    pub levels: BTreeMap<String, Level>,
    /// Tokens that all of it may take where something is added; the task's budget where it is more.
    pub room: u32,
}

impl Task {
    /// With all defaults.
    pub fn new(place: Place, query: impl Into<String>) -> Task {
        Task {
            place,
            query: query.into(),
            budget: budget(),
            max_files: None,
            fill: false,
            depth: None,
            tests: None,
            mask: true,
            format: Format::default(),
            line_numbers: false,
            content: true,
            lsp: Lsp::default(),
            fresh: false,
            time_ms: time(),
            proposal: None,
            explain: None,
            edits: Edits::default(),
            notes: Vec::new(),
        }
    }
}

/// A model's word on the candidates; its client has asked it, and its client's keys stay there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Proposed {
    /// The model's name, for reasons.
    pub by: String,
    pub proposal: Proposal,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ExplainWish {
    /// Columns.
    pub width: u32,
    pub color: bool,
}

impl Default for ExplainWish {
    fn default() -> ExplainWish {
        ExplainWish { width: 100, color: false }
    }
}

/// The answer to a task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Dossier {
    /// The pack in the format that was asked for; with `json` that of `docs/pack.schema.json`.
    pub text: String,
    /// Where it was asked for.
    pub explanation: Option<String>,
    /// The task as it may be repeated.
    pub query: String,
    pub workspace: PathBuf,
    pub action: Action,
    pub confidence: f64,
    /// Best first; none where nothing relevant was found.
    pub files: Vec<Given>,
    /// What was to be added and is not: why.
    pub refused: Vec<Refused>,
    pub budget: BudgetUse,
    pub language_server: ServerStatus,
    pub freshness: Freshness,
    pub notes: Vec<Note>,
}

/// A file of a dossier.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Given {
    pub path: String,
    pub level: Level,
    pub tokens: u32,
}

/// Something that somebody asked for by its name, and does not get.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused {
    pub name: String,
    pub why: String,
}
