//! Who plans: rules, or a model that is shown what the rules found.

use std::time::Duration;

use crate::expand::{Candidates, Facts};
use crate::model::{Deadline, Note};
use crate::plan::{self, Action, ContextAgent, ContextPlan, MOST_OFFERED, Offer, Offered};
use crate::rank::{self, Ranked};

/// Names beside an offered path; the prompt has room for three or four.
const MOST_NAMES: usize = 6;

/// The agent that is asked, and how long at most.
pub struct Planner<'a> {
    agent: Option<&'a dyn ContextAgent>,
    limit: Duration,
}

impl<'a> Planner<'a> {
    /// Nobody is asked: the plan that rules make serves.
    pub fn rules() -> Planner<'a> {
        Planner { agent: None, limit: Duration::ZERO }
    }

    pub fn agent(agent: &'a dyn ContextAgent, limit: Duration) -> Planner<'a> {
        Planner { agent: Some(agent), limit }
    }

    pub(super) fn is_asked(&self) -> bool {
        self.agent.is_some()
    }

    /// Makes a plan better, or leaves it as it is where the agent does not help; what is to be told of it.
    pub(super) fn better(&self, plan: &mut ContextPlan, offer: &Offer) -> Vec<Note> {
        let Some(agent) = self.agent.filter(|_| !offer.candidates.is_empty()) else { return Vec::new() };
        match agent.propose(offer, &Deadline::after(self.limit)) {
            Ok(proposal) => {
                *plan = plan::merge(plan, &proposal, offer, agent.name());
                proposal.notes
            }
            Err(error) => vec![Note::warning(format!("planned by rules alone: {error}"))],
        }
    }
}

/// What the agent is shown: the best candidates, none with a name that no line could hold.
pub(super) fn offer(
    facts: &Facts<'_>,
    task: &str,
    action: Action,
    ranked: &[Ranked],
    candidates: &Candidates,
) -> Offer {
    let offered = ranked.iter().map(|ranked| Offered {
        path: facts.snapshot.file(ranked.file).path.clone(),
        names: rank::item_names(facts, candidates, ranked.file, MOST_NAMES),
    });
    let is_line = |offered: &Offered| !offered.path.contains(char::is_control);
    let candidates = offered.filter(is_line).take(MOST_OFFERED).collect();
    Offer { task: task.to_owned(), action, candidates }
}
