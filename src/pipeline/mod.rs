//! The one place that calls the stages, in their order.
//!
//! `Workspace::open` learns what the code says, once; `Workspace::answer` does what one task asks. Every face
//! calls these two and decides nothing itself.

mod answers;
mod before;
mod by_hand;
mod choose;
mod known;
mod language_server;
mod planner;
mod lookup;
mod meaning;
mod open;
mod pack;
mod saving;
mod status;

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use self::answers::Told;
pub use self::by_hand::ByHand;
pub use self::choose::Choice;
pub use self::language_server::{LanguageServer, ServerOptions};
pub use self::lookup::Refusal;
pub use self::open::{OpenOptions, Watch};
pub use self::planner::Planner;
use self::saving::{Saving, Shared};
pub use self::status::IndexStatus;
use crate::budget::ContextPack;
use crate::graph::{Graph, Heard, Served, Speaker};
use crate::index::{Lexical, Links, Messages};
use crate::meaning::{Meaning, Passages};
use crate::model::{Deadline, Note};
use crate::rank::Ranked;
use crate::render::RenderOptions;
use crate::syntax::FileSyntax;
use crate::text::TokenCounter;
use crate::workspace::history::History;
use crate::workspace::{Snapshot, WalkOptions, WorkspaceError};

/// How long reading git's history may take: an answer without it is better than none.
const HISTORY_TIME: Duration = Duration::from_millis(1500);

/// What is known of a workspace, whatever the task.
pub struct Workspace {
    pub snapshot: Snapshot,
    pub syntax: Vec<Option<Arc<FileSyntax>>>,
    /// With what a language server said before, where its files are still the same.
    pub graph: Graph,
    pub lexical: Arc<Lexical>,
    pub links: Arc<Links>,
    pub history: Arc<History>,
    /// Of the same history, where it is asked often.
    messages: Arc<OnceLock<Messages>>,
    /// Which state of the code it is; grows with each change that an index tells of, or `renewed`.
    generation: u64,
    /// When what was known before it was found out, and how many files were another since.
    known: Option<SystemTime>,
    changed: u32,
    /// When it was read.
    read: SystemTime,
    options: WalkOptions,
    counter: TokenCounter,
    /// Of the reading, for the first answer that comes of it.
    timings: Mutex<Vec<(&'static str, f64)>>,
    /// Who said what lies over the graph.
    speaker: Option<Speaker>,
    told: Mutex<Option<Told>>,
    /// Of the server that is ready, about this state.
    heard: Heard,
    /// What is known by an embedder, of all states, and what of this one is to be.
    meaning: OnceLock<Arc<Meaning>>,
    passages: OnceLock<Arc<Passages>>,
    /// `None` where nothing is to be kept.
    index: Option<Arc<Shared>>,
    saving: Mutex<Saving>,
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
    /// Whether what is close in meaning counts, where an embedder is there.
    pub meaning: bool,
    pub mask: bool,
    pub by_hand: ByHand,
    /// How long a ready language server may be asked; as long as the answer may take where none is given.
    pub served: Option<Duration>,
    pub render: RenderOptions,
}

impl Request {
    /// A task as the command line asks it where nothing else is said: a pack that ends where more would be noise, secrets
    /// masked, as Markdown.
    pub fn new(query: impl Into<String>, budget: u32) -> Request {
        Request {
            query: query.into(),
            budget,
            max_files: None,
            fill: false,
            depth: None,
            tests: None,
            meaning: true,
            mask: true,
            by_hand: ByHand::default(),
            served: None,
            render: RenderOptions::default(),
        }
    }
}

#[derive(Debug)]
pub struct Answer {
    pub pack: ContextPack,
    pub rendered: String,
    /// All candidates with their receipts, in the order of `pack.ranking`: those that did not go in, too.
    pub ranked: Vec<Ranked>,
    /// What was to be added by hand and is not, with the reason.
    pub refused: Vec<(String, Refusal)>,
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
    /// With what is to be known besides, of how the workspace was found: it stands before the other notes of every answer.
    pub fn with_notes(mut self, notes: Vec<Note>) -> Workspace {
        self.snapshot.notes.splice(0..0, notes);
        self
    }

    /// What is known of the workspace's items: by the server where it is ready, else by the text alone.
    pub fn served<'a>(&'a self, server: &'a LanguageServer) -> Option<Served<'a>> {
        let questions = server.server()?.on(&self.snapshot)?;
        let speaker = (server.name(), server.status().version);
        Some(Served::new(&self.graph, &self.syntax, (questions, &self.heard), speaker))
    }

    /// Works out what many answers need and one can do without.
    pub fn prepare(&self) {
        self.messages.get_or_init(|| Messages::of(&self.history));
    }

    /// Begins to put down in the index what is new, where it has one.
    pub fn put_down(&self) {
        self.saving().start(self);
    }

    fn saving(&self) -> MutexGuard<'_, Saving> {
        self.saving.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The same, and waits until it is done; says why it could not be.
    pub fn save(&self) -> Option<Note> {
        self.put_down();
        self.saving().finish()
    }

    /// The same, and closes the index.
    pub fn settle(&mut self) -> Option<Note> {
        let trouble = self.save();
        self.index = None;
        trouble
    }

    /// Whether it has an index on disk that what was learnt goes to.
    pub fn is_kept(&self) -> bool {
        self.index.as_ref().is_some_and(|index| index.is_open())
    }

    /// What is to be known of it, whatever the task.
    pub fn notes(&self) -> Vec<Note> {
        let trouble = self.index.as_ref().filter(|index| !index.is_open()).and_then(|index| index.trouble());
        trouble.into_iter().chain(self.snapshot.notes.iter().cloned()).collect()
    }

    /// Why what was learnt is not in the index, where it has one. A command tells of it when it ends (`settle`), and what stays open with
    /// the next answers.
    pub fn unsaved(&self) -> Option<Note> {
        self.index.as_ref().filter(|index| index.is_open()).and_then(|index| index.trouble())
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
