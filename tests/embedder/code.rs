//! Code embedded by a real model and asked for by what it means, with the real program from end to end: edits, a second model,
//! a kill, a full disk.

use std::path::PathBuf;
use std::process::Stdio;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::encoder::{self, Tiny};
use crate::support::{Run, Sandbox};
use crate::{command, run, sandbox};

/// Nothing takes longer, even unoptimised on a busy machine.
const LONGEST: Duration = Duration::from_secs(60);
/// A question without a word of what it is about.
const QUESTION: &str = "verify the secret of a person";

/// One test at a time: each takes all cores, and the program waits a second for what a question means.
static ALONE: Mutex<()> = Mutex::new(());

/// A workspace whose user has chosen the real model, and the cores for it alone.
fn with_model() -> (Sandbox, MutexGuard<'static, ()>) {
    let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let sandbox = sandbox();
    let folder = encoder::model().display().to_string();
    run(&sandbox, &["embedder", "use", &folder]).ends(0, &["all-MiniLM-L6-v2 turns texts into vectors"]);
    (sandbox, alone)
}

/// The passages that this run embedded.
#[track_caller]
fn embedded(run: &Run) -> usize {
    run.ends(0, &[" passages embedded by "]);
    let (before, _) = run.stderr.split_once(" passages embedded by ").unwrap();
    before.rsplit([' ', '\n']).next().unwrap().parse().unwrap()
}

/// The vectors that are kept, a number for each model.
fn kept(sandbox: &Sandbox) -> Vec<usize> {
    let status = run(sandbox, &["index", "--status"]);
    let lines = status.stdout.lines().filter_map(|line| line.strip_prefix("vectors     "));
    lines.map(|line| line.split(' ').next().unwrap().parse().unwrap()).collect()
}

fn vectors(sandbox: &Sandbox) -> Option<PathBuf> {
    let folder = std::fs::read_dir(sandbox.path("home/.cache/dossier/index")).ok()?;
    let mut files = folder.flatten().map(|entry| entry.path());
    files.find(|path| path.extension().is_some_and(|extension| extension == "vectors"))
}

fn search(sandbox: &Sandbox, query: &str) -> Value {
    run(sandbox, &["search", query, "--mode", "semantic", "--level", "symbol", "--json"]).json()
}

/// So many functions with a line of docs each.
fn functions(count: usize) -> String {
    let one = |number| {
        format!("/// Does the work of step {number}.\npub fn step_{number}() -> u32 {{ {number} }}\n")
    };
    (0..count).map(one).collect()
}

#[test]
fn what_shares_no_word_with_the_question_is_found_and_edits_cost_what_they_change() {
    let (sandbox, _alone) = with_model();
    let found = run(&sandbox, &["search", QUESTION, "--mode", "semantic"]);
    found.ends(2, &["nothing is embedded of this workspace yet: `dossier index --embed` does it now"]);
    let first = embedded(&run(&sandbox, &["index", "--embed"]));
    assert_eq!(kept(&sandbox), [first]);
    let found = search(&sandbox, QUESTION);
    assert_eq!(found["hits"][0]["path"], "src/login.rs", "{found}");
    assert_eq!(embedded(&run(&sandbox, &["index", "--embed"])), 0);

    let pack = run(&sandbox, &["context", QUESTION, "--format", "json"]).json();
    assert_eq!(pack["freshness"]["embedded"], 1.0, "{pack}");
    let explained = run(&sandbox, &["context", QUESTION, "--explain-context"]);
    explained.shows(&["close in meaning to the task: 0."]);

    let edited = "//! What lies on the shelves.\n\n/// The room that is left.\npub fn room() -> u32 { 3 }\n";
    sandbox.write("src/stock.rs", edited);
    let pack = run(&sandbox, &["context", QUESTION, "--format", "json"]).json();
    let share = pack["freshness"]["embedded"].as_f64().unwrap();
    assert!((0.5..1.0).contains(&share), "{share}");
    let found = run(&sandbox, &["search", QUESTION, "--mode", "semantic"]);
    found.ends(0, &[" % of the workspace is embedded so far"]);
    assert_eq!(embedded(&run(&sandbox, &["index", "--embed"])), 1);
    assert_eq!(search(&sandbox, "space that remains")["hits"][0]["name"], "room");
}

#[test]
fn each_model_has_its_own_vectors_and_the_old_ones_wait() {
    let (sandbox, _alone) = with_model();
    let first = embedded(&run(&sandbox, &["index", "--embed"]));
    let tiny = Tiny::new().write(&sandbox.path("tiny")).display().to_string();
    run(&sandbox, &["embedder", "use", &tiny]).ends(0, &[]);
    assert_eq!(embedded(&run(&sandbox, &["index", "--embed"])), first);
    assert_eq!(kept(&sandbox), [first, first]);
    run(&sandbox, &["embedder", "use", "all-MiniLM-L6-v2"]).ends(0, &[]);
    assert_eq!(embedded(&run(&sandbox, &["index", "--embed"])), 0);
    assert_eq!(search(&sandbox, QUESTION)["hits"][0]["path"], "src/login.rs");
}

#[cfg(unix)]
#[test]
fn a_kill_costs_what_was_not_put_down_yet() {
    let (sandbox, _alone) = with_model();
    sandbox.write("src/steps.rs", functions(300));
    let mut process = command(&sandbox, &["index", "--embed", "--quiet"]);
    let mut process =
        process.stdin(Stdio::null()).stderr(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
    let since = Instant::now();
    let is_begun =
        || vectors(&sandbox).is_some_and(|path| path.metadata().is_ok_and(|file| file.len() > 40_000));
    while !is_begun() && since.elapsed() < LONGEST {
        std::thread::park_timeout(Duration::from_millis(5));
    }
    process.kill().unwrap();
    process.wait().unwrap();
    let kept: usize = kept(&sandbox).iter().sum();
    assert!(kept > 0, "nothing was kept");
    // What is asked meanwhile is answered with what is there.
    let pack = run(&sandbox, &["context", QUESTION, "--format", "json"]).json();
    let share = pack["freshness"]["embedded"].as_f64().unwrap();
    assert!(share > 0.0 && share < 1.0, "{share}");
    let rest = embedded(&run(&sandbox, &["index", "--embed"]));
    assert!(rest > 0 && (300..360).contains(&(kept + rest)), "{kept} were kept, {rest} made");
    assert_eq!(search(&sandbox, "the work of one step")["hits"][0]["path"], "src/steps.rs");
}

#[cfg(unix)]
#[test]
fn a_full_disk_is_told_and_nothing_is_lost() {
    let (sandbox, _alone) = with_model();
    let first = embedded(&run(&sandbox, &["index", "--embed"]));
    sandbox.write("src/steps.rs", functions(200));
    let plain = command(&sandbox, &[]);
    // No file may grow beyond so many blocks of 512 bytes; the signal that comes with it is ignored.
    let mut limited = std::process::Command::new("sh");
    let script =
        format!("trap '' XFSZ; ulimit -f 120; exec '{}' index --embed", plain.get_program().display());
    limited.args(["-c", &script]).current_dir(sandbox.ws("")).env_clear();
    limited.envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let told = sandbox.finish(limited, Vec::new());
    told.ends(2, &["vectors"]);
    assert!(kept(&sandbox)[0] >= first);
    run(&sandbox, &["context", QUESTION]).shows(&["src/login.rs"]);
    run(&sandbox, &["index", "--embed"]).ends(0, &[]);
    assert_eq!(search(&sandbox, "the work of one step")["hits"][0]["path"], "src/steps.rs");
}
