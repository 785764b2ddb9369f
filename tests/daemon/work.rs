//! What it is for: the same answers, sooner, and never of yesterday.

use crate::daemon::{Daemon, until};

#[test]
fn the_first_command_works_here_and_starts_it_and_the_next_ones_ask_it() {
    let daemon = Daemon::sandbox();
    let first = daemon.run(&["context", "pay the Basket"]);
    first.shows("pub fn pay");
    daemon.is_there();
    let second = daemon.run(&["context", "pay the Basket"]);
    assert_eq!(second.stdout, first.stdout);
    assert_eq!(daemon.run(&["context", "pay the Basket", "--no-daemon"]).stdout, first.stdout);
    let status = daemon.status();
    assert_eq!(status["workspaces"][0]["is_watched"], true, "{status}");
    assert_eq!(status["workspaces"][0]["files"], 4, "{status}");
    daemon.run(&["daemon", "status"]).shows("4, generation ");
}

#[test]
fn every_form_of_answer_is_the_same_with_it_and_without() {
    let daemon = Daemon::started();
    for arguments in [
        &["context", "pay the Basket", "--format", "xml"][..],
        &["context", "pay the Basket", "--format", "plain", "--line-numbers"],
        &["context", "pay the Basket", "--no-content", "--token-budget", "300"],
        &["context", "pay the Basket", "--exclude", "src/pay.rs"],
        &["context", "the quick brown fox jumps over lazy dogs tonight"],
        &["context", "pay", "--token-budget", "3"],
        &["context", "pay", "--include", "{"],
        &["graph", "callers", "Basket::pay"],
        &["graph", "usages", "Basket", "--json"],
        &["graph", "methods", "Nobody"],
        &["search", "pay the Basket"],
        &["search", "pay the Basket", "--level", "symbol", "--mode", "structural", "--limit", "2"],
        &["search", "pay the Basket", "--level", "module", "--tests", "no"],
        &["search", "shop", "--level", "doc"],
        &["search", "shelf", "--level", "symbol", "--exclude", "src/stock.rs"],
        &["search", "pay the Basket", "--mode", "semantic"],
        &["search", "zzyzx", "--level", "symbol"],
    ] {
        let with = daemon.run(arguments);
        let without = daemon.run(&[arguments, &["--no-daemon"]].concat());
        assert_eq!(with.code, without.code, "{arguments:?}: {with:?}, {without:?}");
        assert_eq!(with.stdout, without.stdout, "{arguments:?}");
        assert_eq!(with.stderr, without.stderr, "{arguments:?}");
    }
    let explained = |more: &[&str]| {
        let arguments = [&["context", "pay the Basket", "--explain-context"][..], more].concat();
        let page = daemon.run(&arguments).stdout;
        // All but the times of the stages.
        page.lines()
            .filter(|line| !line.starts_with("time") && !line.contains(" ms"))
            .collect::<Vec<_>>()
            .join("\n")
    };
    assert_eq!(explained(&[]), explained(&["--no-daemon"]));
    assert!(daemon.status()["answered"].as_u64().unwrap() >= 10);
}

#[test]
fn past_commits_count_the_same_however_often_they_are_asked() {
    let daemon = Daemon::started();
    daemon.sandbox.git(&["init", "--quiet"]);
    daemon.sandbox.commit("The shop: pay for what is in the basket, count the shelf, and pay again");
    for round in 0..5 {
        daemon.sandbox.write("src/stock.rs", format!("pub fn shelf_count() -> u32 {{ {round} }}\n"));
        daemon.sandbox.commit(&format!("Count the shelf once more, for round {round} of the stock"));
    }
    for task in ["Count the shelf of the stock once more", "pay for the basket and count", "a round of pay"] {
        let arguments = ["context", task, "--format", "json", "--fresh"];
        let ranking = |more: &[&str]| {
            let ran = daemon.run(&[&arguments, more].concat());
            let pack: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
            (pack["files"].clone(), pack["ranking"].clone())
        };
        assert_eq!(ranking(&[]), ranking(&["--no-daemon"]), "{task}");
    }
}

#[test]
fn an_edit_is_known_to_the_next_answer() {
    let daemon = Daemon::started();
    daemon.run(&["context", "shelf_count"]).shows("{ 3 }");
    for round in 0..20 {
        daemon.sandbox.write("src/stock.rs", format!("pub fn shelf_count() -> u32 {{ 1000 + {round} }}\n"));
        daemon.run(&["context", "shelf_count"]).shows(&format!("1000 + {round} "));
    }
    daemon.sandbox.write("src/deep/new/place.rs", "pub fn warehouse_door() {}\n");
    daemon.run(&["context", "warehouse_door"]).shows("src/deep/new/place.rs");
    daemon.sandbox.write("src/deep/new/other.rs", "pub fn loading_ramp() {}\n");
    daemon.run(&["context", "loading_ramp"]).shows("src/deep/new/other.rs");
    std::fs::remove_dir_all(daemon.sandbox.ws("src/deep")).unwrap();
    assert!(!daemon.run(&["context", "loading_ramp"]).stdout.contains("deep"));
    daemon.sandbox.write(".gitignore", "stock.rs\n");
    assert!(!daemon.run(&["context", "shelf_count"]).stdout.contains("stock.rs"));
}

#[test]
fn a_branch_switch_is_one_change() {
    let daemon = Daemon::started();
    let sandbox = &daemon.sandbox;
    sandbox.git(&["init", "--quiet", "--initial-branch", "main"]);
    sandbox.commit("one");
    sandbox.git(&["checkout", "--quiet", "-b", "other"]);
    for file in 0..300 {
        sandbox.write(&format!("src/part{file}.rs"), format!("pub fn part_number_{file}() {{}}\n"));
    }
    sandbox.commit("many");
    sandbox.git(&["checkout", "--quiet", "main"]);
    daemon.run(&["context", "shelf_count"]).shows("{ 3 }");
    let before = generation(&daemon);
    sandbox.git(&["checkout", "--quiet", "other"]);
    daemon.run(&["context", "part_number_299", "--fresh"]).shows("src/part299.rs");
    sandbox.git(&["checkout", "--quiet", "main"]);
    let back = daemon.run(&["context", "part_number_299", "--fresh", "--format", "json"]).stdout;
    assert!(!back.contains("src/part299.rs"), "{back}");
    assert!(generation(&daemon) <= before + 20, "bursts are taken together");
    assert_eq!(daemon.status()["workspaces"][0]["files"], 4);
}

fn generation(daemon: &Daemon) -> u64 {
    daemon.status()["workspaces"][0]["freshness"]["generation"].as_u64().unwrap()
}

#[test]
fn several_workspaces_and_views_are_apart() {
    let daemon = Daemon::started();
    daemon
        .sandbox
        .put("other/Cargo.toml", "[package]\nname = \"other\"\nversion = \"0.1.0\"\nedition = \"2024\"\n");
    daemon.sandbox.put("other/src/lib.rs", "pub fn harbour_crane() {}\n");
    let other = daemon.sandbox.path("other");
    daemon
        .run(&["context", "harbour_crane", "--workspace", other.to_str().unwrap()])
        .shows("pub fn harbour_crane");
    daemon.run(&["context", "shelf_count"]).shows("{ 3 }");
    let narrow = daemon.run(&["context", "shelf_count", "--exclude", "src/stock.rs"]);
    assert!(!narrow.stdout.contains("stock.rs"));
    assert_eq!(daemon.status()["workspaces"].as_array().unwrap().len(), 3);
}

#[test]
fn many_clients_at_once_are_all_answered() {
    let daemon = Daemon::started();
    let wanted = daemon.run(&["context", "pay the Basket"]).stdout;
    std::thread::scope(|scope| {
        for client in 0..8 {
            let (daemon, wanted) = (&daemon, &wanted);
            scope.spawn(move || {
                let mut wire = daemon.wire();
                for round in 0..25 {
                    match (client + round) % 3 {
                        0 => {
                            let answer = wire.ask("dossier/context", daemon.task("pay the Basket"));
                            assert_eq!(answer["result"]["text"].as_str(), Some(wanted.as_str()));
                        }
                        1 => {
                            let answer = wire.ask("dossier/search", daemon.task("shelf count"));
                            assert_eq!(answer["result"]["hits"][0]["path"], "src/stock.rs");
                        }
                        _ => assert!(wire.ask("dossier/status", serde_json::json!({}))["result"].is_object()),
                    }
                }
            });
        }
    });
    assert!(daemon.status()["answered"].as_u64().unwrap() > 200);
}

#[test]
fn what_it_learnt_is_on_disk_when_it_ends() {
    let daemon = Daemon::started();
    daemon.run(&["context", "shelf_count"]);
    daemon.sandbox.write("src/stock.rs", "pub fn shelf_count() -> u32 { 77 }\n");
    daemon.run(&["context", "shelf_count"]).shows("{ 77 }");
    daemon.run(&["daemon", "stop"]).ends(0, "has ended");
    until("the lock is free", || daemon.run(&["daemon", "status"]).code == 1);
    let status = daemon.run(&["index", "--status"]);
    status.shows("changed     0 since");
}
