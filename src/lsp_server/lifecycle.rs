//! The server's own life: what it says it can, folders and settings that come and go, how it stands.

use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

use super::configuration::{Configuration, Pulls};
use super::document::Columns;
use super::editor::Abilities;
use super::requests::Lending;
use super::texts::Documents;
use super::trouble::Trouble;
use super::work::{Work, server_json};
use super::{Phase, Server};
use crate::client::{self, Model};
use crate::lsp::ServerState;
use crate::model::Deadline;
use crate::rpc::{lock, spawn_thread};
use crate::session::protocol::{Nothing, Open, OpenParams, Status, StatusOf, WorkspaceStatus};

/// While a language server loads, the editor is told so often how far it is.
const LOADING: Duration = Duration::from_secs(1);
/// Then it is not followed any more.
const LONGEST_LOADING: Duration = Duration::from_secs(600);

/// What can be run by name.
const COMMANDS: [&str; 7] = [
    "dossier.explain",
    "dossier.context",
    "dossier.prompt",
    "dossier.pin",
    "dossier.exclude",
    "dossier.tests",
    "dossier.status",
];

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Options {
    lend: Vec<Lending>,
    trusted: Option<bool>,
    shows: bool,
    settings: Value,
}

impl Server {
    /// The answer to `initialize`.
    pub(super) fn initialize(self: &Arc<Self>, params: &Value) -> Value {
        let capabilities = &params["capabilities"];
        let has = |pointer: &str| capabilities.pointer(pointer).and_then(Value::as_bool).unwrap_or(false);
        let options = serde_json::from_value(params["initializationOptions"].clone());
        let Options { lend, trusted, shows, settings } = options.unwrap_or_default();
        self.editor.set_abilities(Abilities {
            configuration: has("/workspace/configuration"),
            watches_configuration: has("/workspace/didChangeConfiguration/dynamicRegistration"),
            shows_documents: has("/window/showDocument/support"),
            work_done: has("/window/workDoneProgress"),
            refreshes_lenses: has("/workspace/codeLens/refreshSupport"),
            shows,
        });
        let offered: Result<Vec<String>, _> =
            serde_json::from_value(capabilities["general"]["positionEncodings"].clone());
        let columns = Columns::choose(&offered.unwrap_or_default());
        *lock(&self.documents) = Documents::new(columns);
        *lock(&self.configuration) = Configuration::read(&settings);
        *lock(&self.lent) = lend;
        *lock(&self.trusted) = trusted;
        let folders = params["workspaceFolders"].as_array().map_or(&[][..], Vec::as_slice);
        let mut uris: Vec<&str> = folders.iter().filter_map(|folder| folder["uri"].as_str()).collect();
        if uris.is_empty() {
            uris.extend(params["rootUri"].as_str());
        }
        uris.into_iter().for_each(|uri| self.add_folder(uri));
        self.respell();
        json!({
            "capabilities": {
                "positionEncoding": columns.name(),
                "textDocumentSync": { "openClose": true, "change": 2, "save": {} },
                "codeActionProvider": { "codeActionKinds": ["source.dossier"] },
                "codeLensProvider": { "resolveProvider": true },
                "executeCommandProvider": { "commands": COMMANDS, "workDoneProgress": true },
                "workspace": { "workspaceFolders": { "supported": true, "changeNotifications": true } },
            },
            "serverInfo": { "name": env!("CARGO_PKG_NAME"), "version": env!("CARGO_PKG_VERSION") },
        })
    }

    fn add_folder(&self, uri: &str) {
        if let Err(error) = lock(&self.folders).add(uri) {
            tracing::warn!(%error, uri, "a folder is passed over");
        }
    }

    fn respell(&self) {
        let spellings = lock(&self.folders).all().iter().filter_map(|folder| folder.spelling()).collect();
        self.forward.spell(spellings);
    }

    pub(super) fn change_folders(self: &Arc<Self>, event: &Value) {
        let uris = |field: &str| {
            let folders = event[field].as_array().cloned().unwrap_or_default();
            folders
                .into_iter()
                .filter_map(|folder| folder["uri"].as_str().map(str::to_owned))
                .collect::<Vec<_>>()
        };
        uris("removed").iter().for_each(|uri| lock(&self.folders).remove(uri));
        uris("added").iter().for_each(|uri| self.add_folder(uri));
        self.respell();
        self.begin_work();
    }

    pub(super) fn lend(self: &Arc<Self>, lending: Lending) {
        {
            let mut lent = lock(&self.lent);
            lent.retain(|known| known.server != lending.server);
            if !lending.folders.is_empty() {
                lent.push(lending);
            }
        }
        self.begin_work();
    }

    /// Takes in settings: asks for them where the editor is to be asked, else takes what was told.
    pub(super) fn configure(self: &Arc<Self>, told: Option<&Value>) {
        let (server, told, pull) = (Arc::clone(self), told.cloned().unwrap_or_default(), Pulls::begin(self));
        let _keeps_the_old_without = spawn_thread("settings", move || {
            server.take_settings(&told);
            drop(pull);
            server.refresh();
        });
    }

    fn take_settings(&self, told: &Value) {
        let abilities = self.editor.abilities();
        let asked = abilities.configuration.then(|| self.editor.configuration()).flatten();
        let Some(section) = asked.or_else(|| Some(told.clone()).filter(Value::is_object)) else { return };
        *lock(&self.configuration) = Configuration::read(&section);
    }

    /// Has the editor ask for lenses again: there may be some now, or none any more.
    fn refresh(&self) {
        if self.editor.abilities().refreshes_lenses {
            let _is_as_it_was =
                self.editor.ask("workspace/codeLens/refresh", Value::Null, &Deadline::after(LOADING));
        }
    }

    /// Asks the editor, once, to tell of changes of settings.
    pub(super) fn watch_settings(self: &Arc<Self>) {
        if !self.editor.abilities().watches_configuration {
            return;
        }
        let server = Arc::clone(self);
        let _is_told_or_not = spawn_thread("watch settings", move || {
            let options = json!({ "section": "dossier" });
            let method = "workspace/didChangeConfiguration";
            let registration = json!({ "registrations": [{ "id": "settings", "method": method, "registerOptions": options }] });
            let _ = server.editor.ask("client/registerCapability", registration, &Deadline::after(LOADING));
        });
    }

    /// Reads settings, opens the workspaces ahead of the first request, and tells the editor how they stand.
    pub(super) fn begin_work(self: &Arc<Self>) {
        let (server, pull) = (Arc::clone(self), Pulls::begin(self));
        let _happens_with_the_first_request = spawn_thread("begin", move || {
            if server.editor.abilities().configuration {
                server.take_settings(&Value::Null);
            }
            drop(pull);
            let folders = lock(&server.folders).all().to_vec();
            for folder in folders {
                server.follow(&folder);
            }
        });
    }

    /// Opens a folder's workspace, and follows its language server until that is ready.
    fn follow(self: &Arc<Self>, folder: &Arc<super::folders::Folder>) {
        let progress = self.editor.own_progress("Dossier");
        progress.stage("reading the workspace");
        let end = Deadline::after(LONGEST_LOADING);
        loop {
            let work = Arc::new(Work {
                server: Arc::clone(self),
                texts: Arc::default(),
                columns: lock(&self.documents).columns(),
                cancel: end.clone(),
            });
            let Ok(status) = work.open(folder) else { return };
            let server = &status.language_server;
            let told = server_json(server, self.link.is_daemon());
            self.tell_changed(folder, Some(status.files), status.freshness.index_age_ms, told);
            let is_over = server.state != ServerState::Loading || end.is_over();
            if is_over || *lock(&self.phase) != Phase::Running {
                return;
            }
            let part = server.loaded_percent.map(|percent| format!(" {percent} %")).unwrap_or_default();
            progress.stage(&format!("{} loads{part}", server.name));
            std::thread::park_timeout(LOADING);
        }
    }
}

impl Work {
    fn open(&self, folder: &super::folders::Folder) -> Result<WorkspaceStatus, Trouble> {
        let task = self.task(folder, String::new(), &self.configuration());
        let place = client::protocol_place(&task.root, &task.settings);
        let mut lsp = self.lsp(client::wish(&task.settings), folder);
        lsp.wait_ms = 0;
        // The editor may be about to start its own: another one is started by a question at the earliest.
        lsp.ask &= lsp.lent.is_some();
        self.ask::<Open>(&task, &OpenParams { place, lsp })
    }

    pub fn status(&self) -> Result<Value, Trouble> {
        let folders = lock(&self.server.folders).all().to_vec();
        let mut session: Option<Status> = None;
        let mut model = Value::Null;
        let mut told = Vec::new();
        for folder in &folders {
            let task = self.task(folder, String::new(), &self.configuration());
            let opened = self.open(folder)?;
            if session.is_none() {
                session = Some(self.ask::<StatusOf>(&task, &Nothing {})?);
            }
            if model.is_null() {
                let allows_remote = self.configuration().allows_remote;
                model = match Model::named(&task.settings.models) {
                    Ok((name, is_remote)) => {
                        json!({ "name": name, "isRemote": is_remote, "isAllowed": !is_remote || allows_remote })
                    }
                    Err(error) => json!({ "name": null, "why": format!("{error:#}") }),
                };
            }
            let present = lock(&folder.present).task.clone();
            let mut notes = folder.notes.clone();
            notes.extend(opened.notes.iter().cloned());
            notes.extend(task.notes.iter().filter(|note| !folder.notes.contains(note)).cloned());
            told.push(json!({
                "folder": folder.uri,
                "root": folder.root,
                "isRust": folder.root.join("Cargo.toml").is_file(),
                "files": opened.files,
                "indexAgeMs": opened.freshness.index_age_ms,
                "generation": opened.freshness.generation,
                "isWatched": opened.is_watched,
                "languageServer": server_json(&opened.language_server, self.server.link.is_daemon()),
                "task": present,
                "notes": notes,
            }));
        }
        let is_daemon = self.server.link.is_daemon();
        let source = json!({
            "kind": if is_daemon == Some(true) { "daemon" } else { "own" },
            "process": session.as_ref().map(|status| status.process),
            "memory": session.as_ref().and_then(|status| status.memory),
        });
        Ok(json!({
            "version": env!("CARGO_PKG_VERSION"),
            "process": std::process::id(),
            "source": source,
            "folders": told,
            "model": model,
        }))
    }
}
