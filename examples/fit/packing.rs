//! What a unit's being touched can be told by: the model of `src/budget/worth.rs`.
//!
//! A unit is right where the real change touched a line of it; each task has the same weight.

use dossier::budget::worth;
use dossier::eval::Task;
use dossier::model::LineRange;
use dossier::pipeline::{Choice, Workspace};
use dossier::text::LineIndex;

use super::logistic::Row;

/// Files of each task that are learned from: as many as may fill a budget.
const FILES: usize = 40;

/// The units of the best files of one task.
pub fn rows(task: &Task, workspace: &Workspace, choice: &Choice) -> Vec<Row> {
    let facts = workspace.facts(&choice.votes, &workspace.graph);
    let considered = &choice.ranked[..choice.ranked.len().min(FILES)];
    let mut rows = Vec::new();
    for (place, file) in considered.iter().enumerate() {
        let path = &workspace.snapshot.file(file.file).path;
        let regions = task.regions.get(path).map_or(&[][..], Vec::as_slice);
        let units = workspace.lexical.units_of(file.file);
        for (unit, known) in units.zip(worth::features(&facts, considered, &choice.candidates, place)) {
            let touched = |lines: LineRange| (lines.first..=lines.last).any(|line| holds(regions, line));
            let right = own_lines(workspace, unit).into_iter().any(touched);
            rows.push(Row { known: known.to_vec(), right, weight: 0.0 });
        }
    }
    let right = rows.iter().filter(|row| row.right).count().max(1) as f64;
    rows.iter_mut().for_each(|row| row.weight = 1.0 / right);
    rows
}

fn holds(regions: &[LineRange], line: u32) -> bool {
    regions.iter().any(|region| region.contains(line))
}

/// The whole lines of a unit's own text.
fn own_lines(workspace: &Workspace, unit: usize) -> Vec<LineRange> {
    let unit = &workspace.lexical.units[unit];
    let text = &workspace.snapshot.file(unit.file).text;
    let lines = LineIndex::new(text);
    unit.spans.iter().map(|span| lines.lines(span.trimmed(text))).collect()
}
