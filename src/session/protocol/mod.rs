//! What can be asked of a session, and what it answers: typed JSON-RPC requests under `dossier/`, described in `docs/protocol.md`.
//!
//! Every field that is not the task or the workspace has a default, so that a request by hand is short; fields are added and never change
//! their meaning.

mod questions;
mod status;
mod task;

use std::path::PathBuf;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::config::DEFAULT_BUDGET;
use crate::plan::Offer;

pub use questions::{
    GraphAnswer, GraphParams, Hit, LookupAnswer, LookupParams, OpenParams, OutlineAnswer, OutlineItem,
    OutlineParams, Reason, SearchAnswer, SearchLevel, SearchMode, SearchParams,
};
pub use status::{Status, WorkspaceStatus};
pub use task::{Dossier, Edits, ExplainWish, Given, Proposed, Refused, Task};

/// Grows when a field changes its meaning; then an older client is refused.
pub const VERSION: u32 = 1;

/// A request: its name, what it takes, what it gives.
pub trait Method {
    const NAME: &'static str;
    type Params: Serialize + DeserializeOwned;
    type Answer: Serialize + DeserializeOwned;
}

macro_rules! methods {
    ($($(#[$doc:meta])* $method:ident $name:literal: $params:ty => $answer:ty;)+) => {
        $($(#[$doc])* #[derive(Debug, Clone, Copy)] pub enum $method {}
        impl Method for $method {
            const NAME: &'static str = $name;
            type Params = $params;
            type Answer = $answer;
        })+
    };
}

methods! {
    /// Who is there.
    Hello "dossier/hello": HelloParams => HelloAnswer;
    /// The dossier of a task.
    Context "dossier/context": Task => Dossier;
    /// Why each file is in it, and others are not.
    Explain "dossier/explain": Task => Dossier;
    /// What a model that plans is to be shown.
    Candidates "dossier/candidates": Task => Offer;
    /// The files, items, modules or sections that a task is about, without their code.
    Search "dossier/search": SearchParams => SearchAnswer;
    /// How items hang together.
    Graph "dossier/graph": GraphParams => GraphAnswer;
    /// Files or items by their names, with their code.
    Lookup "dossier/lookup": LookupParams => LookupAnswer;
    /// Reads a workspace, and starts its language server where that is wanted.
    Open "dossier/open": OpenParams => WorkspaceStatus;
    /// The items of a file.
    Outline "dossier/outline": OutlineParams => OutlineAnswer;
    /// Unsaved texts of this client.
    Overlay "dossier/overlay": OverlayParams => Nothing;
    /// What is there and how it does.
    StatusOf "dossier/status": Nothing => Status;
    /// Ends the process that serves, once what it does is done.
    Shutdown "dossier/shutdown": Nothing => Nothing;
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct HelloParams {
    /// The protocol's that the client speaks.
    pub protocol: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HelloAnswer {
    pub protocol: u32,
    /// Of the program.
    pub version: String,
    /// Which build of it: two builds of one version may differ.
    pub build: String,
    pub process: u32,
}

/// Which files of which workspace.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The root, absolute.
    pub workspace: PathBuf,
    /// Patterns of `.gitignore`.
    #[serde(default)]
    pub include: Vec<String>,
    #[serde(default)]
    pub exclude: Vec<String>,
    /// Whether what is known is kept on disk, and used from there.
    #[serde(default = "yes")]
    pub index: bool,
}

/// How far a language server is to be asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Lsp {
    pub ask: bool,
    /// How long the answer may wait for it to be ready, in milliseconds.
    pub wait_ms: u64,
    /// Its program and arguments, where it is not looked for in the usual places.
    pub command: Option<Vec<String>>,
    /// Whether the user trusts the workspace, by the word of an editor; `None`: `dossier trust` decides.
    pub trusted: Option<bool>,
    /// One that the client runs already, and asks for us.
    pub lent: Option<Lent>,
}

/// A language server that a client lends.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Lent {
    /// By its usual name: `rust-analyzer`.
    pub server: String,
    /// In what it counts columns: `utf-8`, `utf-16`.
    pub encoding: String,
}

impl Default for Lsp {
    fn default() -> Lsp {
        Lsp { ask: true, wait_ms: 0, command: None, trusted: None, lent: None }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OverlayParams {
    pub workspace: PathBuf,
    /// From the root, with `/` between the parts.
    pub path: String,
    /// `None`: what is on disk counts again.
    pub text: Option<String>,
}

/// No parameters, or no answer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Nothing {}

fn yes() -> bool {
    true
}

fn budget() -> u32 {
    DEFAULT_BUDGET
}

fn time() -> u64 {
    3_000
}
