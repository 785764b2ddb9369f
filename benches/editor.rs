//! The language server over a daemon, as an editor speaks to it: from a request to the whole view, and how long texts take to be
//! taken in meanwhile. `cargo bench --bench editor -- FOLDER…`, git repositories.

#![cfg(unix)]

#[allow(dead_code)]
#[path = "../tests/editor/wire.rs"]
mod wire;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use self::wire::{Editor, abilities};

const TASKS: usize = 40;
const EDITS: u32 = 1_000;

fn main() {
    let folders: Vec<PathBuf> =
        std::env::args().skip(1).filter(|it| !it.starts_with('-')).map(Into::into).collect();
    for folder in &folders {
        let folder = folder.canonicalize().unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        measure(&folder);
    }
}

fn measure(folder: &Path) {
    let home = TempDir::new().unwrap();
    let mut editor = Editor::open_with(program(&["lsp"], home.path()), folder, json!({}), abilities());
    let tasks = tasks(folder);
    let since = Instant::now();
    editor.ask("dossier/explain", json!({ "task": tasks[0] }));
    println!("{}\n  the first view: {:?}", folder.display(), since.elapsed());
    let mut explained: Vec<Duration> = tasks
        .iter()
        .map(|task| {
            let since = Instant::now();
            editor.ask("dossier/explain", json!({ "task": task }));
            since.elapsed()
        })
        .collect();
    told("a view", &mut explained);
    let budgets = [3_000, 6_000, 9_000, 12_000];
    let mut changed: Vec<Duration> = budgets
        .iter()
        .cycle()
        .take(TASKS)
        .map(|budget| {
            let since = Instant::now();
            editor.ask("dossier/edit", json!({ "budget": budget }));
            since.elapsed()
        })
        .collect();
    told("another budget", &mut changed);
    told("a text while views are made", &mut texts(&mut editor, folder, &tasks));
    drop(editor);
    let _ = program(&["daemon", "stop"], home.path()).output();
}

/// Edits one file again and again while requests run. What is answered by the thread that takes texts in tells when it is in.
fn texts(editor: &mut Editor, folder: &Path, tasks: &[String]) -> Vec<Duration> {
    let path = largest(folder);
    let text = std::fs::read_to_string(&path).unwrap();
    let document = editor.open_document(&path, &text);
    let mut open = Vec::new();
    let mut took = Vec::new();
    for version in 0..EDITS {
        if version % 50 == 0 {
            let task = &tasks[version as usize / 50 % tasks.len()];
            open.push(editor.begin("dossier/explain", json!({ "task": task })));
        }
        let at = json!({ "line": version, "character": 0 });
        let change = json!({ "range": { "start": at, "end": at }, "text": "//" });
        let params = json!({
            "textDocument": { "uri": document, "version": version },
            "contentChanges": [change],
        });
        let since = Instant::now();
        editor.tell("textDocument/didChange", params);
        editor.fails("initialize", Value::Null);
        took.push(since.elapsed());
    }
    open.into_iter().for_each(|waiting| _ = waiting.wait());
    took
}

fn told(what: &str, took: &mut [Duration]) {
    took.sort();
    let at = |share: usize| took[(took.len() * share / 100).min(took.len() - 1)];
    println!("  {what}: p50 {:?}, p95 {:?}, p99 {:?} of {}", at(50), at(95), at(99), took.len());
}

/// The titles of the last commits.
fn tasks(folder: &Path) -> Vec<String> {
    let log = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(["log", "--no-merges", "-n", "40", "--format=%s"])
        .output();
    let titles = String::from_utf8(log.unwrap().stdout).unwrap();
    let tasks: Vec<String> = titles.lines().map(str::to_owned).collect();
    assert!(tasks.len() >= TASKS, "{} is no git repository with {TASKS} commits", folder.display());
    tasks
}

/// The largest Rust file that is not made by a program.
fn largest(folder: &Path) -> PathBuf {
    let files =
        Command::new("git").arg("-C").arg(folder).args(["ls-files", "*/src/*.rs", "src/*.rs"]).output();
    let files = String::from_utf8(files.unwrap().stdout).unwrap();
    let paths = files.lines().map(|path| folder.join(path));
    paths.max_by_key(|path| path.metadata().map_or(0, |found| found.len())).unwrap()
}

fn program(arguments: &[&str], home: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dossier"));
    command.args(arguments).env("HOME", home).env_remove("CI").env("DOSSIER_LSP", "false");
    for folder in ["XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR"]
    {
        command.env_remove(folder);
    }
    command
}
