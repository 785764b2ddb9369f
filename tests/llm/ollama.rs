//! Ollama when all goes well: what is sent, what comes back.

use std::process::Command;
use std::time::Duration;

use dossier::llm::{ChatModel, ChatRequest, Ended, Message, ModelError, Ollama};
use dossier::model::Deadline;
use serde_json::{Value, json};

use crate::support::http::{Reply, Server};
use crate::support::ollama::{self, CONTEXT_LENGTH, MODEL};
use crate::{LONG, ask, question};

/// A test of this binary that is run again with proxies in the environment.
const PLAIN: &str = "ollama::an_answer_streams_with_its_counters";

#[test]
fn an_answer_streams_with_its_counters() {
    let text = "Grüße — see `src/auth.rs:12` 🦀";
    let server = ollama::Ollama::saying(text);
    let model = Ollama::new(&server.host(), MODEL).unwrap();
    let mut pieces = Vec::new();
    let reply = model
        .chat(&question("Where is login?"), &Deadline::after(LONG), &mut |piece| {
            pieces.push(piece.to_owned())
        })
        .unwrap();
    assert_eq!((pieces.concat().as_str(), reply.text.as_str()), (text, text));
    assert!(pieces.len() > 5, "{pieces:?}");
    assert_eq!((reply.sent, reply.received, reply.ended), (Some(4), Some(8), Ended::Complete));
    assert!(reply.took > Duration::ZERO);
    assert_eq!(model.name(), "ollama qwen2.5-coder:7b");
}

#[test]
fn the_request_says_all_that_was_asked() {
    let server = ollama::Ollama::saying("{}");
    let schema =
        json!({"type": "object", "properties": {"zeta": {"type": "string"}, "alpha": {"type": "string"}}});
    let request = ChatRequest {
        system: "Plan.".to_owned(),
        messages: vec![Message::user("a"), Message::assistant("b"), Message::user("c")],
        format: Some(schema.clone()),
        temperature: Some(0.0),
        window: Some(8192),
        answer_limit: Some(512),
    };
    ask(&Ollama::new(&server.host(), MODEL).unwrap(), &request).unwrap();
    assert_eq!(
        server.chats(),
        [json!({
            "model": MODEL,
            "messages": [
                {"role": "system", "content": "Plan."}, {"role": "user", "content": "a"},
                {"role": "assistant", "content": "b"}, {"role": "user", "content": "c"},
            ],
            "stream": true, "truncate": false, "keep_alive": "10m", "format": schema,
            "options": {"temperature": 0.0, "num_ctx": 8192, "num_predict": 512},
        })]
    );
    let sent = server.server().requests();
    assert_eq!(sent[0].header("content-type"), Some("application/json"));
    assert!(sent[0].header("user-agent").unwrap().starts_with("dossier/"));
}

#[test]
fn what_is_not_asked_is_not_sent() {
    let server = ollama::Ollama::saying("yes");
    ask(&Ollama::new(&server.host(), MODEL).unwrap(), &question("?")).unwrap();
    let chats = server.chats();
    assert_eq!(chats[0]["options"], json!({}));
    assert_eq!(chats[0]["messages"].as_array().unwrap().len(), 1);
    assert!(chats[0].get("format").is_none());
}

#[test]
fn a_probe_finds_the_model_and_its_window() {
    let server = ollama::Ollama::saying("");
    let model = Ollama::new(&server.host(), MODEL).unwrap();
    model.probe(&Deadline::after(LONG)).unwrap();
    assert_eq!(model.window(&Deadline::after(LONG)), Ok(Some(u32::try_from(CONTEXT_LENGTH).unwrap())));
    let ran = server.server().requests();
    assert!(ran.iter().all(|request| request.path == "/api/show"), "{ran:?}");
}

#[test]
fn a_window_that_is_not_told_is_none() {
    for info in [json!({}), json!({"model_info": null}), json!({"model_info": {"general.architecture": 7}})] {
        let server = Server::new(move |_| Reply::json(200, &info));
        let model = Ollama::new(&server.host(), MODEL).unwrap();
        assert_eq!(model.window(&Deadline::after(LONG)), Ok(None));
    }
}

#[test]
fn thoughts_are_no_part_of_the_answer() {
    let server = ollama::Ollama::with(|request| {
        ollama::streamed([
            ollama::thought("Hm."),
            b"\n".to_vec(),
            ollama::piece("Yes"),
            ollama::last(request, "Yes", "stop"),
        ])
    });
    let reply = ask(&Ollama::new(&server.host(), MODEL).unwrap(), &question("?")).unwrap();
    assert_eq!(reply.text, "Yes");
}

#[test]
fn an_answer_says_how_it_ended() {
    for (reason, expected) in [
        ("stop", Ended::Complete),
        ("length", Ended::LengthLimit),
        ("unload", Ended::Other("unload".to_owned())),
    ] {
        let server = ollama::Ollama::with(move |request| {
            ollama::streamed([ollama::piece("a"), ollama::last(request, "a", reason)])
        });
        let reply = ask(&Ollama::new(&server.host(), MODEL).unwrap(), &question("?")).unwrap();
        assert_eq!(reply.ended, expected);
    }
}

#[test]
fn counters_may_be_missing() {
    let server = ollama::Ollama::with(|_| ollama::streamed([ollama::piece("a"), ollama::bare_last()]));
    let reply = ask(&Ollama::new(&server.host(), MODEL).unwrap(), &question("?")).unwrap();
    assert_eq!((reply.text.as_str(), reply.sent, reply.received), ("a", None, None));
    assert_eq!(reply.ended, Ended::Complete);
}

#[test]
fn characters_and_lines_may_be_cut_anywhere() {
    let text = "€ 🦀 ünï";
    let server = ollama::Ollama::with(move |request| {
        let lines = [ollama::piece(text), ollama::piece("\n!"), ollama::last(request, text, "stop")].concat();
        // Byte by byte, and the last line without its end.
        let bytes = lines[..lines.len() - 1].iter().map(|&byte| vec![byte]);
        ollama::streamed(bytes.collect::<Vec<_>>())
    });
    let reply = ask(&Ollama::new(&server.host(), MODEL).unwrap(), &question("?")).unwrap();
    assert_eq!(reply.text, "€ 🦀 ünï\n!");
}

#[test]
fn a_server_may_stand_behind_a_path_and_a_password() {
    let server = Server::new(|request| match request.path.as_str() {
        "/ollama/api/chat" => ollama::answer(&request.json(), "yes"),
        _ => Reply::new(404, "text/plain"),
    });
    let host = format!("http://me:secret@{}/ollama", server.host());
    let model = Ollama::new(&host, MODEL).unwrap();
    assert_eq!(ask(&model, &question("?")).unwrap().text, "yes");
    assert_eq!(server.requests()[0].header("authorization"), Some("Basic bWU6c2VjcmV0"));
    let error = model.probe(&Deadline::after(LONG)).unwrap_err();
    assert!(matches!(error, ModelError::NotUnderstood { .. }), "{error}");
    assert!(!format!("{error}{error:?}").contains("secret"), "{error}");
}

#[test]
fn this_machine_is_not_asked_through_a_proxy() {
    let proxy = Server::new(|_| Reply::new(502, "text/plain").send("the proxy was asked"));
    let test = std::env::current_exe().unwrap();
    let variables = ["HTTP_PROXY", "http_proxy", "ALL_PROXY"].map(|name| (name, proxy.url()));
    let run =
        Command::new(test).args(["--exact", PLAIN]).envs(variables).env_remove("NO_PROXY").output().unwrap();
    let said = String::from_utf8_lossy(&run.stdout);
    assert!(run.status.success() && said.contains("1 passed"), "{said}");
    assert_eq!(proxy.requests().len(), 0);
}

/// Nothing of the double is there for itself alone: other tests count on all of it.
#[test]
fn the_double_speaks_the_rest_of_the_format() {
    let server = ollama::Ollama::saying("whole");
    let said = |method: &str, path: &str, body: Value| -> Value {
        let body = if method == "GET" { String::new() } else { body.to_string() };
        let request = format!(
            "{method} {path} HTTP/1.1\r\nhost: x\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
            body.len()
        );
        let mut connection = std::net::TcpStream::connect(server.host()).unwrap();
        std::io::Write::write_all(&mut connection, request.as_bytes()).unwrap();
        let answer = std::io::read_to_string(connection).unwrap();
        // Between the lines are the lengths of the chunks.
        let last = answer.lines().rfind(|line| line.starts_with('{')).unwrap();
        serde_json::from_str(last).unwrap_or_else(|_| panic!("{answer}"))
    };
    let tool = json!({"type": "function", "function": {"name": "look"}});
    let chat = |more: Value| {
        let mut chat =
            json!({"model": MODEL, "messages": [{"role": "user", "content": "?"}], "stream": false});
        chat.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        said("POST", "/api/chat", chat)
    };
    assert_eq!(said("GET", "/api/ps", Value::Null)["models"], json!([]));
    assert_eq!(chat(json!({}))["message"]["content"], "whole");
    assert_eq!(said("GET", "/api/ps", Value::Null)["models"][0]["name"], MODEL);
    assert_eq!(said("GET", "/api/tags", Value::Null)["models"][0]["details"]["family"], "qwen2");
    assert!(said("GET", "/api/version", Value::Null)["version"].is_string());
    let embedded = said("POST", "/api/embed", json!({"model": MODEL, "input": ["a", "b"]}));
    assert_eq!(embedded["embeddings"].as_array().unwrap().len(), 2);
    let missing = said("POST", "/api/embed", json!({"model": "other", "input": "a"}));
    assert_eq!(missing["error"], "model 'other' not found");
    assert_eq!(chat(json!({"tools": [tool], "stream": true}))["done_reason"], "stop");
}
