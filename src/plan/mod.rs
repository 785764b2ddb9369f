//! From plain words to a plan: what the task says (`QueryIntent`), and what to look for (`ContextPlan`).

mod abbreviations;
mod action;
mod agent;
mod analyzer;
mod backtrace;
mod chunks;
mod entities;
mod heuristic;
mod keywords;
mod names;
mod places;
mod sections;
mod vocabulary;

use serde::{Deserialize, Serialize};

use crate::model::Note;

pub use agent::{AgentError, ContextAgent, MOST_OFFERED, ModelAgent, Offer, Offered, Proposal, merge};
pub use analyzer::analyze;
pub use heuristic::{HEURISTIC, PlanFacts, plan};
pub use vocabulary::{Vocabulary, carry_over};

/// What the task says.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct QueryIntent {
    pub action: Action,
    /// Words that carry meaning: stop words out, lower case, identifiers split and kept whole, best first, with their weights.
    pub keywords: Vec<Keyword>,
    /// Neighbouring words written as one (`hash map` → `hashmap`): worth looking up where the workspace has them.
    pub compounds: Vec<Keyword>,
    /// Types, functions and paths that the task names, best first.
    pub entities: Vec<Entity>,
    /// Files and folders that the task names, with the lines where it says them, best first.
    pub places: Vec<QuotedPlace>,
    /// Places inside copies of published packages (`~/.cargo/registry/…/axum-0.6.2/src/routing/mod.rs:10`): of this workspace
    /// where it has a package of that name. In the order of the text.
    pub packaged: Vec<PackagedPlace>,
    /// Innermost frame first, places of panics before all.
    pub backtrace: Vec<Frame>,
    pub scope: Scope,
    pub complexity: Complexity,
    /// Whether the task itself is about tests.
    pub wants_tests: bool,
    /// Whether it speaks of what manifests say: dependencies, features, the oldest Rust that serves.
    pub wants_manifests: bool,
    /// Whether it speaks of documentation.
    pub wants_docs: bool,
    /// What of the task was not read.
    pub notes: Vec<Note>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    Create,
    Modify,
    Debug,
    Explain,
    Refactor,
    Search,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    Focused,
    Module,
    Codebase,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Complexity {
    Simple,
    Medium,
    Complex,
}

/// A word to search for, lower case and as spelt: whoever looks it up calls [`crate::text::normalize`]. `weight` is 1
/// for a plain word of the task's first line; more for an identifier, less for what stands in code and logs or is derived.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Keyword {
    pub word: String,
    pub weight: f64,
}

/// Something in the code that the task names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Entity {
    /// As written: `UserService::find_by_email`, `UserService.find_by_email()`.
    pub text: String,
    /// Its parts: `["UserService", "find_by_email"]`.
    pub path: Vec<String>,
    /// Whether the task marks it as code (back-ticks, `::`, `()`), or only its spelling shows it.
    pub quoted: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct QuotedPlace {
    /// As written, `\` turned to `/`.
    pub path: String,
    /// 1-based.
    pub line: Option<u32>,
}

/// A place in a registry's or Cargo's own copy of a package.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PackagedPlace {
    /// `axum`; of a git checkout the repository's name.
    pub package: String,
    /// From the package's root, of a git checkout from the repository's: `src/routing/mod.rs`.
    pub path: String,
    /// 1-based.
    pub line: Option<u32>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Frame {
    /// `mycrate::module::function`, generic arguments and hashes taken off; empty where only the place is known.
    pub function: String,
    pub path: Option<String>,
    pub line: Option<u32>,
}

/// What to look for, and how far to go.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ContextPlan {
    pub keywords: Vec<Keyword>,
    pub symbols_to_find: Vec<String>,
    /// Globs over paths.
    pub file_patterns: Vec<String>,
    pub include_tests: bool,
    /// How many steps of the graph an expansion goes.
    pub max_depth: u32,
    pub strategy: Strategy,
    /// At most ten paths in order, each from the candidates that were offered. The heuristic plan has none.
    pub shortlist: Vec<String>,
    /// How far each path of the shortlist is believed, by where they all stand in the ranking: 0 to 1.
    pub shortlist_beliefs: Vec<f64>,
    /// `heuristic`, or the model's name.
    pub source: String,
    /// One sentence for a person.
    pub reasoning: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Strategy {
    Focused { symbols: Vec<String> },
    Broad { patterns: Vec<String> },
    EntryPointBased { entry_files: Vec<String> },
    Semantic { query: String, top_k: u32 },
}

#[cfg(test)]
mod tests;
