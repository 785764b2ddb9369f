//! Tasks with known answers, and the measures of retrieval over them.
//!
//! A task is a real commit or issue; its gold is what the real change touched. The tree is the state before the
//! change, and nothing later may be seen: each snapshot is checked out into a folder of its own.
//!
//! ```text
//! task ─┐
//!       ├▶ run ─▶ measure ─▶ summary ─▶ table, report, compare
//! git ─▶ checkout                          show: one task
//!  └──▶ from_history: tasks from the user's own repository
//! ```

mod git;
mod task;
mod checkout;
mod from_history;
mod measure;
mod statistics;
mod kept;
mod run;
mod summary;
mod table;
mod report;
mod compare;
mod embedding;
mod show;
mod visit;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use checkout::Keep;
pub use compare::{Comparison, Old};
pub use embedding::Embedding;
pub use from_history::{History, from_history};
pub use kept::{Kept, Reading};
pub use measure::{COLUMNS, Measures, measure, measure_ranking, ranks};
pub use report::Report;
pub use run::run;
pub use show::show;
pub use table::{curve, differences, interval_table, table};
pub use task::{Task, read};
pub use visit::visit;

use crate::pipeline::{Planner, Request, ServerOptions};
use crate::plan::ContextAgent;

/// What stops an evaluation, or a task of it.
#[derive(Debug, thiserror::Error)]
pub enum EvalError {
    #[error("{repo}: no repository of this name in {folder}; clone it there as `{}`", repo.replace('/', "+"))]
    Repository { repo: String, folder: String },
    #[error("{repo} at {snapshot}: no checkout could be made: {what}")]
    Checkout { repo: String, snapshot: String, what: String },
    #[error("{id}: {what}")]
    Task { id: String, what: String },
    #[error("{repo}: without a language server: {what}")]
    Server { repo: String, what: String },
    #[error("{file}: results are no longer kept: {what}")]
    Kept { file: String, what: String },
    #[error("{folder}: no tasks can be made of its history: {what}")]
    History { folder: String, what: String },
}

/// How to run the tasks.
pub struct Options {
    /// Where the repositories are, or the one of all tasks.
    pub repos: PathBuf,
    /// Where checkouts are made.
    pub work: PathBuf,
    pub keep: Keep,
    /// Tasks at the same time. Each snapshot that is worked on is held in memory: so many at most.
    pub jobs: usize,
    /// Tokens of each pack; every task is answered with each. Not empty.
    pub budgets: Vec<u32>,
    /// Whether packs use the whole budget.
    pub fill: bool,
    /// Who plans, and how long it may take for each task; rules where nobody is named.
    pub planner: Option<(Box<dyn ContextAgent>, Duration)>,
    /// Runs every task a second time at the first budget, with a language server that may take so long to load.
    pub server: Option<(ServerOptions, Duration)>,
    /// What says what is close in meaning; words and the graph alone where there is none.
    pub embedding: Option<Embedding>,
    /// Results that count as done, and where new ones are kept.
    pub kept: Option<Kept>,
    /// Which program this is: what another one found is not reused.
    pub program: String,
}

impl Options {
    /// What is asked for a task: the one place where an option that changes answers comes in. `answering` names it too.
    fn request(&self, query: &str, budget: u32) -> Request {
        Request { fill: self.fill, ..Request::new(query, budget) }
    }

    fn planner(&self) -> Planner<'_> {
        let planner = self.planner.as_ref();
        planner.map_or(Planner::rules(), |(agent, limit)| Planner::agent(&**agent, *limit))
    }

    /// All options beside the budget that change what is answered, in words: results of others are not reused.
    pub fn answering(&self) -> String {
        let planner = self.planner.as_ref().map_or("rules", |(agent, _)| agent.name());
        let filled = if self.fill { ", packs filled" } else { "" };
        let meant = self.embedding.as_ref().map(|by| format!(", with {}", by.key())).unwrap_or_default();
        format!("planned by {planner}{filled}{meant}")
    }

    /// The budget of the tables.
    pub fn budget(&self) -> u32 {
        self.budgets.first().copied().unwrap_or_default()
    }
}

/// All that came of a run, in the order of the tasks.
#[derive(Debug, Default)]
pub struct Run {
    /// By the text alone, at the first budget.
    pub outcomes: Vec<Outcome>,
    /// The same tasks at the other budgets.
    pub at_other_budgets: Vec<Outcome>,
    /// The same tasks with a language server that was ready; those of snapshots where none was are not among them.
    pub served: Vec<Outcome>,
    /// How many of all these were found done already.
    pub reused: usize,
    /// Tasks that could not be run, and servers that could not be had.
    pub errors: Vec<EvalError>,
}

/// One task with what came of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    pub id: String,
    pub repo: String,
    /// `Task::digest`.
    pub task: String,
    pub checking: bool,
    /// Tokens that the pack was allowed.
    pub budget: u32,
    #[serde(flatten)]
    pub measures: Measures,
    /// The rank of each gold file.
    pub ranks: BTreeMap<String, Option<usize>>,
    /// `heuristic`, or the model that made the plan.
    pub planned_by: String,
    /// Tokens of the pack.
    pub tokens: u32,
    /// For the answer, the workspace being read; more where jobs share the cores.
    pub seconds: f64,
    pub top: Vec<String>,
}
