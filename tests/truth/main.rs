//! Truth cases: small tasks, one behaviour each, with the ranks that their answers get committed beside them.
//!
//! ```text
//! UPDATE_EXPECT=1 cargo test --test truth
//! ```
//!
//! writes the ranks anew; what a change of the ranking does to each behaviour is then in the diff.

#[path = "../support/mod.rs"]
mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use dossier::config::DEFAULT_BUDGET;
use dossier::model::Deadline;
use dossier::pipeline::{LanguageServer, Planner, Request, Workspace};
use dossier::workspace::WalkOptions;
use expect_test::expect_file;
use serde::Deserialize;
use support::Sandbox;

/// The mean reciprocal rank of the most wanted files must not fall below this. It stands a little below what is reached: raise it
/// when the ranks get better.
const LEAST_MRR: f64 = 0.80;
/// As many cases say something together.
const LEAST_CASES: usize = 20;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Cases {
    workspace: BTreeMap<String, Inline>,
    case: Vec<Case>,
}

/// A workspace written in the file of the cases.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Inline {
    files: String,
    #[serde(default)]
    commit: Vec<Commit>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Commit {
    message: String,
    #[serde(default)]
    files: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    #[serde(rename = "in")]
    workspace: String,
    task: String,
    expected: Vec<String>,
}

#[test]
fn the_ranks_are_those_that_are_committed() {
    let cases: Cases = toml::from_str(include_str!("cases.toml")).unwrap();
    let names: BTreeSet<&str> = cases.case.iter().map(|case| case.name.as_str()).collect();
    assert_eq!(names.len(), cases.case.len(), "each case has a name of its own");
    assert!(names.len() >= LEAST_CASES);
    let mut workspaces: BTreeMap<&str, Workspace> = BTreeMap::new();
    let (mut text, mut reciprocal) = (String::new(), 0.0);
    for case in &cases.case {
        let workspace = workspaces.entry(&case.workspace).or_insert_with(|| open(&cases, &case.workspace));
        let ranking = ranking(workspace, &case.task);
        let _ = writeln!(text, "{}", case.name);
        for (place, path) in case.expected.iter().enumerate() {
            assert!(workspace.snapshot.find(path).is_some(), "{}: {path} is not in its workspace", case.name);
            let rank = ranking.iter().position(|ranked| ranked == path).map(|index| index + 1);
            if place == 0 {
                reciprocal += rank.map_or(0.0, |rank| 1.0 / rank as f64);
            }
            let rank = rank.map_or("-".to_owned(), |rank| rank.to_string());
            let _ = writeln!(text, "  {rank:>3}  {path}");
        }
    }
    let mrr = reciprocal / cases.case.len() as f64;
    let head = format!("{} cases, mean reciprocal rank {mrr:.3}\n\n", cases.case.len());
    expect_file!["ranks.txt"].assert_eq(&(head + &text));
    assert!(mrr >= LEAST_MRR, "the mean reciprocal rank is {mrr:.3}, below {LEAST_MRR}");
}

/// A workspace of the cases, in a folder of its own: the history of this repository says nothing about it.
fn open(cases: &Cases, name: &str) -> Workspace {
    let sandbox = match cases.workspace.get(name) {
        Some(inline) => with_history(inline),
        None => {
            let sandbox = Sandbox::new("");
            copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name), &sandbox.path("ws"));
            sandbox
        }
    };
    Workspace::open(&sandbox.path("ws"), &WalkOptions::default(), &Deadline::never()).unwrap()
}

fn with_history(inline: &Inline) -> Sandbox {
    let sandbox = Sandbox::new(&inline.files);
    if !inline.commit.is_empty() {
        sandbox.git(&["init", "--quiet"]);
    }
    for commit in &inline.commit {
        sandbox.write_all(&commit.files);
        sandbox.commit(&commit.message);
    }
    sandbox.write_all(&inline.files);
    sandbox
}

fn ranking(workspace: &Workspace, task: &str) -> Vec<String> {
    let request = Request::new(task, DEFAULT_BUDGET);
    let server = LanguageServer::absent(&workspace.snapshot.root);
    let answer = workspace.answer(&request, &server, &Planner::rules(), &Deadline::never());
    answer.unwrap().pack.ranking
}

fn copy(from: &Path, to: &Path) {
    for entry in std::fs::read_dir(from).unwrap().flatten().filter(|entry| entry.file_name() != "target") {
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        if source.is_dir() {
            std::fs::create_dir_all(&target).unwrap();
            copy(&source, &target);
        } else {
            std::fs::copy(&source, &target).unwrap();
        }
    }
}
