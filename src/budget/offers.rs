//! What could go in: every unit of the files under consideration, with what it would gain.

use crate::expand::{Candidates, Facts};
use crate::model::{FileId, SymbolKind};
use crate::rank::Ranked;

/// A file's standing falls to this with each rank behind the first. .8 and .9 are within a point of pack_lines.
const DECAY: f64 = 0.85;
/// Gain per cost to this power: below one, as a long item that matches is worth more than a short one that matches
/// less. .3 and .5 are within a point of pack_lines.
const COST_POWER: f64 = 0.4;
/// Bytes that a unit costs beside its own text: what it takes to say where it is. Without it a pack fills with single lines: 200 against 0:
/// pack_lines +1.2 on the commit tasks, +.7 on the issue tasks, half a file less.
const AROUND_BYTES: u32 = 200;
/// What every unit of a file gains by the file's standing: .15 against 0: pack_lines +1.4 and +1.5, a file less; .3 loses touch.
const BASE: f64 = 0.15;
/// What a unit gains when the task names its item, or an item that hangs together with it, by distance; two is also what the items closest in
/// words count as. 0 or .1 there: no measure moves by more than .1.
const NAMED: [f64; 3] = [1.0, 0.4, 0.1];

/// What is left of the match of a test's item where the task is not about tests: it says the same words as what it tests, and more
/// often. .5 against 1: pack_touch +.8 and +.4, pack_lines +1.4 on the commit tasks, −.9 on the issue tasks.
const TEST_ITEM: f64 = 0.5;

/// A unit that could go in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Offer {
    /// The file's place in the ranking, from 0.
    pub place: usize,
    /// The unit's index in the lexical index.
    pub unit: usize,
    /// How well it matches, times what is left of its file's standing.
    pub gain: f64,
    /// Gain for what it costs.
    pub density: f64,
}

/// All offers, the best bargain first.
pub fn offers(facts: &Facts<'_>, ranked: &[Ranked], candidates: &Candidates) -> Vec<Offer> {
    let scores = &candidates.text.units;
    let best_unit = scores.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    let best_file = ranked.first().map_or(1.0, |first| first.score).max(f64::MIN_POSITIVE);
    let mut offers = Vec::new();
    for (place, ranked) in ranked.iter().enumerate() {
        let standing = ranked.score / best_file;
        for unit in facts.lexical.units_of(ranked.file) {
            let named = named(facts, candidates, ranked.file, unit);
            let is_test = is_test(facts, ranked.file, unit);
            if (candidates.pinned && !named.is_tied) || (candidates.no_tests && is_test) {
                continue;
            }
            let left = if is_test && !candidates.with_tests { TEST_ITEM } else { 1.0 };
            let words = left * scores.get(unit).copied().unwrap_or(0.0) / best_unit;
            let gain = (words + named.gain + BASE * standing) * DECAY.powi(place as i32);
            let bytes: u32 = facts.lexical.units[unit].spans.iter().map(|span| span.len()).sum();
            let density = gain / f64::from(bytes + AROUND_BYTES).powf(COST_POWER);
            if gain > 0.0 {
                offers.push(Offer { place, unit, gain, density });
            }
        }
    }
    offers.sort_by(|a, b| b.density.total_cmp(&a.density).then((a.place, a.unit).cmp(&(b.place, b.unit))));
    offers
}

fn is_test(facts: &Facts<'_>, file: FileId, unit: usize) -> bool {
    let item = facts.lexical.units.get(unit).and_then(|unit| unit.item);
    item.and_then(|item| facts.items(file).get(item as usize)).is_some_and(|item| item.is_test)
}

/// How a unit hangs together with what the task names.
struct Named {
    gain: f64,
    /// It does, or its file as a whole does.
    is_tied: bool,
}

fn named(facts: &Facts<'_>, candidates: &Candidates, file: FileId, unit: usize) -> Named {
    let Some(candidate) = candidates.files.get(&file).filter(|candidate| candidate.is_tied()) else {
        return Named { gain: 0.0, is_tied: false };
    };
    let item = facts.lexical.units.get(unit).and_then(|unit| unit.item);
    let distance = item.and_then(|item| candidate.items.get(&item).copied());
    // The header of a block comes with what is inside it.
    let is_block = item
        .and_then(|item| facts.items(file).get(item as usize))
        .is_some_and(|item| matches!(item.kind, SymbolKind::Impl | SymbolKind::Trait | SymbolKind::Module));
    Named {
        gain: distance.and_then(|distance| NAMED.get(distance as usize)).copied().unwrap_or(0.0),
        is_tied: candidate.items.is_empty() || (distance.is_some() && !is_block),
    }
}
