//! How likely a unit is one that the task is about: what a pack is chosen by.
//!
//! A logistic model over what ranking and expansion found of the unit and of its file. It is fitted on tasks with known
//! answers, where a unit counts as right if the real change touched a line of it, each task with the same weight:
//! `cargo run --release --example fit -- packing --tasks FILE --repos FOLDER --work FOLDER` fits it anew.
//!
//! Without an embedder there is no meaning, and the chances are to be the same then: its weight is set beside the others, which are
//! fitted without it, and by it no file stands nearer to the best.

use std::ops::Range;

use crate::expand::{Candidate, Candidates, Facts};
use crate::model::{FileId, SignalKind, Symbol, SymbolKind};
use crate::rank::Ranked;

/// What is known of a unit, by name, and how much each speaks for it: the change of the logarithm of its odds.
pub const MODEL: [(&str, f64); FEATURES] = [
    ("score", 1.1),
    ("score in file", 0.12),
    ("rank in file", -0.6),
    ("heard", 0.67),
    // Packs of 8,192 tokens, `eval --embed --fill`, pack_touch and pack_lines of the tuning commits / issues, without meaning 80.2, 78.0 / 72.5, 62.3:
    // 0: 80.2, 78.0 / 73.4, 62.8; .5: 81.3, 78.3 / 73.1, 63.3; .8: 81.5, 79.4 / 73.8, 63.3; 1.2: 80.5, 78.6 / 73.7, 63.2.
    ("meaning", 0.8),
    ("neighbour in file", 0.8),
    ("file score", 1.65),
    ("file rank", -1.01),
    ("file rank, far", -0.43),
    ("units of file", -0.47),
    ("named", 0.86),
    ("one step away", 0.82),
    ("two steps away", 0.27),
    ("test", -0.15),
    ("outside items", -0.18),
    ("block header", 0.02),
    ("type", -0.55),
    ("module", 0.44),
    ("head of file", 0.23),
];
/// The logarithm of the odds of a unit of which all that is nought.
pub const BIAS: f64 = -2.87;
const FEATURES: usize = 19;

/// Ranks from which on a file is as far as the last that is considered.
const FAR: f64 = 40.0;
/// A unit that begins on one of these lines stands at a file's head.
const HEAD_LINES: u32 = 3;

/// A unit that could go in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Offer {
    /// The file's place in the ranking, from 0.
    pub place: usize,
    /// The unit's index in the lexical index.
    pub unit: usize,
    /// How likely the task is about it: 0 to 1.
    pub chance: f64,
}

/// All units of the ranked files that may go in.
pub fn offers(facts: &Facts<'_>, ranked: &[Ranked], candidates: &Candidates) -> Vec<Offer> {
    let mut offers = Vec::new();
    let best = Best::of(ranked, candidates);
    for (place, file) in ranked.iter().enumerate() {
        let scene = Scene::new(facts, ranked, candidates, place, best);
        for (unit, features) in facts.lexical.units_of(file.file).zip(scene.features()) {
            let left_out = (candidates.pinned && !scene.is_tied(unit))
                || (candidates.no_tests && scene.item(unit).is_some_and(|item| item.is_test));
            if !left_out {
                offers.push(Offer { place, unit, chance: chance(&features) });
            }
        }
    }
    offers
}

/// What is known of each unit of the file at `place`, in the order of the file; by the names of `MODEL`.
pub fn features(
    facts: &Facts<'_>,
    ranked: &[Ranked],
    candidates: &Candidates,
    place: usize,
) -> Vec<[f64; FEATURES]> {
    Scene::new(facts, ranked, candidates, place, Best::of(ranked, candidates)).features()
}

/// The best scores of all.
#[derive(Clone, Copy)]
struct Best {
    file: f64,
    unit: f64,
}

impl Best {
    fn of(ranked: &[Ranked], candidates: &Candidates) -> Best {
        let best = |scores: &mut dyn Iterator<Item = f64>| scores.fold(f64::MIN_POSITIVE, f64::max);
        Best {
            file: best(&mut ranked.iter().map(without_meaning)),
            unit: best(&mut candidates.text.units.iter().copied()),
        }
    }
}

/// A file's score but for what its meaning gives.
fn without_meaning(file: &Ranked) -> f64 {
    let meaning = file.signals.iter().filter(|signal| signal.kind == SignalKind::Meaning);
    (file.score - meaning.map(|signal| signal.weight).sum::<f64>()).max(0.0)
}

fn chance(features: &[f64; FEATURES]) -> f64 {
    let odds: f64 = features.iter().zip(&MODEL).map(|(value, (_, weight))| value * weight).sum();
    1.0 / (1.0 + (-BIAS - odds).exp())
}

/// One file among the candidates of a task.
struct Scene<'a> {
    facts: &'a Facts<'a>,
    candidates: &'a Candidates,
    candidate: Option<&'a Candidate>,
    file: FileId,
    place: usize,
    units: Range<usize>,
    /// The score of the file beside that of the best, but for their meaning.
    standing: f64,
    best_unit: f64,
}

impl<'a> Scene<'a> {
    fn new(
        facts: &'a Facts<'a>,
        ranked: &[Ranked],
        candidates: &'a Candidates,
        place: usize,
        best: Best,
    ) -> Scene<'a> {
        let file = ranked[place].file;
        Scene {
            facts,
            candidates,
            candidate: candidates.files.get(&file),
            file,
            place,
            units: facts.lexical.units_of(file),
            standing: without_meaning(&ranked[place]) / best.file,
            best_unit: best.unit,
        }
    }

    /// How well the words of the task match a unit: 0 to 1.
    fn score(&self, unit: usize) -> f64 {
        let score = self.candidates.text.units.get(unit).copied().unwrap_or(0.0);
        if self.units.contains(&unit) { score / self.best_unit } else { 0.0 }
    }

    fn item(&self, unit: usize) -> Option<&'a Symbol> {
        self.facts.items(self.file).get(self.facts.lexical.units.get(unit)?.item? as usize)
    }

    /// Steps from what the task names.
    fn distance(&self, unit: usize) -> Option<u32> {
        let item = self.facts.lexical.units.get(unit)?.item?;
        self.candidate?.items.get(&item).copied()
    }

    /// Whether it hangs together with what the task names, or its file as a whole does. The header of a block comes with
    /// what is inside it.
    fn is_tied(&self, unit: usize) -> bool {
        let Some(candidate) = self.candidate.filter(|candidate| candidate.is_tied()) else { return false };
        let is_block = self.item(unit).is_some_and(|item| is_block(item) || item.kind == SymbolKind::Module);
        candidate.items.is_empty() || (self.distance(unit).is_some() && !is_block)
    }

    fn features(&self) -> Vec<[f64; FEATURES]> {
        let scores: Vec<f64> = self.units.clone().map(|unit| self.score(unit)).collect();
        let best = scores.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        let mut order: Vec<usize> = (0..scores.len()).collect();
        order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]).then(a.cmp(&b)));
        let mut ranks = vec![0usize; scores.len()];
        for (rank, &index) in order.iter().enumerate() {
            ranks[index] = rank;
        }
        let count = (scores.len().max(1) as f64).ln();
        let place = self.place as f64;
        let flag = |holds: bool| f64::from(u8::from(holds));
        let of_unit = |(index, unit): (usize, usize)| {
            let item = self.item(unit);
            let is = |fits: fn(&Symbol) -> bool| flag(item.is_some_and(fits));
            let beside = |offset: usize| scores.get(offset).copied().unwrap_or(0.0);
            let before = index.checked_sub(1).map_or(0.0, beside);
            let heard = self.candidates.heard.get(unit).copied().unwrap_or(0.0) / self.best_unit;
            let named = |steps: u32| flag(self.distance(unit) == Some(steps));
            let test = flag(!self.candidates.with_tests) * is(|item| item.is_test);
            let first_line = self.facts.lexical.units[unit].lines.first;
            [
                scores[index],
                scores[index] / best,
                (ranks[index] as f64).ln_1p(),
                heard,
                self.candidates.meaning.get(unit).copied().unwrap_or(0.0),
                before.max(beside(index + 1)),
                self.standing,
                place.ln_1p(),
                (place / FAR).min(1.0),
                count,
                named(0),
                named(1),
                named(2),
                test,
                flag(item.is_none()),
                is(is_block),
                is(|item| matches!(item.kind, SymbolKind::Struct | SymbolKind::Enum | SymbolKind::Union)),
                is(|item| item.kind == SymbolKind::Module),
                flag(first_line <= HEAD_LINES),
            ]
        };
        self.units.clone().enumerate().map(of_unit).collect()
    }
}

fn is_block(item: &Symbol) -> bool {
    matches!(item.kind, SymbolKind::Impl | SymbolKind::Trait)
}
