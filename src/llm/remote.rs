//! Models of remote providers, through genai: it knows the providers' formats and their models' quirks; we keep the waiting, the
//! tries and the failures.

use std::error::Error;
use std::fmt;
use std::pin::Pin;
use std::time::{Duration, Instant};

use futures_core::Stream;
use genai::adapter::AdapterKind;
use genai::chat::{
    ChatMessage, ChatOptions, ChatStreamEvent, JsonSpec, ReasoningEffort, StopReason, StreamEnd,
};
use genai::resolver::{AuthData, Endpoint};
use genai::{Client, ModelIden, ServiceTarget};
use reqwest::{StatusCode, Url};

use crate::model::Deadline;

use super::{Answer, ChatModel, ChatReply, ChatRequest, Ended, ModelError, Role, Secret, address, http};

/// How often a request is sent again that the provider limits, and how long to wait before the first time where it does not say;
/// twice as long each time after.
const RETRIES: u32 = 3;
const FIRST_WAIT: Duration = Duration::from_secs(1);

/// Whoever asks to wait longer than this wants us to come back another time.
const LONGEST_WAIT: Duration = Duration::from_secs(300);

/// Anthropic's status for «overloaded», beside 429 and 503.
const OVERLOADED: u16 = 529;

/// What OpenAI calls a schema; the name has no meaning.
const SCHEMA_NAME: &str = "answer";

/// A key for servers on this machine, which want one and look at none.
const ANY_KEY: &str = "none";

/// Who answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Provider {
    /// OpenAI, and everything that speaks its chat completions at an address of its own.
    OpenAi,
    Anthropic,
    Gemini,
    Groq,
}

impl Provider {
    pub const ALL: [Provider; 4] = [Provider::OpenAi, Provider::Anthropic, Provider::Gemini, Provider::Groq];

    /// Its name in settings and notes: `openai`.
    pub fn name(self) -> &'static str {
        match self {
            Provider::OpenAi => "openai",
            Provider::Anthropic => "anthropic",
            Provider::Gemini => "gemini",
            Provider::Groq => "groq",
        }
    }

    /// The environment variable that holds its key.
    pub fn key_variable(self) -> &'static str {
        match self {
            Provider::OpenAi => "OPENAI_API_KEY",
            Provider::Anthropic => "ANTHROPIC_API_KEY",
            Provider::Gemini => "GEMINI_API_KEY",
            Provider::Groq => "GROQ_API_KEY",
        }
    }

    fn address(self) -> &'static str {
        match self {
            Provider::OpenAi => "https://api.openai.com/v1/",
            Provider::Anthropic => "https://api.anthropic.com/v1/",
            Provider::Gemini => "https://generativelanguage.googleapis.com/v1beta/",
            Provider::Groq => "https://api.groq.com/openai/v1/",
        }
    }

    fn adapter(self) -> AdapterKind {
        match self {
            Provider::OpenAi => AdapterKind::OpenAI,
            Provider::Anthropic => AdapterKind::Anthropic,
            Provider::Gemini => AdapterKind::Gemini,
            Provider::Groq => AdapterKind::Groq,
        }
    }
}

/// A model of a remote provider.
#[derive(Clone)]
pub struct Remote {
    provider: Provider,
    base: Url,
    key: Option<Secret>,
    model: String,
    name: String,
    /// Who and where, for messages.
    server: String,
}

impl Remote {
    /// A model by the provider's name for it, at the provider's own address or at another that speaks its format. Nothing is asked
    /// yet. A key must be there, and goes over https alone, unless the server is on this machine.
    pub fn new(
        provider: Provider,
        model: &str,
        base_url: Option<&str>,
        key: Option<Secret>,
    ) -> Result<Remote, ModelError> {
        let address = base_url.unwrap_or(provider.address());
        let base = address::base(address, address)?;
        let name = provider.name();
        let server = format!("{name} at {}", address::shown(&base));
        if !address::is_loopback(&base) {
            if base.scheme() != "https" {
                return Err(ModelError::Unencrypted { server });
            }
            if key.is_none() {
                return Err(ModelError::NoKey { provider: name, variable: provider.key_variable() });
            }
        }
        Ok(Remote { provider, base, key, model: model.to_owned(), name: format!("{name} {model}"), server })
    }

    /// Asks until the provider takes the request, or does not want to be asked again.
    async fn converse(
        &self,
        request: &ChatRequest,
        deadline: &Deadline,
        answer: &mut Answer<'_>,
    ) -> Result<StreamEnd, ModelError> {
        let (mut tries, mut wait) = (1, FIRST_WAIT);
        loop {
            let limit = match self.attempt(request, answer).await {
                Ok(end) => return Ok(end),
                Err(Failure::Final(error)) => return Err(error),
                Err(Failure::Limited(limit)) => limit,
            };
            if deadline.is_cancelled() {
                return Err(ModelError::Cancelled);
            }
            let asked = limit.wait.unwrap_or(wait);
            if tries > RETRIES
                || asked > LONGEST_WAIT
                || deadline.remaining().is_some_and(|left| asked > left)
            {
                return Err(self.limited(tries, limit));
            }
            tokio::time::sleep(asked).await;
            (tries, wait) = (tries + 1, wait * 2);
        }
    }

    async fn attempt(&self, request: &ChatRequest, answer: &mut Answer<'_>) -> Result<StreamEnd, Failure> {
        let client = Client::builder().with_reqwest(http::client(&self.base)?).build();
        let client = client.map_err(|error| ModelError::Setup { why: error.to_string() })?;
        let options = self.options(request);
        let sent = client.exec_chat_stream(self.target(), conversation(request), Some(&options));
        let mut stream = sent.await.map_err(|error| self.failure(&error))?.stream;
        let mut has_begun = false;
        while let Some(event) = std::future::poll_fn(|context| Pin::new(&mut stream).poll_next(context)).await
        {
            match event.map_err(|error| self.failure(&error))? {
                ChatStreamEvent::Chunk(piece) => answer.push(&piece.content, &self.server)?,
                // genai ends Gemini's stream itself where the provider did not.
                ChatStreamEvent::End(end) if self.is_whole(&end) => return Ok(end),
                ChatStreamEvent::Start => continue,
                _ => {}
            }
            has_begun = true;
        }
        Err(Failure::Final(self.ended_early(has_begun)))
    }

    /// Whether the provider said why its answer ended; those of OpenAI's format have a last word of their own.
    fn is_whole(&self, end: &StreamEnd) -> bool {
        self.provider != Provider::Gemini || end.captured_stop_reason.is_some()
    }

    fn ended_early(&self, has_begun: bool) -> ModelError {
        let (server, so_far) = (self.server.clone(), String::new());
        if has_begun {
            let why = "the stream ended before the answer did".to_owned();
            ModelError::BrokenOff { server, why, so_far }
        } else {
            let why = "it answers with something else than a stream of events, as a web page".to_owned();
            ModelError::NotUnderstood { server, why, so_far }
        }
    }

    fn target(&self) -> ServiceTarget {
        let key = self.key.as_ref().map_or(ANY_KEY, Secret::expose);
        ServiceTarget {
            endpoint: Endpoint::from_owned(self.base.as_str()),
            auth: AuthData::from_single(key),
            model: ModelIden::new(self.provider.adapter(), self.model.as_str()),
        }
    }

    fn options(&self, request: &ChatRequest) -> ChatOptions {
        let mut options = ChatOptions::default().with_capture_usage(true);
        if let Some(temperature) = request.temperature {
            options = options.with_temperature(f64::from(temperature));
        }
        if let Some(limit) = request.answer_limit {
            options = options.with_max_tokens(limit);
        }
        if let Some(schema) = &request.format {
            options = options.with_response_format(JsonSpec::new(SCHEMA_NAME, schema.clone()));
        }
        if matches!(self.provider, Provider::OpenAi | Provider::Groq) {
            // genai reads an effort out of the end of a model's name, and sends `qwen-max` as `qwen`, unless it is given one. This
            // one has no word in OpenAI's format, and is left out of what is sent.
            options = options.with_reasoning_effort(ReasoningEffort::Budget(0));
        }
        options
    }

    /// What an error of genai means. That of a stream holds the real one inside.
    fn failure(&self, error: &genai::Error) -> Failure {
        match error {
            genai::Error::WebStream { error, .. } => self.inner_failure(error.as_ref()),
            genai::Error::HttpError { status, body, headers, .. } => {
                let wait = headers.get("retry-after").and_then(|wait| wait.to_str().ok()).and_then(seconds);
                self.refused(*status, body, wait)
            }
            genai::Error::ChatResponse { body, .. } => self.failed(self.words(&body.to_string())),
            genai::Error::StreamParse { serde_error, .. } => self.not_understood(serde_error.to_string()),
            genai::Error::JsonValueExt(error) => self.not_understood(error.to_string()),
            other => self.failed(self.words(&other.to_string())),
        }
    }

    fn inner_failure(&self, error: &(dyn Error + 'static)) -> Failure {
        if let Some(error) = error.downcast_ref::<genai::Error>() {
            self.failure(error)
        } else if let Some(error) = error.downcast_ref::<reqwest::Error>() {
            http::lost(&self.server, error).into()
        } else {
            self.not_understood(http::root(error))
        }
    }

    fn refused(&self, status: StatusCode, body: &str, wait: Option<Duration>) -> Failure {
        let said = http::said(status, self.masked(body).as_bytes());
        let (server, model, variable) =
            (self.server.clone(), self.model.clone(), self.provider.key_variable());
        match status {
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                ModelError::KeyRefused { server, variable, said }.into()
            }
            StatusCode::NOT_FOUND => {
                let remedy = "name another with --model, and look at the address".to_owned();
                ModelError::NoModel { server, model, said, remedy }.into()
            }
            StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => {
                Failure::Limited(Limit { wait, said })
            }
            _ if status.as_u16() == OVERLOADED => Failure::Limited(Limit { wait, said }),
            _ if http::is_about_the_window(&said) => ModelError::PromptTooLarge { model, said }.into(),
            _ if status.is_redirection() => self
                .not_understood(format!("it sends on to another address, which is not followed: {status}")),
            _ => self.failed(said),
        }
    }

    fn limited(&self, tries: u32, limit: Limit) -> ModelError {
        let remedy = match limit.wait {
            Some(wait) => format!("try again in {} s", wait.as_secs_f64().ceil()),
            None => "try again later".to_owned(),
        };
        ModelError::RateLimited { server: self.server.clone(), tries, said: limit.said, remedy }
    }

    fn failed(&self, said: String) -> Failure {
        if http::is_about_the_window(&said) {
            return ModelError::PromptTooLarge { model: self.model.clone(), said }.into();
        }
        ModelError::Failed { server: self.server.clone(), said, so_far: String::new() }.into()
    }

    fn not_understood(&self, why: String) -> Failure {
        let why = self.masked(&why);
        ModelError::NotUnderstood { server: self.server.clone(), why, so_far: String::new() }.into()
    }

    fn words(&self, text: &str) -> String {
        http::words(self.masked(text).as_bytes())
    }

    /// Some providers repeat the key that they refuse. Before a text is shortened, or half a key may be left at its end.
    fn masked(&self, said: &str) -> String {
        self.key.as_ref().map_or_else(|| said.to_owned(), |key| key.mask_in(said))
    }
}

/// The address itself may hold a password.
impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.model, self.server)
    }
}

impl ChatModel for Remote {
    fn name(&self) -> &str {
        &self.name
    }

    /// No provider tells it in its chat format.
    fn window(&self, _deadline: &Deadline) -> Result<Option<u32>, ModelError> {
        Ok(None)
    }

    fn chat(
        &self,
        request: &ChatRequest,
        deadline: &Deadline,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<ChatReply, ModelError> {
        let start = Instant::now();
        let mut answer = Answer::new(on_text);
        let end = http::run(&self.server, deadline, self.converse(request, deadline, &mut answer));
        let text = answer.text;
        let end = match end {
            Ok(end) => end,
            Err(error) => return Err(error.after(text)),
        };
        let usage = end.captured_usage.unwrap_or_default();
        let count = |tokens: Option<i32>| tokens.and_then(|tokens| u64::try_from(tokens).ok());
        Ok(ChatReply {
            text,
            sent: count(usage.prompt_tokens),
            received: count(usage.completion_tokens),
            ended: ended(end.captured_stop_reason.as_ref()),
            took: start.elapsed(),
        })
    }
}

/// Why an attempt gave no answer.
enum Failure {
    /// The provider may take the request later.
    Limited(Limit),
    Final(ModelError),
}

struct Limit {
    /// What the provider asks to wait.
    wait: Option<Duration>,
    said: String,
}

impl From<ModelError> for Failure {
    fn from(error: ModelError) -> Failure {
        Failure::Final(error)
    }
}

fn conversation(request: &ChatRequest) -> genai::chat::ChatRequest {
    let turns = request.messages.iter().map(|message| match message.role {
        Role::User => ChatMessage::user(message.text.as_str()),
        Role::Assistant => ChatMessage::assistant(message.text.as_str()),
    });
    let conversation = genai::chat::ChatRequest::new(turns.collect());
    if request.system.is_empty() { conversation } else { conversation.with_system(request.system.as_str()) }
}

/// The wait that a `retry-after` asks for in seconds. A date, its other form, no provider is known to send.
fn seconds(text: &str) -> Option<Duration> {
    text.trim().parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
}

fn ended(reason: Option<&StopReason>) -> Ended {
    match reason {
        None | Some(StopReason::Completed(_) | StopReason::StopSequence(_)) => Ended::Complete,
        Some(StopReason::MaxTokens(_)) => Ended::LengthLimit,
        Some(other) => Ended::Other(other.raw().to_owned()),
    }
}
