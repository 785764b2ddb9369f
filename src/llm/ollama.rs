//! Models of an Ollama server.
//!
//! Not through ollama-rs 0.3.6: its stream drops chunks that cut a character and prints errors instead of returning them, its
//! failures have no status, its requests cannot say `truncate: false`, and it brings a second HTTP stack. What would be left of
//! it are the shapes of the messages.

use std::fmt;
use std::time::Instant;

use reqwest::{Response, StatusCode, Url};
use serde::Serialize;
use serde_json::Value;

use crate::model::Deadline;

use super::http::{self, Lines};
use super::wire::{Chat, Line, Show, Shown};
use super::{Answer, ChatModel, ChatReply, ChatRequest, ModelError, address};

/// A model of an Ollama server.
#[derive(Clone)]
pub struct Ollama {
    base: Url,
    model: String,
    name: String,
    /// Who and where, for messages.
    server: String,
}

impl Ollama {
    /// A model by its name (`qwen2.5-coder:7b`) at a server, which is written as in `OLLAMA_HOST`. Nothing is asked yet.
    pub fn new(host: &str, model: &str) -> Result<Ollama, ModelError> {
        let base = address::ollama(host)?;
        let server = format!("Ollama at {}", address::shown(&base));
        Ok(Ollama { base, model: model.to_owned(), name: format!("ollama {model}"), server })
    }

    /// Whether what it is sent stays on this machine.
    pub fn is_local(&self) -> bool {
        address::is_loopback(&self.base)
    }

    /// Whether a server answers within the deadline, and has the model. Does not load it.
    pub fn probe(&self, deadline: &Deadline) -> Result<(), ModelError> {
        self.show(deadline).map(|_| ())
    }

    fn show(&self, deadline: &Deadline) -> Result<Shown, ModelError> {
        http::run(&self.server, deadline, async {
            let response = self.post("api/show", &Show { model: &self.model }).await?;
            let body = http::whole(&self.server, response).await?;
            serde_json::from_slice(&body).map_err(|error| self.not_understood(&body, &error))
        })
    }

    async fn converse(&self, request: &ChatRequest, answer: &mut Answer<'_>) -> Result<Line, ModelError> {
        let response = self.post("api/chat", &Chat::new(&self.model, request)).await?;
        let mut lines = Lines::new(&self.server, response);
        while let Some(bytes) = lines.next().await? {
            if bytes.trim_ascii().is_empty() {
                continue;
            }
            let line: Line =
                serde_json::from_slice(&bytes).map_err(|error| self.not_understood(&bytes, &error))?;
            if let Some(error) = &line.error {
                return Err(self.failed(error));
            }
            if !line.is_known() {
                return Err(self.sends(&bytes));
            }
            answer.push(line.text(), &self.server)?;
            if line.done {
                return Ok(line);
            }
        }
        Err(self.broken_off("the stream ended before the answer did"))
    }

    /// The response to a request, if it is one of success.
    async fn post(&self, path: &str, body: &impl Serialize) -> Result<Response, ModelError> {
        let wrong = |why: String| ModelError::Setup { why };
        let url = self.base.join(path).map_err(|error| wrong(error.to_string()))?;
        let body = serde_json::to_vec(body).map_err(|error| wrong(error.to_string()))?;
        let request =
            http::client(&self.base)?.post(url).header("content-type", "application/json").body(body);
        let response = request.send().await.map_err(|error| self.lost(&error))?;
        if response.status().is_success() {
            return Ok(response);
        }
        let status = response.status();
        Err(self.refused(status, &http::beginning(response).await))
    }

    fn lost(&self, error: &reqwest::Error) -> ModelError {
        match http::lost(&self.server, error) {
            ModelError::Unreachable { server, why } => ModelError::NoOllama { server, why },
            other => other,
        }
    }

    /// What a status and its body mean: `ChatHandler` and `handleScheduleError` in Ollama's `server/routes.go`.
    fn refused(&self, status: StatusCode, body: &[u8]) -> ModelError {
        let (server, said) = (self.server.clone(), http::said(status, body));
        let is_ollama = serde_json::from_slice::<Value>(body).is_ok_and(|body| body["error"].is_string());
        match status {
            StatusCode::NOT_FOUND if is_ollama => ModelError::NoModel {
                server,
                model: self.model.clone(),
                said,
                remedy: format!(
                    "get it with `ollama pull {}`, or set OLLAMA_MODEL to one it has",
                    self.model
                ),
            },
            StatusCode::SERVICE_UNAVAILABLE if is_ollama => ModelError::Busy { server, said },
            _ if http::is_about_the_window(&said) => {
                ModelError::PromptTooLarge { model: self.model.clone(), said }
            }
            _ if is_ollama => ModelError::Failed { server, said, so_far: String::new() },
            _ => ModelError::NotUnderstood { server, why: said, so_far: String::new() },
        }
    }

    fn failed(&self, error: &Value) -> ModelError {
        let said = http::message(error);
        if http::is_about_the_window(&said) {
            return ModelError::PromptTooLarge { model: self.model.clone(), said };
        }
        ModelError::Failed { server: self.server.clone(), said, so_far: String::new() }
    }

    /// A line cut off by the end of the stream is a broken answer, not another language.
    fn not_understood(&self, bytes: &[u8], error: &serde_json::Error) -> ModelError {
        if error.is_eof() {
            return self.broken_off("the stream ended in the middle of a line");
        }
        self.sends(bytes)
    }

    fn sends(&self, bytes: &[u8]) -> ModelError {
        let why = format!("it sends: {}", http::words(bytes));
        ModelError::NotUnderstood { server: self.server.clone(), why, so_far: String::new() }
    }

    fn broken_off(&self, why: &str) -> ModelError {
        ModelError::BrokenOff { server: self.server.clone(), why: why.to_owned(), so_far: String::new() }
    }
}

/// The address itself may hold a password.
impl fmt::Debug for Ollama {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.model, self.server)
    }
}

impl ChatModel for Ollama {
    fn name(&self) -> &str {
        &self.name
    }

    fn window(&self, deadline: &Deadline) -> Result<Option<u32>, ModelError> {
        Ok(self.show(deadline)?.window())
    }

    fn chat(
        &self,
        request: &ChatRequest,
        deadline: &Deadline,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<ChatReply, ModelError> {
        let start = Instant::now();
        let mut answer = Answer::new(on_text);
        let last = http::run(&self.server, deadline, self.converse(request, &mut answer));
        let text = answer.text;
        match last {
            Ok(last) => Ok(ChatReply {
                text,
                sent: last.sent,
                received: last.received,
                ended: last.ended(),
                took: start.elapsed(),
            }),
            Err(error) => Err(error.after(text)),
        }
    }
}
