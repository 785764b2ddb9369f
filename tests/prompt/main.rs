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
use support::{Run, Sandbox};

/// Enough for a machine that does other things too.
const LONG: Duration = Duration::from_secs(30);

const SHOP: &str = r#"
//- /Cargo.toml
[package]
name = "shop"
version = "0.1.0"
edition = "2024"
//- /src/lib.rs
//! A shop.
pub mod basket;
pub mod login;
//- /src/login.rs
//! Signing in.

/// Signs a customer in.
pub fn login(name: &str) -> bool {
    check_password(name)
}

fn check_password(name: &str) -> bool {
    !name.is_empty()
}
//- /src/basket.rs
//! What a customer buys.

pub struct Basket {
    pub items: Vec<String>,
}

impl Basket {
    /// Puts an item in.
    pub fn put(&mut self, item: String) {
        self.items.push(item);
    }
}
"#;

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
