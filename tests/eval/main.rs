//! `dossier eval` on repositories made for it, whose measures can be told by hand; `dossier graph` on a fixture whose answers
//! can be read in its code.

mod compare;
mod graph;
mod history;
#[path = "../support/mod.rs"]
mod support;

use std::path::PathBuf;

use serde_json::{Value, json};
use support::{Run, SHOP, Sandbox, git};

/// The repository `acme/shop` of three commits, in a folder of repositories.
struct Evaluation {
    sandbox: Sandbox,
    first: String,
    /// The snapshot of most tasks.
    second: String,
    /// What came later.
    third: String,
}

impl Evaluation {
    fn new() -> Evaluation {
        let sandbox = Sandbox::new(SHOP);
        sandbox.git(&["init", "--quiet"]);
        let first = sandbox.commit("Write it");
        sandbox.write(
            "src/basket.rs",
            "//! What somebody buys.\n\npub struct Basket {\n    pub items: Vec<u64>,\n}\n",
        );
        let second = sandbox.commit("Reprice the zebra invoices");
        sandbox.write("src/stock.rs", "//! What lies on the shelves.\n\npub struct Shelf(pub u64);\n");
        let third = sandbox.commit("Frobnicate every quokka");
        git(&sandbox.path(""), &["clone", "--quiet", "--bare", "ws", "repos/acme+shop"]);
        Evaluation { sandbox, first, second, third }
    }

    fn task(&self, id: &str, query: &str, modified: &[&str]) -> Value {
        json!({"id": id, "repo": "acme/shop", "snapshot": self.second, "query": query, "modified": modified})
    }

    /// Runs the tasks, one a line, and reads the report.
    fn run(&self, tasks: &[String]) -> (Run, Value) {
        self.run_with(tasks, &[], &[])
    }

    fn run_with(&self, tasks: &[String], flags: &[&str], variables: &[(&str, &str)]) -> (Run, Value) {
        let report = self.report();
        let _ = std::fs::remove_file(&report);
        let shown = report.display().to_string();
        let run = self.finish(tasks, &[&["--json", &shown], flags].concat(), variables);
        let text = std::fs::read_to_string(report).unwrap_or_else(|_| "null".to_owned());
        (run, serde_json::from_str(&text).unwrap())
    }

    /// Runs the tasks without a report.
    fn finish(&self, tasks: &[String], flags: &[&str], variables: &[(&str, &str)]) -> Run {
        self.sandbox.put("tasks.jsonl", tasks.join("\n"));
        let path = |name: &str| self.sandbox.path(name).display().to_string();
        let [tasks, repos, work] = ["tasks.jsonl", "repos", "work"].map(path);
        let arguments = ["eval", "--tasks", &tasks, "--repos", &repos, "--work", &work];
        let mut command = self.sandbox.command(&[&arguments, flags].concat());
        command.envs(variables.iter().copied());
        self.sandbox.finish(command, Vec::new())
    }

    fn report(&self) -> PathBuf {
        self.sandbox.path("report.json")
    }
}

fn outcome<'r>(report: &'r Value, id: &str) -> &'r Value {
    let outcomes = report["outcomes"].as_array().unwrap();
    outcomes.iter().find(|outcome| outcome["id"] == id).unwrap_or_else(|| panic!("{id}: {report:#}"))
}

#[track_caller]
fn is_near(value: &Value, expected: f64) {
    let value = value.as_f64().unwrap();
    assert!((value - expected).abs() < 1e-9, "{value} is not {expected}");
}

#[test]
fn measures_are_what_a_hand_counts() {
    let evaluation = Evaluation::new();
    let mut login = evaluation.task("login", "Fix the login of customers", &["src/login.rs"]);
    login["regions"] = json!({"src/login.rs": [[4, 6], [6, 8]]});
    let half = evaluation.task("half", "Fix the login of customers", &["src/login.rs", "src/never_there.rs"]);
    let none = evaluation.task("none", "Frobnicate every quokka", &["src/stock.rs"]);
    let (run, report) = evaluation.run(&[login, half, none].map(|task| task.to_string()));
    run.ends(0, &[]).shows(&["acme/shop", "all ", "hit@1", "pack_lines"]);

    let login = outcome(&report, "login");
    assert_eq!(login["ranks"], json!({"src/login.rs": 1}));
    for (measure, expected) in [
        ("hit@1", 1.0),
        ("any@10", 1.0),
        ("all@10", 1.0),
        ("recall@10", 1.0),
        ("mrr", 1.0),
        ("prec@10", 0.1),
        ("pack_touch", 1.0),
        ("pack_lines", 1.0),
    ] {
        is_near(&login[measure], expected);
    }
    let half = outcome(&report, "half");
    assert_eq!(half["ranks"], json!({"src/login.rs": 1, "src/never_there.rs": null}));
    for (measure, expected) in
        [("hit@1", 1.0), ("any@10", 1.0), ("all@10", 0.0), ("all@20", 0.0), ("recall@10", 0.5)]
    {
        is_near(&half[measure], expected);
    }
    let none = outcome(&report, "none");
    assert_eq!(none["ranks"], json!({"src/stock.rs": null}));
    is_near(&none["mrr"], 0.0);

    assert_eq!(report["tasks"], 3);
    assert_eq!(report["errors"], json!([]));
    for (measure, expected) in
        [("hit@1", 200.0 / 3.0), ("all@10", 100.0 / 3.0), ("recall@10", 50.0), ("mrr", 200.0 / 3.0)]
    {
        is_near(&report["means"][measure], expected);
        is_near(&report["repositories"]["acme/shop"][measure], expected);
    }
}

#[test]
fn what_came_later_does_not_vote() {
    let evaluation = Evaluation::new();
    let past = evaluation.task("past", "Reprice the zebra invoices", &["src/basket.rs"]);
    let mut before = past.clone();
    before["id"] = "before".into();
    before["snapshot"] = evaluation.first.as_str().into();
    let future = evaluation.task("future", "Frobnicate every quokka", &["src/stock.rs"]);
    let mut after = future.clone();
    after["id"] = "after".into();
    after["snapshot"] = evaluation.third.as_str().into();
    let (run, report) = evaluation.run(&[past, before, future, after].map(|task| task.to_string()));
    run.ends(0, &[]);
    assert_eq!(outcome(&report, "past")["ranks"], json!({"src/basket.rs": 1}));
    assert_eq!(outcome(&report, "after")["ranks"], json!({"src/stock.rs": 1}));
    assert_eq!(outcome(&report, "before")["ranks"], json!({"src/basket.rs": null}));
    assert_eq!(outcome(&report, "future")["ranks"], json!({"src/stock.rs": null}));

    let checkout = evaluation.sandbox.path("work/acme+shop").join(&evaluation.second);
    assert_eq!(git(&checkout, &["log", "--all", "--format=%s"]), "Reprice the zebra invoices\nWrite it");
    assert_eq!(git(&checkout, &["for-each-ref"]), "");
    assert_eq!(git(&checkout, &["status", "--porcelain"]), "");
}

#[test]
fn tasks_that_cannot_run_are_told_and_stop_none() {
    let evaluation = Evaluation::new();
    let good = evaluation.task("good", "Fix the login", &["src/login.rs"]);
    let mut twice = evaluation.task("good", "Another", &["src/stock.rs"]);
    twice["query"] = "Another of this name".into();
    let empty = evaluation.task("empty", "Fix the login", &[]);
    let with = |id: &str, key: &str, value: Value| {
        let mut task = evaluation.task(id, "Fix the login", &["src/login.rs"]);
        task[key] = value;
        task.to_string()
    };
    let tasks = [
        "{\"id\": \"broken\", ".to_owned(),
        with("no repository", "repo", json!("acme/nowhere")),
        with("no commit", "snapshot", json!("0123456789012345678901234567890123456789")),
        empty.to_string(),
        String::new(),
        good.to_string(),
        twice.to_string(),
        "{\"id\": 7}".to_owned(),
        "\u{feff}[]".to_owned(),
        with("negative", "regions", json!({"src/login.rs": [[-4, 6]]})),
        with("zero", "regions", json!({"src/login.rs": [[0, 6]]})),
        with("backwards", "regions", json!({"src/login.rs": [[6, 4]]})),
        with("silent", "query", json!(" ")),
        with("elsewhere", "folder", json!("../../precious")),
    ];
    let (run, report) = evaluation.run(&tasks);
    run.ends(
        2,
        &[
            "tasks.jsonl: line 1: not a task",
            "acme/nowhere: no repository of this name in SANDBOX/repos; clone it there as `acme+nowhere`",
            "acme/shop at 0123456789012345678901234567890123456789: no checkout could be made",
            "line 4: empty: `modified` is empty, nothing to find",
            "line 7: good: this id stands twice, the first counts",
            "line 8: not a task",
            "line 9: not a task",
            "line 10: not a task: `regions`: no lines -4 to 6 can be in src/login.rs",
            "line 11: not a task: `regions`: no lines 0 to 6 can be in src/login.rs",
            "line 12: not a task: `regions`: no lines 6 to 4 can be in src/login.rs",
            "line 13: silent: `query` is empty",
            "line 14: elsewhere: `folder`: `../../precious` is no folder of a repository",
        ],
    );
    assert_eq!(report["errors"].as_array().unwrap().len(), 12, "{:#}", report["errors"]);
    assert_eq!(report["tasks"], 1);
    assert_eq!(outcome(&report, "good")["ranks"], json!({"src/login.rs": 1}));
    assert!(run.stdout.contains("acme/shop"), "{}", run.stdout);
    // A checkout that failed is not left half made.
    let left: Vec<_> =
        std::fs::read_dir(evaluation.sandbox.path("work/acme+shop")).unwrap().flatten().collect();
    assert_eq!(left.len(), 1, "{left:?}");
}

#[test]
fn lines_beyond_the_end_of_a_file_are_told_and_do_not_count() {
    let evaluation = Evaluation::new();
    let mut task = evaluation.task("far", "Fix the login of customers", &["src/login.rs"]);
    task["regions"] = json!({"src/login.rs": [[4, 6], [9, 12], [100, 200]], "src/gone.rs": [[1, 2]]});
    let (run, report) = evaluation.run(&[task.to_string()]);
    run.ends(2, &["far: src/login.rs has 10 lines at the snapshot, and `regions` goes beyond them"]);
    assert_eq!(report["errors"].as_array().unwrap().len(), 1, "{:#}", report["errors"]);
    // Five lines are there; the file that is not there has two.
    is_near(&outcome(&report, "far")["pack_lines"], 5.0 / 7.0);
    is_near(&outcome(&report, "far")["pack_touch"], 0.5);
}

#[test]
fn a_task_that_stands_in_two_files_counts_once() {
    let evaluation = Evaluation::new();
    let task = evaluation.task("login", "Fix the login", &["src/login.rs"]).to_string();
    evaluation.sandbox.put("more.jsonl", &task);
    let more = evaluation.sandbox.path("more.jsonl").display().to_string();
    let (run, report) = evaluation.run_with(&[task], &["--tasks", &more], &[]);
    run.ends(2, &["more.jsonl: login: this id stands in another file too, the first counts"]);
    assert_eq!(report["tasks"], 1);
}

#[test]
fn a_workspace_may_lie_in_a_folder_of_its_repository() {
    let sandbox = Sandbox::new("");
    sandbox.put("repos/mono/tools/shop/src/login.rs", "//! Signing in.\npub fn login() {}\n");
    sandbox.put("repos/mono/tools/shop/Cargo.toml", "[package]\nname = \"shop\"\nversion = \"0.1.0\"\n");
    sandbox.put("repos/mono/other/src/login.rs", "pub fn login() {}\n");
    let mono = sandbox.path("repos/mono");
    for arguments in
        [&["init", "--quiet"][..], &["add", "."], &["commit", "--quiet", "--message", "Write it"]]
    {
        git(&mono, arguments);
    }
    let task = json!({"id": "login", "repo": "mono", "snapshot": git(&mono, &["rev-parse", "HEAD"]), "folder": "tools/shop",
        "query": "Fix the login", "modified": ["src/login.rs"]});
    sandbox.put("tasks.jsonl", task.to_string());
    let path = |name: &str| sandbox.path(name).display().to_string();
    let [tasks, repos, work, report] = ["tasks.jsonl", "repos", "work", "report.json"].map(path);
    let run =
        sandbox.run(&["eval", "--tasks", &tasks, "--repos", &repos, "--work", &work, "--json", &report]);
    run.ends(0, &[]);
    let report: Value = serde_json::from_str(&std::fs::read_to_string(report).unwrap()).unwrap();
    assert_eq!(outcome(&report, "login")["ranks"], json!({"src/login.rs": 1}));
    assert!(!outcome(&report, "login")["top"].to_string().contains("other"), "{report:#}");
}

#[test]
fn a_task_leads_to_no_folder_but_its_checkout() {
    let evaluation = Evaluation::new();
    let sandbox = &evaluation.sandbox;
    sandbox.put("precious/file", "precious");
    let precious = sandbox.path("precious").display().to_string();
    let with = |id: &str, key: &str, value: Value| {
        let mut task = evaluation.task(id, "Fix the login", &["src/login.rs"]);
        task[key] = value;
        task.to_string()
    };
    let ids = ["../../precious", precious.as_str(), "", "HEAD", "--orphan", "-f"];
    let repos = ["../repos/acme+shop", "..", "/", "", "acme/../acme+shop"];
    let mut tasks: Vec<String> = Vec::new();
    tasks.extend(ids.iter().map(|id| with(&format!("snapshot {id}"), "snapshot", json!(id))));
    tasks.extend(repos.iter().map(|repo| with(&format!("repo {repo}"), "repo", json!(repo))));
    tasks.push(with("endless", "regions", json!({"src/login.rs": [[1, u32::MAX]]})));
    tasks.push(with("good", "query", json!("Fix the login")));
    let (run, report) = evaluation.run(&tasks);
    run.ends(2, &["is no commit id", "is no repository's name", "regions"]);
    assert_eq!(report["errors"].as_array().unwrap().len(), tasks.len() - 1, "{:#}", report["errors"]);
    assert_eq!(report["tasks"], 1);
    assert_eq!(std::fs::read_to_string(sandbox.path("precious/file")).unwrap(), "precious");
}

#[test]
fn a_checkout_is_made_once_and_made_anew_where_it_was_broken_off() {
    let evaluation = Evaluation::new();
    let task = [evaluation.task("login", "Fix the login", &["src/login.rs"]).to_string()];
    let checkout = format!("work/acme+shop/{}", evaluation.second);
    evaluation
        .sandbox
        .put(&format!("{checkout}/src/half.rs"), "pub fn login_of_a_broken_off_checkout() {}\n");
    let ranks = |(run, report): (Run, Value)| {
        run.ends(0, &[]);
        outcome(&report, "login")["top"].clone()
    };
    let first = ranks(evaluation.run(&task));
    assert!(!evaluation.sandbox.path(&checkout).join("src/half.rs").exists());
    let made = std::fs::metadata(evaluation.sandbox.path(&checkout)).unwrap().modified().unwrap();
    assert_eq!(ranks(evaluation.run(&task)), first);
    assert_eq!(std::fs::metadata(evaluation.sandbox.path(&checkout)).unwrap().modified().unwrap(), made);
}

#[test]
fn a_hook_around_it_leads_git_to_no_other_repository() {
    let evaluation = Evaluation::new();
    let task = [evaluation.task("login", "Fix the login", &["src/login.rs"]).to_string()];
    let hook = evaluation.sandbox.ws(".git").display().to_string();
    let variables = [("GIT_DIR", &*hook), ("GIT_OBJECT_DIRECTORY", "/nowhere"), ("GIT_CONFIG_COUNT", "x")];
    let (run, report) = evaluation.run_with(&task, &[], &variables);
    run.ends(0, &[]);
    assert_eq!(outcome(&report, "login")["ranks"], json!({"src/login.rs": 1}));
    assert_eq!(evaluation.sandbox.git(&["rev-parse", "HEAD"]), evaluation.third);
}

#[test]
fn an_evaluation_without_tasks_or_repositories_says_what_to_give() {
    let evaluation = Evaluation::new();
    let (run, _) = evaluation.run(&[]);
    run.ends(2, &["no task is left to run"]);
    let tasks = evaluation.sandbox.path("tasks.jsonl").display().to_string();
    std::fs::write(&tasks, evaluation.task("a", "b", &["c"]).to_string()).unwrap();
    evaluation
        .sandbox
        .run(&["eval", "--tasks", &tasks, "--repos", "gone"])
        .ends(2, &["gone: no such folder"]);
    std::fs::write(&tasks, b"\xff\xfe").unwrap();
    evaluation
        .sandbox
        .run(&["eval", "--tasks", &tasks, "--repos", "."])
        .ends(2, &["cannot read the tasks", "UTF-8"]);
}
