//! From a request by its name to its answer: parameters, the session that they mean, the answer of its present state.

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use lsp_server::{ErrorCode, ResponseError};
use serde_json::Value;

use super::live::Session;
use super::protocol::{self, Lsp, Method, Place, Status};
use super::slots::Slots;
use super::{Caller, SearchError, Sessions, answer, memory, related, search};
use crate::lsp::ServerState;
use crate::model::{Deadline, Note};
use crate::pipeline::{LanguageServer, PipelineError, Workspace};

/// What is kept back of a request's time: to give the answer.
const LEAST_TIME: Duration = Duration::from_secs(1);

/// What needs no language server.
const NO_SERVER: Lsp = Lsp { ask: false, wait_ms: 0, command: None, trusted: None, lent: None };
/// A file by its name is found in milliseconds.
const LOOKUP_TIME: u64 = 3_000;

/// Why a request has no answer.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    #[error("no request is called `{0}`: docs/protocol.md names them")]
    Unknown(String),
    #[error("the parameters of {method} are not understood: {why}")]
    Params { method: String, why: String },
    #[error("the workspace has to be named by its absolute path, not {0}")]
    NotAbsolute(String),
    #[error(transparent)]
    Pipeline(#[from] PipelineError),
    #[error(transparent)]
    Search(#[from] SearchError),
    #[error("the request was cancelled")]
    Cancelled,
    #[error("this process speaks version {own} of the protocol, the client {theirs}", own = protocol::VERSION)]
    Protocol { theirs: u32 },
}

/// The code for a request that the client took back (LSP's own).
const CANCELLED: i32 = ErrorCode::RequestCanceled as i32;

impl Failure {
    /// As JSON-RPC has it.
    pub fn to_error(&self) -> ResponseError {
        let code = match self {
            Failure::Unknown(_) => ErrorCode::MethodNotFound as i32,
            Failure::Params { .. } | Failure::NotAbsolute(_) => ErrorCode::InvalidParams as i32,
            Failure::Pipeline(_) | Failure::Search(_) | Failure::Protocol { .. } => {
                ErrorCode::RequestFailed as i32
            }
            Failure::Cancelled => CANCELLED,
        };
        ResponseError { code, message: chain(self), data: None }
    }
}

/// An error with its causes, as a person reads it.
fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(&format!(": {error}"));
        cause = error.source();
    }
    text
}

/// Answers requests, from several threads at once.
pub struct Dispatch {
    sessions: Arc<Sessions>,
    slots: Slots,
    began: Instant,
    build: String,
    answered: AtomicU64,
    is_ending: AtomicBool,
}

impl Dispatch {
    /// `build` tells this build of the program from others.
    pub fn new(sessions: Arc<Sessions>, build: String) -> Dispatch {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Dispatch {
            sessions,
            slots: Slots::new(cores),
            began: Instant::now(),
            build,
            answered: AtomicU64::new(0),
            is_ending: AtomicBool::new(false),
        }
    }

    /// Whether somebody asked the process to end.
    pub fn is_ending(&self) -> bool {
        self.is_ending.load(Ordering::Relaxed)
    }

    /// Whether no request is under way.
    pub fn is_idle(&self) -> bool {
        self.sessions.quiet.under_way() == 0 && self.slots.are_free()
    }

    /// Opens a workspace ahead of the first request.
    pub fn open(&self, place: &Place, lsp: &Lsp) {
        let wish = Wish { lsp, fresh: false, time_ms: u64::MAX };
        if let Err(error) = self.asking(&Caller::default(), place, &wish, &Deadline::never(), |_| Ok(())) {
            tracing::info!(%error, "nothing is opened ahead");
        }
    }

    /// The answer to a request, or why there is none. Ends soon after `cancel` is.
    ///
    /// # Errors
    /// As `Failure` names them.
    pub fn answer(
        &self,
        caller: &Caller,
        method: &str,
        params: Value,
        cancel: &Deadline,
    ) -> Result<Value, Failure> {
        let _counted = UnderWay::begin(self);
        let answer = self.dispatch(caller, method, params, cancel);
        if cancel.is_cancelled() { Err(Failure::Cancelled) } else { answer }
    }

    fn dispatch(
        &self,
        caller: &Caller,
        method: &str,
        params: Value,
        cancel: &Deadline,
    ) -> Result<Value, Failure> {
        use protocol::{
            Candidates, Context, Explain, Graph, Hello, Lookup, Nothing, Open, Outline, Search, Shutdown,
            StatusOf,
        };
        match method {
            Hello::NAME => run::<Hello>(params, |params| self.hello(&params)),
            Context::NAME => run::<Context>(params, |task| self.context(caller, &task, cancel)),
            Explain::NAME => run::<Explain>(params, |mut task| {
                task.explain.get_or_insert_default();
                self.context(caller, &task, cancel)
            }),
            Candidates::NAME => run::<Candidates>(params, |task| {
                self.asking(caller, &task.place, &Wish::of(&task), cancel, |asked| {
                    Ok(answer::offer(&asked.workspace, &asked.server, &task, &asked.deadline))
                })
            }),
            Search::NAME => run::<Search>(params, |params| {
                let wish = Wish { lsp: &NO_SERVER, fresh: params.fresh, time_ms: params.time_ms };
                self.asking(caller, &params.place, &wish, cancel, |asked| {
                    let embedder = &self.sessions.host().embedder;
                    let mut found = search(&asked.workspace, embedder, &params, &asked.deadline)?;
                    found.notes.splice(0..0, asked.notes.iter().cloned());
                    Ok(found)
                })
            }),
            Graph::NAME => run::<Graph>(params, |params| {
                let wish = Wish { lsp: &params.lsp, fresh: params.fresh, time_ms: params.time_ms };
                self.asking(caller, &params.place, &wish, cancel, |asked| {
                    let mut found = answer::graph(&asked.workspace, &asked.server, &params, &asked.deadline);
                    found.notes.splice(0..0, asked.notes.iter().cloned());
                    Ok(found)
                })
            }),
            Lookup::NAME => run::<Lookup>(params, |params| {
                let wish = Wish { lsp: &NO_SERVER, fresh: false, time_ms: LOOKUP_TIME };
                self.asking(caller, &params.place, &wish, cancel, |asked| {
                    Ok(answer::lookup(&asked.workspace, &params))
                })
            }),
            Outline::NAME => run::<Outline>(params, |params| {
                let wish = Wish { lsp: &NO_SERVER, fresh: false, time_ms: LOOKUP_TIME };
                self.asking(caller, &params.place, &wish, cancel, |asked| {
                    Ok(related::outline(&asked.workspace, &params))
                })
            }),
            Open::NAME => run::<Open>(params, |params| {
                let wish = Wish { lsp: &params.lsp, fresh: false, time_ms: u64::MAX };
                let mut server = None;
                self.asking(caller, &params.place, &wish, cancel, |asked| {
                    server = Some(asked.server.status());
                    Ok(())
                })?;
                let session = self.sessions.get(&params.place, cancel)?;
                let mut status = session.status();
                if let Some(lent) = server.filter(|server| server.is_lent) {
                    status.language_server = lent;
                }
                Ok(status)
            }),
            StatusOf::NAME => run::<StatusOf>(params, |_| Ok(self.status())),
            Shutdown::NAME => run::<Shutdown>(params, |Nothing {}| {
                self.is_ending.store(true, Ordering::Relaxed);
                Ok(Nothing {})
            }),
            other => Err(Failure::Unknown(other.to_owned())),
        }
    }

    fn hello(&self, params: &protocol::HelloParams) -> Result<protocol::HelloAnswer, Failure> {
        if params.protocol != protocol::VERSION {
            return Err(Failure::Protocol { theirs: params.protocol });
        }
        Ok(protocol::HelloAnswer {
            protocol: protocol::VERSION,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            build: self.build.clone(),
            process: std::process::id(),
        })
    }

    fn context(
        &self,
        caller: &Caller,
        task: &protocol::Task,
        cancel: &Deadline,
    ) -> Result<protocol::Dossier, Failure> {
        let found = self.asking(caller, &task.place, &Wish::of(task), cancel, |asked| {
            let Asked { workspace, server, notes, deadline } = asked;
            Ok(answer::dossier(workspace, server, task, notes, deadline)?)
        })?;
        self.sessions.touched(&task.place, found.files.iter().map(|file| file.path.as_str()));
        Ok(found)
    }

    /// Finds the session, brings it up to date, waits for its language server as far as it is wished, and asks when it is this request's
    /// turn.
    fn asking<T>(
        &self,
        caller: &Caller,
        place: &Place,
        wish: &Wish<'_>,
        cancel: &Deadline,
        mut ask: impl FnMut(&Asked) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        if !place.workspace.is_absolute() {
            return Err(Failure::NotAbsolute(place.workspace.display().to_string()));
        }
        let deadline = wish.deadline(cancel);
        let session = self.sessions.get(place, &deadline)?;
        let mut now = session.now(wish.fresh, &deadline);
        let (mut server, mut notes, was_long) =
            match lent(caller, wish.lsp, &session, &now.workspace, &deadline) {
                Some(lent) => (lent, Vec::new(), false),
                None => session.server(wish.lsp, &now.workspace, &deadline),
            };
        if was_long {
            now = session.now(wish.fresh, &deadline);
        }
        if wish.lsp.wait_ms > 0 {
            notes.extend(server.still_loading());
        }
        for is_last in [false, true] {
            let mut asked = now.workspace.clone();
            if let Some(with) = caller.unsaved.over(&place.workspace, &now.workspace)? {
                asked = with;
                if !server.is_lent() {
                    // It reads what is on disk, and would answer about other places.
                    server = Arc::new(LanguageServer::absent(&place.workspace));
                }
            }
            let deadline = with_time_left(&deadline, cancel);
            // Whoever waits for an editor's answers is not to keep the cores from others.
            let slot = match server.is_lent() {
                true => None,
                false => Some(self.slots.take(cancel).ok_or(Failure::Cancelled)?),
            };
            let notes = now.notes.iter().chain(&notes).cloned().collect();
            let answer = ask(&Asked { workspace: asked, server: Arc::clone(&server), notes, deadline })?;
            drop(slot);
            // A file that was not in memory was found changed: its text is missing in the answer.
            if is_last || !now.workspace.snapshot.is_torn() {
                return Ok(answer);
            }
            now = session.now(true, &with_time_left(&wish.deadline(cancel), cancel));
        }
        Err(Failure::Cancelled)
    }

    fn status(&self) -> Status {
        Status {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            process: std::process::id(),
            uptime_ms: self.began.elapsed().as_millis() as u64,
            memory: memory::own(),
            servers_memory: memory::of_children(),
            memory_limit: self.sessions.host().limits.memory,
            requests: self.sessions.quiet.under_way() as u32,
            waiting: self.slots.waiting() as u32,
            answered: self.answered.load(Ordering::Relaxed),
            workspaces: self.sessions.status(),
        }
    }
}

/// The server that the client lends, unless it is none and nothing comes of it while ours is ready.
fn lent(
    caller: &Caller,
    wish: &Lsp,
    session: &Session,
    workspace: &Workspace,
    deadline: &Deadline,
) -> Option<Arc<LanguageServer>> {
    let (lender, lent) = caller.lender.as_ref().zip(wish.lent.as_ref().filter(|_| wish.ask))?;
    let waited = deadline.before(LEAST_TIME).within(Duration::from_millis(wish.wait_ms));
    let server = lender.server(lent, workspace, &waited)?;
    let is_ready = server.status().state == ServerState::Ready;
    (is_ready || !session.has_ready_server()).then_some(server)
}

/// A request, counted from its beginning to its end, however it ends.
struct UnderWay<'a>(&'a Dispatch);

impl UnderWay<'_> {
    fn begin(dispatch: &Dispatch) -> UnderWay<'_> {
        dispatch.sessions.quiet.begin();
        UnderWay(dispatch)
    }
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.0.sessions.quiet.end();
        self.0.answered.fetch_add(1, Ordering::Relaxed);
    }
}

/// How a request wants its workspace.
struct Wish<'a> {
    lsp: &'a Lsp,
    fresh: bool,
    time_ms: u64,
}

impl<'a> Wish<'a> {
    /// When the answer is due.
    fn deadline(&self, cancel: &Deadline) -> Deadline {
        cancel.within(Duration::from_millis(self.time_ms.saturating_add(self.lsp.wait_ms)))
    }

    fn of(task: &'a protocol::Task) -> Wish<'a> {
        Wish { lsp: &task.lsp, fresh: task.fresh, time_ms: task.time_ms }
    }
}

/// What a request is answered with.
struct Asked {
    workspace: Arc<Workspace>,
    server: Arc<LanguageServer>,
    notes: Vec<Note>,
    deadline: Deadline,
}

/// However long it took to come so far: what is known serves for an answer.
fn with_time_left(deadline: &Deadline, cancel: &Deadline) -> Deadline {
    let is_short = deadline.remaining().is_some_and(|left| left < LEAST_TIME);
    if is_short { cancel.within(LEAST_TIME) } else { deadline.clone() }
}

fn run<M: Method>(
    params: Value,
    answer: impl FnOnce(M::Params) -> Result<M::Answer, Failure>,
) -> Result<Value, Failure> {
    let wrong =
        |error: serde_json::Error| Failure::Params { method: M::NAME.to_owned(), why: error.to_string() };
    let params = if params.is_null() { Value::Object(serde_json::Map::new()) } else { params };
    let params = serde_json::from_value(params).map_err(wrong)?;
    serde_json::to_value(answer(params)?).map_err(wrong)
}
