//! Ollama when it goes wrong: each message says what happened, where, and what to do.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use dossier::llm::{ChatModel, ModelError, Ollama};
use dossier::model::Deadline;

use crate::support::http::{Reply, Server};
use crate::support::ollama::{self, BUSY, MODEL};
use crate::{LONG, ask, ask_within, question, says, stops_at_once};

/// A deadline of a fifth of a second is kept, even on a busy machine.
const SOON: Duration = Duration::from_secs(2);

/// The error that a chat with this server ends with.
fn error_of(reply: impl Fn() -> Reply + Send + Sync + 'static) -> ModelError {
    let server = ollama::Ollama::with(move |_| reply());
    ask(&Ollama::new(&server.host(), MODEL).unwrap(), &question("?")).unwrap_err()
}

#[test]
fn nobody_listens() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let model = Ollama::new(&free.to_string(), MODEL).unwrap();
    let start = Instant::now();
    for error in [ask(&model, &question("?")).unwrap_err(), model.probe(&Deadline::after(LONG)).unwrap_err()]
    {
        assert!(matches!(error, ModelError::NoOllama { .. }), "{error:?}");
        says(&error, &["no Ollama at http://127.0.0.1:", "refused", "`ollama serve`", "OLLAMA_HOST"]);
    }
    assert!(start.elapsed() < Duration::from_secs(5));
}

#[test]
fn a_name_that_nobody_has() {
    let model = Ollama::new("nowhere.invalid", MODEL).unwrap();
    let error = model.probe(&Deadline::after(LONG)).unwrap_err();
    // Nobody, a deadline, or a proxy that says so: it depends on the machine's network.
    says(&error, &["http://nowhere.invalid:11434"]);
}

#[test]
fn the_model_is_not_there() {
    let server = ollama::Ollama::empty();
    let model = Ollama::new(&server.host(), MODEL).unwrap();
    for error in [ask(&model, &question("?")).unwrap_err(), model.probe(&Deadline::after(LONG)).unwrap_err()]
    {
        says(
            &error,
            &[
                "no model qwen2.5-coder:7b",
                "model 'qwen2.5-coder:7b' not found",
                "`ollama pull qwen2.5-coder:7b`",
            ],
        );
    }
}

#[test]
fn it_is_busy() {
    let error = error_of(|| ollama::error(503, BUSY));
    assert!(matches!(error, ModelError::Busy { .. }), "{error:?}");
    says(&error, &["server busy, please try again", "in a moment"]);
}

#[test]
fn it_is_slow_beyond_the_deadline() {
    let server = ollama::Ollama::with(|request| {
        // A model that is being loaded: nothing comes, not even a status.
        Reply::new(200, "application/x-ndjson").wait(LONG).send(ollama::last(request, "", "stop"))
    });
    let model = Ollama::new(&server.host(), MODEL).unwrap();
    let start = Instant::now();
    let error = ask_within(&model, &question("?"), &Deadline::after(Duration::from_millis(200))).unwrap_err();
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
    assert!(matches!(error, ModelError::Deadline { .. }), "{error:?}");
    says(&error, &["had not begun to answer after 0.", "loaded", "more time"]);
    assert!(server.server().wait_until_left(1, LONG), "the connection was closed");
}

#[test]
fn it_stops_in_the_middle() {
    let server = ollama::Ollama::with(|_| ollama::streamed([ollama::piece("Half")]).hold());
    let model = Ollama::new(&server.host(), MODEL).unwrap();
    let error = ask_within(&model, &question("?"), &Deadline::after(Duration::from_millis(300))).unwrap_err();
    assert_eq!(error.so_far(), "Half");
    says(&error, &["had not finished its answer after 0."]);
}

#[test]
fn a_deadline_that_is_over_sends_nothing() {
    let server = ollama::Ollama::saying("yes");
    let model = Ollama::new(&server.host(), MODEL).unwrap();
    let cancelled = Deadline::never();
    cancelled.cancel();
    assert_eq!(ask_within(&model, &question("?"), &cancelled), Err(ModelError::Cancelled));
    let over = Deadline::after(Duration::ZERO);
    assert!(matches!(ask_within(&model, &question("?"), &over), Err(ModelError::Deadline { .. })));
    assert_eq!(server.server().requests().len(), 0);
}

#[test]
fn cancelling_in_the_middle_returns_at_once_and_closes_the_connection() {
    let server = ollama::Ollama::with(|_| ollama::streamed([ollama::piece("Half")]).hold());
    stops_at_once(&Ollama::new(&server.host(), MODEL).unwrap(), server.server());
}

#[test]
fn a_stream_that_never_rests_is_cancelled_too() {
    let lines = ollama::piece(&"a".repeat(1000)).repeat(2000);
    let server = ollama::Ollama::with(move |_| {
        (0..4).fold(ollama::streamed([]), |reply, _| reply.send(lines.clone())).hold()
    });
    stops_at_once(&Ollama::new(&server.host(), MODEL).unwrap(), server.server());
}

#[test]
fn a_stream_that_is_cut_keeps_its_text() {
    let crab = ollama::piece("🦀");
    let place = crab.iter().position(|&byte| byte == 0xF0).unwrap();
    let in_line = crab[..10].to_vec();
    let in_character = crab[..place + 2].to_vec();
    let ways: [(&str, Reply); 6] = [
        ("in a line", ollama::streamed([ollama::piece("Half"), in_line.clone()]).cut()),
        ("in a character", ollama::streamed([ollama::piece("Half"), in_character.clone()]).cut()),
        ("between lines", ollama::streamed([ollama::piece("Half")]).cut()),
        ("ended in a line", ollama::streamed([ollama::piece("Half"), in_line])),
        ("ended in a character", ollama::streamed([ollama::piece("Half"), in_character])),
        ("ended between lines", ollama::streamed([ollama::piece("Half")])),
    ];
    for (way, reply) in ways {
        let error = error_of(move || reply.clone());
        assert!(matches!(error, ModelError::BrokenOff { .. }), "{way}: {error:?}");
        assert_eq!(error.so_far(), "Half", "{way}");
        says(&error, &["broke off its answer in the middle", "try again"]);
    }
}

#[test]
fn an_error_in_the_middle_is_told() {
    let error = error_of(|| {
        ollama::streamed([
            ollama::piece("Half"),
            ollama::error_line("an error was encountered while running the model: CUDA error"),
        ])
    });
    assert!(matches!(error, ModelError::Failed { .. }), "{error:?}");
    assert_eq!(error.so_far(), "Half");
    says(&error, &["failed in the middle", "CUDA error"]);
}

#[test]
fn a_failure_before_the_answer_is_told() {
    says(
        &error_of(|| {
            ollama::error(500, "model requires more system memory (9.1 GiB) than is available (2.0 GiB)")
        }),
        &["failed (it says: model requires more system memory (9.1 GiB)"],
    );
}

#[test]
fn a_prompt_that_does_not_fit_is_refused_and_not_shortened() {
    let server = ollama::Ollama::saying("yes");
    let mut request = question(&"word ".repeat(2000));
    request.window = Some(2048);
    let error = ask(&Ollama::new(&server.host(), MODEL).unwrap(), &request).unwrap_err();
    assert!(matches!(error, ModelError::PromptTooLarge { .. }), "{error:?}");
    says(&error, &["larger than the window of qwen2.5-coder:7b", "lower the budget"]);
    let later = error_of(|| {
        ollama::streamed([ollama::error_line("request (9000 tokens) exceeds the available context size")])
    });
    assert!(matches!(later, ModelError::PromptTooLarge { .. }), "{later:?}");
}

#[test]
fn something_else_answers() {
    let page = "<!DOCTYPE html>\n<html><body>Sign in</body></html>";
    let ways: [(Reply, &str); 9] = [
        (Reply::new(200, "text/html").send(page), "a web page"),
        (Reply::new(404, "text/html").send(page), "404 Said, a web page"),
        (Reply::new(502, "text/plain"), "502 Bad Gateway"),
        (Reply::new(307, "text/plain").header("location", "http://example.org/"), "307 Temporary Redirect"),
        (Reply::new(200, "text/plain").send("hello"), "it sends: hello"),
        (Reply::new(200, "application/json").send("[1, 2]"), "it sends: [1,2]"),
        (Reply::new(200, "application/json").send("{\"hello\": 1}\n"), "it sends: {\"hello\":1}"),
        (
            Reply::new(200, "application/json").send("{\"message\": \"text\", \"done\": true}\n"),
            "it sends: text",
        ),
        (Reply::new(200, "application/json").send(vec![0xff, 0xfe, b'\n']), "it sends:"),
    ];
    for (reply, words) in ways {
        let words = words.replace("404 Said", "404 Not Found");
        let error = error_of(move || reply.clone());
        assert!(matches!(error, ModelError::NotUnderstood { .. }), "{words}: {error:?}");
        says(&error, &[&words, "does not answer as expected", "http://127.0.0.1:"]);
    }
}

#[test]
fn what_is_too_long_is_not_read() {
    let megabyte = vec![b'a'; 1 << 20];
    let line = megabyte.clone();
    let endless = move || (0..64).fold(ollama::streamed([]), |reply, _| reply.send(line.clone()));
    let error = error_of(endless.clone());
    assert!(matches!(error, ModelError::TooLong { .. }), "{error:?}");
    says(&error, &["more than 10485760 bytes"]);

    let text = ollama::piece(&String::from_utf8(megabyte).unwrap());
    let error = error_of(move || (0..64).fold(ollama::streamed([]), |reply, _| reply.send(text.clone())));
    assert_eq!(error.so_far().len(), 10 << 20);

    let server = Server::new(move |_| endless());
    let model = Ollama::new(&server.host(), MODEL).unwrap();
    let error = model.probe(&Deadline::after(LONG)).unwrap_err();
    assert!(matches!(error, ModelError::TooLong { .. }), "{error:?}");
}

#[test]
fn the_connection_is_reset() {
    let server = Server::resetting();
    let error = ask(&Ollama::new(&server.host(), MODEL).unwrap(), &question("?")).unwrap_err();
    assert!(matches!(error, ModelError::BrokenOff { .. }), "{error:?}");
    says(&error, &["broke off its answer (", "try again"]);
}

/// There is a library that panics where no cryptography is installed.
#[test]
fn an_encrypted_connection_to_a_server_without_encryption_fails() {
    let server = ollama::Ollama::saying("yes");
    let model = Ollama::new(&format!("https://{}", server.host()), MODEL).unwrap();
    let error = ask(&model, &question("?")).unwrap_err();
    // A machine may have no certificates.
    assert!(matches!(error, ModelError::NoOllama { .. } | ModelError::Setup { .. }), "{error:?}");
}

#[test]
fn an_answer_of_nothing_is_an_answer() {
    let server = ollama::Ollama::saying("");
    let reply = ask(&Ollama::new(&server.host(), MODEL).unwrap(), &question("?")).unwrap();
    assert_eq!(reply.text, "");
    assert_eq!(Ollama::new(&server.host(), MODEL).unwrap().name(), "ollama qwen2.5-coder:7b");
}
