//! Ollama's messages, as far as we use them. The shapes are those of `api/types.go` (`ChatRequest`, `ChatResponse`, `Options`,
//! `ShowResponse`) and `docs/api.md` of Ollama.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{ChatRequest, Ended, Role};

/// How long a model stays loaded: a person reads an answer and asks again within that time, and loading 5 GB takes seconds.
const KEEP_ALIVE: &str = "10m";

#[derive(Serialize)]
pub(super) struct Chat<'r> {
    model: &'r str,
    messages: Vec<Turn<'r>>,
    stream: bool,
    /// By default a prompt that does not fit loses its first messages without a word; this makes it an error.
    truncate: bool,
    keep_alive: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<&'r Value>,
    options: Options,
}

#[derive(Serialize)]
struct Turn<'r> {
    role: &'static str,
    content: &'r str,
}

#[derive(Serialize)]
struct Options {
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    num_ctx: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    num_predict: Option<u32>,
}

impl<'r> Chat<'r> {
    pub(super) fn new(model: &'r str, request: &'r ChatRequest) -> Chat<'r> {
        let system = (!request.system.is_empty()).then(|| Turn { role: "system", content: &request.system });
        let turns = request.messages.iter().map(|message| {
            let role = match message.role {
                Role::User => "user",
                Role::Assistant => "assistant",
            };
            Turn { role, content: &message.text }
        });
        Chat {
            model,
            messages: system.into_iter().chain(turns).collect(),
            stream: true,
            truncate: false,
            keep_alive: KEEP_ALIVE,
            format: request.format.as_ref(),
            options: Options {
                temperature: request.temperature,
                num_ctx: request.window,
                num_predict: request.answer_limit,
            },
        }
    }
}

/// One line of a streamed answer.
#[derive(Deserialize)]
pub(super) struct Line {
    /// What went wrong in the middle: `streamResponse` in `server/routes.go`.
    pub(super) error: Option<Value>,
    message: Option<Piece>,
    #[serde(default)]
    pub(super) done: bool,
    done_reason: Option<String>,
    #[serde(rename = "prompt_eval_count")]
    pub(super) sent: Option<u64>,
    #[serde(rename = "eval_count")]
    pub(super) received: Option<u64>,
}

#[derive(Deserialize)]
struct Piece {
    #[serde(default)]
    content: String,
}

impl Line {
    /// The piece of the answer in it; what a model thinks to itself is none.
    pub(super) fn text(&self) -> &str {
        self.message.as_ref().map_or("", |message| &message.content)
    }

    /// Whether it is a line of an answer at all: another server's JSON has neither.
    pub(super) fn is_known(&self) -> bool {
        self.message.is_some() || self.done
    }

    /// Of the last line: why it is the last. Not every server gives a reason (none stands in the examples of `docs/api.md`).
    pub(super) fn ended(&self) -> Ended {
        match self.done_reason.as_deref() {
            None | Some("" | "stop") => Ended::Complete,
            Some("length") => Ended::LengthLimit,
            Some(other) => Ended::Other(other.to_owned()),
        }
    }
}

#[derive(Serialize)]
pub(super) struct Show<'r> {
    pub(super) model: &'r str,
}

/// What a server knows of a model.
#[derive(Deserialize)]
pub(super) struct Shown {
    model_info: Option<serde_json::Map<String, Value>>,
}

impl Shown {
    /// The tokens that the model was made for.
    pub(super) fn window(&self) -> Option<u32> {
        self.number("context_length")
    }

    /// The numbers of its vectors.
    pub(super) fn dimension(&self) -> Option<u32> {
        self.number("embedding_length")
    }

    fn number(&self, name: &str) -> Option<u32> {
        let info = self.model_info.as_ref()?;
        let family = info.get("general.architecture")?.as_str()?;
        let number = info.get(&format!("{family}.{name}"))?.as_u64()?;
        u32::try_from(number).ok().filter(|&number| number > 0)
    }
}

/// A request for vectors: `EmbedRequest`.
#[derive(Serialize)]
pub(super) struct Embed<'r> {
    pub(super) model: &'r str,
    pub(super) input: &'r [String],
    /// Texts are cut by our own count, which is not the model's. One that is a few tokens too long all the same loses its end; refused,
    /// it would take the other texts of its batch with it. A prompt is another matter: it must not lose a word.
    pub(super) truncate: bool,
    pub(super) keep_alive: &'static str,
}

impl<'r> Embed<'r> {
    pub(super) fn new(model: &'r str, input: &'r [String]) -> Embed<'r> {
        Embed { model, input, truncate: true, keep_alive: KEEP_ALIVE }
    }
}

/// Vectors: `EmbedResponse`. A number that cannot be written as JSON comes as null.
#[derive(Deserialize)]
pub(super) struct Embedded {
    pub(super) embeddings: Vec<Vec<Option<f32>>>,
}

/// The models that a server has, or has loaded: `ListResponse`, `ProcessResponse`.
#[derive(Deserialize)]
pub(super) struct Models {
    models: Option<Vec<Listed>>,
}

#[derive(Deserialize)]
struct Listed {
    #[serde(default)]
    name: String,
    #[serde(default)]
    digest: String,
}

impl Models {
    /// The digest of the model of this name, which may leave its tag out: `latest`.
    pub(super) fn digest(&self, name: &str) -> Option<&str> {
        let found = self.models.iter().flatten().find(|model| model.is_called(name))?;
        Some(found.digest.as_str()).filter(|digest| !digest.is_empty())
    }

    /// Whether there is another than this one.
    pub(super) fn has_others(&self, name: &str) -> bool {
        self.models.iter().flatten().any(|model| !model.is_called(name))
    }
}

impl Listed {
    fn is_called(&self, name: &str) -> bool {
        self.name == name || self.name.strip_suffix(":latest") == Some(name)
    }
}
