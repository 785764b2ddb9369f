//! `dossier embedder` with real processes: who is chosen by which setting, and models from folders and from a hub.

#![cfg(feature = "embedded")]

#[path = "../support/mod.rs"]
mod support;

mod choice;
mod code;
mod hub;

use std::process::Command;

use support::{Run, SHOP, Sandbox};

/// A workspace, and the user's data in a folder `data` of the sandbox.
fn sandbox() -> Sandbox {
    Sandbox::new(SHOP)
}

fn command(sandbox: &Sandbox, arguments: &[&str]) -> Command {
    let mut command = sandbox.command(arguments);
    command.env("XDG_DATA_HOME", sandbox.path("data"));
    // Nobody's: a server of this machine must not be asked.
    command.env("OLLAMA_HOST", "127.0.0.1:1");
    command
}

#[track_caller]
fn run(sandbox: &Sandbox, arguments: &[&str]) -> Run {
    sandbox.finish(command(sandbox, arguments), Vec::new())
}

#[track_caller]
fn run_with(sandbox: &Sandbox, arguments: &[&str], variables: &[(&str, &str)]) -> Run {
    let mut command = command(sandbox, arguments);
    command.envs(variables.iter().copied());
    sandbox.finish(command, Vec::new())
}
