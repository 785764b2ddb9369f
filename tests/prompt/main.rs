//! `dossier prompt`, `feedback` and `stats` as a shell sees them: the real program, and models over real sockets that answer as
//! told.

#[path = "../support/mod.rs"]
mod support;

mod answer;
mod faults;
mod journal;
mod need;
#[cfg(unix)]
mod preview;
#[cfg(feature = "remote")]
mod remote;
mod secrets;

use std::process::Command;
use std::time::Duration;

use serde_json::Value;
use support::ollama::Ollama;
use support::{Run, SHOP, Sandbox};

/// Enough for a machine that does other things too.
const LONG: Duration = Duration::from_secs(30);

fn shop() -> Sandbox {
    Sandbox::new(SHOP)
}

/// `dossier` with this server as Ollama, and a folder for its journal; planned by rules, so that the server sees one model alone.
fn command(shop: &Sandbox, host: &str, arguments: &[&str]) -> Command {
    let mut command = shop.command(arguments);
    command.env("OLLAMA_HOST", host).env("XDG_DATA_HOME", shop.path("data"));
    command.env("DOSSIER_PLANNER", "heuristic");
    command
}

#[track_caller]
fn run(shop: &Sandbox, host: &str, arguments: &[&str]) -> Run {
    shop.finish(command(shop, host, arguments), Vec::new())
}

#[track_caller]
fn ask(shop: &Sandbox, server: &Ollama, arguments: &[&str]) -> Run {
    run(shop, &server.host(), &[&["prompt"], arguments].concat())
}

/// The text of a message of a chat.
fn content(chat: &Value, number: usize) -> &str {
    chat["messages"][number]["content"].as_str().unwrap_or_default()
}
