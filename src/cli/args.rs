//! What can be typed. What it means is decided in `config`.

use std::path::{Path, PathBuf};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use super::eval::EvalArgs;
use super::flags::{DaemonFlags, EmbedderFlags, IndexFlags, PatternFlags, ServerFlags, SettingFlags};
use super::search::SearchArgs;
use crate::config::{ModelName, ModelProvider, Name, Typed, Value, value_of};

const AFTER_HELP: &str = "\
Exit codes: 0 done, 1 nothing relevant found, 2 usage or failure.
Settings: flag, then DOSSIER_… variable, then your own file, then .dossier/config.toml of the workspace; \
`dossier config show` tells each value and where it comes from.";

/// Puts the code that a task needs in front of a language model: the right lines, with reasons, within a budget.
#[derive(Debug, Parser)]
#[command(name = "dossier", version, after_help = AFTER_HELP, max_term_width = 100)]
pub(super) struct Args {
    #[command(subcommand)]
    pub command: Command,
    /// Print errors alone on standard error
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Tell more on standard error; twice for still more
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub verbose: u8,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Print the code that a task needs
    Context(Box<ContextArgs>),
    /// Have a model answer a task with the code that it needs
    Prompt(Box<PromptArgs>),
    /// Say whether the last dossier of this workspace was what the task needed; kept on this machine
    Feedback(FeedbackArgs),
    /// Count what models were given and asked for, and what of it was changed afterwards
    Stats(StatsArgs),
    /// Ask how the items of the workspace hang together
    Graph(GraphArgs),
    /// Find files, items, modules or documentation by words and by meaning, without their code
    Search(Box<SearchArgs>),
    /// Bring what is kept of the workspace up to date, so that answers come at once
    Index(IndexArgs),
    /// Remove what is kept of the workspace; all of it can be made again
    Clean(CleanArgs),
    /// The process that keeps workspaces open, so that answers come at once
    #[command(subcommand)]
    Daemon(DaemonCommand),
    /// Serve an editor over standard input and output, by the language server protocol (docs/lsp.md)
    Lsp(LspArgs),
    /// Who turns texts into vectors, so that code is found by its meaning
    #[command(subcommand)]
    Embedder(EmbedderCommand),
    /// Measure what Dossier is worth on your own code: on past commits, or on tasks with known answers
    Eval(Box<EvalArgs>),
    /// Check what is there, and say how to mend what is not
    Doctor(DoctorArgs),
    /// Let programs that obey the workspace's own files (rust-analyzer, cargo, rustc, rustup) be started in it
    Trust(TrustArgs),
    /// Print a completion script for a shell
    Completions { shell: Shell },
    /// Settings
    #[command(subcommand)]
    Config(ConfigCommand),
}

#[derive(Debug, Subcommand)]
pub(super) enum ConfigCommand {
    /// Print each setting with its value and where it comes from
    Show(Place),
}

#[derive(Debug, Subcommand)]
pub(super) enum DaemonCommand {
    /// Serve in this process, until it is stopped or not used for long
    Run(DaemonRun),
    /// Start it in the background, where it does not run
    Start,
    /// Have it end, with its language servers
    Stop,
    /// Print what it has open and what it takes
    Status {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Subcommand)]
pub(super) enum EmbedderCommand {
    /// Print the models that are installed, and those that can be fetched
    List,
    /// Choose a model: one in a folder, which is checked and copied, or one that is installed, or none
    Use {
        /// A folder as sentence-transformers saves it, the name of an installed model, or `off`
        #[arg(value_name = "FOLDER|NAME|off")]
        what: String,
        /// What a folder's model is to be called [default: as the folder is]
        #[arg(long)]
        name: Option<ModelName>,
    },
    /// Fetch a model from the Hugging Face hub, or from where DOSSIER_HUB or HF_ENDPOINT says
    Pull {
        /// One that `list` names, or ORGANISATION/NAME
        #[arg(value_name = "NAME")]
        model: String,
        /// What it is to be called [default: as on the hub]
        #[arg(long)]
        name: Option<ModelName>,
    },
    /// Print which embedder is used here, why, and how fast it is
    Status(EmbedderStatus),
}

#[derive(Debug, clap::Args)]
pub(super) struct EmbedderStatus {
    #[command(flatten)]
    pub place: Place,
    #[command(flatten)]
    pub embedder: EmbedderFlags,
}

#[derive(Debug, Default, clap::Args)]
pub(super) struct DaemonRun {
    /// Open this workspace at once
    #[arg(long, value_name = "FOLDER")]
    pub open: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub(super) struct LspArgs {
    /// Answer in this process, and ask no daemon
    #[arg(long)]
    pub no_daemon: bool,
    /// What most editors give; there is no other way than this
    #[arg(long, hide = true)]
    pub stdio: bool,
}

/// Which workspace is meant.
#[derive(Debug, Clone, Default, clap::Args)]
pub(super) struct Place {
    /// A folder inside the workspace [default: the current folder]
    #[arg(short, long, value_name = "FOLDER")]
    pub workspace: Option<PathBuf>,
}

impl Place {
    /// Where the workspace is looked for; `None`: from the current folder.
    pub fn folder(&self) -> Option<&Path> {
        self.workspace.as_deref()
    }
}

#[derive(Debug, clap::Args)]
pub(super) struct ContextArgs {
    /// The task in plain words, an issue, a backtrace; `-` reads it from standard input
    #[arg(required = true, value_name = "QUERY")]
    pub query: Vec<String>,
    #[command(flatten)]
    pub place: Place,
    #[command(flatten)]
    pub settings: SettingFlags,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Copy to the clipboard instead of printing
    #[arg(long)]
    pub copy: bool,
    /// Only say which files and lines, without the code
    #[arg(long)]
    pub no_content: bool,
    /// Print why each file is there and others are not, instead of the code
    #[arg(long)]
    pub explain_context: bool,
}

#[derive(Debug, clap::Args)]
pub(super) struct PromptArgs {
    /// The task in plain words, an issue, a backtrace; `-` reads it from standard input
    #[arg(required = true, value_name = "TASK")]
    pub task: Vec<String>,
    #[command(flatten)]
    pub place: Place,
    #[command(flatten)]
    pub settings: SettingFlags,
    #[command(flatten)]
    pub model: ModelFlags,
    /// Instructions for the model from this file, in place of those for the kind of task
    #[arg(long, value_name = "FILE")]
    pub system: Option<PathBuf>,
    /// Seconds that the model may take for an answer
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, default_value_t = 600, value_parser = clap::value_parser!(u32).range(1..=86_400))]
    pub timeout: u32,
    /// Print exactly what would be sent to the model, and do not send it
    #[arg(long)]
    pub dry_run: bool,
    /// Show the explanation first, and ask on the terminal whether to send
    #[arg(long, conflicts_with = "dry_run")]
    pub preview: bool,
    /// Print on standard error why each file is there and others are not, before the answer
    #[arg(long)]
    pub explain_context: bool,
}

/// The flags that are settings of the model that answers.
#[derive(Debug, Default, clap::Args)]
pub(super) struct ModelFlags {
    /// Who answers [default: ollama]
    #[arg(long, value_name = "WHO", value_parser = PossibleValuesParser::new(ModelProvider::WORDS).map(Value::Word))]
    provider: Option<Value>,
    /// The model, by the provider's name for it [default: of Ollama qwen2.5-coder:7b, or OLLAMA_MODEL]
    #[arg(long, value_name = "NAME", value_parser = |text: &str| value_of(Name::Model, text))]
    model: Option<Value>,
    /// Where a server is that speaks the provider's format [default: the provider's own]
    #[arg(long, value_name = "URL", value_parser = |text: &str| value_of(Name::BaseUrl, text))]
    base_url: Option<Value>,
}

impl ModelFlags {
    /// The flags that were given.
    pub fn typed(&self) -> Vec<Typed> {
        let ModelFlags { provider, model, base_url } = self;
        let given = [
            (Name::Provider, provider.clone()),
            (Name::Model, model.clone()),
            (Name::BaseUrl, base_url.clone()),
        ];
        given.into_iter().filter_map(|(name, value)| Some(Typed::flag(name, value?))).collect()
    }
}

#[derive(Debug, clap::Args)]
pub(super) struct FeedbackArgs {
    pub verdict: Verdict,
    /// What was missing: paths from the workspace's root
    #[arg(value_name = "PATH")]
    pub paths: Vec<String>,
    #[command(flatten)]
    pub place: Place,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Verdict {
    /// It had what was needed
    Good,
    /// Something was not there
    Missing,
}

#[derive(Debug, clap::Args)]
pub(super) struct StatsArgs {
    #[command(flatten)]
    pub place: Place,
    /// Of all workspaces together
    #[arg(long, conflicts_with = "workspace")]
    pub all: bool,
}

#[derive(Debug, clap::Args)]
pub(super) struct DoctorArgs {
    #[command(flatten)]
    pub place: Place,
    #[command(flatten)]
    pub server: ServerFlags,
}

#[derive(Debug, clap::Args)]
pub(super) struct TrustArgs {
    #[command(flatten)]
    pub place: Place,
    /// Take the trust back
    #[arg(long)]
    pub revoke: bool,
    /// Print the workspaces that are trusted
    #[arg(long, conflicts_with_all = ["revoke", "workspace"])]
    pub list: bool,
}

#[derive(Debug, clap::Args)]
pub(super) struct GraphArgs {
    pub question: Question,
    /// A name or a path: `login`, `Auth::login`, `auth::login`
    pub symbol: String,
    #[command(flatten)]
    pub place: Place,
    /// How many steps to follow
    #[arg(long, value_name = "STEPS", allow_negative_numbers = true, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10))]
    pub depth: u32,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub index: IndexFlags,
    #[command(flatten)]
    pub daemon: DaemonFlags,
    #[command(flatten)]
    pub server: ServerFlags,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Question {
    /// What calls it
    Callers,
    /// What it calls
    Callees,
    /// What implements a trait or its method; the impls of a type
    Implementations,
    /// The methods of a type or a trait
    Methods,
    /// What names it in any way
    Usages,
    /// The tests that reach it
    Tests,
}

#[derive(Debug, clap::Args)]
pub(super) struct IndexArgs {
    #[command(flatten)]
    pub place: Place,
    #[command(flatten)]
    pub patterns: PatternFlags,
    /// Only say what there is
    #[arg(long, conflicts_with = "embed")]
    pub status: bool,
    /// Embed what has no vector yet, all of it now, with the embedder that `dossier embedder status` names
    #[arg(long)]
    pub embed: bool,
}

#[derive(Debug, clap::Args)]
pub(super) struct CleanArgs {
    #[command(flatten)]
    pub place: Place,
    /// What is kept of every workspace
    #[arg(long, conflicts_with = "workspace")]
    pub all: bool,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        Args::command().debug_assert();
    }

    #[test]
    fn flags_become_typed_values() {
        let args = Args::try_parse_from([
            "dossier",
            "context",
            "a",
            "b",
            "--max-files",
            "3",
            "--no-mask",
            "--include",
            "x",
            "--wait-lsp",
            "60",
        ]);
        let Ok(Args { command: Command::Context(context), .. }) = args else { panic!("{args:?}") };
        assert_eq!(context.query, ["a", "b"]);
        let expected = [
            Typed::flag(Name::MaxFiles, Value::Number(3)),
            Typed::flag(Name::Mask, Value::Switch(false)),
            Typed::flag(Name::Include, Value::List(vec!["x".into()])),
            Typed::flag(Name::WaitLsp, Value::Number(60)),
        ];
        assert_eq!(context.settings.typed(), expected);
    }

    #[test]
    fn every_settings_flag_is_the_one_that_config_names() {
        let command = Args::command();
        let prompt = command.find_subcommand("prompt").unwrap();
        for name in Name::ALL {
            let Some(flag) = name.flag().map(|flag| flag.trim_start_matches("--")) else { continue };
            assert!(prompt.get_arguments().any(|arg| arg.get_long() == Some(flag)), "{flag}");
        }
    }
}
