//! Questions beside the task: files by their names, files without their code, how items hang together.

use serde::{Deserialize, Serialize};

use super::{Given, Lsp, Place, budget, time, yes};
use crate::budget::Freshness;
use crate::config::Format;
use crate::lsp::ServerStatus;
use crate::model::{Note, Signal, SymbolKind};
use crate::session::related::{Question, Report};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LookupParams {
    #[serde(flatten)]
    pub place: Place,
    /// A path from the root, or the name or path of an item.
    pub name: String,
    /// Why it is there, for its reader.
    #[serde(default = "asked_for")]
    pub reason: String,
    /// Tokens.
    #[serde(default = "budget")]
    pub room: u32,
    /// Whether secrets are masked.
    #[serde(default = "yes")]
    pub mask: bool,
    #[serde(default)]
    pub format: Format,
    #[serde(default)]
    pub line_numbers: bool,
}

/// Either files, or why there are none.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct LookupAnswer {
    pub files: Vec<Given>,
    /// Their code, rendered.
    pub text: String,
    pub refused: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OpenParams {
    #[serde(flatten)]
    pub place: Place,
    #[serde(default)]
    pub lsp: Lsp,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OutlineParams {
    #[serde(flatten)]
    pub place: Place,
    /// From the root, with `/` between the parts.
    pub path: String,
}

/// In the order of the text; none of a file that is not Rust, or not of the workspace.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct OutlineAnswer {
    pub items: Vec<OutlineItem>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OutlineItem {
    /// With what it stands in: `Type::method`.
    pub name: String,
    pub kind: SymbolKind,
    /// The first and the last line, and the line of its name; 1-based.
    pub lines: [u32; 2],
    pub name_line: u32,
    pub is_test: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SearchParams {
    #[serde(flatten)]
    pub place: Place,
    pub query: String,
    #[serde(default)]
    pub mode: SearchMode,
    #[serde(default)]
    pub level: SearchLevel,
    #[serde(default = "limit")]
    pub limit: u32,
    /// Whether tests are wanted; what the query says where none is given.
    #[serde(default)]
    pub tests: Option<bool>,
    #[serde(default)]
    pub fresh: bool,
    #[serde(default = "time")]
    pub time_ms: u64,
}

/// What a search goes by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SearchMode {
    /// Closeness in meaning alone.
    Semantic,
    /// Words, names, past commits and what hangs together.
    Structural,
    /// All of it.
    #[default]
    Hybrid,
}

/// What a search finds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SearchLevel {
    /// Items of the code.
    Symbol,
    #[default]
    File,
    /// Modules of the code, by their own file, with all files in their folder.
    Module,
    /// Sections of what is not code: documentation, manifests, SQL, configuration.
    Doc,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SearchAnswer {
    /// Best first.
    pub hits: Vec<Hit>,
    pub freshness: Freshness,
    pub notes: Vec<Note>,
}

/// What a task may be about: a file, or what else was searched for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Hit {
    pub path: String,
    /// The first and the last line, 1-based; of a module those of its own file.
    pub lines: [u32; 2],
    /// Of an item with what it stands in (`Type::method`), of a module with its crate (`shop::stock`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<SymbolKind>,
    pub rank: u32,
    pub score: f64,
    /// They add up to the score; the heaviest first. Those of a module are those of its best file.
    pub reasons: Vec<Reason>,
    /// The items of a file that come closest; of a module those of its best file.
    pub items: Vec<String>,
    /// The files of a module that match, best first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// One line of it: an item's signature, a section's heading, what a file says of itself. Secrets are masked.
    pub preview: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reason {
    pub signal: String,
    pub weight: f64,
    pub detail: String,
    pub source: String,
}

impl Reason {
    pub(in crate::session) fn of(signal: &Signal) -> Reason {
        let Signal { kind, weight, detail, source } = signal;
        let (signal, source) = (kind.to_string(), source.name().to_owned());
        Reason { signal, weight: *weight, detail: detail.clone(), source }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GraphParams {
    #[serde(flatten)]
    pub place: Place,
    pub question: Question,
    /// A name, or a path such as `Type::method`.
    pub symbol: String,
    /// Steps.
    #[serde(default = "one")]
    pub depth: u32,
    #[serde(default)]
    pub lsp: Lsp,
    #[serde(default)]
    pub fresh: bool,
    #[serde(default = "time")]
    pub time_ms: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GraphAnswer {
    pub report: Report,
    pub language_server: ServerStatus,
    pub freshness: Freshness,
    pub notes: Vec<Note>,
}

fn asked_for() -> String {
    "asked for".to_owned()
}

fn one() -> u32 {
    1
}

fn limit() -> u32 {
    20
}
