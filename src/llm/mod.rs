//! Language models: one trait for whoever answers, on this machine or far away.
//!
//! ```text
//! ollama ──▶ wire ──┐
//! embed ────────────┤
//!   └ ollama_server ┴▶ http ─▶ address, error
//! remote (genai) ────────┘
//! ```
//!
//! `embed` are the models that turn texts into vectors; the rest is about models that answer.
//!
//! The face is synchronous, as the rest of the program: each call runs the network on its own thread and returns within a few
//! hundredths of a second once its deadline is over or cancelled; what was under way is dropped, and its connection closed.
//! It must not be called from within an async runtime.

mod error;
mod address;
mod http;

mod wire;
mod ollama_server;
mod ollama;
#[cfg(feature = "remote")]
mod remote;
mod scripted;
pub mod embed;

pub use crate::config::Secret;
pub use error::ModelError;
pub use ollama::Ollama;
#[cfg(feature = "remote")]
pub use remote::{Provider, Remote};
pub use scripted::Scripted;

use std::time::Duration;

use serde_json::Value;

use crate::model::Deadline;

/// A model that answers.
pub trait ChatModel: Send + Sync {
    /// For notes and reasons: `ollama qwen2.5-coder:7b`.
    fn name(&self) -> &str;

    /// The tokens that prompt and answer may have together at most, where the server tells it.
    fn window(&self, deadline: &Deadline) -> Result<Option<u32>, ModelError>;

    /// Sends the request. `on_text` gets each piece of the answer as it comes, in whole characters; the pieces together are the
    /// reply's text, or what an error carries as `so_far`.
    fn chat(
        &self,
        request: &ChatRequest,
        deadline: &Deadline,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<ChatReply, ModelError>;
}

/// What a model is asked.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ChatRequest {
    /// Left out where empty.
    pub system: String,
    /// In turns; the last one is the user's.
    pub messages: Vec<Message>,
    /// A JSON schema that the answer must follow, as far as the model can be held to it.
    pub format: Option<Value>,
    pub temperature: Option<f32>,
    /// Tokens that prompt and answer may have together. Ollama alone needs to be told, and loads a model anew when it changes.
    pub window: Option<u32>,
    /// Tokens that the answer may have.
    pub answer_limit: Option<u32>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    pub role: Role,
    pub text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    User,
    Assistant,
}

impl Message {
    /// What the user says.
    pub fn user(text: impl Into<String>) -> Message {
        Message { role: Role::User, text: text.into() }
    }

    /// What the model said before.
    pub fn assistant(text: impl Into<String>) -> Message {
        Message { role: Role::Assistant, text: text.into() }
    }
}

/// A whole answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatReply {
    pub text: String,
    /// Tokens of the prompt, as the server counts them; `None` where it does not say.
    pub sent: Option<u64>,
    /// Tokens of the answer, likewise.
    pub received: Option<u64>,
    pub ended: Ended,
    /// From the call to the last piece.
    pub took: Duration,
}

/// Why an answer ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// The model had said all.
    Complete,
    /// The limit of the answer or the window was reached.
    LengthLimit,
    /// In the server's word: `content_filter`.
    Other(String),
}

/// The text of an answer as it comes.
struct Answer<'a> {
    text: String,
    on_text: &'a mut dyn FnMut(&str),
}

impl<'a> Answer<'a> {
    fn new(on_text: &'a mut dyn FnMut(&str)) -> Answer<'a> {
        Answer { text: String::new(), on_text }
    }

    /// Takes a piece, unless the answer gets longer than any can be.
    fn push(&mut self, piece: &str, server: &str) -> Result<(), ModelError> {
        if self.text.len() + piece.len() > http::LONGEST_ANSWER {
            return Err(ModelError::TooLong { server: server.to_owned(), so_far: String::new() });
        }
        if !piece.is_empty() {
            self.text.push_str(piece);
            (self.on_text)(piece);
        }
        Ok(())
    }
}
