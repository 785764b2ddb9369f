//! `dossier search` as a shell sees it, at every level and in every mode, and what it makes of bad input; the meaning with an embedder of
//! our own, as the program needs a model for that.

mod support;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use dossier::llm::embed::ScriptedEmbedder;
use dossier::meaning::{EmbedderSource, Meaning};
use dossier::model::{Deadline, Note};
use dossier::pipeline::Workspace;
use dossier::session::protocol::{Hit, SearchAnswer, SearchLevel, SearchMode, SearchParams};
use dossier::session::{SearchError, search};
use dossier::workspace::WalkOptions;
use serde_json::{Value, json};

use support::{SHOP, Sandbox};

/// What is not code, a folder with a module, and tests.
const MORE: &str = "\
//- /README.md
# Shop

Sells things.

## Signing in

A customer signs in with a password.
//- /src/lib.rs
//! A shop.
pub mod basket;
pub mod login;
pub mod stock;
pub mod payment;
//- /src/payment/mod.rs
//! How customers pay.
mod card;
pub use card::charge_card;
//- /src/payment/card.rs
//! Payment by card.

/// Charges a credit card once.
pub fn charge_card(cents: u64) -> bool {
    cents > 0
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_card_is_charged() {
        assert!(super::charge_card(1));
    }
}
//- /tests/signing_in.rs
#[test]
fn a_customer_signs_in() {
    assert!(shop::login::login(\"ada\"));
}
";
const LEVELS: [&str; 4] = ["symbol", "file", "module", "doc"];
/// Unoptimised, on a machine that does other things too.
const FEW_SECONDS: Duration = Duration::from_secs(20);

fn shop() -> Sandbox {
    let sandbox = Sandbox::new(SHOP);
    sandbox.write_all(MORE);
    sandbox
}

/// The hits of a search, which has some.
#[track_caller]
fn hits(sandbox: &Sandbox, query: &str, flags: &[&str]) -> Vec<Value> {
    let run = sandbox.run(&[&["search", query, "--json"], flags].concat());
    let hits = run.ends(0, &[]).json()["hits"].as_array().unwrap().clone();
    assert!(!hits.is_empty());
    hits
}

fn texts<'a>(hits: &'a [Value], field: &str) -> Vec<&'a str> {
    hits.iter().map(|hit| hit[field].as_str().unwrap()).collect()
}

#[test]
fn files_come_as_the_ranking_has_them() {
    let shop = shop();
    let found = hits(&shop, "charge the credit card", &[]);
    assert_eq!(found[0]["path"], "src/payment/card.rs");
    assert_eq!((&found[0]["lines"], &found[0]["preview"]), (&json!([1, 14]), &json!("Payment by card.")));
    assert_eq!(found[0]["items"][0], "charge_card");
    assert!(found[0].get("name").is_none() && found[0].get("files").is_none(), "{}", found[0]);
    let pack = shop.run(&["context", "charge the credit card", "--format", "json"]).json();
    assert_eq!(pack["files"][0]["path"], found[0]["path"]);
    let run = shop.run(&["search", "charge", "the", "credit", "card", "--limit", "1"]);
    run.shows(&["src/payment/card.rs:1-14: Payment by card. ["]);
    assert_eq!((run.stdout.lines().count(), run.stderr.as_str()), (1, ""));
}

#[test]
fn items_come_with_their_names_lines_and_signatures() {
    let shop = shop();
    let found = hits(&shop, "what puts an item in", &["--level", "symbol"]);
    let first = &found[0];
    assert_eq!((&first["name"], &first["kind"]), (&json!("Basket::put"), &json!("method")));
    assert_eq!((&first["path"], &first["lines"]), (&json!("src/basket.rs"), &json!([8, 11])));
    assert_eq!(first["preview"], "pub fn put(&mut self, item: String)");
    assert!(first["reasons"].to_string().contains("words: "), "{first}");
    assert!(found.iter().all(|hit| hit["kind"].is_string() && hit["name"].is_string()), "{found:?}");
    let run = shop.run(&["search", "Where does login check the password?", "--level", "symbol"]);
    run.shows(&["src/login.rs:8-10: check_password (function): fn check_password(name: &str) -> bool ["]);
    // What the query names comes first, whatever its words say of others.
    let named = hits(&shop, "Basket::put", &["--level", "symbol", "--limit", "1"]);
    assert!(named[0]["reasons"].to_string().contains("the task names it"), "{named:?}");
}

#[test]
fn modules_come_with_their_files() {
    let shop = shop();
    let found = hits(&shop, "charge the credit card", &["--level", "module"]);
    let first = &found[0];
    assert_eq!((&first["path"], &first["name"]), (&json!("src/payment/mod.rs"), &json!("shop::payment")));
    assert_eq!((&first["kind"], &first["preview"]), (&json!("module"), &json!("How customers pay.")));
    assert_eq!(first["files"][0], "src/payment/card.rs");
    let paths = texts(&found, "path");
    assert!(!paths.contains(&"src/payment/card.rs") && !paths.contains(&"README.md"), "{paths:?}");
    let login = hits(&shop, "check the password of a login", &["--level", "module", "--limit", "1"]);
    assert_eq!((&login[0]["path"], &login[0]["name"]), (&json!("src/login.rs"), &json!("shop::login")));
}

#[test]
fn a_module_without_a_folders_file_has_one_beside_its_folder() {
    let shop = Sandbox::new(SHOP);
    shop.write("src/stock.rs", "//! Shelves.\nmod shelf;\nmod door;\n");
    shop.write("src/stock/shelf.rs", "pub fn shelf_length() -> u32 { 3 }\n");
    shop.write("src/stock/door.rs", "pub fn door_width() -> u32 { 3 }\n");
    let found = hits(&shop, "shelf_length", &["--level", "module", "--limit", "1"]);
    assert_eq!((&found[0]["path"], &found[0]["name"]), (&json!("src/stock.rs"), &json!("shop::stock")));
}

#[test]
fn sections_come_with_their_headings() {
    let shop = shop();
    let long: String = (0..60).map(|line| format!("Line {line} of a long history.\n")).collect();
    shop.write("CHANGELOG.md", format!("# Changes\n\n{long}\n## Returns\n\nA parcel is taken back.\n"));
    let found = hits(&shop, "taking a parcel back", &["--level", "doc"]);
    assert_eq!(found[0]["path"], "CHANGELOG.md");
    assert_eq!((&found[0]["lines"], &found[0]["preview"]), (&json!([41, 66]), &json!("Returns")));
    let all = hits(&shop, "the shop's customers, its name and edition", &["--level", "doc"]);
    assert!(all.iter().all(|hit| !hit["path"].as_str().unwrap().ends_with(".rs")), "{all:?}");
    assert!(texts(&all, "preview").contains(&"[package]"), "{all:?}");
}

#[test]
fn on_the_fixtures_what_is_meant_comes_first() {
    let sandbox = Sandbox::new(SHOP);
    for (fixture, query, level, path, name) in [
        (
            "user_service",
            "find a user by e-mail",
            "symbol",
            "src/services/user_service.rs",
            "UserService::find_by_email",
        ),
        ("user_service", "find a user by e-mail", "module", "src/services/mod.rs", "user_service::services"),
        ("user_service", "accounts table", "doc", "migrations/0001_users.sql", ""),
        ("auth_app", "verify a password hash", "file", "src/auth/password.rs", ""),
    ] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(fixture);
        let place = ["--level", level, "--workspace", folder.to_str().unwrap()];
        for mode in ["hybrid", "structural"] {
            let found = hits(&sandbox, query, &[&place[..], &["--mode", mode]].concat());
            let first = (found[0]["path"].as_str().unwrap(), found[0]["name"].as_str().unwrap_or_default());
            assert_eq!(first, (path, name), "{query}, {level}, {mode}");
        }
    }
}

#[test]
fn every_hit_has_what_the_protocol_says_and_reasons_that_add_up() {
    let shop = shop();
    for level in LEVELS {
        let run = shop.run(&["search", "how customers sign in with a password", "--level", level, "--json"]);
        let answer: SearchAnswer = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(serde_json::to_value(&answer).unwrap(), run.json(), "{level}");
        assert!(!answer.hits.is_empty(), "{level}");
        for (rank, hit) in (1..).zip(&answer.hits) {
            assert!(hit.rank == rank && hit.lines[0] >= 1 && hit.lines[0] <= hit.lines[1], "{hit:?}");
            let sum: f64 = hit.reasons.iter().map(|reason| reason.weight).sum();
            assert!((sum - hit.score).abs() < 1e-9 && !hit.reasons.is_empty(), "{hit:?}");
            assert!(hit.reasons.iter().all(|reason| !reason.detail.is_empty()), "{hit:?}");
            assert!(hit.preview.chars().any(char::is_alphanumeric), "{hit:?}");
        }
        let by_score = answer.hits.windows(2).all(|pair| pair[0].score >= pair[1].score);
        assert!(by_score, "{level}: {answer:?}");
    }
}

#[test]
fn the_order_is_the_same_each_time_and_equal_ones_go_by_path_and_line() {
    let shop = shop();
    for file in ["b", "a"] {
        shop.write(&format!("docs/{file}.md"), "A lighthouse.\n".repeat(80));
        shop.write(&format!("src/{file}.rs"), "pub fn lantern() {}\n\npub fn other_lantern() {}\n");
    }
    let sections = hits(&shop, "lighthouse", &["--level", "doc"]);
    let places: Vec<String> =
        sections.iter().map(|it| format!("{}:{}", it["path"], it["lines"][0])).collect();
    assert_eq!(places, ["\"docs/a.md\":1", "\"docs/a.md\":41", "\"docs/b.md\":1", "\"docs/b.md\":41"]);
    let items = hits(&shop, "lantern", &["--level", "symbol"]);
    let paths = texts(&items, "path");
    assert_eq!(paths, ["src/a.rs", "src/b.rs", "src/a.rs", "src/b.rs"]);
    for level in LEVELS {
        let page = || shop.run(&["search", "lantern lighthouse customer", "--level", level]).stdout;
        assert_eq!(page(), page(), "{level}");
    }
}

#[test]
fn tests_come_as_wanted() {
    let shop = shop();
    let names = |flags: &[&str]| {
        let found =
            hits(&shop, "a customer signs in, a card is charged", &[&["--level", "symbol"], flags].concat());
        texts(&found, "name").into_iter().map(str::to_owned).collect::<Vec<String>>()
    };
    let is_test = |name: &String| name == "a_customer_signs_in" || name == "tests::a_card_is_charged";
    assert_eq!(names(&[]).iter().filter(|name| is_test(name)).count(), 2);
    assert!(is_test(&names(&["--tests", "yes"])[0]));
    let without = names(&["--tests", "no"]);
    assert!(!without.iter().any(is_test) && without.contains(&"charge_card".to_owned()), "{without:?}");
    let files = hits(&shop, "a customer signs in", &["--tests", "no"]);
    assert!(!texts(&files, "path").contains(&"tests/signing_in.rs"));
}

#[test]
fn patterns_and_limits_hold() {
    let shop = shop();
    let paths = |flags: &[&str]| {
        let found = hits(&shop, "customer card login", flags);
        texts(&found, "path").into_iter().map(str::to_owned).collect::<Vec<String>>()
    };
    assert!(paths(&[]).len() > 2);
    assert_eq!(paths(&["--limit", "2"]).len(), 2);
    assert!(paths(&["--limit", "1000"]).len() > 2);
    assert!(paths(&["--include", "src/payment/"]).iter().all(|path| path.starts_with("src/payment/")));
    assert!(!paths(&["--exclude", "src/login.rs"]).contains(&"src/login.rs".to_owned()));
    shop.write("src/deep/keep.txt", "");
    let mut inside = shop.command(&["search", "customer card login", "--limit", "1"]);
    inside.current_dir(shop.ws("src/deep"));
    shop.finish(inside, Vec::new()).shows(&["src/"]);
}

#[test]
fn a_query_may_come_on_standard_input() {
    let shop = shop();
    let run =
        shop.run_with_input(&["search", "-", "--level", "symbol", "--limit", "1"], "charge a credit card\n");
    run.shows(&["charge_card (function)"]);
}

#[test]
fn secrets_are_masked_in_previews() {
    let shop = shop();
    let key = format!("AKIA{}", "Q7ZN4KPW2VXC6TRM");
    shop.write(
        "src/cloud.rs",
        format!("//! The cloud's key {key}\npub const CLOUD_KEY: &str = \"{key}\";\n"),
    );
    shop.write("docs/cloud.md", format!("# The cloud key {key}\n\nIt opens the cloud.\n"));
    shop.write("src/lib.rs", "pub mod cloud;\n");
    for level in LEVELS {
        for flag in [&["--json"][..], &[]] {
            let run = shop.run(&[&["search", "cloud key", "--level", level], flag].concat());
            run.shows(&["cloud", "[masked]"]);
            assert!(!run.stdout.contains(&key), "{level}: {}", run.stdout);
        }
    }
    let run = shop.run(&["search", &format!("cloud {key}"), "--json"]);
    assert!(!run.stdout.contains(&key), "{}", run.stdout);
}

#[test]
fn nothing_found_is_told() {
    let shop = shop();
    let run = shop.run(&["search", "zzyzx", "--level", "symbol"]);
    run.ends(1, &["nothing relevant found in SANDBOX/ws"]);
    assert_eq!(run.stdout, "");
    let run = shop.run(&["search", "zzyzx", "--level", "doc", "--json"]);
    assert_eq!(run.ends(1, &["nothing relevant found"]).json()["hits"], json!([]));
    // A folder without anything in it.
    let empty = Sandbox::new("");
    for level in LEVELS {
        empty.run(&["search", "login", "--level", level]).ends(1, &["nothing relevant found"]);
    }
}

#[test]
fn bad_input_is_told() {
    let shop = shop();
    shop.run(&["search", ""]).ends(2, &["the task is empty"]);
    shop.run(&["search", " \n\t"]).ends(2, &["the task is empty"]);
    shop.run_with_input(&["search", "-"], "").ends(2, &["standard input is empty"]);
    shop.run(&["search"]).ends(2, &["<QUERY>"]);
    for limit in ["0", "1001", "-1", "x", "99999999999999999999"] {
        shop.run(&["search", "login", "--limit", limit]).ends(2, &["--limit <N>"]);
    }
    shop.run(&["search", "login", "--mode", "magic"]).ends(2, &["semantic, structural, hybrid"]);
    shop.run(&["search", "login", "--level", "word"]).ends(2, &["symbol, file, module, doc"]);
    shop.run(&["search", "login", "--include", "{"]).ends(2, &["is not a glob"]);
    shop.run(&["search", "login", "--workspace", "nowhere"]).ends(2, &["--workspace"]);
    assert_eq!(shop.run_unread(&["search", "login", "--level", "symbol"]).code, 0);
}

#[test]
fn a_query_of_ten_million_characters_takes_seconds() {
    let shop = shop();
    let run = shop.run_with_input(&["search", "-", "--level", "symbol"], "login ".repeat(10_000_000 / 6));
    run.ends(0, &["only the first 8 MB of standard input are read"]).shows(&["src/login.rs:"]);
    assert!(run.took < FEW_SECONDS, "{:?}", run.took);
}

#[test]
fn queries_of_any_letters_are_answered_or_told() {
    let shop = shop();
    for query in ["!!! ::: ((", "\u{1f980}", "\u{202e}\u{1b}[2J", "--", "修复 login", "a\u{0301}b", "..", "/"]
    {
        for level in LEVELS {
            let run = shop.run(&["search", "--level", level, "--", query]);
            assert!(run.code == 0 || run.code == 1, "{query:?}: {run:?}");
            assert!(!run.stdout.contains(['\u{1b}', '\u{202e}']), "{}", run.stdout);
        }
    }
}

#[test]
fn without_an_embedder_a_search_by_meaning_says_what_to_do() {
    let shop = shop();
    let flags = ["search", "login", "--mode", "semantic"];
    let run = shop.run(&flags);
    run.ends(2, &["needs an embedder", "`dossier embedder use FOLDER`", "--mode structural"]);
    assert_eq!(run.stdout, "");
    let off = shop.run_with_variable(&flags, "DOSSIER_EMBEDDER", "off");
    off.ends(2, &["switched off", "`dossier embedder use FOLDER`"]);
    for level in LEVELS {
        let of = |mode| shop.run(&["search", "login of customers", "--level", level, "--mode", mode]).stdout;
        assert_eq!(of("hybrid"), of("structural"), "{level}");
    }
}

// With an embedder: texts with words in common lie close.

fn open(sandbox: &Sandbox) -> Workspace {
    Workspace::open(&sandbox.path("ws"), &WalkOptions::default(), &Deadline::never()).unwrap()
}

fn scripted() -> EmbedderSource {
    EmbedderSource::new(|| Ok(Arc::new(ScriptedEmbedder::new())))
}

/// All of it embedded.
fn understood(sandbox: &Sandbox) -> Workspace {
    let workspace = open(sandbox);
    workspace.understand(Arc::new(Meaning::open(Arc::new(ScriptedEmbedder::new()), None)));
    workspace.embed(&workspace.missing(&[]), &Deadline::never(), &|_| ()).unwrap();
    workspace
}

fn params(query: &str, mode: SearchMode, level: SearchLevel) -> SearchParams {
    let base = json!({ "workspace": "/w", "query": query });
    SearchParams { mode, level, ..serde_json::from_value(base).unwrap() }
}

fn asked(workspace: &Workspace, params: &SearchParams) -> SearchAnswer {
    search(workspace, &EmbedderSource::none(), params, &Deadline::never()).unwrap()
}

fn by_meaning(workspace: &Workspace, query: &str, level: SearchLevel) -> Vec<Hit> {
    let found = asked(workspace, &params(query, SearchMode::Semantic, level));
    assert_eq!(found.notes, []);
    found.hits
}

#[test]
fn by_meaning_what_is_closest_comes_first() {
    let workspace = understood(&shop());
    let found = by_meaning(&workspace, "charges a credit card once", SearchLevel::Symbol);
    let first = &found[0];
    assert_eq!((first.name.as_deref(), first.path.as_str()), (Some("charge_card"), "src/payment/card.rs"));
    assert_eq!((first.reasons.len(), first.reasons[0].signal.as_str()), (1, "meaning"));
    assert_eq!(first.reasons[0].detail, format!("close in meaning to the task: {:.2}", first.score));
    assert!(first.score > 0.3 && first.score <= 1.01, "{first:?}");
    assert!(found.windows(2).all(|pair| pair[0].score >= pair[1].score));
    let files = by_meaning(&workspace, "charges a credit card once", SearchLevel::File);
    assert_eq!((files[0].path.as_str(), files[0].score), ("src/payment/card.rs", first.score));
    assert_eq!(files[0].items[0], "charge_card");
    assert!(files[0].reasons[0].detail.ends_with(", `charge_card`"), "{:?}", files[0]);
    let modules = by_meaning(&workspace, "charges a credit card once", SearchLevel::Module);
    assert_eq!((modules[0].path.as_str(), modules[0].score), ("src/payment/mod.rs", first.score));
    assert_eq!(modules[0].files[0], "src/payment/card.rs");
    let sections = by_meaning(&workspace, "sells things, signs in a customer", SearchLevel::Doc);
    assert_eq!((sections[0].path.as_str(), sections[0].preview.as_str()), ("README.md", "Shop"));
    let all = params("a card is charged", SearchMode::Semantic, SearchLevel::Symbol);
    let is_test = |hit: &Hit| hit.name.as_deref() == Some("tests::a_card_is_charged");
    assert!(asked(&workspace, &all).hits.iter().any(is_test));
    assert!(!asked(&workspace, &SearchParams { tests: Some(false), ..all.clone() }).hits.iter().any(is_test));
    assert_eq!(asked(&workspace, &SearchParams { limit: 2, ..all }).hits.len(), 2);
}

#[test]
fn meaning_is_a_part_of_a_hybrid_score_and_none_of_a_structural_one() {
    let shop = shop();
    let workspace = understood(&shop);
    for level in [SearchLevel::Symbol, SearchLevel::File, SearchLevel::Doc] {
        let of = |mode| asked(&workspace, &params("signs a customer in", mode, level));
        let has_meaning = |hit: &Hit| hit.reasons.iter().any(|reason| reason.signal == "meaning");
        let hybrid = of(SearchMode::Hybrid).hits;
        assert!(hybrid.iter().any(has_meaning), "{level:?}: {hybrid:?}");
        for hit in &hybrid {
            let sum: f64 = hit.reasons.iter().map(|reason| reason.weight).sum();
            assert!((sum - hit.score).abs() < 1e-9, "{hit:?}");
        }
        let structural = of(SearchMode::Structural).hits;
        assert!(!structural.iter().any(has_meaning), "{level:?}");
        let without = asked(&open(&shop), &params("signs a customer in", SearchMode::Hybrid, level)).hits;
        assert_eq!(structural, without, "{level:?}");
    }
}

#[test]
fn what_is_embedded_in_part_is_told() {
    let sandbox = shop();
    let workspace = open(&sandbox);
    let params = params("charge a card", SearchMode::Semantic, SearchLevel::Symbol);
    let ask = |embedder: &EmbedderSource| search(&workspace, embedder, &params, &Deadline::never());
    assert!(matches!(ask(&EmbedderSource::none()), Err(SearchError::Off)));
    let failing = EmbedderSource::new(|| Err(Note::warning("the model is damaged")));
    let error = ask(&failing).unwrap_err().to_string();
    assert!(error.contains("the model is damaged") && error.contains("dossier embedder use"), "{error}");
    let error = ask(&scripted()).unwrap_err().to_string();
    assert!(error.contains("nothing is embedded") && error.contains("dossier index --embed"), "{error}");
    let missing = workspace.missing(&[]);
    workspace.embed(&missing[..missing.len() / 2], &Deadline::never(), &|_| ()).unwrap();
    let found = ask(&EmbedderSource::none()).unwrap();
    let share = (workspace.embedded().unwrap() * 100.0).floor();
    assert!(found.notes[0].text.starts_with(&format!("{share} % of the workspace is embedded")), "{found:?}");
    workspace.embed(&missing, &Deadline::never(), &|_| ()).unwrap();
    assert_eq!(ask(&EmbedderSource::none()).unwrap().notes, []);
}

#[test]
fn a_query_that_cannot_be_embedded_in_time_is_told() {
    let workspace = understood(&shop());
    let over = Deadline::after(Duration::ZERO);
    let params = params("charge a card", SearchMode::Semantic, SearchLevel::Symbol);
    let error = search(&workspace, &EmbedderSource::none(), &params, &over).unwrap_err().to_string();
    assert!(error.contains("the query's own meaning"), "{error}");
}
