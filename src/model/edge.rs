//! How two items hang together, and how sure that is.

use serde::{Deserialize, Serialize};

use super::{Span, SymbolId};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EdgeKind {
    Defines,
    Imports,
    Calls,
    Uses,
    Implements,
    Tests,
}

/// `Resolved`: the text leaves no other reading. `Guessed`: the name fits, others may fit too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Certainty {
    Guessed,
    Resolved,
}

/// `from` calls, uses, implements … `to`, at `at` in the file of `from`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    pub from: SymbolId,
    pub to: SymbolId,
    pub kind: EdgeKind,
    pub certainty: Certainty,
    pub at: Span,
}
