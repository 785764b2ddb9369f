//! Who answers a command's questions about a workspace: the daemon where one runs, else this process.

use std::cell::RefCell;
use std::mem::ManuallyDrop;
use std::path::Path;
use std::time::Duration;

use super::messages::Messages;
use super::server::{self, Opened};
use crate::client;
use crate::config::Settings;
use crate::daemon::{Connection, Lost};
use crate::meaning::EmbedderSource;
use crate::model::{Deadline, Note, NoteLevel};
use crate::pipeline::{LanguageServer, Workspace};
use crate::plan::Offer;
use crate::session;
use crate::session::protocol::{
    Candidates, Context, Dossier, Graph, GraphAnswer, GraphParams, Lookup, LookupAnswer, LookupParams,
    Method, Search, SearchAnswer, SearchParams, Task as Asked,
};

/// A daemon that has not answered by then has lost the request: a workspace of the largest size is read in less.
const DAEMON_TIME: Duration = Duration::from_secs(60);

/// The daemon, or this process in its place.
pub(super) struct Source<'a> {
    root: &'a Path,
    settings: &'a Settings,
    from: RefCell<From>,
    messages: &'a Messages,
}

enum From {
    Daemon(Connection),
    Here(Box<Here>),
}

/// A workspace that was read, for as long as the process runs.
pub(super) struct Here {
    /// Never freed: the process ends, and freeing all that was read piece by piece takes longer than choosing from it.
    workspace: ManuallyDrop<Workspace>,
    server: LanguageServer,
    embedder: EmbedderSource,
    /// When the answer is due.
    deadline: Deadline,
    messages: Messages,
}

impl<'a> Source<'a> {
    /// Finds who answers about the workspace at `root`.
    pub fn find(
        root: &'a Path,
        settings: &'a Settings,
        messages: &'a Messages,
    ) -> anyhow::Result<Source<'a>> {
        let connection = match settings.wait_lsp.value {
            0 => client::reach(settings),
            // Whoever waits for a language server is to wait for everybody's.
            _ => client::reach_or_start(settings),
        };
        let from = match connection {
            Some(connection) => From::Daemon(connection),
            None => From::Here(Box::new(Here::open(root, settings, messages)?)),
        };
        Ok(Source { root, settings, from: RefCell::new(from), messages })
    }

    /// A daemon that goes away is no trouble: the work is done here then.
    pub fn ask<M: Answered>(&self, params: &M::Params) -> anyhow::Result<M::Answer> {
        let asked = match &*self.from.borrow() {
            From::Here(here) => return M::here(params, here),
            From::Daemon(connection) => {
                let wait = Duration::from_secs(self.settings.wait_lsp.value.into());
                connection.ask::<M>(params, &Deadline::after(DAEMON_TIME + wait))
            }
        };
        match asked {
            Ok(answer) => Ok(answer),
            Err(Lost::Refused(why)) => anyhow::bail!("{why}"),
            Err(error) => {
                tracing::warn!(%error, "the work is done here");
                let here = Here::open(self.root, self.settings, self.messages)?;
                let answer = M::here(params, &here);
                self.from.replace(From::Here(Box::new(here)));
                answer
            }
        }
    }
}

impl client::Source for Source<'_> {
    fn candidates(&self, asked: &Asked) -> anyhow::Result<Offer> {
        self.ask::<Candidates>(asked)
    }

    fn context(&self, asked: &Asked) -> anyhow::Result<Dossier> {
        self.ask::<Context>(asked)
    }

    fn lookup(&self, params: &LookupParams) -> anyhow::Result<LookupAnswer> {
        self.ask::<Lookup>(params)
    }
}

/// A request that this process can answer, too.
pub(super) trait Answered: Method {
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

impl Answered for Graph {
    fn here(params: &GraphParams, here: &Here) -> anyhow::Result<GraphAnswer> {
        Ok(session::graph(&here.workspace, &here.server, params, &here.time_left()))
    }
}

impl Answered for Search {
    fn here(params: &SearchParams, here: &Here) -> anyhow::Result<SearchAnswer> {
        Ok(session::search(&here.workspace, &here.embedder, params, &here.time_left())?)
    }
}

impl Here {
    fn open(root: &Path, settings: &Settings, messages: &Messages) -> anyhow::Result<Here> {
        let Opened { workspace, server, deadline } = server::open(root, settings, messages)?;
        let (workspace, embedder) = (ManuallyDrop::new(workspace), client::embedder::source(settings));
        let here = Here { workspace, server, embedder, deadline, messages: *messages };
        messages.notes(here.understand().as_slice());
        Ok(here)
    }

    /// Has the workspace asked by its meaning, too, as a daemon's is, where something has a vector: a model is not loaded for nothing.
    /// What is to be told where that cannot be.
    fn understand(&self) -> Option<Note> {
        if !self.workspace.has_vectors() {
            return None;
        }
        // That none is there is no news; that the user's choice cannot be had is.
        self.workspace.open_meaning(&self.embedder)?.err().filter(|note| note.level == NoteLevel::Warning)
    }

    /// However long reading and planning took: what was read serves for an answer.
    fn time_left(&self) -> Deadline {
        if self.deadline.is_over() { Deadline::after(client::ANSWER_TIME) } else { self.deadline.clone() }
    }
}

/// What was learnt of the workspace is put down before the process ends, and a daemon has it for the next one.
impl Drop for Source<'_> {
    fn drop(&mut self) {
        if matches!(self.from.get_mut(), From::Here(_)) {
            client::start_for_next(self.settings, self.root);
        }
    }
}

impl Drop for Here {
    fn drop(&mut self) {
        self.messages.notes(self.workspace.settle().as_slice());
    }
}
