//! Fits a model on tasks with known answers, and prints it as it stands in the code, beside the one that is in use.
//!
//! ```text
//! cargo run --release --example fit -- packing --tasks commits.jsonl --tasks issues.jsonl --repos FOLDER --work FOLDER \
//!     --checking casey/just --checking …
//! ```
//!
//! Nothing is learned from the repositories named with `--checking`.

mod confidence;
mod logistic;
mod packing;
#[path = "../shared/mod.rs"]
mod shared;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::{Result, ensure};
use clap::{Parser, ValueEnum};
use dossier::budget::worth;
use dossier::eval::{self, Task};

use logistic::Row;
use shared::{Source, choose};

/// Strange tasks that each workspace is asked.
const STRANGE: usize = 8;

#[derive(Parser)]
struct Args {
    what: What,
    #[command(flatten)]
    source: shared::Source,
    /// Repositories that nothing is learned from
    #[arg(long)]
    checking: Vec<String>,
    /// Write what is known of each thing to this file, a line each: the task, whether it is right, what is known
    #[arg(long)]
    rows: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum What {
    /// Whether a unit is touched
    Packing,
    /// Whether the first file is right
    Confidence,
}

fn main() -> Result<()> {
    let args = Args::parse();
    let tasks = tasks(&args)?;
    let mut touched: BTreeMap<String, Vec<Row>> = BTreeMap::new();
    let mut asked: BTreeMap<String, Vec<confidence::Asked>> = BTreeMap::new();
    let mut lines = String::new();
    let embedding = args.source.embedding()?;
    let Source { repos, work, .. } = &args.source;
    eval::visit(&tasks, repos, work, embedding.as_ref(), |workspace, own| {
        let Some(repo) = own.first().map(|task| &task.repo) else { return };
        for task in own {
            let choice = choose(task, workspace);
            if args.what == What::Packing {
                let rows = packing::rows(task, workspace, &choice);
                rows.iter().for_each(|row| note(&mut lines, &task.id, row));
                touched.entry(repo.clone()).or_default().extend(rows);
            } else {
                let row = confidence::asked(task, workspace, &choice, false);
                lines.push_str(&row.note());
                asked.entry(repo.clone()).or_default().push(row);
            }
        }
        if args.what == What::Confidence {
            for task in strange(&tasks, repo) {
                let row = confidence::asked(task, workspace, &choose(task, workspace), true);
                lines.push_str(&row.note());
                asked.entry(repo.clone()).or_default().push(row);
            }
        }
        eprintln!("{repo}");
    })?;
    if let Some(file) = &args.rows {
        std::fs::write(file, lines)?;
    }
    match args.what {
        What::Packing => logistic::report(&touched, &worth::MODEL, worth::BIAS),
        What::Confidence => confidence::report(&asked),
    }
    Ok(())
}

fn tasks(args: &Args) -> Result<Vec<Task>> {
    let mut tasks = args.source.read()?;
    tasks.retain(|task| !args.checking.contains(&task.repo));
    ensure!(!tasks.is_empty(), "no task is left to learn from");
    Ok(tasks)
}

/// At most `STRANGE` tasks of other repositories, at equal distances in their order. Each repository begins at another one, by
/// the length of its name, so that they are not all asked the same.
fn strange<'a>(tasks: &'a [Task], repo: &str) -> Vec<&'a Task> {
    let others: Vec<&Task> = tasks.iter().filter(|task| task.repo != repo).collect();
    let distance = (others.len() / STRANGE).max(1);
    let first = repo.len() % distance;
    others.into_iter().skip(first).step_by(distance).take(STRANGE).collect()
}

fn note(lines: &mut String, task: &str, row: &Row) {
    let _ = write!(lines, "{task}\t{}", u8::from(row.right));
    row.known.iter().for_each(|value| _ = write!(lines, "\t{value:.4}"));
    lines.push('\n');
}
