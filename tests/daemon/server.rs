//! One rust-analyzer for everybody: shared by clients, alive through edits and its own death, ended where memory runs short, and kept in
//! the index what it said.

use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use dossier::daemon::{DaemonPlace, connect, serve, wait_for};
use dossier::lsp::ServerState;
use dossier::lsp::find::Places;
use dossier::meaning::EmbedderSource;
use dossier::model::Deadline;
use dossier::pipeline::ServerOptions;
use dossier::session::protocol::{Context, Lsp, Nothing, Place, Shutdown, Task};
use dossier::session::{Host, Limits};
use serde_json::Value;
use tempfile::TempDir;

use super::life::{is_alive, kill};
use crate::daemon::{CODE, Daemon, Ran, until};

pub const WAIT: &str = "50";

/// Commands that may ask rust-analyzer.
pub fn run(daemon: &Daemon, arguments: &[&str]) -> Ran {
    install();
    let mut command = daemon.command(arguments);
    let home = || std::env::home_dir().unwrap_or_default().join(".rustup");
    command.env("RUSTUP_HOME", std::env::var_os("RUSTUP_HOME").unwrap_or_else(|| home().into()));
    command.env("CARGO_HOME", daemon.sandbox.path("cargo")).env("DOSSIER_LSP", "true");
    Ran::of(command.output().unwrap())
}

/// rust-analyzer comes with the toolchain, where it is not there yet.
fn install() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let has = |arguments: &[&str]| {
            Command::new("rustup").args(arguments).output().is_ok_and(|output| output.status.success())
        };
        let there =
            has(&["which", "rust-analyzer"]) || has(&["component", "add", "rust-analyzer", "rust-src"]);
        assert!(there, "rust-analyzer cannot be installed");
    });
}

/// The numbers of the processes below another that are called so.
fn children(parent: u32, name: &str) -> Vec<u32> {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let processes = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let is_child = |process: &u32| {
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        let line = std::fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
        let of = stat.rsplit_once(") ").and_then(|(_, rest)| rest.split(' ').nth(1)?.parse().ok());
        of == Some(parent) && String::from_utf8_lossy(&line).contains(name) && is_alive(*process)
    };
    processes.filter(is_child).collect()
}

pub fn pack(ran: &Ran) -> Value {
    serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran:?}"))
}

#[test]
fn all_commands_share_one_and_it_follows_edits_and_its_own_death() {
    let daemon = Daemon::sandbox();
    run(&daemon, &["daemon", "start"]).ends(0, "runs");
    let ask = ["context", "Change `Basket::pay`", "--format", "json", "--wait-lsp", WAIT];
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| assert_eq!(pack(&run(&daemon, &ask))["language_server"]["state"], "ready"));
        }
    });
    let own = daemon.process();
    let [server] = children(own, "rust-analyzer")[..] else { panic!("one server: {:?}", daemon.status()) };
    // Ready, so that no wait is needed any more.
    let now = run(&daemon, &["context", "Change `Basket::pay`", "--format", "json"]);
    assert_eq!(pack(&now)["language_server"]["state"], "ready");
    daemon.sandbox.write(
        "src/till.rs",
        "use crate::Basket;\npub fn ring_up(basket: &Basket) -> u32 { basket.pay() }\n",
    );
    daemon.sandbox.write(
        "src/lib.rs",
        "pub mod pay;\npub mod stock;\npub mod till;\npub struct Basket { pub items: Vec<u32> }\n",
    );
    let callers = run(&daemon, &["graph", "callers", "Basket::pay", "--json", "--wait-lsp", WAIT]);
    let callers = pack(&callers);
    assert_eq!(callers["answers"][0]["name"], "ring_up", "{callers}");
    kill(server);
    run(&daemon, &ask).shows("pub fn pay");
    until("another server runs", || children(own, "rust-analyzer").iter().any(|process| *process != server));
    assert_eq!(pack(&run(&daemon, &ask))["language_server"]["state"], "ready");
    let servers = children(own, "rust-analyzer");
    run(&daemon, &["daemon", "stop"]).ends(0, "has ended");
    until("no server is left", || servers.iter().all(|process| !is_alive(*process)));
    // What it said is there without it.
    let kept = run(&daemon, &["graph", "callers", "Basket::pay", "--json", "--no-daemon"]);
    assert_eq!(pack(&kept)["answers"][0]["source"], "rust-analyzer", "{kept:?}");
}

#[test]
fn a_daemon_that_is_killed_takes_its_server_along() {
    let daemon = Daemon::sandbox();
    run(&daemon, &["daemon", "start"]).ends(0, "runs");
    run(&daemon, &["context", "pay the Basket"]).shows("pub fn pay");
    let own = daemon.process();
    until("a server runs", || !children(own, "rust-analyzer").is_empty());
    let servers = children(own, "rust-analyzer");
    kill(own);
    until("no server is left", || servers.iter().all(|process| !is_alive(*process)));
}

/// A daemon in this process, with limits that no command sets.
fn serving(limits: Limits, folder: &TempDir, watches: bool) -> (DaemonPlace, std::thread::JoinHandle<()>) {
    let place = DaemonPlace::in_folder(folder.path().join("daemon"));
    let own = if watches { place.folder().to_owned() } else { folder.path().join("file") };
    std::fs::write(folder.path().join("file"), "").unwrap();
    let variable = |name: &str| std::env::var(name).ok();
    let server = ServerOptions::of_user(variable, std::env::home_dir(), None);
    let server = ServerOptions { cache: None, places: Places { ..server.places }, ..server };
    let host = Host { index: None, server, embedder: EmbedderSource::none(), folder: own, limits };
    let served = place.clone();
    let thread = std::thread::spawn(move || _ = serve(&served, host, "x".to_owned(), None).unwrap());
    (place, thread)
}

fn workspace(folder: &TempDir) -> Place {
    let sandbox = crate::support::Sandbox::new(CODE);
    let root = folder.path().canonicalize().unwrap().join("ws");
    std::fs::rename(sandbox.path("ws"), &root).unwrap();
    Place { workspace: root, ..Place::default() }
}

fn limit() -> Deadline {
    Deadline::after(Duration::from_secs(60))
}

#[test]
fn a_server_that_takes_too_much_memory_is_ended_and_the_answer_says_so() {
    install();
    let folder = TempDir::new().unwrap();
    let place = workspace(&folder);
    let (daemon, thread) = serving(Limits { memory: 1, ..Limits::default() }, &folder, true);
    let connection = wait_for(&daemon).unwrap();
    let task = Task::new(place, "pay the Basket");
    connection.ask::<Context>(&task, &limit()).unwrap();
    until("an answer says so", || {
        let dossier = connection.ask::<Context>(&task, &limit()).unwrap();
        assert!(!dossier.files.is_empty());
        dossier.notes.iter().any(|note| note.text.contains("the setting daemon_memory"))
            && dossier.language_server.state == ServerState::Absent
    });
    connection.ask::<Shutdown>(&Nothing {}, &limit()).unwrap();
    thread.join().unwrap();
    assert!(connect(&daemon).is_err());
}

#[test]
fn without_watches_each_request_looks() {
    let folder = TempDir::new().unwrap();
    let place = workspace(&folder);
    let (daemon, thread) = serving(Limits::default(), &folder, false);
    let connection = Arc::new(wait_for(&daemon).unwrap());
    let mut task = Task::new(place.clone(), "shelf_count");
    task.lsp = Lsp { ask: false, ..Lsp::default() };
    for number in 0..5 {
        let text = format!("pub fn shelf_count() -> u32 {{ 500 + {number} }}\n");
        std::fs::write(place.workspace.join("src/stock.rs"), text).unwrap();
        let dossier = connection.ask::<Context>(&task, &limit()).unwrap();
        assert!(dossier.text.contains(&format!("500 + {number} ")), "{}", dossier.text);
        assert!(dossier.notes.iter().any(|note| note.text.contains("changes are not seen as they happen")));
    }
    connection.ask::<Shutdown>(&Nothing {}, &limit()).unwrap();
    thread.join().unwrap();
}
