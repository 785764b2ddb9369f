//! The way to the daemon of this user: whether one is wanted, the one that runs, a new one.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::embedder;
use super::settings::{cache_folder, server_options, variable};
use crate::config::{Kind, Name, Settings};
use crate::daemon::{self, Connection, DaemonPlace};
use crate::rpc::Listener;
use crate::session::{Host, Limits};
use crate::store::IndexFolder;

/// Set where programs run unattended: nothing is to be left running there.
const UNATTENDED: &str = "CI";

/// The daemon: the one that runs, of this build of the program. One of another build is ended.
pub(crate) fn reach(settings: &Settings) -> Option<Connection> {
    is_wanted(settings).then(|| running(&place().ok()?)).flatten()
}

/// The same; starts one where none runs, and waits until it is there.
pub(crate) fn reach_or_start(settings: &Settings) -> Option<Connection> {
    reach_or_start_with(settings, daemon::nobody_listens())
}

/// The same; `listener` hears what the daemon asks.
pub(crate) fn reach_or_start_with(settings: &Settings, listener: Arc<dyn Listener>) -> Option<Connection> {
    let place = is_wanted(settings).then(place)?.ok()?;
    running_with(&place, Arc::clone(&listener)).or_else(|| {
        daemon::start(&["daemon", "run"], &keys()).ok()?;
        daemon::wait_for_with(&place, listener).ok()
    })
}

/// Starts one for the next command where none runs, and does not wait for it.
pub(crate) fn start_for_next(settings: &Settings, root: &Path) {
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
pub(crate) fn look(settings: &Settings) -> anyhow::Result<Option<u32>> {
    let place = place()?;
    if place.folder().exists() && !place.is_safe() {
        place.make()?;
    }
    Ok(is_wanted(settings).then(|| daemon::connect(&place).ok()).flatten().map(|it| it.hello().process))
}

/// Keys stay with the commands that need them.
pub(crate) fn keys() -> Vec<String> {
    let secret = Name::ALL.into_iter().filter(|name| name.kind() == Kind::Secret);
    secret.map(Name::variable).collect()
}

/// Whether the settings want one, and nothing speaks against it.
fn is_wanted(settings: &Settings) -> bool {
    let is_unattended = std::env::var(UNATTENDED).is_ok_and(|ci| !matches!(ci.as_str(), "" | "0" | "false"));
    cfg!(unix) && settings.daemon.value && !is_unattended
}

/// The one that runs, of this build of the program. One of another build is ended.
pub(crate) fn running(place: &DaemonPlace) -> Option<Connection> {
    running_with(place, daemon::nobody_listens())
}

fn running_with(place: &DaemonPlace, listener: Arc<dyn Listener>) -> Option<Connection> {
    let connection = daemon::connect_with(place, listener)
        .inspect_err(|error| tracing::debug!(%error, "no daemon"))
        .ok()?;
    if connection.is_own_build() {
        return Some(connection);
    }
    tracing::info!(other = connection.hello().version, "a daemon of another build is ended");
    let _is_started_anew_by_the_next = daemon::stop(place, connection);
    None
}

/// Where this user's daemon is reached.
///
/// # Errors
/// Where there is no folder for it.
pub(crate) fn place() -> anyhow::Result<DaemonPlace> {
    Ok(DaemonPlace::of_user(variable, cache_folder().as_deref())?)
}

/// A process in which sessions live, by the user's settings; `folder` is its own.
pub(crate) fn host(settings: &Settings, folder: &Path) -> Host {
    let limits = Limits {
        idle: Duration::from_mins(settings.daemon_idle.value.into()),
        memory: u64::from(settings.daemon_memory.value) * 1_000_000,
        ..Limits::default()
    };
    Host {
        index: settings.index.value.then(cache_folder).flatten().map(|cache| IndexFolder::in_cache(&cache)),
        server: server_options(settings),
        embedder: embedder::source(settings),
        folder: folder.to_owned(),
        limits,
    }
}
