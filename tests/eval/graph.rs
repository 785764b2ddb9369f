//! `dossier graph` on a fixture whose answers can be read in its code.

use serde_json::json;

use crate::support::{SHOP, Sandbox};

/// The question's answers in `fixtures/user_service`: as text and as JSON they are the same.
#[track_caller]
fn check(question: &[&str], expected: &[&str]) {
    let sandbox = Sandbox::new("");
    let fixture = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/user_service");
    let ask = |more: &[&str]| sandbox.run(&[&["graph"], question, &["--workspace", fixture], more].concat());
    let text = ask(&[]);
    text.ends(0, &[]);
    let places: Vec<String> =
        text.stdout.lines().map(|line| line.splitn(4, ": ").take(2).collect::<Vec<_>>().join(": ")).collect();
    assert_eq!(places, expected, "{}", text.stdout);
    let json = ask(&["--json"]).json();
    assert_eq!(
        (&json["version"], &json["question"], &json["symbol"]),
        (&json!(1), &json!(question[0]), &json!(question[1]))
    );
    assert_eq!(json["definitions"].as_array().unwrap().len(), 1);
    let answers: Vec<String> = json["answers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| {
            format!("{}:{}: {}", item["path"].as_str().unwrap(), item["line"], item["name"].as_str().unwrap())
        })
        .collect();
    assert_eq!(answers, expected);
}

#[test]
fn callers_are_functions_and_tests() {
    check(
        &["callers", "UserService::find_by_email"],
        &[
            "src/services/user_service.rs:36: UserService::register",
            "tests/user_service.rs:23: find_by_email_skips_closed_accounts",
        ],
    );
}

#[test]
fn callees_are_followed_step_by_step() {
    check(
        &["callees", "UserService::find_by_email"],
        &["src/blocklist.rs:10: is_blocked", "src/email_address.rs:4: normalize_email"],
    );
    check(
        &["callees", "UserService::register", "--depth", "2"],
        &[
            "src/email_address.rs:4: normalize_email",
            "src/services/user_service.rs:54: UserService::find_by_email",
            "src/services/user_service.rs:87: check_name",
            "src/blocklist.rs:10: is_blocked",
        ],
    );
}

#[test]
fn implementations_are_the_impls_of_a_type() {
    check(&["implementations", "UserService"], &["src/services/user_service.rs:35: UserService"]);
}

#[test]
fn methods_are_those_of_a_type_alone() {
    check(
        &["methods", "User"],
        &[
            "src/models/user.rs:33: User::first_name",
            "src/models/user.rs:37: User::initials",
            "src/models/user.rs:42: User::years",
        ],
    );
}

#[test]
fn usages_are_whatever_names_it() {
    check(
        &["usages", "UserService"],
        &["src/services/user_service.rs:35: UserService", "tests/user_service.rs:14: service_with"],
    );
}

#[test]
fn tests_are_those_that_reach_it() {
    check(
        &["tests", "UserService::find_by_email"],
        &[
            "tests/user_service.rs:23: find_by_email_skips_closed_accounts",
            "tests/user_service.rs:32: an_address_is_taken_until_its_account_is_closed",
        ],
    );
}

#[test]
fn a_symbol_that_is_not_there_is_told_with_how_to_name_one() {
    let sandbox = Sandbox::new(SHOP);
    for question in ["callers", "callees", "implementations", "methods", "usages", "tests"] {
        let run = sandbox.run(&["graph", question, "no_such_item"]);
        run.ends(1, &["no item is called `no_such_item` here: give its name, or its path as `Type::method`"]);
        assert_eq!(run.stdout, "");
        let json = sandbox.run(&["graph", question, "no_such_item", "--json"]).ends(1, &[]).json();
        assert_eq!((&json["definitions"], &json["answers"]), (&json!([]), &json!([])));
    }
    for symbol in ["::", "a::::b", "\u{1f980}", "<T as U>::v", "*"] {
        sandbox.run(&["graph", "callers", symbol]).ends(1, &["no item is called"]);
    }
    sandbox
        .run(&["graph", "callers", "login"])
        .ends(1, &["nothing is known of callers of `login`", "dossier graph usages"]);
}
