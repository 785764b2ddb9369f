//! Dossier puts the code that a task needs in front of a language model: the right files, the right lines
//! of them, the reason for each, within a token budget.
//!
//! ```text
//! task ─▶ analyze ─▶ plan ─▶ expand ─▶ rank ─▶ budget ─▶ render
//!                              │
//!                    snapshot, syntax, graph, index
//! ```
//!
//! The modules stand here in reading order; a module uses only what stands above it.

pub mod model;
pub mod text;
pub mod config;
mod rpc;

pub mod workspace;
pub mod store;
pub mod lsp;
pub mod llm;

pub mod syntax;
pub mod graph;
pub mod index;
pub mod meaning;

pub mod plan;
pub mod expand;
pub mod rank;
pub mod budget;
pub mod render;
pub mod prompt;

pub mod pipeline;
pub mod session;
pub mod daemon;
pub mod eval;

mod client;
pub mod cli;
pub mod lsp_server;
