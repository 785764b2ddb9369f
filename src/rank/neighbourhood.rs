//! What hangs together with the best files comes nearer to them: never before the first, and never by more than what speaks for it
//! otherwise (which costs no measure a point, and keeps out what everybody uses).

use crate::expand::Facts;
use crate::model::{FileId, Signal, SignalKind, Source};
use crate::plan::ContextPlan;

use super::{Ranked, weights};

/// Files that the walk starts at, by their scores.
const SEEDS: usize = 10;
/// How much less often than at its most frequent file the walk is at one that gains nothing: e to this power. 5 and 7 rank alike.
const FAINTEST: f64 = 7.0;
/// The part of its distance to the best file that a file may gain: it comes nearer, and not past it.
const NEARER: f64 = 0.99;

/// Adds to every file but the best what a walk from the best files says of it: the logarithm of how often it is there.
pub fn add(facts: &Facts<'_>, plan: &ContextPlan, ranked: &mut [Ranked]) {
    let seeds = best(ranked);
    let share = facts.links.walk(&seeds);
    let most = share.iter().copied().fold(0.0, f64::max);
    let (Some(&(first, limit)), true) = (seeds.first(), most > 0.0) else { return };
    for file in ranked.iter_mut().filter(|ranked| ranked.file != first) {
        let often = share.get(file.file.index()).copied().unwrap_or(0.0) / most;
        let strength = (1.0 + often.ln() / FAINTEST).max(0.0);
        let source = facts.snapshot.file(file.file);
        let left = weights::left_by_role(source.role, source.kind, plan.include_tests);
        let weight = weights::of(SignalKind::Neighbourhood) * strength * left;
        let weight = weight.min(NEARER * (limit - file.score)).min(file.score);
        if weight > 0.0 {
            let detail = told(facts, file.file, &seeds);
            file.score += weight;
            file.signals.push(Signal {
                kind: SignalKind::Neighbourhood,
                weight,
                detail,
                source: Source::Graph,
            });
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

/// The seed that most of it comes from, as far as one edge says that.
fn told(facts: &Facts<'_>, file: FileId, seeds: &[(FileId, f64)]) -> String {
    let strength = |(seed, score): &(FileId, f64)| score * facts.links.between(file, *seed);
    let nearest = seeds.iter().filter(|seed| strength(seed) > 0.0);
    match nearest.max_by(|a, b| strength(a).total_cmp(&strength(b))) {
        Some((seed, _)) => format!("hangs together with {}", facts.snapshot.file(*seed).path),
        None => "hangs together with the best files by others".into(),
    }
}
