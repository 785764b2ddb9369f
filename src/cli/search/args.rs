//! What can be typed behind `dossier search`.

use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use crate::cli::args::Place;
use crate::cli::flags::{DaemonFlags, IndexFlags, PatternFlags};
use crate::config::{Name, Tests, Typed, Value};
use crate::session::protocol::{SearchLevel, SearchMode};

const EXAMPLES: &str = "\
Examples:
  dossier search \"where are sessions renewed\" --level symbol
  dossier search \"how is the database set up\" --level doc --limit 5
  dossier search refresh_token --mode structural --json | jq '.hits[].path'

Exit codes: 0 done, 1 nothing relevant found, 2 usage or failure.";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct SearchArgs {
    /// What is looked for, in plain words or by names; `-` reads it from standard input
    #[arg(required = true, value_name = "QUERY")]
    pub query: Vec<String>,
    #[command(flatten)]
    pub place: Place,
    /// What it goes by
    #[arg(long, value_enum, value_name = "MODE", default_value_t = Mode::Hybrid)]
    pub mode: Mode,
    /// What is to be found
    #[arg(long, value_enum, value_name = "LEVEL", default_value_t = Level::File)]
    pub level: Level,
    /// At most so many
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub limit: u32,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    patterns: PatternFlags,
    /// Whether tests may come in [default: auto, by the query]
    #[arg(long, value_name = "WHEN", value_parser = PossibleValuesParser::new(Tests::WORDS).map(Value::Word))]
    tests: Option<Value>,
    #[command(flatten)]
    index: IndexFlags,
    #[command(flatten)]
    pub daemon: DaemonFlags,
}

impl SearchArgs {
    /// The flags that are settings, where they were given. No search waits for a language server.
    pub fn typed(&self) -> Vec<Typed> {
        let tests = self.tests.clone().map(|tests| Typed::flag(Name::Tests, tests));
        let mut typed = self.patterns.typed();
        typed.extend(tests.into_iter().chain(self.index.typed()).chain(self.daemon.typed()));
        typed.push(Typed::flag(Name::WaitLsp, Value::Number(0)));
        typed
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Mode {
    /// Closeness in meaning alone; needs an embedder
    Semantic,
    /// Words, names, past commits and what hangs together
    Structural,
    /// All of it
    Hybrid,
}

impl From<Mode> for SearchMode {
    fn from(mode: Mode) -> SearchMode {
        match mode {
            Mode::Semantic => SearchMode::Semantic,
            Mode::Structural => SearchMode::Structural,
            Mode::Hybrid => SearchMode::Hybrid,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Level {
    /// Items of the code: functions, types, impls
    Symbol,
    /// Files
    File,
    /// Modules of the code, each with the files in its folder
    Module,
    /// Sections of what is not Rust: documentation, manifests, SQL
    Doc,
}

impl From<Level> for SearchLevel {
    fn from(level: Level) -> SearchLevel {
        match level {
            Level::Symbol => SearchLevel::Symbol,
            Level::File => SearchLevel::File,
            Level::Module => SearchLevel::Module,
            Level::Doc => SearchLevel::Doc,
        }
    }
}
