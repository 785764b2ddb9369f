//! A proposal joins a plan by as much as the evidence bears it out.
//!
//! A shortlist is only as good as its model. What is known of it: where its paths stand among the candidates that words, names
//! and history ranked. Files that tasks change stand near the top; paths that a model picked without understanding stand
//! anywhere. Bayes' rule is used twice. For the shortlist as a whole: the odds that it was chosen with knowledge, times how much
//! likelier each rank is for a file that a task changes than for any file; one path from far down is believed, for that is what
//! a model is asked for, ten from anywhere are not. And for each path: the odds that it is right, with the share of right
//! ones estimated from all of them; so a wrong one among right ones gains less.
//!
//! Measured by `examples/planner_trial`; the figures are in ARCHITECTURE.md.

use std::collections::BTreeSet;

use super::{Offer, Proposal};
use crate::plan::{ContextPlan, Keyword};
use crate::text::split_identifier;

/// The chance that a file which a task changes stands at one rank, up to the last rank of a row. Measured without a model on
/// the tuning repositories of `dossier eval`: 605 files of 263 tasks.
const RANKS: [(usize, f64); 7] =
    [(1, 0.30), (2, 0.152), (3, 0.106), (5, 0.060), (10, 0.029), (20, 0.011), (50, 0.0019)];

/// The odds that a shortlist was chosen with knowledge, before its paths are seen: enough that a list of one path from rank 40 is
/// believed more than not. Other values were not measured by themselves.
const PRIOR: f64 = 30.0;
/// The share of right paths in a shortlist that was: what is expected, and the number of paths that this counts for. Where it
/// counts for one path, an oracle's all@10 is 3 points lower, with a share of .8 and of .9 alike.
const RIGHT: f64 = 0.9;
const RIGHT_COUNTS: f64 = 3.0;
/// Steps of expectation and maximisation: the share has settled to a hundredth after ten.
const ROUNDS: usize = 30;

/// What a model's word weighs beside a word of the task's title. Not measured: the models of the trial name no words.
const WORD: f64 = 0.3;

/// The plan with the proposal in it. `source` is the model's name.
pub fn merge(plan: &ContextPlan, proposal: &Proposal, offer: &Offer, source: &str) -> ContextPlan {
    let mut merged = plan.clone();
    let symbols = proposal.symbols_to_find.iter().flat_map(|symbol| symbol.rsplit("::").next());
    let words = proposal.keywords.iter().map(String::as_str).chain(symbols);
    let mut known: BTreeSet<String> = plan.keywords.iter().map(|keyword| keyword.word.clone()).collect();
    for part in words.flat_map(|word| word.split_whitespace()).flat_map(split_identifier) {
        let word = part.to_lowercase();
        if known.insert(word.clone()) {
            merged.keywords.push(Keyword { word, weight: WORD });
        }
    }
    for pattern in &proposal.file_patterns {
        if !merged.file_patterns.contains(pattern) {
            merged.file_patterns.push(pattern.clone());
        }
    }
    merged.include_tests |= proposal.include_tests;
    merged.max_depth = proposal.max_depth.unwrap_or(plan.max_depth);
    merged.shortlist = proposal.shortlist.clone();
    merged.shortlist_beliefs = beliefs(&proposal.shortlist, offer);
    merged.source = source.to_owned();
    if !proposal.reasoning.is_empty() {
        merged.reasoning = proposal.reasoning.clone();
    }
    merged
}

/// How far each path of the shortlist is believed: 0 to 1.
fn beliefs(shortlist: &[String], offer: &Offer) -> Vec<f64> {
    let any = 1.0 / offer.candidates.len().max(1) as f64;
    let likelier = |path: &String| {
        let rank = offer.candidates.iter().position(|offered| offered.path == *path);
        let row = rank.and_then(|rank| RANKS.iter().find(|(last, _)| rank < *last));
        row.map_or(1.0, |(_, chance)| chance / any)
    };
    let ratios: Vec<f64> = shortlist.iter().map(likelier).collect();
    let whole = believed(PRIOR * ratios.iter().product::<f64>());
    let (mut right, mut each) = (RIGHT, Vec::new());
    for _ in 0..ROUNDS {
        each = ratios.iter().map(|ratio| believed(right / (1.0 - right) * ratio)).collect();
        right = (RIGHT * RIGHT_COUNTS + each.iter().sum::<f64>()) / (RIGHT_COUNTS + each.len() as f64);
    }
    each.iter().map(|belief| whole * belief).collect()
}

/// The chance of what has these odds.
fn believed(odds: f64) -> f64 {
    odds / (odds + 1.0)
}

#[cfg(test)]
mod tests {
    use super::super::Offered;
    use super::*;
    use crate::plan::Action;

    /// How far each path of a shortlist of these ranks (from 1) among so many candidates is believed, in percent.
    fn check(ranks: &[usize], of: usize, expected: &[u32]) {
        let path = |rank: usize| format!("src/{rank}.rs");
        let candidates = (1..=of).map(|rank| Offered { path: path(rank), names: Vec::new() }).collect();
        let offer = Offer { task: String::new(), action: Action::Modify, candidates };
        let shortlist: Vec<String> = ranks.iter().map(|rank| path(*rank)).collect();
        let beliefs = beliefs(&shortlist, &offer);
        let percent: Vec<u32> = beliefs.iter().map(|belief| (100.0 * belief).round() as u32).collect();
        assert_eq!(percent, expected, "{ranks:?} of {of}");
    }

    #[test]
    fn paths_are_believed_by_where_they_all_stand() {
        check(&[], 0, &[]);
        check(&[1], 50, &[99]);
        check(&[40], 50, &[15]);
        check(&[1, 2, 30, 45], 50, &[94, 92, 19, 19]);
        check(&[1, 2, 3, 4, 5], 50, &[100, 99, 99, 99, 99]);
        // Ten from anywhere.
        check(&[3, 9, 14, 22, 27, 30, 33, 38, 41, 47], 50, &[0; 10]);
    }
}
