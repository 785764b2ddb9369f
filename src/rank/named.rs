//! Files that define what the best items name: who changes an item reads what it calls and holds, and often changes that too.

use std::collections::BTreeMap;

use super::neighbourhood::{Tie, Ties};
use crate::expand::{Candidates, Facts};
use crate::model::{Certainty, FileId, Source, SymbolId};

/// Units that are asked, the best of the best files. 8 to 30 are within a point of all@10.
const UNITS: usize = 10;

/// By file: what the best units of `seeds` name there, each by its score, and the less the more others name it too.
/// Only what the graph is sure of counts.
pub(super) fn ties(facts: &Facts<'_>, candidates: &Candidates, seeds: &[(FileId, f64)]) -> Ties {
    let mut found: BTreeMap<FileId, (f64, SymbolId)> = BTreeMap::new();
    for (score, unit) in best_units(facts, candidates, seeds) {
        for (named, rarity) in named_by(facts, unit) {
            let known = found.entry(named.file).or_insert((0.0, named));
            known.0 += score * rarity;
        }
    }
    let most = found.values().map(|(strength, _)| *strength).fold(f64::MIN_POSITIVE, f64::max);
    let tie = |(file, (strength, named)): (FileId, (f64, SymbolId))| {
        let name = facts.symbol(named).map_or("what", |item| item.name.as_str());
        let detail = format!("defines {name}, which the best items name");
        (file, Tie { strength: strength / most, detail, source: Source::Graph })
    };
    found.into_iter().map(tie).collect()
}

/// The units with the best scores, the best first.
fn best_units(facts: &Facts<'_>, candidates: &Candidates, seeds: &[(FileId, f64)]) -> Vec<(f64, usize)> {
    let units = seeds.iter().flat_map(|(file, _)| facts.lexical.units_of(*file));
    let mut units: Vec<(f64, usize)> =
        units.map(|unit| (candidates.score_of_unit(unit), unit)).filter(|(score, _)| *score > 0.0).collect();
    units.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    units.truncate(UNITS);
    units
}

/// What a unit names in each other file: the rarest item there, and one over the root of how many name that.
fn named_by(facts: &Facts<'_>, unit: usize) -> Vec<(SymbolId, f64)> {
    let unit = &facts.lexical.units[unit];
    let Some(item) = unit.item else { return Vec::new() };
    let mut rarest: BTreeMap<FileId, (SymbolId, f64)> = BTreeMap::new();
    for fact in facts.graph.named_by(SymbolId { file: unit.file, item }) {
        if fact.certainty != Certainty::Resolved || fact.symbol.file == unit.file {
            continue;
        }
        let rarity = 1.0 / (facts.graph.usages_of(fact.symbol).len().max(1) as f64).sqrt();
        let known = rarest.entry(fact.symbol.file).or_insert((fact.symbol, rarity));
        if rarity > known.1 {
            *known = (fact.symbol, rarity);
        }
    }
    rarest.into_values().collect()
}
