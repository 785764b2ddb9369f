//! Models of an Ollama server.
//!
//! Not through ollama-rs 0.3.6: its stream drops chunks that cut a character and prints errors instead of returning them, its
//! failures have no status, its requests cannot say `truncate: false`, and it brings a second HTTP stack. What would be left of
//! it are the shapes of the messages.

use std::fmt;
use std::time::Instant;

use serde_json::Value;

use crate::model::Deadline;

use super::http::{self, Lines};
use super::ollama_server::{OllamaServer, Wanted};
use super::wire::{Chat, Line, Show, Shown};
use super::{Answer, ChatModel, ChatReply, ChatRequest, ModelError};

/// A model of an Ollama server.
#[derive(Clone)]
pub struct Ollama {
    server: OllamaServer,
    model: String,
    name: String,
}

impl Ollama {
    /// A model by its name (`qwen2.5-coder:7b`) at a server, which is written as in `OLLAMA_HOST`. Nothing is asked yet.
    pub fn new(host: &str, model: &str) -> Result<Ollama, ModelError> {
        let server = OllamaServer::new(host)?;
        Ok(Ollama { server, model: model.to_owned(), name: format!("ollama {model}") })
    }

    /// Whether what it is sent stays on this machine.
    pub fn is_local(&self) -> bool {
        self.server.is_local()
    }

    /// Whether a server answers within the deadline, and has the model. Does not load it.
    pub fn probe(&self, deadline: &Deadline) -> Result<(), ModelError> {
        self.show(deadline).map(|_| ())
    }

    fn show(&self, deadline: &Deadline) -> Result<Shown, ModelError> {
        let body = Show { model: &self.model };
        http::run(&self.server.name, deadline, self.server.ask("api/show", &body, self.wanted()))
    }

    async fn converse(&self, request: &ChatRequest, answer: &mut Answer<'_>) -> Result<Line, ModelError> {
        let response = self.server.post("api/chat", &Chat::new(&self.model, request), self.wanted()).await?;
        let mut lines = Lines::new(&self.server.name, response);
        while let Some(bytes) = lines.next().await? {
            if bytes.trim_ascii().is_empty() {
                continue;
            }
            let line: Line =
                serde_json::from_slice(&bytes).map_err(|error| self.server.not_understood(&bytes, &error))?;
            if let Some(error) = &line.error {
                return Err(self.failed(error));
            }
            if !line.is_known() {
                return Err(self.server.sends(&bytes));
            }
            answer.push(line.text(), &self.server.name)?;
            if line.done {
                return Ok(line);
            }
        }
        Err(self.server.broken_off("the stream ended before the answer did"))
    }

    fn wanted(&self) -> Wanted<'_> {
        Wanted { model: &self.model, variable: "OLLAMA_MODEL" }
    }

    fn failed(&self, error: &Value) -> ModelError {
        let said = http::message(error);
        if http::is_about_the_window(&said) {
            return ModelError::PromptTooLarge { model: self.model.clone(), said };
        }
        ModelError::Failed { server: self.server.name.clone(), said, so_far: String::new() }
    }
}

/// The address itself may hold a password.
impl fmt::Debug for Ollama {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.model, self.server.name)
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
        let last = http::run(&self.server.name, deadline, self.converse(request, &mut answer));
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
