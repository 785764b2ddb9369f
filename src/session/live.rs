//! One workspace that stays open: its present state, the watch that says whether it still holds, its language server.

use std::path::{Path, PathBuf};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use super::ahead::{self, Quiet, Touched};
use super::host::Host;
use super::protocol::{Lsp, Place, WorkspaceStatus};
use super::understand;
use crate::lsp::ServerState;
use crate::meaning::EmbedderSource;
use crate::model::{Deadline, Note};
use crate::pipeline::{LanguageServer, OpenOptions, PipelineError, Workspace};
use crate::rpc::{lock, spawn_thread};
use crate::workspace::WalkOptions;
use crate::workspace::watch::{Watch, WatchError};

/// How long a request waits for the events of what happened before it. They come within a millisecond on an idle machine; where they do
/// not, the files are looked at.
const FENCE: Duration = Duration::from_millis(50);
/// How long a request waits for a state that is being found out, before it is answered from the one before: an edited file takes some 50 ms,
/// a branch switch less than a second.
const PATIENCE: Duration = Duration::from_millis(1500);
/// After a longer wait for the language server files are looked at again: whoever waits may have gone on writing.
const FRESH: Duration = Duration::from_secs(1);
/// How long a language server that did not start, or needs trust, is taken at its word.
const RETRY: Duration = Duration::from_secs(5);
/// How often whoever proves a server ready looks whether it is still wanted.
const PROOF_SLICE: Duration = Duration::from_millis(500);

/// A workspace with its state. Requests share it.
pub(super) struct Session {
    host: Arc<Host>,
    pub place: Place,
    root: PathBuf,
    /// What the root was when it was opened: another folder in its place is another workspace.
    identity: Option<Identity>,
    state: Mutex<State>,
    /// A state was found out, or could not be.
    found: Condvar,
    watch: Option<Watch>,
    server: Mutex<Option<Running>>,
    quiet: Arc<Quiet>,
    pub touched: Touched,
    notes: Vec<Note>,
}

struct State {
    now: Arc<Workspace>,
    /// How many changes the watch had told when `now` was begun.
    seen: u64,
    is_updating: bool,
    /// Grows with each attempt.
    attempts: u64,
    trouble: Option<String>,
    /// Why changes are not seen as they happen, where they were.
    unwatched: Option<Note>,
    used: Instant,
}

struct Running {
    server: Arc<LanguageServer>,
    command: Option<Vec<String>>,
    since: Instant,
    /// Why it was ended before its time.
    ended: Option<Note>,
}

type Identity = (u64, u64);

impl State {
    /// What is to be known of it besides what the workspace itself tells.
    fn notes(&self) -> impl Iterator<Item = Note> {
        let trouble = self.trouble.as_ref().map(Note::warning);
        trouble.into_iter().chain(self.now.unsaved()).chain(self.unwatched.clone())
    }
}

/// What a request is answered from.
pub(super) struct Now {
    pub workspace: Arc<Workspace>,
    pub notes: Vec<Note>,
}

impl Session {
    /// Reads the workspace. `dirty` is told when its files change.
    pub fn open(
        host: &Arc<Host>,
        place: &Place,
        quiet: &Arc<Quiet>,
        dirty: Sender<()>,
        deadline: &Deadline,
    ) -> Result<Arc<Session>, PipelineError> {
        let walk = WalkOptions { include: place.include.clone(), exclude: place.exclude.clone() };
        let index = host.index.as_ref().filter(|_| place.index);
        let open = OpenOptions { index, ..OpenOptions::default() };
        let workspace = Workspace::open_with(&place.workspace, &walk, open, deadline)?;
        let root = workspace.snapshot.root.clone();
        let mut notes = Vec::new();
        let watch = watch(&root, &host.folder, &workspace, dirty).map_err(|note| notes.push(note)).ok();
        let state = State {
            now: Arc::new(workspace),
            // What changed between reading and watching was not told: the first request looks.
            seen: u64::MAX,
            is_updating: false,
            attempts: 0,
            trouble: None,
            unwatched: None,
            used: Instant::now(),
        };
        let session = Arc::new(Session {
            host: Arc::clone(host),
            place: place.clone(),
            identity: identity(&root),
            root,
            state: Mutex::new(state),
            found: Condvar::new(),
            watch,
            server: Mutex::default(),
            quiet: Arc::clone(quiet),
            touched: Touched::default(),
            notes,
        });
        let opened = session.present();
        let _next_update_does_it = spawn_thread("prepare", move || opened.prepare());
        if host.embedder.is_some() {
            let (weak, quiet) = (Arc::downgrade(&session), Arc::clone(quiet));
            if !spawn_thread("understand", move || understand::run(&weak, &quiet)) {
                tracing::warn!("no thread embeds");
            }
        }
        Ok(session)
    }

    /// Whether the folder is still the one that was opened.
    pub fn is_there(&self) -> bool {
        let canonical = self.place.workspace.canonicalize();
        canonical.is_ok_and(|path| path == self.root) && identity(&self.root) == self.identity
    }

    /// The workspace as it is now. Where that takes longer than anybody waits, as it was, with a note; with `fresh` every file is looked
    /// at, and the wait lasts as long as the deadline.
    pub fn now(self: &Arc<Self>, fresh: bool, deadline: &Deadline) -> Now {
        lock(&self.state).used = Instant::now();
        let holds = !fresh && self.holds();
        let mut notes = self.notes.clone();
        if !holds {
            let patience = if fresh { Deadline::never() } else { Deadline::after(PATIENCE) };
            if !self.found_out(deadline, &patience) {
                notes.push(Note::warning(
                    "files are changing: this is how the workspace was a moment ago; ask again, or with --fresh",
                ));
            }
        }
        let state = lock(&self.state);
        notes.extend(state.notes());
        Now { workspace: Arc::clone(&state.now), notes }
    }

    /// The state as it was found out last.
    pub fn present(&self) -> Arc<Workspace> {
        Arc::clone(&lock(&self.state).now)
    }

    /// Whether nothing has changed since the present state was found out.
    fn holds(&self) -> bool {
        let Some(watch) = &self.watch else { return false };
        watch.fence(FENCE) && lock(&self.state).seen == watch.changes()
    }

    /// Whether a change was told that the present state does not know.
    pub fn is_behind(&self) -> bool {
        self.watch.as_ref().is_some_and(|watch| watch.changes() != lock(&self.state).seen)
    }

    /// Finds out a state that begins from now on, on a thread of its own; says whether it was there in time.
    fn found_out(self: &Arc<Self>, deadline: &Deadline, patience: &Deadline) -> bool {
        let mut state = lock(&self.state);
        // An attempt that is under way may have begun before the change.
        let wanted = state.attempts + 1 + u64::from(state.is_updating);
        while state.attempts < wanted {
            if !state.is_updating {
                state.is_updating = true;
                let session = Arc::clone(self);
                if !spawn_thread("update", move || session.update()) {
                    state.is_updating = false;
                    return false;
                }
            }
            if deadline.is_over() || patience.is_over() {
                return false;
            }
            state = self.found.wait_timeout(state, FENCE).unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }

    /// Brings the state up to date, unless somebody does.
    pub fn catch_up(&self) {
        let mut state = lock(&self.state);
        if !state.is_updating {
            state.is_updating = true;
            drop(state);
            self.update();
        }
    }

    /// Whoever calls it has set `is_updating`.
    fn update(&self) {
        let seen = self.watch.as_ref().map_or(0, Watch::changes);
        let before = Arc::clone(&lock(&self.state).now);
        let renewed = before.renewed(&Deadline::never());
        let mut followed = Ok(false);
        if let Ok(now) = &renewed {
            if let Some(watch) = &self.watch {
                followed = watch.follow(&now.snapshot.folders).map_err(|error| unwatched(&error));
            }
            if let Some(running) = lock(&self.server).as_ref() {
                running.server.files_changed(&before.snapshot, &now.snapshot);
            }
        }
        let mut state = lock(&self.state);
        state.is_updating = false;
        state.attempts += 1;
        match renewed {
            Ok(now) => {
                state.now = Arc::new(now);
                // What happened in a new folder before it was watched was not told.
                state.seen = if followed == Ok(false) { seen } else { u64::MAX };
                state.unwatched = followed.err();
                state.trouble = None;
            }
            Err(error) => {
                state.seen = u64::MAX;
                state.trouble = Some(format!("{error}: this is how it was before"));
            }
        }
        let now = Arc::clone(&state.now);
        drop(state);
        self.found.notify_all();
        now.prepare();
        // The last owner of a state frees it, and waits until it is put down: no request does.
        drop(before);
    }

    /// The language server as far as it is wanted; waits for it as long as the request says. Says whether it waited for long.
    pub fn server(
        self: &Arc<Self>,
        wish: &Lsp,
        workspace: &Arc<Workspace>,
        deadline: &Deadline,
    ) -> (Arc<LanguageServer>, Vec<Note>, bool) {
        if !wish.ask || wish.trusted == Some(false) {
            return (Arc::new(LanguageServer::absent(&self.root)), Vec::new(), false);
        }
        let (server, notes) = self.running(wish);
        let waited = Deadline::after(Duration::from_millis(wish.wait_ms));
        let since = Instant::now();
        while wish.wait_ms > 0 && !waited.is_over() && !deadline.is_over() {
            let slice = deadline.within(waited.remaining().map_or(PROOF_SLICE, |left| left.min(PROOF_SLICE)));
            let is_ready = server.wait(workspace, &slice, &mut |_| ());
            let may_become = server.status().state == ServerState::Loading;
            if is_ready || !may_become {
                break;
            }
        }
        let unasked = if wish.wait_ms == 0 { server.unasked() } else { None };
        (unasked.map_or(server, Arc::new), notes, since.elapsed() > FRESH)
    }

    /// The server that runs; starts one where none does.
    fn running(self: &Arc<Self>, wish: &Lsp) -> (Arc<LanguageServer>, Vec<Note>) {
        let mut running = lock(&self.server);
        if let Some(known) = running.as_ref() {
            let is_wanted = wish.command.is_none() || wish.command == known.command;
            let retry = if known.ended.is_some() { self.host.limits.server_idle } else { RETRY };
            let is_settled = known.server.server().is_some() || known.since.elapsed() < retry;
            if is_wanted && is_settled {
                return (Arc::clone(&known.server), known.ended.iter().cloned().collect());
            }
        }
        // One that goes away does so before the next one comes: each takes gigabytes.
        *running = None;
        let mut options = self.host.server.clone();
        if wish.command.is_some() {
            options.places.configured = wish.command.clone();
        }
        options.is_trusted = wish.trusted == Some(true);
        let server = Arc::new(LanguageServer::start(&self.root, &options));
        *running = Some(Running {
            server: Arc::clone(&server),
            command: wish.command.clone(),
            since: Instant::now(),
            ended: None,
        });
        drop(running);
        let (weak, session) = (Arc::downgrade(&server), Arc::downgrade(self));
        if server.server().is_some() && !spawn_thread("proof", move || prove(&weak, &session)) {
            tracing::warn!("no thread proves the language server ready");
        }
        (server, Vec::new())
    }

    /// Ends the language server, where one runs; `why` is told with the next answers.
    pub fn end_server(&self, why: Option<Note>) {
        let mut running = lock(&self.server);
        let Some(known) = running.as_ref().filter(|known| known.server.server().is_some()) else { return };
        let (command, since) = (known.command.clone(), Instant::now());
        let server = Arc::new(LanguageServer::absent(&self.root));
        *running = why.map(|note| Running { server, command, since, ended: Some(note) });
    }

    /// Whether a language server runs.
    pub fn has_server(&self) -> bool {
        lock(&self.server).as_ref().is_some_and(|running| running.server.server().is_some())
    }

    /// Whether one runs that has proved itself ready.
    pub fn has_ready_server(&self) -> bool {
        let running = lock(&self.server);
        running.as_ref().is_some_and(|running| running.server.status().state == ServerState::Ready)
    }

    /// What says which passages are close in meaning.
    pub fn embedder(&self) -> &EmbedderSource {
        &self.host.embedder
    }

    /// Since the last request.
    pub fn idle(&self) -> Duration {
        lock(&self.state).used.elapsed()
    }

    pub fn status(&self) -> WorkspaceStatus {
        let server = lock(&self.server).as_ref().map(|running| running.server.status());
        let state = lock(&self.state);
        let mut notes = self.notes.clone();
        notes.extend(state.notes());
        notes.extend(state.now.notes());
        WorkspaceStatus {
            workspace: self.root.clone(),
            files: state.now.snapshot.files.len() as u32,
            freshness: state.now.freshness(),
            is_watched: self.watch.is_some() && state.unwatched.is_none(),
            idle_ms: state.used.elapsed().as_millis() as u64,
            language_server: server.unwrap_or_else(|| LanguageServer::absent(&self.root).status()),
            notes,
        }
    }

    /// Puts down what was learnt.
    pub fn settle(&self) {
        lock(&self.state).now.put_down();
    }
}

/// Waits until the server has proved that it knows the workspace, then asks it ahead; ends with the server or the session.
fn prove(server: &Weak<LanguageServer>, weak: &Weak<Session>) {
    while let (Some(server), Some(session)) = (server.upgrade(), weak.upgrade()) {
        let (workspace, quiet) = (session.present(), Arc::clone(&session.quiet));
        drop(session);
        let is_ready = server.wait(&workspace, &Deadline::after(PROOF_SLICE), &mut |_| ());
        if is_ready {
            let server = Arc::downgrade(&server);
            return ahead::ask(&server, weak, &quiet);
        }
        if server.status().state != ServerState::Loading {
            return;
        }
    }
}

fn watch(root: &Path, folder: &Path, workspace: &Workspace, dirty: Sender<()>) -> Result<Watch, Note> {
    let on_change = move || _ = dirty.send(());
    let watch = Watch::start(root, folder, on_change);
    let watching = watch.and_then(|watch| watch.follow(&workspace.snapshot.folders).map(|_| watch));
    watching.map_err(|error| unwatched(&error))
}

fn unwatched(error: &WatchError) -> Note {
    Note::info(format!("changes are not seen as they happen ({error}): each request looks for them"))
}

#[cfg(unix)]
fn identity(root: &Path) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt;
    root.metadata().ok().map(|found| (found.dev(), found.ino()))
}

#[cfg(not(unix))]
fn identity(root: &Path) -> Option<Identity> {
    root.metadata().ok().map(|_| (0, 0))
}
