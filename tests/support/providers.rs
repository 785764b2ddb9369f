//! What remote providers answer in their own formats: streams of events, and errors. The shapes are those of the providers' own
//! references of their HTTP interfaces: OpenAI and Groq «Create chat completion», Anthropic «Streaming messages», Gemini
//! «streamGenerateContent».

use serde_json::{Value, json};

use super::http::Reply;

/// Events, each in a chunk of its own: name (none where empty) and data.
pub fn events<'e>(events: impl IntoIterator<Item = (&'e str, String)>) -> Reply {
    events.into_iter().fold(Reply::new(200, "text/event-stream"), |reply, (name, data)| {
        let name = if name.is_empty() { String::new() } else { format!("event: {name}\n") };
        reply.send(format!("{name}data: {data}\n\n"))
    })
}

/// OpenAI's stream up to its end: pieces, then the reason.
pub fn openai_begin(pieces: &[&str], reason: &str) -> Reply {
    let chunk = |delta: Value, reason: Value| {
        json!({"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "gpt-4o-mini",
               "choices": [{"index": 0, "delta": delta, "finish_reason": reason}], "usage": null})
    };
    let first = chunk(json!({"role": "assistant", "content": ""}), Value::Null);
    let middle = pieces.iter().map(|piece| chunk(json!({"content": piece}), Value::Null));
    let last = chunk(json!({}), json!(reason));
    let chunks = std::iter::once(first).chain(middle).chain([last]);
    events(chunks.map(|chunk| ("", chunk.to_string())))
}

/// OpenAI's whole stream, with the usage in a chunk of its own and the last word.
pub fn openai(pieces: &[&str], reason: &str) -> Reply {
    let usage = json!({"id": "chatcmpl-1", "object": "chat.completion.chunk", "choices": [],
                       "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}});
    openai_begin(pieces, reason).send(format!("data: {usage}\n\ndata: [DONE]\n\n"))
}

/// Groq's whole stream: OpenAI's, with the usage in its own field.
pub fn groq(pieces: &[&str]) -> Reply {
    let last = json!({"id": "chatcmpl-1", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}],
                      "x_groq": {"id": "req_1", "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}}});
    let pieces = pieces.iter().map(|piece| {
        json!({"id": "chatcmpl-1", "choices": [{"index": 0, "delta": {"content": piece}, "finish_reason": null}]})
    });
    events(pieces.chain([last]).map(|chunk| ("", chunk.to_string()))).send("data: [DONE]\n\n")
}

/// Anthropic's whole stream.
pub fn anthropic(pieces: &[&str]) -> Reply {
    let start = json!({"type": "message_start", "message": {"id": "msg_1", "type": "message", "role": "assistant", "content": [],
        "model": "claude-3-5-haiku", "stop_reason": null, "usage": {"input_tokens": 11, "output_tokens": 1}}});
    let block =
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}});
    let pieces = pieces.iter().map(|piece| {
        let delta = json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}});
        ("content_block_delta", delta.to_string())
    });
    let end = [
        ("content_block_stop", json!({"type": "content_block_stop", "index": 0}).to_string()),
        (
            "message_delta",
            json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 7}})
                .to_string(),
        ),
        ("message_stop", json!({"type": "message_stop"}).to_string()),
    ];
    let begin = [
        ("message_start", start.to_string()),
        ("content_block_start", block.to_string()),
        ("ping", json!({"type": "ping"}).to_string()),
    ];
    events(begin.into_iter().chain(pieces).chain(end))
}

/// Gemini's whole stream; with no reason it ends before its end.
pub fn gemini(pieces: &[&str], reason: Option<&str>) -> Reply {
    let chunk = |text: &str, reason: Option<&str>| {
        let mut candidate = json!({"content": {"parts": [{"text": text}], "role": "model"}, "index": 0});
        if let Some(reason) = reason {
            candidate["finishReason"] = json!(reason);
        }
        let usage = json!({"promptTokenCount": 11, "candidatesTokenCount": 7, "totalTokenCount": 18});
        json!({"candidates": [candidate], "usageMetadata": usage}).to_string()
    };
    let (last, first) = pieces.split_last().unwrap();
    let chunks: Vec<String> =
        first.iter().map(|piece| chunk(piece, None)).chain([chunk(last, reason)]).collect();
    events(chunks.into_iter().map(|chunk| ("", chunk)))
}

/// An error as OpenAI and Groq word it.
pub fn openai_error(status: u16, message: &str, code: &str) -> Reply {
    let error = json!({"message": message, "type": "invalid_request_error", "param": null, "code": code});
    Reply::json(status, &json!({"error": error}))
}
