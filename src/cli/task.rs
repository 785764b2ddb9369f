//! What `context` and `prompt` have in common: a task with its settings, the workspace that it is about, its dossier.

use std::mem::ManuallyDrop;
use std::path::PathBuf;
use std::time::Duration;

use super::args::Place;
use super::messages::Messages;
use super::progress::Progress;
use super::server::{self, Opened};
use super::settings::{self, Loaded};
use super::{Outcome, planner, query};
use crate::config::{Settings, Tests, Typed};
use crate::model::{Deadline, Note};
use crate::pipeline::{Answer, LanguageServer, Planner, Request, Workspace};
use crate::plan::ContextAgent;
use crate::render::RenderOptions;

/// What was asked, and where.
pub(super) struct Task {
    pub query: String,
    pub root: PathBuf,
    pub settings: Settings,
    /// Of how the workspace was found.
    notes: Vec<Note>,
}

/// A workspace that was read, for as long as the process runs.
pub(super) struct Ready {
    /// Never freed: the process ends, and freeing all that was read piece by piece takes longer than choosing from it.
    pub workspace: ManuallyDrop<Workspace>,
    pub server: LanguageServer,
    /// Who plans, where it is no rule, and for how long at most.
    agent: Option<Box<dyn ContextAgent>>,
    planning: Duration,
    /// When the answer is due.
    pub deadline: Deadline,
    messages: Messages,
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

    /// Reads the workspace, with its language server and a model that plans where the settings say so; `planning` is how long
    /// that may take where they do not say it.
    pub fn open(&self, planning: Duration, messages: &Messages) -> anyhow::Result<Ready> {
        let (agent, note) = planner::agent(&self.settings);
        let planning = self
            .settings
            .planner_deadline
            .value
            .map_or(planning, |seconds| Duration::from_secs(seconds.into()));
        let opened = server::open(&self.root, &self.settings, messages);
        let Opened { workspace, server, deadline } = opened.inspect_err(|_| messages.notes(&self.notes))?;
        let notes = self.notes.iter().cloned().chain(note).collect();
        let workspace = ManuallyDrop::new(workspace.with_notes(notes));
        Ok(Ready { workspace, server, agent, planning, deadline, messages: *messages })
    }

    /// What the pipeline is asked; `content` says whether code is shown.
    pub fn request(&self, content: bool) -> Request {
        let settings = &self.settings;
        Request {
            query: self.query.clone(),
            budget: settings.budget.value,
            max_files: settings.max_files.value.map(|files| files as usize),
            fill: settings.fill.value,
            depth: settings.depth.value,
            tests: match settings.tests.value {
                Tests::Auto => None,
                Tests::Yes => Some(true),
                Tests::No => Some(false),
            },
            mask: settings.mask.value,
            render: RenderOptions {
                format: settings.format.value,
                line_numbers: settings.line_numbers.value,
                content,
            },
        }
    }
}

impl Ready {
    /// The dossier.
    pub fn answer(
        &self,
        request: &Request,
        deadline: &Deadline,
        messages: &Messages,
    ) -> anyhow::Result<Answer> {
        let _progress = Progress::spinner("choosing the code", messages);
        let rules = Planner::rules();
        let planner = self.agent.as_ref().map_or(rules, |agent| Planner::agent(&**agent, self.planning));
        Ok(self.workspace.answer(request, &self.server, &planner, deadline)?)
    }
}

/// What was learnt of the workspace is put down before the process ends.
impl Drop for Ready {
    fn drop(&mut self) {
        self.messages.notes(self.workspace.settle().as_slice());
    }
}

/// Says that there is nothing to show.
pub(super) fn nothing_found(answer: &Answer, messages: &Messages) -> Outcome {
    messages.say(&format!(
        "nothing relevant found in {}: name a type, a function or a path of this workspace, or look elsewhere with --workspace",
        answer.pack.workspace
    ));
    Outcome::NothingFound
}
