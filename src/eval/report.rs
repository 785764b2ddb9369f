//! The outcomes as a table for people and as JSON for programs.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Serialize;

use super::{COLUMNS, Outcome, Run};

/// All of a run, as written by `--json`.
#[derive(Debug, Serialize)]
pub struct Report<'a> {
    pub version: u32,
    pub tasks: usize,
    /// Means over all tasks: shares in percent, `pack_files` a number.
    pub means: BTreeMap<&'static str, f64>,
    pub repositories: BTreeMap<String, BTreeMap<&'static str, f64>>,
    pub outcomes: &'a [Outcome],
    /// The same tasks with a language server, and their means; empty where none was asked for.
    pub served: &'a [Outcome],
    pub served_means: BTreeMap<&'static str, f64>,
    /// Tasks that could not be run, and why.
    pub errors: Vec<String>,
}

impl Report<'_> {
    pub fn of(run: &Run, errors: Vec<String>) -> Report<'_> {
        let Run { outcomes, served, .. } = run;
        let repositories = by_repository(outcomes)
            .into_iter()
            .map(|(repo, outcomes)| (repo.to_string(), means(&outcomes)))
            .collect();
        let all: Vec<&Outcome> = outcomes.iter().collect();
        Report {
            version: 1,
            tasks: outcomes.len(),
            means: means(&all),
            repositories,
            outcomes,
            served,
            served_means: means(&served.iter().collect::<Vec<_>>()),
            errors,
        }
    }
}

fn by_repository(outcomes: &[Outcome]) -> BTreeMap<&str, Vec<&Outcome>> {
    let mut repositories: BTreeMap<&str, Vec<&Outcome>> = BTreeMap::new();
    for outcome in outcomes {
        repositories.entry(&outcome.repo).or_default().push(outcome);
    }
    repositories
}

fn means(outcomes: &[&Outcome]) -> BTreeMap<&'static str, f64> {
    COLUMNS.iter().map(|&(name, of)| (name, mean(name, outcomes, of))).collect()
}

fn mean(name: &str, outcomes: &[&Outcome], of: fn(&super::Measures) -> f64) -> f64 {
    let sum: f64 = outcomes.iter().map(|outcome| of(&outcome.measures)).sum();
    let scale = if name == "pack_files" { 1.0 } else { 100.0 };
    sum * scale / outcomes.len().max(1) as f64
}

/// A line for each repository and one for all, columns aligned.
pub fn table(outcomes: &[Outcome]) -> String {
    let groups = by_repository(outcomes);
    let width = groups.keys().map(|repo| repo.len()).max().unwrap_or(0).max("repository".len());
    let mut text = format!("{:width$}  tasks", "repository");
    for (name, _) in COLUMNS {
        let _ = write!(text, "  {name:>6}");
    }
    text.push_str("  s, median\n");
    let all: Vec<&Outcome> = outcomes.iter().collect();
    let rows = groups.iter().map(|(repo, outcomes)| (*repo, outcomes)).chain([("all", &all)]);
    for (name, outcomes) in rows {
        let _ = write!(text, "{name:width$}  {:>5}", outcomes.len());
        for (column, of) in COLUMNS {
            let _ = write!(text, "  {:>1$.1}", mean(column, outcomes, of), column.len().max(6));
        }
        let _ = writeln!(text, "  {:>9.2}", median(outcomes));
    }
    text
}

/// The tasks that a second run answers otherwise than the first, better or worse, and how many it answers alike.
pub fn differences(first: &[Outcome], second: &[Outcome]) -> String {
    let mut text = String::new();
    let mut counts = [0usize; 3];
    for after in second {
        let Some(before) = first.iter().find(|before| before.id == after.id) else { continue };
        let changed: Vec<(&str, f64, f64)> = COLUMNS
            .iter()
            .filter(|(name, _)| *name != "pack_files")
            .map(|(name, of)| (*name, of(&before.measures) * 100.0, of(&after.measures) * 100.0))
            .filter(|(_, before, after)| (before - after).abs() > f64::EPSILON)
            .collect();
        let gain: f64 = changed.iter().map(|(_, before, after)| after - before).sum();
        let (verdict, count) = match gain {
            gain if gain > 0.0 => ("better", 0),
            gain if gain < 0.0 => ("worse", 1),
            _ => ("alike", 2),
        };
        counts[count] += 1;
        if changed.is_empty() {
            continue;
        }
        let _ = write!(text, "{verdict:6}  {}", after.id);
        for (name, before, after) in changed {
            let _ = write!(text, "  {name} {before:.1} → {after:.1}");
        }
        text.push('\n');
    }
    let [better, worse, alike] = counts;
    let _ = writeln!(text, "{better} better, {worse} worse, {alike} alike");
    text
}

fn median(outcomes: &[&Outcome]) -> f64 {
    let mut seconds: Vec<f64> = outcomes.iter().map(|outcome| outcome.seconds).collect();
    seconds.sort_by(f64::total_cmp);
    seconds.get(seconds.len() / 2).copied().unwrap_or(0.0)
}
