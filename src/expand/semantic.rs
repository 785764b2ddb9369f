//! A question about how or where: the items closest to its words, by the lexical index, and those closest to its meaning, where an
//! embedder says which.

use super::{Candidates, Facts};

/// Distance given to an item that only its words or its meaning bring in.
const BY_WORDS: u32 = 2;

pub fn expand(facts: &Facts<'_>, top_k: u32, candidates: &mut Candidates) {
    let units = [best(&candidates.text.units, top_k), best(&candidates.meaning, top_k)];
    for unit in units.into_iter().flatten() {
        let unit = &facts.lexical.units[unit];
        if let Some(item) = unit.item {
            candidates.candidate(unit.file).items.entry(item).or_insert(BY_WORDS);
        }
    }
}

/// The units that score most, at most so many.
fn best(scores: &[f64], most: u32) -> Vec<usize> {
    let mut best: Vec<(usize, f64)> =
        scores.iter().copied().enumerate().filter(|(_, score)| *score > 0.0).collect();
    best.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    best.into_iter().take(most as usize).map(|(unit, _)| unit).collect()
}
