//! Nothing to hold on to: from the entry files along their imports, breadth first.

use std::collections::BTreeSet;

use super::{Candidates, Evidence, Facts};
use crate::model::{Deadline, FileId, SignalKind, Source};

pub fn expand(
    facts: &Facts<'_>,
    entry_files: &[String],
    max_depth: u32,
    candidates: &mut Candidates,
    deadline: &Deadline,
) {
    let mut seen: BTreeSet<FileId> =
        entry_files.iter().filter_map(|path| facts.snapshot.find(path)).collect();
    let mut layer: Vec<FileId> = seen.iter().copied().collect();
    for depth in 0..=max_depth {
        for &file in &layer {
            let detail = match depth {
                0 => "an entry point of the workspace".to_string(),
                _ => format!("{depth} imports from an entry point"),
            };
            let strength = 1.0 / f64::from(depth + 1);
            candidates
                .add(file, Evidence { kind: SignalKind::Imports, strength, detail, source: Source::Graph });
        }
        if deadline.is_over() {
            return;
        }
        let next = layer.iter().flat_map(|&file| facts.graph.imports(file).iter().copied());
        layer = next.filter(|&file| seen.insert(file)).collect();
    }
}
