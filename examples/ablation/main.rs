//! What each signal is worth: the ranking without it, and by it alone, from the receipts of one run.
//!
//! ```text
//! cargo run --release --example ablation -- --tasks commits.jsonl --repos FOLDER --work FOLDER --checking casey/just --checking …
//! ```
//!
//! A file's score is the sum of its signals, times what its role leaves, so that the receipts say what any of them would give.
//! They do not say what the walk over the graph (`neighbourhood`) would give if it began at other files: it is taken as it is.

mod score;
#[path = "../shared/mod.rs"]
mod shared;

use anyhow::Result;
use clap::Parser;
use dossier::eval::{self, COLUMNS, Measures, measure_ranking};
use dossier::model::SignalKind;

use score::{Kept, ranking};
use shared::Source;

/// The measures that are told, of those of `dossier eval`.
const TOLD: [&str; 5] = ["hit@1", "mrr", "all@10", "all@20", "prec@10"];
/// All signals that rules give.
const SIGNALS: [SignalKind; 16] = [
    SignalKind::Text,
    SignalKind::PathWords,
    SignalKind::ItemNames,
    SignalKind::Items,
    SignalKind::Meaning,
    SignalKind::PastCommits,
    SignalKind::Neighbourhood,
    SignalKind::QuotedPath,
    SignalKind::Backtrace,
    SignalKind::Definition,
    SignalKind::Calls,
    SignalKind::References,
    SignalKind::Implements,
    SignalKind::Tests,
    SignalKind::Imports,
    SignalKind::Pattern,
];
/// The fields of a file, weighed and saturated together, as BM25F has them.
const WORDS: [SignalKind; 3] = [SignalKind::Text, SignalKind::PathWords, SignalKind::ItemNames];
/// What a search engine gives that knows a file's text and its path: the scores of these two of the three fields.
const TEXT_AND_PATH: [SignalKind; 2] = [SignalKind::Text, SignalKind::PathWords];
const BASE: &str = "BM25 and path field";
const WHOLE: &str = "the whole";

#[derive(Parser)]
struct Args {
    #[command(flatten)]
    source: shared::Source,
    /// Repositories to be told apart
    #[arg(long)]
    checking: Vec<String>,
}

/// A way to rank, with the measures of the tasks that it was tried on: for tuning, and for checking.
struct Row {
    name: String,
    kept: Kept,
    tuning: Vec<Measures>,
    checking: Vec<Measures>,
}

fn main() -> Result<()> {
    let args = Args::parse();
    let mut rows = rows();
    let embedding = args.source.embedding()?;
    let Source { repos, work, .. } = &args.source;
    eval::visit(&args.source.read()?, repos, work, embedding.as_ref(), |workspace, tasks| {
        for task in tasks {
            let choice = shared::choose(task, workspace);
            for row in &mut rows {
                let measured = measure_ranking(task, &ranking(workspace, &choice, row.kept));
                let is_checking = task.checking || args.checking.contains(&task.repo);
                if is_checking { &mut row.checking } else { &mut row.tuning }.push(measured);
            }
        }
        eprintln!("{}", workspace.snapshot.root.display());
    })?;
    print(&rows);
    Ok(())
}

fn rows() -> Vec<Row> {
    let row = |name: &str, kept: Kept| Row {
        name: name.to_owned(),
        kept,
        tuning: Vec::new(),
        checking: Vec::new(),
    };
    let without = SIGNALS.iter().chain(&[SignalKind::Role]);
    let without = without.map(|signal| row(&format!("without {signal}"), Kept::AllBut(*signal)));
    let alone = SIGNALS
        .iter()
        .map(|signal| row(&format!("{signal} alone"), Kept::Only(std::slice::from_ref(signal))));
    let whole = [row(WHOLE, Kept::All)].into_iter();
    let several = [row("text, path, names alone", Kept::Only(&WORDS)), row(BASE, Kept::Only(&TEXT_AND_PATH))];
    whole.chain(without).chain(alone).chain(several).collect()
}

/// The rows, and how far the whole is ahead of the plainest.
fn print(rows: &[Row]) {
    let (tuning, checking) = rows.first().map_or((0, 0), |row| (row.tuning.len(), row.checking.len()));
    println!("{:26}tuning ({tuning} tasks){:28}checking ({checking} tasks)", "", "");
    println!(
        "{:26}{}   {}",
        "",
        TOLD.map(|name| format!("{name:>8}")).concat(),
        TOLD.map(|name| format!("{name:>8}")).concat()
    );
    for row in rows {
        println!("{:26}{}   {}", row.name, told(&means(&row.tuning)), told(&means(&row.checking)));
    }
    let find = |name: &str| rows.iter().find(|row| row.name == name);
    let (Some(whole), Some(base)) = (find(WHOLE), find(BASE)) else { return };
    let gain = |of: fn(&Row) -> &[Measures]| -> Vec<f64> {
        means(of(whole)).iter().zip(means(of(base))).map(|(whole, base)| whole - base).collect()
    };
    let (tuning, checking) = (gain(|row| &row.tuning), gain(|row| &row.checking));
    println!("{:26}{}   {}", "gain over that", told(&tuning), told(&checking));
    let share: Vec<f64> =
        checking.iter().zip(&tuning).map(|(checking, tuning)| 100.0 * checking / tuning).collect();
    println!("{:26}{:40}   {}", "in percent of tuning's", "", told(&share));
}

/// In percent, in the order of `TOLD`.
fn means(measures: &[Measures]) -> Vec<f64> {
    let columns = TOLD.iter().filter_map(|name| COLUMNS.iter().find(|(column, _)| column == name));
    let mean = |of: fn(&Measures) -> f64| measures.iter().map(of).sum::<f64>() / measures.len() as f64;
    columns.map(|(_, of)| 100.0 * mean(*of)).collect()
}

fn told(values: &[f64]) -> String {
    values.iter().map(|value| format!("{value:>8.1}")).collect()
}
