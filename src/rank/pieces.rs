//! Pieces of files by themselves: items, and sections of what is not code. Each has one score that its signals add up to, as a file
//! has; or is as close in meaning as it is, and nothing else counts.

use std::collections::BTreeMap;

use super::{closeness, closest, heaviest_first, item_of, place, quoted, role_name, weights};
use crate::expand::seeds::MEANING;
use crate::expand::{Candidates, Facts};
use crate::meaning::Close;
use crate::model::{FileId, FileKind, Role, Signal, SignalKind, Source};

/// What an item gains that the task names, where the best words of all give one. 0, .25, .5, 1 on the tuning commits, mrr of the items
/// that were touched: 55.3, 55.3, 54.2, 52.4. Words alone have 50.6, with what is left by role 53.4, with what callers say besides 55.0.
const NAMED: f64 = 0.25;

/// What is ranked by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grain {
    Item,
    /// A stretch of a file that is not Rust.
    Section,
    File,
}

/// A piece with its score; the signals add up to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Piece {
    pub file: FileId,
    /// Its unit of the index: the best of a long item's, or of a file's.
    pub unit: usize,
    pub score: f64,
    /// The heaviest first.
    pub signals: Vec<Signal>,
}

/// The pieces that match a task, at most so many, the best first. The best words and meaning of all give one.
pub fn pieces(facts: &Facts<'_>, candidates: &Candidates, grain: Grain, most: usize) -> Vec<Piece> {
    let wanted = wanted(facts, grain, candidates.no_tests);
    let measure = Measure::of(facts, candidates, &wanted);
    let scored = wanted.iter().map(|&unit| Parts::of(facts, candidates, grain, unit, measure));
    let found = scored.filter(|parts| parts.score() > 0.0).map(|parts| (parts.unit, parts.score()));
    let told = |(unit, score): (usize, f64)| {
        let signals = Parts::of(facts, candidates, grain, unit, measure).signals(facts, candidates);
        Piece { file: facts.lexical.units[unit].file, unit, score, signals }
    };
    best_first(facts, grain, found, most).into_iter().map(told).collect()
}

/// The pieces that are closest in meaning, at most so many; the score is the cosine. Tests are among them unless there are to be none.
pub fn pieces_by_meaning(
    facts: &Facts<'_>,
    close: &Close,
    no_tests: bool,
    grain: Grain,
    most: usize,
) -> Vec<Piece> {
    let wanted = wanted(facts, grain, no_tests).into_iter();
    let found = wanted.filter_map(|unit| Some((unit, f64::from((*close.units.get(unit)?)?))));
    let told = |(unit, score): (usize, f64)| {
        let detail = match grain {
            Grain::File => closest(facts, unit, score),
            Grain::Item | Grain::Section => closeness(score),
        };
        let signal = Signal { kind: SignalKind::Meaning, weight: score, detail, source: Source::Meaning };
        Piece { file: facts.lexical.units[unit].file, unit, score, signals: vec![signal] }
    };
    best_first(facts, grain, found, most).into_iter().map(told).collect()
}

/// The units that belong to a piece.
fn wanted(facts: &Facts<'_>, grain: Grain, no_tests: bool) -> Vec<usize> {
    let units = 0..facts.lexical.units.len();
    let fits = |&unit: &usize| {
        let (of, item) = (&facts.lexical.units[unit], item_of(facts, unit));
        let file = facts.snapshot.file(of.file);
        let is_test = matches!(file.role, Role::Test | Role::Bench) || item.is_some_and(|item| item.is_test);
        let is_grain = match grain {
            Grain::Item => item.is_some(),
            Grain::Section => file.kind != FileKind::Rust,
            Grain::File => true,
        };
        is_grain && !(no_tests && is_test)
    };
    units.filter(fits).collect()
}

/// The best unit of each piece; equal ones in the order of their paths and lines.
fn best_first(
    facts: &Facts<'_>,
    grain: Grain,
    scored: impl Iterator<Item = (usize, f64)>,
    most: usize,
) -> Vec<(usize, f64)> {
    let mut best: BTreeMap<(FileId, Option<u32>), (usize, f64)> = BTreeMap::new();
    for (unit, score) in scored {
        let of = &facts.lexical.units[unit];
        let number = match grain {
            Grain::Item => of.item,
            Grain::Section => Some(unit as u32),
            Grain::File => None,
        };
        let known = best.entry((of.file, number)).or_insert((unit, score));
        if score > known.1 {
            *known = (unit, score);
        }
    }
    let mut best: Vec<(usize, f64)> = best.into_values().collect();
    // The units stand in the order of their files and lines.
    best.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    best.truncate(most);
    best
}

/// What units are measured by.
#[derive(Debug, Clone, Copy)]
struct Measure {
    /// What the closest in meaning gains.
    meaning: f64,
    /// What the best of all have by words and meaning.
    best: f64,
}

impl Measure {
    fn of(facts: &Facts<'_>, candidates: &Candidates, units: &[usize]) -> Measure {
        let most = |score: &dyn Fn(usize) -> f64| units.iter().map(|&unit| score(unit)).fold(0.0, f64::max);
        let by_words = |unit: usize| candidates.score_of_unit(unit);
        let words = most(&by_words);
        // Where no word is known, meaning alone decides.
        let share = if words > 0.0 { words * MEANING } else { 1.0 };
        let meaning = share * facts.close.map_or(0.0, |close| close.embedded);
        let both = |unit: usize| by_words(unit) + meaning * standing(candidates, unit);
        Measure { meaning, best: most(&both).max(f64::MIN_POSITIVE) }
    }
}

/// How close in meaning a unit is beside the closest: 0 to 1.
fn standing(candidates: &Candidates, unit: usize) -> f64 {
    candidates.meaning.get(unit).copied().unwrap_or(0.0)
}

/// What a unit's score is made of, where the best of all have one by their words and meaning.
struct Parts {
    unit: usize,
    words: f64,
    meaning: f64,
    /// By what hangs together with it.
    heard: f64,
    named: f64,
    /// What its role leaves of all that: 0 to 1.
    left: f64,
    role: Role,
}

impl Parts {
    fn of(facts: &Facts<'_>, candidates: &Candidates, grain: Grain, unit: usize, measure: Measure) -> Parts {
        let Measure { meaning, best } = measure;
        let own = candidates.text.units.get(unit).copied().unwrap_or(0.0);
        let file = facts.lexical.units[unit].file;
        let (source, item) = (facts.snapshot.file(file), item_of(facts, unit));
        let number = facts.lexical.units[unit].item;
        let items = candidates.files.get(&file).map(|candidate| &candidate.items);
        let is_named = items.zip(number).is_some_and(|(items, item)| items.get(&item) == Some(&0));
        let is_test = source.role == Role::Source && item.is_some_and(|item| item.is_test);
        let role = if is_test { Role::Test } else { source.role };
        let left = match grain {
            // Who looks for documentation wants it.
            Grain::Section => 1.0,
            _ => weights::left_by_role(role, source.kind, candidates),
        };
        Parts {
            unit,
            words: own / best,
            meaning: meaning * standing(candidates, unit) / best,
            heard: (candidates.score_of_unit(unit) - own) / best,
            named: if is_named && grain == Grain::Item { NAMED } else { 0.0 },
            left,
            role,
        }
    }

    fn gained(&self) -> f64 {
        self.words + self.meaning + self.heard + self.named
    }

    fn score(&self) -> f64 {
        self.gained() * self.left
    }

    fn signals(&self, facts: &Facts<'_>, candidates: &Candidates) -> Vec<Signal> {
        let Parts { unit, words, meaning, heard, named, left, role } = *self;
        let cosine = facts.close.and_then(|close| *close.units.get(unit)?);
        let said = || format!("words: {}", quoted(&facts.lexical.words_of(unit, &candidates.terms)));
        let close = || cosine.map_or_else(String::new, |cosine| closeness(cosine.into()));
        let neighbour = || {
            let loudest = facts.links.loudest(unit, &candidates.text.units);
            format!("hangs together with {}", loudest.map_or_else(String::new, |unit| place(facts, unit)))
        };
        let told = |kind, weight: f64, source, detail: &dyn Fn() -> String| {
            (weight != 0.0).then(|| Signal { kind, weight, detail: detail(), source })
        };
        let lost = self.gained() * (1.0 - left);
        let parts = [
            told(SignalKind::Text, words, Source::Index, &said),
            told(SignalKind::Meaning, meaning, Source::Meaning, &close),
            told(SignalKind::Neighbourhood, heard, Source::Graph, &neighbour),
            told(SignalKind::Definition, named, Source::Query, &|| "the task names it".to_owned()),
            told(SignalKind::Role, -lost, Source::Index, &|| role_name(role).to_owned()),
        ];
        let mut signals: Vec<Signal> = parts.into_iter().flatten().collect();
        signals.sort_by(heaviest_first);
        signals
    }
}
