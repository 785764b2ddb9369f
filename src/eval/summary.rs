//! Outcomes drawn together: means, by repository and by what the tasks are for.

use std::collections::BTreeMap;

use serde::Serialize;

use super::measure::scale;
use super::statistics::intervals;
use super::{COLUMNS, Outcome};

/// Values by the names of the measures.
pub(super) type ByMeasure<T> = BTreeMap<&'static str, T>;

/// Means over some tasks, with their 95 % intervals: shares in percent, `pack_files` a number.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Summary {
    pub tasks: usize,
    pub means: ByMeasure<f64>,
    pub intervals: ByMeasure<[f64; 2]>,
}

impl Summary {
    pub fn of(outcomes: &[&Outcome]) -> Summary {
        let rows: Vec<[f64; COLUMNS.len()]> =
            outcomes.iter().map(|outcome| COLUMNS.map(|(_, of)| of(&outcome.measures))).collect();
        let scaled =
            |(name, [low, high]): (&'static str, [f64; 2])| (name, [low * scale(name), high * scale(name)]);
        let names = COLUMNS.map(|(name, _)| name);
        Summary {
            tasks: outcomes.len(),
            means: means(outcomes),
            intervals: names.into_iter().zip(intervals(&rows)).map(scaled).collect(),
        }
    }
}

/// What tasks are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Tuning,
    Checking,
    All,
}

impl Part {
    pub fn name(self) -> &'static str {
        match self {
            Part::Tuning => "tuning",
            Part::Checking => "checking",
            Part::All => "all",
        }
    }

    fn has(self, outcome: &Outcome) -> bool {
        match self {
            Part::Tuning => !outcome.checking,
            Part::Checking => outcome.checking,
            Part::All => true,
        }
    }
}

/// The outcomes in parts: where some are for checking, they and the others apart; all of them last.
pub(super) fn parts(outcomes: &[Outcome]) -> Vec<(Part, Vec<&Outcome>)> {
    let of = |part: Part| (part, outcomes.iter().filter(|outcome| part.has(outcome)).collect::<Vec<_>>());
    let apart = [of(Part::Tuning), of(Part::Checking)];
    let mixed = apart.iter().all(|(_, outcomes)| !outcomes.is_empty());
    apart.into_iter().filter(|_| mixed).chain([of(Part::All)]).collect()
}

pub(super) fn by_repository<'o>(
    outcomes: impl IntoIterator<Item = &'o Outcome>,
) -> BTreeMap<&'o str, Vec<&'o Outcome>> {
    let mut repositories: BTreeMap<&str, Vec<&Outcome>> = BTreeMap::new();
    for outcome in outcomes {
        repositories.entry(&outcome.repo).or_default().push(outcome);
    }
    repositories
}

pub(super) fn means(outcomes: &[&Outcome]) -> ByMeasure<f64> {
    COLUMNS
        .iter()
        .map(|&(name, of)| {
            let sum: f64 = outcomes.iter().map(|outcome| of(&outcome.measures)).sum();
            (name, sum * scale(name) / outcomes.len().max(1) as f64)
        })
        .collect()
}

/// Seconds.
pub(super) fn median(outcomes: &[&Outcome]) -> f64 {
    let mut seconds: Vec<f64> = outcomes.iter().map(|outcome| outcome.seconds).collect();
    seconds.sort_by(f64::total_cmp);
    seconds.get(seconds.len() / 2).copied().unwrap_or(0.0)
}
