//! Unsaved texts: the server's are the editor's at every answer.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::editor::{CODE, Editor, command, open, uri};
use super::support::Sandbox;

/// As an editor that counts in UTF-16.
struct Mirror {
    text: Vec<u16>,
    version: i64,
    state: u64,
}

impl Mirror {
    fn random(&mut self, below: usize) -> usize {
        // Knuth's MMIX generator: the same edits in every run.
        self.state =
            self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.state >> 33) as usize) % below.max(1)
    }

    /// An offset between two characters, as a line and a column.
    fn offset(&mut self) -> usize {
        let at = self.random(self.text.len() + 1);
        let is_inside = self.text.get(at).is_some_and(|unit| (0xDC00..0xE000).contains(unit));
        let splits_end = at > 0 && self.text.get(at - 1) == Some(&13) && self.text.get(at) == Some(&10);
        if is_inside || splits_end { at - 1 } else { at }
    }

    fn position(&self, offset: usize) -> Value {
        let (mut line, mut start) = (0, 0);
        for at in 0..offset {
            let is_end = self.text[at] == 10 || (self.text[at] == 13 && self.text.get(at + 1) != Some(&10));
            if is_end {
                (line, start) = (line + 1, at + 1);
            }
        }
        json!({ "line": line, "character": offset - start })
    }

    fn edit(&mut self) -> Value {
        const PIECES: [&str; 9] = ["x", "\n", "\r\n", "ä", "𝄞", "fn f() {}\n", "\r", "", "/* 🦀 */"];
        let (a, b) = (self.offset(), self.offset());
        let (from, to) = (a.min(b), a.max(b));
        // Short deletions keep the text alive.
        let mut to = to.min(from + 6);
        while self.text.get(to).is_some_and(|unit| (0xDC00..0xE000).contains(unit)) {
            to += 1;
        }
        if to > 0 && self.text.get(to - 1) == Some(&13) && self.text.get(to) == Some(&10) {
            to += 1;
        }
        let new = PIECES[self.random(PIECES.len())];
        let range = json!({ "start": self.position(from), "end": self.position(to) });
        self.text.splice(from..to, new.encode_utf16());
        self.version += 1;
        json!({ "range": range, "text": new })
    }

    fn text(&self) -> String {
        String::from_utf16(&self.text).unwrap()
    }
}

#[test]
fn ten_thousand_edits_and_requests_leave_the_same_text_on_both_sides() {
    let sandbox = Sandbox::new(CODE);
    let mut editor = open(&sandbox, json!({}));
    let path = sandbox.ws("src/stock.rs");
    let start = "//! What is there.\n/// 🦀 Counts.\r\npub fn shelf_count() -> u32 { 3 }\n";
    let document = editor.open_document(&path, start);
    let mut mirror = Mirror { text: start.encode_utf16().collect(), version: 1, state: 7 };
    let mut open = Vec::new();
    for round in 0..10_000 {
        let changes: Vec<Value> = (0..=mirror.random(2)).map(|_| mirror.edit()).collect();
        editor.tell(
            "textDocument/didChange",
            json!({ "textDocument": { "uri": document, "version": mirror.version }, "contentChanges": changes }),
        );
        if round % 7 == 0 {
            let id = json!({ "textDocument": { "uri": document } });
            open.push((editor.begin("dossier/text", id), mirror.text()));
        }
        if round % 2_500 == 1 {
            // The session goes by it, too: this name is nowhere else.
            let name = format!("mark_{round}");
            let end = mirror.position(mirror.text.len());
            let text = format!("\npub fn {name}() {{}}\n");
            mirror.text.extend(text.encode_utf16());
            let change = json!({ "range": { "start": end, "end": end }, "text": text });
            editor.tell(
                "textDocument/didChange",
                json!({ "textDocument": { "uri": document, "version": 0 }, "contentChanges": [change] }),
            );
            let view = editor.ask("dossier/search", json!({ "query": name }));
            assert_eq!(view["hits"][0]["path"], "src/stock.rs", "round {round}: {view}");
        }
        if open.len() > 50 {
            for (waiting, text) in open.drain(..) {
                assert_eq!(waiting.wait()["result"]["text"], text, "round {round}");
            }
        }
    }
    for (waiting, text) in open {
        assert_eq!(waiting.wait()["result"]["text"], text);
    }
    assert!(editor.ends().success());
}

#[test]
fn an_unsaved_text_counts_until_it_is_closed_or_saved() {
    let sandbox = Sandbox::new(CODE);
    let mut editor = open(&sandbox, json!({}));
    let path = sandbox.ws("src/stock.rs");
    let text = std::fs::read_to_string(&path).unwrap() + "pub fn only_in_the_editor() {}\n";
    let document = editor.open_document(&path, &text);
    let found = |editor: &mut Editor| {
        let context =
            editor.begin("dossier/context", json!({ "task": "What does `only_in_the_editor` do?" })).wait();
        context["result"]["text"].as_str().is_some_and(|text| text.contains("pub fn only_in_the_editor"))
    };
    assert!(found(&mut editor));
    editor.tell("textDocument/didClose", json!({ "textDocument": { "uri": document } }));
    assert!(!found(&mut editor), "the disk counts again");
    let document = editor.open_document(&path, &text);
    std::fs::write(&path, &text).unwrap();
    editor.tell("textDocument/didSave", json!({ "textDocument": { "uri": document } }));
    assert!(found(&mut editor), "now it is on the disk");
}

#[test]
fn a_file_that_is_not_there_yet_has_no_text_of_the_workspace() {
    let sandbox = Sandbox::new(CODE);
    let mut editor = open(&sandbox, json!({}));
    let document = editor.open_document(&sandbox.ws("src/new.rs"), "pub fn brand_new() {}\n");
    let id = json!({ "textDocument": { "uri": document } });
    assert_eq!(editor.ask("dossier/text", id)["text"], "pub fn brand_new() {}\n");
    editor.ask("dossier/explain", json!({ "task": "count the shelf" }));
    for strange in ["untitled:Untitled-1", "file:///", "nonsense", "git:/x?y"] {
        let document = json!({ "uri": strange, "languageId": "rust", "version": 1, "text": "fn a() {}" });
        editor.tell("textDocument/didOpen", json!({ "textDocument": document }));
        editor.ask(
            "textDocument/codeAction",
            json!({
                "textDocument": { "uri": strange },
                "range": { "start": { "line": 0, "character": 0 }, "end": { "line": 9, "character": 9 } },
                "context": { "diagnostics": [] },
            }),
        );
    }
    assert!(editor.ends().success());
}

#[test]
fn many_requests_with_texts_of_their_own_are_all_answered() {
    let sandbox = Sandbox::new(CODE);
    let modules: String = (0..300).map(|number| format!("pub mod part_{number};\n")).collect();
    sandbox.write("src/lib.rs", modules);
    for number in 0..300 {
        let next = (number + 1) % 300;
        let code =
            format!("pub fn work_{number}(n: u32) -> u32 {{ crate::part_{next}::work_{next}(n) + n }}\n");
        sandbox.write(&format!("src/part_{number}.rs"), code + "pub struct Part;\n");
    }
    // With an index on disk, from which everybody's bodies come.
    sandbox.run(&["index"]).ends(0, &[]);
    let mut editor = open(&sandbox, json!({}));
    let path = sandbox.ws("src/part_7.rs");
    let document = editor.open_document(&path, &std::fs::read_to_string(&path).unwrap());
    let requests: Vec<_> = (0..24)
        .map(|number| {
            let at = json!({ "line": 0, "character": 0 });
            let text = format!("pub fn unsaved_{number}() {{}}\n");
            editor.tell(
                "textDocument/didChange",
                json!({
                    "textDocument": { "uri": document, "version": number },
                    "contentChanges": [{ "range": { "start": at, "end": at }, "text": text }],
                }),
            );
            editor.begin("dossier/explain", json!({ "task": format!("What does `unsaved_{number}` do?") }))
        })
        .collect();
    for request in requests {
        let answer = request.wait();
        assert_eq!(answer["result"]["files"][0]["path"], "src/part_7.rs", "{answer}");
    }
}

#[test]
fn texts_are_taken_in_while_requests_run() {
    let sandbox = Sandbox::new(CODE);
    let mut editor = open(&sandbox, json!({}));
    let path = sandbox.ws("src/stock.rs");
    let text = "// a line that is not long\n".repeat(4_000);
    let document = editor.open_document(&path, &text);
    let requests: Vec<_> =
        (0..20).map(|_| editor.begin("dossier/explain", json!({ "task": "count the shelf" }))).collect();
    let mut took: Vec<Duration> = (0..200)
        .map(|line| {
            let at = json!({ "line": line, "character": 3 });
            let change = json!({ "range": { "start": at, "end": at }, "text": "x" });
            editor.tell(
                "textDocument/didChange",
                json!({
                    "textDocument": { "uri": document, "version": line },
                    "contentChanges": [change],
                }),
            );
            let since = Instant::now();
            // Answered on the thread that takes texts in: by then the text is in.
            editor.fails("initialize", json!({}));
            since.elapsed()
        })
        .collect();
    took.sort();
    println!("text sync while requests run: p50 {:?}, p99 {:?}", took[100], took[198]);
    // The benchmark looks at the 99th of 100: here other tests run on the same cores.
    assert!(took[100] < Duration::from_millis(100), "{:?}", took[100]);
    for request in requests {
        assert!(request.wait()["result"]["files"].is_array());
    }
}

#[test]
fn a_folder_over_a_link_is_spelled_as_the_editor_spells_it() {
    let sandbox = Sandbox::new(CODE);
    let link = sandbox.path("link");
    std::os::unix::fs::symlink(sandbox.path("ws"), &link).unwrap();
    let mut editor = Editor::open_with(command(&sandbox), &link, json!({}), super::editor::abilities());
    let view = editor.ask("dossier/explain", json!({ "task": "count the shelf in `shelf_count`" }));
    let found = view["files"][0]["uri"].as_str().unwrap();
    assert_eq!(found, uri(&link.join("src/stock.rs")));
    editor.open_document(&link.join("src/stock.rs"), "pub fn through_a_link() {}\n");
    let found = editor.ask("dossier/search", json!({ "query": "through_a_link" }));
    assert_eq!(found["hits"][0]["path"], "src/stock.rs", "{found}");
}
