//! The one place that calls the stages, in their order.
//!
//! `Workspace::open` learns what the code says, once; `Workspace::answer` does what one task asks. Every face
//! calls these two and decides nothing itself.

mod choose;
mod known;
mod language_server;
mod planner;
mod lookup;
mod pack;

use std::path::Path;
use std::time::{Duration, Instant};

use rayon::prelude::*;

pub use self::choose::Choice;
pub use self::language_server::{LanguageServer, ServerOptions};
pub use self::lookup::Refusal;
pub use self::planner::Planner;
use crate::budget::ContextPack;
use crate::graph::{Graph, Served};
use crate::index::{Lexical, Links};
use crate::model::{Deadline, FileKind, Note};
use crate::rank::Ranked;
use crate::render::RenderOptions;
use crate::syntax::{self, FileSyntax};
use crate::text::TokenCounter;
use crate::workspace::history::{History, HistoryOptions};
use crate::workspace::{Snapshot, SourceFile, WalkOptions, WorkspaceError};

/// How long reading git's history may take: an answer without it is better than none.
const HISTORY_TIME: Duration = Duration::from_millis(1500);

/// What is known of a workspace, whatever the task.
pub struct Workspace {
    pub snapshot: Snapshot,
    pub syntax: Vec<Option<FileSyntax>>,
    pub graph: Graph,
    pub lexical: Lexical,
    pub links: Links,
    pub history: History,
    counter: TokenCounter,
    timings: Vec<(&'static str, f64)>,
    opened: Instant,
}

/// One task.
#[derive(Debug, Clone)]
pub struct Request {
    pub query: String,
    /// Tokens for the whole rendered text.
    pub budget: u32,
    pub max_files: Option<usize>,
    /// Whether the whole budget is used, where a pack else ends with what is likely to matter.
    pub fill: bool,
    /// Steps of the graph; the plan's own where none is given.
    pub depth: Option<u32>,
    /// Whether tests are wanted; what the task says where none is given.
    pub tests: Option<bool>,
    pub mask: bool,
    pub render: RenderOptions,
}

#[derive(Debug)]
pub struct Answer {
    pub pack: ContextPack,
    pub rendered: String,
    /// All candidates with their receipts, in the order of `pack.ranking`: those that did not go in, too.
    pub ranked: Vec<Ranked>,
}

#[derive(Debug, thiserror::Error)]
pub enum PipelineError {
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    #[error(
        "a budget of {budget} tokens cannot hold even the path of one file; give at least {least} with --token-budget"
    )]
    Budget { budget: u32, least: u32 },
}

impl Workspace {
    /// Reads and analyses a workspace. Only a root that cannot be read at all is an error; all other trouble is a
    /// note in the snapshot. Where `deadline` ends in time, git's history is read for a part of it at most.
    pub fn open(root: &Path, options: &WalkOptions, deadline: &Deadline) -> Result<Workspace, PipelineError> {
        let opened = Instant::now();
        let mut clock = Clock::start();
        let counter = TokenCounter::start();
        let history_time = deadline.remaining().map(|left| left.min(HISTORY_TIME));
        let history_deadline = history_time.map_or_else(Deadline::never, Deadline::after);
        std::thread::scope(|scope| {
            let history = scope.spawn(|| History::read(root, &HistoryOptions::default(), &history_deadline));
            let snapshot = Snapshot::read(root, options)?;
            clock.stage("walk");
            let syntax = parse(&snapshot);
            clock.stage("syntax");
            let (graph, lexical) =
                rayon::join(|| Graph::build(&snapshot, &syntax), || Lexical::build(&snapshot, &syntax));
            let links = Links::build(&graph, &lexical, &syntax);
            clock.stage("index");
            let history = history.join().unwrap_or_default();
            clock.stage("history");
            Ok(Workspace {
                snapshot,
                syntax,
                graph,
                lexical,
                links,
                history,
                counter,
                timings: clock.stages,
                opened,
            })
        })
    }

    /// With what is to be known besides, of how the workspace was found: it stands before the other notes of every answer.
    pub fn with_notes(mut self, notes: Vec<Note>) -> Workspace {
        self.snapshot.notes.splice(0..0, notes);
        self
    }

    /// What is known of the workspace's items: by the server where it is ready, else by the text alone.
    pub fn served<'a>(&'a self, server: &'a LanguageServer) -> Option<Served<'a>> {
        let questions = server.server()?.on(&self.snapshot)?;
        Some(Served::new(&self.graph, &self.syntax, questions, server.name()))
    }

    /// What counts tokens here.
    pub fn counter(&self) -> TokenCounter {
        self.counter
    }

    /// The dossier of one task. Ends soon after `deadline`, with what it has by then.
    pub fn answer(
        &self,
        request: &Request,
        server: &LanguageServer,
        planner: &Planner<'_>,
        deadline: &Deadline,
    ) -> Result<Answer, PipelineError> {
        self.pack(request, self.choose(request, server, planner, deadline), server)
    }
}

fn parse(snapshot: &Snapshot) -> Vec<Option<FileSyntax>> {
    let parse = |file: &SourceFile| (file.kind == FileKind::Rust).then(|| syntax::parse(&file.text));
    snapshot.files.par_iter().map(parse).collect()
}

/// The times of the stages, in milliseconds.
struct Clock {
    stages: Vec<(&'static str, f64)>,
    last: Instant,
}

impl Clock {
    fn start() -> Clock {
        Clock { stages: Vec::new(), last: Instant::now() }
    }

    /// Ends the stage that began when the last one ended.
    fn stage(&mut self, name: &'static str) {
        let now = Instant::now();
        self.stages.push((name, (now - self.last).as_secs_f64() * 1000.0));
        self.last = now;
    }
}
