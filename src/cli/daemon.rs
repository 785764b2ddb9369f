//! The daemon as commands use it, and `dossier daemon`.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, bail};

use super::Outcome;
use super::args::{DaemonCommand, DaemonRun};
use super::messages::Messages;
use super::output::Output;
use super::server;
use super::settings::{self, cache_folder, server_options, state_folder, variable};
use crate::config::{Kind, Name, Settings};
use crate::daemon::{self, Connection, DaemonPlace, Log, Lost, ServeError};
use crate::lsp::ServerState;
use crate::model::Deadline;
use crate::render::printable;
use crate::session::protocol::{self, Lsp, Nothing, StatusOf};
use crate::session::{Host, Limits};
use crate::store::IndexFolder;

/// The daemon says how it does from what it has at hand.
const STATUS_TIME: Duration = Duration::from_secs(5);
/// Set where programs run unattended: nothing is to be left running there.
const UNATTENDED: &str = "CI";
const MB: f64 = 1e6;

pub(super) fn run(command: &DaemonCommand, messages: &Messages) -> anyhow::Result<Outcome> {
    match command {
        DaemonCommand::Run(args) => serve(args, messages),
        DaemonCommand::Start => start(messages),
        DaemonCommand::Stop => stop(messages),
        DaemonCommand::Status { json } => status(*json, messages),
    }
}

/// The daemon for a command: the one that runs, of this build of the program. One of another build is ended.
pub(super) fn reach(settings: &Settings) -> Option<Connection> {
    is_wanted(settings).then(|| running(&place().ok()?)).flatten()
}

/// The same; starts one where none runs, and waits until it is there.
pub(super) fn reach_or_start(settings: &Settings) -> Option<Connection> {
    reach(settings).or_else(|| {
        let place = is_wanted(settings).then(place)?.ok()?;
        daemon::start(&["daemon", "run"], &keys()).ok()?;
        daemon::wait_for(&place).ok()
    })
}

/// Starts one for the next command where none runs, and does not wait for it.
pub(super) fn start_for_next(settings: &Settings, root: &Path) {
    let may_be = |place: DaemonPlace| !place.is_held() && (place.is_safe() || !place.folder().exists());
    let is_missing = is_wanted(settings) && place().is_ok_and(may_be);
    if let (true, Some(root)) = (is_missing, root.to_str()) {
        let started = daemon::start(&["daemon", "run", "--open", root], &keys());
        tracing::info!(?started, "a daemon for the next command");
    }
}

/// The process that serves, where one does and is wanted.
///
/// # Errors
/// Where none can.
pub(super) fn look(settings: &Settings) -> anyhow::Result<Option<u32>> {
    let place = place()?;
    if place.folder().exists() && !place.is_safe() {
        place.make()?;
    }
    Ok(is_wanted(settings).then(|| daemon::connect(&place).ok()).flatten().map(|it| it.hello().process))
}

/// Keys stay with the commands that need them.
fn keys() -> Vec<String> {
    let secret = Name::ALL.into_iter().filter(|name| name.kind() == Kind::Secret);
    secret.map(Name::variable).collect()
}

fn is_wanted(settings: &Settings) -> bool {
    let is_unattended = std::env::var(UNATTENDED).is_ok_and(|ci| !matches!(ci.as_str(), "" | "0" | "false"));
    cfg!(unix) && settings.daemon.value && !is_unattended
}

fn running(place: &DaemonPlace) -> Option<Connection> {
    let connection = daemon::connect(place).inspect_err(|error| tracing::debug!(%error, "no daemon")).ok()?;
    if connection.is_own_build() {
        return Some(connection);
    }
    tracing::info!(other = connection.hello().version, "a daemon of another build is ended");
    let _is_started_anew_by_the_next = daemon::stop(place, connection);
    None
}

fn place() -> anyhow::Result<DaemonPlace> {
    Ok(DaemonPlace::of_user(variable, cache_folder().as_deref())?)
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
    let limits = Limits {
        idle: Duration::from_mins(settings.daemon_idle.value.into()),
        memory: u64::from(settings.daemon_memory.value) * 1_000_000,
        ..Limits::default()
    };
    let host = Host {
        index: settings.index.value.then(cache_folder).flatten().map(|cache| IndexFolder::in_cache(&cache)),
        server: server_options(&settings),
        folder: place.folder().to_owned(),
        limits,
    };
    let lsp = Lsp { wait_ms: 0, ..server::wish(&settings) };
    let opened = args.open.as_deref().map(|root| (server::protocol_place(root, &settings), lsp));
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
