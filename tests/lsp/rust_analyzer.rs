//! The client against the real rust-analyzer, on a crate without dependencies.

use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use dossier::lsp::{
    Call, Encoding, FileChange, Questions, RUST_ANALYZER, Server, ServerKind, ServerState, Target, Unanswered,
};
use dossier::model::Deadline;

use super::support::{LONG, Workspace, probe, rust_analyzer, wait};

const MANIFEST: &str = "[package]\nname = \"shop\"\nedition = \"2024\"\n";

const LIB: &str = r#"//! Körbe und Preise.

pub mod basket;

use basket::{Basket, Priced};

/* ä𝒳 */ pub fn total(basket: &Basket) -> u32 { /* 𝒳ß */ basket.sum() }

pub fn report(items: &[&dyn Priced]) -> String {
    let names: Vec<String> = items.iter().map(|item| item.price().to_string()).collect();
    names.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_basket_costs_nothing() {
        assert_eq!(total(&Basket::default()), 0);
    }
}
"#;

const BASKET: &str = r#"//! The basket.

pub trait Priced {
    fn price(&self) -> u32;
}

#[derive(Default)]
pub struct Basket {
    items: Vec<Apple>,
}

pub struct Apple;

pub struct Pear;

impl Priced for Apple {
    fn price(&self) -> u32 {
        3
    }
}

impl Priced for Pear {
    fn price(&self) -> u32 {
        4
    }
}

impl Basket {
    pub fn sum(&self) -> u32 {
        self.items.iter().map(Priced::price).sum()
    }
}

pub fn sample() -> u32 {
    crate::total(&Basket::default())
}
"#;

/// Several servers at once would take the memory of a small machine.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

struct Shop {
    server: Server,
    workspace: Workspace,
    _turn: MutexGuard<'static, ()>,
}

impl Shop {
    fn open(kind: ServerKind) -> Shop {
        let turn = ONE_AT_A_TIME.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let workspace =
            Workspace::new(&[("Cargo.toml", MANIFEST), ("src/lib.rs", LIB), ("src/basket.rs", BASKET)]);
        let server = Server::start(workspace.launch(kind, rust_analyzer()));
        Shop { server, workspace, _turn: turn }
    }

    fn ready(kind: ServerKind) -> Shop {
        let shop = Shop::open(kind);
        wait(&shop.server, probe("total", "src/lib.rs"));
        shop
    }

    fn questions(&self) -> Questions<'_> {
        self.server.on(&self.workspace.snapshot).expect("it is ready")
    }

    fn targets(&self, targets: Vec<Target>) -> Vec<String> {
        let show = |target| match target {
            Target::Inside(place) => self.workspace.show(place),
            Target::Outside => "outside".to_owned(),
        };
        targets.into_iter().map(show).collect()
    }
}

fn soon() -> Deadline {
    Deadline::after(LONG)
}

/// Everything that can be asked, in either encoding.
fn check_every_question(kind: ServerKind) {
    let shop = Shop::ready(kind);
    let (questions, workspace) = (shop.questions(), &shop.workspace);
    let at = |path: &str, piece: &str| workspace.at(path, piece);
    let (lib, basket) = ("src/lib.rs", "src/basket.rs");

    let found = questions.symbols("sum", &soon()).unwrap();
    let found: Vec<_> = found.into_iter().map(|(container, at)| (container, workspace.show(at))).collect();
    assert_eq!(found, [("Basket".to_owned(), "src/basket.rs:29 sum".to_owned())]);
    assert_eq!(questions.symbols("no_such_name", &soon()), Ok(vec![]));

    let found = questions.definition(at(lib, "basket.$0sum()"), &soon()).unwrap();
    assert_eq!(shop.targets(found), ["src/basket.rs:29 sum"]);
    let found = questions.definition(at(lib, "names: $0Vec"), &soon()).unwrap();
    assert_eq!(shop.targets(found), ["outside"]);
    let found = questions.declaration(at(basket, "fn $0price(&self) -> u32 {\n        3"), &soon()).unwrap();
    assert_eq!(shop.targets(found), ["src/basket.rs:4 price"]);
    let found = questions.type_definition(at(lib, "ß */ $0basket.sum"), &soon()).unwrap();
    assert_eq!(shop.targets(found), ["src/basket.rs:8 Basket"]);

    let found = questions.references(at(basket, "fn $0sum"), &soon()).unwrap();
    assert_eq!(workspace.show_all(found), ["src/lib.rs:7 sum"]);
    let found = questions.references(at(lib, "pub fn $0total"), &soon()).unwrap();
    assert_eq!(workspace.show_all(found), ["src/basket.rs:35 total", "src/lib.rs:20 total"]);

    let found = questions.implementations(at(basket, "trait $0Priced"), &soon()).unwrap();
    assert_eq!(workspace.show_all(found), ["src/basket.rs:16 Apple", "src/basket.rs:22 Pear"]);
    let found = questions.implementations(at(basket, "fn $0price(&self) -> u32;"), &soon()).unwrap();
    assert_eq!(workspace.show_all(found), ["src/basket.rs:17 price", "src/basket.rs:23 price"]);

    let found = questions.incoming_calls(at(lib, "fn $0total"), &soon()).unwrap();
    let found: Vec<_> = found
        .into_iter()
        .map(|Call { item, sites }| (workspace.show(item), workspace.show_all(sites)))
        .collect();
    let call = |item: &str, site: &str| (item.to_owned(), vec![site.to_owned()]);
    assert_eq!(
        found,
        [
            call("src/basket.rs:34 sample", "src/basket.rs:35 total"),
            call("src/lib.rs:19 an_empty_basket_costs_nothing", "src/lib.rs:20 total")
        ]
    );
    let found = questions.outgoing_calls(at(lib, "fn $0total"), &soon()).unwrap();
    let found: Vec<_> = found
        .into_iter()
        .map(|Call { item, sites }| (shop.targets(vec![item]).remove(0), workspace.show_all(sites)))
        .collect();
    assert_eq!(found, [call("src/basket.rs:29 sum", "src/lib.rs:7 sum")]);

    let found = questions.related_tests(at(lib, "fn $0total"), &soon()).unwrap();
    assert_eq!(workspace.show_all(found), ["src/lib.rs:19 an_empty_basket_costs_nothing"]);

    let found = questions.document_symbols(workspace.snapshot.find(lib).unwrap(), &soon()).unwrap();
    let found: Vec<_> = found.into_iter().map(|(name, at)| (name, workspace.show(at))).collect();
    assert!(found.contains(&("total".to_owned(), "src/lib.rs:7 total".to_owned())), "{found:?}");
    let test = ("an_empty_basket_costs_nothing", "src/lib.rs:19 an_empty_basket_costs_nothing");
    assert!(found.contains(&(test.0.to_owned(), test.1.to_owned())), "{found:?}");
}

#[test]
fn every_question_is_answered_in_columns_of_bytes() {
    check_every_question(RUST_ANALYZER);
}

#[test]
fn every_question_is_answered_in_columns_of_utf_16() {
    check_every_question(ServerKind { encodings: &[Encoding::Utf16], ..RUST_ANALYZER });
}

#[test]
fn ready_means_that_answers_are_whole() {
    let start = Instant::now();
    let shop = Shop::open(RUST_ANALYZER);
    assert_eq!(shop.server.status().state, ServerState::Loading);
    assert!(shop.server.on(&shop.workspace.snapshot).is_none());
    let mut progress = Vec::new();
    let probes = [probe("total", "src/lib.rs")];
    let is_ready =
        shop.server.wait_until_ready(&probes, &soon(), &mut |server| progress.extend(server.progress()));
    assert!(is_ready && start.elapsed() > Duration::from_millis(100));
    assert!(progress.iter().any(|line| line.contains('%')), "{progress:?}");
    assert_eq!(shop.server.notes(), []);
    assert!(shop.server.status().version.is_some());
}

#[test]
#[cfg(target_os = "linux")]
fn nothing_is_left_running() {
    for wait in [Duration::ZERO, Duration::from_millis(300), LONG] {
        let Shop { server, workspace, _turn } = Shop::open(RUST_ANALYZER);
        server.wait_until_ready(&[probe("total", "src/lib.rs")], &Deadline::after(wait), &mut |_| {});
        let start = Instant::now();
        drop(server);
        assert!(start.elapsed() < Duration::from_secs(3), "it took {:?} to end", start.elapsed());
        // The kernel takes a moment to bury what was killed.
        let burial = Deadline::after(Duration::from_secs(2));
        while !workspace.processes().is_empty() && !burial.is_over() {
            std::thread::park_timeout(Duration::from_millis(20));
        }
        assert_eq!(workspace.processes(), [0u32; 0]);
    }
}

#[test]
fn a_file_changed_on_disk_is_read_again() {
    let mut shop = Shop::ready(RUST_ANALYZER);
    let path = shop.workspace.root().join("src/basket.rs");
    std::fs::write(&path, format!("// A line more.\n{BASKET}pub fn added() -> u32 {{ sample() }}\n"))
        .unwrap();
    let new = shop.workspace.root().join("src/new.rs");
    std::fs::write(&new, "").unwrap();
    shop.server.files_changed(&[(path, FileChange::Changed), (new, FileChange::Created)]);
    shop.workspace.read_again();
    let at = shop.workspace.at("src/basket.rs", "fn $0sample");
    let end = Instant::now() + LONG;
    let found = loop {
        let questions = shop.server.on(&shop.workspace.snapshot);
        let found = questions.map_or(Err(Unanswered::NotReady), |it| it.references(at, &soon()));
        let found = found.map(|found| shop.workspace.show_all(found));
        if found == Ok(vec!["src/basket.rs:38 sample".to_owned()]) || Instant::now() > end {
            break found;
        }
        std::thread::park_timeout(Duration::from_millis(50));
    };
    assert_eq!(found, Ok(vec!["src/basket.rs:38 sample".to_owned()]));
}

#[test]
fn a_manifest_changed_on_disk_is_loaded_anew() {
    let mut shop = Shop::ready(RUST_ANALYZER);
    let manifest = shop.workspace.root().join("Cargo.toml");
    std::fs::write(&manifest, format!("{MANIFEST}\n[[bin]]\nname = \"other\"\npath = \"src/other.rs\"\n"))
        .unwrap();
    std::fs::write(shop.workspace.root().join("src/other.rs"), "fn elsewhere() {}\nfn main() {}\n").unwrap();
    let other = shop.workspace.root().join("src/other.rs");
    shop.server.files_changed(&[(manifest, FileChange::Changed), (other, FileChange::Created)]);
    shop.workspace.read_again();
    let mut states = Vec::new();
    let end = Instant::now() + LONG;
    let found = loop {
        states.push(shop.server.status().state);
        let questions = shop.server.on(&shop.workspace.snapshot);
        let found = questions.map_or(Err(Unanswered::NotReady), |it| it.symbols("elsewhere", &soon()));
        if found.as_ref().is_ok_and(|found| !found.is_empty()) || Instant::now() > end {
            break found;
        }
        std::thread::park_timeout(Duration::from_millis(5));
    };
    assert_eq!(found.map(|found| found.len()), Ok(1));
    states.dedup();
    assert_eq!(states.last(), Some(&ServerState::Ready), "{states:?}");
}

#[test]
fn a_workspace_that_cannot_be_loaded_is_told() {
    let turn = ONE_AT_A_TIME.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let manifest = format!("{MANIFEST}\n[dependencies]\nnot_here = {{ path = \"../not/here\" }}\n");
    let workspace =
        Workspace::new(&[("Cargo.toml", manifest.as_str()), ("src/lib.rs", "pub fn total() {}\n")]);
    let server = Server::start(workspace.launch(RUST_ANALYZER, rust_analyzer()));
    let probes = [probe("total", "src/lib.rs")];
    // What has no dependencies is known all the same.
    assert!(server.wait_until_ready(&probes, &soon(), &mut |_| {}));
    assert!(
        server.notes().iter().any(|note| note.text.starts_with("rust-analyzer: ")),
        "{:?}",
        server.notes()
    );
    drop(turn);
}

#[test]
fn a_server_without_memory_is_given_up() {
    let turn = ONE_AT_A_TIME.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let workspace =
        Workspace::new(&[("Cargo.toml", MANIFEST), ("src/lib.rs", LIB), ("src/basket.rs", BASKET)]);
    let mut command: Vec<_> = ["/bin/sh", "-c", "ulimit -v 1000000; exec \"$0\""].map(Into::into).to_vec();
    command.extend(rust_analyzer());
    let server = Server::start(workspace.launch(RUST_ANALYZER, command));
    let is_ready = server.wait_until_ready(&[probe("total", "src/lib.rs")], &soon(), &mut |_| {});
    assert!(!is_ready);
    assert_eq!(server.status().state, ServerState::Failed);
    assert!(server.notes().iter().any(|note| note.text.contains("ended 4 times")), "{:?}", server.notes());
    drop(turn);
}
