//! A module or a pattern: the files that it fits, and the modules around the files that it fits.

use std::collections::BTreeMap;

use globset::{Glob, GlobSetBuilder};

use super::{Candidates, Evidence, Facts};
use crate::model::{FileId, SignalKind, Source};

/// A file imported by one that the pattern fits, against one that it fits itself.
const IMPORTED: f64 = 0.5;

pub fn expand(facts: &Facts<'_>, patterns: &[String], candidates: &mut Candidates) {
    let mut builder = GlobSetBuilder::new();
    for glob in patterns.iter().filter_map(|pattern| Glob::new(pattern).ok()) {
        builder.add(glob);
    }
    let Ok(globs) = builder.build() else { return };
    let fitting: Vec<FileId> =
        facts.snapshot.ids().filter(|&id| globs.is_match(&facts.snapshot.file(id).path)).collect();
    for &file in &fitting {
        let evidence = Evidence {
            kind: SignalKind::Pattern,
            strength: 1.0,
            detail: "its path fits the task's pattern".into(),
            source: Source::Query,
        };
        candidates.add(file, evidence);
    }
    let mut neighbours: BTreeMap<FileId, (usize, FileId)> = BTreeMap::new();
    for from in facts.snapshot.ids() {
        for &to in facts.graph.imports(from) {
            let (other, fits) = if fitting.binary_search(&from).is_ok() { (to, from) } else { (from, to) };
            if fitting.binary_search(&fits).is_ok() && fitting.binary_search(&other).is_err() {
                neighbours.entry(other).or_insert((0, fits)).0 += 1;
            }
        }
    }
    let most = neighbours.values().map(|(count, _)| *count).max().unwrap_or(1);
    for (file, (count, by)) in neighbours {
        let strength = IMPORTED * count as f64 / most as f64;
        let detail = format!("imports or is imported by {}", facts.snapshot.file(by).path);
        candidates.add(file, Evidence { kind: SignalKind::Imports, strength, detail, source: Source::Graph });
    }
}
