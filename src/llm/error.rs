//! What can go wrong with a model: what happened, where, and what to do.

use std::time::Duration;

/// Why there is no answer, or no whole one. `server` says who and where: `Ollama at http://127.0.0.1:11434`; a password in the
/// address is masked, a key stands nowhere. `said` are the server's own words, shortened. `so_far` is the text that had come.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    #[error(
        "`{given}` is no address of a model server: {why}; write it as `host:port` or `http://host:port`"
    )]
    Address { given: String, why: String },

    #[error("a key would go unencrypted to {server}: give an address that begins with https://")]
    Unencrypted { server: String },

    #[error("no key for {provider}: set {variable}")]
    NoKey { provider: &'static str, variable: &'static str },

    #[error(
        "no connection can be set up on this machine ({why}): look for its CA certificates and its limits"
    )]
    Setup { why: String },

    #[error("no {server} ({why}): start it with `ollama serve`, or set OLLAMA_HOST")]
    NoOllama { server: String, why: String },

    #[error("{server} cannot be reached ({why}): look at the network, the address and the proxy settings")]
    Unreachable { server: String, why: String },

    #[error("{server} has no model {model} (it says: {said}): {remedy}")]
    NoModel { server: String, model: String, said: String, remedy: String },

    #[error("{server} takes no more requests now (it says: {said}): try again in a moment")]
    Busy { server: String, said: String },

    #[error("{server} refuses the key (it says: {said}): look at {variable}")]
    KeyRefused { server: String, variable: &'static str, said: String },

    #[error("{server} still limits requests after {tries} tries (it says: {said}): {remedy}")]
    RateLimited { server: String, tries: u32, said: String, remedy: String },

    #[error("the prompt is larger than the window of {model} (it says: {said}): lower the budget")]
    PromptTooLarge { model: String, said: String },

    #[error("{}", past_the_deadline(server, *waited, so_far))]
    Deadline { server: String, waited: Duration, so_far: String },

    #[error("cancelled")]
    Cancelled,

    #[error("{server} broke off its answer {}({why}): try again", after(so_far))]
    BrokenOff { server: String, why: String, so_far: String },

    #[error("{server} failed {}(it says: {said}): see its own messages, or try again", after(so_far))]
    Failed { server: String, said: String, so_far: String },

    #[error(
        "{server} does not answer as expected {}({why}): look whether it is what the address means",
        after(so_far)
    )]
    NotUnderstood { server: String, why: String, so_far: String },

    #[error("{server} answers with more than {limit} bytes: refused", limit = super::http::LONGEST_ANSWER)]
    TooLong { server: String, so_far: String },
}

impl ModelError {
    /// The text that had come before it went wrong; empty where none had.
    pub fn so_far(&self) -> &str {
        match self {
            ModelError::Deadline { so_far, .. }
            | ModelError::BrokenOff { so_far, .. }
            | ModelError::Failed { so_far, .. }
            | ModelError::NotUnderstood { so_far, .. }
            | ModelError::TooLong { so_far, .. } => so_far,
            _ => "",
        }
    }

    /// The same with the text that had come, where it can carry one.
    pub(super) fn after(mut self, text: String) -> ModelError {
        match &mut self {
            ModelError::Deadline { so_far, .. }
            | ModelError::BrokenOff { so_far, .. }
            | ModelError::Failed { so_far, .. }
            | ModelError::NotUnderstood { so_far, .. }
            | ModelError::TooLong { so_far, .. } => *so_far = text,
            _ => {}
        }
        self
    }
}

fn after(so_far: &str) -> &'static str {
    if so_far.is_empty() { "" } else { "in the middle " }
}

fn past_the_deadline(server: &str, waited: Duration, so_far: &str) -> String {
    let seconds = waited.as_secs_f64();
    if so_far.is_empty() {
        format!(
            "{server} had not begun to answer after {seconds:.1} s: a model that is still being loaded needs longer; \
             try again, or allow more time"
        )
    } else {
        format!("{server} had not finished its answer after {seconds:.1} s: allow more time, or ask for less")
    }
}
