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
    Fill,
    Format,
    LineNumbers,
    Mask,
    Index,
    Lsp,
    LspCommand,
    WaitLsp,
    Daemon,
    DaemonIdle,
    DaemonMemory,
    Planner,
    PlannerDeadline,
    Embedder,
    Provider,
    Model,
    BaseUrl,
    OllamaHost,
    OllamaModel,
    OllamaEmbedModel,
    OpenaiKey,
    AnthropicKey,
    GeminiKey,
    GroqKey,
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
    /// What is never shown.
    Secret,
}

/// What our own variables begin with.
pub(super) const ENVIRONMENT: &str = "DOSSIER_";
/// Variables with our prefix that are no settings.
const OTHER_VARIABLES: [&str; 2] = ["DOSSIER_LOG", "DOSSIER_HUB"];

impl Name {
    /// In the order in which they are shown.
    pub const ALL: [Name; 30] = [
        Name::Include,
        Name::Exclude,
        Name::Tests,
        Name::Depth,
        Name::Budget,
        Name::MaxFiles,
        Name::Fill,
        Name::Format,
        Name::LineNumbers,
        Name::Mask,
        Name::Index,
        Name::Lsp,
        Name::LspCommand,
        Name::WaitLsp,
        Name::Daemon,
        Name::DaemonIdle,
        Name::DaemonMemory,
        Name::Planner,
        Name::PlannerDeadline,
        Name::Embedder,
        Name::Provider,
        Name::Model,
        Name::BaseUrl,
        Name::OllamaHost,
        Name::OllamaModel,
        Name::OllamaEmbedModel,
        Name::OpenaiKey,
        Name::AnthropicKey,
        Name::GeminiKey,
        Name::GroqKey,
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
            Name::Fill => "fill",
            Name::Format => "format",
            Name::LineNumbers => "line_numbers",
            Name::Mask => "mask",
            Name::Index => "index",
            Name::Lsp => "lsp",
            Name::LspCommand => "lsp_command",
            Name::WaitLsp => "wait_lsp",
            Name::Daemon => "daemon",
            Name::DaemonIdle => "daemon_idle",
            Name::DaemonMemory => "daemon_memory",
            Name::Planner => "planner",
            Name::PlannerDeadline => "planner_deadline",
            Name::Embedder => "embedder",
            Name::Provider => "provider",
            Name::Model => "model",
            Name::BaseUrl => "base_url",
            Name::OllamaHost => "ollama_host",
            Name::OllamaModel => "ollama_model",
            Name::OllamaEmbedModel => "ollama_embed_model",
            Name::OpenaiKey => "openai_key",
            Name::AnthropicKey => "anthropic_key",
            Name::GeminiKey => "gemini_key",
            Name::GroqKey => "groq_key",
        }
    }

    /// Its flag, where it has one: `--token-budget`.
    pub fn flag(self) -> Option<&'static str> {
        match self {
            Name::Include => Some("--include"),
            Name::Exclude => Some("--exclude"),
            Name::Tests => Some("--tests"),
            Name::Depth => Some("--depth"),
            Name::Budget => Some("--token-budget"),
            Name::MaxFiles => Some("--max-context-files"),
            Name::Fill => Some("--fill"),
            Name::Format => Some("--format"),
            Name::LineNumbers => Some("--line-numbers"),
            Name::Mask => Some("--no-mask"),
            Name::Index => Some("--no-index"),
            Name::Lsp => Some("--no-lsp"),
            Name::LspCommand => Some("--lsp-command"),
            Name::WaitLsp => Some("--wait-lsp"),
            Name::Daemon => Some("--no-daemon"),
            Name::DaemonIdle | Name::DaemonMemory => None,
            Name::Planner => Some("--planner"),
            Name::PlannerDeadline => Some("--planner-deadline"),
            Name::Embedder => Some("--embedder"),
            Name::Provider => Some("--provider"),
            Name::Model => Some("--model"),
            Name::BaseUrl => Some("--base-url"),
            Name::OllamaHost | Name::OllamaModel | Name::OllamaEmbedModel => None,
            // What is typed into a shell stays in its history.
            Name::OpenaiKey | Name::AnthropicKey | Name::GeminiKey | Name::GroqKey => None,
        }
    }

    /// Its variable: `DOSSIER_MAX_FILES`, or the one that everybody else reads too: `OPENAI_API_KEY`.
    pub fn variable(self) -> String {
        let common = match self {
            Name::OllamaHost => "OLLAMA_HOST",
            Name::OllamaModel => "OLLAMA_MODEL",
            Name::OllamaEmbedModel => "OLLAMA_EMBED_MODEL",
            Name::OpenaiKey => "OPENAI_API_KEY",
            Name::AnthropicKey => "ANTHROPIC_API_KEY",
            Name::GeminiKey => "GEMINI_API_KEY",
            Name::GroqKey => "GROQ_API_KEY",
            _ => return format!("{ENVIRONMENT}{}", self.key().to_ascii_uppercase()),
        };
        common.to_owned()
    }

    pub fn kind(self) -> Kind {
        match self {
            Name::Include | Name::Exclude => Kind::Patterns,
            Name::Depth | Name::Budget | Name::MaxFiles => Kind::Number,
            Name::WaitLsp | Name::PlannerDeadline | Name::DaemonIdle | Name::DaemonMemory => Kind::Number,
            Name::Tests | Name::Format | Name::Planner | Name::Embedder | Name::Provider => Kind::Word,
            Name::Model | Name::BaseUrl | Name::OllamaHost => Kind::Word,
            Name::OllamaModel | Name::OllamaEmbedModel => Kind::Word,
            Name::OpenaiKey | Name::AnthropicKey | Name::GeminiKey | Name::GroqKey => Kind::Secret,
            Name::Fill | Name::LineNumbers | Name::Mask => Kind::Switch,
            Name::Index | Name::Lsp | Name::Daemon => Kind::Switch,
            Name::LspCommand => Kind::Command,
        }
    }

    /// Whether a file inside the workspace may set it. The rest would let a repository that was merely cloned
    /// decide what its reader sees and sends, and what runs on the reader's machine.
    pub fn may_stand_in_workspace(self) -> bool {
        match self {
            Name::Include | Name::Exclude | Name::Tests | Name::Depth | Name::Budget | Name::Format => true,
            Name::MaxFiles | Name::Fill | Name::LineNumbers | Name::Mask => false,
            Name::Index | Name::Lsp | Name::LspCommand | Name::WaitLsp => false,
            Name::Daemon | Name::DaemonIdle | Name::DaemonMemory => false,
            Name::Planner | Name::PlannerDeadline | Name::Provider | Name::Model => false,
            Name::Embedder => false,
            Name::BaseUrl | Name::OllamaHost | Name::OllamaModel | Name::OllamaEmbedModel => false,
            Name::OpenaiKey | Name::AnthropicKey | Name::GeminiKey | Name::GroqKey => false,
        }
    }

    pub(super) fn from_key(key: &str) -> Option<Name> {
        Name::ALL.into_iter().find(|name| name.key() == key)
    }

    /// `None` where the variable is not ours at all; `Some(None)` where it has our prefix and names no setting.
    pub(super) fn from_variable(variable: &str) -> Option<Option<Name>> {
        let found = Name::ALL.into_iter().find(|name| name.variable() == variable);
        let is_ours = variable.starts_with(ENVIRONMENT) && !OTHER_VARIABLES.contains(&variable);
        (found.is_some() || is_ours).then_some(found)
    }

    /// The setting that a misspelt key means, by its key or its flag.
    pub(super) fn near(key: &str) -> Option<Name> {
        let spelt = key.to_ascii_lowercase().replace('-', "_");
        let flag = |name: Name| Some((name.flag()?.trim_start_matches("--").replace('-', "_"), name));
        let named = Name::ALL
            .into_iter()
            .flat_map(|name| [Some((name.key().to_owned(), name)), flag(name)])
            .flatten();
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
        assert_eq!(Name::from_variable("OPENAI_API_KEY"), Some(Some(Name::OpenaiKey)));
        assert_eq!(Name::from_variable("OLLAMA_KEEP_ALIVE"), None);
    }
}
