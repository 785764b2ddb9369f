//! What rust-analyzer is asked while nobody asks: kept for a later start without it, and stopped by the first request.

use std::time::{Duration, Instant};

use super::server::{WAIT, pack, run};
use crate::daemon::{Daemon, until};

/// The text does not show what `gauges[&1]` is: who calls `Gauge::tick` only a language server knows.
const GAUGES: &str = "\
use std::collections::HashMap;
pub struct Gauge;
pub struct Clock;
impl Gauge {
    pub fn tick(&self) -> u8 { 1 }
}
impl Clock {
    pub fn tick(&self) -> u8 { 2 }
}
pub fn grouped() -> u8 {
    let mut gauges = HashMap::new();
    gauges.insert(1, Gauge);
    gauges[&1].tick()
}
";
const LIB: &str =
    "pub mod gauges;\npub mod pay;\npub mod stock;\npub struct Basket { pub items: Vec<u32> }\n";
const CALLERS: [&str; 4] = ["graph", "callers", "Gauge::tick", "--json"];
/// No answer takes longer because something was asked ahead: an unoptimised program on a busy machine.
const SOON: Duration = Duration::from_secs(3);

fn with_gauges() -> Daemon {
    let daemon = Daemon::sandbox();
    daemon.sandbox.write("src/lib.rs", LIB);
    daemon.sandbox.write("src/gauges.rs", GAUGES);
    daemon
}

/// How many items were asked ahead, each time that some were.
fn asked(daemon: &Daemon) -> Vec<usize> {
    let log = std::fs::read_to_string(daemon.sandbox.path("home/.local/state/dossier/daemon.log"));
    let log = log.unwrap_or_default();
    let counts = log.lines().filter_map(|line| line.split_once("asked ahead items=")?.1.trim().parse().ok());
    counts.collect()
}

/// What a command says by itself, without a server.
#[track_caller]
fn later(daemon: &Daemon) -> serde_json::Value {
    pack(&run(daemon, &[&CALLERS[..], &["--no-daemon"]].concat()))
}

#[test]
fn what_nobody_asked_yet_is_there_at_a_later_cold_start() {
    let daemon = with_gauges();
    assert_ne!(later(&daemon)["answers"][0]["source"], "rust-analyzer");
    run(&daemon, &["context", "shelf_count", "--wait-lsp", WAIT]).shows("shelf_count");
    until("all is asked", || !asked(&daemon).is_empty());
    // An edit makes other items of one file, and no others.
    let first: usize = asked(&daemon).iter().sum();
    daemon.sandbox.write("src/gauges.rs", GAUGES.replace("Clock", "Timer"));
    let since = asked(&daemon).len();
    until("what changed is asked again", || asked(&daemon).len() > since);
    let again: usize = asked(&daemon)[since..].iter().sum();
    assert!(again < first, "{:?}", asked(&daemon));
    run(&daemon, &["daemon", "stop"]).ends(0, "has ended");
    let kept = later(&daemon);
    assert_eq!(kept["answers"][0]["name"], "grouped", "{kept}");
    assert_eq!(kept["answers"][0]["source"], "rust-analyzer", "{kept}");
    let task = run(&daemon, &["context", "Change `Gauge::tick`", "--no-daemon", "--format", "json"]);
    assert_eq!(pack(&task)["language_server"]["state"], "kept", "{task:?}");
}

#[test]
fn the_first_request_stops_it() {
    let daemon = with_gauges();
    // Enough to be asked for some seconds.
    let functions: String = (0..500)
        .map(|n| format!("pub fn part_{n}(order: u32) -> u32 {{ part_{}(order) }}\n", (n + 1) % 500))
        .collect();
    daemon.sandbox.write("src/stock.rs", format!("pub fn shelf_count() -> u32 {{ 3 }}\n{functions}"));
    let ready = run(&daemon, &["context", "shelf_count", "--format", "json", "--wait-lsp", WAIT]);
    assert_eq!(pack(&ready)["language_server"]["state"], "ready", "{ready:?}");
    let mut wire = daemon.wire();
    let mut took = Vec::new();
    for _ in 0..6 {
        // It begins two seconds after the last request.
        std::thread::park_timeout(Duration::from_millis(3200));
        let since = Instant::now();
        let mut task = daemon.task("Change `Gauge::tick`");
        task["lsp"] = serde_json::json!({ "ask": true });
        let answer = wire.ask("dossier/context", task);
        took.push(since.elapsed());
        assert_eq!(answer["result"]["language_server"]["state"], "ready", "{answer}");
    }
    let counts = asked(&daemon);
    assert!(took.iter().all(|took| *took < SOON), "{took:?}, {counts:?}");
    // In several goes, each of them stopped by a request.
    assert!(counts.len() > 1 && counts.iter().all(|count| *count < 500), "{counts:?}");
    eprintln!("answered in {took:?}, asked ahead {counts:?}");
}
