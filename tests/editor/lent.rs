//! The editor's own language server: a real rust-analyzer that this test runs, as an editor does, and lends.

use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::editor::{CODE, Editor, LONG, abilities, command, uri};
use super::support::Sandbox;

/// Only a server of types knows who is called here.
const MACRO: &str = "
macro_rules! calls { ($name:ident, $what:ident) => { pub fn $name() -> u32 { $what() } } }
calls!(through_a_macro, shelf_count);
";

fn rust_analyzer() -> Command {
    let which = || Command::new("rustup").args(["which", "rust-analyzer"]).output().unwrap();
    if !which().status.success() {
        let added = Command::new("rustup").args(["component", "add", "rust-analyzer", "rust-src"]).status();
        assert!(added.unwrap().success());
    }
    Command::new(String::from_utf8(which().stdout).unwrap().trim())
}

/// One that the editor runs: asked as `dossier/forward` wants it.
struct Lent(Arc<Mutex<Editor>>);

impl Lent {
    fn start(folder: &Path) -> Lent {
        let mut server = Editor::start(rust_analyzer());
        server.answer_by(|method, params| {
            let items = params["items"].as_array().map_or(0, Vec::len);
            Some(Ok(match method {
                "workspace/configuration" => json!(vec![Value::Null; items]),
                _ => Value::Null,
            }))
        });
        let mut able = abilities();
        able["workspace"] = json!({ "symbol": {} });
        able["textDocument"] =
            json!({ "callHierarchy": {}, "documentSymbol": { "hierarchicalDocumentSymbolSupport": true } });
        let options = json!({
            "cargo": { "buildScripts": { "enable": false } }, "procMacro": { "enable": false }, "checkOnSave": false,
        });
        server.initialize(folder, options, able);
        Lent(Arc::new(Mutex::new(server)))
    }

    fn forward(&self, params: &Value) -> Result<Value, Value> {
        assert_eq!(params["server"], "rust-analyzer");
        let method = params["method"].as_str().unwrap();
        let waiting = self.0.lock().unwrap().begin(method, params["params"].clone());
        let mut answer = waiting.wait();
        match answer.get_mut("error") {
            Some(error) => Err(error.take()),
            None => Ok(answer["result"].take()),
        }
    }
}

fn lending(folder: &Path) -> Value {
    json!({ "server": "rust-analyzer", "positionEncoding": "utf-16", "folders": [uri(folder)] })
}

fn with_servers(sandbox: &Sandbox) -> Command {
    let mut command = command(sandbox);
    command.env_remove("DOSSIER_LSP");
    let home = || std::path::PathBuf::from(std::env::var_os("HOME").unwrap_or_default()).join(".rustup");
    command.env("RUSTUP_HOME", std::env::var_os("RUSTUP_HOME").unwrap_or_else(|| home().into()));
    command.env("CARGO_HOME", sandbox.path("cargo"));
    command
}

#[test]
fn the_editors_own_server_is_asked_sees_unsaved_text_and_is_replaced_when_it_goes() {
    let sandbox = Sandbox::new(CODE);
    let lib = std::fs::read_to_string(sandbox.ws("src/stock.rs")).unwrap() + MACRO;
    std::fs::write(sandbox.ws("src/stock.rs"), &lib).unwrap();
    // Over a link: the server knows the folder by another path than the session.
    let link = sandbox.path("link");
    std::os::unix::fs::symlink(sandbox.path("ws"), &link).unwrap();
    let lent = Arc::new(Lent::start(&link));
    let (asked, is_gone) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
    let options =
        json!({ "lend": [lending(&link)], "settings": { "languageServer": { "waitSeconds": 30 } } });
    let mut editor = Editor::start(with_servers(&sandbox));
    let (server, counted, gone) = (Arc::clone(&lent), Arc::clone(&asked), Arc::clone(&is_gone));
    editor.answer_by(move |method, params| match method {
        "dossier/forward" if gone.load(Ordering::Relaxed) => {
            Some(Err(json!({ "code": -32803, "message": "no rust-analyzer runs" })))
        }
        "dossier/forward" => {
            counted.fetch_add(1, Ordering::Relaxed);
            Some(server.forward(params))
        }
        _ => Some(Ok(Value::Null)),
    });
    editor.initialize(&link, options, abilities());
    let document = editor.open_document(&link.join("src/stock.rs"), &lib);
    lent.0.lock().unwrap().open_document(&link.join("src/stock.rs"), &lib);

    let view = editor
        .ask("dossier/explain", json!({ "task": "Who calls `shelf_count`?", "partialResultToken": "p" }));
    assert_eq!(view["languageServer"]["state"], "ready", "{view:#}");
    assert_eq!(view["languageServer"]["choice"], "lent");
    assert!(asked.load(Ordering::Relaxed) > 1, "it was proved ready, and asked");
    let early = editor.hears("$/progress", |told| told["token"] == "p");
    assert!(early["value"]["view"]["files"].is_array(), "what is known at once came first");
    let status = editor.ask("dossier/status", json!({}));
    assert_eq!(status["folders"][0]["languageServer"]["choice"], "lent", "{status:#}");
    let names = |editor: &mut Editor| -> Vec<String> {
        let found = editor.ask("dossier/graph", json!({ "question": "callers", "symbol": "shelf_count" }));
        found["places"].as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap().to_owned()).collect()
    };
    assert!(names(&mut editor).contains(&"refill".to_owned()));

    // What is not saved is seen by both.
    let more = format!("{lib}pub fn not_saved(shelf: u32) -> u32 {{ shelf + shelf_count() }}\n");
    for server in [&editor, &*lent.0.lock().unwrap()] {
        server.tell(
            "textDocument/didChange",
            json!({
                "textDocument": { "uri": document, "version": 2 }, "contentChanges": [{ "text": more }],
            }),
        );
    }
    let before = asked.load(Ordering::Relaxed);
    assert!(names(&mut editor).contains(&"not_saved".to_owned()));
    assert!(asked.load(Ordering::Relaxed) > before, "by the word of the server");

    // It crashes; the next one comes, or none: no error either way.
    lent.0.lock().unwrap().kill();
    is_gone.store(true, Ordering::Relaxed);
    assert!(editor.ask("dossier/explain", json!({ "task": "Who calls `shelf_count`?" }))["files"].is_array());
    editor.tell("dossier/lend", json!({ "server": "rust-analyzer", "folders": [] }));
    editor.tell("textDocument/didClose", json!({ "textDocument": { "uri": document } }));
    let end = Instant::now() + LONG;
    loop {
        let view = editor.ask("dossier/explain", json!({ "task": "Who calls `shelf_count`?" }));
        if view["languageServer"]["state"] == "ready" {
            assert_eq!(view["languageServer"]["choice"], "own", "{view:#}");
            break;
        }
        assert!(Instant::now() < end, "{view:#}");
    }
    assert!(editor.ends().success());
}

#[test]
fn questions_that_the_editor_leaves_open_hold_up_neither_texts_nor_answers() {
    let sandbox = Sandbox::new(CODE);
    let folder = sandbox.path("ws");
    let open = Arc::new(AtomicUsize::new(0));
    let mut editor = Editor::start(with_servers(&sandbox));
    let held = Arc::clone(&open);
    editor.answer_by(move |method, params| match (method, params["method"].as_str()) {
        // It proves itself ready, and then leaves all open.
        ("dossier/forward", Some("workspace/symbol")) => {
            let name =
                params["params"]["query"].as_str().unwrap_or_default().trim_matches(['#', '*']).to_owned();
            let uri = uri(&folder.join("src/lib.rs"));
            let at = json!({ "line": 1, "character": 8 });
            let location = json!({ "uri": uri, "range": { "start": at, "end": at } });
            Some(Ok(json!([{ "name": name, "kind": 2, "location": location }])))
        }
        ("dossier/forward", _) => {
            held.fetch_add(1, Ordering::Relaxed);
            None
        }
        _ => Some(Ok(Value::Null)),
    });
    let options = json!({ "lend": [lending(&sandbox.path("ws"))], "settings": { "languageServer": { "waitSeconds": 20 } } });
    editor.initialize(&sandbox.path("ws"), options, abilities());
    editor.ask("dossier/status", json!({}));
    let document = editor.open_document(&sandbox.ws("src/stock.rs"), "pub fn shelf_count() -> u32 { 3 }\n");
    let waiting: Vec<_> = (0..8)
        .map(|_| editor.begin("dossier/explain", json!({ "task": "Who calls `shelf_count`?" })))
        .collect();
    let end = Instant::now() + LONG;
    while open.load(Ordering::Relaxed) < 8 {
        assert!(Instant::now() < end, "{} questions are open", open.load(Ordering::Relaxed));
        std::thread::park_timeout(Duration::from_millis(10));
    }
    for version in 0..1_000 {
        let at = json!({ "line": 0, "character": 0 });
        let change = json!({ "range": { "start": at, "end": at }, "text": "/" });
        editor.tell(
            "textDocument/didChange",
            json!({
                "textDocument": { "uri": document, "version": version }, "contentChanges": [change],
            }),
        );
    }
    let text = editor.ask("dossier/text", json!({ "textDocument": { "uri": document } }));
    assert!(text["text"].as_str().unwrap().starts_with(&"/".repeat(1_000)), "the edits are in");
    for request in waiting {
        let answer = request.wait();
        assert!(answer["result"]["files"].is_array(), "the text's own graph answers: {answer}");
    }
    assert!(editor.ends().success());
}

#[test]
fn a_wait_for_a_server_is_taken_back_within_a_tenth_of_a_second() {
    let sandbox = Sandbox::new(CODE);
    let mut editor = Editor::start(with_servers(&sandbox));
    // One that never finds anything never proves itself.
    editor.answer_by(|method, _| Some(Ok(if method == "dossier/forward" { json!([]) } else { Value::Null })));
    let options = json!({ "lend": [lending(&sandbox.path("ws"))], "settings": { "languageServer": { "waitSeconds": 60 } } });
    editor.initialize(&sandbox.path("ws"), options, abilities());
    let request =
        editor.begin("dossier/explain", json!({ "task": "count the shelf", "partialResultToken": "p" }));
    editor.hears("$/progress", |told| told["token"] == "p");
    std::thread::park_timeout(Duration::from_millis(300));
    let since = Instant::now();
    editor.tell("$/cancelRequest", json!({ "id": request.id }));
    assert_eq!(request.wait()["error"]["code"], -32800);
    println!("a wait taken back: {:?}", since.elapsed());
    assert!(since.elapsed() < Duration::from_millis(400), "{:?}", since.elapsed());
}

#[test]
fn nothing_is_started_or_asked_where_the_editor_does_not_trust_the_folder() {
    let sandbox = Sandbox::new(CODE);
    let asked = Arc::new(AtomicUsize::new(0));
    let mut editor = Editor::start(with_servers(&sandbox));
    let counted = Arc::clone(&asked);
    editor.answer_by(move |method, _| {
        counted.fetch_add(usize::from(method == "dossier/forward"), Ordering::Relaxed);
        Some(Ok(Value::Null))
    });
    let options = json!({
        "lend": [lending(&sandbox.path("ws"))],
        "trusted": false,
        "settings": { "languageServer": { "waitSeconds": 5 } },
    });
    editor.initialize(&sandbox.path("ws"), options, abilities());
    let view = editor.ask("dossier/explain", json!({ "task": "count the shelf" }));
    assert_eq!(
        (&view["languageServer"]["state"], &view["languageServer"]["choice"]),
        (&json!("absent"), &json!("none"))
    );
    assert_eq!(asked.load(Ordering::Relaxed), 0);
    editor.tell("dossier/trust", json!({ "trusted": true }));
    editor.ask("dossier/explain", json!({ "task": "count the shelf" }));
    assert!(asked.load(Ordering::Relaxed) > 0, "now it is asked");
}
