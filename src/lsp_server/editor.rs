//! The editor at the other end: told things, asked things, shown progress.

use std::any::Any;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use serde_json::{Value, json};

use crate::client::Tell;
use crate::model::Deadline;
use crate::rpc::{Lost, Reply, Transport, Wire, lock};

/// An editor that shows a document does so at once.
const SHOW_TIME: Duration = Duration::from_secs(5);
/// What an editor may take to answer from what it has at hand.
pub(super) const CONFIGURATION_TIME: Duration = Duration::from_secs(5);

/// What the editor can, by its own word.
#[derive(Debug, Clone, Default)]
pub(super) struct Abilities {
    pub configuration: bool,
    pub watches_configuration: bool,
    pub shows_documents: bool,
    pub work_done: bool,
    pub refreshes_lenses: bool,
    /// It shows results by itself.
    pub shows: bool,
}

#[derive(Default)]
pub(super) struct Editor {
    transport: OnceLock<Transport>,
    abilities: Mutex<Abilities>,
    last_token: AtomicU64,
}

impl Editor {
    pub fn connect(&self, transport: Transport) {
        let _is_connected_once = self.transport.set(transport);
    }

    pub fn abilities(&self) -> Abilities {
        lock(&self.abilities).clone()
    }

    pub fn set_abilities(&self, abilities: Abilities) {
        *lock(&self.abilities) = abilities;
    }

    /// Tells what may be lost where the editor does not read.
    pub fn tell(&self, method: &str, params: Value) {
        if let Some(transport) = self.transport.get() {
            let _nobody_reads = transport.tell(method, params);
        }
    }

    /// Tells what must not be lost; whether somebody is there.
    pub fn deliver(&self, method: &str, params: Value) -> bool {
        self.transport.get().is_some_and(|transport| transport.deliver(method, params).is_ok())
    }

    pub fn ask(&self, method: &str, params: Value, deadline: &Deadline) -> Result<Reply, Lost> {
        self.transport.get().ok_or(Lost::Ended)?.ask(method, params, deadline)
    }

    /// The settings of the section `dossier`.
    pub fn configuration(&self) -> Option<Value> {
        let params = json!({ "items": [{ "section": "dossier" }] });
        let reply = self.ask("workspace/configuration", params, &Deadline::after(CONFIGURATION_TIME));
        match reply.ok()?.ok()? {
            Value::Array(items) => items.into_iter().next(),
            _ => None,
        }
    }

    /// Opens a document, where the editor can; whether it has.
    pub fn show(&self, uri: &str) -> bool {
        let params = json!({ "uri": uri, "takeFocus": true });
        let reply = self.ask("window/showDocument", params, &Deadline::after(SHOW_TIME));
        reply.is_ok_and(|reply| reply.is_ok_and(|answer| answer["success"] == true))
    }

    pub fn message(&self, kind: u32, text: &str) {
        self.tell("window/showMessage", json!({ "type": kind, "message": text }));
    }

    /// Progress for a request that brought a token.
    pub fn progress(self: &Arc<Self>, token: Option<Value>, title: &str) -> Progress {
        self.begin(token, title, true)
    }

    fn begin(self: &Arc<Self>, token: Option<Value>, title: &str, is_cancellable: bool) -> Progress {
        if let Some(token) = &token {
            let value = json!({ "kind": "begin", "title": title, "cancellable": is_cancellable });
            self.tell("$/progress", json!({ "token": token, "value": value }));
        }
        Progress { editor: Arc::clone(self), token, stage: Mutex::default() }
    }

    /// Progress that nobody asked for, where the editor shows such.
    pub fn own_progress(self: &Arc<Self>, title: &str) -> Progress {
        if !self.abilities().work_done {
            return self.begin(None, title, false);
        }
        let token = json!(format!("dossier {}", self.last_token.fetch_add(1, Ordering::Relaxed)));
        let created = self.ask(
            "window/workDoneProgress/create",
            json!({ "token": token }),
            &Deadline::after(CONFIGURATION_TIME),
        );
        self.begin(created.is_ok_and(|reply| reply.is_ok()).then_some(token), title, false)
    }
}

/// One work that the editor shows the progress of; ends when dropped.
pub(super) struct Progress {
    editor: Arc<Editor>,
    token: Option<Value>,
    stage: Mutex<String>,
}

impl Progress {
    /// What is being done by now.
    pub fn stage(&self, message: &str) {
        let mut stage = lock(&self.stage);
        if let Some(token) = self.token.as_ref().filter(|_| *stage != message) {
            let value = json!({ "kind": "report", "message": message });
            self.editor.tell("$/progress", json!({ "token": token, "value": value }));
            message.clone_into(&mut stage);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(token) = &self.token {
            self.editor.deliver("$/progress", json!({ "token": token, "value": { "kind": "end" } }));
        }
    }
}

/// What happens beside an answer: as a stage, and for whoever reads the answer as it comes.
pub(super) struct Teller<'a> {
    pub progress: &'a Progress,
    pub stream: Option<Value>,
    pub notes: Mutex<Vec<Value>>,
}

impl<'a> Teller<'a> {
    pub fn new(progress: &'a Progress, stream: Option<Value>) -> Teller<'a> {
        Teller { progress, stream, notes: Mutex::default() }
    }

    fn note(&self, level: &str, text: &str) {
        lock(&self.notes).push(json!({ "level": level, "text": text }));
        if let Some(token) = &self.stream {
            self.progress.editor.deliver("$/progress", json!({ "token": token, "value": { "note": text } }));
        }
    }
}

impl Tell for Teller<'_> {
    fn say(&self, text: &str) {
        self.note("info", text);
    }

    fn warn(&self, text: &str) {
        self.note("warning", text);
    }

    fn busy(&self, what: &'static str) -> Box<dyn Any> {
        self.progress.stage(what);
        Box::new(())
    }
}
