//! What `context` and `prompt` have in common: a task with its settings, the workspace that it is about, its dossier.

use std::cell::RefCell;
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::args::Place;
use super::messages::Messages;
use super::progress::Progress;
use super::server::{self, Opened};
use super::settings::{self, Loaded};
use super::{Outcome, daemon, planner, query};
use crate::config::{Settings, Tests, Typed};
use crate::daemon::{Connection, Lost};
use crate::model::{Deadline, Note};
use crate::pipeline::{LanguageServer, Workspace};
use crate::plan::{ContextAgent, Offer};
use crate::session;
use crate::session::protocol::{
    Candidates, Context, Dossier, Lookup, LookupAnswer, LookupParams, Method, Proposed, Task as Asked,
};

/// A daemon that has not answered by then has lost the request: a workspace of the largest size is read in less.
const DAEMON_TIME: Duration = Duration::from_secs(60);

/// What was asked, and where.
pub(super) struct Task {
    pub query: String,
    pub root: PathBuf,
    pub settings: Settings,
    /// Of how the workspace was found.
    notes: Vec<Note>,
}

/// Who answers about a workspace: the daemon where one runs, else this process.
pub(super) struct Source<'a> {
    task: &'a Task,
    from: RefCell<From>,
    /// Who plans, where it is no rule, and for how long at most.
    agent: Option<Box<dyn ContextAgent>>,
    planning: Duration,
    notes: Vec<Note>,
    messages: &'a Messages,
}

enum From {
    Daemon(Connection),
    Here(Box<Here>),
}

/// A workspace that was read, for as long as the process runs.
struct Here {
    /// Never freed: the process ends, and freeing all that was read piece by piece takes longer than choosing from it.
    workspace: ManuallyDrop<Workspace>,
    server: LanguageServer,
    /// When the answer is due.
    deadline: Deadline,
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
    pub fn source<'a>(&'a self, planning: Duration, messages: &'a Messages) -> anyhow::Result<Source<'a>> {
        let (agent, note) = planner::agent(&self.settings);
        let notes = self.notes.iter().cloned().chain(note).collect();
        let connection = match self.settings.wait_lsp.value {
            0 => daemon::reach(&self.settings),
            // Whoever waits for a language server is to wait for everybody's.
            _ => daemon::reach_or_start(&self.settings),
        };
        let from = match connection {
            Some(connection) => From::Daemon(connection),
            None => From::Here(Box::new(Here::open(self, messages)?)),
        };
        let seconds = self.settings.planner_deadline.value;
        let planning = seconds.map_or(planning, |seconds| Duration::from_secs(seconds.into()));
        Ok(Source { task: self, from: RefCell::new(from), agent, planning, notes, messages })
    }
}

impl Source<'_> {
    /// The dossier.
    pub fn dossier(&self, mut asked: Asked) -> anyhow::Result<Dossier> {
        let _progress = Progress::spinner("choosing the code", self.messages);
        asked.notes = self.notes.clone();
        if let Some(agent) = &self.agent {
            let offer = self.ask::<Candidates>(&asked)?;
            match agent.propose(&offer, &Deadline::after(self.planning)) {
                _ if offer.candidates.is_empty() => {}
                Ok(proposal) => asked.proposal = Some(Proposed { by: agent.name().to_owned(), proposal }),
                Err(error) => asked.notes.push(Note::warning(format!("planned by rules alone: {error}"))),
            }
        }
        self.ask::<Context>(&asked)
    }

    /// A file or item by its name.
    pub fn lookup(&self, params: &LookupParams) -> anyhow::Result<LookupAnswer> {
        self.ask::<Lookup>(params)
    }

    /// A daemon that goes away is no trouble: the work is done here then.
    fn ask<M: Answered>(&self, params: &M::Params) -> anyhow::Result<M::Answer> {
        let asked = match &*self.from.borrow() {
            From::Here(here) => return M::here(params, here),
            From::Daemon(connection) => {
                let wait = Duration::from_secs(self.task.settings.wait_lsp.value.into());
                connection.ask::<M>(params, &Deadline::after(DAEMON_TIME + wait))
            }
        };
        match asked {
            Ok(answer) => Ok(answer),
            Err(Lost::Refused(why)) => anyhow::bail!("{why}"),
            Err(error) => {
                tracing::warn!(%error, "the work is done here");
                let here = Here::open(self.task, self.messages)?;
                let answer = M::here(params, &here);
                self.from.replace(From::Here(Box::new(here)));
                answer
            }
        }
    }
}

/// A request that this process can answer, too.
trait Answered: Method {
    fn here(params: &Self::Params, here: &Here) -> anyhow::Result<Self::Answer>;
}

impl Answered for Context {
    fn here(asked: &Asked, here: &Here) -> anyhow::Result<Dossier> {
        Ok(session::dossier(&here.workspace, &here.server, asked, &[], &here.time_left())?)
    }
}

impl Answered for Candidates {
    fn here(asked: &Asked, here: &Here) -> anyhow::Result<Offer> {
        Ok(session::offer(&here.workspace, &here.server, asked, &here.time_left()))
    }
}

impl Answered for Lookup {
    fn here(params: &LookupParams, here: &Here) -> anyhow::Result<LookupAnswer> {
        Ok(session::lookup(&here.workspace, params))
    }
}

impl Here {
    fn open(task: &Task, messages: &Messages) -> anyhow::Result<Here> {
        let Opened { workspace, server, deadline } = server::open(&task.root, &task.settings, messages)?;
        Ok(Here { workspace: ManuallyDrop::new(workspace), server, deadline, messages: *messages })
    }

    /// However long reading and planning took: what was read serves for an answer.
    fn time_left(&self) -> Deadline {
        if self.deadline.is_over() { Deadline::after(server::ANSWER_TIME) } else { self.deadline.clone() }
    }
}

/// What was learnt of the workspace is put down before the process ends, and a daemon has it for the next one.
impl Drop for Source<'_> {
    fn drop(&mut self) {
        if matches!(self.from.get_mut(), From::Here(_)) {
            daemon::start_for_next(&self.task.settings, &self.task.root);
        }
    }
}

impl Drop for Here {
    fn drop(&mut self) {
        self.messages.notes(self.workspace.settle().as_slice());
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
