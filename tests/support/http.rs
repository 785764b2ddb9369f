//! A server on loopback that answers each request as told, piece by piece, and remembers what it was sent. One request per
//! connection; everything ends with the value.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often a held connection is looked at.
const SLICE: Duration = Duration::from_millis(5);

/// A client that sends no whole request for so long sends none.
const READ_LIMIT: Duration = Duration::from_secs(10);

/// What a request said.
#[derive(Debug, Clone)]
pub struct Request {
    pub method: String,
    /// With its query.
    pub path: String,
    /// Names in small letters.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Request {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// How to answer: a status, headers, and what happens in turn.
#[derive(Debug, Clone)]
pub struct Reply {
    status: u16,
    headers: Vec<(String, String)>,
    steps: Vec<Step>,
}

#[derive(Debug, Clone)]
enum Step {
    /// Sends a piece of the body in one go.
    Send(Vec<u8>),
    Wait(Duration),
    /// Sends nothing more until the client closes the connection.
    Hold,
    /// Closes the connection before the body has ended.
    Cut,
}

impl Reply {
    pub fn new(status: u16, content_type: &str) -> Reply {
        let headers = vec![("content-type".to_owned(), content_type.to_owned())];
        Reply { status, headers, steps: Vec::new() }
    }

    pub fn json(status: u16, body: &serde_json::Value) -> Reply {
        Reply::new(status, "application/json; charset=utf-8").send(body.to_string())
    }

    pub fn header(mut self, name: &str, value: &str) -> Reply {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub fn send(self, bytes: impl Into<Vec<u8>>) -> Reply {
        self.step(Step::Send(bytes.into()))
    }

    pub fn wait(self, time: Duration) -> Reply {
        self.step(Step::Wait(time))
    }

    pub fn hold(self) -> Reply {
        self.step(Step::Hold)
    }

    pub fn cut(self) -> Reply {
        self.step(Step::Cut)
    }

    /// What another reply does, behind what this one does.
    pub fn then(mut self, other: Reply) -> Reply {
        self.steps.extend(other.steps);
        self
    }

    fn step(mut self, step: Step) -> Reply {
        self.steps.push(step);
        self
    }
}

type Handler = dyn Fn(&Request) -> Reply + Send + Sync;

/// A running server.
pub struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    handler: Box<Handler>,
    seen: Mutex<Seen>,
    changed: Condvar,
}

#[derive(Default)]
struct Seen {
    requests: Vec<Request>,
    /// Connections that the client closed in the middle of an answer.
    left: usize,
    is_over: bool,
}

impl Server {
    /// Answers every request with what `handler` makes of it.
    pub fn new(handler: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Server {
        Server::start(handler, |connection, shared| {
            if serve(connection, shared).is_err() {
                shared.remember(|seen| seen.left += 1);
            }
        })
    }

    /// Takes connections and resets them: closing a socket with unread bytes in it does.
    pub fn resetting() -> Server {
        let none = |_: &Request| Reply::new(200, "text/plain");
        Server::start(none, |connection, _| {
            let _ = connection.peek(&mut [0]);
        })
    }

    fn start(
        handler: impl Fn(&Request) -> Reply + Send + Sync + 'static,
        serve: fn(TcpStream, &Shared),
    ) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Shared { handler: Box::new(handler), seen: Mutex::default(), changed: Condvar::new() };
        let shared = Arc::new(shared);
        let own = Arc::clone(&shared);
        let thread = std::thread::spawn(move || {
            let mut connections = Vec::new();
            for connection in listener.incoming() {
                if own.is_over() {
                    break;
                }
                let (Ok(connection), shared) = (connection, Arc::clone(&own)) else { continue };
                connections.push(std::thread::spawn(move || serve(connection, &shared)));
            }
            for connection in connections {
                let _ = connection.join();
            }
        });
        Server { address, shared, thread: Some(thread) }
    }

    /// `127.0.0.1:40123`.
    pub fn host(&self) -> String {
        self.address.to_string()
    }

    /// `http://127.0.0.1:40123/`.
    pub fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// All requests so far.
    pub fn requests(&self) -> Vec<Request> {
        self.shared.seen.lock().unwrap().requests.clone()
    }

    /// Waits until as many requests have come.
    pub fn wait_for_requests(&self, number: usize, limit: Duration) -> bool {
        self.shared.wait(limit, |seen| seen.requests.len() >= number)
    }

    /// Waits until the client has closed as many connections in the middle of an answer.
    pub fn wait_until_left(&self, number: usize, limit: Duration) -> bool {
        self.shared.wait(limit, |seen| seen.left >= number)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.seen.lock().unwrap().is_over = true;
        self.shared.changed.notify_all();
        // Wakes the thread that waits for a connection.
        let _ = TcpStream::connect(self.address);
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

impl Shared {
    fn is_over(&self) -> bool {
        self.seen.lock().unwrap().is_over
    }

    fn wait(&self, limit: Duration, is_done: impl Fn(&Seen) -> bool) -> bool {
        let seen = self.seen.lock().unwrap();
        let (seen, _) = self.changed.wait_timeout_while(seen, limit, |seen| !is_done(seen)).unwrap();
        is_done(&seen)
    }

    fn remember(&self, change: impl FnOnce(&mut Seen)) {
        change(&mut self.seen.lock().unwrap());
        self.changed.notify_all();
    }
}

fn serve(mut connection: TcpStream, shared: &Shared) -> io::Result<()> {
    connection.set_nodelay(true)?;
    connection.set_read_timeout(Some(SLICE))?;
    let Some(request) = read(&mut connection, shared)? else { return Ok(()) };
    shared.remember(|seen| seen.requests.push(request.clone()));
    let reply = (shared.handler)(&request);
    let mut head = format!("HTTP/1.1 {} Said\r\n", reply.status);
    for (name, value) in &reply.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str("transfer-encoding: chunked\r\nconnection: close\r\n\r\n");
    let mut is_head_sent = false;
    for step in &reply.steps {
        // A server that is slow to answer is slow with its head too.
        if !is_head_sent && !matches!(step, Step::Wait(_)) {
            connection.write_all(head.as_bytes())?;
            is_head_sent = true;
        }
        match step {
            Step::Send(bytes) => {
                let mut chunk = format!("{:x}\r\n", bytes.len()).into_bytes();
                chunk.extend_from_slice(bytes);
                chunk.extend_from_slice(b"\r\n");
                connection.write_all(&chunk)?;
            }
            Step::Wait(time) => hold(&mut connection, shared, Some(*time))?,
            Step::Hold => hold(&mut connection, shared, None)?,
            Step::Cut => return Ok(()),
        }
    }
    if !is_head_sent {
        connection.write_all(head.as_bytes())?;
    }
    connection.write_all(b"0\r\n\r\n")
}

/// Does nothing until the time has passed, or the test is over; fails when the client leaves.
fn hold(connection: &mut TcpStream, shared: &Shared, time: Option<Duration>) -> io::Result<()> {
    let start = Instant::now();
    while !shared.is_over() && time.is_none_or(|time| start.elapsed() < time) {
        match connection.read(&mut [0]) {
            Ok(0) => return Err(ErrorKind::ConnectionAborted.into()),
            Ok(_) => {}
            Err(error) if is_slow(&error) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// One whole request; `None` where the client sends none.
fn read(connection: &mut TcpStream, shared: &Shared) -> io::Result<Option<Request>> {
    let start = Instant::now();
    let mut bytes = Vec::new();
    loop {
        if let Some(request) = parse(&bytes) {
            return Ok(Some(request));
        }
        // Somebody speaks another language, as TLS.
        if bytes.first().is_some_and(|byte| !byte.is_ascii_uppercase()) {
            return Ok(None);
        }
        let mut buffer = [0; 64 * 1024];
        match connection.read(&mut buffer) {
            Ok(0) => return Ok(None),
            Ok(length) => bytes.extend_from_slice(&buffer[..length]),
            Err(error) if is_slow(&error) && start.elapsed() < READ_LIMIT && !shared.is_over() => {}
            Err(error) => return Err(error),
        }
    }
}

fn is_slow(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted)
}

fn parse(bytes: &[u8]) -> Option<Request> {
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n")?;
    let head = String::from_utf8_lossy(&bytes[..end]);
    let mut lines = head.split("\r\n");
    let mut first = lines.next()?.split(' ');
    let (method, path) = (first.next()?.to_owned(), first.next()?.to_owned());
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_lowercase(), value.trim().to_owned()))
        .collect();
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length: usize = length.map_or(Some(0), |(_, length)| length.parse().ok())?;
    let body = bytes[end + 4..].to_vec();
    (body.len() >= length).then_some(Request { method, path, headers, body })
}
