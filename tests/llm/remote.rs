//! Remote providers through genai: their formats, their limits, their failures; the key is shown nowhere.

use std::net::TcpListener;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use dossier::llm::{ChatModel, ChatRequest, Ended, Message, ModelError, Provider, Remote, Secret};
use dossier::model::Deadline;
use serde_json::json;

use crate::support::http::{Reply, Server};
use crate::support::providers;
use crate::{LONG, ask, ask_within, question, says, stops_at_once};

const KEY: &str = "key-f3a9b1";

fn remote(provider: Provider, server: &Server) -> Remote {
    Remote::new(provider, "some-model", Some(&server.url()), Secret::new(KEY)).unwrap()
}

/// What OpenAI's format makes of a server's replies, the last of which it repeats.
fn openai(replies: Vec<Reply>) -> (Server, Remote) {
    let number = AtomicUsize::new(0);
    let server = Server::new(move |_| {
        let number = number.fetch_add(1, Ordering::Relaxed);
        replies[number.min(replies.len() - 1)].clone()
    });
    let remote = remote(Provider::OpenAi, &server);
    (server, remote)
}

#[track_caller]
fn error_of(reply: Reply) -> ModelError {
    let (server, model) = openai(vec![reply]);
    let error = ask(&model, &question("?")).unwrap_err();
    assert!(!format!("{error} {error:?}").contains(KEY), "{error:?}");
    assert!(
        error.to_string().contains("openai at http://127.0.0.1:") || error.to_string().contains("some-model")
    );
    drop(server);
    error
}

#[test]
fn every_provider_streams() {
    let pieces = ["Grü", "ße ", "🦀"];
    for provider in Provider::ALL {
        let server = Server::new(move |_| match provider {
            Provider::OpenAi => providers::openai(&pieces, "stop"),
            Provider::Anthropic => providers::anthropic(&pieces),
            Provider::Gemini => providers::gemini(&pieces, Some("STOP")),
            Provider::Groq => providers::groq(&pieces),
        });
        let model = remote(provider, &server);
        let mut number = 0;
        let reply = model.chat(&question("?"), &Deadline::after(LONG), &mut |_| number += 1).unwrap();
        assert_eq!((reply.text.as_str(), number), ("Grüße 🦀", 3), "{provider:?}");
        assert_eq!(
            (reply.sent, reply.received, reply.ended),
            (Some(11), Some(7), Ended::Complete),
            "{provider:?}"
        );
        assert_eq!(model.name(), format!("{} some-model", provider.name()));
        let request = &server.requests()[0];
        let (path, header, value) = match provider {
            Provider::OpenAi | Provider::Groq => {
                ("/chat/completions", "authorization", format!("Bearer {KEY}"))
            }
            Provider::Anthropic => ("/messages", "x-api-key", KEY.to_owned()),
            Provider::Gemini => {
                ("/models/some-model:streamGenerateContent?alt=sse", "x-goog-api-key", KEY.to_owned())
            }
        };
        assert_eq!((request.path.as_str(), request.header(header)), (path, Some(value.as_str())));
    }
}

#[test]
fn the_request_says_all_that_was_asked() {
    let (server, model) = openai(vec![providers::openai(&["{}"], "stop")]);
    let request = ChatRequest {
        system: "Plan.".to_owned(),
        messages: vec![Message::user("a"), Message::assistant("b"), Message::user("c")],
        format: Some(json!({"type": "object", "properties": {}})),
        temperature: Some(0.5),
        window: Some(8192),
        answer_limit: Some(512),
    };
    ask(&model, &request).unwrap();
    let sent = server.requests()[0].json();
    assert_eq!(
        sent["messages"],
        json!([{"role": "system", "content": "Plan."}, {"role": "user", "content": "a"},
               {"role": "assistant", "content": "b"}, {"role": "user", "content": "c"}])
    );
    assert_eq!(
        (&sent["stream"], &sent["temperature"], &sent["max_tokens"]),
        (&json!(true), &json!(0.5), &json!(512))
    );
    assert_eq!(sent["response_format"]["type"], "json_schema");
    assert_eq!(sent["stream_options"], json!({"include_usage": true}));
}

#[test]
fn a_models_name_is_sent_as_it_is() {
    let server = Server::new(|_| providers::openai(&["yes"], "stop"));
    for name in ["qwen-max", "org/model-high:free", "o3-mini"] {
        let model = Remote::new(Provider::OpenAi, name, Some(&server.url()), Secret::new(KEY)).unwrap();
        ask(&model, &question("?")).unwrap();
        let sent = server.requests().last().unwrap().json();
        assert_eq!((sent["model"].as_str(), sent.get("reasoning_effort")), (Some(name), None));
    }
}

#[test]
fn an_answer_says_how_it_ended() {
    let (_server, model) =
        openai(vec![providers::openai(&["a"], "length"), providers::openai(&["a"], "content_filter")]);
    assert_eq!(ask(&model, &question("?")).unwrap().ended, Ended::LengthLimit);
    assert_eq!(ask(&model, &question("?")).unwrap().ended, Ended::Other("content_filter".to_owned()));
}

#[test]
fn a_key_goes_only_where_it_may() {
    let new = |provider, base, key: Option<&str>| {
        Remote::new(provider, "m", base, key.and_then(Secret::new)).map(|_| ())
    };
    let error = new(Provider::Anthropic, None, None).unwrap_err();
    says(&error, &["no key for anthropic", "ANTHROPIC_API_KEY"]);
    let error = new(Provider::OpenAi, Some("http://example.org/v1"), Some(KEY)).unwrap_err();
    says(&error, &["unencrypted", "http://example.org/v1", "https://"]);
    let error = new(Provider::OpenAi, Some("http://me:secret@example.org/v1"), Some(KEY)).unwrap_err();
    assert!(!format!("{error:?}").contains("secret"), "{error:?}");
    let error = new(Provider::OpenAi, Some("no address"), Some(KEY)).unwrap_err();
    says(&error, &["`no address` is no address"]);
    for provider in Provider::ALL {
        assert_eq!(new(provider, None, Some(KEY)), Ok(()));
    }
    assert_eq!(new(Provider::OpenAi, Some("http://localhost:8000/v1"), None), Ok(()));
    let model =
        Remote::new(Provider::Groq, "m", Some("https://me:secret@example.org"), Secret::new(KEY)).unwrap();
    assert_eq!(format!("{model:?}"), "m of groq at https://***@example.org");
}

#[test]
fn a_refused_key_is_not_repeated() {
    let said = format!("Incorrect API key provided: {KEY}. Find yours in your account.");
    let error = error_of(providers::openai_error(401, &said, "invalid_api_key"));
    assert!(matches!(error, ModelError::KeyRefused { .. }), "{error:?}");
    says(&error, &["refuses the key", "OPENAI_API_KEY", "Incorrect API key provided: ***."]);
    let cut = format!("{} {KEY}", "x".repeat(294));
    let error = error_of(providers::openai_error(401, &cut, "invalid_api_key"));
    assert!(!error.to_string().contains(&KEY[..4]), "{error}");
}

#[test]
fn a_limit_is_waited_for_as_it_says() {
    let limited = || {
        providers::openai_error(429, "Rate limit reached", "rate_limit_exceeded").header("retry-after", "0.2")
    };
    let (server, model) = openai(vec![limited(), limited(), limited(), providers::openai(&["yes"], "stop")]);
    let start = Instant::now();
    assert_eq!(ask(&model, &question("?")).unwrap().text, "yes");
    assert!(start.elapsed() >= Duration::from_millis(600), "{:?}", start.elapsed());
    assert_eq!(server.requests().len(), 4);
}

#[test]
fn after_three_retries_it_gives_up() {
    for status in [429, 503, 529] {
        let limited = providers::openai_error(status, "Slow down", "limit").header("retry-after", "0");
        let (server, model) = openai(vec![limited]);
        let error = ask(&model, &question("?")).unwrap_err();
        assert!(matches!(error, ModelError::RateLimited { .. }), "{error:?}");
        says(&error, &["limits requests after 4 tries", "Slow down", "try again"]);
        assert_eq!(server.requests().len(), 4);
    }
}

#[test]
fn a_wait_beyond_the_deadline_is_not_begun() {
    let limited = providers::openai_error(429, "Slow down", "limit").header("retry-after", "60");
    let (server, model) = openai(vec![limited]);
    let start = Instant::now();
    let error = ask(&model, &question("?")).unwrap_err();
    says(&error, &["after 1 tries", "try again in 60 s"]);
    assert!(start.elapsed() < Duration::from_secs(5));
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn a_wait_can_be_cancelled() {
    let limited = providers::openai_error(429, "Slow down", "limit").header("retry-after", "60");
    let (server, model) = openai(vec![limited]);
    let deadline = Deadline::never();
    let canceller = deadline.clone();
    let error = std::thread::scope(|scope| {
        scope.spawn(|| {
            assert!(server.wait_for_requests(1, LONG));
            canceller.cancel();
        });
        ask_within(&model, &question("?"), &deadline).unwrap_err()
    });
    assert_eq!(error, ModelError::Cancelled);
}

#[test]
fn cancelling_in_the_middle_returns_at_once_and_closes_the_connection() {
    let (server, model) = openai(vec![providers::openai_begin(&["Half"], "stop").hold()]);
    stops_at_once(&model, &server);
}

#[test]
fn it_is_slow_beyond_the_deadline() {
    let (_server, model) = openai(vec![Reply::new(200, "text/event-stream").wait(LONG)]);
    let error = ask_within(&model, &question("?"), &Deadline::after(Duration::from_millis(200))).unwrap_err();
    says(&error, &["openai at http://127.0.0.1:", "had not begun to answer after 0."]);
}

#[test]
fn a_stream_that_is_cut_keeps_its_text() {
    for reply in
        [providers::openai_begin(&["Ha", "lf"], "stop"), providers::openai_begin(&["Ha", "lf"], "stop").cut()]
    {
        let error = error_of(reply);
        assert!(matches!(error, ModelError::BrokenOff { .. }), "{error:?}");
        assert_eq!(error.so_far(), "Half");
    }
    let server = Server::new(|_| providers::gemini(&["Half"], None));
    let error = ask(&remote(Provider::Gemini, &server), &question("?")).unwrap_err();
    assert!(matches!(&error, ModelError::BrokenOff { so_far, .. } if so_far == "Half"), "{error:?}");
}

#[test]
fn characters_may_be_cut_anywhere() {
    let event = json!({"choices": [{"index": 0, "delta": {"content": "€🦀"}, "finish_reason": "stop"}]});
    let bytes = format!("data: {event}\n\ndata: [DONE]\n\n").into_bytes();
    let reply =
        bytes.into_iter().fold(Reply::new(200, "text/event-stream"), |reply, byte| reply.send([byte]));
    let (_server, model) = openai(vec![reply]);
    assert_eq!(ask(&model, &question("?")).unwrap().text, "€🦀");
}

#[test]
fn an_error_in_the_middle_is_told() {
    let error = json!({"error": {"message": "The server had an error", "type": "server_error"}});
    let error = error_of(providers::openai_begin(&["Half"], "stop").send(format!("data: {error}\n\n")));
    assert!(matches!(&error, ModelError::Failed { so_far, .. } if so_far == "Half"), "{error:?}");
    says(&error, &["failed in the middle", "The server had an error"]);

    let server = Server::new(|_| {
        let error = json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}});
        providers::events([("error", error.to_string())])
    });
    says(
        &ask(&remote(Provider::Anthropic, &server), &question("?")).unwrap_err(),
        &["failed (it says: Overloaded)"],
    );
}

#[test]
fn something_else_answers() {
    let page = "<!DOCTYPE html>\n\n<html><body>Sign in</body></html>";
    let error = error_of(Reply::new(200, "text/html").send(page));
    assert!(matches!(error, ModelError::NotUnderstood { .. }), "{error:?}");
    says(&error, &["as a web page"]);
    says(&error_of(Reply::new(502, "text/html").send(page)), &["502 Bad Gateway, a web page"]);
    says(&error_of(Reply::new(307, "text/html").header("location", "http://example.org")), &["not followed"]);
    says(
        &error_of(Reply::new(200, "text/event-stream").send("data: [1\n\n")),
        &["does not answer as expected"],
    );
}

#[test]
fn a_model_that_is_not_there_and_a_prompt_that_does_not_fit() {
    let error =
        error_of(providers::openai_error(404, "The model `some-model` does not exist", "model_not_found"));
    says(&error, &["no model some-model", "does not exist", "--model"]);
    let said =
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.";
    let error = error_of(providers::openai_error(400, said, "context_length_exceeded"));
    assert!(matches!(error, ModelError::PromptTooLarge { .. }), "{error:?}");
    says(&error_of(providers::openai_error(400, "Bad value", "bad")), &["failed (it says: Bad value)"]);
}

#[test]
fn nobody_listens_or_the_connection_is_reset() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let model =
        Remote::new(Provider::Groq, "m", Some(&format!("http://{free}/v1")), Secret::new(KEY)).unwrap();
    let error = ask(&model, &question("?")).unwrap_err();
    assert!(matches!(error, ModelError::Unreachable { .. }), "{error:?}");
    says(&error, &["groq at http://127.0.0.1:", "cannot be reached", "refused", "proxy"]);
    let server = Server::resetting();
    let error = ask(&remote(Provider::OpenAi, &server), &question("?")).unwrap_err();
    assert!(matches!(error, ModelError::BrokenOff { .. }), "{error:?}");
}

#[test]
fn what_is_too_long_is_refused() {
    let event =
        json!({"choices": [{"index": 0, "delta": {"content": "a".repeat(1 << 20)}, "finish_reason": null}]});
    let event = format!("data: {event}\n\n");
    let error =
        error_of((0..32).fold(Reply::new(200, "text/event-stream"), |reply, _| reply.send(event.clone())));
    assert!(matches!(error, ModelError::TooLong { .. }), "{error:?}");
    assert_eq!(error.so_far().len(), 10 << 20);
}

/// genai keeps a line until it ends, however long; the deadline bounds it.
#[test]
fn an_endless_line_ends_with_the_deadline() {
    let megabyte = vec![b'a'; 1 << 20];
    let reply = (0..256).fold(Reply::new(200, "text/event-stream"), |reply, _| reply.send(megabyte.clone()));
    let (_server, model) = openai(vec![reply.hold()]);
    let start = Instant::now();
    let error = ask_within(&model, &question("?"), &Deadline::after(Duration::from_millis(500))).unwrap_err();
    assert!(matches!(error, ModelError::Deadline { .. }), "{error:?}");
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}
