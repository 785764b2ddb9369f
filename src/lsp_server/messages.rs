//! What the editor says, in the order in which it says it.

use std::sync::Arc;

use lsp_server::{ErrorCode, Notification, Request, RequestId, ResponseError};
use lsp_types::TextDocumentContentChangeEvent;
use serde::Deserialize;
use serde_json::{Value, json};

use super::folders::path_of_uri;
use super::related::page_of;
use super::requests::{Ask, Edit, GraphAsk, Lending, Mark, SearchAsk};
use super::trouble::{Kind, Trouble};
use super::work::Work;
use super::{Ended, Phase, Server, UnderWay};
use crate::model::Deadline;
use crate::rpc::{Answer, CANCEL, Ending, Listener, Reply, lock, spawn_thread};

/// Requests that may be under way; an editor that has more is at fault.
const MOST_REQUESTS: usize = 2_048;

/// The ears of the server.
pub(super) struct Messages {
    server: Arc<Server>,
    ended: Ended,
}

impl Messages {
    pub fn new(server: Arc<Server>, ended: Ended) -> Messages {
        Messages { server, ended }
    }

    /// The request on a thread of its own, with the texts as they are now.
    fn begin(&self, request: Request, answer: Answer) {
        let (server, cancel) = (&self.server, Deadline::never());
        let (texts, columns) = {
            let mut documents = lock(&server.documents);
            (documents.texts(), documents.columns())
        };
        {
            let mut under_way = lock(&server.under_way);
            if under_way.len() >= MOST_REQUESTS {
                drop(under_way);
                let why = "too many requests are under way: wait for answers";
                return answer.send_at_once(Err(error(ErrorCode::RequestFailed, why)));
            }
            let token = token_of(&request.params);
            under_way.insert(request.id.clone(), UnderWay { cancel: cancel.clone(), token });
        }
        let work = Arc::new(Work { server: Arc::clone(server), texts, columns, cancel });
        let id = request.id.clone();
        let is_begun = spawn_thread("request", move || {
            let Request { id, method, params } = request;
            let asked = std::panic::AssertUnwindSafe(|| work.answer(&method, params));
            let reply = std::panic::catch_unwind(asked).unwrap_or_else(|_| {
                let why = "the request met a fault of the program: please report it";
                Err(error(ErrorCode::InternalError, why))
            });
            lock(&work.server.under_way).remove(&id);
            answer.send(reply);
        });
        if !is_begun {
            lock(&server.under_way).remove(&id);
        }
    }
}

impl Listener for Messages {
    fn asked(&self, request: Request, answer: Answer) {
        let server = &self.server;
        let phase = *lock(&server.phase);
        match (phase, request.method.as_str()) {
            (Phase::New, "initialize") => {
                let reply = server.initialize(&request.params);
                *lock(&server.phase) = Phase::Running;
                answer.send_at_once(Ok(reply));
            }
            (Phase::New, _) => {
                let why = "the server is not initialized";
                answer.send_at_once(Err(error(ErrorCode::ServerNotInitialized, why)));
            }
            (Phase::Running, "shutdown") => {
                *lock(&server.phase) = Phase::ShutDown;
                server.cancel(|_, _| true);
                answer.send_at_once(Ok(Value::Null));
            }
            (Phase::Running, "initialize") => {
                let why = "the server is initialized already";
                answer.send_at_once(Err(error(ErrorCode::InvalidRequest, why)));
            }
            (Phase::Running, _) => self.begin(request, answer),
            (Phase::ShutDown, _) => {
                answer.send_at_once(Err(error(ErrorCode::InvalidRequest, "the server is shut down")));
            }
        }
    }

    fn told(&self, Notification { method, params }: Notification) {
        let phase = *lock(&self.server.phase);
        match (method.as_str(), phase) {
            ("exit", _) => _ = self.ended.send(()),
            (CANCEL, Phase::Running) => {
                #[derive(Deserialize)]
                struct Cancelled {
                    id: RequestId,
                }
                if let Ok(Cancelled { id }) = serde_json::from_value(params) {
                    self.server.cancel(|known, _| *known == id);
                }
            }
            ("window/workDoneProgress/cancel", Phase::Running) => {
                let token = Some(&params["token"]);
                self.server.cancel(|_, request| request.token.as_ref() == token);
            }
            (_, Phase::Running) => self.server.told(&method, params),
            _ => {}
        }
    }

    fn ended(&self, how: Ending) {
        if let Ending::Broken(why) = how {
            tracing::error!(why, "the editor sent what is no message");
        }
        let _is_ending_already = self.ended.send(());
    }
}

impl Server {
    /// What is told of texts and folders. What cannot be understood is passed over, as the protocol has it.
    fn told(self: &Arc<Self>, method: &str, params: Value) {
        let uri = params["textDocument"]["uri"].as_str().unwrap_or_default().to_owned();
        match method {
            "initialized" => {
                self.watch_settings();
                self.begin_work();
            }
            "textDocument/didOpen" => {
                if let (Some(path), Some(text)) = (path_of_uri(&uri), params["textDocument"]["text"].as_str())
                {
                    lock(&self.documents).open(&uri, &path, text.to_owned());
                }
            }
            "textDocument/didChange" => {
                #[derive(Deserialize)]
                #[serde(rename_all = "camelCase")]
                struct Changed {
                    content_changes: Vec<TextDocumentContentChangeEvent>,
                }
                if let Ok(Changed { content_changes }) = serde_json::from_value(params) {
                    lock(&self.documents).change(&uri, content_changes);
                }
            }
            "textDocument/didSave" => lock(&self.documents).saved(&uri),
            "textDocument/didClose" => lock(&self.documents).close(&uri),
            "workspace/didChangeConfiguration" => self.configure(Some(&params["settings"])),
            "workspace/didChangeWorkspaceFolders" => self.change_folders(&params["event"]),
            "dossier/lend" => {
                if let Ok(lending) = serde_json::from_value::<Lending>(params) {
                    self.lend(lending);
                }
            }
            "dossier/trust" => {
                *lock(&self.trusted) = params["trusted"].as_bool();
                self.begin_work();
            }
            _ => {}
        }
    }
}

impl Work {
    fn answer(self: &Arc<Self>, method: &str, params: Value) -> Reply {
        let answer = match method {
            "dossier/explain" => read(params).and_then(|ask: Ask| self.explain(&ask)),
            "dossier/edit" => read(params).and_then(|edit: Edit| self.edit(&edit)),
            "dossier/context" => read(params).and_then(|ask: Ask| self.context(&ask)),
            "dossier/prompt" => read(params).and_then(|ask: Ask| self.prompt(&ask)),
            "dossier/graph" => read(params).and_then(|ask: GraphAsk| self.graph(&ask)),
            "dossier/search" => read(params).and_then(|ask: SearchAsk| self.search(&ask)),
            "dossier/status" => self.status(),
            "dossier/text" => read(params).and_then(|ask: Ask| self.text(&ask)),
            "textDocument/codeAction" => self.actions(&params),
            "textDocument/codeLens" => self.lenses(&params),
            "codeLens/resolve" => self.lens(params),
            "workspace/executeCommand" => self.command(params),
            _ => {
                let why = format!("{method} is not known here: docs/lsp.md names the requests");
                return Err(error(ErrorCode::MethodNotFound, &why));
            }
        };
        // Whatever came of it: what was taken back is answered as such.
        let answer = if self.cancel.is_cancelled() { Err(Trouble::cancelled()) } else { answer };
        answer.map_err(|trouble| trouble.to_error())
    }

    /// Runs a command; what it finds is opened as a document where the editor shows nothing by itself.
    fn command(self: &Arc<Self>, params: Value) -> Result<Value, Trouble> {
        let command = params["command"].as_str().unwrap_or_default().to_owned();
        let mut argument = params["arguments"].get(0).cloned().unwrap_or_else(|| json!({}));
        if argument.is_object() && argument.get("workDoneToken").is_none() {
            argument["workDoneToken"] = params["workDoneToken"].clone();
        }
        let result = match command.as_str() {
            "dossier.explain" => self.explain(&read(argument)?),
            "dossier.context" => self.context(&read(argument)?),
            "dossier.prompt" => self.prompt(&read(argument)?),
            "dossier.tests" => self.tests(&read(argument)?),
            "dossier.pin" => self.mark(&read::<Mark>(argument)?, true),
            "dossier.exclude" => self.mark(&read::<Mark>(argument)?, false),
            "dossier.status" => self.status(),
            other => Err(Trouble::new(Kind::Params, format!("no command is called `{other}`"))),
        };
        let abilities = self.server.editor.abilities();
        if abilities.shows {
            return result;
        }
        match &result {
            Ok(found) => {
                if let Some((name, text)) = page_of(found).filter(|_| abilities.shows_documents) {
                    let shown = self.server.show_page(name, &text);
                    tracing::debug!(?shown, name, "a page");
                }
            }
            Err(trouble) if self.cancel.is_cancelled() => tracing::debug!(%trouble, "cancelled"),
            Err(trouble) => self.server.editor.message(WARNING, &trouble.to_string()),
        }
        result
    }
}

/// Under which a request tells how far it is; a command's stands beside its argument, or in it.
fn token_of(params: &Value) -> Option<Value> {
    let own = params.get("workDoneToken");
    own.or_else(|| params["arguments"].get(0)?.get("workDoneToken")).filter(|token| !token.is_null()).cloned()
}

/// `MessageType.Warning`.
const WARNING: u32 = 2;

fn read<T: serde::de::DeserializeOwned>(params: Value) -> Result<T, Trouble> {
    let params = if params.is_null() { json!({}) } else { params };
    serde_json::from_value(params)
        .map_err(|error| Trouble::new(Kind::Params, format!("the parameters are not understood: {error}")))
}

fn error(code: ErrorCode, why: &str) -> ResponseError {
    ResponseError { code: code as i32, message: why.to_owned(), data: None }
}
