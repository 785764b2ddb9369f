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
    #[serde(default = "limit")]
    pub limit: u32,
    #[serde(default)]
    pub tests: Option<bool>,
    #[serde(default)]
    pub fresh: bool,
    #[serde(default = "time")]
    pub time_ms: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SearchAnswer {
    pub hits: Vec<Hit>,
    pub freshness: Freshness,
    pub notes: Vec<Note>,
}

/// A file that a task may be about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Hit {
    pub path: String,
    pub rank: u32,
    pub score: f64,
    pub reasons: Vec<Reason>,
    /// The items of it that come closest.
    pub items: Vec<String>,
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
