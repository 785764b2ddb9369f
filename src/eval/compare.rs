//! A run against an older one, task by task: what was won, what was lost, and whether chance does as much.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::measure::scale;
use super::statistics::{sign_flip_test, sign_test};
use super::summary::parts;
use super::{COLUMNS, Outcome};

/// The oldest and the newest report that can be read.
const VERSIONS: std::ops::RangeInclusive<u64> = 1..=2;
/// Below this p a difference is told as one that chance seldom makes.
const SELDOM: f64 = 0.05;
/// Tasks that are named before the rest is counted.
const NAMED: usize = 10;
/// A measure changed if it did by more: numbers are written as text between the runs.
const ROUNDING: f64 = 1e-9;
/// Measures that are 0 or 1 for each task.
const BINARY: [&str; 4] = ["hit@1", "any@10", "all@10", "all@20"];

/// What is read of an older report.
#[derive(Debug, Deserialize)]
pub struct Old {
    version: u64,
    /// Reports of version 1 do not say it.
    budget: Option<u32>,
    outcomes: Vec<OldOutcome>,
    #[serde(default)]
    at_other_budgets: Vec<OldOutcome>,
}

#[derive(Debug, Deserialize)]
struct OldOutcome {
    id: String,
    /// `Task::digest`.
    task: Option<String>,
    budget: Option<u32>,
    /// The measures among others: a report may have measures that this program does not know, and lack some that it does.
    #[serde(flatten)]
    values: BTreeMap<String, Value>,
}

/// What two runs say of the same tasks at the same budget.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    pub budget: u32,
    pub tasks: usize,
    /// In the order of the tables; of all tasks last.
    parts: Vec<Compared>,
    /// Ids of tasks of the old run that are not in the new one, and of the new run that were not in the old one.
    pub only_old: Vec<String>,
    pub only_new: Vec<String>,
    /// Tasks of the same id that ask for something else now.
    pub changed: Vec<String>,
    #[serde(skip)]
    tasks_changed: Vec<Moved>,
    #[serde(skip)]
    notes: Vec<String>,
}

/// One part of the tasks.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Compared {
    part: &'static str,
    tasks: usize,
    measures: Vec<Difference>,
}

/// One measure.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Difference {
    measure: &'static str,
    /// Means, in percent where the measure is a share.
    old: f64,
    new: f64,
    /// Tasks in which the new value is higher, and lower.
    won: usize,
    lost: usize,
    /// How likely chance alone makes as much of a difference.
    p: f64,
}

/// A task whose measures changed, with old and new value of each that did.
#[derive(Debug, Clone, PartialEq)]
struct Moved {
    id: String,
    gain: f64,
    values: Vec<(&'static str, f64, f64)>,
}

/// A task of both runs.
struct Pair<'a> {
    new: &'a Outcome,
    old: &'a OldOutcome,
}

impl Old {
    /// Reads a report that `--json` wrote.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read(text: &str) -> Result<Old, String> {
        let old: Old = serde_json::from_str(text)
            .map_err(|error| format!("not a report of `dossier eval --json`: {error}"))?;
        match VERSIONS.contains(&old.version) {
            true => Ok(old),
            false => Err(format!("a report of version {}, which this program does not know", old.version)),
        }
    }

    /// Its outcomes at a budget. A report that does not say its budget is taken to have this one.
    fn at(&self, budget: u32) -> Vec<&OldOutcome> {
        let all = self.outcomes.iter().chain(&self.at_other_budgets);
        all.filter(|old| old.budget.or(self.budget).is_none_or(|own| own == budget)).collect()
    }
}

impl OldOutcome {
    /// The value of a measure, where the report has it.
    fn value(&self, measure: &str) -> Option<f64> {
        self.values.get(measure)?.as_f64()
    }
}

impl Comparison {
    /// Compares the tasks that are in both; `outcomes` are of one budget.
    ///
    /// # Errors
    /// There is none in both; why.
    pub fn of(old: &Old, outcomes: &[Outcome], budget: u32) -> Result<Comparison, String> {
        let olds = old.at(budget);
        if olds.is_empty() {
            let own = old.budget.map(|own| format!(", it was made with --token-budget {own}"));
            return Err(format!("it has no outcome at {budget} tokens{}", own.unwrap_or_default()));
        }
        let by_id: BTreeMap<&str, &OldOutcome> = olds.iter().map(|old| (old.id.as_str(), *old)).collect();
        let is_changed =
            |new: &Outcome, old: &OldOutcome| old.task.as_ref().is_some_and(|task| *task != new.task);
        let mut pairs = Vec::new();
        let (mut only_new, mut changed) = (Vec::new(), Vec::new());
        for new in outcomes {
            match by_id.get(new.id.as_str()) {
                Some(old) if is_changed(new, old) => changed.push(new.id.clone()),
                Some(old) => pairs.push(Pair { new, old }),
                None => only_new.push(new.id.clone()),
            }
        }
        if pairs.is_empty() {
            return Err("no task is in both runs as it is".to_owned());
        }
        let ids: BTreeSet<&str> = outcomes.iter().map(|new| new.id.as_str()).collect();
        let only_old = olds.iter().filter(|old| !ids.contains(old.id.as_str()));
        let mut notes = Vec::new();
        if old.budget.is_none() {
            notes.push(format!("the old report does not say its budget: taken to be {budget} tokens"));
        }
        Ok(Comparison {
            budget,
            tasks: pairs.len(),
            parts: compared_parts(&pairs),
            only_old: only_old.map(|old| old.id.clone()).collect(),
            only_new,
            changed,
            tasks_changed: moved(&pairs),
            notes,
        })
    }

    /// For a person.
    pub fn page(&self) -> String {
        let mut text =
            format!("against the old report, {} tokens, {} tasks in both\n", self.budget, self.tasks);
        for note in &self.notes {
            let _ = writeln!(text, "{note}");
        }
        let lists = [
            ("only in the old report", &self.only_old),
            ("not in the old report", &self.only_new),
            ("ask for something else than in the old report", &self.changed),
        ];
        for (what, ids) in lists.iter().filter(|(_, ids)| !ids.is_empty()) {
            let _ = writeln!(text, "{} tasks {what}: {}", ids.len(), named(ids));
        }
        for part in &self.parts {
            text.push('\n');
            text.push_str(&part_table(part));
        }
        text.push('\n');
        for Moved { id, gain, values } in &self.tasks_changed {
            let verdict = match gain {
                gain if *gain > ROUNDING => "better",
                gain if *gain < -ROUNDING => "worse",
                _ => "mixed",
            };
            let _ = write!(text, "{verdict:6}  {id}");
            for (name, old, new) in values {
                let _ = write!(text, "  {name} {old:.1} → {new:.1}");
            }
            text.push('\n');
        }
        let _ = writeln!(text, "{} tasks are answered alike", self.tasks - self.tasks_changed.len());
        text.push_str(TESTS);
        text
    }
}

const TESTS: &str = "p is how often chance alone, throwing a coin for each task, makes the runs differ as much \
     (0 or 1 per task: exact sign test; shares: paired randomisation test).\n\
     Twelve measures are tested: of two runs that are equally good, one may well fall below 0.05 by chance.\n";

fn compared_parts(pairs: &[Pair<'_>]) -> Vec<Compared> {
    let news: Vec<Outcome> = pairs.iter().map(|pair| pair.new.clone()).collect();
    let olds: BTreeMap<&str, &OldOutcome> =
        pairs.iter().map(|pair| (pair.new.id.as_str(), pair.old)).collect();
    parts(&news)
        .into_iter()
        .map(|(part, outcomes)| {
            let pairs: Vec<Pair<'_>> = outcomes
                .into_iter()
                .filter_map(|new| Some(Pair { new, old: olds.get(new.id.as_str())? }))
                .collect();
            let measures = COLUMNS.iter().filter_map(|column| difference(*column, &pairs)).collect();
            Compared { part: part.name(), tasks: pairs.len(), measures }
        })
        .collect()
}

/// `None` where the old report does not have the measure.
fn difference((name, of): super::measure::Column, pairs: &[Pair<'_>]) -> Option<Difference> {
    let values: Option<Vec<(f64, f64)>> =
        pairs.iter().map(|pair| Some((pair.old.value(name)?, of(&pair.new.measures)))).collect();
    let values = values?;
    let by: Vec<f64> = values.iter().map(|(old, new)| new - old).collect();
    let won = by.iter().filter(|by| **by > ROUNDING).count();
    let lost = by.iter().filter(|by| **by < -ROUNDING).count();
    let p = if BINARY.contains(&name) { sign_test(won, lost) } else { sign_flip_test(&by) };
    let mean = |sum: f64| sum * scale(name) / values.len().max(1) as f64;
    Some(Difference {
        measure: name,
        old: mean(values.iter().map(|(old, _)| old).sum()),
        new: mean(values.iter().map(|(_, new)| new).sum()),
        won,
        lost,
        p,
    })
}

/// The tasks that changed, the worst first.
fn moved(pairs: &[Pair<'_>]) -> Vec<Moved> {
    let of = |pair: &Pair<'_>| {
        let values: Vec<(&'static str, f64, f64)> = COLUMNS
            .iter()
            .filter_map(|(name, of)| Some((*name, pair.old.value(name)?, of(&pair.new.measures))))
            .filter(|(name, old, new)| *name != "pack_files" && (old - new).abs() > ROUNDING)
            .map(|(name, old, new)| (name, old * scale(name), new * scale(name)))
            .collect();
        let gain = values.iter().map(|(_, old, new)| new - old).sum();
        Moved { id: pair.new.id.clone(), gain, values }
    };
    let mut moved: Vec<Moved> = pairs.iter().map(of).filter(|moved| !moved.values.is_empty()).collect();
    moved.sort_by(|a, b| a.gain.total_cmp(&b.gain));
    moved
}

fn named(ids: &[String]) -> String {
    let more = match ids.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{}{more}", ids[..ids.len().min(NAMED)].join(", "))
}

fn part_table(part: &Compared) -> String {
    let mut text = format!(
        "{:<12}  {:>6}  {:>6}  {:>6}  {:>5}  {:>5}  {:>6}\n",
        format!("{} ({})", part.part, part.tasks),
        "old",
        "new",
        "change",
        "won",
        "lost",
        "p"
    );
    for Difference { measure, old, new, won, lost, p } in &part.measures {
        let _ = writeln!(
            text,
            "{measure:<12}  {old:>6.1}  {new:>6.1}  {:>+6.1}  {won:>5}  {lost:>5}  {p:>6.3}  {}",
            new - old,
            in_words(*won, *lost, *p)
        );
    }
    text
}

fn in_words(won: usize, lost: usize, p: f64) -> &'static str {
    match (won + lost, p < SELDOM) {
        (0, _) => "the same in every task",
        (_, true) => "chance seldom does as much",
        (_, false) => "chance may well do as much",
    }
}
