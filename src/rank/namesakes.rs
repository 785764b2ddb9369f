//! Files of one name are often changed together: `modules/python.rs` and `configs/python.rs`, a command and its arguments.

use std::collections::BTreeMap;

use super::Ranked;
use super::neighbourhood::{Tie, Ties};
use crate::expand::Facts;
use crate::model::{FileId, FileKind, Source};

/// Files whose namesakes count: the best of the best.
const FIRST: usize = 5;
/// A name that more files bear says what they are, not what they are about.
const MOST: usize = 4;
/// Names that say as much: they stand in every package.
const COMMON: [&str; 6] = ["build", "lib", "main", "mod", "test", "tests"];

/// By file: the score of its best namesake among the first of `seeds`, beside that of the best file.
pub(super) fn ties(facts: &Facts<'_>, seeds: &[(FileId, f64)], ranked: &[Ranked]) -> Ties {
    let mut bearers: BTreeMap<&str, Vec<FileId>> = BTreeMap::new();
    for file in ranked {
        if let Some(name) = name(facts, file.file) {
            bearers.entry(name).or_default().push(file.file);
        }
    }
    let mut ties = Ties::new();
    let most = seeds.first().map_or(1.0, |(_, score)| *score);
    for (seed, score) in seeds.iter().take(FIRST) {
        let alike = name(facts, *seed).and_then(|name| bearers.get(name)).filter(|files| files.len() <= MOST);
        for file in alike.into_iter().flatten().filter(|file| *file != seed) {
            let detail = format!("has the name of {}", facts.snapshot.file(*seed).path);
            // The best namesake comes first.
            ties.entry(*file).or_insert(Tie { strength: score / most, detail, source: Source::Index });
        }
    }
    ties
}

/// The name of a Rust file, of `mod.rs` that of its folder; none where it says nothing.
fn name<'a>(facts: &Facts<'a>, file: FileId) -> Option<&'a str> {
    let file = facts.snapshot.file(file);
    let (folder, name) = file.path.rsplit_once('/').unwrap_or(("", &file.path));
    let name = match name {
        "mod.rs" => folder.rsplit('/').next().unwrap_or_default(),
        name => name.strip_suffix(".rs")?,
    };
    (file.kind == FileKind::Rust && !COMMON.contains(&name)).then_some(name)
}
