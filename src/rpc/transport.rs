//! Messages in both directions over two streams: a thread that reads, a thread that writes, and who waits for which answer. Knows no
//! methods.

use std::io::{BufReader, ErrorKind, Read, Write};
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, TrySendError, channel, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use lsp_server::{Message, Notification, Request, RequestId, Response, ResponseError};
use rustc_hash::FxHashMap;
use serde_json::{Value, json};

use crate::model::Deadline;

use super::{frame, lock, spawn_thread};

/// Messages that may wait for one that does not read.
const OUTBOX: usize = 1024;

/// How often a wait looks whether it was cancelled.
const SLICE: Duration = Duration::from_millis(20);

/// The way to a server: its own streams, or a client that asks it for us.
pub(crate) trait Wire: Send + Sync {
    /// Asks, and waits for the answer. A request whose time is over is taken back.
    fn ask(&self, method: &str, params: Value, deadline: &Deadline) -> Result<Reply, Lost>;
    fn tell(&self, method: &str, params: Value) -> Result<(), Lost>;
}

/// A notification: `{"id": …}` of the request that is not wanted any more.
pub(crate) const CANCEL: &str = "$/cancelRequest";

/// What a server answered to one request.
pub(crate) type Reply = Result<Value, ResponseError>;

/// Why there was no reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lost {
    Deadline,
    Ended,
    /// More messages wait to be read than the server will ever read.
    Full,
}

/// What the other side says by itself. Called on the thread that reads, in the order of its messages: it must not wait.
pub(crate) trait Listener: Send + Sync + 'static {
    /// The answer may come later, from another thread.
    fn asked(&self, request: Request, answer: Answer);
    fn told(&self, notification: Notification);
    /// Nothing more comes; said once or twice.
    fn ended(&self, how: Ending);
}

/// The way of one answer back to whoever asked.
pub(crate) struct Answer {
    id: RequestId,
    outbox: SyncSender<Message>,
}

impl Answer {
    /// Sends it, and waits until there is room for it among what waits to be read.
    pub(crate) fn send(self, response_result: Reply) {
        let _nobody_is_there_any_more = self.outbox.send(Response { id: self.id, response_result }.into());
    }

    /// Sends it where there is room: whoever asks and does not read gets none.
    pub(crate) fn send_at_once(self, response_result: Reply) {
        let _nobody_reads = self.outbox.try_send(Response { id: self.id, response_result }.into());
    }
}

/// How a stream ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Ending {
    Closed,
    /// It turned to garbage, in these words.
    Broken(String),
}

pub(crate) struct Transport {
    outbox: SyncSender<Message>,
    pending: Arc<Pending>,
    last_id: AtomicI32,
}

/// Who waits for which answer; `None` once no answer can come.
pub(crate) struct Pending(Mutex<Option<FxHashMap<RequestId, Sender<Reply>>>>);

impl Transport {
    /// Reads and writes from now on, until either stream ends.
    pub(crate) fn open(
        output: impl Write + Send + 'static,
        input: impl Read + Send + 'static,
        listener: Arc<dyn Listener>,
    ) -> Transport {
        let (outbox, messages) = sync_channel(OUTBOX);
        let pending = Arc::new(Pending::new());
        let end = |listener: &Arc<dyn Listener>| {
            let (pending, listener) = (Arc::clone(&pending), Arc::clone(listener));
            move |how: Ending| {
                // In this order: whoever sees a request fail sees a server that is not ready.
                listener.ended(how);
                pending.close();
            }
        };
        let (written, read) = (end(&listener), end(&listener));
        let replies = outbox.clone();
        let waiting = Arc::clone(&pending);
        let is_writing = spawn_thread("rpc writer", move || written(write_all(output, &messages)));
        let is_reading = spawn_thread("rpc reader", move || {
            read(read_all(input, &waiting, &replies, &*listener));
        });
        if !is_writing || !is_reading {
            pending.close();
        }
        Transport { outbox, pending, last_id: AtomicI32::new(0) }
    }

    /// Sends a request; its reply is waited for separately.
    pub(crate) fn begin(&self, method: &str, params: Value) -> Result<Waiting<'_>, Lost> {
        let id = RequestId::from(self.last_id.fetch_add(1, Ordering::Relaxed).wrapping_add(1));
        let waiting = self.pending.begin(id.clone()).ok_or(Lost::Ended)?;
        self.send(Request { id, method: method.to_owned(), params })?;
        Ok(waiting)
    }

    /// Tells what must not be lost: waits until there is room for it.
    pub(crate) fn deliver(&self, method: &str, params: Value) -> Result<(), Lost> {
        let message = Notification { method: method.to_owned(), params };
        self.outbox.send(message.into()).map_err(|_| Lost::Ended)
    }

    fn send(&self, message: impl Into<Message>) -> Result<(), Lost> {
        self.outbox.try_send(message.into()).map_err(|error| match error {
            TrySendError::Full(_) => Lost::Full,
            TrySendError::Disconnected(_) => Lost::Ended,
        })
    }
}

impl Wire for Transport {
    fn ask(&self, method: &str, params: Value, deadline: &Deadline) -> Result<Reply, Lost> {
        let waiting = self.begin(method, params)?;
        waiting.wait(deadline).inspect_err(|lost| {
            if *lost == Lost::Deadline {
                let _nobody_is_there_any_more = self.tell(CANCEL, json!({ "id": waiting.id() }));
            }
        })
    }

    fn tell(&self, method: &str, params: Value) -> Result<(), Lost> {
        self.send(Notification { method: method.to_owned(), params })
    }
}

/// A request under way. Dropping it forgets the request: a later reply goes nowhere.
pub(crate) struct Waiting<'t> {
    id: RequestId,
    reply: Receiver<Reply>,
    pending: &'t Pending,
}

impl Waiting<'_> {
    pub(crate) fn id(&self) -> &RequestId {
        &self.id
    }

    /// The reply, unless the deadline or the stream is over before.
    pub(crate) fn wait(&self, deadline: &Deadline) -> Result<Reply, Lost> {
        loop {
            let slice = deadline.remaining().map_or(SLICE, |left| left.min(SLICE));
            match self.reply.recv_timeout(slice) {
                Ok(reply) => return Ok(reply),
                Err(RecvTimeoutError::Disconnected) => return Err(Lost::Ended),
                Err(RecvTimeoutError::Timeout) if deadline.is_over() => return Err(Lost::Deadline),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.pending.take(&self.id);
    }
}

impl Pending {
    pub(crate) fn new() -> Pending {
        Pending(Mutex::new(Some(FxHashMap::default())))
    }

    /// A request that is about to be sent; `None` once no answer can come.
    pub(crate) fn begin(&self, id: RequestId) -> Option<Waiting<'_>> {
        let reply = self.expect(id.clone())?;
        Some(Waiting { id, reply, pending: self })
    }

    /// Takes in an answer. One to an unknown request goes nowhere: answered before, given up, or never asked.
    pub(crate) fn answered(&self, response: Response) {
        if let Some(waiting) = self.take(&response.id) {
            let _ = waiting.send(response.response_result);
        }
    }

    fn expect(&self, id: RequestId) -> Option<Receiver<Reply>> {
        let (sender, reply) = channel();
        lock(&self.0).as_mut()?.insert(id, sender);
        Some(reply)
    }

    fn take(&self, id: &RequestId) -> Option<Sender<Reply>> {
        lock(&self.0).as_mut()?.remove(id)
    }

    /// Fails every request under way, and all that would follow.
    pub(crate) fn close(&self) {
        lock(&self.0).take();
    }
}

/// Writes until the stream fails or nobody can send any more.
fn write_all(mut output: impl Write, messages: &Receiver<Message>) -> Ending {
    for message in messages {
        if message.write(&mut output).is_err() {
            break;
        }
    }
    Ending::Closed
}

/// Reads until the stream ends or turns to garbage.
fn read_all(
    input: impl Read,
    pending: &Pending,
    replies: &SyncSender<Message>,
    listener: &dyn Listener,
) -> Ending {
    let mut input = BufReader::new(input);
    loop {
        match frame::read(&mut input) {
            Ok(Some(Message::Response(response))) => {
                pending.answered(response);
            }
            Ok(Some(Message::Request(request))) => {
                let answer = Answer { id: request.id.clone(), outbox: replies.clone() };
                listener.asked(request, answer);
            }
            Ok(Some(Message::Notification(notification))) => listener.told(notification),
            Ok(None) => return Ending::Closed,
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ending::Closed,
            Err(error) => return Ending::Broken(brief(&error.to_string())),
        }
    }
}

/// The beginning of an error, which may hold a whole message.
fn brief(error: &str) -> String {
    const LONGEST: usize = 120;
    let mut brief: String = error.chars().take(LONGEST).collect();
    if brief.len() < error.len() {
        brief.push('…');
    }
    brief
}
