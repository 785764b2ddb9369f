//! What can be asked, by requests and by the standard protocol alone.

use std::time::Duration;

use serde_json::{Value, json};

use super::editor::{CODE, Editor, abilities, command, open, uri};
use super::support::Sandbox;

const TASK: &str = "Why does `shelf_count` say three?";

fn paths(view: &Value) -> Vec<String> {
    let files = view["files"].as_array().unwrap();
    files.iter().map(|file| file["path"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn an_explanation_says_what_a_command_says() {
    let sandbox = Sandbox::new(CODE);
    let mut editor = open(&sandbox, json!({}));
    let view = editor.ask("dossier/explain", json!({ "task": TASK, "workDoneToken": "w" }));
    let told = sandbox.run(&["context", "--format", "json", TASK]).json();
    assert_eq!(view["files"][0]["path"], told["files"][0]["path"]);
    assert_eq!(paths(&view).len(), told["files"].as_array().unwrap().len());
    assert_eq!(view["files"][0]["reasons"], told["files"][0]["reasons"]);
    assert_eq!(view["budget"], told["budget"]);
    assert_eq!(view["files"][0]["uri"], uri(&sandbox.ws("src/stock.rs")));
    assert_eq!(view["files"][0]["ranges"][0]["start"]["character"], 0);
    assert!(view["explanation"].as_str().unwrap().contains("src/stock.rs"), "{view}");
    assert!(view["plan"][1].as_str().unwrap().contains("shelf_count"), "{view}");
    assert_eq!(view["languageServer"]["choice"], "none");
    let kinds: Vec<Value> = editor.told("$/progress").iter().map(|it| it["value"]["kind"].clone()).collect();
    assert_eq!((kinds.first(), kinds.last()), (Some(&json!("begin")), Some(&json!("end"))));
    let changed = editor.hears("dossier/changed", |told| told["files"].is_number());
    assert_eq!(changed["folder"], uri(&sandbox.path("ws")));
    assert!(editor.ends().success());
}

#[test]
fn a_pack_is_changed_by_hand_and_follows_at_once() {
    let sandbox = Sandbox::new(CODE);
    let mut editor = open(&sandbox, json!({}));
    let kept = editor.ask("dossier/edit", json!({ "exclude": ["src/lib.rs"] }));
    assert_eq!(kept, json!({ "pinned": [], "excluded": ["src/lib.rs"], "levels": {} }));
    editor.ask("dossier/edit", json!({ "include": ["src/lib.rs"] }));
    editor.ask("dossier/explain", json!({ "task": TASK }));

    let view = editor.ask("dossier/edit", json!({ "pin": ["Cargo.toml", "Basket::pay", "src/none.rs"] }));
    let pinned = |view: &Value, path: &str| {
        view["files"].as_array().unwrap().iter().any(|file| file["path"] == path && file["pinned"] == true)
    };
    assert!(pinned(&view, "Cargo.toml") && pinned(&view, "src/pay.rs"), "{view}");
    assert_eq!(view["refused"][0]["name"], "src/none.rs");
    let view = editor
        .ask("dossier/edit", json!({ "unpin": ["src/none.rs", "Basket::pay"], "exclude": ["src/stock.rs"] }));
    assert!(!paths(&view).contains(&"src/stock.rs".to_owned()), "{view}");
    let left_out = view["dropped"].as_array().unwrap().iter().find(|it| it["path"] == "src/stock.rs");
    assert_eq!(left_out.unwrap()["why"], "left out by hand");
    let levels = json!({ "src/stock.rs": "skeleton", "src/pay.rs": "mention" });
    let view = editor.ask("dossier/edit", json!({ "include": ["src/stock.rs"], "levels": levels }));
    let level = |path: &str| {
        let files = view["files"].as_array().unwrap();
        files.iter().find(|file| file["path"] == path).map(|file| file["level"].clone())
    };
    assert_eq!(
        (level("src/stock.rs"), level("src/pay.rs")),
        (Some(json!("skeleton")), Some(json!("mention")))
    );
    let text = editor.ask("dossier/context", json!({}))["text"].as_str().unwrap().to_owned();
    assert!(text.contains("src/stock.rs (skeleton)"), "{text}");

    let view = editor.ask("dossier/edit", json!({ "reset": true, "budget": 120 }));
    assert_eq!((&view["budget"]["limit"], &view["pinned"]), (&json!(120), &json!([])));
    assert!(view["budget"]["used"].as_u64().unwrap() <= 120);
    // It holds for the next task, until it is taken back.
    let view = editor.ask("dossier/explain", json!({ "task": "Who pays for the basket?" }));
    assert_eq!(view["budget"]["limit"], 120);
    let view = editor.ask("dossier/edit", json!({ "budget": null }));
    assert_eq!(view["budget"]["limit"], 8192);
    let tiny = editor.fails("dossier/edit", json!({ "budget": 1 }));
    assert_eq!(tiny["data"]["kind"], "budget", "{tiny}");
}

#[test]
fn any_editor_gets_there_by_code_actions_and_commands() {
    let sandbox = Sandbox::new(CODE);
    let mut able = abilities();
    able["window"]["showDocument"] = json!({ "support": true });
    let mut editor = Editor::open_with(command(&sandbox), &sandbox.path("ws"), json!({}), able);
    let (sender, shown) = std::sync::mpsc::channel();
    editor.answer_by(move |method, params| {
        if method == "window/showDocument" {
            let path = params["uri"].as_str().unwrap().trim_start_matches("file://").to_owned();
            let _ = sender.send(std::fs::read_to_string(path).unwrap());
            return Some(Ok(json!({ "success": true })));
        }
        Some(Ok(Value::Null))
    });
    let document = uri(&sandbox.ws("src/pay.rs"));
    let inside = json!({ "line": 5, "character": 9 });
    let actions = editor.ask(
        "textDocument/codeAction",
        json!({
            "textDocument": { "uri": document },
            "range": { "start": inside, "end": inside },
            "context": { "diagnostics": [] },
        }),
    );
    let titles: Vec<&str> =
        actions.as_array().unwrap().iter().filter_map(|it| it["title"].as_str()).collect();
    assert_eq!(
        titles,
        [
            "Explain the context for `Basket::pay`",
            "Ask about `Basket::pay`",
            "Copy the dossier of `Basket::pay`",
            "Show tests of `Basket::pay`",
        ]
    );
    let explained = editor.ask("workspace/executeCommand", actions[0]["command"].clone());
    assert_eq!(paths(&explained)[0], "src/pay.rs");
    let page = shown.recv_timeout(Duration::from_secs(10)).unwrap();
    assert_eq!(page, explained["explanation"].as_str().unwrap());
    let copied = editor.ask("workspace/executeCommand", actions[2]["command"].clone());
    assert_eq!(shown.recv_timeout(Duration::from_secs(10)).unwrap(), copied["text"].as_str().unwrap());
    let tests = editor.ask("workspace/executeCommand", actions[3]["command"].clone());
    assert_eq!(tests["places"][0]["name"], "tests::an_empty_basket_is_free", "{tests}");
    assert_eq!(
        tests["places"][0]["range"],
        json!({
            "start": { "line": 14, "character": 7 }, "end": { "line": 14, "character": 30 },
        })
    );
    let page = shown.recv_timeout(Duration::from_secs(10)).unwrap();
    assert!(page.contains("src/pay.rs:15: tests::an_empty_basket_is_free"), "{page}");

    let pin = json!({ "command": "dossier.pin", "arguments": [{ "name": "Cargo.toml" }] });
    let pinned = editor.ask("workspace/executeCommand", pin);
    assert_eq!(pinned["pinned"], json!(["Cargo.toml"]));
    let exclude = json!({ "command": "dossier.exclude", "arguments": [{ "name": "src/pay.rs" }] });
    let excluded = editor.ask("workspace/executeCommand", exclude);
    assert!(!paths(&excluded).contains(&"src/pay.rs".to_owned()));
    let status = editor.ask("workspace/executeCommand", json!({ "command": "dossier.status" }));
    assert_eq!((&status["source"]["kind"], &status["folders"][0]["isRust"]), (&json!("own"), &json!(true)));
    let selection = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 2, "character": 0 } });
    let actions = editor.ask(
        "textDocument/codeAction",
        json!({
            "textDocument": { "uri": document }, "range": selection, "context": { "diagnostics": [] },
        }),
    );
    assert_eq!(actions[0]["title"], "Explain the context for the selection");
    let nothing = editor.ask(
        "textDocument/codeAction",
        json!({
            "textDocument": { "uri": document }, "range": selection,
            "context": { "diagnostics": [], "only": ["quickfix"] },
        }),
    );
    assert_eq!(nothing, json!([]));
}

#[test]
fn lenses_tell_callers_and_tests_where_they_are_wanted() {
    let sandbox = Sandbox::new(CODE);
    let settings = json!({ "settings": { "codeLens": { "enabled": true } } });
    let mut editor = open(&sandbox, settings);
    let document = json!({ "textDocument": { "uri": uri(&sandbox.ws("src/pay.rs")) } });
    let lenses = editor.ask("textDocument/codeLens", document.clone());
    assert_eq!(lenses.as_array().unwrap().len(), 1, "{lenses}");
    assert_eq!(lenses[0]["range"]["start"]["line"], 4);
    let lens = editor.ask("codeLens/resolve", lenses[0].clone());
    let title = lens["command"]["title"].as_str().unwrap();
    assert!(title.ends_with("1 test") && title.contains("caller"), "{title}");
    drop(editor);
    let mut editor = open(&sandbox, json!({}));
    assert_eq!(editor.ask("textDocument/codeLens", document), json!([]));
}

#[test]
fn settings_are_pulled_and_watched() {
    let sandbox = Sandbox::new(CODE);
    let mut able = abilities();
    able["workspace"] =
        json!({ "configuration": true, "didChangeConfiguration": { "dynamicRegistration": true } });
    let budget = std::sync::Arc::new(std::sync::atomic::AtomicU64::new(700));
    let mut editor = Editor::start(command(&sandbox));
    let answers = std::sync::Arc::clone(&budget);
    let (sender, registered) = std::sync::mpsc::channel();
    editor.answer_by(move |method, params| {
        Some(Ok(match method {
            "workspace/configuration" => {
                let budget = answers.load(std::sync::atomic::Ordering::Relaxed);
                assert_eq!(params["items"][0]["section"], "dossier");
                json!([{ "context": { "budget": budget, "tests": "sometimes" } }])
            }
            "client/registerCapability" => {
                let _ = sender.send(params.clone());
                Value::Null
            }
            _ => Value::Null,
        }))
    });
    editor.initialize(&sandbox.path("ws"), json!({}), able);
    let registration = registered.recv_timeout(Duration::from_secs(20)).unwrap();
    assert_eq!(registration["registrations"][0]["method"], "workspace/didChangeConfiguration");
    editor.hears("dossier/changed", |told| told["files"].is_number());
    let view = editor.ask("dossier/explain", json!({ "task": TASK }));
    assert_eq!(view["budget"]["limit"], 700);
    let notes = view["notes"].to_string();
    assert!(notes.contains("dossier.context.tests: "), "{notes}");
    budget.store(900, std::sync::atomic::Ordering::Relaxed);
    editor.tell("workspace/didChangeConfiguration", json!({ "settings": null }));
    assert_eq!(
        editor.ask("dossier/explain", json!({}))["budget"]["limit"],
        900,
        "what comes after goes by them"
    );
}

#[test]
fn several_folders_are_told_apart() {
    let (one, other) = (Sandbox::new(CODE), Sandbox::new(CODE));
    other.write("src/stock.rs", "pub fn warehouse_count() -> u32 { 9 }\n");
    let mut editor = open(&one, json!({}));
    let folder = uri(&other.path("ws"));
    let event = json!({ "added": [{ "uri": folder, "name": "other" }], "removed": [] });
    editor.tell("workspace/didChangeWorkspaceFolders", json!({ "event": event }));
    let task = json!({ "task": "Where is `warehouse_count`?", "folder": folder });
    let view = editor.ask("dossier/explain", task);
    assert_eq!(view["files"][0]["uri"], uri(&other.ws("src/stock.rs")));
    let at = json!({ "start": { "line": 0, "character": 8 }, "end": { "line": 0, "character": 8 } });
    let subject = json!({ "textDocument": { "uri": uri(&other.ws("src/stock.rs")) }, "range": at });
    assert_eq!(editor.ask("dossier/explain", subject)["folder"], folder);
    let view = editor.ask("dossier/explain", json!({ "task": TASK }));
    assert_eq!(view["folder"], uri(&one.path("ws")), "the first");
    let event = json!({ "added": [], "removed": [{ "uri": folder, "name": "other" }] });
    editor.tell("workspace/didChangeWorkspaceFolders", json!({ "event": event }));
    let gone = editor.fails("dossier/explain", json!({ "task": TASK, "folder": folder }));
    assert_eq!(gone["data"]["kind"], "no_workspace");
    let status = editor.ask("dossier/status", json!({}));
    assert_eq!(status["folders"].as_array().unwrap().len(), 1);
}

#[test]
fn positions_are_counted_as_the_editor_offers() {
    let sandbox = Sandbox::new(CODE);
    sandbox.write("src/wide.rs", "pub fn a() { /* 🦀🦀 */ crab_count() }\npub fn crab_count() {}\n");
    sandbox.write("src/lib.rs", "pub mod wide;\n");
    for (encoding, offered) in [
        ("utf-8", json!(["utf-16", "utf-8"])),
        ("utf-32", json!(["utf-32", "utf-16"])),
        ("utf-16", Value::Null),
    ] {
        let mut able = abilities();
        able["general"]["positionEncodings"] = offered;
        let mut editor = Editor::start(command(&sandbox));
        let answer = editor.initialize(&sandbox.path("ws"), json!({}), able);
        assert_eq!(answer["capabilities"]["positionEncoding"], encoding);
        let document = editor.open_document(&sandbox.ws("src/wide.rs"), "/* 🦀 */ fn x() {}\n");
        let column = match encoding {
            "utf-8" => 11,
            "utf-16" => 9,
            _ => 8,
        };
        let at = json!({ "line": 0, "character": column });
        let change = json!({ "range": { "start": at, "end": at }, "text": "pub " });
        editor.tell(
            "textDocument/didChange",
            json!({
                "textDocument": { "uri": document, "version": 2 }, "contentChanges": [change],
            }),
        );
        let text = editor.ask("dossier/text", json!({ "textDocument": { "uri": document } }));
        assert_eq!(text["text"], "/* 🦀 */ pub fn x() {}\n", "{encoding}");
    }
}

#[test]
fn a_search_finds_files_and_what_is_in_them() {
    let sandbox = Sandbox::new(CODE);
    let mut editor = open(&sandbox, json!({}));
    let files = editor.ask("dossier/search", json!({ "query": "count the shelf" }));
    assert_eq!(files["hits"][0]["uri"], uri(&sandbox.ws("src/stock.rs")), "{files}");
    let items =
        editor.ask("dossier/search", json!({ "query": "count the shelf", "level": "symbol", "limit": 1 }));
    assert_eq!(items["hits"].as_array().unwrap().len(), 1, "{items}");
    assert_eq!(items["hits"][0]["name"], "shelf_count", "{items}");
    assert_eq!(items["hits"][0]["uri"], uri(&sandbox.ws("src/stock.rs")));
    assert_eq!(items["hits"][0]["lines"], json!([2, 3]), "{items}");
    let failed = editor.fails("dossier/search", json!({ "query": "count the shelf", "mode": "semantic" }));
    assert!(failed["message"].to_string().contains("dossier embedder use"), "{failed}");
    editor.fails("dossier/search", json!({ "query": "count the shelf", "mode": "magic" }));
}
