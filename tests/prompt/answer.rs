//! What goes out, what comes back, and where it goes.

use serde_json::json;

use crate::support::http::Reply;
use crate::support::ollama::{self, CONTEXT_LENGTH, MODEL, Ollama};
use crate::{LONG, ask, command, content, run, shop};

#[test]
fn the_answer_goes_to_standard_output_and_the_rest_to_standard_error() {
    let (shop, server) = (shop(), Ollama::saying("It is in src/login.rs:4.\nDone."));
    let run = ask(&shop, &server, &["Where is the login of customers?"]);
    run.ends(0, &["ollama qwen2.5-coder:7b: sent ", "by our count), received 8 tokens (", " s\n"]);
    assert_eq!(run.stdout, "It is in src/login.rs:4.\nDone.\n");
    let chats = server.chats();
    assert_eq!(chats.len(), 1);
    assert_eq!((&chats[0]["model"], &chats[0]["messages"][0]["role"]), (&json!(MODEL), &json!("system")));
    assert!(content(&chats[0], 0).contains("`path:line`"));
    let message = content(&chats[0], 1);
    assert!(message.starts_with("The task:\n\nWhere is the login of customers?\n"), "{message}");
    assert!(message.contains("## src/login.rs") && message.contains("pub fn login"), "{message}");
}

#[test]
fn the_instructions_are_those_of_the_kind_of_task_or_the_users_own() {
    let (shop, server) = (shop(), Ollama::saying("yes"));
    ask(&shop, &server, &["Explain how the login works"]).ends(0, &[]);
    ask(&shop, &server, &["Fix the bug in the login"]).ends(0, &[]);
    shop.put("own.md", "Answer in verse.\n");
    let own = shop.path("own.md");
    ask(&shop, &server, &["login", "--system", own.to_str().unwrap()]).ends(0, &[]);
    let chats = server.chats();
    assert!(content(&chats[0], 0).contains("how something works"));
    assert!(content(&chats[1], 0).contains("reports a fault"));
    assert_eq!(content(&chats[2], 0), "Answer in verse.\n");
}

#[test]
fn a_dry_run_prints_exactly_what_is_sent_and_does_not_send_it() {
    let (shop, server) = (shop(), Ollama::saying("yes"));
    let dry = ask(&shop, &server, &["Fix the login", "--dry-run"]);
    dry.ends(0, &["not sent; it would go to ollama qwen2.5-coder:7b"]);
    assert_eq!(server.chats().len(), 0);
    assert!(!shop.path("data").exists(), "a dry run is no dossier given");
    ask(&shop, &server, &["Fix the login"]).ends(0, &[]);
    let chat = &server.chats()[0];
    let sent = format!("=== system ===\n{}\n=== user ===\n{}\n", content(chat, 0), content(chat, 1));
    assert_eq!(dry.stdout, sent);
    let window = chat["options"]["num_ctx"].as_u64().unwrap();
    assert!(dry.stderr.contains(&format!("window {window}, ")), "{}", dry.stderr);
    let alone = run(&shop, "127.0.0.1:9", &["prompt", "Fix the login", "--dry-run"]);
    alone.ends(0, &["its window is not known"]).shows(&["pub fn login"]);
}

#[test]
fn the_window_holds_prompt_and_answer_in_steps() {
    let (shop, server) = (shop(), Ollama::saying("yes"));
    ask(&shop, &server, &["login"]).ends(0, &[]);
    ask(&shop, &server, &["basket of the customers"]).ends(0, &[]);
    let windows: Vec<u64> =
        server.chats().iter().map(|chat| chat["options"]["num_ctx"].as_u64().unwrap()).collect();
    assert_eq!(windows[0], windows[1], "another window loads the model anew");
    assert!(windows[0].is_multiple_of(1_024) && windows[0] <= CONTEXT_LENGTH, "{windows:?}");
    let limit = server.chats()[0]["options"]["num_predict"].as_u64().unwrap();
    assert!(limit >= 2_048 && limit < windows[0], "{limit}");
}

#[test]
fn a_budget_that_does_not_fit_is_told_with_one_that_does() {
    let (shop, server) = (shop(), Ollama::saying("yes"));
    let run = ask(&shop, &server, &["login", "--token-budget", "40000"]);
    run.ends(2, &["40000 tokens does not fit into the model's window of 32768", "--token-budget"]);
    let most = run.stderr.split("give at most ").nth(1).unwrap().split(' ').next().unwrap().to_owned();
    ask(&shop, &server, &["login", "--token-budget", &most]).ends(0, &[]);
    let long = "login ".repeat(40_000);
    let run = shop.finish(command(&shop, &server.host(), &["prompt", "-"]), long.into_bytes());
    run.ends(2, &["the task alone does not fit", "shorten it"]);
    assert_eq!(server.chats().len(), 1);
}

#[test]
fn nothing_relevant_is_not_sent() {
    let (shop, server) = (shop(), Ollama::saying("yes"));
    ask(&shop, &server, &["修复错误密码"]).ends(1, &["nothing relevant found"]);
    assert_eq!(server.chats().len(), 0);
}

#[test]
fn the_explanation_stands_before_the_answer() {
    let (shop, server) = (shop(), Ollama::saying("yes"));
    let run = ask(&shop, &server, &["login", "--explain-context", "--quiet"]);
    run.ends(0, &["src/login.rs"]);
    assert_eq!(run.stdout, "yes\n");
}

#[test]
fn a_prompt_that_the_server_cut_is_told() {
    let server = Ollama::with(|_| {
        let few = json!({"messages": [{"content": "1234"}]});
        ollama::streamed([ollama::piece("perhaps"), ollama::last(&few, "perhaps", "stop")])
    });
    let run = ask(&shop(), &server, &["login"]);
    run.ends(2, &["the server read 1 tokens of about ", "lower --token-budget"]);
    assert_eq!(run.stdout, "perhaps\n");
}

#[test]
fn an_answer_that_ends_early_is_told() {
    let server = Ollama::with(|request| {
        ollama::streamed([ollama::piece("per"), ollama::last(request, "per", "length")])
    });
    ask(&shop(), &server, &["login"]).ends(0, &["the answer ends where its room does"]).shows(&["per\n"]);
}

#[test]
fn what_a_terminal_would_obey_is_shown_and_not_obeyed() {
    let server = Ollama::saying("a\u{1b}[2J\u{202e}b\tc\n");
    ask(&shop(), &server, &["login"]).shows(&["a\\u{1b}[2J\\u{202e}b\tc\n"]);
}

#[test]
fn json_is_for_programs() {
    let (shop, server) = (shop(), Ollama::saying("yes"));
    ask(&shop, &server, &["login", "--format", "json"]).ends(2, &["--format markdown, xml or plain"]);
    ask(&shop, &server, &["login", "--format", "xml"]).ends(0, &[]);
    assert!(content(&server.chats()[0], 1).contains("<"));
}

#[test]
fn an_answer_that_nobody_reads_ends_the_talk() {
    let (shop, pieces) = (shop(), "line\n".repeat(2_000));
    let server =
        Ollama::with(move |_| Reply::new(200, "application/x-ndjson").send(ollama::piece(&pieces)).hold());
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = command(&shop, &server.host(), &["prompt", "login"]);
    let status = command.stdout(writer).stdin(std::process::Stdio::null()).status().unwrap();
    assert_eq!(status.code(), Some(0), "a closed pipe is success");
    assert!(server.server().wait_until_left(1, LONG));
}

#[cfg(unix)]
#[test]
fn ctrl_c_stops_at_once_and_keeps_what_was_printed() {
    use std::io::Read;
    use std::os::unix::process::ExitStatusExt;
    use std::process::Stdio;
    use std::time::{Duration, Instant};

    use rustix::process::{Pid, Signal, kill_process};

    let shop = shop();
    let server = Ollama::with(|_| {
        Reply::new(200, "application/x-ndjson").send(ollama::piece("The beginning ")).hold()
    });
    let mut command = command(&shop, &server.host(), &["prompt", "login"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let mut begun = [0; 14];
    stdout.read_exact(&mut begun).unwrap();
    assert_eq!(&begun, b"The beginning ", "each piece is there as it comes");
    let start = Instant::now();
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let status = child.wait().unwrap();
    assert_eq!(status.signal(), Some(Signal::INT.as_raw()));
    assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
    assert!(server.server().wait_until_left(1, LONG), "the connection was closed");
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "");
}
