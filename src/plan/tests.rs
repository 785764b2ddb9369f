//! What the analyzer makes of tasks as people write them.

use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::*;

fn words(query: &str) -> Vec<String> {
    analyze(query).keywords.into_iter().map(|keyword| keyword.word).collect()
}

fn weight(query: &str, word: &str) -> f64 {
    analyze(query).keywords.iter().find(|keyword| keyword.word == word).map_or(0.0, |keyword| keyword.weight)
}

fn entities(query: &str) -> Vec<String> {
    analyze(query).entities.iter().map(|entity| entity.path.join("::")).collect()
}

fn quoted(query: &str) -> Vec<String> {
    analyze(query)
        .entities
        .iter()
        .filter(|entity| entity.quoted)
        .map(|entity| entity.path.join("::"))
        .collect()
}

fn places(query: &str) -> Vec<(String, Option<u32>)> {
    analyze(query).places.into_iter().map(|place| (place.path, place.line)).collect()
}

fn place(path: &str, line: Option<u32>) -> Vec<(String, Option<u32>)> {
    vec![(path.to_owned(), line)]
}

fn frames(query: &str) -> Vec<(String, Option<String>, Option<u32>)> {
    analyze(query).backtrace.into_iter().map(|frame| (frame.function, frame.path, frame.line)).collect()
}

#[test]
fn keywords_are_what_is_left_of_a_sentence() {
    assert_eq!(
        words("Fix TSR redirecting to top-level inside nested Router"),
        ["tsr", "redirecting", "top", "level", "inside", "nested", "router"]
    );
    assert_eq!(words("Implement authentication"), ["authentication"]);
    assert!(words("please fix this, it should be better!").is_empty());
}

#[test]
fn identifiers_are_split_and_kept_whole() {
    let words = words("Fix the bug in UserService.find_by_email");
    for word in ["userservice", "user", "service", "findbyemail", "find", "email"] {
        assert!(words.iter().any(|known| known == word), "{word} in {words:?}");
    }
    assert!(!words.iter().any(|word| word == "by"));
}

#[test]
fn code_counts_more_than_prose_and_the_title_more_than_the_rest() {
    let query = "Wrong output\nThe printer ignores `indent` here.\n```\nlet colour = 1;\n```\n[2024-01-01T00:00:00] INFO started scheduler";
    assert!(weight(query, "output") > weight(query, "printer"));
    assert!(weight(query, "indent") > weight(query, "printer"));
    assert!(weight(query, "printer") > weight(query, "colour"));
    assert!(weight(query, "colour") > weight(query, "scheduler"));
}

#[test]
fn forms_of_one_word_are_one_keyword() {
    assert_eq!(words("parse parsing parsed"), ["parse"]);
}

#[test]
fn templates_say_nothing() {
    let template = "Crash on empty input\n\n<!-- Please search existing issues\nbefore filing -->\n## Steps to reproduce\n1. Press enter\n\
        - [x] I have searched the issues\n### Environment\n- OS: Debian\n- rustc 1.75.0 (82e1608df 2023-12-21)\n**Expected behavior**\n";
    let words = words(template);
    for word in ["steps", "searched", "filing", "debian", "expected", "82e1608df"] {
        let known = weight(template, word);
        assert!(known < 0.1, "{word} counts {known} in {words:?}");
    }
    assert!(words.iter().any(|word| word == "enter"));
}

#[test]
fn versions_hashes_dates_links_and_references_say_nothing() {
    assert_eq!(
        words(
            "Since v1.2.3 (2024-05-06, 4d7f5c043e, #1234, E0507) scrolling jumps, see https://example.org/some/page"
        ),
        ["scrolling", "jumps"]
    );
}

#[test]
fn neighbours_are_compounds() {
    let compounds =
        |query| analyze(query).compounds.into_iter().map(|compound| compound.word).collect::<Vec<_>>();
    assert_eq!(compounds("hash map"), ["hashmap"]);
    assert_eq!(compounds("top-level"), ["toplevel"]);
    assert_eq!(compounds("pass --max-files"), ["maxfiles"]);
    assert!(compounds("hash, map").is_empty());
}

#[test]
fn entities_by_their_spelling() {
    assert_eq!(entities("Fix the bug in UserService.find_by_email"), ["UserService::find_by_email"]);
    assert_eq!(
        entities("panic in a::b::C when parse_header fails for LruHashMap"),
        ["a::b::C", "parse_header", "LruHashMap"]
    );
    assert_eq!(entities("Return an error from `Config`"), ["Config"]);
    assert_eq!(entities("TypedHeader shouldn't call foo_bar()"), ["foo_bar", "TypedHeader"]);
    assert_eq!(entities("redirect inside nested Router"), ["Router"]);
    assert_eq!(entities("let `fn resolve(x: u8)` return Cow"), ["resolve", "Cow"]);
}

#[test]
fn capitals_of_headlines_are_no_entities() {
    assert!(entities("HTTP Status on Invalid JSON Request").is_empty());
}

#[test]
fn words_of_issues_count_where_they_are_the_subject() {
    let query = "The version of the crate\nThe `version` command";
    assert!(weight("Print the version", "version") < weight("Print the version", "print"));
    assert!(weight(query, "version") > weight(query, "crate") / 2.0);
}

#[test]
fn quoted_entities_are_marked_as_code() {
    assert_eq!(
        quoted("Use `Revset::stream()` and `iter`, not Stream or TopoIter"),
        ["Revset::stream", "iter"]
    );
    assert!(quoted("`cargo run --release` fails").is_empty());
}

#[test]
fn names_of_the_language_are_no_entities() {
    assert!(
        entities("`std::fmt::Display` for `Option<Vec<String>>`, println!(\"x\") and `Result`").is_empty()
    );
    assert_eq!(entities("implement `TryFrom` for Map"), ["TryFrom", "Map"]);
    assert!(entities("Rust on Windows, GitHub and PostgreSQL").is_empty());
}

#[test]
fn paths_with_lines() {
    assert_eq!(places("see src/a.rs:10:5"), place("src/a.rs", Some(10)));
    assert_eq!(places("error\n  --> src/net/a.rs:10:5"), place("src/net/a.rs", Some(10)));
    assert_eq!(places("in `.\\src\\net\\a.rs`, it"), place("src/net/a.rs", None));
    assert_eq!(places("C:\\Users\\me\\app\\src\\a.rs:7"), place("C:/Users/me/app/src/a.rs", Some(7)));
    assert_eq!(places("rename fold.rs."), place("fold.rs", None));
    assert_eq!(places("the files in src/auth/ are"), place("src/auth/", None));
    assert_eq!(
        places("https://github.com/o/n/blob/main/src/round.rs#L221-L223"),
        place("src/round.rs", Some(221))
    );
}

#[test]
fn what_only_looks_like_a_path_is_none() {
    for query in
        ["and/or read/write", "e.g. this", "version 1.0.rs2", "https://docs.rs/axum/latest", "TCP/IP v4.5"]
    {
        assert!(places(query).is_empty(), "{query}: {:?}", places(query));
    }
}

#[test]
fn paths_outside_every_workspace_are_left_out() {
    assert!(places("at /rustc/90b35a6/library/core/src/option.rs:5").is_empty());
    assert!(places("in /home/me/.rustup/toolchains/stable/lib/a.rs").is_empty());
}

#[test]
fn names_that_every_crate_has_count_only_where_they_are_meant() {
    assert!(places("Something fails\n```\n// main.rs\nfn main() {}\n```").is_empty());
    assert_eq!(places("Split up main.rs"), place("main.rs", None));
}

#[test]
fn copies_of_packages_are_told_apart() {
    let intent = analyze(
        "Panic\nthread 'main' panicked at 'boom', /home/me/.cargo/registry/src/github.com-1ecc6299db9ec823/axum-core-0.6.15/src/ext.rs:146:9",
    );
    assert!(intent.places.is_empty() && intent.backtrace.is_empty());
    let expected = PackagedPlace { package: "axum-core".into(), path: "src/ext.rs".into(), line: Some(146) };
    assert_eq!(intent.packaged, [expected]);
    let intent = analyze("see /h/.cargo/git/checkouts/aya-c55fbc69175ac116/242d8c3/aya/src/lib.rs:4");
    let expected = PackagedPlace { package: "aya".into(), path: "aya/src/lib.rs".into(), line: Some(4) };
    assert_eq!(intent.packaged, [expected]);
}

#[test]
fn panics_new_and_old() {
    let place = |path: &str, line| (String::new(), Some(path.to_owned()), Some(line));
    let new = "It dies\n```\nthread 'main' panicked at src/x.rs:1:2:\nindex out of bounds\n```";
    assert_eq!(frames(new), [place("src/x.rs", 1)]);
    assert!(weight(new, "bounds") > 0.5);
    assert_eq!(weight(new, "thread") + weight(new, "main"), 0.0);
    let old = "thread 'main' panicked at 'no such entry', src/x.rs:3:2";
    assert_eq!(frames(old), [place("src/x.rs", 3)]);
    assert_eq!(words(old), ["entry"]);
}

#[test]
fn backtraces_innermost_first_without_the_standard_library() {
    let trace = "stack backtrace:\n   0: rust_begin_unwind\n             at /rustc/90b3/library/std/src/panicking.rs:645:5\n\
           1: core::option::unwrap_failed\n   2: <app::cache::Store<T> as app::Lookup>::get::{{closure}}::h0123456789abcdef\n\
             at ./src/cache.rs:10:5\n  12: 0x5581 - app::main\n             at C:\\app\\src\\main.rs:3:1\n";
    assert_eq!(
        frames(trace),
        [
            ("app::cache::Store::get".to_owned(), Some("src/cache.rs".to_owned()), Some(10)),
            ("app::main".to_owned(), Some("C:/app/src/main.rs".to_owned()), Some(3)),
        ]
    );
}

#[test]
fn actions() {
    use Action::*;
    let cases = [
        ("Implement authentication", Create),
        ("Please add a flag", Create),
        ("feat(cli): colours", Create),
        ("Fix the bug in UserService.find_by_email", Debug),
        ("fix: crash on start", Debug),
        ("atuin hangs at first start", Debug),
        ("thread 'main' panicked at src/x.rs:1:2:\nboom", Debug),
        ("Where is the router built?", Search),
        ("which module parses dates", Search),
        ("Find all callers of parse", Search),
        ("How does the cache expire entries?", Explain),
        ("Why is the lock taken twice", Explain),
        ("[refactor] unify configuration discovery", Refactor),
        ("git: rename remote", Refactor),
        ("Use HTTP 308 instead of 301", Modify),
        ("", Modify),
    ];
    for (query, expected) in cases {
        assert_eq!(analyze(query).action, expected, "{query}");
    }
}

#[test]
fn scopes() {
    let cases = [
        ("Fix `Router::nest`", Scope::Focused),
        ("src/a.rs is slow", Scope::Focused),
        ("Improve error messages", Scope::Module),
        ("Rename Foo across the codebase", Scope::Codebase),
        ("use the new logger everywhere", Scope::Codebase),
    ];
    for (query, expected) in cases {
        assert_eq!(analyze(query).scope, expected, "{query}");
    }
}

#[test]
fn complexity_grows_with_what_is_named() {
    assert_eq!(analyze("Fix typo in `help`").complexity, Complexity::Simple);
    assert_eq!(analyze("Replace the logger everywhere").complexity, Complexity::Complex);
}

#[test]
fn tests_are_wanted_where_the_task_is_about_them() {
    for query in
        ["Add a test for config", "Fix flaky login", "Do it\nand add a regression test", "tests/cli.rs fails"]
    {
        assert!(analyze(query).wants_tests, "{query}");
    }
    assert!(!analyze("Add config\nTested on Linux.").wants_tests);
}

#[test]
fn manifests_and_docs_are_wanted_where_the_task_speaks_of_them() {
    for query in
        ["Bump clap to 5", "Cannot build\nThe MSRV is too old.", "Make the dependency on atty optional"]
    {
        assert!(analyze(query).wants_manifests && !analyze(query).wants_docs, "{query}");
    }
    for query in ["Say so in the README", "Add `elif`\nIt should be documented."] {
        assert!(analyze(query).wants_docs && !analyze(query).wants_manifests, "{query}");
    }
    let code = analyze("Print features\n```\nreadme = \"README.md\" # dependency\n```");
    assert!(!code.wants_docs && !code.wants_manifests);
}

#[test]
fn other_languages_keep_their_words() {
    assert_eq!(words("Исправить ошибку авторизации"), ["исправить", "ошибку", "авторизации"]);
    assert_eq!(words("Größe der Tabelle prüfen"), ["größe", "der", "tabelle", "prüfen"]);
    assert_eq!(words("修复登录"), ["修复", "复登", "登录"]);
    assert_eq!(words("修复 auth 模块"), ["修复", "auth", "模块"]);
}

#[test]
fn nothing_gives_nothing() {
    for query in ["", " \n\t", "!?#$%", "()[]{}", "🦀🦀", "```\n```", "<!-- -->", "***"] {
        let intent = analyze(query);
        assert!(intent.keywords.is_empty() && intent.entities.is_empty(), "{query}: {intent:?}");
    }
}

/// Ten times the 200 ms that a megabyte may take: tests run unoptimised, beside others.
const SLOW: Duration = Duration::from_secs(2);

#[test]
fn megabytes_are_cut_with_a_note_and_end_soon() {
    for unit in [
        "a",
        " ",
        "\n",
        "`",
        "a::",
        "<",
        "a.b/",
        "#",
        "*",
        "fix `Foo::bar` in src/a.rs:1\n",
        "中",
        "'",
        "0: a::b\n",
        "```\n",
    ] {
        let query = unit.repeat(1_000_000 / unit.len());
        let start = Instant::now();
        let intent = analyze(&query);
        assert!(start.elapsed() < SLOW, "{unit:?} took {:?}", start.elapsed());
        assert_eq!(intent.notes.len(), 1);
        assert!(intent.keywords.len() <= 48 && intent.entities.len() <= 40 && intent.places.len() <= 30);
    }
    assert!(analyze("short").notes.is_empty());
}

proptest! {
    #[test]
    fn any_text_is_taken_the_same_way_twice(query in "[ -~\n`🦀ß中]{0,200}") {
        prop_assert_eq!(analyze(&query), analyze(&query));
    }

    #[test]
    fn any_characters_are_taken(query in "\\PC{0,100}") {
        analyze(&query);
    }
}
