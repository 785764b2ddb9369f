//! The one place that calls the stages, in their order.
//!
//! `Workspace::open` learns what the code says, once; `Workspace::answer` does what one task asks. Every face
//! calls these two and decides nothing itself.

mod before;
mod known;
mod language_server;
mod planner;
mod lookup;
mod open;
mod saving;
mod status;

use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use self::known::Known;
pub use self::language_server::{LanguageServer, ServerOptions};
pub use self::lookup::Refusal;
pub use self::open::{OpenOptions, Watch};
pub use self::planner::Planner;
use self::saving::{Saving, Shared};
pub use self::status::IndexStatus;
use crate::budget::{self, BudgetUse, ContextPack, Freshness, Limits};
use crate::expand::{self, Facts, seeds};
use crate::graph::{Graph, Served};
use crate::index::{CommitVotes, Lexical};
use crate::lsp::LanguageProvider;
use crate::model::{Deadline, Note};
use crate::plan;
use crate::plan::{ContextPlan, Strategy};
use crate::rank;
use crate::render::{self, RenderOptions};
use crate::syntax::FileSyntax;
use crate::text;
use crate::text::TokenCounter;
use crate::workspace::history::History;
use crate::workspace::{Snapshot, WalkOptions, WorkspaceError};

/// How long reading git's history may take: an answer without it is better than none.
const HISTORY_TIME: Duration = Duration::from_millis(1500);

/// What is kept back of the time for an answer, for choosing among the candidates: it takes 20 to 150 ms.
const CHOOSING_TIME: Duration = Duration::from_millis(300);

/// What is known of a workspace, whatever the task.
pub struct Workspace {
    pub snapshot: Snapshot,
    pub syntax: Vec<Option<Arc<FileSyntax>>>,
    pub graph: Graph,
    pub lexical: Arc<Lexical>,
    pub history: Arc<History>,
    /// Which state of the code it is; grows with each change that an index tells of, or `renewed`.
    generation: u64,
    /// When what was known before it was found out, and how many files were another since.
    known: Option<SystemTime>,
    changed: u32,
    /// When it was read.
    read: SystemTime,
    options: WalkOptions,
    counter: TokenCounter,
    timings: Vec<(&'static str, f64)>,
    index: Option<Arc<Shared>>,
    saving: Saving,
}

/// One task.
#[derive(Debug, Clone)]
pub struct Request {
    pub query: String,
    /// Tokens for the whole rendered text.
    pub budget: u32,
    pub max_files: Option<usize>,
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
        Some(Served::new(&self.graph, &self.syntax, questions, server.name()))
    }

    /// Waits until what was learnt is put down in the index, and closes it; says why it could not be put down.
    pub fn settle(&mut self) -> Option<Note> {
        let trouble = self.saving.finish();
        self.index = None;
        trouble
    }

    /// Whether it has an index on disk that what was learnt goes to.
    pub fn is_kept(&self) -> bool {
        self.index.is_some()
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
        let mut clock = Clock { stages: self.timings.clone(), last: Instant::now() };
        let (query, query_secrets) = shown_query(request);
        let mut intent = plan::analyze(&searched(&query, query_secrets));
        if let Some(tests) = request.tests {
            intent.wants_tests = tests;
        }

        let served = self.served(server);
        let provider: &dyn LanguageProvider =
            served.as_ref().map_or(&self.graph, |served| served as &dyn LanguageProvider);
        let asking = deadline.before(CHOOSING_TIME);
        let known = Known {
            snapshot: &self.snapshot,
            graph: &self.graph,
            lexical: &self.lexical,
            provider,
            deadline: &asking,
        };
        let mut plan = plan::plan(&intent, &known);
        plan.keywords.extend(plan::carry_over(&intent, &known));
        plan.max_depth = request.depth.unwrap_or(plan.max_depth);
        plan.include_tests = request.tests.unwrap_or(plan.include_tests);
        clock.stage("plan");
        let votes = CommitVotes::count(&self.history, &self.snapshot, &seeds::terms(&plan));
        let facts = self.facts(&votes, provider);
        let collect = |plan: &ContextPlan, deadline: &Deadline| {
            let mut candidates = expand::expand(&facts, &intent, plan, deadline);
            if request.tests == Some(false) {
                candidates.leave_tests_out(&self.snapshot);
            }
            candidates
        };
        let mut candidates = collect(&plan, &asking);
        let mut planner_notes = Vec::new();
        if planner.is_asked() {
            clock.stage("expand");
            let ranked = rank::rank(&facts, &plan, &candidates);
            let offer = planner::offer(&facts, &query, intent.action, &ranked, &candidates);
            let asked = Instant::now();
            planner_notes = planner.better(&mut plan, &offer);
            if let Some(tests) = request.tests {
                plan.include_tests = tests;
            }
            plan.max_depth = request.depth.unwrap_or(plan.max_depth);
            clock.stage("planner");
            if plan.source != plan::HEURISTIC {
                candidates = collect(&plan, &asking.later(asked.elapsed()));
            }
        }
        let mut server_notes = server.notes();
        server_notes.extend(served.iter().flat_map(Served::notes));
        clock.stage("expand");
        let ranked = rank::rank(&facts, &plan, &candidates);
        clock.stage("rank");
        let counter = self.counter;
        let counted = request.render.counted();
        let frame = render::frame(&query, request.budget, &counted);
        let around = counter.count(&frame.head) + counter.count(&frame.tail);
        let mut room = request.budget.saturating_sub(around);
        loop {
            let limits = Limits { tokens: room, max_files: request.max_files, mask: request.mask };
            let price = |entry: &budget::Entry| counter.count(&render::render_entry(entry, &counted));
            let fitted = budget::fit(&facts, &ranked, &candidates, limits, &counter, &price);
            let mut pack = ContextPack {
                query: query.clone(),
                workspace: self.snapshot.root.display().to_string(),
                intent: intent.clone(),
                plan: plan.clone(),
                confidence: rank::confidence(&candidates),
                files: fitted.files,
                dropped: fitted.dropped,
                ranking: ranked.iter().map(|file| self.snapshot.file(file.file).path.clone()).collect(),
                budget: BudgetUse { limit: request.budget, used: 0, tokenizer: crate::text::ENCODING.into() },
                language_server: server.status(),
                freshness: self.freshness(),
                notes: self.notes(
                    &plan,
                    &[&server_notes, &planner_notes, &intent.notes, &candidates.notes],
                    fitted.masked + query_secrets,
                ),
                timings: Vec::new(),
            };
            let text = render::render(&pack, &counted);
            pack.budget.used = counter.count(&text);
            if pack.budget.used > request.budget {
                let over = pack.budget.used - request.budget;
                if room == 0 {
                    let least = least_budget(&mut pack, &counted, counter);
                    return Err(PipelineError::Budget { budget: request.budget, least });
                }
                room = room.saturating_sub(over);
                continue;
            }
            clock.stage("budget");
            pack.timings = clock.stages;
            let rendered =
                if counted == request.render { text } else { render::render(&pack, &request.render) };
            return Ok(Answer { pack, rendered });
        }
    }

    fn facts<'a>(&'a self, votes: &'a CommitVotes, provider: &'a dyn LanguageProvider) -> Facts<'a> {
        let Workspace { snapshot, syntax, graph, lexical, .. } = self;
        Facts { snapshot, syntax, graph, lexical, votes, provider }
    }

    /// Of what was known before the files were looked at; where nothing was, of themselves.
    fn freshness(&self) -> Freshness {
        let age = self.known.unwrap_or(self.read).elapsed().unwrap_or_default();
        Freshness {
            generation: self.generation,
            index_age_ms: age.as_millis() as u64,
            changed_since: self.changed,
            embedded: None,
        }
    }

    /// What is to be known of the workspace, of the task (`of_task`) and of the text, in this order.
    fn notes(&self, plan: &ContextPlan, of_task: &[&[Note]], masked: u32) -> Vec<Note> {
        let mut notes: Vec<Note> = self.snapshot.notes.clone();
        notes.extend(self.history.notes.iter().cloned());
        notes.extend(of_task.iter().copied().flatten().cloned());
        if matches!(plan.strategy, Strategy::EntryPointBased { .. }) {
            notes.push(Note::warning(NOTHING_TO_LOOK_FOR));
        }
        if self.snapshot.is_torn() {
            notes.push(Note::warning(TORN));
        }
        if masked > 0 {
            notes.push(Note::warning(format!(
                "{masked} secrets are masked in the text; --no-mask shows them"
            )));
        }
        notes
    }
}

const NOTHING_TO_LOOK_FOR: &str = "the task names nothing to look for: this is where the programs and libraries begin; \
     name a type, a function or a path";

const TORN: &str = "files were changed while the answer was made, and are left empty in it; ask again";

/// The task as it may be repeated, and how many secrets were masked in it.
fn shown_query(request: &Request) -> (String, u32) {
    match request.mask {
        true => {
            let redacted = text::redact(&request.query);
            (redacted.text.into_owned(), redacted.masked)
        }
        false => (request.query.clone(), 0),
    }
}

/// The task as it is searched for. What is masked is no word of it: the plan and the reasons repeat its words.
fn searched(query: &str, masked: u32) -> Cow<'_, str> {
    if masked > 0 { Cow::Owned(query.replace(text::MASK, " ")) } else { Cow::Borrowed(query) }
}

/// The least budget that holds what `pack`, which is over its own, has come down to. More room makes more of the task
/// fit into the frame, so that it is sought from below.
fn least_budget(pack: &mut ContextPack, options: &RenderOptions, counter: TokenCounter) -> u32 {
    loop {
        let used = counter.count(&render::render(pack, options));
        if used <= pack.budget.limit {
            return pack.budget.limit;
        }
        pack.budget.limit = used;
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
