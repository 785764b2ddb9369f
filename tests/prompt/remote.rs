//! Remote providers, each in its own format.

use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::support::http::{Reply, Server};
use crate::support::{Run, Sandbox, providers};
use crate::{run, shop};

const KEY: &str = "key-of-the-user-1234";

/// Asks a provider at this server with a key in the environment.
#[track_caller]
fn ask(shop: &Sandbox, provider: &str, server: &Server, more: &[&str]) -> Run {
    shop.finish(command(shop, provider, &server.url(), more), Vec::new())
}

fn command(shop: &Sandbox, provider: &str, url: &str, more: &[&str]) -> Command {
    let arguments = ["prompt", "Fix the login", "--provider", provider, "--model", "m-1", "--base-url", url];
    let mut command = crate::command(shop, "", &[&arguments, more].concat());
    command.env(format!("{}_API_KEY", provider.to_uppercase()), KEY);
    command
}

#[test]
fn each_answers_in_its_own_format() {
    let shop = shop();
    type Make = fn() -> Reply;
    let replies: [(&str, Make); 4] = [
        ("openai", || providers::openai(&["Y", "es"], "stop")),
        ("anthropic", || providers::anthropic(&["Y", "es"])),
        ("gemini", || providers::gemini(&["Y", "es"], Some("STOP"))),
        ("groq", || providers::groq(&["Y", "es"])),
    ];
    for (provider, reply) in replies {
        let server = Server::new(move |_| reply());
        let run = ask(&shop, provider, &server, &[]);
        run.ends(0, &[&format!("{provider} m-1: sent 11 tokens ("), "received 7 tokens ("]);
        assert_eq!(run.stdout, "Yes\n");
        let request = &server.requests()[0];
        let body = String::from_utf8_lossy(&request.body);
        assert!(body.contains("pub fn login") && body.contains("path:line"), "{body}");
        assert!(!body.contains(KEY) && !run.stderr.contains(KEY));
    }
}

#[test]
fn a_key_is_missing_refused_or_would_go_unencrypted() {
    let shop = shop();
    let arguments = ["prompt", "login", "--provider", "groq", "--model", "m"];
    run(&shop, "", &arguments).ends(2, &["no key for groq: set GROQ_API_KEY"]);
    run(&shop, "", &arguments[..4]).ends(2, &["no model of groq is named", "--model"]);
    let said = format!("Incorrect API key provided: {KEY}.");
    let server = Server::new(move |_| providers::openai_error(401, &said, "invalid_api_key"));
    let refused = ask(&shop, "openai", &server, &[]);
    refused.ends(2, &["refuses the key", "look at OPENAI_API_KEY", "Incorrect API key provided: ***"]);
    let plain = shop.finish(command(&shop, "openai", "http://192.0.2.1/v1", &[]), Vec::new());
    plain.ends(2, &["a key would go unencrypted", "https://"]);
}

#[test]
fn a_limit_is_waited_for() {
    let shop = shop();
    let asked = AtomicUsize::new(0);
    let server = Server::new(move |_| match asked.fetch_add(1, Ordering::SeqCst) {
        0 => providers::openai_error(429, "Rate limit reached", "rate_limit").header("retry-after", "0.1"),
        _ => providers::openai(&["Yes"], "stop"),
    });
    ask(&shop, "openai", &server, &[]).ends(0, &[]).shows(&["Yes\n"]);
    assert_eq!(server.requests().len(), 2);
    let never = Server::new(|_| {
        providers::openai_error(429, "Rate limit reached", "rate_limit").header("retry-after", "9999")
    });
    ask(&shop, "openai", &never, &[]).ends(2, &["still limits requests", "try again in 9999 s"]);
}

#[test]
fn a_web_page_a_cut_stream_and_no_network() {
    let shop = shop();
    let page = Server::new(|_| Reply::new(200, "text/html").send("<html></html>"));
    ask(&shop, "openai", &page, &[]).ends(2, &["does not answer as expected", "web page"]);
    let cut = Server::new(|_| providers::openai_begin(&["The beginning"], "stop").cut());
    let run = ask(&shop, "openai", &cut, &[]);
    run.ends(2, &["openai at http://127.0.0.1:", "in the middle"]);
    assert_eq!(run.stdout, "The beginning\n");
    let gone = shop.finish(command(&shop, "openai", "http://127.0.0.1:9/", &[]), Vec::new());
    gone.ends(2, &["cannot be reached", "look at the network"]);
}

#[test]
fn a_key_of_the_users_file_serves_and_is_never_shown() {
    let shop = shop();
    shop.put(
        "home/.config/dossier/config.toml",
        format!("provider = 'groq'\nmodel = 'm-2'\ngroq_key = '{KEY}'\n"),
    );
    shop.write(".dossier/config.toml", "openai_key = 'evil'\nbase_url = 'http://evil.example'\n");
    let server = Server::new(|_| providers::groq(&["Yes"]));
    let asked = run(&shop, "", &["prompt", "login", "--base-url", &server.url(), "-vvv"]);
    asked.ends(0, &["groq m-2", "a workspace may not set `openai_key`", "may not set `base_url`"]);
    assert_eq!(server.requests()[0].header("authorization"), Some(format!("Bearer {KEY}").as_str()));
    let shown = run(&shop, "", &["config", "show"]);
    shown.shows(&["groq_key = \"***\"", "config.toml:3", "# openai_key is not set"]);
    for run in [asked, shown] {
        assert!(!run.stderr.contains(KEY) && !run.stdout.contains(KEY));
    }
}
