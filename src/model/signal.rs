//! Why a file or an item is there: one reason, with its weight.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What was measured. The order is the order in which reasons of equal weight are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SignalKind {
    /// A model that saw the candidates chose it.
    Shortlist,
    /// The task names this path.
    QuotedPath,
    /// A frame of a pasted backtrace lies here.
    Backtrace,
    /// It defines a symbol that the task names.
    Definition,
    /// Words of the task stand in its path.
    PathWords,
    /// Words of the task stand in the names of its items.
    ItemNames,
    /// Words of the task stand in its text.
    Text,
    /// Items of it match the task.
    Items,
    /// Passages of it are close to the task in meaning.
    Meaning,
    /// Past commits with similar messages changed it.
    PastCommits,
    /// It calls, or is called by, what the task names.
    Calls,
    /// It uses what the task names.
    References,
    /// It implements what the task names, or what the task names implements it.
    Implements,
    /// It tests what the task names.
    Tests,
    /// It is imported from an entry point.
    Imports,
    /// It hangs together with the files that the rest speaks for.
    Neighbourhood,
    /// The task's pattern of files fits it.
    Pattern,
    /// Its role (test, bench, example, generated, vendored, docs) puts it behind.
    Role,
}

impl SignalKind {
    /// Whether it ties a file to what the task names, where others only say that words are alike.
    pub fn is_tie(self) -> bool {
        matches!(
            self,
            SignalKind::QuotedPath
                | SignalKind::Backtrace
                | SignalKind::Definition
                | SignalKind::Calls
                | SignalKind::References
                | SignalKind::Implements
                | SignalKind::Tests
        )
    }
}

impl fmt::Display for SignalKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SignalKind::Shortlist => "shortlist",
            SignalKind::QuotedPath => "quoted_path",
            SignalKind::Backtrace => "backtrace",
            SignalKind::Definition => "definition",
            SignalKind::PathWords => "path_words",
            SignalKind::ItemNames => "item_names",
            SignalKind::Text => "text",
            SignalKind::Items => "items",
            SignalKind::Meaning => "meaning",
            SignalKind::PastCommits => "past_commits",
            SignalKind::Calls => "calls",
            SignalKind::References => "references",
            SignalKind::Implements => "implements",
            SignalKind::Tests => "tests",
            SignalKind::Imports => "imports",
            SignalKind::Neighbourhood => "neighbourhood",
            SignalKind::Pattern => "pattern",
            SignalKind::Role => "role",
        })
    }
}

/// Who says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Source {
    Query,
    Index,
    Graph,
    History,
    /// An embedding model.
    Meaning,
    /// A language model.
    Model,
    /// A language server, by its name.
    Server(&'static str),
}

impl Source {
    pub fn name(self) -> &'static str {
        match self {
            Source::Query => "query",
            Source::Index => "index",
            Source::Graph => "graph",
            Source::History => "history",
            Source::Meaning => "meaning",
            Source::Model => "model",
            Source::Server(name) => name,
        }
    }
}

impl Serialize for Source {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// One reason, kept from where it was measured to where it is printed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Signal {
    #[serde(rename = "signal")]
    pub kind: SignalKind,
    /// Its share of the score; negative where it puts the file behind.
    pub weight: f64,
    /// In a few words, for a person: `defines Auth::login`.
    pub detail: String,
    pub source: Source,
}
