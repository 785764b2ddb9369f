//! How sure an answer is: whether the task is about this workspace at all, and how likely the first file is one that it is about.
//!
//! Two logistic models over the same observations, fitted on tasks with known answers and on the same tasks asked of
//! workspaces that they are not about: `cargo run --release --example fit -- confidence --tasks FILE --repos FOLDER --work FOLDER`.

use std::collections::BTreeSet;

use super::Ranked;
use crate::expand::{Candidates, Facts};
use crate::index::search::FileScore;
use crate::model::SignalKind;
use crate::plan::QueryIntent;

/// What is known of an answer, by name; how much it speaks for the task's being about this workspace, and, if it is, for the first
/// file's being right: the change of the logarithm of the odds.
pub const MODEL: [(&str, f64, f64); OBSERVATIONS] = [
    ("words in the best file", 3.99, -0.04),
    ("words in one item", 9.5, -1.22),
    ("score beside what is possible", 7.59, 1.33),
    ("ahead of the second", 2.24, 5.2),
    ("something named is there", 0.92, 1.17),
    ("words of the task", 2.51, 0.35),
    ("likest past commit", 25.76, -0.11),
    ("names defined", 1.03, -0.87),
    ("words that stand nowhere", 1.13, 0.5),
    ("package named", 3.22, -0.51),
];
/// The logarithms of the odds of an answer of which all that is nought.
pub const BIAS: (f64, f64) = (-16.31, -0.38);
const OBSERVATIONS: usize = 10;
/// A task of fewer words says too little to be judged by: where one of them stands, that is what was asked for.
const ENOUGH_WORDS: usize = 6;

/// Below this chance that a task is about this workspace nothing relevant was found. Of the tuning tasks it holds 2 % back, of
/// the same tasks asked elsewhere 73 %; .27: 5 and 86 %.
pub const NOTHING: f64 = 0.13;

/// How sure an answer is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Confidence {
    /// How likely the task is about this workspace: 0 to 1. One where it names a place or an item of it, or says too little.
    pub belongs: f64,
    /// If it is, how likely the first file is one that it is about: 0 to 1. Of the tuning tasks that said .5 to .6, 53 % were right; .7 to .8:
    /// 72 %; .8 to .9: 85 %; .9 and more: 95 %.
    pub first: f64,
}

impl Confidence {
    /// Whether what was found is likely not what was asked for.
    pub fn is_nothing(self) -> bool {
        self.belongs < NOTHING
    }
}

/// How sure the ranking of a task is.
pub fn confidence(
    facts: &Facts<'_>,
    intent: &QueryIntent,
    candidates: &Candidates,
    ranked: &[Ranked],
) -> Confidence {
    let observed = observe(facts, intent, candidates, ranked);
    let chance = |bias: f64, weight: fn(&(&str, f64, f64)) -> f64| {
        let odds: f64 = observed.iter().zip(&MODEL).map(|(value, of)| value * weight(of)).sum();
        1.0 / (1.0 + (-bias - odds).exp())
    };
    let is_named = ranked.iter().any(is_named);
    let belongs = if says_little(candidates) || is_named { 1.0 } else { chance(BIAS.0, |of| of.1) };
    let first = if ranked.is_empty() { 0.0 } else { chance(BIAS.1, |of| of.2) };
    Confidence { belongs, first }
}

/// Whether a task has too few words to be judged by them.
pub fn says_little(candidates: &Candidates) -> bool {
    candidates.terms.len() < ENOUGH_WORDS
}

/// What is known of an answer, by the names of `MODEL`.
pub fn observe(
    facts: &Facts<'_>,
    intent: &QueryIntent,
    candidates: &Candidates,
    ranked: &[Ranked],
) -> [f64; OBSERVATIONS] {
    let text = &candidates.text;
    let best = |of: fn(&FileScore) -> f64| text.files.iter().map(of).fold(0.0, f64::max);
    let score = |place: usize| ranked.get(place).map_or(0.0, |file| file.score);
    let names: BTreeSet<&String> = intent.entities.iter().flat_map(|entity| &entity.path).collect();
    let defined = names.iter().filter(|name| !facts.graph.definitions(name).is_empty()).count();
    [
        best(|score| score.covered),
        text.covered_by_unit,
        best(|score| score.total()) / text.possible.max(f64::MIN_POSITIVE),
        (score(0) - score(1)) / score(0).max(f64::MIN_POSITIVE),
        flag(ranked.first().is_some_and(is_named)),
        (candidates.terms.len() as f64).ln_1p(),
        facts.votes.likest,
        (defined as f64).ln_1p(),
        unseen(facts, candidates),
        flag(names_package(facts, intent)),
    ]
}

/// Whether the task names the file or an item in it.
fn is_named(file: &Ranked) -> bool {
    let kinds = [SignalKind::QuotedPath, SignalKind::Definition, SignalKind::Backtrace];
    file.signals.iter().any(|signal| kinds.contains(&signal.kind))
}

/// The share of the task's words, by their weights, that stand in no file.
fn unseen(facts: &Facts<'_>, candidates: &Candidates) -> f64 {
    let weight = |seen: bool| -> f64 {
        let terms = candidates.terms.iter();
        let terms = terms.filter(|term| seen || facts.lexical.document_frequency(&term.word) == 0);
        terms.map(|term| term.weight).sum()
    };
    weight(false) / weight(true).max(f64::MIN_POSITIVE)
}

/// Whether the task says the name of a package of this workspace.
fn names_package(facts: &Facts<'_>, intent: &QueryIntent) -> bool {
    let said = |name: &str| intent.keywords.iter().any(|keyword| keyword.word == name);
    facts.snapshot.packages.iter().any(|package| {
        let plain: String = package.name.chars().filter(|c| c.is_alphanumeric()).collect();
        said(&plain) || said(&package.name) || said(&package.name.replace('-', "_"))
    })
}

fn flag(holds: bool) -> f64 {
    f64::from(u8::from(holds))
}
