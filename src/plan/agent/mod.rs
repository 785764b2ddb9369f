//! A small model that has seen the candidates makes a plan better. What it replies is untrusted text until it has been read
//! ([`reply`]) and weighed against the evidence ([`merge`]); without it, or with anything wrong, the plan stays as it was.

mod merge;
mod reply;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::llm::{ChatModel, ChatRequest, Message, ModelError};
use crate::model::Deadline;
use crate::text;

use super::Action;
pub use merge::merge;
pub use reply::Proposal;

/// What the model is told of its work. A change of the words is a new file: replies are kept by all that was sent.
const RULES: &str = include_str!("context_agent.v1.md");

/// The best candidates are offered: of the files that tasks change, 98.5 % are among so many (605 of 100 commits and 163
/// issues), and the prompt stays at some 1,500 tokens.
pub const MOST_OFFERED: usize = 50;
/// Bytes of the task that are sent: an issue says what it is about at its beginning.
const MOST_TASK: usize = 1_200;
/// Bytes of the names beside one path.
const MOST_NAMES: usize = 48;
/// Tokens for prompt and reply.
const WINDOW: u32 = 4_096;
/// Tokens of the reply: ten long paths and the words take 400.
const REPLY: u32 = 700;
/// Replies that are kept.
const MOST_KEPT: usize = 256;

/// What is put before the agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Offer {
    /// As it may be sent: secrets masked.
    pub task: String,
    pub action: Action,
    /// Best first.
    pub candidates: Vec<Offered>,
}

/// A file that may be chosen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offered {
    pub path: String,
    /// Some items that it defines, the closest to the task first.
    pub names: Vec<String>,
}

/// Whoever makes plans better.
pub trait ContextAgent: Send + Sync {
    /// For notes and reasons.
    fn name(&self) -> &str;

    /// What it would look for and which of the offered files it would take.
    ///
    /// # Errors
    /// It did not answer, or what it answered is no plan.
    fn propose(&self, offer: &Offer, deadline: &Deadline) -> Result<Proposal, AgentError>;
}

/// Why there is no proposal.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AgentError {
    #[error(transparent)]
    Model(#[from] ModelError),
    #[error("what {name} replied is no plan: {why}")]
    NoPlan { name: String, why: String },
}

/// A language model as an agent.
pub struct ModelAgent {
    model: Box<dyn ChatModel>,
    /// By all that was sent: that holds the task, the rules, and all of the tree that it could depend on.
    kept: Mutex<BTreeMap<String, Proposal>>,
}

impl ModelAgent {
    pub fn new(model: Box<dyn ChatModel>) -> ModelAgent {
        ModelAgent { model, kept: Mutex::default() }
    }
}

impl ContextAgent for ModelAgent {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn propose(&self, offer: &Offer, deadline: &Deadline) -> Result<Proposal, AgentError> {
        let message = message(offer);
        let kept = || self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(proposal) = kept().get(&message) {
            return Ok(proposal.clone());
        }
        let request = ChatRequest {
            system: RULES.to_owned(),
            messages: vec![Message::user(&message)],
            format: Some(schema(offer)),
            temperature: Some(0.0),
            window: Some(WINDOW),
            answer_limit: Some(REPLY),
        };
        tracing::info!(model = self.name(), rules = RULES, %message, "the planner is asked");
        let answer = self.model.chat(&request, deadline, &mut |_| ())?;
        tracing::info!(reply = answer.text, "the planner replies");
        let proposal = reply::read(&answer.text, offer)
            .map_err(|why| AgentError::NoPlan { name: self.name().to_owned(), why })?;
        let mut kept = kept();
        if kept.len() < MOST_KEPT {
            kept.insert(message, proposal.clone());
        }
        Ok(proposal)
    }
}

/// The task and the candidates, a line each.
fn message(offer: &Offer) -> String {
    let task = cut(offer.task.trim(), MOST_TASK);
    let action = format!("{:?}", offer.action).to_lowercase();
    let mut message = format!("Task ({action}):\n{task}\n\nCandidates:\n");
    for offered in &offer.candidates {
        let mut names = String::new();
        for name in &offered.names {
            if names.len() + name.len() > MOST_NAMES {
                break;
            }
            let _ = write!(names, "{}{name}", if names.is_empty() { ": " } else { ", " });
        }
        let _ = writeln!(message, "{}{names}", offered.path);
    }
    text::redact(&message).text.into_owned()
}

/// The beginning of a text, at most so many bytes, between characters.
fn cut(text: &str, most: usize) -> &str {
    let end = (0..=most.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    text.get(..end).unwrap_or_default()
}

/// What a server that can hold a model to a shape holds it to: no path but those offered.
fn schema(offer: &Offer) -> Value {
    let paths: Vec<&str> = offer.candidates.iter().map(|offered| offered.path.as_str()).collect();
    let words = |most: usize| json!({ "type": "array", "maxItems": most, "items": { "type": "string" } });
    json!({
        "type": "object",
        "properties": {
            "shortlist": { "type": "array", "maxItems": reply::MOST_PATHS, "items": { "type": "string", "enum": paths } },
            "keywords": words(reply::MOST_WORDS),
            "symbols_to_find": words(reply::MOST_WORDS),
            "include_tests": { "type": "boolean" },
            "reasoning": { "type": "string" },
        },
        "required": ["shortlist", "keywords"],
    })
}
