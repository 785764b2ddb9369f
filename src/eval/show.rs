//! One task with all that came of it: what was expected, where it stands, why, and which of its lines are shown.

use std::fmt::Write as _;

use super::checkout::Checkouts;
use super::measure::scale;
use super::run::open;
use super::{COLUMNS, EvalError, Options, Task, measure, ranks};
use crate::budget::{ContextPack, Entry};
use crate::model::{Deadline, LineRange};
use crate::pipeline::{Answer, LanguageServer};
use crate::render::harmless;

/// Ranks that are listed whatever stands there; what is expected is listed wherever it stands.
const LISTED: usize = 20;

/// The page of a task, at the first budget.
///
/// # Errors
/// The task cannot be run.
pub fn show(task: &Task, options: &Options) -> Result<String, EvalError> {
    let checkouts = Checkouts::new(&options.repos, &options.work, options.keep);
    let checkout = checkouts.take(&task.repo, &task.snapshot)?;
    let workspace = open(&checkout, task)?;
    options.embedding.as_ref().map_or(Ok(()), |embedding| embedding.understand(&workspace))?;
    let (task, beyond) = task.within(&workspace.snapshot);
    let request = options.request(&task.query, options.budget());
    let server = LanguageServer::absent(&workspace.snapshot.root);
    let answer = workspace
        .answer(&request, &server, &options.planner(), &Deadline::never())
        .map_err(|error| EvalError::Task { id: task.id.clone(), what: error.to_string() })?;
    let mut page = head(&task, &answer.pack);
    for what in beyond {
        let _ = writeln!(page, "warning: {what}");
    }
    page.push_str(&ranking(&task, &answer.pack));
    page.push_str(&pack(&task, &answer.pack));
    page.push_str(&expected(&task, &answer));
    page.push_str(&measures(&task, &answer.pack));
    Ok(harmless(&page).into_owned())
}

fn head(task: &Task, pack: &ContextPack) -> String {
    let mut text = format!("# {}: {} at {}\n\n", task.id, task.repo, task.snapshot);
    for line in task.query.lines() {
        let _ = writeln!(text, "    {line}");
    }
    let words: Vec<String> =
        pack.plan.keywords.iter().map(|word| format!("{} {:.2}", word.word, word.weight)).collect();
    let _ = writeln!(text, "\nplanned by {}; words: {}", pack.plan.source, words.join(", "));
    text
}

/// What a file is to the task: `*` expected, `t` a test that the change touched, `u` used by the changed lines.
fn mark(task: &Task, path: &str) -> char {
    let is_in = |paths: &[String]| paths.iter().any(|own| own == path);
    match () {
        () if is_in(&task.modified) => '*',
        () if is_in(&task.tests) => 't',
        () if is_in(&task.used) => 'u',
        () => ' ',
    }
}

fn ranking(task: &Task, pack: &ContextPack) -> String {
    let all = pack.ranking.len();
    let mut text =
        format!("\n## Ranking of {all} candidates (* expected, t test of the change, u used by it)\n");
    for (rank, path) in (1..).zip(&pack.ranking) {
        let mark = mark(task, path);
        if rank <= LISTED || mark == '*' {
            let _ = writeln!(text, "{mark} {rank:>4}  {path}");
        }
    }
    for (path, rank) in task.modified.iter().zip(ranks(task, &pack.ranking)) {
        if rank.is_none() {
            let _ = writeln!(text, "*    -  {path}: no candidate");
        }
    }
    text
}

fn pack(task: &Task, pack: &ContextPack) -> String {
    let (used, limit) = (pack.budget.used, pack.budget.limit);
    let mut text = format!("\n## Pack: {} files, {used} of {limit} tokens\n", pack.files.len());
    for entry in &pack.files {
        let Entry { path, rank, level, tokens, ranges, .. } = entry;
        let level = format!("{level:?}").to_lowercase();
        let mark = mark(task, path);
        let _ = writeln!(text, "{mark} {rank:>4}  {path}  {level}, {tokens} tokens{}", of_lines(ranges));
    }
    text
}

fn expected(task: &Task, answer: &Answer) -> String {
    let mut text = "\n## Expected\n".to_owned();
    for (path, rank) in task.modified.iter().zip(ranks(task, &answer.pack.ranking)) {
        let ranked = rank.and_then(|rank| answer.ranked.get(rank - 1));
        match (rank, ranked) {
            (Some(rank), Some(ranked)) => {
                let _ = writeln!(text, "{path}: rank {rank}, score {:.3}", ranked.score);
                for signal in &ranked.signals {
                    let (source, detail) = (signal.source.name(), &signal.detail);
                    let _ = writeln!(text, "    {:+.3}  {}: {detail} ({source})", signal.weight, signal.kind);
                }
            }
            _ => {
                let _ = writeln!(text, "{path}: no candidate");
            }
        }
        let dropped = answer.pack.dropped.iter().find(|dropped| dropped.path == *path);
        if let Some(dropped) = dropped {
            let _ = writeln!(text, "    left out: {}", dropped.why);
        }
        let (shown, missing) = lines(task, &answer.pack, path);
        let none = |ranges: &[LineRange]| if ranges.is_empty() { ": none".to_owned() } else { String::new() };
        let _ = writeln!(text, "    changed lines shown{}{}", none(&shown), of_lines(&shown));
        let _ = writeln!(text, "    changed lines missing{}{}", none(&missing), of_lines(&missing));
    }
    text
}

/// The changed lines of a file that the pack shows, and those that it does not.
fn lines(task: &Task, pack: &ContextPack, path: &str) -> (Vec<LineRange>, Vec<LineRange>) {
    let ranges = pack.files.iter().find(|entry| entry.path == path).map_or(&[][..], |entry| &entry.ranges);
    let (mut shown, mut missing) = (Vec::new(), Vec::new());
    for line in task.regions.get(path).into_iter().flatten().flat_map(|region| region.first..=region.last) {
        let is_shown = ranges.iter().any(|range| range.contains(line));
        add(if is_shown { &mut shown } else { &mut missing }, line);
    }
    (shown, missing)
}

fn add(ranges: &mut Vec<LineRange>, line: u32) {
    match ranges.last_mut() {
        Some(last) if last.first <= line && line <= last.last + 1 => last.last = last.last.max(line),
        _ => ranges.push(LineRange::new(line, line)),
    }
}

/// `: 3-9, 12`; nothing where there are none.
fn of_lines(ranges: &[LineRange]) -> String {
    let one = |range: &LineRange| match range.first == range.last {
        true => range.first.to_string(),
        false => format!("{}-{}", range.first, range.last),
    };
    let listed: Vec<String> = ranges.iter().map(one).collect();
    if listed.is_empty() { String::new() } else { format!(": {}", listed.join(", ")) }
}

fn measures(task: &Task, pack: &ContextPack) -> String {
    let measures = measure(task, pack);
    let all: Vec<String> =
        COLUMNS.iter().map(|(name, of)| format!("{name} {:.1}", of(&measures) * scale(name))).collect();
    format!("\n{}\n", all.join("  "))
}
