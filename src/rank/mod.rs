//! From evidence to one score for each file, with receipts: the score is the sum of the weights of its signals,
//! times what its role leaves of it, and nothing else.

pub mod confidence;
mod named;
mod namesakes;
mod neighbourhood;
mod pieces;
mod weights;

use std::cmp::Ordering;

pub use self::pieces::{Grain, Piece, pieces, pieces_by_meaning};
use crate::expand::{Candidate, Candidates, Facts};
use crate::model::{FileId, Role, Signal, SignalKind, Source, Symbol};

/// Files whose signals are told in words; nobody reads on.
const TOLD: usize = 60;
/// Words and items named in one reason.
const MOST_WORDS: usize = 5;
const MOST_ITEMS: usize = 3;

/// A candidate with its score; the signals add up to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked {
    pub file: FileId,
    pub score: f64,
    /// The heaviest first.
    pub signals: Vec<Signal>,
}

/// All candidates, best first; equal scores in the order of their paths.
pub fn rank(facts: &Facts<'_>, candidates: &Candidates) -> Vec<Ranked> {
    let mut ranked: Vec<Ranked> =
        candidates.files.values().map(|candidate| score(facts, candidates, candidate)).collect();
    neighbourhood::add(facts, candidates, &mut ranked);
    let behind = |ranked: &Ranked| {
        let candidate = candidates.files.get(&ranked.file);
        candidates.pinned && !candidate.is_some_and(|candidate| candidate.is_tied())
    };
    ranked.sort_by(|a, b| {
        behind(a).cmp(&behind(b)).then(b.score.total_cmp(&a.score)).then(a.file.cmp(&b.file))
    });
    for file in ranked.iter_mut().take(TOLD) {
        tell(facts, candidates, file);
    }
    ranked
}

/// Says which words and items stand behind the signals that words gave.
fn tell(facts: &Facts<'_>, candidates: &Candidates, ranked: &mut Ranked) {
    let matches = facts.lexical.matches(ranked.file, &candidates.terms);
    for signal in &mut ranked.signals {
        match signal.kind {
            SignalKind::Text => signal.detail = format!("its text has {}", quoted(&matches.text)),
            SignalKind::PathWords => signal.detail = format!("its path has {}", quoted(&matches.path)),
            SignalKind::ItemNames => {
                signal.detail = format!("names of its items have {}", quoted(&matches.names))
            }
            SignalKind::Items => signal.detail = best_items(facts, candidates, ranked.file),
            SignalKind::Meaning => signal.detail = closest_of(facts, ranked.file),
            _ => {}
        }
    }
}

fn quoted(words: &[String]) -> String {
    let shown: Vec<&str> = words.iter().take(MOST_WORDS).map(String::as_str).collect();
    let more = if words.len() > MOST_WORDS { ", …" } else { "" };
    format!("{}{more}", shown.join(", "))
}

/// What of a file is closest to the task in meaning.
fn closest_of(facts: &Facts<'_>, file: FileId) -> String {
    let close = facts.close.into_iter().flat_map(|close| &close.units);
    let units = facts.lexical.units_of(file);
    let of_file =
        units.clone().zip(close.skip(units.start)).filter_map(|(unit, cosine)| Some((unit, (*cosine)?)));
    let closest_one = of_file.max_by(|a, b| a.1.total_cmp(&b.1));
    closest_one.map_or_else(String::new, |(unit, cosine)| closest(facts, unit, cosine.into()))
}

/// How close the unit is that stands for its file.
fn closest(facts: &Facts<'_>, unit: usize, cosine: f64) -> String {
    format!("{}, {}", closeness(cosine), place(facts, unit))
}

fn closeness(cosine: f64) -> String {
    format!("close in meaning to the task: {cosine:.2}")
}

/// The names of the items of a file that match best, and where no item is, of its lines.
fn best_items(facts: &Facts<'_>, candidates: &Candidates, file: FileId) -> String {
    let best = distinct(best_units(facts, candidates, file).map(|unit| place(facts, unit)), MOST_ITEMS);
    match best.is_empty() {
        true => "its items call what matches, or are called by it".to_owned(),
        false => format!("closest: {}", best.join(", ")),
    }
}

/// The names of the items of a file that match best, at most so many.
pub fn item_names(facts: &Facts<'_>, candidates: &Candidates, file: FileId, most: usize) -> Vec<String> {
    let best = best_units(facts, candidates, file);
    distinct(best.filter_map(|unit| Some(item_of(facts, unit)?.name.clone())), most)
}

fn distinct(names: impl Iterator<Item = String>, most: usize) -> Vec<String> {
    let mut distinct: Vec<String> = Vec::new();
    for name in names {
        if !distinct.contains(&name) {
            distinct.push(name);
        }
        if distinct.len() == most {
            break;
        }
    }
    distinct
}

/// Where a unit is: the name of its item, or its lines.
fn place(facts: &Facts<'_>, unit: usize) -> String {
    let lines = facts.lexical.units[unit].lines;
    item_of(facts, unit)
        .map_or_else(|| format!("lines {}-{}", lines.first, lines.last), |item| format!("`{}`", item.name))
}

fn item_of<'a>(facts: &'a Facts<'_>, unit: usize) -> Option<&'a Symbol> {
    let unit = &facts.lexical.units[unit];
    facts.items(unit.file).get(unit.item? as usize)
}

/// The units of a file that match, the best first.
fn best_units(facts: &Facts<'_>, candidates: &Candidates, file: FileId) -> impl Iterator<Item = usize> {
    let mut units: Vec<usize> = facts.lexical.units_of(file).collect();
    let score = |unit: usize| candidates.text.units.get(unit).copied().unwrap_or(0.0);
    units.retain(|&unit| score(unit) > 0.0);
    units.sort_by(|&a, &b| score(b).total_cmp(&score(a)).then(a.cmp(&b)));
    units.into_iter()
}

fn score(facts: &Facts<'_>, candidates: &Candidates, candidate: &Candidate) -> Ranked {
    let file = facts.snapshot.file(candidate.file);
    let left = weights::left_by_role(file.role, file.kind, candidates);
    let mut signals: Vec<Signal> = candidate
        .evidence
        .iter()
        .map(|evidence| Signal {
            kind: evidence.kind,
            weight: weights::of(evidence.kind) * evidence.strength,
            detail: evidence.detail.clone(),
            source: evidence.source,
        })
        .filter(|signal| signal.weight > 0.0)
        .collect();
    let gained: f64 = signals.iter().map(|signal| signal.weight).sum();
    // Whoever chose it knew what it is.
    let chosen: f64 = signals
        .iter()
        .filter(|signal| signal.kind == SignalKind::Shortlist)
        .map(|signal| signal.weight)
        .sum();
    let lost = (gained - chosen) * (1.0 - left);
    if left < 1.0 {
        signals.push(Signal {
            kind: SignalKind::Role,
            weight: -lost,
            detail: role_name(file.role).into(),
            source: Source::Index,
        });
    }
    signals.sort_by(heaviest_first);
    Ranked { file: candidate.file, score: gained - lost, signals }
}

fn heaviest_first(a: &Signal, b: &Signal) -> Ordering {
    b.weight.abs().total_cmp(&a.weight.abs()).then(a.kind.cmp(&b.kind))
}

fn role_name(role: Role) -> &'static str {
    match role {
        Role::Source => "not code",
        Role::Test => "a test",
        Role::Bench => "a benchmark",
        Role::Example => "an example",
        Role::BuildScript => "a build script",
        Role::Generated => "generated",
        Role::Vendored => "vendored",
    }
}
