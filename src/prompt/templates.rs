//! The instructions, by the kind of task.

use crate::plan::Action;

/// The version of the texts; they change only with it.
pub const VERSION: &str = "v1";

const COMMON: &str = include_str!("v1/common.md");
const NEED: &str = include_str!("v1/need.md");

/// What the model is told of its role for a task of this kind.
pub fn system(action: Action) -> String {
    let own = match action {
        Action::Create => include_str!("v1/create.md"),
        Action::Modify => include_str!("v1/modify.md"),
        Action::Debug => include_str!("v1/debug.md"),
        Action::Explain => include_str!("v1/explain.md"),
        Action::Refactor => include_str!("v1/refactor.md"),
        Action::Search => include_str!("v1/search.md"),
    };
    format!("{COMMON}\n{own}\n{NEED}")
}

#[cfg(test)]
mod tests {
    use super::super::{MOST_ASKED, parse_need};
    use super::*;

    const ALL: [Action; 6] =
        [Action::Create, Action::Modify, Action::Debug, Action::Explain, Action::Refactor, Action::Search];

    #[test]
    fn each_kind_of_task_has_instructions_of_its_own_and_the_rules_of_all() {
        for action in ALL {
            let text = system(action);
            assert!(text.contains("path:line") && text.contains("Never guess") && text.contains("```need"));
            assert!(ALL.iter().filter(|other| system(**other) == text).count() == 1);
        }
    }

    #[test]
    fn the_form_that_is_shown_is_the_one_that_is_read() {
        let start = NEED.find("```need").unwrap();
        let end = NEED.rfind("```").unwrap() + 3;
        assert_eq!(parse_need(&NEED[start..end]).unwrap(), ["src/config.rs", "Server::start"]);
        assert!(NEED.contains("eight at most") && MOST_ASKED == 8);
    }
}
