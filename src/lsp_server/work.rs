//! One request at work: the texts that it goes by, its folder and settings, what it asks of the session.

use std::sync::Arc;
use std::time::Duration;

use lsp_types::Range;
use serde_json::Value;

use super::Server;
use super::configuration::Configuration;
use super::document::Columns;
use super::editor::Progress;
use super::folders::{Folder, Present, path_of_uri};
use super::link::{Scene, Unanswered};
use super::requests::Ask;
use super::texts::{Texts, canonical};
use super::trouble::{Kind, Trouble};
use crate::budget::Level;
use crate::client::settings::{self, Loaded};
use crate::client::{self, Task};
use crate::lsp::ServerState;
use crate::model::{Deadline, SymbolKind};
use crate::rpc::{lock, spawn_thread};
use crate::session::protocol::{
    Edits, Lent, Lsp, Method, Nothing, Outline, OutlineItem, OutlineParams, StatusOf, Task as Asked,
};

/// How often whoever waits is told what is waited for.
const STAGE: Duration = Duration::from_millis(300);

/// A request with what was so when it came.
pub(super) struct Work {
    pub server: Arc<Server>,
    pub texts: Arc<Texts>,
    pub columns: Columns,
    pub cancel: Deadline,
}

impl Work {
    /// The folder that is meant.
    pub fn folder(&self, folder: Option<&str>, document: Option<&str>) -> Result<Arc<Folder>, Trouble> {
        let found = lock(&self.server.folders).find(folder, document);
        found.ok_or_else(|| {
            Trouble::new(
                Kind::NoWorkspace,
                "no folder is open here that this is about: open the folder of a Cargo workspace",
            )
        })
    }

    /// The settings of a folder's workspace, the editor's own first.
    pub fn loaded(&self, folder: &Folder, configuration: &Configuration) -> Loaded {
        let mut typed = self.server.typed.clone();
        typed.extend(configuration.typed.iter().cloned());
        settings::load(&folder.root, typed)
    }

    /// The editor's settings; where they are being asked for, as they will be.
    pub fn configuration(&self) -> Configuration {
        self.server.pulls.wait(&self.cancel);
        lock(&self.server.configuration).clone()
    }

    /// A task with its settings; `configuration` may differ from the editor's for one request.
    pub fn task(&self, folder: &Folder, query: String, configuration: &Configuration) -> Task {
        let Loaded { settings, mut notes, .. } = self.loaded(folder, configuration);
        notes.splice(0..0, folder.notes.iter().chain(&configuration.notes).cloned());
        Task { query, root: folder.root.clone(), settings, notes }
    }

    /// What is asked for a task, with what was changed by hand, in the words of the session.
    pub fn asked(&self, task: &Task, present: &Present, folder: &Folder) -> Asked {
        let mut asked = task.asked(true);
        asked.budget = present.budget.unwrap_or(asked.budget);
        asked.notes.clone_from(&task.notes);
        asked.edits = edits(present, asked.budget);
        asked.lsp = self.lsp(asked.lsp, folder);
        asked
    }

    /// With the servers that the editor lends for the folder, and whether its user trusts it.
    pub fn lsp(&self, wish: Lsp, folder: &Folder) -> Lsp {
        // A server of a folder inside the workspace loads all of it, and one of a folder around it loads it, too.
        let knows = |uri: &String| {
            let path = path_of_uri(uri).map(|path| canonical(&path));
            path.is_some_and(|path| path.starts_with(&folder.root) || folder.root.starts_with(&path))
        };
        let lent = lock(&self.server.lent);
        let lent = lent.iter().find(|lending| lending.folders.iter().any(knows));
        let lent = lent.map(|lending| Lent {
            server: lending.server.clone(),
            encoding: lending.position_encoding.clone(),
        });
        let trusted = *lock(&self.server.trusted);
        Lsp { lent: lent.filter(|_| trusted != Some(false)), trusted, ..wish }
    }

    /// Asks the session.
    pub fn ask<M: Method>(&self, task: &Task, params: &M::Params) -> Result<M::Answer, Trouble> {
        let scene = Scene {
            settings: &task.settings,
            texts: &self.texts,
            roots: &self.server.roots(),
            cancel: &self.cancel,
        };
        self.server.link.ask::<M>(&scene, params).map_err(|unanswered| match unanswered {
            Unanswered::Cancelled => Trouble::cancelled(),
            Unanswered::Refused(why) => Trouble::of_session(why),
        })
    }

    /// What a request is about: its task with its subject; else the folder's present task.
    pub fn query(&self, ask: &Ask, folder: &Folder) -> Result<String, Trouble> {
        let subject = match (ask.document(), ask.range) {
            (Some(uri), Some(range)) => self.subject(folder, uri, range)?,
            _ => None,
        };
        let words = ask.task.as_deref().map(str::trim).filter(|words| !words.is_empty());
        match (words, subject) {
            (Some(words), Some(subject)) => Ok(format!("{words}\n\nThis is about {subject}.")),
            (Some(words), None) => Ok(words.to_owned()),
            (None, Some(subject)) => Ok(format!("Explain {subject}: what it does and how it is used.")),
            (None, None) => lock(&folder.present).task.clone().ok_or_else(|| {
                Trouble::new(Kind::Params, "there is no task yet: say in plain words what is to be done")
            }),
        }
    }

    /// A selection in words that the analysis understands: the item that holds it, the file and the lines.
    fn subject(&self, folder: &Folder, uri: &str, range: Range) -> Result<Option<String>, Trouble> {
        let Some(path) = folder.path_of(uri) else { return Ok(None) };
        let (first, last) = lines(range);
        let place =
            if first == last { format!("`{path}:{first}`") } else { format!("`{path}:{first}-{last}`") };
        Ok(Some(match self.item_at(folder, &path, first, last)? {
            Some(item) if first == last => format!("`{}` in {place}", item.name),
            Some(item) => format!("{place} in `{}`", item.name),
            None => place,
        }))
    }

    /// The innermost item that holds the lines.
    pub fn item_at(
        &self,
        folder: &Folder,
        path: &str,
        first: u32,
        last: u32,
    ) -> Result<Option<OutlineItem>, Trouble> {
        let items = self.outline(folder, path)?;
        let holds =
            |item: &OutlineItem| item.lines[0] <= first && last <= item.lines[1] && is_subject(item.kind);
        Ok(items.into_iter().filter(holds).min_by_key(|item| item.lines[1] - item.lines[0]))
    }

    pub fn outline(&self, folder: &Folder, path: &str) -> Result<Vec<OutlineItem>, Trouble> {
        let task = self.task(folder, String::new(), &self.configuration());
        let place = client::protocol_place(&task.root, &task.settings);
        Ok(self.ask::<Outline>(&task, &OutlineParams { place, path: path.to_owned() })?.items)
    }

    /// Tells what is waited for until the result is dropped.
    pub fn stages(self: &Arc<Self>, progress: &Arc<Progress>, task: &Task) -> Stages {
        let (work, progress, task, until) =
            (Arc::clone(self), Arc::clone(progress), task.clone(), Stages(Deadline::never()));
        let ended = until.0.clone();
        let _shows_less_without = spawn_thread("stages", move || {
            while !ended.is_cancelled() && !work.cancel.is_cancelled() {
                std::thread::park_timeout(STAGE);
                if !ended.is_cancelled()
                    && let Some(stage) = work.stage(&task)
                {
                    progress.stage(&stage);
                }
            }
        });
        until
    }

    fn stage(&self, task: &Task) -> Option<String> {
        self.server.link.is_daemon()?;
        let status = self.ask::<StatusOf>(task, &Nothing {}).ok()?;
        let Some(workspace) = status.workspaces.iter().find(|it| it.workspace == task.root) else {
            return Some("reading the workspace".to_owned());
        };
        let server = &workspace.language_server;
        let is_waited_for = task.settings.wait_lsp.value > 0 && server.state == ServerState::Loading;
        is_waited_for.then(|| {
            let part = server.loaded_percent.map(|percent| format!(", {percent} %")).unwrap_or_default();
            format!("{} loads{part}", server.name)
        })
    }
}

/// Ends the telling of stages.
pub(super) struct Stages(Deadline);

impl Drop for Stages {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// What was changed by hand, in the words of the session.
pub(super) fn edits(present: &Present, room: u32) -> Edits {
    let levels = present.levels.iter().map(|(path, level): (&String, &Level)| (path.clone(), *level));
    Edits {
        drop: present.excluded.iter().cloned().collect(),
        add: present.pinned.clone(),
        levels: levels.collect(),
        room,
    }
}

/// The 1-based lines of a range. A selection of whole lines ends at the beginning of the next.
pub(super) fn lines(range: Range) -> (u32, u32) {
    let first = range.start.line.saturating_add(1);
    let ends_before = range.end.character == 0 && range.end.line > range.start.line;
    let last = if ends_before { range.end.line } else { range.end.line.saturating_add(1) };
    (first, last.max(first))
}

/// Whether people speak of such an item by its name.
pub(super) fn is_subject(kind: SymbolKind) -> bool {
    !matches!(kind, SymbolKind::Field | SymbolKind::Variant | SymbolKind::MacroCall | SymbolKind::ExternBlock)
}

/// How it stands with the language server, and whose it is.
pub(super) fn server_json(status: &crate::lsp::ServerStatus, is_daemon: Option<bool>) -> Value {
    let choice = match (status.is_lent, status.state, is_daemon) {
        (true, ..) => "lent",
        (_, ServerState::Ready | ServerState::Loading, Some(true)) => "daemon",
        (_, ServerState::Ready | ServerState::Loading, _) => "own",
        _ => "none",
    };
    serde_json::json!({
        "name": status.name,
        "state": status.state,
        "version": status.version,
        "loadedPercent": status.loaded_percent,
        "choice": choice,
    })
}
