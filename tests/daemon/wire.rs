//! The requests of `docs/protocol.md`, spoken by hand, and clients that speak badly.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::daemon::Daemon;

#[test]
fn a_request_needs_no_more_than_the_task_and_the_workspace() {
    let daemon = Daemon::started();
    let mut wire = daemon.wire();
    let hello = wire.ask("dossier/hello", json!({ "protocol": 1 }));
    assert_eq!(hello["result"]["version"], env!("CARGO_PKG_VERSION"));
    let task = daemon.task("pay the Basket");
    let context = wire.ask("dossier/context", task.clone());
    assert!(context["result"]["text"].as_str().unwrap().contains("pub fn pay"), "{context}");
    assert_eq!(context["result"]["files"][0]["path"], "src/pay.rs");
    assert_eq!(context["result"]["language_server"]["state"], "absent");
    let explained = wire.ask("dossier/explain", task.clone());
    assert!(explained["result"]["explanation"].as_str().unwrap().contains("src/pay.rs"), "{explained}");
    let offered = wire.ask("dossier/candidates", task.clone());
    assert_eq!(offered["result"]["candidates"][0]["path"], "src/pay.rs", "{offered}");
    let found = wire.ask("dossier/search", task);
    assert_eq!(found["result"]["hits"][0]["path"], "src/pay.rs", "{found}");
    assert!(!found["result"]["hits"][0]["reasons"].as_array().unwrap().is_empty());
    let mut items = daemon.task("what all of it costs");
    items["level"] = json!("symbol");
    let found = wire.ask("dossier/search", items.clone());
    assert_eq!(found["result"]["hits"][0]["name"], "Basket::pay", "{found}");
    assert_eq!(found["result"]["hits"][0]["lines"], json!([3, 4]));
    items["mode"] = json!("semantic");
    let refused = wire.ask("dossier/search", items);
    assert_eq!(refused["error"]["code"], -32803, "{refused}");
    assert!(refused["error"]["message"].to_string().contains("dossier embedder use"), "{refused}");
    let graph = json!({ "workspace": daemon.sandbox.path("ws"), "question": "methods", "symbol": "Basket" });
    let graph = wire.ask("dossier/graph", graph);
    assert_eq!(graph["result"]["report"]["answers"][0]["name"], "Basket::pay", "{graph}");
}

#[test]
fn what_is_no_request_is_told_and_the_next_one_is_answered() {
    let daemon = Daemon::started();
    let mut wire = daemon.wire();
    for (method, params, said) in [
        ("dossier/nothing", json!({}), "no request is called `dossier/nothing`"),
        ("dossier/context", json!({}), "missing field"),
        ("dossier/context", json!({ "workspace": "ws", "query": "x" }), "absolute path"),
        ("dossier/context", json!({ "workspace": "/", "query": 7 }), "invalid type"),
        ("dossier/context", json!({ "workspace": "/no/such", "query": "x" }), "cannot open the workspace"),
        ("dossier/hello", json!({ "protocol": 99 }), "version 1 of the protocol"),
        ("dossier/overlay", json!({ "path": 1 }), "invalid type"),
        ("dossier/graph", json!({ "workspace": "/", "question": "why", "symbol": "x" }), "unknown variant"),
    ] {
        let answer = wire.ask(method, params);
        let message = answer["error"]["message"].as_str().unwrap_or_default();
        assert!(message.contains(said), "{method}: {answer}");
    }
    assert!(wire.ask("dossier/context", daemon.task("pay"))["result"].is_object());
}

#[test]
fn unsaved_texts_count_for_their_client_alone() {
    let daemon = Daemon::started();
    let (mut own, mut other) = (daemon.wire(), daemon.wire());
    let text = |text: Option<&str>| json!({ "workspace": daemon.sandbox.path("ws"), "path": "src/stock.rs", "text": text });
    own.notify("dossier/overlay", text(Some("pub fn shelf_count() -> u32 { 4242 }\npub fn attic() {}\n")));
    let shown = |wire: &mut crate::daemon::Wire, query: &str| {
        wire.ask("dossier/context", daemon.task(query))["result"]["text"].as_str().unwrap().to_owned()
    };
    assert!(shown(&mut own, "shelf_count").contains("4242"));
    assert!(shown(&mut own, "attic").contains("pub fn attic"));
    assert!(shown(&mut other, "shelf_count").contains("{ 3 }"));
    // A request goes by the texts that were there when it came.
    let first = own.request("dossier/context", daemon.task("shelf_count"));
    own.notify("dossier/overlay", text(Some("pub fn shelf_count() -> u32 { 5151 }\n")));
    let second = own.request("dossier/context", daemon.task("shelf_count"));
    for _ in 0..2 {
        let answer = own.read().unwrap();
        let wanted = if answer["id"] == first { "4242" } else { "5151" };
        assert!(answer["id"] == first || answer["id"] == second);
        assert!(answer["result"]["text"].as_str().unwrap().contains(wanted), "{answer}");
    }
    assert!(own.ask("dossier/overlay", text(None))["result"].is_object());
    assert!(shown(&mut own, "shelf_count").contains("{ 3 }"));
}

#[test]
fn what_is_taken_back_is_answered_at_once() {
    let daemon = Daemon::started();
    let mut wire = daemon.wire();
    wire.ask("dossier/context", daemon.task("pay"));
    let mut task = daemon.task("pay the Basket");
    // A server that is never ready: it says nothing.
    task["lsp"] = json!({ "ask": true, "wait_ms": 60_000, "command": ["/bin/sleep", "120"] });
    let since = Instant::now();
    let id = wire.request("dossier/context", task);
    std::thread::park_timeout(Duration::from_millis(300));
    wire.notify("$/cancelRequest", json!({ "id": id }));
    let answer = wire.read().unwrap();
    assert_eq!(
        (answer["id"].as_i64(), answer["error"]["code"].as_i64()),
        (Some(id), Some(-32800)),
        "{answer}"
    );
    assert!(since.elapsed() < Duration::from_secs(20));
}

#[test]
fn clients_that_speak_badly_lose_their_connection_and_nobody_elses() {
    let daemon = Daemon::started();
    let bad: [&[u8]; 5] = [
        b"GET / HTTP/1.1\r\n\r\n",
        b"Content-Length: 1073741824\r\n\r\n{",
        b"Content-Length: 5\r\n\r\nhello",
        b"\0\0\0\0\0\0\n\n\n\n",
        b"Content-Length: 17\r\n\r\n{\"no\": \"message\"}",
    ];
    for bytes in bad {
        let mut wire = daemon.wire();
        wire.raw(bytes).unwrap();
        assert_eq!(wire.read(), None, "{}", String::from_utf8_lossy(bytes));
    }
    // Half a message, and silence.
    let mut half = daemon.wire();
    half.raw(b"Content-Length: 100\r\n\r\n{\"jsonrpc\"").unwrap();
    // One that asks and never reads.
    let mut deaf = daemon.wire();
    let mut task = daemon.task("pay the Basket");
    task["query"] = "x".repeat(100_000).into();
    for _ in 0..40 {
        deaf.request("dossier/context", task.clone());
    }
    let mut wire = daemon.wire();
    for _ in 0..10 {
        assert!(wire.ask("dossier/context", daemon.task("pay the Basket"))["result"].is_object());
    }
    drop((half, deaf));
    daemon.run(&["context", "pay the Basket"]).shows("pub fn pay");
}
