//! Questions to the editor's own language servers: only such as read, with the workspace's paths spelled as the editor spells them.

use std::sync::{Arc, Mutex, Weak};

use lsp_server::{ErrorCode, Notification, Request, RequestId, ResponseError};
use rustc_hash::FxHashMap;
use serde::Deserialize;
use serde_json::Value;

use super::editor::Editor;
use crate::model::Deadline;
use crate::rpc::{Answer, CANCEL, Ending, Listener, Lost, Reply, Wire, lock, spawn_thread};
use crate::session::FORWARD;

/// What may be asked of a lent server; a client refuses any other, too.
const READING: [&str; 11] = [
    "textDocument/definition",
    "textDocument/declaration",
    "textDocument/typeDefinition",
    "textDocument/implementation",
    "textDocument/references",
    "textDocument/documentSymbol",
    "textDocument/prepareCallHierarchy",
    "callHierarchy/incomingCalls",
    "callHierarchy/outgoingCalls",
    "workspace/symbol",
    "rust-analyzer/relatedTests",
];

/// The way to the editor for whoever holds the session: the daemon over its connection, or this process.
pub(super) struct Forward {
    editor: Weak<Editor>,
    /// Beginnings of URIs: without links, and as the editor spells them.
    spellings: Mutex<Vec<(String, String)>>,
    /// The daemon's questions.
    under_way: Mutex<FxHashMap<RequestId, Deadline>>,
    own: Weak<Forward>,
}

impl Forward {
    pub fn new(editor: &Arc<Editor>) -> Arc<Forward> {
        Arc::new_cyclic(|own| Forward {
            editor: Arc::downgrade(editor),
            spellings: Mutex::default(),
            under_way: Mutex::default(),
            own: Weak::clone(own),
        })
    }

    pub fn spell(&self, spellings: Vec<(String, String)>) {
        *lock(&self.spellings) = spellings;
    }

    fn ask_editor(&self, mut params: Value, deadline: &Deadline) -> Result<Reply, Lost> {
        let method = params["method"].as_str().unwrap_or_default();
        if !READING.contains(&method) {
            let message = format!("{method} is not forwarded: only what reads is");
            return Ok(Err(error(ErrorCode::InvalidParams, message)));
        }
        let spellings = lock(&self.spellings).clone();
        let pairs = || spellings.iter().map(|(own, theirs)| (own.as_str(), theirs.as_str()));
        respell(&mut params, &pairs().collect::<Vec<_>>());
        let editor = self.editor.upgrade().ok_or(Lost::Ended)?;
        let mut reply = editor.ask(FORWARD, params, deadline)?;
        if let Ok(answer) = &mut reply {
            respell(answer, &pairs().map(|(own, theirs)| (theirs, own)).collect::<Vec<_>>());
        }
        Ok(reply)
    }
}

/// A session in this process asks.
impl Wire for Forward {
    fn ask(&self, _: &str, params: Value, deadline: &Deadline) -> Result<Reply, Lost> {
        self.ask_editor(params, deadline)
    }

    fn tell(&self, _: &str, _: Value) -> Result<(), Lost> {
        Ok(())
    }
}

/// The daemon asks.
impl Listener for Forward {
    fn asked(&self, request: Request, answer: Answer) {
        if request.method != FORWARD {
            let why = format!("{} is not answered here", request.method);
            return answer.send_at_once(Err(error(ErrorCode::MethodNotFound, why)));
        }
        let Some(own) = self.own.upgrade() else { return };
        let cancel = Deadline::never();
        lock(&self.under_way).insert(request.id.clone(), cancel.clone());
        let _answers_nothing_without_a_thread = spawn_thread("forward", move || {
            let reply = own.ask_editor(request.params, &cancel);
            lock(&own.under_way).remove(&request.id);
            let lost = |_| error(ErrorCode::RequestFailed, "the editor does not answer".to_owned());
            answer.send(reply.map_err(lost).and_then(|reply| reply));
        });
    }

    fn told(&self, notification: Notification) {
        #[derive(Deserialize)]
        struct Cancelled {
            id: RequestId,
        }
        if notification.method == CANCEL
            && let Ok(Cancelled { id }) = serde_json::from_value(notification.params)
            && let Some(asked) = lock(&self.under_way).get(&id)
        {
            asked.cancel();
        }
    }

    fn ended(&self, _: Ending) {
        lock(&self.under_way).values().for_each(Deadline::cancel);
    }
}

fn error(code: ErrorCode, message: String) -> ResponseError {
    ResponseError { code: code as i32, message, data: None }
}

/// Spells the URIs in a message otherwise.
fn respell(value: &mut Value, pairs: &[(&str, &str)]) {
    if pairs.is_empty() {
        return;
    }
    match value {
        Value::String(text) => {
            let is_inside = |rest: &str| rest.is_empty() || rest.starts_with('/');
            let new = pairs.iter().find_map(|(from, to)| {
                let rest = text.strip_prefix(from).filter(|rest| is_inside(rest))?;
                Some(format!("{to}{rest}"))
            });
            if let Some(new) = new {
                *text = new;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| respell(item, pairs)),
        Value::Object(fields) => fields.values_mut().for_each(|field| respell(field, pairs)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_the_workspaces_own_uris_are_spelled_otherwise() {
        let mut answer =
            json!([{ "uri": "file:///a/src/x.rs" }, { "uri": "file:///ab/x.rs" }, "file:///a", 1]);
        respell(&mut answer, &[("file:///a", "file:///link")]);
        assert_eq!(
            answer,
            json!([{ "uri": "file:///link/src/x.rs" }, { "uri": "file:///ab/x.rs" }, "file:///link", 1])
        );
    }
}
