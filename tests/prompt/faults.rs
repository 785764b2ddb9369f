//! A model that cannot answer: exit code 2, what happened, what to do; what was printed stays.

use std::net::TcpListener;
use std::time::Duration;

use crate::support::http::{Reply, Server};
use crate::support::ollama::{self, BUSY, Ollama};
use crate::{ask, run, shop};

#[test]
fn ollama_is_not_there() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let run = run(&shop(), &free.to_string(), &["prompt", "login"]);
    run.ends(2, &["no Ollama at http://127.0.0.1:", "`ollama serve`", "OLLAMA_HOST"]);
    assert_eq!(run.stdout, "");
}

#[test]
fn the_model_is_not_there() {
    let (shop, server) = (shop(), Ollama::empty());
    ask(&shop, &server, &["login"]).ends(2, &["`ollama pull qwen2.5-coder:7b`"]);
    ask(&shop, &server, &["login", "--model", "other:1b"]).ends(2, &["`ollama pull other:1b`"]);
}

#[test]
fn it_is_busy_or_slow() {
    let shop = shop();
    let busy = Ollama::with(|_| ollama::error(503, BUSY));
    ask(&shop, &busy, &["login"]).ends(2, &["takes no more requests now", "try again"]);
    let slow = Ollama::with(|_| Reply::new(200, "application/x-ndjson").wait(Duration::from_secs(60)));
    let run = ask(&shop, &slow, &["login", "--timeout", "1"]);
    run.ends(2, &["had not begun to answer after 1.", "(--timeout)"]);
    let hangs =
        Ollama::with(|_| Reply::new(200, "application/x-ndjson").send(ollama::piece("The beginning")).hold());
    let run = ask(&shop, &hangs, &["login", "--timeout", "1"]);
    run.ends(2, &["had not finished its answer after 1.", "(--timeout)"]);
    assert_eq!(run.stdout, "The beginning\n");
}

#[test]
fn the_stream_is_cut_or_fails_in_the_middle() {
    let shop = shop();
    let cut =
        Ollama::with(|_| Reply::new(200, "application/x-ndjson").send(ollama::piece("The beginning")).cut());
    let run = ask(&shop, &cut, &["login"]);
    run.ends(2, &["broke off its answer in the middle", "try again"]);
    assert_eq!(run.stdout, "The beginning\n");
    let held = Ollama::with(|_| {
        ollama::streamed([ollama::piece("```need\nsrc/"), ollama::error_line("out of memory")])
    });
    let run = ask(&shop, &held, &["login"]);
    run.ends(2, &["failed in the middle (it says: out of memory)"]);
    assert_eq!(run.stdout, "```need\nsrc/\n", "what was held back is not lost");
}

#[test]
fn the_prompt_is_larger_than_the_servers_window() {
    let server = Ollama::with(|_| {
        ollama::error(400, "the prompt is longer than the context length currently available")
    });
    ask(&shop(), &server, &["login"])
        .ends(2, &["larger than the window", "lower the budget (--token-budget)"]);
}

#[test]
fn it_is_no_ollama() {
    let shop = shop();
    let page = Server::new(|_| Reply::new(200, "text/html").send("<html><body>Welcome</body></html>"));
    run(&shop, &page.host(), &["prompt", "login"]).ends(2, &["does not answer as expected", "a web page"]);
    run(&shop, "ftp://x", &["prompt", "login"]).ends(2, &["is no address", "http://host:port"]);
}

#[test]
fn the_instructions_cannot_be_read() {
    let (shop, server) = (shop(), Ollama::saying("yes"));
    shop.put("empty.md", " \n");
    shop.put("large.md", "x".repeat(300_000));
    shop.put("binary.md", b"\xff\xfe\x00");
    for (name, said) in [
        ("none.md", "cannot open"),
        ("empty.md", "is empty"),
        ("large.md", "is larger than"),
        ("binary.md", "a text in UTF-8"),
    ] {
        let file = shop.path(name);
        ask(&shop, &server, &["login", "--system", file.to_str().unwrap()]).ends(2, &[said]);
    }
    assert_eq!(server.server().requests().len(), 0, "mistakes are found before anybody is asked");
}

#[test]
fn flags_that_make_no_sense_are_refused() {
    let (shop, server) = (shop(), Ollama::saying("yes"));
    ask(&shop, &server, &["login", "--base-url", "http://x"]).ends(2, &["name one with --provider"]);
    ask(&shop, &server, &["login", "--provider", "nobody"]).ends(2, &["openai"]);
    ask(&shop, &server, &["login", "--model", " "]).ends(2, &["expected a text"]);
    ask(&shop, &server, &["login", "--preview"]).ends(2, &["asks on a terminal", "--dry-run"]);
    ask(&shop, &server, &[" "]).ends(2, &["the task is empty"]);
    assert_eq!(server.server().requests().len(), 0);
}
