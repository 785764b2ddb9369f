//! The requests of `docs/lsp.md`: what they take, what they give.

use std::collections::BTreeMap;

use lsp_types::{Position, Range};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::budget::{BudgetUse, Level};
use crate::config::Format;
use crate::model::Note;
use crate::session::Question;
use crate::session::protocol::{Reason, Refused, SearchLevel, SearchMode};

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct DocumentId {
    pub uri: String,
}

/// What most requests take.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Ask {
    pub task: Option<String>,
    pub text_document: Option<DocumentId>,
    pub range: Option<Range>,
    pub folder: Option<String>,
    pub work_done_token: Option<Value>,
    pub partial_result_token: Option<Value>,
    /// Of `dossier/context` alone.
    pub format: Option<Format>,
    /// Of `dossier/prompt` alone: nothing is sent.
    pub preview: bool,
    /// The name of what was looked at, and is to be sent as it is.
    pub previewed: Option<String>,
}

impl Ask {
    pub fn document(&self) -> Option<&str> {
        self.text_document.as_ref().map(|document| document.uri.as_str())
    }
}

/// What a person changes by hand.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Edit {
    pub folder: Option<String>,
    pub pin: Vec<String>,
    pub unpin: Vec<String>,
    pub exclude: Vec<String>,
    pub include: Vec<String>,
    pub levels: BTreeMap<String, Option<Level>>,
    #[serde(with = "twice")]
    pub budget: Option<Option<u32>>,
    pub reset: bool,
    pub work_done_token: Option<Value>,
}

/// `null` takes back, what is missing leaves as it is.
mod twice {
    use serde::{Deserialize, Deserializer};

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Option<u32>>, D::Error> {
        Option::<u32>::deserialize(from).map(Some)
    }
}

/// `dossier.pin` and `dossier.exclude`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Mark {
    pub folder: Option<String>,
    pub name: String,
    pub undo: bool,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct GraphAsk {
    pub question: Question,
    #[serde(default)]
    pub symbol: Option<String>,
    #[serde(default)]
    pub text_document: Option<DocumentId>,
    #[serde(default)]
    pub position: Option<Position>,
    #[serde(default)]
    pub folder: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SearchAsk {
    pub query: String,
    #[serde(default)]
    pub mode: SearchMode,
    #[serde(default)]
    pub level: SearchLevel,
    #[serde(default)]
    pub limit: Option<u32>,
    #[serde(default)]
    pub folder: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Lending {
    pub server: String,
    #[serde(default = "utf_16")]
    pub position_encoding: String,
    #[serde(default)]
    pub folders: Vec<String>,
}

fn utf_16() -> String {
    "utf-16".to_owned()
}

/// What a model would be given, and why.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct View {
    pub task: String,
    pub folder: String,
    pub root: String,
    pub plan: Vec<String>,
    pub confidence: f64,
    pub files: Vec<ViewFile>,
    pub dropped: Vec<ViewDropped>,
    pub budget: BudgetUse,
    pub pinned: Vec<String>,
    pub excluded: Vec<String>,
    pub levels: BTreeMap<String, Level>,
    pub refused: Vec<Refused>,
    pub explanation: String,
    pub language_server: Value,
    pub freshness: Value,
    pub notes: Vec<Note>,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ViewFile {
    pub uri: String,
    pub path: String,
    pub rank: u32,
    pub level: Level,
    pub tokens: u32,
    pub ranges: Vec<Range>,
    pub reasons: Vec<Reason>,
    pub pinned: bool,
}

#[derive(Debug, Clone, Serialize)]
pub(super) struct ViewDropped {
    pub uri: String,
    pub path: String,
    pub rank: u32,
    pub score: f64,
    pub why: String,
}

/// A pack as its JSON has it (`docs/pack.schema.json`), as far as a view needs it.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Pack {
    pub query: String,
    pub intent: Value,
    pub plan: Value,
    pub confidence: f64,
    pub files: Vec<PackFile>,
    pub dropped: Vec<PackDropped>,
    pub budget: BudgetUse,
}

#[derive(Debug, Clone, Deserialize)]
pub(super) struct PackFile {
    pub path: String,
    pub rank: u32,
    pub level: Level,
    pub tokens: u32,
    pub ranges: Vec<[u32; 2]>,
    pub reasons: Vec<Reason>,
}

#[derive(Debug, Clone, Deserialize)]
pub(super) struct PackDropped {
    pub path: String,
    pub rank: u32,
    pub score: f64,
    pub why: String,
}
