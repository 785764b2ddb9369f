//! What is kept of dossiers: `feedback`, `stats`.

use crate::support::Sandbox;
use crate::support::ollama::{self, Ollama};
use crate::{ask, run, shop};

fn stats(shop: &Sandbox, more: &[&str]) -> String {
    let run = run(shop, "", &[&["stats"], more].concat());
    run.ends(0, &[]);
    run.stdout
}

fn journal(shop: &Sandbox) -> String {
    std::fs::read_to_string(shop.path("data/dossier/journal.jsonl")).unwrap_or_default()
}

#[test]
fn dossiers_feedback_and_changes_are_counted() {
    let shop = shop();
    let empty = stats(&shop, &[]);
    assert!(empty.contains("dossiers given to models  0, 0 answered"), "{empty}");
    run(&shop, "", &["feedback", "good"]).ends(2, &["no dossier of ", "`dossier prompt` gives one first"]);

    let server = Ollama::with(|request| match request["messages"].as_array().unwrap().len() {
        2 => ollama::answer(request, "```need\nsrc/basket.rs\nnowhere.rs\n```"),
        _ => ollama::answer(request, "Yes."),
    });
    ask(&shop, &server, &["A secret plan about `login`"]).ends(0, &[]);
    run(&shop, "", &["feedback", "missing", "./src/basket.rs"]).ends(0, &["kept, on this machine alone"]);
    let told = stats(&shop, &[]);
    for line in [
        "1, 1 answered",
        "1 times, 2 things, 1 of them given",
        "0 good, 1 missing: src/basket.rs (1)",
        ", 0 of them changed",
    ] {
        assert!(told.contains(line), "{line}: {told}");
    }
    shop.write("src/login.rs", "pub fn login() {}\n");
    assert!(stats(&shop, &[]).contains(", 1 of them changed afterwards"));
    assert!(stats(&shop, &[]).contains(", 1 of them changed afterwards"), "a change is counted once");

    ask(&shop, &server, &["login"]).ends(0, &[]);
    run(&shop, "", &["feedback", "good"]).ends(0, &[]);
    let told = stats(&shop, &["--all"]);
    assert!(told.starts_with("# all workspaces\n") && told.contains("1 good, 1 missing"), "{told}");
    let kept = journal(&shop);
    assert!(!kept.contains("secret plan") && kept.contains("\"path\":\"src/login.rs\""), "{kept}");
}

#[test]
fn another_workspace_has_its_own() {
    let (shop, server) = (shop(), Ollama::saying("Yes."));
    ask(&shop, &server, &["login"]).ends(0, &[]);
    shop.put("other/Cargo.toml", "[package]\nname = \"other\"\nversion = \"0.1.0\"\n");
    let other = shop.path("other");
    run(&shop, "", &["feedback", "good", "--workspace", other.to_str().unwrap()]).ends(2, &["no dossier of"]);
    let told = run(&shop, "", &["stats", "--workspace", other.to_str().unwrap()]);
    told.shows(&["dossiers given to models  0"]);
}

#[test]
fn without_a_journal_there_is_an_answer_and_a_note() {
    let (shop, server) = (shop(), Ollama::saying("Yes."));
    shop.put("data", "a file where a folder should be");
    ask(&shop, &server, &["login"]).ends(0, &["it is not kept"]).shows(&["Yes.\n"]);
    run(&shop, "", &["stats"]).ends(0, &[]);
}

#[test]
fn a_torn_journal_loses_its_torn_line_alone() {
    let (shop, server) = (shop(), Ollama::saying("Yes."));
    ask(&shop, &server, &["login"]).ends(0, &[]);
    shop.put("data/dossier/journal.jsonl", format!("\u{0}garbage\n{}{{\"kind\":\"dos", journal(&shop)));
    ask(&shop, &server, &["login"]).ends(0, &[]);
    assert!(stats(&shop, &[]).contains("2, 2 answered"));
}

#[test]
fn feedback_is_checked() {
    let (shop, server) = (shop(), Ollama::saying("Yes."));
    ask(&shop, &server, &["login"]).ends(0, &[]);
    run(&shop, "", &["feedback", "good", "src/a.rs"]).ends(2, &["`dossier feedback missing src/a.rs`"]);
    run(&shop, "", &["feedback", "bad"]).ends(2, &["good", "missing"]);
    let many: Vec<String> = (0..60).map(|n| n.to_string()).collect();
    let mut arguments = vec!["feedback", "missing"];
    arguments.extend(many.iter().map(String::as_str));
    run(&shop, "", &arguments).ends(2, &["at most 50 paths"]);
}

#[test]
fn a_failed_answer_is_a_dossier_given_and_not_answered() {
    let (shop, server) = (shop(), Ollama::with(|_| ollama::error(500, "broken")));
    ask(&shop, &server, &["login"]).ends(2, &[]);
    assert!(stats(&shop, &[]).contains("1, 0 answered"));
}
