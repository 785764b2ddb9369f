//! The two cases that the tool was thought up for, on crates that really build: `fixtures/cases.json` says what is wanted.

use std::collections::BTreeSet;
use std::path::Path;

use dossier::budget::{ContextPack, Entry, Level};
use dossier::config::DEFAULT_BUDGET;
use dossier::model::{Deadline, SignalKind};
use dossier::pipeline::{LanguageServer, Planner, Request, Workspace};
use dossier::render::RenderOptions;
use dossier::workspace::WalkOptions;
use serde::Deserialize;

#[derive(Debug, Deserialize)]
struct Case {
    fixture: String,
    query: String,
    wanted: BTreeSet<String>,
    #[serde(default)]
    skeleton: Vec<String>,
    /// Names of items that must be shown, by file.
    #[serde(default)]
    items: std::collections::BTreeMap<String, Vec<String>>,
    /// Files that only list others: they may stand anywhere.
    glue: BTreeSet<String>,
}

fn case(fixture: &str) -> Case {
    let cases: Vec<Case> = serde_json::from_str(include_str!("../fixtures/cases.json")).unwrap();
    cases.into_iter().find(|case| case.fixture == fixture).unwrap()
}

/// The answer to a case, from a copy of the fixture in a folder without a history: the history of this repository says
/// nothing about it.
fn answer(case: &Case) -> (Workspace, ContextPack) {
    answer_with(case, None, None)
}

fn answer_with(case: &Case, depth: Option<u32>, tests: Option<bool>) -> (Workspace, ContextPack) {
    let folder = tempfile::tempdir().unwrap();
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(&case.fixture), folder.path());
    let workspace = Workspace::open(folder.path(), &WalkOptions::default(), &Deadline::never()).unwrap();
    let request = Request { depth, tests, ..Request::new(&case.query, DEFAULT_BUDGET) };
    let pack = workspace
        .answer(
            &request,
            &LanguageServer::absent(&workspace.snapshot.root),
            &Planner::rules(),
            &Deadline::never(),
        )
        .unwrap()
        .pack;
    (workspace, pack)
}

fn copy(from: &Path, to: &Path) {
    for entry in std::fs::read_dir(from).unwrap().flatten() {
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        if entry.file_name() == "target" {
            continue;
        }
        if source.is_dir() {
            std::fs::create_dir_all(&target).unwrap();
            copy(&source, &target);
        } else {
            std::fs::copy(&source, &target).unwrap();
        }
    }
}

fn entry<'a>(pack: &'a ContextPack, path: &str) -> &'a Entry {
    let found = pack.files.iter().find(|entry| entry.path == path);
    found.unwrap_or_else(|| panic!("{path} is not in the pack: {:?}", paths(pack)))
}

fn paths(pack: &ContextPack) -> Vec<&str> {
    pack.files.iter().map(|entry| entry.path.as_str()).collect()
}

#[test]
fn implement_authentication_gives_all_that_it_touches_before_anything_else() {
    let case = case("auth_app");
    let (_, pack) = answer(&case);
    let last = case.wanted.iter().map(|path| entry(&pack, path).rank).max().unwrap();
    let strangers: Vec<&Entry> = pack
        .files
        .iter()
        .filter(|entry| !case.wanted.contains(&entry.path) && !case.glue.contains(&entry.path))
        .filter(|entry| entry.rank < last)
        .collect();
    assert!(strangers.is_empty(), "before the last wanted file ({last}): {:?}", paths(&pack));
    for path in &case.wanted {
        let level = entry(&pack, path).level;
        assert!(level > Level::Mention, "{path} is only mentioned");
        assert_eq!(level == Level::Skeleton, case.skeleton.contains(path), "{path} is at {level:?}");
    }
}

#[test]
fn a_bug_in_one_method_gives_what_hangs_together_with_it_and_nothing_else() {
    let case = case("user_service");
    let (workspace, pack) = answer(&case);
    let found: BTreeSet<String> = pack.files.iter().map(|entry| entry.path.clone()).collect();
    assert_eq!(found, case.wanted);
    assert_eq!(entry(&pack, "src/services/user_service.rs").level, Level::Ranges);
    for (path, names) in &case.items {
        for name in names {
            let shown = workspace.graph.definitions(name).into_iter().any(|id| {
                let file = workspace.snapshot.file(id.file);
                let items = &workspace.syntax[id.file.index()].as_ref().unwrap().items;
                let lines = dossier::text::LineIndex::new(&file.text).lines(items[id.item as usize].span);
                file.path == *path
                    && entry(&pack, path)
                        .ranges
                        .iter()
                        .any(|range| range.first <= lines.first && lines.last <= range.last)
            });
            assert!(shown, "{path}: {name} is not shown whole: {:?}", entry(&pack, path).ranges);
        }
    }
    let users = entry(&pack, "src/models/user.rs");
    let shown: u32 = users.ranges.iter().map(|range| range.count()).sum();
    assert!(shown <= 15, "more than the definition of User: {:?}", users.ranges);
}

#[test]
fn tests_stay_out_where_the_user_wants_none() {
    for (fixture, test) in [("user_service", "tests/user_service.rs"), ("auth_app", "tests/auth.rs")] {
        let case = case(fixture);
        assert!(paths(&answer(&case).1).contains(&test));
        let pack = answer_with(&case, None, Some(false)).1;
        assert!(!pack.ranking.iter().any(|path| path.starts_with("tests/")), "{:?}", pack.ranking);
    }
}

#[test]
fn more_steps_bring_more_of_what_hangs_together() {
    let case = case("user_service");
    let lines = |pack: &ContextPack| -> u32 {
        pack.files.iter().flat_map(|entry| &entry.ranges).map(|range| range.count()).sum()
    };
    let (near, far) = (answer(&case).1, answer_with(&case, Some(3), None).1);
    assert!(near.files.iter().all(|entry| paths(&far).contains(&entry.path.as_str())), "{:?}", paths(&far));
    assert!(lines(&far) > lines(&near), "{} and {} lines", lines(&far), lines(&near));
}

#[test]
fn a_path_inside_a_registry_leads_to_the_package_that_is_here() {
    let path =
        "/h/.cargo/registry/src/index.crates.io-6f17d22bba15001f/user_service-0.1.0/src/blocklist.rs:9:5";
    let case = Case { query: format!("It panics at {path}"), ..case("user_service") };
    let pack = answer(&case).1;
    let reasons = &entry(&pack, "src/blocklist.rs").reasons;
    assert!(reasons.iter().any(|reason| reason.kind == SignalKind::QuotedPath), "{reasons:?}");
}

#[test]
fn the_same_question_gives_the_same_bytes() {
    for fixture in ["auth_app", "user_service"] {
        let case = case(fixture);
        let render = |pack: &ContextPack| dossier::render::render(pack, &RenderOptions::default());
        let (first, second) = (answer(&case).1, answer(&case).1);
        assert_eq!(render(&first), render(&second));
    }
}
