//! What is known of a server right now: written by the threads that run it, read by those who ask.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use crate::model::{Deadline, Note};

use super::client::Client;
use super::server::Probe;
use crate::rpc::Ending;
use crate::rpc::lock;

/// Notes that are kept: a server that complains without end is heard this often.
const MAX_NOTES: usize = 16;

/// Works that a server may tell of at once.
const MAX_WORKS: usize = 16;

/// The longest text of a server that is kept, in bytes.
const MAX_TEXT: usize = 1000;

pub(super) struct Shared {
    /// Tells this server from any other of the process.
    pub(super) number: u64,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
pub(super) struct State {
    /// The owner wants it to end.
    pub(super) is_stopped: bool,
    /// Its thread is through: no process is left.
    pub(super) is_finished: bool,
    /// Failed for good.
    pub(super) has_failed: bool,
    /// Counts starts; what belongs to an earlier start says nothing any more.
    pub(super) life: u32,
    /// How the stream of this life ended.
    pub(super) ended: Option<Ending>,
    pub(super) client: Option<Arc<Client>>,
    pub(super) version: Option<String>,
    /// Since when it has loaded everything, by its own word.
    pub(super) loaded_since: Option<Instant>,
    /// It found what is known to be there.
    pub(super) is_proved: bool,
    /// Counts changes of `loaded_since`: an answer counts only if nothing was loaded anew meanwhile.
    pub(super) epoch: u64,
    pub(super) probes: Vec<Probe>,
    /// What it says about its health, unless all is well.
    health: Option<Note>,
    /// That it finds nothing, long after it has loaded.
    unproved: Option<Note>,
    notes: Vec<Note>,
    /// One for each new start; the last word on a failure says it all again.
    restarts: Vec<Note>,
    works: Vec<Work>,
    /// The wait of the server's own thread, ended with the server.
    wait: Option<Deadline>,
}

/// One thing that a server is busy with.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Work {
    pub(super) token: String,
    pub(super) title: String,
    pub(super) message: Option<String>,
    pub(super) percent: Option<u32>,
}

impl Default for Shared {
    fn default() -> Shared {
        static LAST: AtomicU64 = AtomicU64::new(0);
        let number = LAST.fetch_add(1, Ordering::Relaxed);
        Shared { number, state: Mutex::default(), changed: Condvar::new() }
    }
}

impl Shared {
    pub(super) fn read<T>(&self, read: impl FnOnce(&State) -> T) -> T {
        read(&self.lock())
    }

    /// Changes the state and wakes who waits for a change.
    pub(super) fn write<T>(&self, write: impl FnOnce(&mut State) -> T) -> T {
        let result = write(&mut self.lock());
        self.changed.notify_all();
        result
    }

    /// The first answer of `find` that is one, looked for at every change and once at the end of `limit`.
    pub(super) fn wait<T>(&self, limit: Duration, mut find: impl FnMut(&State) -> Option<T>) -> Option<T> {
        let end = Instant::now() + limit;
        let mut state = self.lock();
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let found = find(&state);
            if found.is_some() || left.is_zero() {
                return found;
            }
            state = match self.changed.wait_timeout(state, left) {
                Ok((state, _)) => state,
                Err(poisoned) => poisoned.into_inner().0,
            };
        }
    }

    /// A deadline for a wait of the server's own thread, over at once when the owner wants the server to end.
    pub(super) fn deadline(&self, limit: Duration) -> Deadline {
        let deadline = Deadline::after(limit);
        let mut state = self.lock();
        if state.is_stopped {
            deadline.cancel();
        }
        state.wait = Some(deadline.clone());
        deadline
    }

    pub(super) fn stop(&self) {
        self.write(|state| {
            state.is_stopped = true;
            if let Some(wait) = &state.wait {
                wait.cancel();
            }
        });
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

impl State {
    /// A new process: nothing that was known of the last one holds.
    pub(super) fn begin(&mut self) -> u32 {
        self.life += 1;
        self.end();
        self.ended = None;
        self.life
    }

    /// The process is gone.
    pub(super) fn end(&mut self) {
        self.client = None;
        self.works.clear();
        self.health = None;
        self.unproved = None;
        self.set_loaded(false);
    }

    pub(super) fn is_ready(&self) -> bool {
        self.is_proved && self.client.is_some() && self.ended.is_none()
    }

    pub(super) fn set_loaded(&mut self, is_loaded: bool) {
        if is_loaded != self.loaded_since.is_some() {
            self.epoch += 1;
            self.loaded_since = is_loaded.then(Instant::now);
            self.is_proved = false;
        }
    }

    /// It has failed, and nothing more is tried.
    pub(super) fn fail(&mut self, why: Note) {
        self.restarts.clear();
        self.note(why);
        self.has_failed = true;
        self.is_finished = true;
    }

    pub(super) fn restarted(&mut self, why: Note) {
        self.restarts.push(why);
    }

    /// Keeps the version; what was known first stands.
    pub(super) fn set_version(&mut self, version: Option<&str>) {
        if self.version.is_none() {
            self.version = version.map(brief);
        }
    }

    pub(super) fn set_health(&mut self, note: Option<Note>) {
        self.health = note;
    }

    /// Keeps a note, once.
    pub(super) fn note(&mut self, note: Note) {
        if !self.notes.contains(&note) && self.notes.len() < MAX_NOTES {
            self.notes.push(note);
        }
    }

    /// Keeps, while it is so, that nothing known was found.
    pub(super) fn note_unproved(&mut self, text: String) {
        self.unproved.get_or_insert_with(|| Note::warning(text));
    }

    pub(super) fn prove(&mut self, epoch: u64) {
        // What was found before the server began to load anew proves nothing.
        if self.epoch == epoch && self.loaded_since.is_some() {
            self.is_proved = true;
            self.unproved = None;
        }
    }

    pub(super) fn notes(&self) -> Vec<Note> {
        self.notes.iter().chain(&self.restarts).chain(&self.health).chain(&self.unproved).cloned().collect()
    }

    /// Takes in how far a work is; the latest one stands last.
    pub(super) fn work(&mut self, mut work: Work) {
        if let Some(at) = self.works.iter().position(|known| known.token == work.token) {
            let known = self.works.remove(at);
            if work.title.is_empty() {
                work.title = known.title;
            }
            work.percent = work.percent.or(known.percent);
        }
        if self.works.len() < MAX_WORKS {
            self.works.push(work);
        }
    }

    pub(super) fn work_done(&mut self, token: &str) {
        self.works.retain(|work| work.token != token);
    }

    pub(super) fn loaded_percent(&self) -> Option<u32> {
        self.works.iter().rev().find_map(|work| work.percent)
    }

    /// `Indexing 45 %: serde`
    pub(super) fn progress(&self) -> Option<String> {
        let work = self.works.last()?;
        let percent = work.percent.map_or(String::new(), |percent| format!(" {percent} %"));
        let message = work.message.as_deref().filter(|message| !message.is_empty());
        let message = message.map_or(String::new(), |message| format!(": {message}"));
        Some(format!("{}{percent}{message}", work.title))
    }
}

/// A server's text on one line, cut to what is kept.
pub(super) fn brief(text: &str) -> String {
    let mut end = text.len().min(MAX_TEXT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn work(token: &str, title: &str, message: &str, percent: Option<u32>) -> Work {
        Work { token: token.into(), title: title.into(), message: Some(message.into()), percent }
    }

    #[test]
    fn the_latest_work_is_told() {
        let mut state = State::default();
        assert_eq!(state.progress(), None);
        state.work(work("1", "Indexing", "", Some(0)));
        state.work(work("2", "Fetching", "metadata", None));
        assert_eq!(state.progress().as_deref(), Some("Fetching: metadata"));
        assert_eq!(state.loaded_percent(), Some(0));
        state.work(work("1", "", "serde", Some(45)));
        assert_eq!(state.progress().as_deref(), Some("Indexing 45 %: serde"));
        state.work_done("1");
        assert_eq!((state.progress().as_deref(), state.loaded_percent()), (Some("Fetching: metadata"), None));
    }

    #[test]
    fn loading_again_takes_the_proof_back() {
        let mut state = State::default();
        state.set_loaded(true);
        let epoch = state.epoch;
        state.is_proved = true;
        state.set_loaded(true);
        assert!(state.is_proved && state.epoch == epoch);
        state.set_loaded(false);
        assert!(!state.is_proved && state.epoch != epoch);
    }

    #[test]
    fn notes_and_works_are_bounded() {
        let mut state = State::default();
        for number in 0..100 {
            state.note(Note::info(number.to_string()));
            state.note(Note::info("again"));
            state.work(work(&number.to_string(), "a", "", None));
        }
        assert_eq!((state.notes.len(), state.works.len()), (MAX_NOTES, MAX_WORKS));
        assert_eq!(brief(&"ä".repeat(9999)).len(), MAX_TEXT);
        assert_eq!(brief("a\n  b"), "a b");
    }
}
