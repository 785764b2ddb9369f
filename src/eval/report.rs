//! The outcomes as JSON for programs, and for a later run to be compared with.

use std::collections::BTreeMap;

use serde::Serialize;

use super::summary::{ByMeasure, Summary, by_repository, means, parts};
use super::{Comparison, Options, Outcome, Run};

/// Fields are added, and never change their meaning.
const VERSION: u32 = 2;

/// All of a run, as written by `--json`.
#[derive(Debug, Serialize)]
pub struct Report<'a> {
    pub version: u32,
    /// Tokens of the packs of `outcomes`, and of all that is drawn from them.
    pub budget: u32,
    /// The program, and its options beside the budget.
    pub program: &'a str,
    pub options: String,
    pub tasks: usize,
    /// Means over all tasks: shares in percent, `pack_files` a number.
    pub means: ByMeasure<f64>,
    /// 95 % intervals of these, by resampling tasks.
    pub intervals: ByMeasure<[f64; 2]>,
    pub repositories: BTreeMap<String, ByMeasure<f64>>,
    pub repository_intervals: BTreeMap<String, ByMeasure<[f64; 2]>>,
    /// `tuning` and `checking`, where some tasks are for checking.
    parts: BTreeMap<&'static str, Summary>,
    /// One for each budget, in the order in which they were given; empty where there is one budget.
    curve: Vec<Point>,
    pub outcomes: &'a [Outcome],
    pub at_other_budgets: &'a [Outcome],
    /// The same tasks with a language server, and their means; empty where none was asked for.
    pub served: &'a [Outcome],
    pub served_means: ByMeasure<f64>,
    /// Against an older report, where one was given.
    pub comparison: Option<&'a Comparison>,
    /// Tasks that could not be run, and why.
    pub errors: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Point {
    budget: u32,
    #[serde(flatten)]
    summary: Summary,
}

impl Report<'_> {
    pub fn of<'a>(
        run: &'a Run,
        options: &'a Options,
        comparison: Option<&'a Comparison>,
        errors: Vec<String>,
    ) -> Report<'a> {
        let Run { outcomes, at_other_budgets, served, .. } = run;
        let Summary { tasks, means: all, intervals } = Summary::of(&outcomes.iter().collect::<Vec<_>>());
        let repositories: Vec<(String, Summary)> = by_repository(outcomes)
            .into_iter()
            .map(|(repo, outcomes)| (repo.to_owned(), Summary::of(&outcomes)))
            .collect();
        let mut parts = parts(outcomes);
        parts.pop();
        Report {
            version: VERSION,
            budget: options.budget(),
            program: &options.program,
            options: options.answering(),
            tasks,
            means: all,
            intervals,
            repositories: repositories.iter().map(|(repo, all)| (repo.clone(), all.means.clone())).collect(),
            repository_intervals: repositories.into_iter().map(|(repo, all)| (repo, all.intervals)).collect(),
            parts: parts.into_iter().map(|(part, outcomes)| (part.name(), Summary::of(&outcomes))).collect(),
            curve: curve(run, &options.budgets),
            outcomes,
            at_other_budgets,
            served,
            served_means: means(&served.iter().collect::<Vec<_>>()),
            comparison,
            errors,
        }
    }
}

fn curve(run: &Run, budgets: &[u32]) -> Vec<Point> {
    let outcomes = || run.outcomes.iter().chain(&run.at_other_budgets);
    let point = |budget: &u32| {
        let at: Vec<&Outcome> = outcomes().filter(|outcome| outcome.budget == *budget).collect();
        Point { budget: *budget, summary: Summary::of(&at) }
    };
    if budgets.len() > 1 { budgets.iter().map(point).collect() } else { Vec::new() }
}
