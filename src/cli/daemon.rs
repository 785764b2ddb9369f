//! `dossier daemon`.

use std::time::Duration;

use anyhow::{Context, bail};

use super::Outcome;
use super::args::{DaemonCommand, DaemonRun};
use super::messages::Messages;
use super::output::Output;
use crate::client::settings::{self, state_folder};
use crate::client::{self, keys, place, running};
use crate::daemon::{self, DaemonPlace, Log, Lost, ServeError};
use crate::lsp::ServerState;
use crate::model::Deadline;
use crate::render::printable;
use crate::session::protocol::{self, Lsp, Nothing, StatusOf};

/// The daemon says how it does from what it has at hand.
const STATUS_TIME: Duration = Duration::from_secs(5);
const MB: f64 = 1e6;

pub(super) fn run(command: &DaemonCommand, messages: &Messages) -> anyhow::Result<Outcome> {
    match command {
        DaemonCommand::Run(args) => serve(args, messages),
        DaemonCommand::Start => start(messages),
        DaemonCommand::Stop => stop(messages),
        DaemonCommand::Status { json } => status(*json, messages),
    }
}

fn serve(args: &DaemonRun, messages: &Messages) -> anyhow::Result<Outcome> {
    let place = place()?;
    place.make()?;
    let state = state_folder().unwrap_or_else(|| place.folder().to_owned());
    let log = Log::open(&state).with_context(|| format!("cannot write a log in {}", state.display()))?;
    let path = log.path().to_owned();
    let writer = move || log.clone();
    // One that `DOSSIER_LOG` asks for goes to standard error instead.
    let _is_started = tracing_subscriber::fmt()
        .with_env_filter("dossier=info")
        .with_writer(writer)
        .with_ansi(false)
        .try_init();
    messages.say(&format!("serving at {}; the log is {}", place.socket().display(), path.display()));
    let settings = settings::of_user();
    let host = client::host(&settings, place.folder());
    let lsp = Lsp { wait_ms: 0, ..client::wish(&settings) };
    let opened = args.open.as_deref().map(|root| (client::protocol_place(root, &settings), lsp));
    match daemon::serve(&place, host, daemon::build(), opened) {
        Ok(_) => Ok(Outcome::Done),
        Err(error @ ServeError::Held(_)) => bail!("{error}: `dossier daemon status` tells of it"),
        Err(error) => Err(error).with_context(|| format!("the log is {}", path.display())),
    }
}

fn start(messages: &Messages) -> anyhow::Result<Outcome> {
    let place = place()?;
    if let Some(connection) = running(&place) {
        messages.say(&format!("the daemon runs already (process {})", connection.hello().process));
        return Ok(Outcome::Done);
    }
    place.make()?;
    daemon::start(&["daemon", "run"], &keys()).context("cannot start the daemon")?;
    let connection = daemon::wait_for(&place)
        .context("the daemon was started and does not answer: `dossier daemon run` says why")?;
    messages.say(&format!("the daemon runs (process {})", connection.hello().process));
    Ok(Outcome::Done)
}

fn stop(messages: &Messages) -> anyhow::Result<Outcome> {
    let place = place()?;
    let connection = match daemon::connect(&place) {
        Ok(connection) => connection,
        Err(_) if !place.is_held() => {
            messages.say("no daemon runs");
            return Ok(Outcome::NothingFound);
        }
        Err(error) => return Err(error).with_context(|| stuck(&place)),
    };
    let process = connection.hello().process;
    if !daemon::stop(&place, connection).with_context(|| stuck(&place))? {
        bail!("{}", stuck(&place));
    }
    messages.say(&format!("the daemon has ended (process {process})"));
    Ok(Outcome::Done)
}

fn stuck(place: &DaemonPlace) -> String {
    let process =
        place.holder().map_or_else(|| "its process".to_owned(), |process| format!("kill {process}"));
    format!("the daemon does not end: {process} ends it, and loses nothing")
}

fn status(json: bool, messages: &Messages) -> anyhow::Result<Outcome> {
    let place = place()?;
    let connection = match daemon::connect(&place) {
        Ok(connection) => connection,
        Err(Lost::Unreachable(_)) if !place.is_held() => {
            messages.say("no daemon runs: the next `dossier context` starts it, or `dossier daemon start`");
            return Ok(Outcome::NothingFound);
        }
        Err(error) => return Err(error).with_context(|| stuck(&place)),
    };
    let status = connection.ask::<StatusOf>(&Nothing {}, &Deadline::after(STATUS_TIME))?;
    let page = if json { serde_json::to_string(&status)? + "\n" } else { page(&status) };
    Output::stdout().write(&page)?;
    Ok(Outcome::Done)
}

fn page(status: &protocol::Status) -> String {
    let mb = |bytes: Option<u64>| {
        bytes.map_or_else(|| "?".to_owned(), |bytes| format!("{:.0} MB", bytes as f64 / MB))
    };
    let mut page = format!(
        "daemon      {}, process {}, up {}\nmemory      {}, language servers {}, at most {:.0} MB\nrequests    {} answered, {} under way, {} waiting\n",
        status.version,
        status.process,
        time(status.uptime_ms),
        mb(status.memory),
        mb(status.servers_memory),
        status.memory_limit as f64 / MB,
        status.answered,
        status.requests.saturating_sub(1),
        status.waiting
    );
    for workspace in &status.workspaces {
        let server = &workspace.language_server;
        let state = match server.state {
            ServerState::Loading => {
                server.loaded_percent.map_or_else(|| "loading".to_owned(), |it| format!("loading, {it} %"))
            }
            other => format!("{other:?}").to_lowercase(),
        };
        page.push_str(&format!(
            "\n{}\n  files     {}, generation {}, {}\n  used      {} ago\n  {}  {state}\n",
            printable(&workspace.workspace.display().to_string()),
            workspace.files,
            workspace.freshness.generation,
            if workspace.is_watched { "watched" } else { "looked at for each request" },
            time(workspace.idle_ms),
            server.name,
        ));
        for note in &workspace.notes {
            page.push_str(&format!("  note      {}\n", printable(&note.text)));
        }
    }
    page
}

fn time(ms: u64) -> String {
    let seconds = ms / 1000;
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3_600 => format!("{} min", seconds / 60),
        _ => format!("{} h {} min", seconds / 3_600, seconds / 60 % 60),
    }
}
