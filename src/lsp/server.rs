//! One server of one workspace, kept alive in the background: started, proved ready, started again after a crash, shut down.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use lsp_types::notification::DidChangeWatchedFiles;
use lsp_types::{DidChangeWatchedFilesParams, FileChangeType, FileEvent};

use crate::model::{Deadline, Note};
use crate::workspace::Snapshot;

use super::client::Client;
use super::kinds::{Encoding, ServerKind};
use super::questions::Questions;
use super::state::{Shared, State};
use super::{ServerState, ServerStatus, convert, life};
use crate::rpc::{Wire, spawn_thread};

/// How often a wait looks whether it was cancelled, and what changed.
const SLICE: Duration = Duration::from_millis(50);

/// The longest that ending may take; longer than everything that [`life`] allows for it.
const FAREWELL: Duration = Duration::from_secs(3);

/// How to start a server.
#[derive(Debug, Clone)]
pub struct Launch {
    pub kind: ServerKind,
    /// The program and its arguments.
    pub command: Vec<OsString>,
    /// What it said when asked for its version; the server's own word in `initialize` fills a gap.
    pub version: Option<String>,
    /// The workspace, canonical.
    pub root: PathBuf,
    /// Where the server may keep what it builds.
    pub cache: Option<PathBuf>,
    /// Variables to set, or to take away.
    pub environment: Vec<(OsString, Option<OsString>)>,
}

impl Launch {
    /// The program, for a message.
    pub(super) fn program(&self) -> String {
        self.command.first().map_or_else(String::new, |program| program.to_string_lossy().into_owned())
    }
}

/// A name that is known to exist, and the file that has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probe {
    pub name: String,
    /// Relative to the root, with `/` between the parts.
    pub path: String,
}

/// What happened to a file on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileChange {
    Created,
    Changed,
    Deleted,
}

/// A server in the background. Dropping it ends it, with everything that it started.
pub struct Server {
    name: &'static str,
    shared: Arc<Shared>,
}

impl Server {
    /// Returns at once: starting, waiting for `initialize` and starting again after a crash happen on a thread of their own.
    pub fn start(launch: Launch) -> Server {
        let name = launch.kind.name;
        let shared = Arc::<Shared>::default();
        shared.write(|state| state.set_version(launch.version.as_deref()));
        let lived = Arc::clone(&shared);
        if !spawn_thread(name, move || life::live(&launch, &lived)) {
            shared.write(|state| {
                state.fail(Note::warning(format!("{name} was not started: no thread is left")))
            });
        }
        Server { name, shared }
    }

    /// One that somebody runs already and lends: it is asked over `wire`, and counts columns in `encoding`. Proved ready like any other.
    pub(crate) fn lent(kind: ServerKind, root: PathBuf, wire: Box<dyn Wire>, encoding: Encoding) -> Server {
        let name = kind.name;
        let shared = Arc::<Shared>::default();
        let lived = Arc::clone(&shared);
        let (command, environment) = (Vec::new(), Vec::new());
        let launch = Launch { kind, command, version: None, root, cache: None, environment };
        let client = Client::lent(kind, wire, encoding);
        if !spawn_thread(name, move || life::attend_lent(&launch, &lived, client)) {
            shared
                .write(|state| state.fail(Note::warning(format!("{name} is not asked: no thread is left"))));
        }
        Server { name, shared }
    }

    pub fn status(&self) -> ServerStatus {
        self.shared.read(|state| {
            let server_state = match state {
                state if state.has_failed => ServerState::Failed,
                state if state.is_ready() => ServerState::Ready,
                _ => ServerState::Loading,
            };
            let loaded_percent =
                if server_state == ServerState::Ready { Some(100) } else { state.loaded_percent() };
            let version = state.version.clone();
            ServerStatus {
                name: self.name.to_owned(),
                state: server_state,
                version,
                loaded_percent,
                is_lent: false,
            }
        })
    }

    /// What a user must know: why it failed, that it was started again, that it is old, what it says is wrong with the workspace.
    pub fn notes(&self) -> Vec<Note> {
        self.shared.read(State::notes)
    }

    /// What it is busy with, for a terminal: `Indexing 45 %: serde`.
    pub fn progress(&self) -> Option<String> {
        self.shared.read(State::progress)
    }

    /// Waits until the server is ready, has failed for good, or the deadline is over; says whether it is ready. The probes prove it from
    /// now on, after a restart too; without any nothing can, and the answer is no at once. `on_change` is called whenever the status
    /// or the progress changed.
    pub fn wait_until_ready(
        &self,
        probes: &[Probe],
        deadline: &Deadline,
        on_change: &mut dyn FnMut(&Server),
    ) -> bool {
        if !probes.is_empty() {
            self.shared.write(|state| state.probes = probes.to_vec());
        }
        let mut told = None;
        loop {
            let now = Some((self.status(), self.progress()));
            if now != told {
                on_change(self);
                told = now;
            }
            match told.as_ref().map(|(status, _)| status.state) {
                Some(ServerState::Ready) => return true,
                Some(ServerState::Failed) => return false,
                _ if deadline.is_over() || self.shared.read(|state| state.probes.is_empty()) => return false,
                _ => {}
            }
            let slice = deadline.remaining().map_or(SLICE, |left| left.min(SLICE));
            self.shared.wait(slice, |state| (state.is_ready() || state.has_failed).then_some(()));
        }
    }

    /// What it knows of a snapshot; `None` unless it is ready.
    pub fn on<'a>(&'a self, snapshot: &'a Snapshot) -> Option<Questions<'a>> {
        let (client, epoch) = self.shared.read(|state| {
            let client = state.client.as_ref().filter(|_| state.is_ready())?;
            Some((Arc::clone(client), state.epoch))
        })?;
        Some(Questions::new(client, &self.shared, epoch, snapshot))
    }

    /// Tells the server of changes on disk; paths are absolute.
    pub fn files_changed(&self, changes: &[(PathBuf, FileChange)]) {
        let Some(client) = self.shared.read(|state| state.client.clone()) else { return };
        let event = |(path, change): &(PathBuf, FileChange)| {
            let uri = convert::uri(path)?;
            client.close_document(&uri);
            Some(FileEvent { uri, typ: change.kind() })
        };
        let changes: Vec<FileEvent> = changes.iter().filter_map(event).collect();
        if !changes.is_empty() {
            client.notify::<DidChangeWatchedFiles>(DidChangeWatchedFilesParams { changes });
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.stop();
        self.shared.wait(FAREWELL, |state| state.is_finished.then_some(()));
    }
}

impl FileChange {
    fn kind(self) -> FileChangeType {
        match self {
            FileChange::Created => FileChangeType::CREATED,
            FileChange::Changed => FileChangeType::CHANGED,
            FileChange::Deleted => FileChangeType::DELETED,
        }
    }
}
