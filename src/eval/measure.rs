//! The measures of one task. Each is 0 to 1; a mean over tasks is given in percent.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::task::Task;
use crate::budget::{ContextPack, Level};
use crate::model::LineRange;

/// How well one answer found what the change touched.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Measures {
    /// The first ranked file is gold.
    #[serde(rename = "hit@1")]
    pub hit_1: f64,
    /// One gold file within ten.
    #[serde(rename = "any@10")]
    pub any_10: f64,
    /// Every gold file within ten (strict).
    #[serde(rename = "all@10")]
    pub all_10: f64,
    #[serde(rename = "all@20")]
    pub all_20: f64,
    /// Share of the gold files within ten.
    #[serde(rename = "recall@10")]
    pub recall_10: f64,
    /// Share of the gold files within a hundred: the ceiling of what any reranking can reach.
    #[serde(rename = "recall@100")]
    pub recall_100: f64,
    /// 1 / rank of the first gold file.
    pub mrr: f64,
    /// Modified, used or test files among the first ten, over ten.
    #[serde(rename = "prec@10")]
    pub prec_10: f64,
    /// Share of the gold files of which at least one gold line is shown.
    pub pack_touch: f64,
    /// Share of the gold lines shown.
    pub pack_lines: f64,
    /// Files in the pack with code (a count, not a share).
    pub pack_files: f64,
    /// Share of those that are modified, used or tests.
    pub pack_prec: f64,
}

/// A measure's name, and where it stands.
pub type Column = (&'static str, fn(&Measures) -> f64);

/// The measures by name, in the order in which they are printed.
pub const COLUMNS: [Column; 12] = [
    ("hit@1", |m| m.hit_1),
    ("any@10", |m| m.any_10),
    ("all@10", |m| m.all_10),
    ("all@20", |m| m.all_20),
    ("recall@10", |m| m.recall_10),
    ("recall@100", |m| m.recall_100),
    ("mrr", |m| m.mrr),
    ("prec@10", |m| m.prec_10),
    ("pack_touch", |m| m.pack_touch),
    ("pack_lines", |m| m.pack_lines),
    ("pack_prec", |m| m.pack_prec),
    ("pack_files", |m| m.pack_files),
];

/// What a measure is multiplied by to be told: shares are told in percent, counts as they are.
pub fn scale(name: &str) -> f64 {
    if name == "pack_files" { 1.0 } else { 100.0 }
}

/// Measures an answer against its task.
pub fn measure(task: &Task, pack: &ContextPack) -> Measures {
    let useful = useful(task);
    let code: Vec<_> = pack.files.iter().filter(|entry| entry.level > Level::Mention).collect();
    let good = code.iter().filter(|entry| useful.contains(entry.path.as_str())).count();
    let (touch, lines) = shown(task, pack);
    Measures {
        pack_touch: touch,
        pack_lines: lines,
        pack_files: code.len() as f64,
        pack_prec: good as f64 / code.len().max(1) as f64,
        ..measure_ranking(task, &pack.ranking)
    }
}

/// Measures a ranking against a task: paths, best first. What is measured of a pack is nought.
pub fn measure_ranking(task: &Task, ranking: &[String]) -> Measures {
    let useful = useful(task);
    let ranks = ranks(task, ranking);
    let gold = ranks.len().max(1) as f64;
    let within = |k: usize| ranks.iter().filter(|rank| rank.is_some_and(|rank| rank <= k)).count() as f64;
    let first = ranks.iter().flatten().min().copied();
    let flag = |holds: bool| f64::from(u8::from(holds));
    Measures {
        hit_1: flag(first == Some(1)),
        any_10: flag(first.is_some_and(|rank| rank <= 10)),
        all_10: flag(within(10) == gold),
        all_20: flag(within(20) == gold),
        recall_10: within(10) / gold,
        recall_100: within(100) / gold,
        mrr: first.map_or(0.0, |rank| 1.0 / rank as f64),
        prec_10: ranking.iter().take(10).filter(|path| useful.contains(path.as_str())).count() as f64 / 10.0,
        ..Measures::default()
    }
}

/// The files that the change touched or that its lines name.
fn useful(task: &Task) -> BTreeSet<&str> {
    task.modified.iter().chain(&task.used).chain(&task.tests).map(String::as_str).collect()
}

/// The rank of each gold file, from 1; `None` where it is no candidate.
pub fn ranks(task: &Task, ranking: &[String]) -> Vec<Option<usize>> {
    task.modified
        .iter()
        .map(|gold| ranking.iter().position(|path| path == gold).map(|index| index + 1))
        .collect()
}

/// Share of the gold files touched, share of the gold lines shown.
fn shown(task: &Task, pack: &ContextPack) -> (f64, f64) {
    let (mut files, mut touched, mut lines, mut seen) = (0u32, 0u32, 0u32, 0u32);
    for (path, regions) in &task.regions {
        let ranges =
            pack.files.iter().find(|entry| entry.path == *path).map_or(&[][..], |entry| &entry.ranges);
        let gold: BTreeSet<u32> = regions.iter().flat_map(|region| region.first..=region.last).collect();
        let found =
            gold.iter().filter(|&&line| ranges.iter().any(|range: &LineRange| range.contains(line))).count();
        files += 1;
        touched += u32::from(found > 0);
        lines += gold.len() as u32;
        seen += found as u32;
    }
    (f64::from(touched) / f64::from(files.max(1)), f64::from(seen) / f64::from(lines.max(1)))
}
