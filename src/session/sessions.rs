//! The workspaces that are open in a process, and what ends when it is not used.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

use super::ahead::Quiet;
use super::host::Host;
use super::live::Session;
use super::memory;
use super::protocol::{Place, WorkspaceStatus};
use crate::model::{Deadline, Note};
use crate::pipeline::PipelineError;
use crate::rpc::{lock, spawn_thread};

/// A burst of changes (a branch switch, a formatter) is over when nothing was told for so long; one that does not end is looked at
/// in the middle.
const QUIET: Duration = Duration::from_millis(40);
const LONGEST_BURST: Duration = Duration::from_secs(1);
/// How often is looked for what is not used any more.
const ROUND: Duration = Duration::from_secs(2);
/// After so long without a change what was learnt is put down.
const SETTLED: Duration = Duration::from_secs(5);
/// Bytes in an MB, as memory is told.
const MB: u64 = 1_000_000;

/// The open workspaces.
pub struct Sessions {
    host: Arc<Host>,
    open: Mutex<BTreeMap<Key, Arc<Slot>>>,
    dirty: Sender<()>,
    pub(super) quiet: Arc<Quiet>,
}

/// A workspace, seen through patterns.
type Key = (PathBuf, Vec<String>, Vec<String>, bool);

fn key(place: &Place) -> Key {
    let Place { workspace, include, exclude, index } = place;
    (workspace.clone(), include.clone(), exclude.clone(), *index)
}

#[derive(Default)]
struct Slot {
    /// Whoever comes first opens it, the others wait for that.
    opening: Mutex<()>,
    session: Mutex<Option<Arc<Session>>>,
}

impl Slot {
    /// The session, where it is open and its folder is still the one that it was.
    fn there(&self) -> Option<Arc<Session>> {
        lock(&self.session).clone().filter(|session| session.is_there())
    }
}

impl Sessions {
    /// None is open yet. A thread keeps them up to date, until the last owner is gone.
    pub fn new(host: Host) -> Arc<Sessions> {
        let (dirty, told) = channel();
        let sessions =
            Arc::new(Sessions { host: Arc::new(host), open: Mutex::default(), dirty, quiet: Arc::default() });
        let weak = Arc::downgrade(&sessions);
        if !spawn_thread("sessions", move || keep(&weak, &told)) {
            tracing::warn!("no thread keeps the workspaces up to date: each request does");
        }
        sessions
    }

    pub fn host(&self) -> &Host {
        &self.host
    }

    /// The session of a workspace; opens it where it is not open, or another folder has taken its place.
    pub(super) fn get(&self, place: &Place, deadline: &Deadline) -> Result<Arc<Session>, PipelineError> {
        let key = key(place);
        let slot = Arc::clone(lock(&self.open).entry(key.clone()).or_default());
        if let Some(known) = slot.there() {
            return Ok(known);
        }
        let _others_wait = lock(&slot.opening);
        if let Some(known) = slot.there() {
            return Ok(known);
        }
        let opened = Session::open(&self.host, place, &self.quiet, self.dirty.clone(), deadline);
        match opened {
            Ok(opened) => {
                lock(&slot.session).replace(Arc::clone(&opened));
                Ok(opened)
            }
            Err(error) => {
                lock(&self.open).remove(&key);
                Err(error)
            }
        }
    }

    /// A task in this workspace was about these files.
    pub(super) fn touched<'p>(&self, place: &Place, paths: impl Iterator<Item = &'p str>) {
        let slot = lock(&self.open).get(&key(place)).cloned();
        if let Some(session) = slot.and_then(|slot| lock(&slot.session).clone()) {
            session.touched.add(paths);
        }
    }

    fn all(&self) -> Vec<Arc<Session>> {
        lock(&self.open).values().filter_map(|slot| lock(&slot.session).clone()).collect()
    }

    pub(super) fn status(&self) -> Vec<WorkspaceStatus> {
        self.all().iter().map(|session| session.status()).collect()
    }

    /// Puts down what was learnt, ends the language servers, and closes all.
    pub fn close(&self) {
        for session in self.all() {
            session.end_server(None);
            session.settle();
        }
        lock(&self.open).clear();
    }

    fn catch_up(&self) {
        self.all().iter().filter(|session| session.is_behind()).for_each(|session| session.catch_up());
    }

    /// Ends what was not used for long, and what takes too much memory: language servers first.
    fn tidy(&self) {
        let limits = self.host.limits;
        let mut sessions = self.all();
        sessions.sort_by_key(|session| std::cmp::Reverse(session.idle()));
        for session in &sessions {
            if session.idle() > limits.server_idle {
                session.end_server(None);
            }
            if session.idle() > SETTLED {
                session.settle();
            }
        }
        for session in sessions.iter().filter(|session| session.idle() > limits.idle || !session.is_there()) {
            self.forget(session);
        }
        let used = || memory::own().unwrap_or(0) + memory::of_children().unwrap_or(0);
        for session in sessions.iter().filter(|session| session.has_server()) {
            let used = used();
            if used <= limits.memory {
                return;
            }
            session.end_server(Some(Note::warning(format!(
                "the language server was ended: with it the daemon took {} MB, more than {} MB (the setting daemon_memory)",
                used / MB,
                limits.memory / MB
            ))));
        }
        if memory::own().is_some_and(|own| own > limits.memory) && sessions.len() > 1 {
            sessions.first().into_iter().for_each(|session| self.forget(session));
        }
    }

    fn forget(&self, session: &Arc<Session>) {
        session.end_server(None);
        session.settle();
        let is_it = |slot: &Slot| lock(&slot.session).as_ref().is_some_and(|it| Arc::ptr_eq(it, session));
        lock(&self.open).retain(|_, slot| !is_it(slot));
    }
}

/// Follows the changes, and tidies; ends with the sessions.
fn keep(sessions: &Weak<Sessions>, told: &Receiver<()>) {
    let mut tidied = Instant::now();
    loop {
        let heard = told.recv_timeout(ROUND);
        if heard == Ok(()) {
            let begun = Instant::now();
            while begun.elapsed() < LONGEST_BURST && told.recv_timeout(QUIET).is_ok() {
                while told.try_recv().is_ok() {}
            }
        }
        let Some(sessions) = sessions.upgrade() else { return };
        if heard == Err(RecvTimeoutError::Disconnected) {
            return;
        }
        if heard.is_ok() {
            sessions.catch_up();
        }
        if tidied.elapsed() >= ROUND {
            sessions.tidy();
            tidied = Instant::now();
        }
    }
}
