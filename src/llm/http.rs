//! What all model servers have in common: the client, waits that end, answers that are bounded, the words of a failure.

use std::error::Error;
use std::pin::pin;
use std::time::{Duration, Instant};

use reqwest::redirect::Policy;
use reqwest::{Client, Response, StatusCode, Url};
use serde_json::Value;
use tokio::runtime::Builder;

use crate::model::Deadline;

use super::{ModelError, address};

/// The longest answer and the longest line of one, in bytes. No model says a twentieth of it: 128,000 tokens are half a megabyte.
pub(super) const LONGEST_ANSWER: usize = 10 * 1024 * 1024;

/// How often a wait looks whether it was cancelled: unnoticed by people, and nothing for a processor.
const SLICE: Duration = Duration::from_millis(25);

/// A host that does not take a connection for so long is not there, however long its answer may take.
const CONNECT_LIMIT: Duration = Duration::from_secs(10);

/// What is read of a failure's body, in bytes, and what is told of it, in characters.
const READ_WORDS: usize = 64 * 1024;
const TOLD_WORDS: usize = 300;

/// Runs `work` on this thread until it is done or the deadline is over; then it is dropped with its connections.
pub(super) fn run<T>(
    server: &str,
    deadline: &Deadline,
    work: impl Future<Output = Result<T, ModelError>>,
) -> Result<T, ModelError> {
    let runtime = Builder::new_current_thread().enable_io().enable_time().build().map_err(setup)?;
    let done = runtime.block_on(until_over(server, deadline, work));
    // A name that is still being looked up must not be waited for: the system gives it up in its own time.
    runtime.shutdown_background();
    done
}

async fn until_over<T>(
    server: &str,
    deadline: &Deadline,
    work: impl Future<Output = Result<T, ModelError>>,
) -> Result<T, ModelError> {
    let start = Instant::now();
    let mut work = pin!(work);
    loop {
        if deadline.is_cancelled() {
            return Err(ModelError::Cancelled);
        }
        if deadline.is_over() {
            let (server, waited) = (server.to_owned(), start.elapsed());
            return Err(ModelError::Deadline { server, waited, so_far: String::new() });
        }
        let slice = deadline.remaining().map_or(SLICE, |left| left.min(SLICE));
        if let Ok(done) = tokio::time::timeout(slice, work.as_mut()).await {
            return done;
        }
    }
}

/// A client for one call to this address. Nothing is sent on to where a server redirects: the prompt and the key are for it alone.
pub(super) fn client(base: &Url) -> Result<Client, ModelError> {
    // Fails where one is installed already, which serves as well.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = Client::builder()
        .user_agent(concat!("dossier/", env!("CARGO_PKG_VERSION")))
        .redirect(Policy::none())
        .connect_timeout(CONNECT_LIMIT)
        .pool_max_idle_per_host(0);
    if address::is_loopback(base) {
        builder = builder.no_proxy();
    }
    if base.scheme() == "http" {
        // The system's certificates are not needed; to look for them takes time, and fails in a container that has none.
        builder = builder.tls_certs_only([]);
    }
    builder.build().map_err(setup)
}

fn setup(error: impl Error + 'static) -> ModelError {
    ModelError::Setup { why: root(&error) }
}

/// What a request failed of. Addresses are left out: they may hold a password.
pub(super) fn lost(server: &str, error: &reqwest::Error) -> ModelError {
    let (server, why) = (server.to_owned(), root(error));
    if error.is_connect() {
        ModelError::Unreachable { server, why }
    } else {
        ModelError::BrokenOff { server, why, so_far: String::new() }
    }
}

/// The first cause, in its own words. Those above it only say what was being done, some with the address.
pub(super) fn root(error: &(dyn Error + 'static)) -> String {
    let mut error = error;
    while let Some(source) = error.source() {
        error = source;
    }
    match error.downcast_ref::<reqwest::Error>() {
        Some(error) if error.is_builder() => "the request could not be built".to_owned(),
        Some(error) if error.is_timeout() => "it took too long".to_owned(),
        Some(_) => "the request failed".to_owned(),
        None => error.to_string(),
    }
}

/// The lines of an answer as they come, however its bytes are cut.
pub(super) struct Lines<'s> {
    server: &'s str,
    response: Response,
    buffer: Vec<u8>,
    /// How much of the buffer is known to hold no end of a line.
    searched: usize,
}

impl<'s> Lines<'s> {
    pub(super) fn new(server: &'s str, response: Response) -> Lines<'s> {
        Lines { server, response, buffer: Vec::new(), searched: 0 }
    }

    /// The next line with its end; the last one may have none. `None` once all is read.
    pub(super) async fn next(&mut self) -> Result<Option<Vec<u8>>, ModelError> {
        loop {
            if let Some(end) = self.buffer[self.searched..].iter().position(|&byte| byte == b'\n') {
                let rest = self.buffer.split_off(self.searched + end + 1);
                self.searched = 0;
                return Ok(Some(std::mem::replace(&mut self.buffer, rest)));
            }
            self.searched = self.buffer.len();
            match self.response.chunk().await.map_err(|error| lost(self.server, &error))? {
                Some(chunk) if self.buffer.len() + chunk.len() > LONGEST_ANSWER => {
                    let server = self.server.to_owned();
                    return Err(ModelError::TooLong { server, so_far: String::new() });
                }
                Some(chunk) => self.buffer.extend_from_slice(&chunk),
                None => {
                    self.searched = 0;
                    let last = std::mem::take(&mut self.buffer);
                    return Ok((!last.is_empty()).then_some(last));
                }
            }
        }
    }
}

/// All of an answer.
pub(super) async fn whole(server: &str, mut response: Response) -> Result<Vec<u8>, ModelError> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| lost(server, &error))? {
        if body.len() + chunk.len() > LONGEST_ANSWER {
            return Err(ModelError::TooLong { server: server.to_owned(), so_far: String::new() });
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

/// The beginning of a failure's body, as far as it can be read.
pub(super) async fn beginning(mut response: Response) -> Vec<u8> {
    let mut body = Vec::new();
    while body.len() < READ_WORDS
        && let Ok(Some(chunk)) = response.chunk().await
    {
        body.extend_from_slice(&chunk);
    }
    body
}

/// What a server says in the body of a failure, in one short line; its status where it says nothing.
pub(super) fn said(status: StatusCode, body: &[u8]) -> String {
    match words(body) {
        words if words.is_empty() => status.to_string(),
        words if is_web_page(body) => format!("{status}, {words}"),
        words => words,
    }
}

/// What a text from a server says, in one short line: the message of an error, or its beginning.
pub(super) fn words(text: &[u8]) -> String {
    if is_web_page(text) {
        return "a web page".to_owned();
    }
    match serde_json::from_slice::<Value>(text) {
        Ok(value) => message(&value),
        Err(_) => short(&String::from_utf8_lossy(text)),
    }
}

/// The message inside the shapes that errors come in: `{"error": "…"}`, `{"error": {"message": "…"}}`, or a list of these.
pub(super) fn message(value: &Value) -> String {
    let error = [value, &value[0]].into_iter().find_map(|value| value.get("error")).unwrap_or(value);
    match error.get("message").unwrap_or(error) {
        Value::String(text) => short(text),
        other => short(&other.to_string()),
    }
}

/// Whether the text talks of a prompt that does not fit: the words of Ollama, OpenAI, Anthropic, Gemini and Groq.
pub(super) fn is_about_the_window(said: &str) -> bool {
    let said = said.to_lowercase();
    ["context length", "context size", "context window", "prompt is too long", "input token count"]
        .iter()
        .any(|words| said.contains(words))
}

fn is_web_page(text: &[u8]) -> bool {
    text.trim_ascii_start().starts_with(b"<")
}

/// In one line, without what could move a terminal's cursor.
fn short(text: &str) -> String {
    let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let mut line = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((end, _)) = line.char_indices().nth(TOLD_WORDS) {
        line.truncate(end);
        line.push('…');
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_told_in_its_own_words() {
        for (body, expected) in [
            (r#"{"error":"model 'x' not found"}"#, "model 'x' not found"),
            (r#"{"error":{"message":"slow\ndown","code":429}}"#, "slow down"),
            (r#"[{"error":{"message":"no key"}}]"#, "no key"),
            (r#"{"detail":7}"#, r#"{"detail":7}"#),
            ("<html><body>x", "503 Service Unavailable, a web page"),
            ("", "503 Service Unavailable"),
            ("plain\u{1b}[2J words", "plain [2J words"),
        ] {
            assert_eq!(said(StatusCode::SERVICE_UNAVAILABLE, body.as_bytes()), expected);
        }
        assert_eq!(words("ä".repeat(1000).as_bytes()).chars().count(), TOLD_WORDS + 1);
    }
}
