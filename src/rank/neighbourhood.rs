//! What hangs together with the best files comes nearer to them: never before the first, and never by more than what speaks for it
//! otherwise (which costs no measure a point, and keeps out what everybody uses).
//!
//! Three things say so: a walk over the graph from the best files, what the best items name (`named`), and the names of files
//! (`namesakes`).

use std::collections::BTreeMap;

use super::{Ranked, named, namesakes, weights};
use crate::expand::{Candidates, Facts};
use crate::model::{FileId, Signal, SignalKind, Source};

/// The best files, by their scores: where the walk starts, and whose items are asked what they name.
const SEEDS: usize = 10;
/// How much less often than at its most frequent file the walk is at one that gains nothing: e to this power. 5 and 7 rank alike.
const FAINTEST: f64 = 7.0;
/// What the two others count beside the walk. Neither and both, all tasks: all@10 75.0, 76.2; 70.4, 71.0; all@20 83.8, 85.0; 85.5, 86.0;
/// pack_touch 73.2, 75.1; 70.9, 71.0; mrr 72.8, 72.7; 77.0, 76.9.
const NAMED: f64 = 1.0;
const NAMESAKE: f64 = 0.75;
/// The part of its distance to the best file that a file may gain: it comes nearer, and not past it.
const NEARER: f64 = 0.99;

/// How strongly a file hangs together with the best ones, and how that is told.
pub(super) struct Tie {
    /// 0 to 1.
    pub strength: f64,
    pub detail: String,
    pub source: Source,
}

/// Files with what ties them to the best.
pub(super) type Ties = BTreeMap<FileId, Tie>;

/// Adds to every file but the best what it gains by what it hangs together with.
pub(super) fn add(facts: &Facts<'_>, candidates: &Candidates, ranked: &mut [Ranked]) {
    let seeds = best(ranked);
    let Some(&(first, limit)) = seeds.first() else { return };
    let walked = walked(facts, &seeds);
    let named = named::ties(facts, candidates, &seeds);
    let namesakes = namesakes::ties(facts, &seeds, ranked);
    let kinds = [(&walked, 1.0), (&named, NAMED), (&namesakes, NAMESAKE)];
    for file in ranked.iter_mut().filter(|ranked| ranked.file != first) {
        let ties = kinds.iter().filter_map(|(ties, counts)| Some((counts, ties.get(&file.file)?)));
        let strength: f64 = ties.clone().map(|(counts, tie)| counts * tie.strength).sum();
        let source = facts.snapshot.file(file.file);
        let left = weights::left_by_role(source.role, source.kind, candidates);
        let weight = weights::of(SignalKind::Neighbourhood) * strength * left;
        let weight = weight.min(NEARER * (limit - file.score)).min(file.score);
        let strongest = ties.max_by(|a, b| (a.0 * a.1.strength).total_cmp(&(b.0 * b.1.strength)));
        if let Some((_, tie)) = strongest.filter(|_| weight > 0.0) {
            let (detail, source) = (tie.detail.clone(), tie.source);
            file.score += weight;
            file.signals.push(Signal { kind: SignalKind::Neighbourhood, weight, detail, source });
            file.signals.sort_by(super::heaviest_first);
        }
    }
}

/// The best files with their scores, the best first.
fn best(ranked: &[Ranked]) -> Vec<(FileId, f64)> {
    let mut seeds: Vec<(FileId, f64)> = ranked.iter().map(|file| (file.file, file.score)).collect();
    seeds.retain(|(_, score)| *score > 0.0);
    seeds.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    seeds.truncate(SEEDS);
    seeds
}

/// What a walk from the best files says: the logarithm of how often it is at a file.
fn walked(facts: &Facts<'_>, seeds: &[(FileId, f64)]) -> Ties {
    let share = facts.links.walk(seeds);
    let most = share.iter().copied().fold(0.0, f64::max);
    let tie = |file: FileId| {
        let often = share.get(file.index()).copied().unwrap_or(0.0) / most;
        let strength = 1.0 + often.ln() / FAINTEST;
        let tie = || Tie { strength, detail: told(facts, file, seeds), source: Source::Graph };
        (strength > 0.0).then(|| (file, tie()))
    };
    facts.snapshot.ids().filter_map(tie).collect()
}

/// The seed that most of it comes from, as far as one edge says that.
fn told(facts: &Facts<'_>, file: FileId, seeds: &[(FileId, f64)]) -> String {
    let strength = |(seed, score): &(FileId, f64)| score * facts.links.between(file, *seed);
    let nearest = seeds.iter().filter(|seed| strength(seed) > 0.0);
    match nearest.max_by(|a, b| strength(a).total_cmp(&strength(b))) {
        Some((seed, _)) => format!("hangs together with {}", facts.snapshot.file(*seed).path),
        None => "hangs together with the best files by others".into(),
    }
}
