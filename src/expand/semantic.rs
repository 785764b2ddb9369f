//! A question about how or where: the items closest to its words, by the lexical index. What is close in meaning counts in what items score.

use super::{Candidates, Facts};

/// Distance given to an item that only its words bring in.
const BY_WORDS: u32 = 2;

pub fn expand(facts: &Facts<'_>, top_k: u32, candidates: &mut Candidates) {
    let mut best: Vec<(usize, f64)> =
        candidates.text.units.iter().copied().enumerate().filter(|(_, score)| *score > 0.0).collect();
    best.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    for (unit, _) in best.into_iter().take(top_k as usize) {
        let unit = &facts.lexical.units[unit];
        if let Some(item) = unit.item {
            candidates.candidate(unit.file).items.entry(item).or_insert(BY_WORDS);
        }
    }
}
