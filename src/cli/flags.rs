//! The flags that are settings, as several commands have them.

use clap::builder::{PossibleValuesParser, TypedValueParser};

use crate::config::{Format, Name, Planner, Tests, Typed, Value, value_of};

/// The flags that are settings.
#[derive(Debug, Default, clap::Args)]
pub(super) struct SettingFlags {
    /// At most so many files
    #[arg(long, alias = "max-files", value_name = "N", allow_negative_numbers = true, value_parser = |text: &str| value_of(Name::MaxFiles, text))]
    max_context_files: Option<Value>,
    /// Tokens for all that is printed [default: 8192]
    #[arg(long, value_name = "TOKENS", allow_negative_numbers = true, value_parser = |text: &str| value_of(Name::Budget, text))]
    token_budget: Option<Value>,
    /// Use the whole budget, where a pack else ends with what is likely to matter
    #[arg(long)]
    fill: bool,
    /// Steps from what the task names, along calls and uses [default: by the task]
    #[arg(long, value_name = "STEPS", allow_negative_numbers = true, value_parser = |text: &str| value_of(Name::Depth, text))]
    depth: Option<Value>,
    #[command(flatten)]
    patterns: PatternFlags,
    /// Whether tests may come in [default: auto, by the task]
    #[arg(long, value_name = "WHEN", value_parser = PossibleValuesParser::new(Tests::WORDS).map(Value::Word))]
    tests: Option<Value>,
    /// [default: markdown]
    #[arg(long, value_parser = PossibleValuesParser::new(Format::WORDS).map(Value::Word))]
    format: Option<Value>,
    /// Number the lines of code
    #[arg(long)]
    line_numbers: bool,
    /// Show secrets (keys, tokens, passwords in URLs) as they are
    #[arg(long)]
    no_mask: bool,
    #[command(flatten)]
    index: IndexFlags,
    #[command(flatten)]
    pub daemon: DaemonFlags,
    #[command(flatten)]
    server: ServerFlags,
    #[command(flatten)]
    planner: PlannerFlags,
    #[command(flatten)]
    embedder: EmbedderFlags,
}

/// Which files of the workspace are looked at.
#[derive(Debug, Default, clap::Args)]
pub(super) struct PatternFlags {
    /// Only files that match, written as in .gitignore; may be given again
    #[arg(long, value_name = "PATTERN")]
    include: Vec<String>,
    /// No files that match, written as in .gitignore; may be given again
    #[arg(long, value_name = "PATTERN")]
    exclude: Vec<String>,
}

impl PatternFlags {
    /// The flags that were given.
    pub fn typed(&self) -> Vec<Typed> {
        let list = |items: &Vec<String>| (!items.is_empty()).then(|| Value::List(items.clone()));
        let given = [(Name::Include, list(&self.include)), (Name::Exclude, list(&self.exclude))];
        given.into_iter().filter_map(|(name, value)| Some(Typed::flag(name, value?))).collect()
    }
}

/// The flag that is a setting of the index.
#[derive(Debug, Default, clap::Args)]
pub(super) struct IndexFlags {
    /// Read everything anew, and keep nothing of it
    #[arg(long)]
    no_index: bool,
}

impl IndexFlags {
    /// The flag, where it was given.
    pub fn typed(&self) -> Option<Typed> {
        self.no_index.then(|| Typed::flag(Name::Index, Value::Switch(false)))
    }
}

/// The flags that say whether a daemon answers, and how fresh that must be.
#[derive(Debug, Default, clap::Args)]
pub(super) struct DaemonFlags {
    /// Do the work here, and start no daemon
    #[arg(long)]
    no_daemon: bool,
    /// Look at every file before the answer, whatever the daemon knows
    #[arg(long)]
    pub fresh: bool,
}

impl DaemonFlags {
    /// The flag that is a setting, where it was given.
    pub fn typed(&self) -> Option<Typed> {
        self.no_daemon.then(|| Typed::flag(Name::Daemon, Value::Switch(false)))
    }
}

/// The flags that are settings of the language server.
#[derive(Debug, Default, clap::Args)]
pub(super) struct ServerFlags {
    /// Wait so many seconds at most until the language server is ready [default: 0; the daemon starts one all the same]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = |text: &str| value_of(Name::WaitLsp, text))]
    wait_lsp: Option<Value>,
    /// Start this language server, with its arguments [default: rust-analyzer, from where it is installed]
    #[arg(long, value_name = "COMMAND", value_parser = |text: &str| value_of(Name::LspCommand, text))]
    lsp_command: Option<Value>,
    /// Ask no language server
    #[arg(long, conflicts_with_all = ["wait_lsp", "lsp_command"])]
    no_lsp: bool,
}

/// The flags that are settings of who plans.
#[derive(Debug, Default, clap::Args)]
pub(super) struct PlannerFlags {
    /// Who plans: a small model of Ollama, or rules alone [default: auto, the model where a server that has it answers at once]
    #[arg(long, value_name = "WHO", value_parser = PossibleValuesParser::new(Planner::WORDS).map(Value::Word))]
    planner: Option<Value>,
    /// Seconds that a model may plan; then the rules do [default: 3 for `context`, 20 for `prompt`]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = |text: &str| value_of(Name::PlannerDeadline, text))]
    planner_deadline: Option<Value>,
}

impl PlannerFlags {
    /// The flags that were given.
    pub fn typed(&self) -> Vec<Typed> {
        let PlannerFlags { planner, planner_deadline } = self;
        let given = [(Name::Planner, planner.clone()), (Name::PlannerDeadline, planner_deadline.clone())];
        given.into_iter().filter_map(|(name, value)| Some(Typed::flag(name, value?))).collect()
    }
}

/// The flag that is a setting of who turns texts into vectors.
#[derive(Debug, Default, clap::Args)]
pub(super) struct EmbedderFlags {
    /// Who turns texts into vectors: an installed model, `ollama`, or `off` [default: auto, `dossier embedder status` says who]
    #[arg(long, value_name = "WHO", value_parser = |text: &str| value_of(Name::Embedder, text))]
    embedder: Option<Value>,
}

impl EmbedderFlags {
    /// The flag, where it was given.
    pub fn typed(&self) -> Option<Typed> {
        Some(Typed::flag(Name::Embedder, self.embedder.clone()?))
    }
}

impl ServerFlags {
    /// The flags that were given.
    pub fn typed(&self) -> Vec<Typed> {
        let ServerFlags { wait_lsp, lsp_command, no_lsp } = self;
        let given = [
            (Name::Lsp, no_lsp.then_some(Value::Switch(false))),
            (Name::LspCommand, lsp_command.clone()),
            (Name::WaitLsp, wait_lsp.clone()),
        ];
        given.into_iter().filter_map(|(name, value)| Some(Typed::flag(name, value?))).collect()
    }
}

impl SettingFlags {
    /// The flags that were given.
    pub fn typed(&self) -> Vec<Typed> {
        let SettingFlags {
            max_context_files,
            token_budget,
            fill,
            depth,
            patterns,
            tests,
            format,
            line_numbers,
            no_mask,
            index,
            daemon,
            server,
            planner,
            embedder,
        } = self;
        let given = [
            (Name::MaxFiles, max_context_files.clone()),
            (Name::Budget, token_budget.clone()),
            (Name::Fill, fill.then_some(Value::Switch(true))),
            (Name::Depth, depth.clone()),
            (Name::Tests, tests.clone()),
            (Name::Format, format.clone()),
            (Name::LineNumbers, line_numbers.then_some(Value::Switch(true))),
            (Name::Mask, no_mask.then_some(Value::Switch(false))),
        ];
        let given = given.into_iter().filter_map(|(name, value)| Some(Typed::flag(name, value?)));
        given
            .chain(patterns.typed())
            .chain(index.typed())
            .chain(daemon.typed())
            .chain(server.typed())
            .chain(planner.typed())
            .chain(embedder.typed())
            .collect()
    }
}
