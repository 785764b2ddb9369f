//! The shape of the code, held by a test: which layer may use which, which crate stands behind which door, and
//! that the documents speak of what is there.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use regex::Regex;

/// Parts of the outside world and the only places that touch them.
const DOORS: [(&str, &[&str]); 18] = [
    (r"\b(ra_ap_syntax|ra_ap_parser|rowan)::", &["src/syntax/"]),
    (r"\bpetgraph::", &["src/graph/"]),
    (r"\bgix::", &["src/workspace/"]),
    (r"\bignore::", &["src/workspace/"]),
    (r"(^|[^.\w])notify::(recommended|event|Event|Result|Error|\{)", &["src/workspace/"]),
    (r"\btiktoken_rs::", &["src/text/"]),
    (r"\blsp_types::", &["src/lsp/", "src/lsp_server/"]),
    (r"\b(reqwest|genai|ollama_rs|rustls|tokio|futures_core)::", &["src/llm/"]),
    (r"\bblake3::", &["src/text/"]),
    (r"\b(rten_gemm|rten_tensor|rten_vecmath|safetensors|tokenizers)::", &["src/llm/"]),
    (r"\bring::", &["src/llm/"]),
    (r"\brten_simd::", &["src/llm/", "src/meaning/"]),
    (r"\b(rusqlite|zstd)::", &["src/store/"]),
    (r"\bpostcard::", &["src/store/", "src/syntax/", "src/graph/"]),
    (r"\b(clap|clap_complete|indicatif)::", &["src/cli/"]),
    (r"\banyhow::", &["src/client/", "src/cli/", "src/lsp_server/"]),
    // A workspace's code is never run: programs are started here alone, and each says why it may.
    (r"\bCommand::new\(", &["src/cli/clipboard.rs", "src/daemon/", "src/eval/git.rs", "src/lsp/"]),
    // A closed pipe makes them panic: data goes through `cli::output`, the rest through `cli::messages`.
    (r"\be?print(ln)?!\(", &[]),
];

/// Modules that parse and print; none knows of another.
const FACES: [&str; 4] = ["cli", "lsp_server", "mcp", "agent"];

/// The longest file without its tests, in lines; lists of words are not counted.
const LONGEST_FILE: usize = 400;

/// Paths that only one machine has.
const MACHINE_PATHS: &str = r#"(^|[\s"'`(=:])/(work|root|home)/"#;

/// Words in such paths that stand for anybody.
const ANYBODY: [&str; 4] = ["/home/user/", "/home/me/", "/home/runner/", "/home/alice/"];

/// Folders whose paths ARCHITECTURE.md may name.
const NAMED_ROOTS: [&str; 9] =
    ["src/", "tests/", "docs/", "fixtures/", "ci/", ".ci/", "editors/", "benches/", "examples/"];

#[test]
fn a_module_uses_only_what_stands_above_it() {
    let order = modules();
    assert!(order.len() > 10, "src/lib.rs names its modules: {order:?}");
    let place = |name: &str| order.iter().position(|module| module == name);
    let mut breaches = Vec::new();
    for (path, text) in sources() {
        let Some(own) = module_of(&path) else { continue };
        let here = place(&own).unwrap_or_else(|| panic!("{path} belongs to no module of src/lib.rs"));
        for used in crate_uses(&without_comments(&text)) {
            match place(&used) {
                Some(there) if there > here => {
                    breaches.push(format!("{path}: {own} uses {used}, which stands below it"))
                }
                _ => {}
            }
            if used != own && FACES.contains(&used.as_str()) {
                breaches.push(format!("{path}: {own} uses the face {used}"));
            }
        }
    }
    assert!(breaches.is_empty(), "{}", breaches.join("\n"));
}

#[test]
fn the_program_is_only_a_call_of_the_library() {
    let main = without_comments(&read("src/main.rs"));
    assert!(
        !main.contains("crate::") && !main.lines().any(|line| line.starts_with("mod ")),
        "src/main.rs grew"
    );
    assert!(main.lines().count() < 40, "src/main.rs grew");
}

#[test]
fn every_door_is_used_by_its_own_layer_alone() {
    let mut breaches = Vec::new();
    for (pattern, allowed) in DOORS {
        let pattern = Regex::new(pattern).unwrap();
        for (path, text) in product() {
            let is_allowed = allowed.iter().any(|place| path.starts_with(place));
            if !is_allowed && pattern.is_match(&without_comments(&text)) {
                breaches.push(format!("{path}: {pattern} belongs to {allowed:?}"));
            }
        }
    }
    assert!(breaches.is_empty(), "{}", breaches.join("\n"));
}

#[test]
fn every_file_says_what_it_is() {
    let silent: Vec<String> =
        sources().into_iter().filter(|(_, text)| !text.starts_with("//! ")).map(|(path, _)| path).collect();
    assert!(silent.is_empty(), "these open without `//!`: {silent:?}");
}

#[test]
fn no_file_is_long() {
    let is_word = |line: &&str| line.trim().starts_with('"') && line.ends_with("\",");
    let counted = |text: &str| text.lines().filter(|line| !is_word(line)).count();
    let long: Vec<String> = product()
        .into_iter()
        .filter(|(_, text)| counted(text) > LONGEST_FILE)
        .map(|(path, text)| format!("{path}: {}", counted(&text)))
        .collect();
    assert!(long.is_empty(), "longer than {LONGEST_FILE} lines without tests: {long:?}");
}

#[test]
fn the_documents_are_there_and_name_what_is_there() {
    for document in ["README.md", "ARCHITECTURE.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"] {
        assert!(root().join(document).is_file(), "{document} is missing");
    }
    let code = Regex::new(r"`([^`\s]+)`").unwrap();
    let architecture = read("ARCHITECTURE.md");
    let gone: Vec<&str> = code
        .captures_iter(&architecture)
        .filter_map(|found| found.get(1))
        .map(|path| path.as_str())
        .filter(|path| is_path(path) && !exists(path))
        .collect();
    assert!(gone.is_empty(), "ARCHITECTURE.md names what is not there: {gone:?}");
}

#[test]
fn nothing_committed_names_a_machine() {
    let machine = Regex::new(MACHINE_PATHS).unwrap();
    let mut found = Vec::new();
    for path in committed().into_iter().filter(|path| path != "tests/tidy.rs") {
        let Ok(text) = std::fs::read_to_string(root().join(&path)) else { continue };
        for (number, line) in (1..).zip(text.lines()) {
            let line = ANYBODY.iter().fold(line.to_owned(), |line, anybody| line.replace(anybody, ""));
            if machine.is_match(&line) {
                found.push(format!("{path}:{number}: {line}"));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn uses_are_found_in_every_form() {
    let uses = crate_uses(
        "use crate::model::{A, B};\nuse crate::{\n    text::C,\n    graph::{D, E},\n};\nfn f() { crate::rank::g() }",
    );
    assert_eq!(uses.into_iter().collect::<Vec<_>>(), ["graph", "model", "rank", "text"]);
}

/// The modules of src/lib.rs in their order.
fn modules() -> Vec<String> {
    let module = Regex::new(r"(?m)^(?:pub )?mod (\w+);").unwrap();
    module.captures_iter(&read("src/lib.rs")).map(|found| found[1].to_owned()).collect()
}

/// The module that a file under src belongs to; `None` for the two roots.
fn module_of(path: &str) -> Option<String> {
    let inner = path.strip_prefix("src/")?;
    let first = inner.split('/').next()?;
    let name = first.strip_suffix(".rs").unwrap_or(first);
    (!["lib", "main"].contains(&name)).then(|| name.to_owned())
}

/// The first name behind every `crate::`, in groups too.
fn crate_uses(text: &str) -> BTreeSet<String> {
    let single = Regex::new(r"\bcrate::(\w+)").unwrap();
    let mut used: BTreeSet<String> = single.captures_iter(text).map(|found| found[1].to_owned()).collect();
    for (at, opening) in text.match_indices("crate::{") {
        used.extend(first_names(&text[at + opening.len()..]));
    }
    used
}

/// Of `a::b, c::{d, e}} …` the names `a` and `c`.
fn first_names(group: &str) -> Vec<String> {
    let mut depth = 1;
    let mut deeper = |c: char| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        depth
    };
    let inside = &group[..group.find(|c| deeper(c) == 0).unwrap_or(group.len())];
    let mut depth = 0;
    let pieces = inside.split(|c: char| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        depth == 0 && c == ','
    });
    let first = |piece: &str| {
        piece.trim().split(|c: char| !(c.is_alphanumeric() || c == '_')).next().map(str::to_owned)
    };
    pieces.filter_map(first).filter(|name| !name.is_empty()).collect()
}

/// The text without its comment lines: they may speak of anything.
fn without_comments(text: &str) -> String {
    text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

/// The sources without their tests: neither the modules at the ends of files, nor files that are test modules.
fn product() -> Vec<(String, String)> {
    let test_file = Regex::new(r"#\[cfg\(test\)\]\s*(?:pub(?:\(\w+\))? )?mod (\w+);").unwrap();
    let test_module = Regex::new(r"(?m)^#\[cfg\(test\)\]\s*mod \w+ \{").unwrap();
    let all = sources();
    let mut tests = BTreeSet::new();
    for (path, text) in &all {
        let folder = path.strip_suffix("/mod.rs").or(path.strip_suffix(".rs")).unwrap_or(path);
        tests.extend(test_file.captures_iter(text).map(|found| format!("{folder}/{}.rs", &found[1])));
    }
    let cut =
        |text: &str| text[..test_module.find(text).map_or(text.len(), |found| found.start())].to_owned();
    all.iter()
        .filter(|(path, _)| !tests.contains(path))
        .map(|(path, text)| (path.clone(), cut(text)))
        .collect()
}

/// Every Rust file under src: its path with `/`, and its text.
fn sources() -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders = vec![root().join("src")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                folders.push(entry);
            } else if entry.extension().is_some_and(|extension| extension == "rs") {
                let path = entry.strip_prefix(root()).unwrap().to_string_lossy().replace('\\', "/");
                found.push((path, std::fs::read_to_string(&entry).unwrap()));
            }
        }
    }
    found.sort();
    found
}

/// What git has; nothing where this is no clone, as in a packed crate.
fn committed() -> Vec<String> {
    let listed = Command::new("git").args(["ls-files", "-z"]).current_dir(root()).output();
    let Some(listed) = listed.ok().filter(|listed| listed.status.success()) else { return Vec::new() };
    String::from_utf8_lossy(&listed.stdout).split_terminator('\0').map(str::to_owned).collect()
}

/// Whether a word of a document claims to be a path of this repository: from its root, or from `src`.
fn is_path(word: &str) -> bool {
    let from_root = NAMED_ROOTS.iter().any(|root| word.starts_with(root));
    let from_source =
        word.ends_with(".rs") || (word.ends_with('/') && !word.starts_with(['.', '/', '~', '$']));
    (from_root || from_source) && !word.contains(['…', '*', '{', '<'])
}

fn exists(path: &str) -> bool {
    root().join(path).exists() || root().join("src").join(path).exists()
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}
