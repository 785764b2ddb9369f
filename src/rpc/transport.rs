//! Messages in both directions over two streams: a thread that reads, a thread that writes, and who waits for which answer. Knows no
//! methods.

use std::io::{BufReader, ErrorKind, Read, Write};
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, TrySendError, channel, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use lsp_server::{Message, Notification, Request, RequestId, Response, ResponseError};
use rustc_hash::FxHashMap;
use serde_json::Value;

use crate::model::Deadline;

use super::{frame, lock, spawn_thread};

/// Messages that may wait for one that does not read.
const OUTBOX: usize = 1024;

/// How often a wait looks whether it was cancelled.
const SLICE: Duration = Duration::from_millis(20);

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

/// What a server says by itself. Called on the thread that reads: it must not wait.
pub(crate) trait Listener: Send + Sync + 'static {
    fn asked(&self, request: Request) -> Response;
    fn told(&self, notification: Notification);
    /// Nothing more comes; said once or twice.
    fn ended(&self, how: Ending);
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
struct Pending(Mutex<Option<FxHashMap<RequestId, Sender<Reply>>>>);

impl Transport {
    /// Reads and writes from now on, until either stream ends.
    pub(crate) fn open(
        output: impl Write + Send + 'static,
        input: impl Read + Send + 'static,
        listener: Arc<dyn Listener>,
    ) -> Transport {
        let (outbox, messages) = sync_channel(OUTBOX);
        let pending = Arc::new(Pending(Mutex::new(Some(FxHashMap::default()))));
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
    pub(crate) fn ask(&self, method: &str, params: Value) -> Result<Waiting<'_>, Lost> {
        let id = RequestId::from(self.last_id.fetch_add(1, Ordering::Relaxed).wrapping_add(1));
        let reply = self.pending.expect(id.clone()).ok_or(Lost::Ended)?;
        let waiting = Waiting { id: id.clone(), reply, pending: &self.pending };
        self.send(Request { id, method: method.to_owned(), params })?;
        Ok(waiting)
    }

    pub(crate) fn tell(&self, method: &str, params: Value) -> Result<(), Lost> {
        self.send(Notification { method: method.to_owned(), params })
    }

    fn send(&self, message: impl Into<Message>) -> Result<(), Lost> {
        self.outbox.try_send(message.into()).map_err(|error| match error {
            TrySendError::Full(_) => Lost::Full,
            TrySendError::Disconnected(_) => Lost::Ended,
        })
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
    fn expect(&self, id: RequestId) -> Option<Receiver<Reply>> {
        let (sender, reply) = channel();
        lock(&self.0).as_mut()?.insert(id, sender);
        Some(reply)
    }

    fn take(&self, id: &RequestId) -> Option<Sender<Reply>> {
        lock(&self.0).as_mut()?.remove(id)
    }

    /// Fails every request under way, and all that would follow.
    fn close(&self) {
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
                // An unknown id: answered before, given up, or never asked.
                if let Some(waiting) = pending.take(&response.id) {
                    let _ = waiting.send(response.response_result);
                }
            }
            Ok(Some(Message::Request(request))) => {
                // A server that asks and does not read its answers gets none.
                let _ = replies.try_send(listener.asked(request).into());
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
