//! Regular expressions that are written in the code.

use regex::Regex;

/// A pattern that is a constant of this program, so that no input can make it fail.
#[expect(clippy::expect_used, reason = "a constant pattern compiles or its first test fails")]
pub(crate) fn pattern(constant: &'static str) -> Regex {
    Regex::new(constant).expect("a constant pattern")
}
