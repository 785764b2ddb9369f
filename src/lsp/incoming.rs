//! What a server says and asks by itself: how far it is, how it feels, and requests that it waits for.

use std::path::PathBuf;
use std::sync::Arc;

use lsp_server::{ErrorCode, Notification, Request, ResponseError};
use serde_json::{Value, json};

use crate::model::Note;

use super::convert;
use super::kinds::{Readiness, ServerKind};
use super::state::{Shared, Work, brief};
use crate::rpc::{Answer, Ending, Listener, Reply};

/// The ears of one life of a server.
pub(super) struct Incoming {
    pub(super) shared: Arc<Shared>,
    pub(super) life: u32,
    pub(super) kind: ServerKind,
    pub(super) root: PathBuf,
    pub(super) options: Value,
}

impl Listener for Incoming {
    fn asked(&self, request: Request, answer: Answer) {
        answer.send_at_once(self.reply(&request));
    }

    fn told(&self, notification: Notification) {
        let params = &notification.params;
        match notification.method.as_str() {
            "experimental/serverStatus" => self.status(params),
            "$/progress" => self.progress(params),
            "window/showMessage" => self.message(params),
            _ => {}
        }
    }

    fn ended(&self, how: Ending) {
        self.shared.write(|state| {
            if state.life == self.life && state.ended.is_none() {
                state.ended = Some(how);
            }
        });
    }
}

impl Incoming {
    fn reply(&self, request: &Request) -> Reply {
        let found = match request.method.as_str() {
            "workspace/configuration" => self.configuration(&request.params),
            "workspace/workspaceFolders" => json!([{ "uri": convert::uri(&self.root), "name": "workspace" }]),
            "workspace/applyEdit" => {
                json!({ "applied": false, "failureReason": "this client edits nothing" })
            }
            "client/registerCapability"
            | "client/unregisterCapability"
            | "window/workDoneProgress/create"
            | "window/showMessageRequest" => Value::Null,
            "window/showDocument" => json!({ "success": false }),
            method => {
                let message = format!("this client does not know {}", brief(method));
                let code = ErrorCode::MethodNotFound as i32;
                return Err(ResponseError { code, message, data: None });
            }
        };
        Ok(found)
    }

    /// For each section that is asked for, that part of the options.
    fn configuration(&self, params: &Value) -> Value {
        let items = params["items"].as_array().map_or(&[][..], Vec::as_slice);
        let section = |item: &Value| {
            let Some(section) = item["section"].as_str().filter(|section| !section.is_empty()) else {
                return self.options.clone();
            };
            let Some(inner) = section.strip_prefix(self.kind.section) else { return Value::Null };
            let keys = inner.split('.').filter(|key| !key.is_empty());
            keys.fold(&self.options, |options, key| options.get(key).unwrap_or(&Value::Null)).clone()
        };
        items.iter().map(section).collect()
    }

    fn status(&self, params: &Value) {
        let message = params["message"].as_str().map(brief).filter(|message| !message.is_empty());
        let tell = |message: String| format!("{}: {message}", self.kind.name);
        let note = match params["health"].as_str() {
            Some("error") => Some(tell(message.unwrap_or_else(|| "it says that it is not well".to_owned()))),
            Some("warning") => message.map(tell),
            _ => None,
        };
        self.shared.write(|state| {
            if state.life != self.life {
                return;
            }
            state.set_health(note.map(Note::warning));
            if self.kind.readiness == Readiness::ServerStatus {
                state.set_loaded(params["quiescent"] == true);
            }
        });
    }

    fn progress(&self, params: &Value) {
        let value = &params["value"];
        let token =
            brief(&params["token"].as_str().map_or_else(|| params["token"].to_string(), str::to_owned));
        let text = |name: &str| value[name].as_str().map(brief);
        let is_done = value["kind"] == "end";
        let percent = value["percentage"].as_u64().map(|percent| percent.min(100) as u32);
        self.shared.write(|state| {
            if state.life != self.life {
            } else if is_done {
                state.work_done(&token);
            } else {
                let (title, message) = (text("title").unwrap_or_default(), text("message"));
                state.work(Work { token, title, message, percent });
            }
        });
    }

    /// Errors that a server wants shown.
    fn message(&self, params: &Value) {
        const ERROR: u64 = 1;
        let Some(text) = params["message"].as_str().filter(|_| params["type"] == ERROR) else { return };
        let text = format!("{}: {}", self.kind.name, brief(text));
        self.shared.write(|state| state.note(Note::warning(text)));
    }
}

#[cfg(test)]
mod tests {
    use super::super::RUST_ANALYZER;
    use super::*;

    fn incoming() -> Incoming {
        let options = json!({ "cargo": { "targetDir": "/t" }, "checkOnSave": false });
        let shared = Arc::default();
        Incoming { shared, life: 0, kind: RUST_ANALYZER, root: "/w".into(), options }
    }

    fn check(method: &str, params: Value, expected: Value) {
        let request = Request { id: 1.into(), method: method.to_owned(), params };
        assert_eq!(incoming().reply(&request).unwrap(), expected, "{method}");
    }

    #[test]
    fn the_servers_own_requests_are_answered() {
        let items = |sections: &[&str]| json!({ "items": sections.iter().map(|section| json!({ "section": section })).collect::<Vec<_>>() });
        let sections =
            items(&["rust-analyzer.cargo", "rust-analyzer.cargo.targetDir", "rust-analyzer.x.y", "editor"]);
        check("workspace/configuration", sections, json!([{ "targetDir": "/t" }, "/t", null, null]));
        check("workspace/configuration", json!(7), json!([]));
        check("workspace/configuration", items(&["rust-analyzer"]), json!([incoming().options]));
        check("client/registerCapability", json!({}), json!(null));
        check("window/workDoneProgress/create", json!({ "token": 1 }), json!(null));
        check("window/showMessageRequest", json!({}), json!(null));
        check(
            "workspace/workspaceFolders",
            json!(null),
            json!([{ "uri": "file:///w", "name": "workspace" }]),
        );
        let request = Request { id: 1.into(), method: "workspace/applyEdit".to_owned(), params: Value::Null };
        assert_eq!(incoming().reply(&request).unwrap()["applied"], false);
    }

    #[test]
    fn an_unknown_request_is_answered_with_an_error() {
        let request = Request { id: 1.into(), method: "workspace/none".to_owned(), params: Value::Null };
        assert_eq!(incoming().reply(&request).unwrap_err().code, -32601);
    }

    #[test]
    fn health_is_told_while_it_is_bad() {
        let incoming = incoming();
        let tell = |params: Value| {
            incoming.told(Notification { method: "experimental/serverStatus".to_owned(), params });
            incoming.shared.read(|state| (state.notes(), state.loaded_since.is_some()))
        };
        let bad = tell(json!({ "health": "error", "quiescent": true, "message": "cannot\nload" }));
        assert_eq!(bad, (vec![Note::warning("rust-analyzer: cannot load")], true));
        assert_eq!(tell(json!({ "health": "ok", "quiescent": false })), (vec![], false));
        assert_eq!(tell(json!([7])), (vec![], false));
    }
}
