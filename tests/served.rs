//! The real program with the real rust-analyzer behind it: what the server adds to what the text says, and what is left where it
//! fails.

#![cfg(unix)]

mod support;

use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use support::{Run, Sandbox};

/// Seconds; what is here is small, and a run of the harness may take 60.
const WAIT: &str = "50";

const CODE: &str = r#"
//- /Cargo.toml
[package]
name = "plant"
version = "0.1.0"
edition = "2021"
//- /src/lib.rs
//! A plant.
pub mod gauges;
pub mod ids;
pub mod labels;
//- /src/gauges.rs
//! What is measured, and what only has the same name.
use std::collections::HashMap;

pub struct Gauge;
pub struct Clock;

impl Gauge {
    pub fn tick(&self) -> u8 {
        1
    }
}

impl Clock {
    pub fn tick(&self) -> u8 {
        2
    }
}

pub fn grouped() -> u8 {
    let mut gauges = HashMap::new();
    gauges.insert(1, Gauge);
    gauges[&1].tick()
}

pub fn collected() -> u8 {
    let clocks: Vec<_> = (0..3).map(|_| Clock).collect();
    clocks[0].tick()
}
//- /src/ids.rs
//! Ids that a macro makes.
macro_rules! id {
    ($name:ident, $number:ident) => {
        pub struct $name(pub u64);
        impl $name {
            pub fn $number(&self) -> u64 {
                self.0
            }
        }
    };
}

id!(OrderId, order_number);

pub fn show(id: &OrderId) -> u64 {
    id.order_number()
}
//- /src/labels.rs
//! Labels of everything that can be shown.
use std::fmt::Debug;

pub trait Labelled {
    fn label(&self) -> String;
}

impl<T: Debug> Labelled for T {
    fn label(&self) -> String {
        format!("{self:?}")
    }
}

pub fn of_five() -> String {
    5u8.label()
}
"#;

/// The program with the toolchains of this machine; every process that comes of it carries the sandbox's path in a variable.
fn command(sandbox: &Sandbox, arguments: &[&str]) -> Command {
    let mut command = sandbox.command(arguments);
    command.env("RUSTUP_HOME", rustup_home()).env("CARGO_HOME", sandbox.path("cargo"));
    command.env("XDG_CONFIG_HOME", sandbox.path("conf")).env("XDG_CACHE_HOME", sandbox.path("cache"));
    command.env(MARK, sandbox.path(""));
    command
}

const MARK: &str = "SANDBOX_OF";

fn rustup_home() -> PathBuf {
    let own = || std::env::home_dir().unwrap_or_default().join(".rustup");
    std::env::var_os("RUSTUP_HOME").map_or_else(own, PathBuf::from)
}

/// Runs to the end; afterwards no process is left that came of it.
#[track_caller]
fn run(sandbox: &Sandbox, arguments: &[&str]) -> Run {
    finish(sandbox, command(sandbox, arguments))
}

#[track_caller]
fn finish(sandbox: &Sandbox, command: Command) -> Run {
    install();
    let run = sandbox.finish(command, Vec::new());
    let end = Instant::now() + Duration::from_secs(3);
    while !processes(sandbox).is_empty() && Instant::now() < end {
        std::thread::yield_now();
    }
    assert_eq!(processes(sandbox), [""; 0], "left running");
    run
}

/// rust-analyzer comes with the toolchain, where it is not there yet.
fn install() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let has = |arguments: &[&str]| {
            Command::new("rustup").args(arguments).output().is_ok_and(|output| output.status.success())
        };
        if !has(&["which", "rust-analyzer"]) {
            assert!(
                has(&["component", "add", "rust-analyzer", "rust-src"]),
                "rust-analyzer cannot be installed"
            );
        }
    });
}

/// The command lines of the processes that carry the mark; known on Linux alone.
fn processes(sandbox: &Sandbox) -> Vec<String> {
    let mark = format!("{MARK}={}", sandbox.path("").display());
    let folders = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let marked = folders.filter(|folder| {
        let environment = std::fs::read(folder.path().join("environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes())
    });
    let line = |folder: std::fs::DirEntry| std::fs::read(folder.path().join("cmdline")).unwrap_or_default();
    marked
        .map(line)
        .filter(|line| !line.is_empty())
        .map(|line| String::from_utf8_lossy(&line).into())
        .collect()
}

/// What `graph` prints by the text alone, and with the server.
#[track_caller]
fn graph(question: &str, symbol: &str, alone: &str, served: &str) {
    let sandbox = Sandbox::new(CODE);
    assert_eq!(run(&sandbox, &["graph", question, symbol]).stdout, alone);
    let run = run(&sandbox, &["graph", question, symbol, "--wait-lsp", WAIT]);
    assert_eq!(run.stdout, served, "{}", run.stderr);
}

#[test]
fn a_guess_by_name_becomes_a_fact_or_goes() {
    graph(
        "callers",
        "Clock::tick",
        "src/gauges.rs:19: grouped: pub fn grouped() -> u8 (guessed)\nsrc/gauges.rs:25: collected: pub fn collected() -> u8 (guessed)\n",
        "src/gauges.rs:25: collected: pub fn collected() -> u8\n",
    );
}

#[test]
fn what_a_macro_makes_is_found_and_its_uses_too() {
    graph("usages", "OrderId", "", "src/ids.rs:15: show: pub fn show(id: &OrderId) -> u64\n");
}

#[test]
fn a_method_by_a_blanket_implementation_has_its_caller() {
    graph("callers", "Labelled::label", "", "src/labels.rs:14: of_five: pub fn of_five() -> String\n");
}

#[test]
fn reasons_name_the_server() {
    let sandbox = Sandbox::new(CODE);
    let task = ["context", "Change `Clock::tick`", "--format", "json", "--wait-lsp", WAIT];
    let pack = run(&sandbox, &task).ends(0, &[]).json();
    assert_eq!(pack["language_server"]["state"], "ready", "{}", pack["notes"]);
    assert!(pack["language_server"]["version"].as_str().is_some_and(|version| version.starts_with("1.")));
    let reasons: Vec<&serde_json::Value> = pack["files"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|file| file["reasons"].as_array().unwrap())
        .collect();
    assert!(
        reasons.iter().any(|reason| reason["source"] == "rust-analyzer" && reason["signal"] == "calls"),
        "{reasons:?}"
    );
    // Without it what it said is kept; without an index nothing is.
    let mut switched_off =
        command(&sandbox, &["context", "Change `Clock::tick`", "--format", "json", "--no-lsp"]);
    switched_off.env("DOSSIER_WAIT_LSP", WAIT);
    let switched_off = finish(&sandbox, switched_off).json();
    assert_eq!(switched_off["language_server"]["state"], "kept");
    assert_eq!(switched_off["language_server"]["version"], pack["language_server"]["version"]);
    let alone = ["context", "Change `Clock::tick`", "--format", "json", "--no-index"];
    assert_eq!(run(&sandbox, &alone).json()["language_server"]["state"], "absent");
}

const GUESSED: &str = "src/gauges.rs:19: grouped: pub fn grouped() -> u8 (guessed)\n";
const COLLECTED: &str = "src/gauges.rs:25: collected: pub fn collected() -> u8";
const SHOW: &str = "src/ids.rs:15: show: pub fn show(id: &OrderId) -> u64\n";
const OF_FIVE: &str = "src/labels.rs:14: of_five: pub fn of_five() -> String\n";

#[track_caller]
fn asked(sandbox: &Sandbox, question: &str, symbol: &str, more: &[&str]) -> String {
    run(sandbox, &[&["graph", question, symbol], more].concat()).stdout
}

#[test]
fn what_it_said_is_kept_as_long_as_the_files_are_the_same() {
    let sandbox = Sandbox::new(CODE);
    let questions = [("callers", "Clock::tick"), ("usages", "OrderId"), ("callers", "Labelled::label")];
    for (question, symbol) in questions {
        asked(&sandbox, question, symbol, &["--wait-lsp", WAIT]);
    }
    // What is kept confirms and adds; it denies nothing.
    let kept = [format!("{GUESSED}{COLLECTED}\n"), SHOW.to_owned(), OF_FIVE.to_owned()];
    let alone = [format!("{GUESSED}{COLLECTED} (guessed)\n"), String::new(), String::new()];
    let answers = |more: &[&str]| questions.map(|(question, symbol)| asked(&sandbox, question, symbol, more));
    assert_eq!(answers(&[]), kept);
    assert_eq!(answers(&["--no-index"]), alone);
    // An edit costs what rests on its file.
    let labels = std::fs::read_to_string(sandbox.path("ws/src/labels.rs")).unwrap();
    sandbox.write("src/labels.rs", format!("{labels}\n// Labels are short.\n"));
    assert_eq!(answers(&[]), [kept[0].clone(), kept[1].clone(), alone[2].clone()]);
    sandbox.write("src/labels.rs", labels);
    assert_eq!(answers(&[])[..2], kept[..2]);
    // A damaged row costs what was said of its file.
    let folder = std::fs::read_dir(sandbox.path("cache/dossier/index")).unwrap();
    let database = folder.map(|entry| entry.unwrap().path()).find(|path| path.extension().unwrap() == "db");
    let database = rusqlite::Connection::open(database.unwrap()).unwrap();
    let damage = "UPDATE answer SET data = x'00' WHERE file = (SELECT min(file) FROM answer)";
    assert_eq!(database.execute(damage, []).unwrap(), 1);
    drop(database);
    let left = answers(&[]);
    assert_eq!(left.iter().zip(&kept).take(2).filter(|(left, kept)| left == kept).count(), 1, "{left:?}");
}

#[test]
fn the_workspace_and_the_home_stay_as_they_were() {
    let sandbox = Sandbox::new(CODE);
    run(&sandbox, &["context", "Change `Clock::tick`", "--wait-lsp", WAIT]).ends(0, &[]);
    for path in ["ws/Cargo.lock", "ws/target", "ws/.dossier"] {
        assert!(!sandbox.path(path).exists(), "{path}");
    }
}

/// The answer comes by the text alone, with this said.
#[track_caller]
fn falls_back(sandbox: &Sandbox, command: Command, said: &[&str]) {
    let run = finish(sandbox, command);
    run.ends(0, said).shows(&["fn tick"]);
}

/// An executable file of the sandbox that tells a version as rust-analyzer does, and then does this.
fn server(sandbox: &Sandbox, then: &str) -> String {
    let version = "[ \"$1\" = --version ] && echo 'rust-analyzer 1.95.0 (5980761 2026-04-14)' && exit";
    sandbox.put("server", format!("#!/bin/sh\n{version}\n{then}\n"));
    executable(sandbox.path("server"))
}

/// The path of a script that can be run from now on.
fn executable(path: PathBuf) -> String {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
    path.to_str().unwrap().to_owned()
}

fn task<'a>(wait: &'a str, server: &'a str) -> [&'a str; 6] {
    ["context", "Change `Clock::tick`", "--wait-lsp", wait, "--lsp-command", server]
}

#[test]
fn a_server_that_fails_costs_the_answer_nothing() {
    let cases = [
        ("exit 3", "rust-analyzer ended 4 times and is not started again: exit status: 3"),
        ("echo 'out of luck' >&2; exit 1", "out of luck"),
        ("echo 'what is that?'; echo; exec sleep 100", "its output is broken"),
        ("printf 'Content-Length: 99999999999\\r\\n\\r\\n'; exec sleep 100", "its output is broken"),
        ("printf 'Content-Length: 100\\r\\n\\r\\n{'", "rust-analyzer ended 4 times"),
    ];
    for (then, said) in cases {
        let sandbox = Sandbox::new(CODE);
        let server = server(&sandbox, then);
        falls_back(&sandbox, command(&sandbox, &task("20", &server)), &[said]);
    }
}

#[test]
fn a_server_that_hangs_is_waited_for_as_long_as_was_said() {
    let sandbox = Sandbox::new(CODE);
    let server = server(&sandbox, "trap '' TERM INT HUP; sleep 100 & sleep 100");
    let start = Instant::now();
    falls_back(&sandbox, command(&sandbox, &task("1", &server)), &["rust-analyzer is still loading"]);
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}

#[test]
fn a_program_that_is_no_server_is_told() {
    let sandbox = Sandbox::new(CODE);
    falls_back(&sandbox, command(&sandbox, &task("5", "/nowhere/server")), &["/nowhere/server"]);
    sandbox.put("home/hello", "#!/bin/sh\necho hello\n");
    let hello = executable(sandbox.path("home/hello"));
    falls_back(&sandbox, command(&sandbox, &task("5", &hello)), &["home/hello"]);
    run(&sandbox, &task("5", "'unclosed")).ends(2, &["expected a program with its arguments"]);
    run(&sandbox, &["context", "x", "--wait-lsp", "-1"]).ends(2, &["expected a number from 0 to"]);
}

#[test]
fn a_shim_without_its_component_is_passed_over() {
    let sandbox = Sandbox::new(CODE);
    let shim = "#!/bin/sh\necho \"error: 'rust-analyzer' is not installed for the toolchain 'stable'\" >&2\nexit 1\n";
    sandbox.put("bin/rust-analyzer", shim);
    sandbox.put("bin/rustup", "#!/bin/sh\nexit 1\n");
    executable(sandbox.path("bin/rust-analyzer"));
    executable(sandbox.path("bin/rustup"));
    let mut command = command(&sandbox, &["context", "Change `Clock::tick`", "--wait-lsp", "5"]);
    let path = std::env::join_paths([sandbox.path("bin"), "/usr/bin".into(), "/bin".into()]).unwrap();
    command.env("PATH", path).env("RUSTUP_HOME", sandbox.path("rustup"));
    falls_back(&sandbox, command, &["rustup component add rust-analyzer rust-src"]);
}

#[test]
fn a_server_without_memory_costs_the_answer_nothing() {
    let sandbox = Sandbox::new(CODE);
    let limited = "ulimit -v 150000; exec \"$(rustup which rust-analyzer)\"";
    let server = server(&sandbox, limited);
    falls_back(&sandbox, command(&sandbox, &task("30", &server)), &["rust-analyzer ended 4 times"]);
}

/// Whatever `cargo metadata` does, the answer comes, and nothing of it is left.
#[test]
fn a_workspace_that_cargo_cannot_read_is_answered() {
    let manifest = "[package]\nname = \"plant\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
    let cases = [
        // It fails.
        ("[dependencies]\nnowhere = { path = \"nowhere\" }\n", ""),
        // It needs a network that does not answer.
        ("[dependencies]\nfar = { git = \"https://127.0.0.1:9/far\" }\n", ""),
        // It takes a minute.
        ("", "sleep 60; exit 1"),
    ];
    for (more, cargo) in cases {
        let sandbox = Sandbox::new(CODE);
        sandbox.write("Cargo.toml", format!("{manifest}{more}"));
        let mut command = command(&sandbox, &["context", "Change `Clock::tick`", "--wait-lsp", "8"]);
        if !cargo.is_empty() {
            sandbox.put("slow-cargo", format!("#!/bin/sh\n{cargo}\n"));
            command.env("CARGO", executable(sandbox.path("slow-cargo")));
        }
        falls_back(&sandbox, command, &["rust-analyzer"]);
    }
}

#[test]
fn every_way_out_leaves_nothing_running() {
    for signal in ["INT", "TERM", "KILL", "HUP"] {
        install();
        let sandbox = Sandbox::new(CODE);
        // It never becomes ready, so that the signal meets it.
        let server = server(&sandbox, "trap '' TERM INT HUP; sleep 100 & sleep 100");
        let mut child = command(&sandbox, &task("50", &server)).spawn().unwrap();
        let waits = Instant::now() + Duration::from_secs(20);
        while processes(&sandbox).len() < 4 && Instant::now() < waits {
            std::thread::yield_now();
        }
        assert!(processes(&sandbox).len() >= 4, "{:?}", processes(&sandbox));
        let sent = Command::new("kill").args(["-s", signal, &child.id().to_string()]).status().unwrap();
        assert!(sent.success());
        child.wait().unwrap();
        let end = Instant::now() + Duration::from_secs(5);
        while !processes(&sandbox).is_empty() && Instant::now() < end {
            std::thread::yield_now();
        }
        assert_eq!(processes(&sandbox), [""; 0], "left after SIG{signal}");
    }
}
