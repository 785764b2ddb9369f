//! What can be typed behind `dossier eval`.

use std::path::PathBuf;

use clap::ArgGroup;

const EXAMPLES: &str = "\
Examples:
  dossier eval --from-history 50                          the last 50 commits of this repository that serve
  dossier eval --from-history 50 --write-tasks mine.jsonl --json before.json
  dossier eval --tasks mine.jsonl --repos . --compare before.json
  dossier eval --tasks mine.jsonl --repos . --show mine@0123456789

A task is a question with the files and lines that the real change touched. Exit codes: 0 done, 2 usage, failure, or \
a task that could not be run.";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, group = ArgGroup::new("source").required(true).args(["tasks", "from_history"]))]
pub(crate) struct EvalArgs {
    /// A file of tasks, one JSON object a line; may be given again
    #[arg(long, value_name = "FILE", requires = "repos")]
    pub tasks: Vec<PathBuf>,
    /// Make the tasks from the last N commits that serve, each answered as the code was before it
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub from_history: Option<u32>,
    /// With --from-history: a folder inside the workspace [default: the current folder]
    #[arg(value_name = "PATH", requires = "from_history")]
    pub path: Option<PathBuf>,
    /// With --from-history: keep the tasks in this file, for --tasks
    #[arg(long, value_name = "FILE", requires = "from_history")]
    pub write_tasks: Option<PathBuf>,
    /// The folder with the git repositories, each as `owner+name`, `owner/name` or `name`; or the one repository of all tasks
    #[arg(long, value_name = "FOLDER", conflicts_with = "from_history")]
    pub repos: Option<PathBuf>,
    /// Where checkouts are made [default: in the cache folder]
    #[arg(long, value_name = "FOLDER")]
    pub work: Option<PathBuf>,
    /// Write all measures, and every task's ranks, to this file
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Only tasks whose id or repository holds this text; may be given again
    #[arg(long, value_name = "TEXT")]
    pub filter: Vec<String>,
    /// These repositories are for checking, never for tuning: they are told apart
    #[arg(long, value_name = "REPO", value_delimiter = ',')]
    pub checking: Vec<String>,
    /// Tokens of each pack; several, with commas, give a line for each, and the first is that of the tables [default: 8192]
    #[arg(long, alias = "budget", value_name = "TOKENS", allow_negative_numbers = true, value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..))]
    pub token_budget: Vec<u32>,
    /// Use the whole budget in every pack, where one else ends with what is likely to matter
    #[arg(long)]
    pub fill: bool,
    /// Tasks at the same time [default: as many as there are cores; 1 with --wait-lsp]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=1_024))]
    pub jobs: Option<u32>,
    /// Keep each result in this file as it comes, and take from it what is done already, by this program with these options
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,
    /// Compare with an older report of --json: tasks won and lost, and whether chance does as much
    #[arg(long, value_name = "REPORT")]
    pub compare: Option<PathBuf>,
    /// Print one task instead: what was expected, where it stands and why, which of its lines are shown
    #[arg(long, value_name = "TASK", conflicts_with_all = ["json", "compare", "resume", "wait_lsp"])]
    pub show: Option<String>,
    /// Start the language server in each checkout, and wait so many seconds at most until it is ready
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(0..=3_600))]
    pub wait_lsp: Option<u32>,
    /// Embed each snapshot first, with the embedder that `dossier embedder status` names: minutes for each repository, once
    #[arg(long)]
    pub embed: bool,
    /// Let this model of the Ollama server at OLLAMA_HOST plan
    #[arg(long, value_name = "MODEL")]
    pub planner_model: Option<String>,
}
