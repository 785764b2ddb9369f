//! Which files a task is about: plan, expansion, ranking.

use std::borrow::Cow;
use std::time::{Duration, Instant};

use super::known::Known;
use super::meaning::Asking;
use super::{Clock, LanguageServer, Planner, Request, Workspace, planner};
use crate::expand::{self, Candidates, Facts, seeds};
use crate::graph::Served;
use crate::index::CommitVotes;
use crate::lsp::LanguageProvider;
use crate::meaning::{Close, MeaningError};
use crate::model::{Deadline, Note};
use crate::plan::{self, ContextPlan, Offer, QueryIntent};
use crate::rank::{self, Ranked};
use crate::text;

/// What is kept back of the time for an answer, for choosing among the candidates: it takes 20 to 150 ms.
const CHOOSING_TIME: Duration = Duration::from_millis(300);

/// The candidates of one task, ranked: what a pack of any size is made of.
pub struct Choice {
    pub intent: QueryIntent,
    pub plan: ContextPlan,
    pub candidates: Candidates,
    /// Best first.
    pub ranked: Vec<Ranked>,
    /// The task as it may be repeated.
    pub(super) query: String,
    /// How many secrets were masked in it.
    pub(super) secrets: u32,
    pub(super) notes: Vec<Note>,
    pub votes: CommitVotes,
    /// What is close to it in meaning.
    pub close: Option<Close>,
    pub(super) clock: Clock,
}

impl Choice {
    /// What is to be told of how it was made.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// With what is to be told besides, before the rest.
    pub fn with_notes(mut self, notes: impl IntoIterator<Item = Note>) -> Choice {
        self.notes.splice(0..0, notes);
        self
    }
}

impl Workspace {
    /// Finds and ranks what a task is about. Ends soon after `deadline`, with what it has by then.
    pub fn choose(
        &self,
        request: &Request,
        server: &LanguageServer,
        planner: &Planner<'_>,
        deadline: &Deadline,
    ) -> Choice {
        let mut clock = Clock::start();
        let (query, secrets) = shown_query(request);
        let mut intent = plan::analyze(&searched(&query, secrets));
        if let Some(tests) = request.tests {
            intent.wants_tests = tests;
        }

        let meaning = match request.meaning {
            true => self.ask_meaning(&searched(&query, secrets), deadline),
            false => Asking::nobody(),
        };
        let served = self.served(server);
        let provider: &dyn LanguageProvider =
            served.as_ref().map_or(&self.graph, |served| served as &dyn LanguageProvider);
        let mut asking = deadline.before(CHOOSING_TIME);
        if let Some(time) = request.served.filter(|_| served.is_some()) {
            asking = asking.within(time);
        }
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
        let votes =
            CommitVotes::count(&self.history, &self.snapshot, &seeds::terms(&plan), self.messages.get());
        let (close, unclear) = meaning.answer();
        let facts = Facts { close: close.as_ref(), ..self.facts(&votes, provider) };
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
            let ranked = rank::rank(&facts, &candidates);
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
        if let Some(served) = &served {
            self.keep(served);
        }
        let mut notes = server.notes();
        notes.extend(self.notes_on_kept(server));
        notes.extend(served.iter().flat_map(Served::notes));
        notes.extend(planner_notes);
        notes.extend(unclear);
        notes.extend(self.meaning().and_then(|meaning| meaning.trouble()));
        notes.extend(intent.notes.iter().cloned());
        notes.extend(candidates.notes.iter().cloned());
        clock.stage("expand");
        let ranked = rank::rank(&facts, &candidates);
        clock.stage("rank");
        Choice { intent, plan, candidates, ranked, query, secrets, notes, votes, close, clock }
    }

    /// What is close to a task in meaning, and nothing else; `None` without an embedder.
    pub fn close(&self, request: &Request, deadline: &Deadline) -> Option<Result<Close, MeaningError>> {
        let (query, secrets) = shown_query(request);
        Some(self.meaning()?.close(self.passages()?, &searched(&query, secrets), deadline))
    }

    /// What a model that plans is to be shown: the best candidates of a task.
    pub fn offer(&self, request: &Request, server: &LanguageServer, deadline: &Deadline) -> Offer {
        let choice = self.choose(request, server, &Planner::rules(), deadline);
        let facts = self.facts(&choice.votes, &self.graph);
        planner::offer(&facts, &choice.query, choice.intent.action, &choice.ranked, &choice.candidates)
    }

    /// What is known, as far as one task needs it.
    pub fn facts<'a>(&'a self, votes: &'a CommitVotes, provider: &'a dyn LanguageProvider) -> Facts<'a> {
        let Workspace { snapshot, syntax, graph, lexical, links, .. } = self;
        Facts { snapshot, syntax, graph, lexical, links, votes, close: None, provider }
    }
}

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
