//! The outcomes as tables for people.

use std::fmt::Write as _;

use super::measure::scale;
use super::summary::{Part, Summary, by_repository, means, median, parts};
use super::{COLUMNS, Outcome};

/// The least width of a column of numbers.
const NUMBER: usize = 6;

/// A line for each repository and one for all, columns aligned. Where some tasks are for checking, their repositories stand
/// apart from the others.
pub fn table(outcomes: &[Outcome]) -> String {
    let mut rows = Vec::new();
    let parts = parts(outcomes);
    for (part, outcomes) in &parts {
        if *part != Part::All || parts.len() == 1 {
            let repositories = by_repository(outcomes.iter().copied());
            rows.extend(repositories.into_iter().map(|(repo, outcomes)| (repo.to_owned(), outcomes)));
        }
        rows.push((part.name().to_owned(), outcomes.clone()));
    }
    rows_with_means("repository", &rows)
}

/// A line for each budget, in the order in which they were given.
pub fn curve(budgets: &[u32], outcomes: &[Outcome]) -> String {
    let mut rows = Vec::new();
    for (part, outcomes) in parts(outcomes) {
        for budget in budgets {
            let at = outcomes.iter().copied().filter(|outcome| outcome.budget == *budget);
            rows.push((format!("{} {budget}", part.name()), at.collect()));
        }
    }
    rows_with_means("budget", &rows)
}

fn rows_with_means(head: &str, rows: &[(String, Vec<&Outcome>)]) -> String {
    let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0).max(head.len());
    let mut text = format!("{head:width$}  tasks");
    for (name, _) in COLUMNS {
        let _ = write!(text, "  {name:>NUMBER$}");
    }
    text.push_str("  s, median\n");
    for (name, outcomes) in rows {
        let _ = write!(text, "{name:width$}  {:>5}", outcomes.len());
        for (column, mean) in in_order(&means(outcomes)) {
            let _ = write!(text, "  {mean:>0$.1}", column.len().max(NUMBER));
        }
        let _ = writeln!(text, "  {:>9.2}", median(outcomes));
    }
    text
}

fn in_order<T: Copy>(by_measure: &std::collections::BTreeMap<&'static str, T>) -> Vec<(&'static str, T)> {
    COLUMNS.iter().filter_map(|(name, _)| Some((*name, *by_measure.get(name)?))).collect()
}

/// A line for each measure: the mean with its 95 % interval, of each part.
pub fn interval_table(outcomes: &[Outcome]) -> String {
    let summaries: Vec<(Part, Summary)> =
        parts(outcomes).into_iter().map(|(part, outcomes)| (part, Summary::of(&outcomes))).collect();
    let mut text = format!("{:<10}", "measure");
    for (part, summary) in &summaries {
        let _ = write!(text, "  {:<22}", format!("{} ({} tasks)", part.name(), summary.tasks));
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    for (name, _) in COLUMNS {
        let _ = write!(text, "{name:<10}");
        for (_, summary) in &summaries {
            let (Some(mean), Some([low, high])) = (summary.means.get(name), summary.intervals.get(name))
            else {
                continue;
            };
            let _ = write!(text, "  {mean:>5.1} {:<16}", format!("[{low:.1}, {high:.1}]"));
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
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
            .map(|(name, of)| (*name, of(&before.measures) * scale(name), of(&after.measures) * scale(name)))
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
