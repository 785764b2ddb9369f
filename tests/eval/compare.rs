//! What a run says beyond one task: parts, intervals, budgets, jobs, what is resumed, compared and shown.

use serde_json::{Value, json};

use crate::{Evaluation, is_near, outcome};

/// Three tasks: found first, half found, not found.
fn tasks(evaluation: &Evaluation) -> Vec<String> {
    let mut login = evaluation.task("login", "Fix the login of customers", &["src/login.rs"]);
    login["regions"] = json!({"src/login.rs": [[4, 6]]});
    let half = evaluation.task("half", "Fix the login of customers", &["src/login.rs", "src/never_there.rs"]);
    let none = evaluation.task("none", "Frobnicate every quokka", &["src/stock.rs"]);
    [login, half, none].map(|task| task.to_string()).to_vec()
}

/// A report without what differs from run to run.
fn timeless(mut report: Value) -> Value {
    for list in ["outcomes", "at_other_budgets"] {
        for outcome in report[list].as_array_mut().unwrap() {
            outcome["seconds"] = 0.into();
        }
    }
    report
}

#[test]
fn jobs_change_nothing_but_the_time() {
    let evaluation = Evaluation::new();
    let mut tasks = tasks(&evaluation);
    let mut before = evaluation.task("before", "Fix the login", &["src/login.rs"]);
    before["snapshot"] = evaluation.first.as_str().into();
    tasks.insert(1, before.to_string());
    let report = |jobs: &str| {
        let (run, report) = evaluation.run_with(&tasks, &["--jobs", jobs], &[]);
        run.ends(0, &[]);
        timeless(report)
    };
    let one = report("1");
    assert_eq!(report("4"), one);
    let ids: Vec<&str> =
        one["outcomes"].as_array().unwrap().iter().map(|outcome| outcome["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["login", "before", "half", "none"]);
}

#[test]
fn means_have_intervals_that_hold_them() {
    let evaluation = Evaluation::new();
    let (run, report) = evaluation.run(&tasks(&evaluation));
    run.shows(&["means with their 95 % intervals, 8192 tokens", "all (3 tasks)", "66.7 [0.0, 100.0]"]);
    assert_eq!(report["version"], 2);
    for measure in ["hit@1", "mrr", "pack_lines", "pack_files"] {
        let [low, high] = [0, 1].map(|end| report["intervals"][measure][end].as_f64().unwrap());
        let mean = report["means"][measure].as_f64().unwrap();
        assert!(low <= mean && mean <= high, "{measure}: {mean} in [{low}, {high}]");
        assert_eq!(report["repository_intervals"]["acme/shop"][measure], report["intervals"][measure]);
    }
}

#[test]
fn repositories_for_checking_are_told_apart() {
    let evaluation = Evaluation::new();
    let repos = evaluation.sandbox.path("repos");
    std::fs::create_dir_all(repos.join("acme")).unwrap();
    crate::support::git(&repos, &["clone", "--quiet", "--bare", "acme+shop", "acme/other"]);
    let mut other = evaluation.task("other", "Frobnicate every quokka", &["src/stock.rs"]);
    other["repo"] = "acme/other".into();
    let mut all = tasks(&evaluation);
    all.push(other.to_string());
    let (run, by_flag) = evaluation.run_with(&all, &["--checking", "acme/other"], &[]);
    run.shows(&["tuning", "checking", "tuning (3 tasks)"]);
    assert_eq!(
        (&by_flag["parts"]["tuning"]["tasks"], &by_flag["parts"]["checking"]["tasks"]),
        (&json!(3), &json!(1))
    );
    is_near(&by_flag["parts"]["tuning"]["means"]["hit@1"], 200.0 / 3.0);
    is_near(&by_flag["parts"]["checking"]["means"]["hit@1"], 0.0);
    is_near(&by_flag["means"]["hit@1"], 50.0);

    other["checking"] = true.into();
    *all.last_mut().unwrap() = other.to_string();
    let (run, by_field) = evaluation.run(&all);
    run.ends(0, &[]);
    assert_eq!(by_field["parts"], by_flag["parts"]);
    let (run, _) = evaluation.run_with(&all, &["--checking", "acme/shop,acme/nobody"], &[]);
    run.ends(2, &["--checking acme/nobody: no task is of a repository of this name"]);
}

#[test]
fn several_budgets_give_a_line_for_each() {
    let evaluation = Evaluation::new();
    let (run, report) = evaluation.run_with(&tasks(&evaluation), &["--budget", "8192,120,8192"], &[]);
    run.shows(&["by budget", "all 8192", "all 120"]);
    assert_eq!(report["budget"], 8192);
    let curve: Vec<_> =
        report["curve"].as_array().unwrap().iter().map(|point| (&point["budget"], &point["tasks"])).collect();
    assert_eq!(curve, [(&json!(8192), &json!(3)), (&json!(120), &json!(3))]);
    let small = report["at_other_budgets"].as_array().unwrap();
    assert!(small.iter().all(|outcome| outcome["tokens"].as_u64().unwrap() <= 120), "{small:#?}");
    assert_eq!(report["outcomes"].as_array().unwrap().len(), 3);
    // What was found does not hang on what fits.
    assert_eq!(small[0]["ranks"], report["outcomes"][0]["ranks"]);
}

#[test]
fn what_is_done_already_is_not_done_again() {
    let evaluation = Evaluation::new();
    let tasks = tasks(&evaluation);
    let kept = evaluation.sandbox.path("kept.jsonl");
    let resume = ["--resume", kept.to_str().unwrap()];
    let (run, first) = evaluation.run_with(&tasks[..2], &resume, &[]);
    run.ends(0, &[]);
    assert!(!run.stderr.contains("there already"), "{}", run.stderr);

    // As if the run had been killed while it wrote its second result.
    let text = std::fs::read_to_string(&kept).unwrap();
    assert_eq!(text.lines().count(), 2);
    std::fs::write(&kept, &text[..text.len() - 20]).unwrap();
    let (run, second) = evaluation.run_with(&tasks, &resume, &[]);
    run.ends(0, &["kept.jsonl: 1 lines are no results; 1 were read", "1 results were there already"]);
    assert_eq!(second["tasks"], 3);
    assert_eq!(outcome(&second, "half")["ranks"], outcome(&first, "half")["ranks"]);

    // The repositories are not needed for what is done.
    std::fs::remove_dir_all(evaluation.sandbox.path("repos/acme+shop")).unwrap();
    std::fs::remove_dir_all(evaluation.sandbox.path("work")).unwrap();
    let (run, third) = evaluation.run_with(&tasks, &resume, &[]);
    run.ends(0, &["3 results were there already"]);
    assert_eq!(third, second);

    // Another question, another budget: another result.
    let asked = tasks.iter().map(|task| task.replace("Fix", "Mend")).collect::<Vec<_>>();
    let (run, _) = evaluation.run_with(&asked, &resume, &[]);
    run.ends(2, &["1 results were there already", "acme/shop: no repository of this name"]);
    let (run, _) = evaluation.run_with(&tasks, &[&resume[..], &["--token-budget", "4096"]].concat(), &[]);
    run.ends(2, &["acme/shop: no repository of this name"]);
    assert!(!run.stderr.contains("there already"), "{}", run.stderr);
}

#[test]
fn results_that_cannot_be_kept_are_told_at_once() {
    let evaluation = Evaluation::new();
    let folder = evaluation.sandbox.path("repos").display().to_string();
    let (run, _) = evaluation.run_with(&tasks(&evaluation), &["--resume", &folder], &[]);
    run.ends(2, &["cannot keep results in SANDBOX/repos"]);
    let run = evaluation.finish(&tasks(&evaluation), &["--json", "nowhere/report.json"], &[]);
    run.ends(2, &["cannot write nowhere/report.json: name a file in a folder that is there"]);
}

#[test]
fn a_comparison_says_what_was_won_and_lost() {
    let evaluation = Evaluation::new();
    let tasks = tasks(&evaluation);
    let (_, mut old) = evaluation.run(&tasks);
    for outcome in old["outcomes"].as_array_mut().unwrap() {
        outcome["hit@1"] = json!(if outcome["id"] == "login" { 1.0 } else { 0.0 });
        outcome["mrr"] = json!(0.25);
    }
    old["outcomes"][2]["id"] = "gone".into();
    evaluation.sandbox.put("old.json", old.to_string());
    let path = evaluation.sandbox.path("old.json").display().to_string();
    let (run, report) = evaluation.run_with(&tasks, &["--compare", &path], &[]);
    run.shows(&[
        "against the old report, 8192 tokens, 2 tasks in both",
        "1 tasks only in the old report: gone",
        "1 tasks not in the old report: none",
        "better  login  mrr 25.0 → 100.0",
        "better  half  hit@1 0.0 → 100.0  mrr 25.0 → 100.0",
        "the same in every task",
        "chance may well do as much",
    ]);
    let measures = &report["comparison"]["parts"][0]["measures"];
    let of = |name: &str| {
        measures.as_array().unwrap().iter().find(|measure| measure["measure"] == name).unwrap().clone()
    };
    let hit = of("hit@1");
    assert_eq!((&hit["won"], &hit["lost"], &hit["p"]), (&json!(1), &json!(0), &json!(1.0)));
    let mrr = of("mrr");
    assert_eq!((&mrr["won"], &mrr["lost"], &mrr["p"]), (&json!(2), &json!(0), &json!(0.5)));
    is_near(&mrr["old"], 25.0);
    is_near(&mrr["new"], 100.0);
}

#[test]
fn a_report_of_the_first_version_can_be_compared_with() {
    let evaluation = Evaluation::new();
    let tasks = tasks(&evaluation);
    let old = json!({"version": 1, "outcomes": [{"id": "login", "repo": "acme/shop", "hit@1": 0.0, "mrr": 0.5, "ranks": {}}]});
    evaluation.sandbox.put("old.json", old.to_string());
    let path = evaluation.sandbox.path("old.json").display().to_string();
    let (run, report) = evaluation.run_with(&tasks, &["--compare", &path], &[]);
    run.shows(&["does not say its budget", "2 tasks not in the old report: half, none"]);
    let measures = report["comparison"]["parts"][0]["measures"].as_array().unwrap();
    let names: Vec<&str> = measures.iter().map(|measure| measure["measure"].as_str().unwrap()).collect();
    assert_eq!(names, ["hit@1", "mrr"]);
}

#[test]
fn a_report_that_cannot_be_compared_with_is_told() {
    let evaluation = Evaluation::new();
    let tasks = tasks(&evaluation);
    let compare = |old: &str| {
        evaluation.sandbox.put("old.json", old);
        let path = evaluation.sandbox.path("old.json").display().to_string();
        evaluation.run_with(&tasks, &["--compare", &path], &[])
    };
    for (old, said) in [
        ("{", "old.json: not a report of `dossier eval --json`"),
        ("[]", "old.json: not a report"),
        ("{\"version\": 9, \"outcomes\": []}", "a report of version 9"),
    ] {
        let (run, report) = compare(old);
        run.ends(2, &[said]);
        assert_eq!(report, Value::Null, "nothing is run");
    }
    let (run, report) = compare("{\"version\": 2, \"budget\": 100, \"outcomes\": [{\"id\": \"login\"}]}");
    run.ends(
        2,
        &["nothing is compared: it has no outcome at 8192 tokens, it was made with --token-budget 100"],
    );
    assert_eq!(report["tasks"], 3);
    let (run, _) = compare("{\"version\": 1, \"outcomes\": [{\"id\": \"another\"}]}");
    run.ends(2, &["nothing is compared: no task is in both runs"]);
    evaluation
        .finish(&tasks, &["--compare", "gone.json"], &[])
        .ends(2, &["cannot read the report gone.json"]);
}

#[test]
fn one_task_is_shown_with_all_that_came_of_it() {
    let evaluation = Evaluation::new();
    let mut tasks = tasks(&evaluation);
    let mut missed = evaluation.task("missed", "Fix the login", &["src/login.rs", "src/never_there.rs"]);
    missed["regions"] = json!({"src/login.rs": [[4, 6]], "src/never_there.rs": [[3, 5], [7, 7]]});
    missed["tests"] = json!(["src/lib.rs"]);
    tasks.push(missed.to_string());
    let show = |task: &str| evaluation.finish(&tasks, &["--show", task], &[]);
    show("missed").shows(&[
        "# missed: acme/shop at ",
        "    Fix the login\n",
        "*    1  src/login.rs",
        "t    2  src/lib.rs",
        "*    -  src/never_there.rs: no candidate",
        "## Pack: ",
        "src/login.rs: rank 1, score ",
        "items: closest: `login` (index)",
        "changed lines shown: 4-6\n    changed lines missing: none",
        "changed lines shown: none\n    changed lines missing: 3-5, 7",
        "hit@1 100.0",
    ]);
    show("mis").shows(&["# missed"]);
    show("o").ends(2, &["stands in the ids of 2 tasks: login, none"]);
    show("zebra").ends(2, &["no task is called zebra", "login"]);
}
