//! The ranking by some of the signals, from the receipts of all of them.

use dossier::model::SignalKind;
use dossier::pipeline::{Choice, Workspace};
use dossier::rank::Ranked;

/// The part of its distance to the best file that a file may gain by its neighbourhood, as in `src/rank/neighbourhood.rs`.
const NEARER: f64 = 0.99;

/// Which signals count.
#[derive(Clone, Copy)]
pub enum Kept {
    All,
    AllBut(SignalKind),
    /// These alone, and what the role leaves of them.
    Only(&'static [SignalKind]),
}

impl Kept {
    fn holds(self, kind: SignalKind) -> bool {
        match self {
            Kept::All => true,
            Kept::AllBut(other) => kind != other,
            Kept::Only(kinds) => kind == SignalKind::Role || kinds.contains(&kind),
        }
    }
}

/// The paths of the files that have a score, best first.
pub fn ranking(workspace: &Workspace, choice: &Choice, kept: Kept) -> Vec<String> {
    let candidates = &choice.candidates;
    let is_tied =
        |file: &Ranked| candidates.files.get(&file.file).is_some_and(|candidate| candidate.is_tied());
    // What a single signal ranks knows nothing of the others.
    let pinned = candidates.pinned && !matches!(kept, Kept::Only(_));
    let own = |file: &Ranked| own(file, kept);
    let best = choice.ranked.iter().map(own).fold(0.0, f64::max);
    // By the neighbourhood alone no file is the best.
    let room = |file: &Ranked| if best > 0.0 { NEARER * (best - own(file)) } else { f64::INFINITY };
    let score = |file: &Ranked| own(file) + walk(file, kept).min(room(file));
    let scored = choice.ranked.iter().map(|file| (pinned && !is_tied(file), score(file), file.file));
    let mut scored: Vec<_> = scored.filter(|(_, score, _)| *score > 0.0).collect();
    scored.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)).then(a.2.cmp(&b.2)));
    scored.into_iter().map(|(_, _, file)| workspace.snapshot.file(file).path.clone()).collect()
}

/// The signals but the neighbourhood, times what the role leaves of all of them together.
fn own(file: &Ranked, kept: Kept) -> f64 {
    let sum = |wanted: &dyn Fn(SignalKind) -> bool| sum(file, wanted);
    let is_own = |kind: SignalKind| !matches!(kind, SignalKind::Role | SignalKind::Neighbourhood);
    let lost = if kept.holds(SignalKind::Role) { -sum(&|kind| kind == SignalKind::Role) } else { 0.0 };
    let left = 1.0 - lost / sum(&is_own).max(f64::MIN_POSITIVE);
    left * sum(&|kind| is_own(kind) && kept.holds(kind))
}

/// What the neighbourhood gives, which is what the role leaves of it already.
fn walk(file: &Ranked, kept: Kept) -> f64 {
    sum(file, &|kind| kind == SignalKind::Neighbourhood && kept.holds(kind))
}

fn sum(file: &Ranked, wanted: &dyn Fn(SignalKind) -> bool) -> f64 {
    file.signals.iter().filter(|signal| wanted(signal.kind)).map(|signal| signal.weight).sum()
}
