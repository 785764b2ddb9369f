//! `dossier eval --from-history`: tasks from the user's own repository, whatever that repository is like.

use serde_json::{Value, json};

use crate::support::{Run, SHOP, Sandbox, git};

/// A repository of six commits, two of which make a task.
fn shop() -> Sandbox {
    let sandbox = Sandbox::new(SHOP);
    sandbox.git(&["init", "--quiet"]);
    sandbox.commit("Write the shop with all of its parts");
    let basket = std::fs::read_to_string(sandbox.ws("src/basket.rs")).unwrap();
    let basket = basket.replace("Vec<String>", "Vec<u64>");
    sandbox.write("src/basket.rs", &basket);
    sandbox
        .commit("feat(basket)!: items of the basket are numbers in src/basket.rs (#12)\n\nSigned-off-by: a");
    sandbox.write("README.md", "A shop.\n");
    sandbox.commit("Tell what the shop is about");
    let lines = "{\n    pub items: Vec<u64>,\n}";
    sandbox.write("src/basket.rs", basket.replace(lines, "{ pub items: Vec<u64> }"));
    sandbox.commit("Write the basket on one line");
    let login = std::fs::read_to_string(sandbox.ws("src/login.rs")).unwrap();
    sandbox.write("src/login.rs", login.replace("!name.is_empty()", "name.len() > 3"));
    sandbox.write("tests/login.rs", "#[test]\nfn short_names_are_refused() {}\n");
    sandbox.commit("Refuse customers with short names at the login");
    sandbox.write("src/stock.rs", "//! What lies on the shelves.\n\npub struct Shelf(pub u64);\n");
    sandbox.commit("wip");
    sandbox
}

/// Runs `--from-history` in the workspace; the tasks and the report that were written.
fn from_history(sandbox: &Sandbox, count: &str, more: &[&str]) -> (Run, Vec<Value>, Value) {
    let path = |name: &str| sandbox.path(name).display().to_string();
    let [work, tasks, report] = ["work", "mine.jsonl", "report.json"].map(path);
    let flags = ["--work", &work, "--write-tasks", &tasks, "--json", &report];
    let run = sandbox.run(&[&["eval", "--from-history", count], &flags[..], more].concat());
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let tasks = read(&tasks).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let report = serde_json::from_str(&read(&report)).unwrap_or(Value::Null);
    (run, tasks, report)
}

#[test]
fn past_commits_become_tasks_in_the_state_before_them() {
    let sandbox = shop();
    // As if a run had been killed there.
    sandbox.put("work/ws/moving-0/src/half.rs", "pub fn login_of_a_broken_off_checkout() {}\n");
    let (run, tasks, report) = from_history(&sandbox, "5", &["--jobs", "2"]);
    run.shows(&["ws ", "all ", "all (2 tasks)"]).ends(
        0,
        &[
            "2 tasks instead of 5 of all 6 commits",
            "1 change no Rust source that was there before",
            "1 change only the formatting",
            "1 have a message that says too little",
            "1 have no parent here",
        ],
    );
    let parent = |back: &str| sandbox.git(&["rev-parse", back]);
    let id = |commit: &str| format!("ws@{}", &parent(commit)[..10]);
    assert_eq!(
        tasks,
        [
            json!({"id": id("HEAD~1"), "repo": "ws", "snapshot": parent("HEAD~2"),
                "query": "Refuse customers with short names at the login", "modified": ["src/login.rs"],
                "tests": [], "used": [], "regions": {"src/login.rs": [[9, 9]]}}),
            json!({"id": id("HEAD~4"), "repo": "ws", "snapshot": parent("HEAD~5"),
                "query": "items of the basket are numbers in", "modified": ["src/basket.rs"],
                "tests": [], "used": [], "regions": {"src/basket.rs": [[4, 4]]}}),
        ]
    );
    assert_eq!(report["tasks"], 2);
    assert_eq!(report["outcomes"][0]["ranks"], json!({"src/login.rs": 1}));
    // Nothing of the checkouts is left but what keeps other runs out.
    let left: Vec<_> = std::fs::read_dir(sandbox.path("work/ws")).unwrap().flatten().collect();
    assert!(left.iter().all(|entry| entry.path().extension().is_some_and(|end| end == "lock")), "{left:?}");
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "");
}

#[test]
fn tasks_that_were_written_give_the_same_again() {
    let sandbox = shop();
    let (_, _, first) = from_history(&sandbox, "2", &[]);
    let path = |name: &str| sandbox.path(name).display().to_string();
    let [work, tasks, report] = ["work", "mine.jsonl", "again.json"].map(path);
    for repos in [".", ".."] {
        let run =
            sandbox.run(&["eval", "--tasks", &tasks, "--repos", repos, "--work", &work, "--json", &report]);
        run.ends(0, &[]);
        let again: Value = serde_json::from_str(&std::fs::read_to_string(&report).unwrap()).unwrap();
        assert_eq!((&again["means"], &again["intervals"]), (&first["means"], &first["intervals"]));
    }
    // A history that was rewritten has lost the snapshots.
    sandbox.git(&["checkout", "--quiet", "--orphan", "new"]);
    sandbox.commit("All of it at once");
    sandbox.git(&["branch", "--quiet", "-D", "master"]);
    sandbox.git(&["reflog", "expire", "--expire=now", "--all"]);
    sandbox.git(&["gc", "--quiet", "--prune=now"]);
    std::fs::remove_dir_all(&work).unwrap();
    let run = sandbox.run(&["eval", "--tasks", &tasks, "--repos", ".", "--work", &work]);
    run.ends(2, &["no checkout could be made", "a history that was rewritten since has lost it"]);
}

#[test]
fn what_came_later_is_not_seen() {
    let sandbox = Sandbox::new(SHOP);
    sandbox.git(&["init", "--quiet"]);
    sandbox.commit("Write the shop with all of its parts");
    // Only a later commit says what quokkas have to do with the stock.
    for (number, file) in [(1, "src/login.rs"), (2, "src/stock.rs"), (3, "src/stock.rs")] {
        sandbox.write(file, format!("//! State {number}.\n\npub struct Part{number}(pub u64);\n"));
        sandbox.commit("Frobnicate every quokka of theirs");
    }
    let (run, tasks, report) = from_history(&sandbox, "3", &["--jobs", "1"]);
    run.ends(0, &[]);
    assert_eq!(tasks.len(), 3);
    let ranks: Vec<&Value> =
        report["outcomes"].as_array().unwrap().iter().map(|outcome| &outcome["ranks"]).collect();
    // The newest knows of the two before it; of the second only the login was ever changed; of the first nothing.
    assert_ne!(ranks[0]["src/stock.rs"], json!(null));
    assert_eq!(ranks[1]["src/stock.rs"], json!(null));
    assert_eq!(ranks[2]["src/login.rs"], json!(null));
}

#[test]
fn a_repository_without_tasks_is_told() {
    let sandbox = Sandbox::new(SHOP);
    from_history(&sandbox, "5", &[]).0.ends(2, &["no tasks can be made of its history: no git repository"]);
    sandbox.git(&["init", "--quiet"]);
    from_history(&sandbox, "5", &[]).0.ends(2, &["the git repository has no commit yet"]);
    sandbox.commit("Write the shop with all of its parts");
    from_history(&sandbox, "5", &[])
        .0
        .ends(2, &["0 tasks instead of 5 of all 1 commits", "1 have no parent here"]);
    std::fs::write(sandbox.ws(".git/HEAD"), "garbage").unwrap();
    from_history(&sandbox, "5", &[]).0.ends(2, &["no tasks can be made of its history"]);
    for (arguments, said) in [
        (&["--from-history", "0"][..], "0 is not in 1..=10000"),
        (&["--from-history", "x"], "invalid"),
        (&["--from-history", "5", "nowhere"], "cannot open the workspace nowhere"),
        (&["--from-history", "5", "--tasks", "x", "--repos", "."], "cannot be used with"),
        (&["--from-history", "5", "--repos", "."], "cannot be used with"),
        (&["."], "required"),
        (&[], "required"),
        (&["--tasks", "x"], "--repos"),
    ] {
        sandbox.run(&[&["eval"], arguments].concat()).ends(2, &[said]);
    }
}

#[test]
fn merges_moves_and_great_changes_are_left_out() {
    let sandbox = Sandbox::new(SHOP);
    sandbox.git(&["init", "--quiet", "--initial-branch=main"]);
    for n in 0..12 {
        sandbox.write(&format!("src/part_{n}.rs"), format!("pub fn part_{n}() -> u32 {{ {n} }}\n"));
    }
    sandbox.commit("Write the shop with all of its parts");
    for n in 0..11 {
        sandbox.write(&format!("src/part_{n}.rs"), format!("pub fn part_{n}() -> u32 {{ {n} + 1 }}\n"));
    }
    sandbox.commit("Count every part of the shop from one");
    for n in 0..5 {
        let (old, new) = (format!("src/part_{n}.rs"), format!("src/piece_{n}.rs"));
        sandbox.git(&["mv", &old, &new]);
    }
    sandbox.commit("Call the first parts of the shop pieces");
    sandbox.git(&["checkout", "--quiet", "-b", "side"]);
    sandbox.write("src/part_11.rs", "pub fn part_11() -> u32 { 42 }\n");
    sandbox.commit("Answer every question with the eleventh part");
    sandbox.git(&["checkout", "--quiet", "main"]);
    sandbox.write("src/stock.rs", "//! What lies on the shelves.\n\npub struct Shelf(pub u64);\n");
    sandbox.commit("Let a shelf hold more of everything");
    sandbox.git(&["merge", "--quiet", "--no-ff", "--message", "Take the answers in from the side", "side"]);
    let (run, tasks, _) = from_history(&sandbox, "9", &[]);
    run.ends(0, &["1 are merges", "1 change too many files", "1 move files", "1 have no parent here"]);
    let mut queries: Vec<&str> = tasks.iter().map(|task| task["query"].as_str().unwrap()).collect();
    queries.sort();
    assert_eq!(
        queries,
        ["Answer every question with the eleventh part", "Let a shelf hold more of everything"]
    );
}

#[test]
fn a_long_history_is_not_read_to_its_end() {
    let sandbox = Sandbox::new(SHOP);
    sandbox.git(&["init", "--quiet", "--initial-branch=main"]);
    let mut script = String::new();
    for n in 0..2_500 {
        let message = format!("note number {n} down");
        let (time, length) = (1_700_000_000 + n, message.len());
        script.push_str(&format!(
            "commit refs/heads/main\ncommitter c <c@example.org> {time} +0000\ndata {length}\n{message}\n\
             M 100644 inline notes.md\ndata {}\n{n}\n",
            n.to_string().len()
        ));
    }
    sandbox.git_with_input(&["fast-import", "--quiet"], &script);
    sandbox.git(&["reset", "--quiet", "--hard"]);
    let (run, _, _) = from_history(&sandbox, "5", &[]);
    run.ends(2, &["0 tasks instead of 5 of the newest 2000 commits; left out: 2000 change no Rust source"]);
}

#[test]
fn shallow_clones_linked_worktrees_submodules_and_bare_repositories_serve() {
    let sandbox = shop();
    let all = |name: &str| sandbox.path(name);
    let url = format!("file://{}", all("ws").display());
    git(&all(""), &["clone", "--quiet", "--depth", "3", &url, "shallow"]);
    git(&all("ws"), &["worktree", "add", "--quiet", "../linked", "HEAD~1"]);
    git(&all(""), &["clone", "--quiet", "--bare", "ws", "bare.git"]);
    std::fs::create_dir(all("super")).unwrap();
    git(&all("super"), &["init", "--quiet"]);
    git(&all("super"), &["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &url, "sub"]);
    git(&all("super"), &["commit", "--quiet", "--message", "Take the shop in"]);
    for (place, repo, count) in [
        ("shallow", "shallow", 1),
        ("linked", "ws", 2),
        ("bare.git", "bare", 2),
        ("super/sub", "sub", 2),
        ("ws/src", "ws", 2),
    ] {
        let place = all(place).display().to_string();
        let (run, tasks, report) = from_history(&sandbox, "2", &[&place]);
        run.ends(0, &[]);
        assert_eq!(tasks.len(), count, "{place}: {}", run.stderr);
        assert_eq!(tasks[0]["repo"], repo);
        assert_eq!(report["outcomes"][0]["ranks"], json!({"src/login.rs": 1}), "{place}");
        if place.ends_with("shallow") {
            run.ends(0, &["1 have no parent here"]);
        }
    }
    // The one around the submodule has no code of its own, and is not led into it.
    let around = all("super").display().to_string();
    from_history(&sandbox, "2", &[&around]).0.ends(2, &["0 tasks instead of 2 of all 1 commits"]);
}

#[test]
fn a_workspace_in_a_folder_is_measured_by_itself() {
    let sandbox = Sandbox::new("");
    sandbox.write("tools/shop/Cargo.toml", "[package]\nname = \"shop\"\nversion = \"0.1.0\"\n");
    sandbox.write("tools/shop/src/lib.rs", "pub fn login() -> bool { true }\n");
    sandbox.write("other/src/lib.rs", "pub fn other() {}\n");
    sandbox.git(&["init", "--quiet"]);
    sandbox.commit("Write all of it down");
    sandbox.write("tools/shop/src/lib.rs", "pub fn login() -> bool { false }\n");
    sandbox.write("other/src/lib.rs", "pub fn other() -> u8 { 1 }\n");
    sandbox.commit("Refuse everybody at the login");
    sandbox.write("other/src/lib.rs", "pub fn other() -> u8 { 2 }\n");
    sandbox.commit("Count the others from two on");
    let folder = sandbox.ws("tools/shop").display().to_string();
    let (run, tasks, report) = from_history(&sandbox, "5", &[&folder]);
    run.ends(0, &["1 tasks instead of 5", "1 change no Rust source"]);
    assert_eq!((&tasks[0]["folder"], &tasks[0]["modified"]), (&json!("tools/shop"), &json!(["src/lib.rs"])));
    assert_eq!(report["outcomes"][0]["ranks"], json!({"src/lib.rs": 1}));
}

#[test]
fn commits_whose_files_are_not_there_cost_no_others() {
    let sandbox = shop();
    let blob = sandbox.git(&["rev-parse", "HEAD~4:src/basket.rs"]);
    let (folder, rest) = blob.split_at(2);
    let object = sandbox.ws(&format!(".git/objects/{folder}/{rest}"));
    std::fs::remove_file(object).unwrap();
    let (run, tasks, _) = from_history(&sandbox, "5", &[]);
    // The task of the login begins in a state that does have all its files.
    assert_eq!(tasks.len(), 1, "{}", run.stderr);
    run.ends(0, &["cannot be compared with their parents (a partial clone?)", "git: "]);
}
