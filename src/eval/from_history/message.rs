//! The task that a commit's message tells: what it says, without what only the finished change knows.

use std::sync::LazyLock;

use regex::Regex;

use crate::text::pattern;

/// Words of three letters and more: fewer say nothing that could be looked for.
const LEAST_WORDS: usize = 3;
const WORD_LETTERS: usize = 3;
/// `feat(parser)!: …`, `cli: …`, `lexer, parser: …`: of two words at most. What stands there is often a folder's name.
static PREFIX: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^[\w./*+:-]+(?:\([^)]*\))?(?:,? [\w./*+:-]+)?!?:\s+"));
/// ` (#123)`, `#123`.
static NUMBER: LazyLock<Regex> = LazyLock::new(|| pattern(r"\s*\(#\d+\)|\s*\B#\d+\b"));
/// `Co-authored-by: …`, `Change-Id: …`, `Fixes #7`.
static TRAILER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?:[A-Z]\w*(?:-\w+)+:\s|(?i:fix(?:es|ed)?|close[sd]?|resolve[sd]?|refs?|see|part of)\b:?\s+\S*#\d+)",
    )
});

/// How messages begin that tell no task: what they do is in other commits, or in none.
const NO_TASK: [&str; 12] = [
    "merge ", "revert ", "revert: ", "reapply ", "release ", "bump ", "version ", "prepare ", "wip",
    "fixup!", "squash!", "amend!",
];
/// Words of messages about what a program did.
const FORMATTING: [&str; 5] = ["rustfmt", "cargo fmt", "cargo-fmt", "clippy", "typo"];

/// The question of a commit, where its message asks one. `names` are those of the files that it touches: who has the task does
/// not know them yet.
pub(super) fn query(message: &str, names: &[&str]) -> Option<String> {
    let (subject, body) = message.split_once('\n').unwrap_or((message, ""));
    let subject = subject.trim();
    let without_prefix = PREFIX.replace(subject, "");
    let begins = |text: &str| {
        let text = text.trim().to_lowercase();
        NO_TASK.iter().any(|beginning| text.starts_with(beginning))
    };
    if begins(subject) || begins(&without_prefix) {
        return None;
    }
    let body = body.lines().filter(|line| !is_trailer(line));
    let mut lines: Vec<String> = Vec::new();
    for line in std::iter::once(&*without_prefix).chain(body) {
        let line = without_names(&NUMBER.replace_all(line, ""), names);
        // One empty line at most, none at the top.
        if !line.is_empty() || lines.last().is_some_and(|last| !last.is_empty()) {
            lines.push(line);
        }
    }
    let query = lines.join("\n").trim().to_owned();
    let is_word = |word: &&str| word.chars().filter(|c| c.is_alphabetic()).count() >= WORD_LETTERS;
    (query.split_whitespace().filter(is_word).count() >= LEAST_WORDS).then_some(query)
}

/// Whether a program made the change, by the subject of the message.
pub(super) fn is_about_formatting(message: &str) -> bool {
    let subject = message.lines().next().unwrap_or_default().to_lowercase();
    FORMATTING.iter().any(|word| subject.contains(word))
}

fn is_trailer(line: &str) -> bool {
    TRAILER.is_match(line)
}

/// The words of a line that name none of these files.
fn without_names(line: &str, names: &[&str]) -> String {
    let names_file = |word: &str| names.iter().any(|name| name.contains('.') && word.contains(name));
    let indent: String = line.chars().take_while(|c| c.is_whitespace()).collect();
    let words: Vec<&str> = line.split_whitespace().filter(|word| !names_file(word)).collect();
    let says_something = words.iter().any(|word| word.contains(char::is_alphanumeric));
    if says_something { indent + &words.join(" ") } else { String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(message: &str, expected: Option<&str>) {
        assert_eq!(query(message, &["lib.rs", "Makefile"]).as_deref(), expected, "{message}");
    }

    #[test]
    fn the_prefix_and_what_points_elsewhere_go() {
        check("feat(parser)!: accept trailing commas (#12)", Some("accept trailing commas"));
        check("fix: Reject empty names, see #4", Some("Reject empty names, see"));
        check("helix-term: draw the cursor last", Some("draw the cursor last"));
        check("lexer, parser: draw the cursor last", Some("draw the cursor last"));
        check("Accept what is asked: trailing commas", Some("Accept what is asked: trailing commas"));
        check(
            "Draw the cursor last\n\n\nThe cursor was hidden.\n\nCo-authored-by: A <a@b.c>\nSigned-off-by: B\nFixes #7\nCloses: a/b#8",
            Some("Draw the cursor last\n\nThe cursor was hidden."),
        );
    }

    #[test]
    fn files_that_the_change_touches_are_not_named() {
        check("Draw the cursor last in src/lib.rs:12", Some("Draw the cursor last in"));
        check("Draw `lib.rs` the cursor last\n\n  - src/lib.rs", Some("Draw the cursor last"));
        check("Draw the cursor last in the Makefile", Some("Draw the cursor last in the Makefile"));
    }

    #[test]
    fn messages_that_tell_no_task_are_none() {
        for message in [
            "",
            "fix",
            "Fix it",
            "wip on the parser and lexer",
            "Merge branch 'main' into feature of parser",
            "Revert \"Accept trailing commas\"",
            "chore: bump serde from 1 to 2 everywhere",
            "fixup! Accept trailing commas",
            "Release version 1.2.3 of everything",
            "lib.rs: lib.rs lib.rs lib.rs",
        ] {
            check(message, None);
        }
        for message in ["Run cargo fmt on all files", "Fix typo in docs", "style: rustfmt"] {
            assert!(is_about_formatting(message), "{message}");
        }
        assert!(!is_about_formatting("Show the formatted text"));
    }
}
