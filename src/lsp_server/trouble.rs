//! Why a request fails, as the editor and its user are told.

use lsp_server::{ErrorCode, ResponseError};
use serde::Serialize;
use serde_json::json;

use crate::llm::ModelError;

/// What kind of failure it is, for a client that handles them differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Kind {
    NoWorkspace,
    NothingFound,
    RemoteNotAllowed,
    Model,
    Budget,
    Params,
    Cancelled,
    Other,
}

#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub(super) struct Trouble {
    kind: Kind,
    message: String,
}

impl Trouble {
    pub fn new(kind: Kind, message: impl Into<String>) -> Trouble {
        Trouble { kind, message: message.into() }
    }

    pub fn cancelled() -> Trouble {
        Trouble::new(Kind::Cancelled, "cancelled")
    }

    /// In the words of the session, which come over a wire.
    pub fn of_session(why: String) -> Trouble {
        let kind = if why.contains("token-budget") { Kind::Budget } else { Kind::Other };
        Trouble::new(kind, why)
    }

    /// What the parts that all faces share say.
    pub fn of(error: &anyhow::Error) -> Trouble {
        if let Some(Trouble { kind, message }) = error.downcast_ref::<Trouble>() {
            return Trouble::new(*kind, message.clone());
        }
        let model = error.chain().find_map(|cause| cause.downcast_ref::<ModelError>());
        let message = format!("{error:#}");
        match model {
            Some(ModelError::Cancelled) => Trouble::cancelled(),
            Some(_) => Trouble::new(Kind::Model, message),
            None if message.contains("(--timeout)") => Trouble::new(Kind::Model, message),
            None => Trouble::of_session(message),
        }
    }

    pub fn to_error(&self) -> ResponseError {
        let code = match self.kind {
            Kind::Cancelled => ErrorCode::RequestCanceled,
            Kind::Params => ErrorCode::InvalidParams,
            _ => ErrorCode::RequestFailed,
        };
        let data = Some(json!({ "kind": self.kind }));
        ResponseError { code: code as i32, message: self.message.clone(), data }
    }
}
