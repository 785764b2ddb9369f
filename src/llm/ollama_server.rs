//! What requests to an Ollama server have in common, whatever they are about: where it is, and what its failures mean.

use std::fmt;

use reqwest::{RequestBuilder, Response, StatusCode, Url};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::http;
use super::{ModelError, address};

/// A server that speaks Ollama's format.
#[derive(Clone)]
pub(super) struct OllamaServer {
    base: Url,
    /// Who and where, for messages.
    pub name: String,
}

/// The model that a request is about, and the setting that names it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted<'m> {
    pub model: &'m str,
    pub variable: &'static str,
}

impl OllamaServer {
    /// The server that is written as in `OLLAMA_HOST`. Nothing is asked yet.
    pub(super) fn new(host: &str) -> Result<OllamaServer, ModelError> {
        let base = address::ollama(host)?;
        let name = format!("Ollama at {}", address::shown(&base));
        Ok(OllamaServer { base, name })
    }

    /// Whether what it is sent stays on this machine.
    pub(super) fn is_local(&self) -> bool {
        address::is_loopback(&self.base)
    }

    /// The response to a request, if it is one of success.
    pub(super) async fn post(
        &self,
        path: &str,
        body: &impl Serialize,
        wanted: Wanted<'_>,
    ) -> Result<Response, ModelError> {
        let body = serde_json::to_vec(body).map_err(|error| ModelError::Setup { why: error.to_string() })?;
        let request = http::client(&self.base)?.post(self.at(path)?);
        self.send(request.header("content-type", "application/json").body(body), wanted).await
    }

    /// The value that a request is answered with.
    pub(super) async fn ask<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &impl Serialize,
        wanted: Wanted<'_>,
    ) -> Result<T, ModelError> {
        let response = self.post(path, body, wanted).await?;
        self.value(response).await
    }

    /// The value at a path.
    pub(super) async fn get<T: DeserializeOwned>(
        &self,
        path: &str,
        wanted: Wanted<'_>,
    ) -> Result<T, ModelError> {
        let response = self.send(http::client(&self.base)?.get(self.at(path)?), wanted).await?;
        self.value(response).await
    }

    fn at(&self, path: &str) -> Result<Url, ModelError> {
        self.base.join(path).map_err(|error| ModelError::Setup { why: error.to_string() })
    }

    async fn send(&self, request: RequestBuilder, wanted: Wanted<'_>) -> Result<Response, ModelError> {
        let response = request.send().await.map_err(|error| self.lost(&error))?;
        if response.status().is_success() {
            return Ok(response);
        }
        let status = response.status();
        Err(self.refused(status, &http::beginning(response).await, wanted))
    }

    async fn value<T: DeserializeOwned>(&self, response: Response) -> Result<T, ModelError> {
        let body = http::whole(&self.name, response).await?;
        serde_json::from_slice(&body).map_err(|error| self.not_understood(&body, &error))
    }

    fn lost(&self, error: &reqwest::Error) -> ModelError {
        match http::lost(&self.name, error) {
            ModelError::Unreachable { server, why } => ModelError::NoOllama { server, why },
            other => other,
        }
    }

    /// What a status and its body mean: `ChatHandler` and `handleScheduleError` in Ollama's `server/routes.go`.
    fn refused(&self, status: StatusCode, body: &[u8], wanted: Wanted<'_>) -> ModelError {
        let (server, said) = (self.name.clone(), http::said(status, body));
        let is_ollama = serde_json::from_slice::<Value>(body).is_ok_and(|body| body["error"].is_string());
        match status {
            StatusCode::NOT_FOUND if is_ollama => {
                ModelError::NoModel { server, model: wanted.model.to_owned(), said, remedy: wanted.remedy() }
            }
            StatusCode::SERVICE_UNAVAILABLE if is_ollama => ModelError::Busy { server, said },
            _ if http::is_about_the_window(&said) => {
                ModelError::PromptTooLarge { model: wanted.model.to_owned(), said }
            }
            _ if is_ollama => ModelError::Failed { server, said, so_far: String::new() },
            _ => ModelError::NotUnderstood { server, why: said, so_far: String::new() },
        }
    }

    /// A line cut off by the end of the stream is a broken answer, not another language.
    pub(super) fn not_understood(&self, bytes: &[u8], error: &serde_json::Error) -> ModelError {
        if error.is_eof() {
            return self.broken_off("the stream ended in the middle of a line");
        }
        self.sends(bytes)
    }

    pub(super) fn sends(&self, bytes: &[u8]) -> ModelError {
        let why = format!("it sends: {}", http::words(bytes));
        ModelError::NotUnderstood { server: self.name.clone(), why, so_far: String::new() }
    }

    pub(super) fn broken_off(&self, why: &str) -> ModelError {
        ModelError::BrokenOff { server: self.name.clone(), why: why.to_owned(), so_far: String::new() }
    }
}

impl Wanted<'_> {
    /// What to do where the server has not the model.
    pub(super) fn remedy(&self) -> String {
        format!("get it with `ollama pull {}`, or set {} to one it has", self.model, self.variable)
    }
}

/// The address itself may hold a password.
impl fmt::Debug for OllamaServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}
