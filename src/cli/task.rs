//! What `context` and `prompt` have in common: a task with its settings, the workspace that it is about, its dossier.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::args::Place;
use super::messages::Messages;
use super::progress::Progress;
use super::settings::{self, Loaded};
use super::source::Source;
use super::{Outcome, planner, query, server};
use crate::config::{Settings, Tests, Typed};
use crate::model::{Deadline, Note};
use crate::plan::ContextAgent;
use crate::session::protocol::{
    Candidates, Context, Dossier, Lookup, LookupAnswer, LookupParams, Proposed, Task as Asked,
};

/// What was asked, and where.
pub(super) struct Task {
    pub query: String,
    pub root: PathBuf,
    pub settings: Settings,
    /// Of how the workspace was found.
    notes: Vec<Note>,
}

/// Who asks for dossiers of a task, with a model that plans where there is one.
pub(super) struct Asker<'a> {
    source: Source<'a>,
    /// Who plans, where it is no rule, and for how long at most.
    agent: Option<Box<dyn ContextAgent>>,
    planning: Duration,
    notes: Vec<Note>,
    messages: &'a Messages,
}

impl Task {
    pub fn read(
        words: &[String],
        place: &Place,
        flags: Vec<Typed>,
        messages: &Messages,
    ) -> anyhow::Result<Task> {
        let query = query::read(words, messages)?;
        let (root, notes) = settings::root(place)?;
        let Loaded { settings, notes: told, .. } = settings::load(&root, flags);
        tracing::info!(root = %root.display(), ?settings, "asked");
        messages.notes(&told);
        Ok(Task { query, root, settings, notes })
    }

    /// What is asked, in the words of the protocol; `content` says whether code is shown.
    pub fn asked(&self, content: bool) -> Asked {
        let settings = &self.settings;
        Asked {
            budget: settings.budget.value,
            max_files: settings.max_files.value,
            fill: settings.fill.value,
            depth: settings.depth.value,
            tests: match settings.tests.value {
                Tests::Auto => None,
                Tests::Yes => Some(true),
                Tests::No => Some(false),
            },
            mask: settings.mask.value,
            format: settings.format.value,
            line_numbers: settings.line_numbers.value,
            content,
            lsp: server::wish(settings),
            ..Asked::new(server::protocol_place(&self.root, settings), &self.query)
        }
    }

    /// Finds who answers. `planning` is how long a model may plan where the settings do not say it.
    pub fn asker<'a>(&'a self, planning: Duration, messages: &'a Messages) -> anyhow::Result<Asker<'a>> {
        let (agent, note) = planner::agent(&self.settings);
        let notes = self.notes.iter().cloned().chain(note).collect();
        let source = Source::find(&self.root, &self.settings, messages)?;
        let seconds = self.settings.planner_deadline.value;
        let planning = seconds.map_or(planning, |seconds| Duration::from_secs(seconds.into()));
        Ok(Asker { source, agent, planning, notes, messages })
    }
}

impl Asker<'_> {
    /// The dossier.
    pub fn dossier(&self, mut asked: Asked) -> anyhow::Result<Dossier> {
        let _progress = Progress::spinner("choosing the code", self.messages);
        asked.notes = self.notes.clone();
        if let Some(agent) = &self.agent {
            let offer = self.source.ask::<Candidates>(&asked)?;
            match agent.propose(&offer, &Deadline::after(self.planning)) {
                _ if offer.candidates.is_empty() => {}
                Ok(proposal) => asked.proposal = Some(Proposed { by: agent.name().to_owned(), proposal }),
                Err(error) => asked.notes.push(Note::warning(format!("planned by rules alone: {error}"))),
            }
        }
        self.source.ask::<Context>(&asked)
    }

    /// A file or item by its name.
    pub fn lookup(&self, params: &LookupParams) -> anyhow::Result<LookupAnswer> {
        self.source.ask::<Lookup>(params)
    }
}

/// Says that there is nothing to show.
pub(super) fn nothing_found(workspace: &Path, messages: &Messages) -> Outcome {
    messages.say(&format!(
        "nothing relevant found in {}: name a type, a function or a path of this workspace, or look elsewhere with --workspace",
        workspace.display()
    ));
    Outcome::NothingFound
}
