//! The ranking by some of the signals, from the receipts of all of them.

use dossier::model::SignalKind;
use dossier::pipeline::{Choice, Workspace};
use dossier::rank::Ranked;

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
    let scored = choice.ranked.iter().map(|file| (pinned && !is_tied(file), score(file, kept), file.file));
    let mut scored: Vec<_> = scored.filter(|(_, score, _)| *score > 0.0).collect();
    scored.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)).then(a.2.cmp(&b.2)));
    scored.into_iter().map(|(_, _, file)| workspace.snapshot.file(file).path.clone()).collect()
}

/// The walk's weight is what is left of it by the role already; the role takes its share of all others together.
fn score(file: &Ranked, kept: Kept) -> f64 {
    let sum = |wanted: &dyn Fn(SignalKind) -> bool| -> f64 {
        file.signals.iter().filter(|signal| wanted(signal.kind)).map(|signal| signal.weight).sum()
    };
    let is_own = |kind: SignalKind| !matches!(kind, SignalKind::Role | SignalKind::Neighbourhood);
    let lost = if kept.holds(SignalKind::Role) { -sum(&|kind| kind == SignalKind::Role) } else { 0.0 };
    let left = 1.0 - lost / sum(&is_own).max(f64::MIN_POSITIVE);
    let walk = sum(&|kind| kind == SignalKind::Neighbourhood && kept.holds(kind));
    left * sum(&|kind| is_own(kind) && kept.holds(kind)) + walk
}
