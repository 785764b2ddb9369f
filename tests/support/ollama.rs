//! A server that speaks Ollama's wire format. Shapes and words are those of `docs/api.md`, `api/types.go` (`ChatResponse`,
//! `Metrics`, `ListResponse`, `ProcessResponse`, `ShowResponse`, `EmbedResponse`) and `server/routes.go` (`ChatHandler`,
//! `streamResponse`, `writeChatResponse`, `ShowHandler`, `EmbedHandler`) of github.com/ollama/ollama at fb307608.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::http::{Reply, Request, Server};

/// The model it has, and the window that the model was made for.
pub const MODEL: &str = "qwen2.5-coder:7b";
pub const CONTEXT_LENGTH: u64 = 32768;

/// Its model that turns texts into vectors, as it lists it, and the numbers of its vectors.
pub const EMBED_MODEL: &str = "embeddinggemma:latest";
pub const DIMENSION: usize = 768;

/// Characters to a token, roughly; of prompts and answers alike.
const TOKEN: usize = 4;

/// `server/sched.go`.
pub const BUSY: &str = "server busy, please try again.  maximum pending requests exceeded";

/// `llm/llama_server.go`.
const TOO_LONG: &str = "the prompt is longer than the context length currently available to the model; shorten the prompt, adjust \
                        the context length in settings, or use a model with a longer context length";

/// A running server.
pub struct Ollama {
    server: Server,
    loaded: Arc<Mutex<Vec<String>>>,
}

type Answer = dyn Fn(&Value) -> Reply + Send + Sync;

/// What it has, and how it answers.
struct Served {
    models: Vec<&'static str>,
    loaded: Arc<Mutex<Vec<String>>>,
    chat: Box<Answer>,
    embed: Box<Answer>,
}

impl Ollama {
    /// It has one model, which always says this.
    pub fn saying(text: &str) -> Ollama {
        let text = text.to_owned();
        Ollama::with(move |request| answer(request, &text))
    }

    /// It has one model; `chat` makes the reply to the body of each request for a chat.
    pub fn with(chat: impl Fn(&Value) -> Reply + Send + Sync + 'static) -> Ollama {
        Ollama::start(&[MODEL], chat, embedded)
    }

    /// It has a model that turns texts into vectors; `embed` makes the reply to the body of each request for some.
    pub fn embedding(embed: impl Fn(&Value) -> Reply + Send + Sync + 'static) -> Ollama {
        Ollama::start(&[MODEL, EMBED_MODEL], |request| answer(request, ""), embed)
    }

    /// It has no model.
    pub fn empty() -> Ollama {
        Ollama::start(&[], |request| answer(request, ""), embedded)
    }

    fn start(
        models: &[&'static str],
        chat: impl Fn(&Value) -> Reply + Send + Sync + 'static,
        embed: impl Fn(&Value) -> Reply + Send + Sync + 'static,
    ) -> Ollama {
        let loaded = Arc::new(Mutex::new(Vec::new()));
        let served = Served {
            models: models.to_vec(),
            loaded: Arc::clone(&loaded),
            chat: Box::new(chat),
            embed: Box::new(embed),
        };
        Ollama { server: Server::new(move |request| route(request, &served)), loaded }
    }

    /// Somebody else uses this model now.
    pub fn load(&self, model: &str) {
        self.loaded.lock().unwrap().push(model.to_owned());
    }

    /// As in `OLLAMA_HOST`.
    pub fn host(&self) -> String {
        self.server.host()
    }

    pub fn server(&self) -> &Server {
        &self.server
    }

    /// The bodies of the requests for a chat so far.
    pub fn chats(&self) -> Vec<Value> {
        self.sent_to("/api/chat")
    }

    /// The bodies of the requests for vectors so far.
    pub fn embeds(&self) -> Vec<Value> {
        self.sent_to("/api/embed")
    }

    fn sent_to(&self, path: &str) -> Vec<Value> {
        let requests = self.server.requests();
        requests.iter().filter(|request| request.path == path).map(Request::json).collect()
    }
}

fn route(request: &Request, served: &Served) -> Reply {
    let Served { models, loaded, chat, embed } = served;
    let has = |asked: &str| models.iter().any(|model| is_called(model, asked));
    let load = |asked: &str| {
        let mut loaded = loaded.lock().unwrap();
        if !loaded.iter().any(|model| is_called(model, asked)) {
            let full = models.iter().find(|model| is_called(model, asked)).unwrap_or(&"");
            loaded.push((*full).to_owned());
        }
    };
    let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
    let asked = body["model"].as_str().unwrap_or_default();
    let needs_model = ["/api/chat", "/api/show", "/api/embed"].contains(&request.path.as_str());
    match (request.method.as_str(), request.path.as_str()) {
        ("POST", _) if request.body.is_empty() => error(400, "missing request body"),
        ("POST", _) if body.is_null() => error(400, "invalid character 'x' looking for beginning of value"),
        ("POST", _) if needs_model && asked.is_empty() => error(400, "model is required"),
        ("POST", _) if needs_model && !has(asked) => error(404, &format!("model '{asked}' not found")),
        ("GET" | "HEAD", "/api/version") => Reply::json(200, &json!({"version": "0.30.0"})),
        ("GET", "/api/tags") => {
            let models: Vec<Value> = models.iter().map(|model| listed(model)).collect();
            Reply::json(200, &json!({"models": models}))
        }
        ("GET", "/api/ps") => {
            let models: Vec<Value> = loaded.lock().unwrap().iter().map(|model| running(model)).collect();
            Reply::json(200, &json!({"models": models}))
        }
        ("POST", "/api/show") => Reply::json(200, &shown(asked)),
        ("POST", "/api/embed") => {
            load(asked);
            embed(&body)
        }
        ("POST", "/api/chat") => {
            load(asked);
            if does_not_fit(&body) { error(400, TOO_LONG) } else { chat(&body) }
        }
        _ => Reply::new(404, "text/plain").send("404 page not found"),
    }
}

/// A model's tag may be left out where it is the usual one.
fn is_called(model: &str, asked: &str) -> bool {
    model == asked || model.strip_suffix(":latest") == Some(asked)
}

/// An error as Ollama words it.
pub fn error(status: u16, words: &str) -> Reply {
    Reply::json(status, &json!({"error": words}))
}

/// The usual reply to a request for a chat: in pieces of a few characters, or whole where no stream is wanted; a request with tools
/// is answered with a call of the first.
pub fn answer(request: &Value, text: &str) -> Reply {
    if let Some(tool) = request["tools"].get(0) {
        let call = json!({"function": {"name": tool["function"]["name"], "arguments": {}}});
        let line = line(json!({"role": "assistant", "content": "", "tool_calls": [call]}), false);
        return streamed([line, last(request, "", "stop")]);
    }
    if request["stream"] == json!(false) {
        let mut whole: Value = serde_json::from_slice(&last(request, text, "stop")).unwrap();
        whole["message"]["content"] = json!(text);
        return Reply::json(200, &whole);
    }
    let characters: Vec<char> = text.chars().collect();
    let mut lines: Vec<Vec<u8>> =
        characters.chunks(TOKEN).map(|token| piece(&token.iter().collect::<String>())).collect();
    lines.push(last(request, text, "stop"));
    streamed(lines)
}

/// Lines of an answer, each in a chunk of its own.
pub fn streamed(lines: impl IntoIterator<Item = Vec<u8>>) -> Reply {
    lines.into_iter().fold(Reply::new(200, "application/x-ndjson"), Reply::send)
}

/// A line with a piece of the answer.
pub fn piece(text: &str) -> Vec<u8> {
    line(json!({"role": "assistant", "content": text}), false)
}

/// A line with a piece of what the model thinks to itself.
pub fn thought(text: &str) -> Vec<u8> {
    line(json!({"role": "assistant", "content": "", "thinking": text}), false)
}

/// The last line: why it ended, and what was counted.
pub fn last(request: &Value, text: &str, reason: &str) -> Vec<u8> {
    let mut last = json_line(json!({"role": "assistant", "content": ""}), true);
    let counters = json!({
        "done_reason": reason, "total_duration": 4_883_583_458_u64, "load_duration": 1_334_875,
        "prompt_eval_count": prompt_tokens(request), "prompt_eval_duration": 342_546_000,
        "eval_count": tokens(text), "eval_duration": 4_535_599_000_u64,
    });
    last.as_object_mut().unwrap().extend(counters.as_object().unwrap().clone());
    ended(&last)
}

/// The last line of a server that counts nothing and gives no reason.
pub fn bare_last() -> Vec<u8> {
    line(json!({"role": "assistant", "content": ""}), true)
}

/// What goes wrong in the middle of a stream.
pub fn error_line(words: &str) -> Vec<u8> {
    ended(&json!({"error": words}))
}

fn line(message: Value, done: bool) -> Vec<u8> {
    ended(&json_line(message, done))
}

fn json_line(message: Value, done: bool) -> Value {
    json!({"model": MODEL, "created_at": "2024-01-02T03:04:05.123456Z", "message": message, "done": done})
}

fn ended(line: &Value) -> Vec<u8> {
    format!("{line}\n").into_bytes()
}

fn tokens(text: &str) -> usize {
    text.chars().count().div_ceil(TOKEN)
}

fn prompt_tokens(request: &Value) -> usize {
    let messages = request["messages"].as_array().into_iter().flatten();
    messages.map(|message| tokens(message["content"].as_str().unwrap_or_default())).sum()
}

/// By default a prompt that is too long loses its beginning; with `truncate: false` it is refused.
fn does_not_fit(request: &Value) -> bool {
    let window = request["options"]["num_ctx"].as_u64().unwrap_or(4096);
    request["truncate"] == json!(false) && prompt_tokens(request) as u64 > window
}

fn details() -> Value {
    json!({"parent_model": "", "format": "gguf", "family": "qwen2", "families": ["qwen2"], "parameter_size": "7.6B",
           "quantization_level": "Q4_K_M"})
}

fn listed(model: &str) -> Value {
    json!({"name": model, "model": model, "modified_at": "2024-01-02T03:04:05.123456Z", "size": 4_683_087_332_u64,
           "digest": "dae161e27b0e90dd1856c8bb3209201fd6736d8eb66298e75ed87571486f4364", "details": details()})
}

fn running(model: &str) -> Value {
    let mut running = listed(model);
    let object = running.as_object_mut().unwrap();
    object.remove("modified_at");
    object.insert("expires_at".into(), json!("2024-01-02T03:14:05.123456Z"));
    object.insert("size_vram".into(), json!(4_683_087_332_u64));
    object.insert("context_length".into(), json!(4096));
    running
}

fn shown(model: &str) -> Value {
    if is_called(EMBED_MODEL, model) {
        let info = json!({
            "general.architecture": "gemma3", "general.parameter_count": 307_581_696,
            "gemma3.context_length": 2048, "gemma3.embedding_length": DIMENSION,
        });
        return json!({"details": details(), "model_info": info, "capabilities": ["embedding"]});
    }
    json!({
        "modelfile": format!("# Modelfile generated by \"ollama show\"\nFROM {MODEL}\n"),
        "template": "{{ .System }}\n{{ .Prompt }}",
        "details": details(),
        "model_info": {
            "general.architecture": "qwen2", "general.parameter_count": 7_615_616_512_u64,
            "qwen2.context_length": CONTEXT_LENGTH, "qwen2.embedding_length": 3584,
        },
        "capabilities": ["completion", "tools", "insert"],
        "modified_at": "2024-01-02T03:04:05.123456Z",
    })
}

/// The usual reply to a request for vectors: as many numbers as the model has, the same for the same text. Letters decide on them, so
/// that texts with words in common are near.
pub fn embedded(request: &Value) -> Reply {
    let texts = match &request["input"] {
        Value::Array(texts) => texts.clone(),
        text @ Value::String(_) => vec![text.clone()],
        Value::Null => Vec::new(),
        _ => return error(400, "invalid input type"),
    };
    let embeddings: Vec<Value> =
        texts.iter().map(|text| json!(vector(text.as_str().unwrap_or_default()))).collect();
    vectors(request, json!(embeddings))
}

/// The vector of a text, not of length 1.
pub fn vector(text: &str) -> Vec<f64> {
    let mut numbers = vec![0.25; DIMENSION];
    for (at, pair) in text.as_bytes().windows(2).enumerate() {
        numbers[(usize::from(pair[0]) * 31 + usize::from(pair[1])) % DIMENSION] += 1.0 / (at + 1) as f64;
    }
    numbers
}

/// A reply with these vectors.
pub fn vectors(request: &Value, embeddings: Value) -> Reply {
    let texts = request["input"].as_array().cloned().unwrap_or_default();
    let count: usize = texts.iter().map(|text| tokens(text.as_str().unwrap_or_default())).sum();
    let times = json!({"total_duration": 14_143_917, "load_duration": 1_019_500, "prompt_eval_count": count});
    let mut reply = json!({"model": request["model"], "embeddings": embeddings});
    reply.as_object_mut().unwrap().extend(times.as_object().unwrap().clone());
    Reply::json(200, &reply)
}
