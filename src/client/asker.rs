//! Asks for the dossiers of a task, with a model that plans where there is one.

use std::time::Duration;

use super::{Task, Tell, planner};
use crate::model::{Deadline, Note};
use crate::plan::{ContextAgent, Offer};
use crate::session::protocol::{Dossier, LookupAnswer, LookupParams, Proposed, Task as Asked};

/// Who answers about a workspace: the daemon, or this process.
pub(crate) trait Source {
    fn candidates(&self, asked: &Asked) -> anyhow::Result<Offer>;
    fn context(&self, asked: &Asked) -> anyhow::Result<Dossier>;
    fn lookup(&self, params: &LookupParams) -> anyhow::Result<LookupAnswer>;
}

pub(crate) struct Asker<'a> {
    source: Box<dyn Source + 'a>,
    /// Who plans, where it is no rule, and for how long at most.
    agent: Option<Box<dyn ContextAgent>>,
    planning: Duration,
    notes: Vec<Note>,
    tell: &'a dyn Tell,
}

impl<'a> Asker<'a> {
    /// `planning` is how long a model may plan where the settings do not say it.
    pub fn new(
        task: &Task,
        planning: Duration,
        source: Box<dyn Source + 'a>,
        tell: &'a dyn Tell,
    ) -> Asker<'a> {
        let (agent, note) = planner::agent(&task.settings);
        let notes = task.notes.iter().cloned().chain(note).collect();
        let seconds = task.settings.planner_deadline.value;
        let planning = seconds.map_or(planning, |seconds| Duration::from_secs(seconds.into()));
        Asker { source, agent, planning, notes, tell }
    }

    /// The dossier.
    pub fn dossier(&self, mut asked: Asked) -> anyhow::Result<Dossier> {
        let _busy = self.tell.busy("choosing the code");
        asked.notes = self.notes.clone();
        if let Some(agent) = &self.agent {
            let offer = self.source.candidates(&asked)?;
            match agent.propose(&offer, &Deadline::after(self.planning)) {
                _ if offer.candidates.is_empty() => {}
                Ok(proposal) => asked.proposal = Some(Proposed { by: agent.name().to_owned(), proposal }),
                Err(error) => asked.notes.push(Note::warning(format!("planned by rules alone: {error}"))),
            }
        }
        self.source.context(&asked)
    }

    /// A file or item by its name.
    pub fn lookup(&self, params: &LookupParams) -> anyhow::Result<LookupAnswer> {
        self.source.lookup(params)
    }
}
