//! `dossier eval`: tasks with known answers, measured; tables on standard output.

mod args;
mod page;
mod tasks;

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, anyhow, ensure};

use super::Outcome;
use super::messages::Messages;
use super::output::{Output, write_file};
use super::progress::Progress;
use crate::client::settings::{cache_folder, variable};
use crate::client::{self, settings};
use crate::config::DEFAULT_BUDGET;
use crate::eval::{self, Comparison, Embedding, Kept, Old, Report};
use crate::llm::Ollama;
use crate::model::Deadline;
use crate::pipeline::ServerOptions;
use crate::plan::{ContextAgent, ModelAgent};
use crate::render::harmless;
use crate::workspace::blob_id;

pub(super) use self::args::EvalArgs;
use self::tasks::Tasks;

/// For one plan: nobody waits for an evaluation.
const PLANNER_TIME: Duration = Duration::from_secs(120);
/// Where checkouts are made, in the cache folder.
const CHECKOUTS: &str = "eval";

pub(super) fn run(args: &EvalArgs, messages: &Messages) -> anyhow::Result<Outcome> {
    let old = args.compare.as_deref().map(old).transpose()?;
    let Tasks { tasks, repos, keep, mut troubles } = tasks::read(args, messages)?;
    let options = eval::Options {
        repos,
        embedding: embedding(args)?,
        work: work(args)?,
        keep,
        jobs: jobs(args),
        budgets: budgets(args),
        fill: args.fill,
        planner: planner(args)?,
        server: server(args),
        kept: args.resume.as_deref().map(|file| kept(file, messages)).transpose()?,
        program: program(),
    };
    if let Some(wanted) = &args.show {
        troubles.iter().for_each(|trouble| messages.warn(trouble));
        let page = eval::show(tasks::named(&tasks, wanted)?, &options)?;
        Output::stdout().write(&page)?;
        return Ok(Outcome::Done);
    }
    if let Some(file) = &args.json {
        ensure_writable(file)?;
    }
    let progress = Progress::steps(tasks.len() * options.budgets.len(), messages);
    let run = eval::run(&tasks, &options, &|outcome| progress.step(outcome.id.clone()));
    drop(progress);
    if run.reused > 0 {
        messages.say(&format!("{} results were there already", run.reused));
    }
    troubles.extend(run.errors.iter().map(ToString::to_string));
    let compared = old.map(|(file, old)| {
        let compared = Comparison::of(&old, &run.outcomes, options.budget());
        compared.map_err(|what| format!("{file}: nothing is compared: {what}"))
    });
    let compared = compared.and_then(|compared| compared.map_err(|what| troubles.push(what)).ok());
    for trouble in &troubles {
        messages.warn(trouble);
    }
    if let Some(file) = &args.json {
        let report = Report::of(&run, &options, compared.as_ref(), troubles.clone());
        write_file(file, &(serde_json::to_string_pretty(&report)? + "\n"))?;
    }
    Output::stdout().write(&harmless(&page::page(&run, &options, compared.as_ref())))?;
    Ok(if troubles.is_empty() { Outcome::Done } else { Outcome::Troubled })
}

/// An older report, with its name. Read first: nobody wants to hear after an hour that it is not there.
fn old(file: &Path) -> anyhow::Result<(String, Old)> {
    let name = file.display().to_string();
    let text = std::fs::read_to_string(file).with_context(|| format!("cannot read the report {name}"))?;
    let old = Old::read(&text).map_err(|what| anyhow!("{name}: {what}"))?;
    Ok((name, old))
}

fn kept(file: &Path, messages: &Messages) -> anyhow::Result<Kept> {
    let opened = Kept::open(file);
    let (kept, reading) = opened.with_context(|| format!("cannot keep results in {}", file.display()))?;
    if reading.unread > 0 {
        let (lines, results) = (reading.unread, reading.results);
        let text = format!("{}: {lines} lines are no results; {results} were read", file.display());
        messages.say(&text);
    }
    Ok(kept)
}

/// The version and the very bytes of this program: a result of another one says nothing of this one.
fn program() -> String {
    let bytes = std::env::current_exe().and_then(std::fs::read).unwrap_or_default();
    format!("dossier {} {}", env!("CARGO_PKG_VERSION"), blob_id(&bytes))
}

fn budgets(args: &EvalArgs) -> Vec<u32> {
    let mut budgets = Vec::new();
    for budget in &args.token_budget {
        if !budgets.contains(budget) {
            budgets.push(*budget);
        }
    }
    if budgets.is_empty() { vec![DEFAULT_BUDGET] } else { budgets }
}

/// Language servers take a core and gigabytes each.
fn jobs(args: &EvalArgs) -> usize {
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    match args.jobs {
        Some(jobs) => jobs as usize,
        None if server(args).is_some() => 1,
        None => cores(),
    }
}

/// Who embeds. Nothing is measured of one that is not there.
fn embedding(args: &EvalArgs) -> anyhow::Result<Option<Embedding>> {
    if !args.embed {
        return Ok(None);
    }
    let found = client::embedder::find(&settings::of_user());
    let embedder =
        found.embedder.with_context(|| format!("no embedder: {}; `dossier embedder` has them", found.why))?;
    Ok(Some(Embedding::open(embedder, &work(args)?)?))
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

fn work(args: &EvalArgs) -> anyhow::Result<PathBuf> {
    let folder = args.work.clone().or_else(|| Some(cache_folder()?.join(CHECKOUTS)));
    folder.context("there is no home folder to make checkouts in: name one with --work")
}

/// Fails now instead of after the run.
fn ensure_writable(file: &Path) -> anyhow::Result<()> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    let there = folder.is_none_or(Path::is_dir);
    ensure!(
        there && !file.is_dir(),
        "cannot write {}: name a file in a folder that is there",
        file.display()
    );
    Ok(())
}
