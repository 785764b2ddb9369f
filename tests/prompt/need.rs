//! A model that asks for what it lacks.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::support::ollama::{self, Ollama};
use crate::{ask, content, shop};

/// A server that says these texts in turn, and the last one ever after.
fn saying(texts: &[&str]) -> Ollama {
    let (texts, turn) = (texts.iter().map(ToString::to_string).collect::<Vec<_>>(), AtomicUsize::new(0));
    Ollama::with(move |request| {
        let turn = turn.fetch_add(1, Ordering::SeqCst).min(texts.len() - 1);
        ollama::answer(request, &texts[turn])
    })
}

#[test]
fn what_is_there_is_given_and_the_answer_follows() {
    let shop = shop();
    let server = saying(&["```need\nsrc/basket.rs\nBasket::put\n```\n", "It is done."]);
    let run = ask(&shop, &server, &["What does `login` do?"]);
    run.ends(
        0,
        &["the model asks for src/basket.rs, Basket::put", "src/basket.rs: given, ", "Basket::put: given, "],
    );
    assert_eq!(run.stdout, "It is done.\n", "the request is no part of the answer");
    let chats = server.chats();
    assert_eq!(chats.len(), 2);
    assert_eq!(content(&chats[0], 1), content(&chats[1], 1));
    assert_eq!(content(&chats[1], 2), "```need\nsrc/basket.rs\nBasket::put\n```");
    let given = content(&chats[1], 3);
    assert!(given.contains("pub struct Basket") && given.contains("you asked for it"), "{given}");
    assert!(given.contains("ask once more"), "{given}");
    assert_eq!(
        chats[0]["options"]["num_ctx"], chats[1]["options"]["num_ctx"],
        "the model is not loaded anew"
    );
}

#[test]
fn what_is_not_in_the_workspace_is_refused() {
    let shop = shop();
    shop.put("outside.rs", "pub fn planted_outside() {}\n");
    shop.write(".env", "PLANTED=planted_in_env\n");
    shop.write(".gitignore", "/ignored.rs\n");
    shop.write("ignored.rs", "pub fn planted_ignored() {}\n");
    #[cfg(unix)]
    std::os::unix::fs::symlink(shop.path("outside.rs"), shop.ws("src/link.rs")).unwrap();
    let absolute = shop.path("outside.rs").display().to_string();
    let names = [
        "/etc/passwd",
        &absolute,
        "../outside.rs",
        "src/../../outside.rs",
        "src/link.rs",
        ".env",
        "ignored.rs",
        "planted_ignored",
    ];
    let need = format!("```need\n{}\n```", names.join("\n"));
    let server = saying(&[&need, "No."]);
    let run = ask(&shop, &server, &["login"]);
    run.ends(0, &["refused: it is outside the workspace", "refused: the workspace has no such file or item"]);
    assert_eq!(run.stderr.matches("refused: ").count(), names.len());
    for body in server.chats().iter().map(ToString::to_string) {
        for planted in ["fn planted_outside", "planted_in_env", "fn planted_ignored", "root:x"] {
            assert!(!body.contains(planted), "{planted}: {body}");
        }
    }
    assert!(content(&server.chats()[1], 3).contains("Not given: `.env`"));
}

#[test]
fn the_third_request_is_refused() {
    let shop = shop();
    let server = saying(&["```need\nsrc/basket.rs\n```"]);
    let run = ask(&shop, &server, &["What does `login` do?"]);
    run.ends(
        2,
        &[
            "asked 2 times for more and asks again (src/basket.rs)",
            "--token-budget",
            "you have all of it already",
        ],
    );
    assert_eq!((run.stdout.as_str(), server.chats().len()), ("", 3));
    assert!(content(&server.chats()[2], 5).contains("You can ask for nothing more"));
}

#[test]
fn the_budget_is_kept() {
    let shop = shop();
    let long: String = (0..400).map(|n| format!("pub fn other_{n}() {{}}\n")).collect();
    shop.write("src/long.rs", &long);
    let server = saying(&["```need\nsrc/long.rs\nother_7\n```", "Yes."]);
    let run = ask(&shop, &server, &["What does `login` do?", "--token-budget", "600"]);
    run.ends(0, &["src/long.rs: refused: it does not fit into what is left", "other_7: given, "]);
    let chats = server.chats();
    let message = content(&chats[1], 3);
    assert!(message.contains("pub fn other_7()") && !message.contains("other_8"), "{message}");
}

#[test]
fn what_only_looks_like_a_request_is_the_answer() {
    for answer in
        ["```rust\nfn a() {}\n```", "```need\nsrc/basket.rs\n```\nBut this is the answer.", "```need"]
    {
        let server = saying(&[answer]);
        let run = ask(&shop(), &server, &["login"]);
        run.ends(0, &[]);
        assert_eq!((run.stdout, server.chats().len()), (format!("{answer}\n"), 1));
    }
}

/// What masks a secret is shorter than it: the places behind it move.
#[test]
fn an_item_behind_a_masked_secret_is_the_one_that_was_asked_for() {
    let shop = shop();
    let secret = ["ghp", "_", "k3Jx9Qm2Zt7Lw5Rb8Vn1Yc4Hd6Fg0SpAuEiT"].concat();
    let before: String = (0..9).map(|n| format!("const K{n}: &str = \"{secret}\";\n")).collect();
    let items: String = (0..40).map(|n| format!("pub fn other_{n}() {{}}\n")).collect();
    shop.write("src/long.rs", format!("{before}{items}"));
    let server = saying(&["```need\nother_7\n```", "Yes."]);
    ask(&shop, &server, &["What does `login` do?"]).ends(0, &["other_7: given, "]);
    let chats = server.chats();
    let message = content(&chats[1], 3);
    assert!(message.contains("## src/long.rs (line 17)") && message.contains("fn other_7()"), "{message}");
}
