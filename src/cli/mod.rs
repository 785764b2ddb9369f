//! The face in the shell: parse, call the pipeline, print.
//!
//! Data goes to standard output, everything else to standard error. Exit codes: 0 done, 1 nothing relevant
//! found, 2 usage or failure; a reader that closes the pipe has what it wanted.

mod args;
mod clipboard;
mod config;
mod context;
mod daemon;
mod doctor;
mod embedder;
mod eval;
mod feedback;
mod flags;
mod graph;
mod index;
mod messages;
mod output;
mod progress;
mod prompt;
mod query;
mod search;
mod server;
mod source;
mod task;
mod trust;

use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use self::args::{Args, Command, ConfigCommand};
use self::messages::Messages;
use self::output::{Output, is_closed_pipe};

const NOTHING_FOUND: u8 = 1;
const FAILED: u8 = 2;

/// How a command ended that did not fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Done,
    NothingFound,
    /// It ran to its end, and told of troubles on the way.
    Troubled,
}

/// What the command line came to.
pub enum Ended {
    Exit(ExitCode),
    /// It asks for the language server, which is another face. `is_alone`: without a daemon.
    Serve {
        is_alone: bool,
    },
}

/// Runs what the command line asks.
pub fn main() -> Ended {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => return Ended::Exit(usage(&error)),
    };
    let messages = Messages::new(args.quiet, args.verbose);
    messages.start_log();
    if let Command::Lsp(args) = args.command {
        return Ended::Serve { is_alone: args.no_daemon };
    }
    Ended::Exit(exit_code(args.command, &messages))
}

fn exit_code(command: Command, messages: &Messages) -> ExitCode {
    match run(command, messages) {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::NothingFound) => ExitCode::from(NOTHING_FOUND),
        Ok(Outcome::Troubled) => ExitCode::from(FAILED),
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            messages.failure(&error);
            ExitCode::from(FAILED)
        }
    }
}

/// Help and version are data and a success; the rest is told on standard error. Where neither can be printed
/// nobody reads it.
fn usage(error: &clap::Error) -> ExitCode {
    let _ = error.print();
    if error.use_stderr() { ExitCode::from(FAILED) } else { ExitCode::SUCCESS }
}

fn run(command: Command, messages: &Messages) -> anyhow::Result<Outcome> {
    match command {
        Command::Context(args) => context::run(&args, messages),
        Command::Prompt(args) => prompt::run(&args, messages),
        Command::Feedback(args) => feedback::give(&args, messages),
        Command::Stats(args) => feedback::stats(&args, messages),
        Command::Graph(args) => graph::run(&args, messages),
        Command::Search(args) => search::run(&args, messages),
        Command::Index(args) => index::run(&args, messages),
        Command::Clean(args) => index::clean(&args, messages),
        Command::Daemon(command) => daemon::run(&command, messages),
        Command::Lsp(_) => Ok(Outcome::Done),
        Command::Embedder(command) => embedder::run(&command, messages),
        Command::Eval(args) => eval::run(&args, messages),
        Command::Doctor(args) => doctor::run(&args, messages),
        Command::Trust(args) => trust::run(&args, messages),
        Command::Completions { shell } => completions(shell),
        Command::Config(ConfigCommand::Show(place)) => config::show(&place, messages),
    }
}

fn completions(shell: clap_complete::Shell) -> anyhow::Result<Outcome> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "dossier", &mut script);
    Output::stdout().write(&String::from_utf8_lossy(&script))?;
    Ok(Outcome::Done)
}
