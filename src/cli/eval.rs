//! `dossier eval`: tasks with known answers, measured; a table on standard output.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, ensure};

use super::Outcome;
use super::args::EvalArgs;
use super::messages::Messages;
use super::output::{Output, write_file};
use super::progress::Progress;
use super::settings::{cache_folder, variable};
use crate::config::DEFAULT_BUDGET;
use crate::eval::{self, Report, Task};
use crate::llm::Ollama;
use crate::model::Deadline;
use crate::pipeline::ServerOptions;
use crate::plan::{ContextAgent, HEURISTIC, ModelAgent};

/// For one plan: nobody waits for an evaluation.
const PLANNER_TIME: Duration = Duration::from_secs(120);
/// Where checkouts are kept, in the cache folder.
const CHECKOUTS: &str = "eval";

pub(super) fn run(args: &EvalArgs, messages: &Messages) -> anyhow::Result<Outcome> {
    let mut troubles = Vec::new();
    let tasks = tasks(args, &mut troubles)?;
    let options = eval::Options {
        repos: args.repos.clone(),
        work: work(args)?,
        budget: args.token_budget.unwrap_or(DEFAULT_BUDGET),
        planner: planner(args)?,
        server: server(args),
    };
    ensure!(
        options.repos.is_dir(),
        "{}: no such folder: name the one that holds the repositories",
        options.repos.display()
    );
    let progress = Progress::steps(tasks.len(), messages);
    let run = eval::run(&tasks, &options, &mut |outcome| progress.step(outcome.id.clone()));
    drop(progress);
    troubles.extend(run.errors.iter().map(ToString::to_string));
    for trouble in &troubles {
        messages.warn(trouble);
    }
    if let Some(file) = &args.json {
        let report = Report::of(&run, troubles.clone());
        write_file(file, &(serde_json::to_string_pretty(&report)? + "\n"))?;
    }
    Output::stdout().write(&page(&run))?;
    Ok(if troubles.is_empty() { Outcome::Done } else { Outcome::Troubled })
}

/// The model that plans. Nothing is measured of one that is not there.
fn planner(args: &EvalArgs) -> anyhow::Result<Option<(Box<dyn ContextAgent>, Duration)>> {
    let Some(model) = &args.planner_model else { return Ok(None) };
    let model = Ollama::new(&variable("OLLAMA_HOST").unwrap_or_default(), model)?;
    model.probe(&Deadline::after(PLANNER_TIME))?;
    Ok(Some((Box::new(ModelAgent::new(Box::new(model))), PLANNER_TIME)))
}

/// The server to run every task with a second time, where the user waits for it.
fn server(args: &EvalArgs) -> Option<(ServerOptions, Duration)> {
    let seconds = args.wait_lsp.filter(|seconds| *seconds > 0)?;
    Some((ServerOptions::of_user(variable, std::env::home_dir(), None), Duration::from_secs(seconds.into())))
}

/// How many of the plans are a model's.
fn planned(run: &eval::Run) -> String {
    let (by_rules, by_model): (Vec<_>, Vec<_>) =
        run.outcomes.iter().partition(|outcome| outcome.planned_by == HEURISTIC);
    match by_model.first() {
        Some(first) => {
            let (model, rules) = (&first.planned_by, by_rules.len());
            format!("planned by {model}: {} tasks; by rules, as it did not help: {rules}\n", by_model.len())
        }
        None => String::new(),
    }
}

/// The table; where tasks were run with a language server too, theirs and what differs.
fn page(run: &eval::Run) -> String {
    let mut page = eval::table(&run.outcomes) + &planned(run);
    if !run.served.is_empty() {
        let alone: Vec<eval::Outcome> =
            run.outcomes.iter().filter(|outcome| is_served(run, outcome)).cloned().collect();
        page.push_str(&format!(
            "\nby the text alone, the tasks that a language server was ready for\n{}",
            eval::table(&alone)
        ));
        page.push_str(&format!("\nwith the language server\n{}", eval::table(&run.served)));
        page.push_str(&format!("\n{}", eval::differences(&alone, &run.served)));
    }
    page
}

fn is_served(run: &eval::Run, outcome: &eval::Outcome) -> bool {
    run.served.iter().any(|served| served.id == outcome.id)
}

/// The tasks of all files that the filter leaves; what could not be read becomes troubles.
fn tasks(args: &EvalArgs, troubles: &mut Vec<String>) -> anyhow::Result<Vec<Task>> {
    let mut tasks = Vec::new();
    for file in &args.tasks {
        let text = read(file)?;
        let (read, unread) = eval::read(&text);
        troubles.extend(unread.into_iter().map(|what| format!("{}: {what}", file.display())));
        tasks.extend(read);
    }
    let wanted = |task: &Task| {
        let named = |text: &String| task.id.contains(text.as_str()) || task.repo.contains(text.as_str());
        args.filter.is_empty() || args.filter.iter().any(named)
    };
    tasks.retain(wanted);
    ensure!(
        !tasks.is_empty(),
        "no task is left to run: look at --filter and at the files given with --tasks"
    );
    Ok(tasks)
}

fn read(file: &Path) -> anyhow::Result<String> {
    std::fs::read_to_string(file).with_context(|| format!("cannot read the tasks {}", file.display()))
}

fn work(args: &EvalArgs) -> anyhow::Result<PathBuf> {
    let folder = args.work.clone().or_else(|| Some(cache_folder()?.join(CHECKOUTS)));
    folder.context("there is no home folder to keep checkouts in: name one with --work")
}
