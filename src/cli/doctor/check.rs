//! One line of the doctor's page: how a part stands, what is to be known of it, what heals it.

use crate::model::Note;
use crate::render::printable;

/// Notes of a part that are printed before the rest is counted.
const NOTES: usize = 10;

/// How something stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Good,
    /// It works, with less.
    Lacking,
    /// Nothing works without it.
    Broken,
}

#[derive(Debug)]
pub(super) struct Check {
    pub state: State,
    pub what: &'static str,
    pub found: String,
    /// What to do about it: a command where there is one.
    pub remedy: Option<String>,
    pub notes: Vec<String>,
}

impl Check {
    pub fn good(what: &'static str, found: impl Into<String>) -> Check {
        Check { state: State::Good, what, found: found.into(), remedy: None, notes: Vec::new() }
    }

    pub fn lacking(what: &'static str, found: impl Into<String>, remedy: impl Into<String>) -> Check {
        Check { state: State::Lacking, remedy: Some(remedy.into()), ..Check::good(what, found) }
    }

    pub fn broken(what: &'static str, found: impl Into<String>, remedy: impl Into<String>) -> Check {
        Check { state: State::Broken, ..Check::lacking(what, found, remedy) }
    }

    pub fn noting(self, notes: &[Note]) -> Check {
        Check { notes: notes.iter().map(|note| note.text.clone()).collect(), ..self }
    }
}

pub(super) fn page(checks: &[Check]) -> String {
    let mut page = String::new();
    for check in checks {
        let state = match check.state {
            State::Good => "ok",
            State::Lacking => "lacks",
            State::Broken => "BROKEN",
        };
        page.push_str(&format!("{state:<6}  {:<13}  {}\n", check.what, printable(&check.found)));
        let notes = check.notes.iter().take(NOTES).map(|note| printable(note));
        let more = check
            .notes
            .len()
            .checked_sub(NOTES)
            .filter(|more| *more > 0)
            .map(|more| format!("and {more} more notes"));
        let remedy = check.remedy.iter().map(|remedy| format!("→ {remedy}"));
        for line in notes.chain(more).chain(remedy) {
            page.push_str(&format!("{:23}{line}\n", ""));
        }
    }
    page
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn a_lack_is_followed_by_its_remedy() {
        let checks = [
            Check::good("dossier", "0.1.0"),
            Check::lacking("history", "12 commits", "git fetch --unshallow")
                .noting(&[Note::info("the clone is\u{1b} shallow")]),
            Check::broken("files", "0 of Rust", "look at .gitignore"),
        ];
        expect![[r#"
            ok      dossier        0.1.0
            lacks   history        12 commits
                                   the clone is\u{1b} shallow
                                   → git fetch --unshallow
            BROKEN  files          0 of Rust
                                   → look at .gitignore
        "#]]
        .assert_eq(&page(&checks));
    }
}
