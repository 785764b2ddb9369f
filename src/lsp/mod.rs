//! What a source of facts about code can be asked, whoever answers: the graph of the text today, a language server later; and the
//! client of language servers.
//!
//! ```text
//! server ─▶ life ─▶ process ─▶ group
//!   │        └─▶ client ─▶ crate::rpc      incoming ─▶ state
//!   └─▶ questions ─▶ convert, requests
//! ```

mod kinds;

mod group;
mod process;

mod client;
mod requests;

mod state;
mod incoming;
mod life;
mod server;

mod convert;
mod questions;

pub use kinds::{Age, Documents, Encoding, Program, RUST_ANALYZER, Readiness, ServerKind};
pub use questions::{At, Call, Place, Questions, Target, Unanswered};
pub use server::{FileChange, Launch, Probe, Server};

pub(crate) use convert::{path as path_of, uri as uri_of};

pub mod find;
pub mod toolchain;

use serde::{Deserialize, Serialize};

use crate::model::{Certainty, Deadline, Source, SymbolId};

/// What is known of the language server, told with every answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerStatus {
    pub name: String,
    pub state: ServerState,
    pub version: Option<String>,
    pub loaded_percent: Option<u32>,
    /// Whether an editor runs it, and asks it for us.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_lent: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ServerState {
    Ready,
    Loading,
    Kept,
    Absent,
    Untrusted,
    Failed,
}

/// One item in the answer to a question about another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fact {
    pub symbol: SymbolId,
    pub certainty: Certainty,
    pub source: Source,
}

/// The questions about one item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    TypeDefinition,
    Callers,
    Callees,
    References,
    Methods,
    Implementations,
    Declarations,
    Tests,
}

/// Questions that expansion asks. An empty answer means «nothing known», never «there is none».
/// Each answer is sorted, without duplicates, and stops early when the deadline is over.
pub trait LanguageProvider: Sync {
    /// Tells what will be asked about which items, so that all of it can be found out at once.
    fn prepare(&self, _symbols: &[SymbolId], _relations: &[Relation], _deadline: &Deadline) {}

    fn related(&self, symbol: SymbolId, relation: Relation, deadline: &Deadline) -> Vec<Fact> {
        match relation {
            Relation::TypeDefinition => self.type_definition(symbol, deadline),
            Relation::Callers => self.callers(symbol, deadline),
            Relation::Callees => self.callees(symbol, deadline),
            Relation::References => self.references(symbol, deadline),
            Relation::Methods => self.methods(symbol, deadline),
            Relation::Implementations => self.implementations(symbol, deadline),
            Relation::Declarations => self.declarations(symbol, deadline),
            Relation::Tests => self.tests(symbol, deadline),
        }
    }

    /// The items that a name or a path (`Router`, `Router::nest`, `auth::login`) may mean.
    fn definition(&self, path: &str, deadline: &Deadline) -> Vec<Fact>;

    /// The types that an item's signature names: of a function its parameters' and result's, of a struct its fields'.
    fn type_definition(&self, symbol: SymbolId, deadline: &Deadline) -> Vec<Fact>;

    /// The items that call it.
    fn callers(&self, symbol: SymbolId, deadline: &Deadline) -> Vec<Fact>;

    /// The items that it calls.
    fn callees(&self, symbol: SymbolId, deadline: &Deadline) -> Vec<Fact>;

    /// The items that name it in any way (callers among them).
    fn references(&self, symbol: SymbolId, deadline: &Deadline) -> Vec<Fact>;

    /// The methods of a type or a trait.
    fn methods(&self, symbol: SymbolId, deadline: &Deadline) -> Vec<Fact>;

    /// Of a trait its `impl`s, of a type all `impl`s for it, of a trait's method its implementations.
    fn implementations(&self, symbol: SymbolId, deadline: &Deadline) -> Vec<Fact>;

    /// Of a method in an `impl` of a trait: the trait's own.
    fn declarations(&self, symbol: SymbolId, deadline: &Deadline) -> Vec<Fact>;

    /// The tests that reach it directly or by one helper.
    fn tests(&self, symbol: SymbolId, deadline: &Deadline) -> Vec<Fact>;
}
