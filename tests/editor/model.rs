//! Asking a model: its answer as it comes, taken back, broken off, looked at before it is sent.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::editor::{CODE, Editor, LONG, open};
use super::support::Sandbox;
use super::support::http::Reply;
use super::support::ollama::{Ollama, answer, error_line, piece, streamed};

/// How a model server answers.
type Chat = fn(&Value) -> Reply;

const TASK: &str = "Why does `shelf_count` say three?";

fn editor(sandbox: &Sandbox, host: &str) -> Editor {
    open(sandbox, json!({ "settings": { "model": { "ollamaHost": host, "planner": "heuristic" } } }))
}

fn streamed_text(editor: &Editor) -> String {
    let told = editor.told("$/progress");
    told.iter().filter(|it| it["token"] == "p").filter_map(|it| it["value"]["text"].as_str()).collect()
}

#[test]
fn an_answer_comes_as_it_is_written() {
    let sandbox = Sandbox::new(CODE);
    let ollama = Ollama::saying("It counts the shelf: `src/stock.rs:3` says **three** 🦀.");
    let mut editor = editor(&sandbox, &ollama.host());
    let said = editor
        .ask("dossier/prompt", json!({ "task": TASK, "partialResultToken": "p", "workDoneToken": "w" }));
    assert_eq!(said["answer"], "It counts the shelf: `src/stock.rs:3` says **three** 🦀.");
    assert_eq!(streamed_text(&editor), said["answer"].as_str().unwrap());
    assert_eq!(said["isComplete"], true);
    assert_eq!(said["files"][0]["path"], "src/stock.rs");
    let sent = ollama.chats()[0]["messages"][1]["content"].as_str().unwrap().to_owned();
    assert!(sent.contains("pub fn shelf_count"), "{sent}");
    assert!(editor.ends().success());
}

#[test]
fn what_would_be_sent_is_what_is_sent() {
    let sandbox = Sandbox::new(CODE);
    sandbox.write(
        "src/stock.rs",
        "pub fn shelf_count() -> u32 {\n    let key = \"ghp_0123456789abcdefghijABCDEFGHIJ012345\";\n    3\n}\n",
    );
    let ollama = Ollama::saying("Yes.");
    let mut editor = editor(&sandbox, &ollama.host());
    let ask = json!({ "task": TASK, "preview": true });
    let preview = editor.ask("dossier/prompt", ask);
    assert!(ollama.chats().is_empty(), "nothing is sent");
    let view = editor.ask("dossier/explain", json!({ "task": TASK }));
    let files = |of: &Value| -> Vec<(Value, Value)> {
        let files = of["files"].as_array().unwrap().iter();
        files.map(|file| (file["path"].clone(), file["tokens"].clone())).collect()
    };
    assert_eq!(files(&preview), files(&view), "what is shown is what is sent");
    assert_eq!((&preview["isRemote"], &preview["isAllowed"]), (&json!(false), &json!(true)));
    assert!(
        preview["tokens"].as_u64().unwrap() > 100 && preview["masked"].as_u64().unwrap() > 0,
        "{preview}"
    );
    // What has become of the code meanwhile changes nothing.
    sandbox.write("src/stock.rs", "pub fn shelf_count() -> u32 { 4 }\n");
    editor.ask("dossier/prompt", json!({ "task": TASK, "previewed": preview["id"] }));
    let chat = &ollama.chats()[0];
    assert_eq!(chat["messages"][0]["content"], preview["system"]);
    assert_eq!(chat["messages"][1]["content"], preview["messages"][0]);
    assert!(!chat.to_string().contains("ghp_0123456789abcdefghij"));
    let unknown = editor.fails("dossier/prompt", json!({ "task": TASK, "previewed": "x" }));
    assert!(unknown["message"].as_str().unwrap().contains("look at it again"), "{unknown}");
}

#[test]
fn a_model_elsewhere_needs_a_setting() {
    let sandbox = Sandbox::new(CODE);
    let settings = json!({ "settings": { "model": { "ollamaHost": "192.0.2.1:11434" } } });
    let mut editor = open(&sandbox, settings);
    let status = editor.ask("dossier/status", json!({}));
    assert_eq!((&status["model"]["isRemote"], &status["model"]["isAllowed"]), (&json!(true), &json!(false)));
    let request = editor.begin("dossier/prompt", json!({ "task": TASK }));
    let refused = request.wait();
    let error = &refused["error"];
    assert_eq!(error["data"]["kind"], "remote_not_allowed", "{refused}");
    assert!(error["message"].as_str().unwrap().contains("dossier.model.allowRemote"));
    // Neither is a key needed to see what would be sent.
    let settings = json!({ "settings": { "model": { "provider": "openai", "name": "gpt-x" } } });
    let mut editor = open(&sandbox, settings);
    let preview = editor.ask("dossier/prompt", json!({ "task": TASK, "preview": true }));
    assert_eq!((&preview["isRemote"], &preview["isAllowed"]), (&json!(true), &json!(false)), "{preview}");
    assert_eq!(editor.fails("dossier/prompt", json!({ "task": TASK }))["data"]["kind"], "remote_not_allowed");
}

#[test]
fn an_answer_is_taken_back_within_a_tenth_of_a_second() {
    let sandbox = Sandbox::new(CODE);
    let ollama = Ollama::with(|_| streamed([piece("It begins")]).wait(Duration::from_millis(20)).hold());
    let mut editor = editor(&sandbox, &ollama.host());
    let request = editor.begin("dossier/prompt", json!({ "task": TASK, "partialResultToken": "p" }));
    editor.hears("$/progress", |told| told["token"] == "p" && told["value"]["text"].is_string());
    let since = Instant::now();
    editor.tell("$/cancelRequest", json!({ "id": request.id }));
    let answer = request.wait();
    assert_eq!(answer["error"]["code"], -32800, "{answer}");
    println!("an answer taken back: {:?}", since.elapsed());
    assert!(since.elapsed() < Duration::from_millis(400), "{:?}", since.elapsed());
    assert!(ollama.server().wait_until_left(1, LONG), "the model's server is let go");
    assert_eq!(editor.ask("dossier/explain", json!({}))["task"], TASK);
    // By the progress that the editor shows, too.
    let command = json!({ "command": "dossier.prompt", "arguments": [{ "task": TASK }], "workDoneToken": 7 });
    let request = editor.begin("workspace/executeCommand", command);
    editor.hears("$/progress", |told| told["token"] == 7 && told["value"]["kind"] == "begin");
    editor.tell("window/workDoneProgress/cancel", json!({ "token": 7 }));
    assert_eq!(request.wait()["error"]["code"], -32800);
}

#[test]
fn a_model_that_fails_is_told_with_what_to_do_and_the_session_goes_on() {
    let sandbox = Sandbox::new(CODE);
    let broken: [(&str, Chat); 3] = [
        ("cut", |_| streamed([piece("Half of it ")]).cut()),
        ("error", |_| streamed([piece("Half of it "), error_line("out of memory")])),
        ("refused", |_| super::support::ollama::error(500, "it is on fire")),
    ];
    for (how, chat) in broken {
        let ollama = Ollama::with(chat);
        let mut editor = editor(&sandbox, &ollama.host());
        let failed = editor.fails("dossier/prompt", json!({ "task": TASK, "partialResultToken": "p" }));
        assert_eq!(failed["data"]["kind"], "model", "{how}: {failed}");
        if how != "refused" {
            assert_eq!(streamed_text(&editor), "Half of it ", "{how}: what had come is not lost");
        }
        assert!(editor.ask("dossier/explain", json!({}))["files"].is_array());
        assert!(editor.ends().success());
    }
    // Nobody is there at all.
    let mut editor = editor(&sandbox, "127.0.0.1:9");
    let failed = editor.fails("dossier/prompt", json!({ "task": TASK }));
    assert_eq!(failed["data"]["kind"], "model", "{failed}");
    assert!(failed["message"].as_str().unwrap().contains("ollama serve"), "{failed}");
}

#[test]
fn a_model_may_ask_for_a_file_and_gets_it() {
    let sandbox = Sandbox::new(CODE);
    let ollama = Ollama::with(|request| {
        let turns = request["messages"].as_array().unwrap().len();
        answer(request, if turns < 4 { "```need\nCargo.toml\n```" } else { "It is the shop's." })
    });
    let mut editor = editor(&sandbox, &ollama.host());
    let said = editor.ask("dossier/prompt", json!({ "task": TASK, "partialResultToken": "p" }));
    assert_eq!(said["answer"], "It is the shop's.");
    editor.hears("$/progress", |told| {
        told["value"]["note"].as_str().is_some_and(|note| note.contains("asks for Cargo.toml"))
    });
}
