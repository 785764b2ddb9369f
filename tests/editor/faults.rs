//! What an editor must not say, and what it may say at the wrong time.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::editor::{CODE, Editor, abilities, command, open};
use super::support::Sandbox;

#[test]
fn requests_at_the_wrong_time_are_refused() {
    let sandbox = Sandbox::new(CODE);
    let mut editor = Editor::start(command(&sandbox));
    assert_eq!(editor.fails("dossier/status", json!({}))["code"], -32002);
    assert_eq!(editor.fails("shutdown", json!({}))["code"], -32002);
    editor.tell("textDocument/didOpen", json!({ "textDocument": { "uri": "file:///x", "text": "" } }));
    editor.initialize(&sandbox.path("ws"), json!({}), abilities());
    assert_eq!(editor.fails("initialize", json!({}))["code"], -32600);
    assert_eq!(editor.ask("shutdown", Value::Null), Value::Null);
    assert_eq!(editor.fails("dossier/explain", json!({ "task": "x" }))["code"], -32600);
    editor.tell("exit", Value::Null);
    assert!(editor.exit().success());
}

#[test]
fn an_editor_that_goes_without_a_word_ends_the_server() {
    let sandbox = Sandbox::new(CODE);
    let mut editor = open(&sandbox, json!({}));
    let _under_way = editor.begin("dossier/explain", json!({ "task": "count the shelf" }));
    editor.close_input();
    assert_eq!(editor.exit().code(), Some(1));
    let editor = open(&sandbox, json!({}));
    editor.tell("exit", Value::Null);
    assert_eq!(editor.exit().code(), Some(1), "without a shutdown");
}

#[test]
fn what_is_no_message_ends_it_and_what_is_strange_does_not() {
    let sandbox = Sandbox::new(CODE);
    for garbage in ["hello\r\n\r\n", "Content-Length: 3\r\n\r\n{{{", "Content-Length: 99999999999\r\n\r\n"] {
        let editor = open(&sandbox, json!({}));
        editor.send_raw(garbage.as_bytes());
        assert_eq!(editor.exit().code(), Some(1), "{garbage:?}");
    }
    let mut editor = open(&sandbox, json!({ "lend": "nonsense", "settings": 7 }));
    for (method, params) in [
        ("dossier/none", json!({})),
        ("dossier/explain", json!(7)),
        ("dossier/explain", json!({ "task": 7 })),
        ("dossier/explain", json!({ "task": "  " })),
        ("dossier/explain", json!({ "task": "x", "folder": "file:///none" })),
        ("dossier/graph", json!({ "question": "who", "symbol": "x" })),
        ("dossier/graph", json!({ "question": "callers" })),
        ("dossier/edit", json!({ "levels": { "src/lib.rs": "deep" } })),
        ("workspace/executeCommand", json!({ "command": "rm", "arguments": [null] })),
        ("workspace/executeCommand", json!({ "command": "dossier.pin", "arguments": [] })),
        ("dossier/context", json!({ "task": "x", "format": "pdf" })),
    ] {
        let error = editor.fails(method, params.clone());
        assert!(!error["message"].as_str().unwrap().is_empty(), "{method} {params}");
    }
    let document = json!({ "uri": super::editor::uri(&sandbox.ws("src/lib.rs")) });
    for params in [
        json!({}),
        json!({ "textDocument": document }),
        json!({ "textDocument": document, "contentChanges": [{ "range": 7, "text": "x" }] }),
        json!({ "textDocument": document, "contentChanges": [{
            "range": { "start": { "line": 4_000_000_000u32, "character": 0 }, "end": { "line": 0, "character": 4_000_000_000u32 } },
            "text": "x",
        }] }),
    ] {
        editor.tell("textDocument/didChange", params);
    }
    editor.open_document(&sandbox.ws("src/lib.rs"), "pub mod pay;\n");
    editor.tell("textDocument/didChange", json!({ "textDocument": document, "contentChanges": [{
        "range": { "start": { "line": 4_000_000_000u32, "character": 9 }, "end": { "line": 4_000_000_001u32, "character": 0 } },
        "text": "// the end",
    }] }));
    let text = editor.ask("dossier/text", json!({ "textDocument": document }));
    assert_eq!(text["text"], "pub mod pay;\n// the end");
    let beyond = json!({ "line": 4_000_000_000u32, "character": 4_000_000_000u32 });
    let actions = editor.ask("textDocument/codeAction", json!({
        "textDocument": document, "range": { "start": beyond, "end": beyond }, "context": { "diagnostics": [] },
    }));
    assert_eq!(actions, json!([]));
    assert!(editor.ends().success());
}

#[test]
fn a_folder_without_rust_and_no_folder_at_all_are_told() {
    let sandbox = Sandbox::new("//- /notes.md\n# Shelves\nHow to count a shelf.\n");
    let mut editor = open(&sandbox, json!({}));
    let status = editor.ask("dossier/status", json!({}));
    assert_eq!(status["folders"][0]["isRust"], false);
    assert!(status["folders"][0]["notes"].to_string().contains("no Cargo.toml"), "{status}");
    let view = editor.ask("dossier/explain", json!({ "task": "count the shelves" }));
    assert!(view["notes"].to_string().contains("no Cargo.toml"), "{view}");
    drop(editor);
    let mut editor = Editor::start(command(&sandbox));
    editor.ask("initialize", json!({ "capabilities": {}, "processId": null, "rootUri": null }));
    let error = editor.fails("dossier/explain", json!({ "task": "x" }));
    assert_eq!(error["data"]["kind"], "no_workspace");
    assert_eq!(editor.ask("dossier/status", json!({}))["folders"], json!([]));
}

#[test]
fn a_thousand_requests_at_once_are_all_answered_and_half_of_them_taken_back() {
    let sandbox = Sandbox::new(CODE);
    let mut editor = open(&sandbox, json!({}));
    editor.ask("dossier/explain", json!({ "task": "count the shelf" }));
    let requests: Vec<_> = (0..1_000)
        .map(|number| {
            let request = editor.begin("dossier/search", json!({ "query": format!("shelf {number}") }));
            if number % 2 == 1 {
                editor.tell("$/cancelRequest", json!({ "id": request.id }));
            }
            request
        })
        .collect();
    let since = Instant::now();
    for (number, request) in requests.into_iter().enumerate() {
        let answer = request.wait();
        let is_taken_back = answer["error"]["code"] == -32800;
        assert!(
            is_taken_back && number % 2 == 1 || answer["result"]["hits"].is_array(),
            "{number}: {answer}"
        );
    }
    println!("1,000 requests, half of them taken back: {:?}", since.elapsed());
    assert!(since.elapsed() < Duration::from_secs(60));
}
