//! The way to the daemon: connect, and start or replace it where that is needed.

use std::io;
use std::net::Shutdown;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant, UNIX_EPOCH};

use lsp_server::{ErrorCode, Notification, Request, ResponseError};
use serde_json::{Value, json};

use super::place::DaemonPlace;
use super::socket::{self, Stream};
use crate::model::Deadline;
use crate::rpc::{self, Answer, CANCEL, Ending, Listener, Transport, Waiting, Wire};
use crate::session::protocol::{self, Hello, HelloAnswer, HelloParams, Method, Nothing};

/// Saying who it is takes a daemon no time.
const HELLO: Duration = Duration::from_secs(2);
/// A daemon that begins is there within so long.
const START: Duration = Duration::from_secs(5);
/// One that is asked to end has requests under way, and a language server to end.
const STOP: Duration = Duration::from_secs(12);
/// glibc gives threads their own arenas, which keep what is freed: with two the daemon takes 239 MB instead of 312 after
/// `cargo bench --bench daemon` on jj, and is as fast.
const ARENAS: &str = "MALLOC_ARENA_MAX";
const FEW_ARENAS: &str = "2";
const STEP: Duration = Duration::from_millis(10);

/// Which build of the program this is: version, size and time of its file.
pub fn build() -> String {
    let version = env!("CARGO_PKG_VERSION");
    let file = std::env::current_exe().and_then(|path| path.metadata());
    let Ok(file) = file else { return version.to_owned() };
    let time = file.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    format!("{version}-{:x}-{:x}", file.len(), time.unwrap_or_default().as_nanos())
}

/// A connection to a daemon.
pub struct Connection {
    transport: Transport,
    stream: Stream,
    hello: HelloAnswer,
}

/// Why a question has no answer.
#[derive(Debug, thiserror::Error)]
pub enum Lost {
    #[error("the daemon cannot be reached ({0})")]
    Unreachable(#[from] io::Error),
    #[error("the daemon ended")]
    Ended,
    #[error("the daemon did not answer in time")]
    Deadline,
    #[error("the daemon answered what is no answer: {0}")]
    Garbled(String),
    /// In the daemon's words.
    #[error("{0}")]
    Refused(String),
}

impl From<rpc::Lost> for Lost {
    fn from(lost: rpc::Lost) -> Lost {
        match lost {
            rpc::Lost::Deadline => Lost::Deadline,
            rpc::Lost::Ended | rpc::Lost::Full => Lost::Ended,
        }
    }
}

/// Connects to the daemon that runs at a place.
///
/// # Errors
/// Where none does, or it does not say who it is.
pub fn connect(place: &DaemonPlace) -> Result<Connection, Lost> {
    connect_with(place, nobody_listens())
}

/// The same; `listener` hears what the daemon asks.
///
/// # Errors
/// As `connect`.
pub(crate) fn connect_with(place: &DaemonPlace, listener: Arc<dyn Listener>) -> Result<Connection, Lost> {
    if !place.is_safe() {
        return Err(io::Error::from(io::ErrorKind::NotFound).into());
    }
    let stream = socket::connect(&place.socket())?;
    let transport = Transport::open(stream.try_clone()?, stream.try_clone()?, listener);
    let hello = HelloAnswer { protocol: 0, version: String::new(), build: String::new(), process: 0 };
    let mut connection = Connection { transport, stream, hello };
    let params = HelloParams { protocol: protocol::VERSION };
    connection.hello = connection.ask::<Hello>(&params, &Deadline::after(HELLO))?;
    Ok(connection)
}

/// Starts a daemon of this program, and does not wait for it. `arguments` are those of the command line; variables `without` are not
/// handed on.
///
/// # Errors
/// Where it cannot be started.
pub fn start(arguments: &[&str], without: &[String]) -> io::Result<()> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(arguments).current_dir(Path::new(std::path::MAIN_SEPARATOR_STR));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    without.iter().for_each(|variable| _ = command.env_remove(variable));
    if std::env::var_os(ARENAS).is_none() {
        command.env(ARENAS, FEW_ARENAS);
    }
    apart(&mut command);
    let mut child = command.spawn()?;
    // One that ends while we live is not to stay behind as a dead process.
    rpc::spawn_thread("daemon", move || _ = child.wait());
    Ok(())
}

/// Waits for a daemon that was started.
///
/// # Errors
/// Where it is not there in time.
pub fn wait_for(place: &DaemonPlace) -> Result<Connection, Lost> {
    wait_for_with(place, nobody_listens())
}

/// The same; `listener` hears what the daemon asks.
///
/// # Errors
/// As `wait_for`.
pub(crate) fn wait_for_with(place: &DaemonPlace, listener: Arc<dyn Listener>) -> Result<Connection, Lost> {
    let since = Instant::now();
    loop {
        match connect_with(place, Arc::clone(&listener)) {
            Ok(connection) => return Ok(connection),
            Err(error) if since.elapsed() > START => return Err(error),
            Err(_) => std::thread::park_timeout(STEP),
        }
    }
}

/// Asks the daemon to end and waits until it has; says whether it has.
///
/// # Errors
/// Where it does not answer.
pub fn stop(place: &DaemonPlace, connection: Connection) -> Result<bool, Lost> {
    connection.ask::<protocol::Shutdown>(&Nothing {}, &Deadline::after(HELLO))?;
    drop(connection);
    let since = Instant::now();
    while place.is_held() && since.elapsed() < STOP {
        std::thread::park_timeout(STEP);
    }
    Ok(!place.is_held())
}

impl Connection {
    /// Whom it is to.
    pub fn hello(&self) -> &HelloAnswer {
        &self.hello
    }

    /// Whether it is the same build of the program as this one.
    pub fn is_own_build(&self) -> bool {
        self.hello.build == build()
    }

    /// The answer to one request. When the deadline ends, the request is taken back.
    ///
    /// # Errors
    /// Why there is none.
    pub fn ask<M: Method>(&self, params: &M::Params, deadline: &Deadline) -> Result<M::Answer, Lost> {
        let garbled = |error: serde_json::Error| Lost::Garbled(error.to_string());
        let params = serde_json::to_value(params).map_err(garbled)?;
        let waiting = self.begin(M::NAME, params)?;
        serde_json::from_value(self.wait(&waiting, deadline)?).map_err(garbled)
    }

    /// Sends a request; its answer is waited for separately.
    ///
    /// # Errors
    /// Where nobody is there any more.
    pub(crate) fn begin(&self, method: &str, params: Value) -> Result<Waiting<'_>, Lost> {
        self.transport.begin(method, params).map_err(Lost::from)
    }

    /// The answer to a request that was sent. When the deadline ends, the request is taken back.
    ///
    /// # Errors
    /// Why there is none.
    pub(crate) fn wait(&self, waiting: &Waiting<'_>, deadline: &Deadline) -> Result<Value, Lost> {
        let reply = waiting.wait(deadline).inspect_err(|_| {
            let _nobody_is_there_any_more = self.transport.tell(CANCEL, json!({ "id": waiting.id() }));
        });
        reply?.map_err(|ResponseError { message, .. }| Lost::Refused(message))
    }

    /// Tells what must not be lost.
    ///
    /// # Errors
    /// Where nobody is there any more.
    pub(crate) fn tell(&self, method: &str, params: Value) -> Result<(), Lost> {
        self.transport.deliver(method, params).map_err(Lost::from)
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        let _is_closed_already = self.stream.shutdown(Shutdown::Both);
    }
}

/// For clients that lend nothing: the daemon asks them nothing.
pub(crate) fn nobody_listens() -> Arc<dyn Listener> {
    Arc::new(Silent)
}

struct Silent;

impl Listener for Silent {
    fn asked(&self, _: Request, answer: Answer) {
        let code = ErrorCode::MethodNotFound as i32;
        let error = ResponseError { code, message: "nothing is answered here".to_owned(), data: None };
        answer.send_at_once(Err(error));
    }

    fn told(&self, _: Notification) {}

    fn ended(&self, _: Ending) {}
}

/// Signals of the terminal are for its own group.
#[cfg(unix)]
fn apart(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
}

#[cfg(not(unix))]
fn apart(_: &mut Command) {}
