//! The settings there are: how each is called in a file, in the environment and on the command line.

use super::nearest::nearest;

/// A setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Name {
    Include,
    Exclude,
    Tests,
    Depth,
    Budget,
    MaxFiles,
    Format,
    LineNumbers,
    Mask,
    Lsp,
    LspCommand,
    WaitLsp,
    Planner,
    PlannerDeadline,
}

/// What a setting's value is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Patterns,
    Number,
    Word,
    Switch,
    /// A program and its arguments.
    Command,
}

const ENVIRONMENT: &str = "DOSSIER_";
/// Variables with our prefix that are no settings.
const OTHER_VARIABLES: [&str; 1] = ["DOSSIER_LOG"];

impl Name {
    /// In the order in which they are shown.
    pub const ALL: [Name; 14] = [
        Name::Include,
        Name::Exclude,
        Name::Tests,
        Name::Depth,
        Name::Budget,
        Name::MaxFiles,
        Name::Format,
        Name::LineNumbers,
        Name::Mask,
        Name::Lsp,
        Name::LspCommand,
        Name::WaitLsp,
        Name::Planner,
        Name::PlannerDeadline,
    ];

    /// Its key in a settings file.
    pub fn key(self) -> &'static str {
        match self {
            Name::Include => "include",
            Name::Exclude => "exclude",
            Name::Tests => "tests",
            Name::Depth => "depth",
            Name::Budget => "budget",
            Name::MaxFiles => "max_files",
            Name::Format => "format",
            Name::LineNumbers => "line_numbers",
            Name::Mask => "mask",
            Name::Lsp => "lsp",
            Name::LspCommand => "lsp_command",
            Name::WaitLsp => "wait_lsp",
            Name::Planner => "planner",
            Name::PlannerDeadline => "planner_deadline",
        }
    }

    pub fn flag(self) -> &'static str {
        match self {
            Name::Include => "--include",
            Name::Exclude => "--exclude",
            Name::Tests => "--tests",
            Name::Depth => "--depth",
            Name::Budget => "--token-budget",
            Name::MaxFiles => "--max-context-files",
            Name::Format => "--format",
            Name::LineNumbers => "--line-numbers",
            Name::Mask => "--no-mask",
            Name::Lsp => "--no-lsp",
            Name::LspCommand => "--lsp-command",
            Name::WaitLsp => "--wait-lsp",
            Name::Planner => "--planner",
            Name::PlannerDeadline => "--planner-deadline",
        }
    }

    /// Its variable: `DOSSIER_MAX_FILES`.
    pub fn variable(self) -> String {
        format!("{ENVIRONMENT}{}", self.key().to_ascii_uppercase())
    }

    pub fn kind(self) -> Kind {
        match self {
            Name::Include | Name::Exclude => Kind::Patterns,
            Name::Depth | Name::Budget | Name::MaxFiles => Kind::Number,
            Name::WaitLsp | Name::PlannerDeadline => Kind::Number,
            Name::Tests | Name::Format | Name::Planner => Kind::Word,
            Name::LineNumbers | Name::Mask | Name::Lsp => Kind::Switch,
            Name::LspCommand => Kind::Command,
        }
    }

    /// Whether a file inside the workspace may set it. The rest would let a repository that was merely cloned
    /// decide what its reader sees and sends, and what runs on the reader's machine.
    pub fn may_stand_in_workspace(self) -> bool {
        match self {
            Name::Include | Name::Exclude | Name::Tests | Name::Depth | Name::Budget | Name::Format => true,
            Name::MaxFiles | Name::LineNumbers | Name::Mask => false,
            Name::Lsp | Name::LspCommand | Name::WaitLsp => false,
            Name::Planner | Name::PlannerDeadline => false,
        }
    }

    pub(super) fn from_key(key: &str) -> Option<Name> {
        Name::ALL.into_iter().find(|name| name.key() == key)
    }

    /// `None` where the variable is not ours at all; `Some(None)` where it has our prefix and names no setting.
    pub(super) fn from_variable(variable: &str) -> Option<Option<Name>> {
        if !variable.starts_with(ENVIRONMENT) || OTHER_VARIABLES.contains(&variable) {
            return None;
        }
        Some(Name::ALL.into_iter().find(|name| name.variable() == variable))
    }

    /// The setting that a misspelt key means, by its key or its flag.
    pub(super) fn near(key: &str) -> Option<Name> {
        let spelt = key.to_ascii_lowercase().replace('-', "_");
        let flag = |name: Name| name.flag().trim_start_matches("--").replace('-', "_");
        let named =
            Name::ALL.into_iter().flat_map(|name| [(name.key().to_owned(), name), (flag(name), name)]);
        nearest(&spelt, named)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_key_finds_its_setting() {
        assert_eq!(Name::near("buget"), Some(Name::Budget));
        assert_eq!(Name::near("token-budget"), Some(Name::Budget));
        assert_eq!(Name::near("max-files"), Some(Name::MaxFiles));
        assert_eq!(Name::near("Includes"), Some(Name::Include));
        assert_eq!(Name::near("lsp-comand"), Some(Name::LspCommand));
        assert_eq!(Name::near("endpoint"), None);
    }

    #[test]
    fn variables_are_told_apart() {
        assert_eq!(Name::from_variable("DOSSIER_MAX_FILES"), Some(Some(Name::MaxFiles)));
        assert_eq!(Name::from_variable("DOSSIER_BUGET"), Some(None));
        assert_eq!(Name::from_variable("DOSSIER_LOG"), None);
        assert_eq!(Name::from_variable("HOME"), None);
    }
}
