//! What a planning model is worth, and what a bad one costs: `dossier eval` with models that know, half know, and lie, behind
//! a server that speaks Ollama's wire format.
//!
//! ```text
//! cargo run --release --example planner_trial -- --tasks commits.jsonl --repos FOLDER --work FOLDER
//! ```

#[allow(dead_code)]
#[path = "../../tests/support/http.rs"]
mod http;
#[allow(dead_code)]
#[path = "../../tests/support/ollama.rs"]
mod ollama;
#[allow(dead_code, reason = "the tasks are run by `dossier::eval`")]
#[path = "../shared/mod.rs"]
mod shared;

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, ensure};
use clap::Parser;
use dossier::config::DEFAULT_BUDGET;
use dossier::eval::{self, Keep, Outcome, Task};
use dossier::llm;
use dossier::plan::{ContextAgent, MOST_OFFERED, ModelAgent};
use dossier::text::redact;
use serde_json::{Value, json};

/// Paths in a liar's shortlist, and wrong ones in that of a model that half knows.
const LIES: usize = 10;
const NOISE: usize = 3;

/// Runs tasks with known answers without a model, then with three that are played.
#[derive(Parser)]
struct Args {
    #[command(flatten)]
    source: shared::Source,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Player {
    /// Names the files that were changed, where they are among the candidates.
    Oracle,
    /// Names each of them with a chance of one half, and three others.
    Noisy,
    /// Names ten candidates by chance.
    Liar,
}

fn main() -> Result<()> {
    let args = Args::parse();
    let tasks = Arc::new(args.source.read()?);
    let alone = run(&args, &tasks, None)?;
    row("rules alone", &alone);
    println!("{:16}{:>46.1}", "ceiling", 100.0 * ceiling(&tasks, &alone));
    for player in [Player::Oracle, Player::Noisy, Player::Liar] {
        let known = Arc::clone(&tasks);
        let server = ollama::Ollama::with(move |asked| ollama::answer(asked, &plan(player, asked, &known)));
        let model = llm::Ollama::new(&server.host(), ollama::MODEL)?;
        let outcomes = run(&args, &tasks, Some(Box::new(ModelAgent::new(Box::new(model)))))?;
        row(&format!("{player:?}").to_lowercase(), &outcomes);
    }
    Ok(())
}

fn run(args: &Args, tasks: &[Task], agent: Option<Box<dyn ContextAgent>>) -> Result<Vec<Outcome>> {
    let options = eval::Options {
        repos: args.source.repos.clone(),
        work: args.source.work.clone(),
        keep: Keep::Snapshots,
        jobs: 1,
        fill: true,
        budgets: vec![DEFAULT_BUDGET],
        planner: agent.map(|agent| (agent, Duration::from_secs(10))),
        server: None,
        embedding: None,
        kept: None,
        program: String::new(),
    };
    let run = eval::run(tasks, &options, &|_| ());
    for error in &run.errors {
        eprintln!("{error}");
    }
    ensure!(!run.outcomes.is_empty(), "no task could be run");
    Ok(run.outcomes)
}

fn row(name: &str, outcomes: &[Outcome]) {
    let wanted = ["hit@1", "mrr", "all@10", "all@20", "pack_touch", "pack_lines", "pack_prec"];
    let columns = wanted.iter().filter_map(|name| eval::COLUMNS.iter().find(|(column, _)| column == name));
    let told: Vec<String> = columns
        .map(|(name, of)| {
            let sum: f64 = outcomes.iter().map(|outcome| of(&outcome.measures)).sum();
            format!("{name} {:>5.1}", 100.0 * sum / outcomes.len() as f64)
        })
        .collect();
    let planned = outcomes.iter().filter(|outcome| outcome.planned_by != "heuristic").count();
    println!("{name:16}{}   planned by it: {planned} of {}", told.join("  "), outcomes.len());
}

/// The share of the tasks whose files are all among the candidates that are offered, and ten at most.
fn ceiling(tasks: &[Task], alone: &[Outcome]) -> f64 {
    let is_reachable = |outcome: &&Outcome| {
        let all_offered = outcome.ranks.values().all(|rank| rank.is_some_and(|rank| rank <= MOST_OFFERED));
        let is_known = tasks.iter().any(|task| task.id == outcome.id);
        is_known && all_offered && outcome.ranks.len() <= 10
    };
    alone.iter().filter(is_reachable).count() as f64 / alone.len() as f64
}

/// What a player replies to the body of a request for a chat.
fn plan(player: Player, asked: &Value, tasks: &[Task]) -> String {
    let message = asked["messages"].as_array().and_then(|messages| messages.last());
    let message = message.and_then(|message| message["content"].as_str()).unwrap_or_default();
    let (task, candidates) = message.split_once("\n\nCandidates:\n").unwrap_or((message, ""));
    let task = task.split_once('\n').map_or(task, |(_, task)| task);
    let is_it = |known: &&Task| redact(&known.query).text.trim().starts_with(task);
    let Some(task) = tasks.iter().find(is_it) else { return "I do not know this task.".to_owned() };
    let paths = candidates.lines().map(|line| line.split(": ").next().unwrap_or(line));
    let mut paths: Vec<&str> = paths.collect();
    let is_gold = |path: &&str| task.modified.iter().any(|gold| gold == path);
    let gold: Vec<&str> = paths.iter().copied().filter(is_gold).collect();
    paths.sort_by_key(|path| chance(&task.id, path));
    let shortlist: Vec<&str> = match player {
        Player::Oracle => gold,
        Player::Noisy => {
            let known = gold.into_iter().filter(|path| chance(&task.id, path).is_multiple_of(2));
            let noise = paths.iter().copied().filter(|path| !is_gold(path)).take(NOISE);
            noise.chain(known).collect()
        }
        Player::Liar => paths.iter().copied().take(LIES).collect(),
    };
    json!({ "shortlist": shortlist, "keywords": [] }).to_string()
}

/// The same number for the same task and path, in every run.
fn chance(task: &str, path: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    (task, path).hash(&mut hasher);
    hasher.finish()
}
