//! After any edits, what the index and the files that changed give is what all files give.

use std::path::Path;
use std::time::{Duration, SystemTime};

use dossier::model::Deadline;
use dossier::pipeline::{LanguageServer, OpenOptions, Planner, Request, Workspace};
use dossier::render::{RenderOptions, render};
use dossier::store::IndexFolder;
use dossier::workspace::WalkOptions;
use proptest::prelude::*;
use tempfile::TempDir;

/// A file that a person saves.
#[derive(Debug, Clone)]
enum Edit {
    /// A new body, and nothing that others see.
    Body(usize, u32),
    /// Another signature and another item.
    Items(usize, u32),
    Prose(u32),
    /// A new module, declared and used.
    Add(u32),
    Remove(usize),
    Rename(usize),
    /// Written again as it is.
    Touch(usize),
    Broken(usize),
    Manifest(u32),
}

const MODULES: usize = 5;

fn edit() -> impl Strategy<Value = Edit> {
    prop_oneof![
        (0..MODULES, 0..9u32).prop_map(|(module, n)| Edit::Body(module, n)),
        (0..MODULES, 0..9u32).prop_map(|(module, n)| Edit::Items(module, n)),
        (0..9u32).prop_map(Edit::Prose),
        (0..4u32).prop_map(Edit::Add),
        (0..MODULES).prop_map(Edit::Remove),
        (0..MODULES).prop_map(Edit::Rename),
        (0..MODULES).prop_map(Edit::Touch),
        (0..MODULES).prop_map(Edit::Broken),
        (0..3u32).prop_map(Edit::Manifest),
    ]
}

fn module(n: usize) -> String {
    format!("src/part{n}.rs")
}

fn text(n: usize, body: u32, items: u32) -> String {
    let other = (n + 1) % MODULES;
    format!(
        "//! Part {n}.\nuse crate::part{other}::Part{other};\n\n/// Holds orders.\npub struct Part{n} {{ pub next: Option<Box<Part{other}>>, count_{items}: u32 }}\n\n\
         impl Part{n} {{\n    pub fn pay_{items}(&self, amount: u{}) -> u32 {{\n        let next = self.next.as_ref().unwrap();\n        next.pay_0(1);\n        let basket_{body} = {body};\n        helper(basket_{body})\n    }}\n\
         pub fn pay_0(&self, _: u32) {{}}\n}}\n\nfn helper(value: u32) -> u32 {{ value + {body} }}\n\n#[test]\nfn pays() {{ helper({body}); }}\n",
        if items.is_multiple_of(2) { 32 } else { 64 }
    )
}

fn put(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn make(root: &Path) {
    put(root, "Cargo.toml", "[package]\nname = \"shop\"\nedition = \"2024\"\n");
    put(root, "README.md", "# The shop\n\nOrders are paid.\n");
    let lib: String = (0..MODULES).map(|n| format!("mod part{n};\n")).collect();
    put(root, "src/lib.rs", &lib);
    (0..MODULES).for_each(|n| put(root, &module(n), &text(n, 0, 0)));
}

fn apply(root: &Path, edit: &Edit) {
    match edit {
        Edit::Body(n, body) => put(root, &module(*n), &text(*n, *body, 0)),
        Edit::Items(n, items) => put(root, &module(*n), &text(*n, 0, *items)),
        Edit::Prose(n) => put(root, "README.md", &format!("# The shop {n}\n\nBaskets are paid {n} times.\n")),
        Edit::Add(n) => {
            put(root, &format!("src/new{n}.rs"), "pub fn fresh() { crate::part0::Part0::pay_0; }\n");
            let lib = std::fs::read_to_string(root.join("src/lib.rs")).unwrap();
            put(root, "src/lib.rs", &format!("{lib}mod new{n};\n"));
        }
        Edit::Remove(n) => drop(std::fs::remove_file(root.join(module(*n)))),
        Edit::Rename(n) => drop(std::fs::rename(root.join(module(*n)), root.join("src/moved.rs"))),
        Edit::Touch(n) => {
            if let Ok(text) = std::fs::read_to_string(root.join(module(*n))) {
                put(root, &module(*n), &text);
            }
        }
        Edit::Broken(n) => put(root, &module(*n), "pub fn broken( { pay_0(; }\nimpl"),
        Edit::Manifest(n) => {
            put(root, "Cargo.toml", &format!("[package]\nname = \"shop{n}\"\nedition = \"2024\"\n"))
        }
    }
}

fn cold(root: &Path) -> Workspace {
    Workspace::open(root, &WalkOptions::default(), &Deadline::never()).unwrap()
}

fn kept(root: &Path, folder: &IndexFolder) -> Workspace {
    let open = OpenOptions { index: Some(folder), watch: None };
    let mut workspace =
        Workspace::open_with(root, &WalkOptions::default(), open, &Deadline::never()).unwrap();
    assert!(workspace.is_kept(), "{:?}", workspace.snapshot.notes);
    assert_eq!(workspace.settle(), None);
    workspace
}

/// All that a question can be answered from, and an answer, as text.
fn shown(workspace: &Workspace) -> String {
    let request = Request {
        query: "Fix `pay_3` of Part2 where the basket is paid".into(),
        budget: 2_000,
        max_files: None,
        fill: false,
        depth: None,
        tests: None,
        mask: true,
        render: RenderOptions::default(),
    };
    let server = LanguageServer::absent(&workspace.snapshot.root);
    let answer = workspace.answer(&request, &server, &Planner::rules(), &Deadline::never()).unwrap();
    let mut pack = answer.pack;
    pack.timings.clear();
    (pack.freshness.generation, pack.freshness.index_age_ms, pack.freshness.changed_since) = (0, 0, 0);
    let json = RenderOptions { format: dossier::config::Format::Json, ..request.render };
    let graph = serde_json::to_string(&workspace.graph.to_kept()).unwrap();
    let notes = &workspace.snapshot.notes;
    format!("{}\n{}\n{graph}\n{:?}\n{notes:?}", answer.rendered, render(&pack, &json), workspace.syntax)
}

fn check(one: &Workspace, other: &Workspace) {
    assert_eq!(shown(one), shown(other));
    assert_eq!(one.lexical, other.lexical);
    assert_eq!(one.history, other.history);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_changed_is_known_and_the_rest_still_holds(rounds in prop::collection::vec(prop::collection::vec(edit(), 0..4), 1..6)) {
        let (workspace, cache) = (TempDir::new().unwrap(), TempDir::new().unwrap());
        let folder = IndexFolder::in_cache(cache.path());
        make(workspace.path());
        let mut open = kept(workspace.path(), &folder);
        for edits in rounds {
            edits.iter().for_each(|edit| apply(workspace.path(), edit));
            let cold = cold(workspace.path());
            open = open.renewed(&Deadline::never()).unwrap();
            check(&open, &cold);
            check(&kept(workspace.path(), &folder), &cold);
        }
    }
}

/// Lets files grow old enough that their times are believed.
fn wait_until_settled() {
    let (_sender, never) = std::sync::mpsc::channel::<()>();
    let _time_is_over = never.recv_timeout(Duration::from_millis(2_100));
}

fn read_texts(workspace: &Workspace) -> Vec<&str> {
    let files = workspace.snapshot.files.iter();
    files.filter(|file| file.text.is_read()).map(|file| file.path.as_str()).collect()
}

#[test]
fn what_did_not_change_is_not_read() {
    let (workspace, cache) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let folder = IndexFolder::in_cache(cache.path());
    let root = workspace.path();
    make(root);
    wait_until_settled();
    kept(root, &folder);
    // The manifest says how the rest is to be read.
    assert_eq!(read_texts(&kept(root, &folder)), ["Cargo.toml"]);
    apply(root, &Edit::Body(1, 3));
    let changed = kept(root, &folder);
    let pack = |workspace: &Workspace| {
        let server = LanguageServer::absent(root);
        let request = Request {
            query: "pay_0".into(),
            budget: 500,
            max_files: None,
            fill: false,
            depth: None,
            tests: None,
            mask: true,
            render: RenderOptions::default(),
        };
        workspace.answer(&request, &server, &Planner::rules(), &Deadline::never()).unwrap().pack
    };
    assert_eq!(read_texts(&changed), ["Cargo.toml", "src/part1.rs"]);
    let freshness = pack(&changed).freshness;
    assert_eq!((freshness.generation, freshness.changed_since), (2, 1));
    assert!(freshness.index_age_ms < 60_000);
    // What others see of a file changes: all are tied anew, and none is parsed for it.
    apply(root, &Edit::Items(3, 5));
    assert_eq!(read_texts(&kept(root, &folder)), ["Cargo.toml", "src/part1.rs", "src/part3.rs"]);
    // A change that leaves size and time as they were is known by what no program can set.
    let path = root.join(module(2));
    let (text, time) =
        (std::fs::read_to_string(&path).unwrap(), path.metadata().unwrap().modified().unwrap());
    std::fs::write(&path, text.replace("pay_0", "pay_9")).unwrap();
    std::fs::File::options().append(true).open(&path).unwrap().set_modified(time).unwrap();
    if cfg!(unix) {
        check(&kept(root, &folder), &cold(root));
    }
    let ahead = SystemTime::now() + Duration::from_secs(3_600);
    std::fs::File::options().append(true).open(&path).unwrap().set_modified(ahead).unwrap();
    kept(root, &folder);
    // From the future: it may change again without a new time.
    assert!(read_texts(&kept(root, &folder)).contains(&module(2).as_str()));
}

#[test]
fn a_text_that_changes_before_it_is_shown_is_left_out_and_told() {
    let (workspace, cache) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let folder = IndexFolder::in_cache(cache.path());
    let root = workspace.path();
    make(root);
    wait_until_settled();
    kept(root, &folder);
    let open = kept(root, &folder);
    (0..MODULES).for_each(|n| put(root, &module(n), "fn other() {}\n"));
    let text = shown(&open);
    assert!(text.contains("files were changed while the answer was made"), "{text}");
}

#[test]
fn patterns_have_an_index_of_their_own() {
    let (workspace, cache) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let folder = IndexFolder::in_cache(cache.path());
    let root = workspace.path();
    make(root);
    let options = WalkOptions { include: vec!["src/part1.rs".into()], exclude: Vec::new() };
    let open = OpenOptions { index: Some(&folder), watch: None };
    kept(root, &folder);
    for _ in 0..2 {
        let narrow = Workspace::open_with(root, &options, open, &Deadline::never()).unwrap();
        let paths: Vec<&str> = narrow.snapshot.files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths, ["Cargo.toml", "src/part1.rs"]);
        check(&narrow, &Workspace::open(root, &options, &Deadline::never()).unwrap());
        check(&kept(root, &folder), &cold(root));
    }
}
