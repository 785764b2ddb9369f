//! Models over the network: real requests, over real sockets, to servers that answer and fail as told.

#[path = "../support/mod.rs"]
mod support;

#[cfg(feature = "embedded")]
mod embed;
#[cfg(feature = "embedded")]
mod embed_faults;
mod ollama;
mod ollama_embed;
mod ollama_faults;
#[cfg(feature = "remote")]
mod remote;

use std::time::{Duration, Instant};

use dossier::llm::{ChatModel, ChatReply, ChatRequest, Message, ModelError};
use dossier::model::Deadline;

/// Enough for a machine that does other things too.
const LONG: Duration = Duration::from_secs(30);

fn ask(model: &dyn ChatModel, request: &ChatRequest) -> Result<ChatReply, ModelError> {
    ask_within(model, request, &Deadline::after(LONG))
}

/// Asks, and sees to it that the pieces are the text.
fn ask_within(
    model: &dyn ChatModel,
    request: &ChatRequest,
    deadline: &Deadline,
) -> Result<ChatReply, ModelError> {
    let mut pieces = String::new();
    let reply = model.chat(request, deadline, &mut |piece| pieces.push_str(piece));
    let text = reply.as_ref().map_or_else(ModelError::so_far, |reply| &reply.text);
    if !matches!(reply, Err(ModelError::Cancelled)) {
        assert_eq!(pieces, text);
    }
    reply
}

fn question(text: &str) -> ChatRequest {
    ChatRequest { messages: vec![Message::user(text)], ..ChatRequest::default() }
}

/// The error says each of these.
#[track_caller]
fn says(error: &ModelError, parts: &[&str]) {
    let said = error.to_string();
    for part in parts {
        assert!(said.contains(part), "{part:?} is not in: {said}");
    }
    assert!(!said.contains('\n') && said.len() < 800, "{said}");
}

/// From a cancellation to the return and the end of the connection; four times what it takes.
const AT_ONCE: Duration = Duration::from_millis(100);

/// A busy machine may hold a thread back once, not every time.
const TRIES: usize = 5;

/// A chat that is cancelled after its first piece returns at once, and the server sees the connection close.
#[track_caller]
fn stops_at_once(model: &dyn ChatModel, server: &support::http::Server) {
    let took: Vec<Duration> = (1..=TRIES)
        .map(|number| {
            let start = cancel_in_the_middle(model);
            assert!(server.wait_until_left(number, LONG), "the connection was closed");
            start.elapsed()
        })
        .collect();
    assert!(took.iter().any(|&took| took < AT_ONCE), "{took:?}");
}

/// Cancels as soon as the first piece has come; gives when that was.
#[track_caller]
fn cancel_in_the_middle(model: &dyn ChatModel) -> Instant {
    let deadline = Deadline::never();
    let (sender, cancelled) = std::sync::mpsc::channel();
    let reply = std::thread::scope(|scope| {
        let (started, first) = std::sync::mpsc::channel();
        let canceller = deadline.clone();
        scope.spawn(move || {
            if first.recv_timeout(LONG).is_ok() {
                sender.send(Instant::now()).unwrap();
            }
            canceller.cancel();
        });
        model.chat(&question("?"), &deadline, &mut |_| {
            let _ = started.send(());
        })
    });
    assert_eq!(reply, Err(ModelError::Cancelled));
    cancelled.recv().expect("the first piece came")
}
