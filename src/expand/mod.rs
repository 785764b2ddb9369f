//! From the plan to candidates: which files might matter, which items of them, and by what evidence.
//!
//! Evidence is measured here and weighed in `rank`. The seeds come first (`seeds`: words, paths, quoted places,
//! past commits, names that are defined), then the plan's strategy adds what hangs together with them, one file per
//! strategy. Neighbours of the graph are candidates, never proof: mixed straight into a ranking they cost 14 points
//! of hit@1 on Rust tasks.

mod broad;
mod entry_points;
mod focused;
pub mod seeds;
mod semantic;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::graph::Graph;
use crate::index::{CommitVotes, Lexical, Links, Scores, Term};
use crate::lsp::LanguageProvider;
use crate::meaning::Close;
use crate::model::{Deadline, FileId, Note, Role, SignalKind, Source, Symbol, SymbolId};
use crate::plan::{ContextPlan, QueryIntent, Strategy};
use crate::syntax::FileSyntax;
use crate::workspace::Snapshot;

/// What is known of the workspace, for one question.
pub struct Facts<'a> {
    pub snapshot: &'a Snapshot,
    pub syntax: &'a [Option<Arc<FileSyntax>>],
    pub graph: &'a Graph,
    pub lexical: &'a Lexical,
    pub links: &'a Links,
    pub votes: &'a CommitVotes,
    /// What is close to the task in meaning, where an embedder says so.
    pub close: Option<&'a Close>,
    pub provider: &'a dyn LanguageProvider,
}

impl Facts<'_> {
    /// The item with this id; ids come from the snapshot of these facts alone.
    pub fn symbol(&self, id: SymbolId) -> Option<&Symbol> {
        self.items(id.file).get(id.item as usize)
    }

    /// The items of a file; none where it is not Rust.
    pub fn items(&self, file: FileId) -> &[Symbol] {
        self.syntax.get(file.index()).and_then(Option::as_ref).map_or(&[], |syntax| &syntax.items)
    }
}

/// One thing that speaks for a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    pub kind: SignalKind,
    /// 0 to 1, comparable among evidence of the same kind in one question.
    pub strength: f64,
    pub detail: String,
    pub source: Source,
}

/// The strength from which on a model's choice ties a file to the task.
const BELIEVED: f64 = 0.5;

/// A file that might matter.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    pub file: FileId,
    pub evidence: Vec<Evidence>,
    /// The items that the task names, or that hang together with one that it names; the steps from it.
    pub items: BTreeMap<u32, u32>,
}

impl Candidate {
    /// Whether it is there for more than its words: the task names it or something in it, or it hangs together with what the
    /// task names.
    pub fn is_tied(&self) -> bool {
        let is_chosen = |it: &Evidence| it.kind == SignalKind::Shortlist && it.strength >= BELIEVED;
        self.evidence.iter().any(|evidence| evidence.kind.is_tie() || is_chosen(evidence))
    }
}

/// All candidates in the order of their files.
#[derive(Debug, Default)]
pub struct Candidates {
    pub files: BTreeMap<FileId, Candidate>,
    /// Whether the task is about tests too.
    pub with_tests: bool,
    /// Whether it calls for manifests, and for documentation.
    pub with_manifests: bool,
    pub with_docs: bool,
    /// Whether the user wants none of them.
    pub no_tests: bool,
    /// The words of the task.
    pub terms: Vec<Term>,
    /// Scores of the words of the task, by file and by unit of the index.
    pub text: Scores,
    /// By unit: how close it is in meaning, beside the closest one: 0 to 1; empty without an embedder.
    pub meaning: Vec<f64>,
    /// By unit: what the units that it hangs together with score.
    pub heard: Vec<f64>,
    /// Whether the task names an item that is found without doubt: then what hangs together with it is the answer.
    pub pinned: bool,
    pub notes: Vec<Note>,
}

impl Candidates {
    /// Leaves out all files of tests and benches, and has the packer leave out the tests inside other files.
    pub fn leave_tests_out(&mut self, snapshot: &Snapshot) {
        self.files.retain(|&file, _| !matches!(snapshot.file(file).role, Role::Test | Role::Bench));
        self.no_tests = true;
    }

    /// What the words of the task give a unit of the index, its own and what it hears.
    pub fn score_of_unit(&self, unit: usize) -> f64 {
        let of = |scores: &[f64]| scores.get(unit).copied().unwrap_or(0.0);
        of(&self.text.units) + seeds::HEARD * of(&self.heard)
    }

    fn add(&mut self, file: FileId, evidence: Evidence) {
        let candidate = self.candidate(file);
        let same = |known: &&mut Evidence| known.kind == evidence.kind;
        match candidate.evidence.iter_mut().find(same) {
            Some(known) if known.strength >= evidence.strength => {}
            Some(known) => *known = evidence,
            None => candidate.evidence.push(evidence),
        }
    }

    fn add_item(&mut self, symbol: SymbolId, distance: u32, evidence: Evidence) {
        let items = &mut self.candidate(symbol.file).items;
        let known = items.entry(symbol.item).or_insert(distance);
        *known = distance.min(*known);
        self.add(symbol.file, evidence);
    }

    fn candidate(&mut self, file: FileId) -> &mut Candidate {
        self.files.entry(file).or_insert_with(|| Candidate {
            file,
            evidence: Vec::new(),
            items: BTreeMap::new(),
        })
    }
}

/// Collects the candidates of a plan; stops early when the deadline is over, with what it has.
pub fn expand(
    facts: &Facts<'_>,
    intent: &QueryIntent,
    plan: &ContextPlan,
    deadline: &Deadline,
) -> Candidates {
    let mut candidates = seeds::collect(facts, intent, plan, deadline);
    match &plan.strategy {
        Strategy::Focused { symbols } => {
            focused::expand(facts, intent, symbols, plan.max_depth, &mut candidates, deadline)
        }
        Strategy::Broad { patterns } => broad::expand(facts, patterns, &mut candidates),
        Strategy::EntryPointBased { entry_files } => {
            entry_points::expand(facts, entry_files, plan.max_depth, &mut candidates, deadline);
        }
        Strategy::Semantic { top_k, .. } => semantic::expand(facts, *top_k, &mut candidates),
    }
    if deadline.is_over() {
        candidates.notes.push(Note::warning(
            "expansion was stopped by the deadline: callers and neighbours may be missing",
        ));
    }
    candidates
}
