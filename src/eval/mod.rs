//! Tasks with known answers, and the measures of retrieval over them.
//!
//! A task is a real commit or issue; its gold is what the real change touched. The tree is the state before the
//! change, and nothing later may be seen: each snapshot is checked out into a folder of its own.

mod checkout;
mod measure;
mod report;
mod task;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde::Serialize;

pub use checkout::{find_repository, prepare};
pub use measure::{COLUMNS, Measures, measure, ranks};
pub use report::{Report, differences, table};
pub use task::{Task, read};

use crate::model::{Deadline, Note};
use crate::pipeline::{LanguageServer, Planner, Request, ServerOptions, Workspace};
use crate::plan::ContextAgent;
use crate::render::RenderOptions;
use crate::workspace::WalkOptions;

/// What stops an evaluation, or a task of it.
#[derive(Debug, thiserror::Error)]
pub enum EvalError {
    #[error("{repo}: no repository of this name in {folder}; clone it there as `{}`", repo.replace('/', "+"))]
    Repository { repo: String, folder: String },
    #[error("{repo} at {snapshot}: no checkout could be made: {what}")]
    Checkout { repo: String, snapshot: String, what: String },
    #[error("{id}: {what}")]
    Answer { id: String, what: String },
    #[error("{repo}: without a language server: {what}")]
    Server { repo: String, what: String },
}

/// How to run the tasks.
pub struct Options {
    /// Where the repositories are.
    pub repos: PathBuf,
    /// Where checkouts are made and kept.
    pub work: PathBuf,
    /// Tokens of each pack.
    pub budget: u32,
    /// Who plans, and how long it may take for each task; rules where nobody is named.
    pub planner: Option<(Box<dyn ContextAgent>, Duration)>,
    /// Runs every task a second time, with a language server that may take so long to load.
    pub server: Option<(ServerOptions, Duration)>,
}

/// All that came of a run.
#[derive(Debug, Default)]
pub struct Run {
    /// By the text alone.
    pub outcomes: Vec<Outcome>,
    /// The same tasks with a language server that was ready; those of snapshots where none was are not among them.
    pub served: Vec<Outcome>,
    /// Tasks that could not be run, and servers that could not be had.
    pub errors: Vec<EvalError>,
}

/// One task with what came of it.
#[derive(Debug, Clone, Serialize)]
pub struct Outcome {
    pub id: String,
    pub repo: String,
    #[serde(flatten)]
    pub measures: Measures,
    /// The rank of each gold file.
    pub ranks: BTreeMap<String, Option<usize>>,
    /// `heuristic`, or the model that made the plan.
    pub planned_by: String,
    pub tokens: u32,
    pub seconds: f64,
    pub top: Vec<String>,
}

/// Runs the tasks, those of one snapshot together; tells `progress` after each. What cannot be run stops nothing else.
pub fn run(tasks: &[Task], options: &Options, progress: &mut dyn FnMut(&Outcome)) -> Run {
    let mut run = Run::default();
    let mut groups: BTreeMap<(&str, &str), Vec<&Task>> = BTreeMap::new();
    for task in tasks {
        groups.entry((&task.repo, &task.snapshot)).or_default().push(task);
    }
    for ((repo, snapshot), group) in groups {
        let workspace = match open(repo, snapshot, options) {
            Ok(workspace) => workspace,
            Err(error) => {
                run.errors.push(error);
                continue;
            }
        };
        for task in &group {
            match one(task, &workspace, &LanguageServer::absent(&workspace.snapshot.root), options) {
                Ok(outcome) => {
                    progress(&outcome);
                    run.outcomes.push(outcome);
                }
                Err(error) => run.errors.push(error),
            }
        }
        let Some((server, wait)) = &options.server else { continue };
        match ready(&workspace, server, *wait) {
            Ok(server) => {
                let served = group.iter().filter_map(|task| one(task, &workspace, &server, options).ok());
                run.served.extend(served);
            }
            Err(what) => run.errors.push(EvalError::Server { repo: repo.into(), what }),
        }
    }
    run
}

/// A server that has proved itself, or why there is none.
fn ready(workspace: &Workspace, options: &ServerOptions, wait: Duration) -> Result<LanguageServer, String> {
    let server = LanguageServer::start(&workspace.snapshot.root, options);
    match server.wait(workspace, &Deadline::after(wait), &mut |_| {}) {
        true => Ok(server),
        false => {
            let notes: Vec<String> = server.notes().into_iter().map(|Note { text, .. }| text).collect();
            Err(notes.join("; "))
        }
    }
}

fn open(repo: &str, snapshot: &str, options: &Options) -> Result<Workspace, EvalError> {
    let folder = || options.repos.display().to_string();
    let repository = find_repository(&options.repos, repo)
        .ok_or_else(|| EvalError::Repository { repo: repo.into(), folder: folder() })?;
    let root = prepare(&repository, repo, snapshot, &options.work)?;
    Workspace::open(&root, &WalkOptions::default(), &Deadline::never()).map_err(|error| EvalError::Checkout {
        repo: repo.into(),
        snapshot: snapshot.into(),
        what: error.to_string(),
    })
}

fn one(
    task: &Task,
    workspace: &Workspace,
    server: &LanguageServer,
    options: &Options,
) -> Result<Outcome, EvalError> {
    let start = Instant::now();
    let request = Request {
        query: task.query.clone(),
        budget: options.budget,
        max_files: None,
        depth: None,
        tests: None,
        mask: true,
        render: RenderOptions::default(),
    };
    let planner = options.planner.as_ref();
    let planner = planner.map_or(Planner::rules(), |(agent, limit)| Planner::agent(&**agent, *limit));
    let answer = workspace
        .answer(&request, server, &planner, &Deadline::never())
        .map_err(|error| EvalError::Answer { id: task.id.clone(), what: error.to_string() })?;
    let ranks = ranks(task, &answer.pack.ranking);
    Ok(Outcome {
        id: task.id.clone(),
        repo: task.repo.clone(),
        measures: measure(task, &answer.pack),
        ranks: task.modified.iter().cloned().zip(ranks).collect(),
        planned_by: answer.pack.plan.source.clone(),
        tokens: answer.pack.budget.used,
        seconds: start.elapsed().as_secs_f64(),
        top: answer.pack.ranking.iter().take(10).cloned().collect(),
    })
}
