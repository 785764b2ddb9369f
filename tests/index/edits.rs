//! After any edits, what the index and the files that changed give is what all files give.

use std::path::Path;
use std::time::{Duration, SystemTime};

use dossier::model::Deadline;
use dossier::pipeline::{Answer, LanguageServer, OpenOptions, Planner, Request, Workspace};
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

/// A workspace, and a folder for its index.
struct Shop {
    workspace: TempDir,
    _cache: TempDir,
    index: IndexFolder,
}

impl Shop {
    fn new() -> Shop {
        let (workspace, cache) = (TempDir::new().unwrap(), TempDir::new().unwrap());
        make(workspace.path());
        Shop { index: IndexFolder::in_cache(cache.path()), workspace, _cache: cache }
    }

    /// With an index, and files that are old enough for their times to be believed.
    fn settled() -> Shop {
        let shop = Shop::new();
        wait_until_settled();
        shop.kept();
        shop
    }

    fn root(&self) -> &Path {
        self.workspace.path()
    }

    /// Opened with its index, which knows it afterwards.
    fn kept(&self) -> Workspace {
        let open = OpenOptions { index: Some(&self.index), watch: None };
        let walk = WalkOptions::default();
        let mut workspace = Workspace::open_with(self.root(), &walk, open, &Deadline::never()).unwrap();
        assert!(workspace.is_kept(), "{:?}", workspace.snapshot.notes);
        assert_eq!(workspace.settle(), None);
        workspace
    }

    /// Opened without it.
    fn cold(&self) -> Workspace {
        Workspace::open(self.root(), &WalkOptions::default(), &Deadline::never()).unwrap()
    }
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

fn answer(workspace: &Workspace, request: &Request) -> Answer {
    let server = LanguageServer::absent(&workspace.snapshot.root);
    workspace.answer(request, &server, &Planner::rules(), &Deadline::never()).unwrap()
}

/// All that a question can be answered from, and an answer, as text.
fn shown(workspace: &Workspace) -> String {
    let request = Request::new("Fix `pay_3` of Part2 where the basket is paid", 2_000);
    let answer = answer(workspace, &request);
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
        let shop = Shop::new();
        let mut open = shop.kept();
        for edits in rounds {
            edits.iter().for_each(|edit| apply(shop.root(), edit));
            let cold = shop.cold();
            open = open.renewed(&Deadline::never()).unwrap();
            check(&open, &cold);
            check(&shop.kept(), &cold);
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
    let shop = Shop::settled();
    let root = shop.root();
    // The manifest says how the rest is to be read.
    assert_eq!(read_texts(&shop.kept()), ["Cargo.toml"]);
    apply(root, &Edit::Body(1, 3));
    let changed = shop.kept();
    assert_eq!(read_texts(&changed), ["Cargo.toml", "src/part1.rs"]);
    let freshness = answer(&changed, &Request::new("pay_0", 500)).pack.freshness;
    assert_eq!((freshness.generation, freshness.changed_since), (2, 1));
    assert!(freshness.index_age_ms < 60_000);
    // What others see of a file changes: all are tied anew, and none is parsed for it.
    apply(root, &Edit::Items(3, 5));
    assert_eq!(read_texts(&shop.kept()), ["Cargo.toml", "src/part1.rs", "src/part3.rs"]);
    // A change that leaves size and time as they were is known by what no program can set.
    let path = root.join(module(2));
    let (text, time) =
        (std::fs::read_to_string(&path).unwrap(), path.metadata().unwrap().modified().unwrap());
    std::fs::write(&path, text.replace("pay_0", "pay_9")).unwrap();
    std::fs::File::options().append(true).open(&path).unwrap().set_modified(time).unwrap();
    if cfg!(unix) {
        check(&shop.kept(), &shop.cold());
    }
    let ahead = SystemTime::now() + Duration::from_secs(3_600);
    std::fs::File::options().append(true).open(&path).unwrap().set_modified(ahead).unwrap();
    shop.kept();
    // From the future: it may change again without a new time.
    assert!(read_texts(&shop.kept()).contains(&module(2).as_str()));
}

#[test]
fn a_text_that_changes_before_it_is_shown_is_left_out_and_told() {
    let shop = Shop::settled();
    let root = shop.root();
    let open = shop.kept();
    (0..MODULES).for_each(|n| put(root, &module(n), "fn other() {}\n"));
    let text = shown(&open);
    assert!(text.contains("files were changed while the answer was made"), "{text}");
}

#[test]
fn patterns_have_an_index_of_their_own() {
    let shop = Shop::new();
    let options = WalkOptions { include: vec!["src/part1.rs".into()], exclude: Vec::new() };
    let open = OpenOptions { index: Some(&shop.index), watch: None };
    shop.kept();
    for _ in 0..2 {
        let narrow = Workspace::open_with(shop.root(), &options, open, &Deadline::never()).unwrap();
        let paths: Vec<&str> = narrow.snapshot.files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths, ["Cargo.toml", "src/part1.rs"]);
        check(&narrow, &Workspace::open(shop.root(), &options, &Deadline::never()).unwrap());
        check(&shop.kept(), &shop.cold());
    }
}
