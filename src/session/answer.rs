//! The answers of one state of a workspace: what a request asks for, put to the pipeline, and what comes of it, put into the words of
//! the protocol.

use std::collections::BTreeSet;
use std::time::Duration;

use super::protocol::{
    Dossier, Edits, ExplainWish, Given, GraphAnswer, GraphParams, LookupAnswer, LookupParams, Proposed,
    Refused, Task,
};
use super::related;
use crate::budget::Entry;
use crate::graph::Served;
use crate::lsp::LanguageProvider;
use crate::model::{Deadline, Note};
use crate::pipeline::{Answer, ByHand, LanguageServer, PipelineError, Planner, Request, Workspace};
use crate::plan::{AgentError, ContextAgent, Offer, Proposal};
use crate::render::{ExplainOptions, RenderOptions, explain, render_entry};

/// A ready server answers most questions within 100 ms; the first ones about an item that all of a large workspace uses take seconds. They are
/// asked again when it is quiet (`ahead`), and then are known.
const SERVED_TIME: Duration = Duration::from_millis(400);

/// What the pipeline is asked for a task.
pub fn request(task: &Task) -> Request {
    let Task { query, budget, max_files, fill, depth, tests, mask, .. } = task;
    let Task { format, line_numbers, content, .. } = task;
    Request {
        query: query.clone(),
        budget: *budget,
        max_files: max_files.map(|files| files as usize),
        fill: *fill,
        depth: *depth,
        tests: *tests,
        meaning: true,
        mask: *mask,
        by_hand: by_hand(&task.edits),
        // Whoever waits for a server wants all that it knows.
        served: (task.lsp.wait_ms == 0).then_some(SERVED_TIME),
        render: RenderOptions { format: *format, line_numbers: *line_numbers, content: *content },
    }
}

fn by_hand(edits: &Edits) -> ByHand {
    let Edits { drop, add, levels, room } = edits.clone();
    ByHand { without: drop.into_iter().collect(), with: add, levels, room }
}

/// The dossier of a task; `notes` are to be told of how it was found.
///
/// # Errors
/// Where the budget holds nothing.
pub fn dossier(
    workspace: &Workspace,
    server: &LanguageServer,
    task: &Task,
    notes: &[Note],
    deadline: &Deadline,
) -> Result<Dossier, PipelineError> {
    let told = task.proposal.as_ref().map(Told);
    let planner = told.as_ref().map_or_else(Planner::rules, |told| Planner::agent(told, Duration::MAX));
    let request = request(task);
    let choice = workspace.choose(&request, server, &planner, deadline);
    let choice = choice.with_notes(task.notes.iter().chain(notes).cloned());
    let answer = workspace.pack(&request, choice, server)?;
    Ok(as_dossier(answer, task.explain, workspace))
}

/// One file or item that somebody asks for by name.
pub fn lookup(workspace: &Workspace, params: &LookupParams) -> LookupAnswer {
    let LookupParams { place, name, reason, room, mask, format, line_numbers } = params;
    let (format, line_numbers, mask) = (*format, *line_numbers, *mask);
    let request = request(&Task { format, line_numbers, mask, ..Task::new(place.clone(), "") });
    match workspace.lookup(name, reason, *room, &request) {
        Ok(entries) => LookupAnswer {
            files: entries.iter().map(given).collect(),
            text: entries.iter().map(|entry| render_entry(entry, &request.render.counted())).collect(),
            refused: None,
        },
        Err(refusal) => LookupAnswer { refused: Some(refusal.to_string()), ..LookupAnswer::default() },
    }
}

fn given(entry: &Entry) -> Given {
    Given { path: entry.path.clone(), level: entry.level, tokens: entry.tokens }
}

/// What the pipeline answered, in the words of the protocol.
fn as_dossier(answer: Answer, wish: Option<ExplainWish>, workspace: &Workspace) -> Dossier {
    let Answer { pack, rendered, refused, .. } = answer;
    let refused = refused.into_iter().map(|(name, why)| Refused { name, why: why.to_string() });
    let explanation = wish
        .map(|ExplainWish { width, color }| explain(&pack, &ExplainOptions { width: width as usize, color }));
    Dossier {
        text: rendered,
        explanation,
        workspace: workspace.snapshot.root.clone(),
        action: pack.intent.action,
        confidence: pack.confidence,
        files: pack.files.iter().map(given).collect(),
        refused: refused.collect(),
        query: pack.query,
        budget: pack.budget,
        language_server: pack.language_server,
        freshness: pack.freshness,
        notes: pack.notes,
    }
}

/// What a model that plans is to be shown of a task's candidates.
pub fn offer(workspace: &Workspace, server: &LanguageServer, task: &Task, deadline: &Deadline) -> Offer {
    workspace.offer(&request(task), server, deadline)
}

/// How items hang together, by the server where it is ready.
pub fn graph(
    workspace: &Workspace,
    server: &LanguageServer,
    params: &GraphParams,
    deadline: &Deadline,
) -> GraphAnswer {
    let served = workspace.served(server);
    let provider: &dyn LanguageProvider = served.as_ref().map_or(&workspace.graph, |served| served as _);
    let report = related::report(params, workspace, provider, deadline);
    served.iter().for_each(|served| workspace.keep(served));
    let mut notes = workspace.notes();
    notes.extend(server.notes());
    notes.extend(served.iter().flat_map(Served::notes));
    GraphAnswer {
        report,
        language_server: workspace.server_status(server),
        freshness: workspace.freshness(),
        notes,
    }
}

/// An agent that was asked before, by the client.
struct Told<'a>(&'a Proposed);

impl ContextAgent for Told<'_> {
    fn name(&self) -> &str {
        &self.0.by
    }

    /// A client's word is checked like a model's: no path counts that was not offered, and none twice.
    fn propose(&self, offer: &Offer, _: &Deadline) -> Result<Proposal, AgentError> {
        let offered: BTreeSet<&str> = offer.candidates.iter().map(|offered| offered.path.as_str()).collect();
        let mut known = BTreeSet::new();
        let mut proposal = self.0.proposal.clone();
        proposal.shortlist.retain(|path| offered.contains(path.as_str()) && known.insert(path.clone()));
        Ok(proposal)
    }
}
