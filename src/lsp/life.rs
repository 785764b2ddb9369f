//! The thread of one server: starts it, proves it ready, sees it die, starts it again, ends it. Everything that waits for the server
//! without being asked to waits here.

use std::sync::Arc;
use std::time::{Duration, Instant};

use lsp_types::{OneOf, Uri, WorkspaceSymbolResponse};

use crate::model::{Deadline, Note};

use super::client::Client;
use super::convert;
use super::incoming::Incoming;
use super::kinds::{Documents, Readiness};
use super::process::Process;
use super::questions::Unanswered;
use super::requests::{WorkspaceSymbols, WorkspaceSymbolsParams};
use super::server::{Launch, Probe};
use super::state::{Shared, State, brief};
use crate::rpc::Ending;

/// The pauses before a server that died is started again; as many as it gets new lives.
const BACK_OFF: [Duration; 3] = [Duration::from_millis(500), Duration::from_secs(1), Duration::from_secs(2)];

/// How often the process is looked at while nothing happens: its output may be held open by a child of its own.
const TICK: Duration = Duration::from_millis(250);

/// How long a process whose stream ended may take to end itself.
const END_LIMIT: Duration = Duration::from_millis(300);

/// Shutting down: how long the server may take to answer, then to end, before it is killed. rust-analyzer takes 10 to 50 ms for both.
const SHUTDOWN_LIMIT: Duration = Duration::from_millis(600);
const EXIT_LIMIT: Duration = Duration::from_millis(600);

/// The first question after loading infers much of the workspace: 15 s were measured on 42,000 lines.
const PROBE_LIMIT: Duration = Duration::from_secs(600);

/// Pauses between probes that found nothing, doubled each time.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// After this time with everything loaded and nothing found, the user is told.
const UNPROVED_LIMIT: Duration = Duration::from_secs(30);

/// How a life ended.
enum End {
    /// The owner wanted it.
    Stopped,
    /// Another start would end the same way.
    Hopeless(String),
    Died(String),
}

/// Keeps a server alive until its owner ends it, or it has died too often. No process is left afterwards.
pub(super) fn live(launch: &Launch, shared: &Arc<Shared>) {
    let _finish = Finish(shared);
    let name = launch.kind.name;
    let mut pauses = BACK_OFF.into_iter();
    let why = loop {
        let end = one_life(launch, shared);
        shared.write(State::end);
        match end {
            End::Stopped => return,
            End::Hopeless(why) => break format!("{name} does not work: {why}"),
            End::Died(why) => {
                let Some(pause) = pauses.next() else {
                    let times = BACK_OFF.len() + 1;
                    break format!("{name} ended {times} times and is not started again: {why}");
                };
                let again = BACK_OFF.len() - pauses.len();
                let note =
                    format!("{name} ended and was started again ({again} of {}): {why}", BACK_OFF.len());
                shared.write(|state| state.restarted(Note::warning(note)));
                if shared.wait(pause, |state| state.is_stopped.then_some(())).is_some() {
                    return;
                }
            }
        }
    };
    shared.write(|state| state.fail(Note::warning(why)));
}

/// Tells that the thread is through, even if it panicked.
struct Finish<'s>(&'s Shared);

impl Drop for Finish<'_> {
    fn drop(&mut self) {
        self.0.write(|state| {
            state.end();
            state.has_failed |= !state.is_stopped;
            state.is_finished = true;
        });
    }
}

fn one_life(launch: &Launch, shared: &Arc<Shared>) -> End {
    let life = shared.write(State::begin);
    if shared.read(|state| state.is_stopped) {
        return End::Stopped;
    }
    let (mut process, streams) = match Process::start(launch) {
        Ok(started) => started,
        Err(error) => return End::Hopeless(format!("{}: {error}", launch.program())),
    };
    let kind = launch.kind;
    let options = (kind.options)(&launch.root, launch.cache.as_deref());
    let listener = Arc::new(Incoming {
        shared: Arc::clone(shared),
        life,
        kind,
        root: launch.root.clone(),
        options: options.clone(),
    });
    let deadline = shared.deadline(kind.initialize_limit);
    let client = match Client::open(kind, &launch.root, options, streams, listener, &deadline) {
        Ok(client) => Arc::new(client),
        Err(_) if shared.read(|state| state.is_stopped) => return End::Stopped,
        Err(Unanswered::Ended) => return End::Died(obituary(&mut process, shared)),
        Err(Unanswered::Deadline) => {
            let limit = kind.initialize_limit;
            return End::Hopeless(with_last_words(
                &process,
                format!("no answer to initialize within {limit:?}"),
            ));
        }
        Err(why) => return End::Hopeless(with_last_words(&process, format!("initialize: {why}"))),
    };
    shared.write(|state| {
        state.set_version(client.version());
        state.client = Some(Arc::clone(&client));
        if kind.readiness == Readiness::Asked {
            state.set_loaded(true);
        }
    });
    attend(launch, shared, &mut process, &client)
}

/// Looks after a server that somebody else runs and lends, until its owner lets it go.
pub(super) fn attend_lent(launch: &Launch, shared: &Arc<Shared>, client: Client) {
    let _finish = Finish(shared);
    shared.write(State::begin);
    let client = Arc::new(client);
    shared.write(|state| {
        state.client = Some(Arc::clone(&client));
        state.set_loaded(true);
    });
    let mut prover = Prover::default();
    while !shared.read(|state| state.is_stopped) {
        wait_for_work(shared, prover.pause());
        if prover.pause().is_zero() {
            prover.prove(launch, shared, &client);
        }
    }
}

/// Waits for something to do, a little while at most.
fn wait_for_work(shared: &Shared, pause: Duration) {
    let limit = if pause.is_zero() { TICK } else { pause.min(TICK) };
    shared.wait(limit, |state| {
        let is_to_prove = pause.is_zero() && to_prove(state).is_some();
        (state.is_stopped || state.ended.is_some() || is_to_prove).then_some(())
    });
}

/// Everything from `initialize` to the end.
fn attend(launch: &Launch, shared: &Shared, process: &mut Process, client: &Client) -> End {
    let mut prover = Prover::default();
    loop {
        wait_for_work(shared, prover.pause());
        let (is_stopped, has_ended) = shared.read(|state| (state.is_stopped, state.ended.is_some()));
        if is_stopped {
            client.shut_down(&Deadline::after(SHUTDOWN_LIMIT));
            process.wait(EXIT_LIMIT);
            return End::Stopped;
        }
        if has_ended || process.wait(Duration::ZERO).is_some() {
            return End::Died(obituary(process, shared));
        }
        if prover.pause().is_zero() {
            prover.prove(launch, shared, client);
        }
    }
}

/// What is to be proved: everything is loaded, names are known, no name was found yet.
fn to_prove(state: &State) -> Option<(u64, Instant)> {
    let is_open = !state.is_proved && !state.probes.is_empty() && state.ended.is_none();
    state.loaded_since.filter(|_| is_open).map(|since| (state.epoch, since))
}

/// Asks for one known name after the other until one is found.
#[derive(Default)]
struct Prover {
    asked: usize,
    pause: Duration,
    next: Option<Instant>,
}

impl Prover {
    /// How long not to ask.
    fn pause(&self) -> Duration {
        self.next.map_or(Duration::ZERO, |next| next.saturating_duration_since(Instant::now()))
    }

    fn prove(&mut self, launch: &Launch, shared: &Shared, client: &Client) {
        let next = shared.read(|state| {
            let (epoch, since) = to_prove(state)?;
            let probe = state.probes.get(self.asked % state.probes.len())?;
            Some((epoch, since, probe.clone()))
        });
        let Some((epoch, since, probe)) = next else {
            *self = Prover::default();
            return;
        };
        self.asked = self.asked.wrapping_add(1);
        if finds(launch, shared, client, &probe) {
            *self = Prover::default();
            shared.write(|state| state.prove(epoch));
            return;
        }
        self.pause = (self.pause * 2).clamp(FIRST_PAUSE, LONGEST_PAUSE);
        self.next = Some(Instant::now() + self.pause);
        if since.elapsed() >= UNPROVED_LIMIT {
            let name = launch.kind.name;
            let note = format!(
                "{name} has loaded the workspace and finds nothing of what is there, `{}` for one: it is not asked",
                probe.name
            );
            shared.write(|state| state.note_unproved(note));
        }
    }
}

/// Whether the server finds a name in the file that has it.
fn finds(launch: &Launch, shared: &Shared, client: &Client, probe: &Probe) -> bool {
    let deadline = shared.deadline(PROBE_LIMIT);
    let path = launch.root.join(&probe.path);
    if launch.kind.documents == Documents::Opened
        && let (Some(uri), Ok(text)) = (convert::uri(&path), std::fs::read_to_string(&path))
    {
        client.open_document(&uri, &text);
    }
    let params = WorkspaceSymbolsParams::all_symbols(&probe.name);
    let Ok(Some(found)) = client.request::<WorkspaceSymbols>(params, &deadline) else { return false };
    let is_it = |name: &str, uri: &Uri| name == probe.name && convert::path(uri).is_some_and(|it| it == path);
    match found {
        WorkspaceSymbolResponse::Flat(found) => found.iter().any(|it| is_it(&it.name, &it.location.uri)),
        WorkspaceSymbolResponse::Nested(found) => found.iter().any(|it| match &it.location {
            OneOf::Left(location) => is_it(&it.name, &location.uri),
            OneOf::Right(location) => is_it(&it.name, &location.uri),
        }),
    }
}

/// Why a server died, as far as it can be known.
fn obituary(process: &mut Process, shared: &Shared) -> String {
    let status = process.wait(END_LIMIT);
    let ended = shared.read(|state| state.ended.clone());
    let why = match (ended, status) {
        (Some(Ending::Broken(why)), _) => format!("its output is broken: {why}"),
        (_, Some(status)) => status.to_string(),
        (_, None) => "its output ended".to_owned(),
    };
    with_last_words(process, why)
}

fn with_last_words(process: &Process, why: String) -> String {
    let words = brief(&process.last_words());
    if words.is_empty() { why } else { format!("{why}: {words}") }
}
