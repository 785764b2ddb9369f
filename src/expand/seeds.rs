//! The first candidates: by words, by quoted places and backtraces, by past commits, by names that are defined.

use super::{Candidates, Evidence, Facts};
use crate::index::Term;
use crate::meaning::Close;
use crate::model::{Deadline, FileId, SignalKind, Source};
use crate::plan::{ContextPlan, QueryIntent};
use crate::text;

/// A name with more definitions than this says nothing about where to look.
const MOST_DEFINITIONS: usize = 12;
/// What an item counts for what its callers and callees say. 0 against .35, tuning tasks: hit@1 64, 67; 71.8, 69.9; all@10 84, 82; 68.1, 70.6; of the
/// checking ones all@10 60, 63; 65, 65. .5: 65, 69.3; 82, 69.9.
pub(super) const HEARD: f64 = 0.35;
/// What the unit that is closest in meaning gains, beside what its words give the best one. `eval --embed --fill`, hit@1 and mrr of the tuning commits /
/// issues, without 67.0, 76.9 / 69.3, 79.5: .1: 69.0, 78.0 / 70.6, 80.0; .15, .2, .25: 69.0, 78.0 / 70.6, 80.3; all@20 of .15: 93.0 / 88.3, of .2:
/// 92.0 / 87.7, of .25: 93.0 / 87.7. Of the items that a search lists: docs/ranking.md.
pub const MEANING: f64 = 0.15;
/// From so many standard deviations above the mean of all units on closeness says something. 0, 1, 2: within .6 of mrr.
const SPREADS: f64 = 1.0;
/// What each place in a shortlist of ten takes: the order is a model's second word, the evidence has one too.
const LESS_BY_PLACE: f64 = 0.04;
/// A path that fits more files than this says nothing about which is meant.
const MOST_PLACES: usize = 8;
/// Names of files that stand everywhere: quoted alone they mislead.
const COMMON_FILES: [&str; 4] = ["lib.rs", "mod.rs", "main.rs", "Cargo.toml"];

pub fn collect(
    facts: &Facts<'_>,
    intent: &QueryIntent,
    plan: &ContextPlan,
    deadline: &Deadline,
) -> Candidates {
    let terms: Vec<Term> = terms(plan);
    let text = facts.lexical.search(&terms);
    let heard = facts.links.heard(&text.units);
    let meaning = facts.close.map(standing).unwrap_or_default();
    let mut candidates = Candidates {
        text,
        heard,
        meaning,
        terms,
        with_tests: plan.include_tests,
        with_manifests: intent.wants_manifests,
        with_docs: intent.wants_docs,
        ..Candidates::default()
    };
    by_text(facts, &mut candidates);
    by_votes(facts, &mut candidates);
    by_places(facts, intent, &mut candidates);
    by_names(facts, &plan.symbols_to_find, &mut candidates, deadline);
    by_choice(facts, plan, &mut candidates);
    candidates
}

/// The plan's keywords as the index spells them; where two meet, the heavier counts.
pub fn terms(plan: &ContextPlan) -> Vec<Term> {
    let mut terms: Vec<Term> = Vec::new();
    for keyword in &plan.keywords {
        let word = text::normalize(&keyword.word).to_string();
        match terms.iter_mut().find(|term| term.word == word) {
            Some(term) => term.weight = term.weight.max(keyword.weight),
            None => terms.push(Term { word, spelt: keyword.word.clone(), weight: keyword.weight }),
        }
    }
    terms
}

fn by_text(facts: &Facts<'_>, candidates: &mut Candidates) {
    let files = std::mem::take(&mut candidates.text.files);
    let best = files.iter().map(|score| score.total()).fold(f64::MIN_POSITIVE, f64::max);
    let by_words: Vec<f64> =
        (0..candidates.text.units.len()).map(|unit| candidates.score_of_unit(unit)).collect();
    let most = by_words.iter().copied().fold(0.0, f64::max);
    // Where no word is known, meaning alone decides.
    let most = if most > 0.0 { most * MEANING } else { 1.0 };
    let embedded = facts.close.map_or(0.0, |close| close.embedded);
    let meaning = |unit: usize| most * embedded * candidates.meaning.get(unit).copied().unwrap_or(0.0);
    let items: Vec<Best> =
        facts.snapshot.ids().map(|id| best_three(facts, id, &by_words, &meaning)).collect();
    let best_items = items.iter().map(|best| best.score).fold(f64::MIN_POSITIVE, f64::max);
    for id in facts.snapshot.ids() {
        let (score, items) = (files[id.index()], items[id.index()]);
        // What only hangs together with something is no find.
        if score.total() <= 0.0 && items.meaning <= 0.0 {
            continue;
        }
        let parts = [
            (SignalKind::Text, score.text / best),
            (SignalKind::PathWords, score.path / best),
            (SignalKind::ItemNames, score.names / best),
            (SignalKind::Items, (items.score - items.meaning) / best_items),
            (SignalKind::Meaning, items.meaning / best_items),
        ];
        for (kind, strength) in parts {
            if strength > 0.0 {
                let (detail, meant) = (String::new(), kind == SignalKind::Meaning);
                let source = if meant { Source::Meaning } else { Source::Index };
                candidates.add(id, Evidence { kind, strength, detail, source });
            }
        }
    }
    candidates.text.files = files;
}

/// How close in meaning each unit is, beside the closest: 0 to 1, and 0 for what is no closer than most are.
fn standing(close: &Close) -> Vec<f64> {
    let known = || close.units.iter().flatten().map(|cosine| f64::from(*cosine));
    let count = known().count().max(1) as f64;
    let mean = known().sum::<f64>() / count;
    let spread = (known().map(|cosine| (cosine - mean).powi(2)).sum::<f64>() / count).sqrt();
    let usual = mean + SPREADS * spread;
    let reach = (known().fold(usual, f64::max) - usual).max(f64::MIN_POSITIVE);
    let of = |cosine: f32| ((f64::from(cosine) - usual) / reach).max(0.0);
    close.units.iter().map(|cosine| cosine.map_or(0.0, of)).collect()
}

/// What a file's best units give.
#[derive(Debug, Clone, Copy, Default)]
struct Best {
    score: f64,
    /// The share of it that their meaning gives.
    meaning: f64,
}

/// A file by its best three units: 1, ½, ¼. Measured: hit@1 53 against 42 for whole files; the best alone 52.
fn best_three(facts: &Facts<'_>, file: FileId, by_words: &[f64], meaning: &dyn Fn(usize) -> f64) -> Best {
    let mut best = [Best::default(); 3];
    for unit in facts.lexical.units_of(file) {
        let meaning = meaning(unit);
        let score = by_words[unit] + meaning;
        if let Some(place) = best.iter().position(|other| score > other.score) {
            best[place..].rotate_right(1);
            best[place] = Best { score, meaning };
        }
    }
    let mut sum = Best::default();
    for (unit, share) in best.into_iter().zip([1.0, 0.5, 0.25]) {
        sum.score += unit.score * share;
        sum.meaning += unit.meaning * share;
    }
    sum
}

/// What a model chose of the candidates that it was shown.
fn by_choice(facts: &Facts<'_>, plan: &ContextPlan, candidates: &mut Candidates) {
    for (place, (path, belief)) in (1u32..).zip(plan.shortlist.iter().zip(&plan.shortlist_beliefs)) {
        let Some(file) = facts.snapshot.find(path) else { continue };
        let strength = belief * (1.0 - LESS_BY_PLACE * f64::from(place - 1));
        let detail = format!("{} takes it as {place} of {}", plan.source, plan.shortlist.len());
        candidates
            .add(file, Evidence { kind: SignalKind::Shortlist, strength, detail, source: Source::Model });
    }
}

fn by_votes(facts: &Facts<'_>, candidates: &mut Candidates) {
    let best = facts.votes.votes.iter().copied().fold(0.0, f64::max);
    for id in facts.snapshot.ids() {
        let vote = facts.votes.votes.get(id.index()).copied().unwrap_or(0.0);
        let Some((commit, title)) = facts.votes.loudest.get(&id).filter(|_| vote > 0.0) else { continue };
        let detail = format!("changed by {} «{title}»", commit.get(..10).unwrap_or(commit));
        let evidence = Evidence {
            kind: SignalKind::PastCommits,
            strength: vote / best,
            detail,
            source: Source::History,
        };
        candidates.add(id, evidence);
    }
}

fn by_places(facts: &Facts<'_>, intent: &QueryIntent, candidates: &mut Candidates) {
    for place in &intent.places {
        let found = files_at(facts, &place.path);
        let strength = 1.0 / found.len() as f64;
        for file in found {
            let detail = match place.line {
                Some(line) => format!("the task names {}:{line}", place.path),
                None => format!("the task names {}", place.path),
            };
            pin_line(facts, file, place.line, candidates);
            candidates.add(
                file,
                Evidence { kind: SignalKind::QuotedPath, strength, detail, source: Source::Query },
            );
        }
    }
    for place in &intent.packaged {
        let found = files_of_package(facts, &place.package, &place.path);
        let strength = 1.0 / found.len() as f64;
        for file in found {
            let detail = format!("the task names {} of {}", place.path, place.package);
            pin_line(facts, file, place.line, candidates);
            candidates.add(
                file,
                Evidence { kind: SignalKind::QuotedPath, strength, detail, source: Source::Query },
            );
        }
    }
    let frames = intent.backtrace.iter().filter_map(|frame| Some((frame.path.as_deref()?, frame)));
    for (rank, (path, frame)) in frames.enumerate() {
        let found = files_at(facts, path);
        let strength = 1.0 / found.len() as f64 / (rank + 1) as f64;
        for file in found {
            let detail = format!("frame {} of the backtrace: {}", rank + 1, frame.function);
            pin_line(facts, file, frame.line, candidates);
            candidates
                .add(file, Evidence { kind: SignalKind::Backtrace, strength, detail, source: Source::Query });
        }
    }
}

/// Marks the item around a line that the task names.
fn pin_line(facts: &Facts<'_>, file: FileId, line: Option<u32>, candidates: &mut Candidates) {
    let Some(line) = line else { return };
    let hit = facts
        .lexical
        .units_of(file)
        .map(|unit| &facts.lexical.units[unit])
        .find(|unit| unit.lines.contains(line));
    if let Some(item) = hit.and_then(|unit| unit.item) {
        candidates.candidate(file).items.insert(item, 0);
    }
}

/// The files of a package of this workspace that a path inside a registry or a checkout elsewhere means.
fn files_of_package(facts: &Facts<'_>, package: &str, path: &str) -> Vec<FileId> {
    let is_meant = |id: &FileId| {
        let known = facts.snapshot.package_of(*id).is_some_and(|known| known.name == package);
        known && facts.snapshot.file(*id).path.ends_with(path)
    };
    facts.snapshot.ids().filter(is_meant).collect()
}

/// The files that a quoted path may mean: the exact one, else those that end with it; none where it is common or fits too many.
fn files_at(facts: &Facts<'_>, quoted: &str) -> Vec<FileId> {
    let path = quoted.trim_start_matches("./").trim_start_matches('/');
    if path.is_empty() {
        return Vec::new();
    }
    if let Some(file) = facts.snapshot.find(path) {
        return vec![file];
    }
    if COMMON_FILES.contains(&path) {
        return Vec::new();
    }
    let suffix = |known: &str| known.ends_with(path) && known[..known.len() - path.len()].ends_with('/');
    let known_inside = |known: &str| path.ends_with(known) && path[..path.len() - known.len()].ends_with('/');
    let mut found: Vec<FileId> =
        facts.snapshot.ids().filter(|&id| suffix(&facts.snapshot.file(id).path)).collect();
    if found.is_empty() {
        found = facts.snapshot.ids().filter(|&id| known_inside(&facts.snapshot.file(id).path)).collect();
        let longest = found.iter().map(|&id| facts.snapshot.file(id).path.len()).max().unwrap_or(0);
        found.retain(|&id| facts.snapshot.file(id).path.len() == longest && longest > "main.rs".len());
    }
    if found.len() > MOST_PLACES { Vec::new() } else { found }
}

/// Files that define what the task names; the rarer the name, the stronger.
fn by_names(facts: &Facts<'_>, symbols: &[String], candidates: &mut Candidates, deadline: &Deadline) {
    for symbol in symbols {
        let found = facts.provider.definition(symbol, deadline);
        if found.is_empty() || found.len() > MOST_DEFINITIONS {
            continue;
        }
        let strength = 1.0 / (found.len() as f64).sqrt();
        for fact in &found {
            let detail = format!("defines {symbol}");
            let source = fact.source;
            candidates.add_item(
                fact.symbol,
                0,
                Evidence { kind: SignalKind::Definition, strength, detail, source },
            );
        }
    }
}
