//! The user's own process, whatever its face: settings, who answers about a workspace, the model that is talked to, the journal.
//!
//! ```text
//! settings ─▶ task ─▶ asker (with a model that plans) ─▶ source: daemon, or this process
//!                       │
//!            model ─▶ compiler ─▶ talk            journal, embedder
//! ```
//!
//! Keys stay here, and talks with models are held here.

mod asker;
mod compiler;
pub(crate) mod embedder;
mod journal;
mod model;
mod outgoing;
mod planner;
mod reach;
pub(crate) mod settings;
mod talk;
mod task;

use std::any::Any;

pub(crate) use asker::{Asker, Source};
pub(crate) use compiler::{Compiler, Dossier};
pub(crate) use journal::Kept;
pub(crate) use model::Model;
pub(crate) use outgoing::Cleaner;
pub(crate) use reach::{
    host, keys, look, place, reach, reach_or_start, reach_or_start_with, running, start_for_next,
};
pub(crate) use talk::{Sink, Talk};
pub(crate) use task::{ANSWER_TIME, Task, protocol_place, walk_options, wish};

/// Where a face tells what happens beside its answer.
pub(crate) trait Tell {
    fn say(&self, text: &str);
    fn warn(&self, text: &str);
    /// Something that takes a while begins; it ends when the result is dropped.
    fn busy(&self, what: &'static str) -> Box<dyn Any>;
}
