//! What each signal weighs, beside the measurement that set it: `dossier eval` on the tuning repositories, hit@1 and mrr on 100
//! commit tasks; 163 issue tasks. The ground is flat: halving or doubling most of them moves mrr by less than one point.

use crate::expand::Candidates;
use crate::model::{FileKind, Role, SignalKind};

/// BM25F of the whole file, in its parts: the measure of the others.
const WORDS: f64 = 1.0;
/// The best three items. .4: 62, 74.2; 69, 78.4. 1.0: 65, 75.8; 70, 79.3. 1.5: 65, 76.0; 69, 79.0.
const ITEMS: f64 = 1.2;
/// .15: 64, 75.2; 70, 79.2. .3: 63, 74.9; 69, 78.9. .5: 63, 75.1; 66, 77.1. On all commit tasks 0 against .3: all@10 73.1, 75.0.
const PAST_COMMITS: f64 = 0.3;
/// .5, 1 and 2 are within .3 points: few tasks quote a path.
const QUOTED_PATH: f64 = 1.0;
/// What a believed model chose comes before all that words can gain together (3.5). 3 against 4, on all commit tasks: all@10 of an
/// oracle 88.8, 90.0; hit@1 of a noisy model 62.5, 60.6.
const SHORTLIST: f64 = 4.0;
/// Frames mislead where no words support them, so they cannot win alone.
const BACKTRACE: f64 = 0.2;
/// 0 and .5 are within .1 of mrr; it decides among equals, and tells a reader why.
const DEFINITION: f64 = 0.2;
/// What the graph says, all kinds together. 0 against .1, on all tasks: hit@1 58.1, 59.4; 64.0, 65.6.
const NEIGHBOUR: f64 = 0.1;
/// Where a walk over the graph from the best files goes, which never takes a file past the first. 0, .4, .7, tuning tasks: all@20 90, 91, 91; 87.7, 89.0,
/// 89.0; all@10 82, 84, 84; 70.6, 71.2, 71.2.
const NEIGHBOURHOOD: f64 = 0.4;

/// The weight of a signal at full strength.
pub fn of(kind: SignalKind) -> f64 {
    match kind {
        SignalKind::Text | SignalKind::PathWords | SignalKind::ItemNames => WORDS,
        SignalKind::Items | SignalKind::Meaning => ITEMS,
        SignalKind::PastCommits => PAST_COMMITS,
        SignalKind::Shortlist => SHORTLIST,
        SignalKind::QuotedPath => QUOTED_PATH,
        SignalKind::Backtrace => BACKTRACE,
        SignalKind::Definition => DEFINITION,
        SignalKind::Calls
        | SignalKind::References
        | SignalKind::Implements
        | SignalKind::Tests
        | SignalKind::Imports
        | SignalKind::Pattern => NEIGHBOUR,
        SignalKind::Neighbourhood => NEIGHBOURHOOD,
        // Told as what a role takes away.
        SignalKind::Role => 0.0,
    }
}

/// What a role leaves of a score. Tests .3 against .5: the same hit@1 and mrr, prec@10 of the issue tasks −1.6.
const TEST: f64 = 0.5;
const BENCH_OR_EXAMPLE: f64 = 0.4;
const BUILD_SCRIPT: f64 = 0.8;
const GENERATED: f64 = 0.3;
const VENDORED: f64 = 0.1;
/// What a kind leaves. Docs say the words of every task: they come behind the code unless they say them much better.
const TEMPLATE: f64 = 0.6;
const MANIFEST_OR_CONFIG: f64 = 0.4;
const DOCS: f64 = 0.3;

/// The same where the task speaks of them. Of 15 such files that were changed 4 go into packs with code, where 1 did; of the Rust files
/// no measure but all@10 moves (one task of 186). 1 and .6: hit@1 of the issue tasks −.6.
const MANIFEST_ASKED_FOR: f64 = 0.7;
const DOCS_ASKED_FOR: f64 = 0.5;

/// What is left of a file's score by what the file is and is used for, and whether the task calls for that: 0 to 1.
pub fn left_by_role(role: Role, kind: FileKind, candidates: &Candidates) -> f64 {
    let by_role = match role {
        Role::Source => 1.0,
        Role::Test if candidates.with_tests => 1.0,
        Role::Test => TEST,
        Role::Bench | Role::Example => BENCH_OR_EXAMPLE,
        Role::BuildScript => BUILD_SCRIPT,
        Role::Generated => GENERATED,
        Role::Vendored => VENDORED,
    };
    let by_kind = match kind {
        FileKind::Rust | FileKind::Sql | FileKind::Proto => 1.0,
        FileKind::Template => TEMPLATE,
        FileKind::Manifest if candidates.with_manifests => MANIFEST_ASKED_FOR,
        FileKind::Manifest | FileKind::Config => MANIFEST_OR_CONFIG,
        FileKind::Docs if candidates.with_docs => DOCS_ASKED_FOR,
        FileKind::Docs => DOCS,
    };
    by_role * by_kind
}
