//! One client of the daemon: its requests run side by side, each on a thread of its own; what it takes back is cancelled, and all is when it goes.

use std::io::{BufReader, BufWriter, Write};
use std::net::Shutdown;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response, ResponseError};
use rustc_hash::FxHashMap;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::socket::Stream;
use crate::model::Deadline;
use crate::rpc::{self, CANCEL, Lost, Pending, Reply, Wire, lock, spawn_thread};
use crate::session::protocol::{Method, Overlay};
use crate::session::{Caller, Dispatch, Failure, Lender, Overlays};

/// Requests of one client that may be under way; one that has more is at fault.
const MOST_REQUESTS: usize = 256;
/// A client that reads nothing for so long is given up.
const WRITE_LIMIT: Duration = Duration::from_secs(10);

/// A client, for as long as it is there.
pub(super) struct Peer {
    dispatch: Arc<Dispatch>,
    /// As of the last message that was read: texts and requests keep their order.
    unsaved: Mutex<Arc<Overlays>>,
    stream: Stream,
    output: Mutex<BufWriter<Stream>>,
    under_way: Mutex<FxHashMap<RequestId, Deadline>>,
    /// What it lends.
    lender: Arc<Lender>,
    /// What it was asked.
    asked: Pending,
    last_id: AtomicI32,
}

impl Peer {
    pub fn new(stream: Stream, dispatch: Arc<Dispatch>) -> std::io::Result<Arc<Peer>> {
        stream.set_nonblocking(false)?;
        stream.set_write_timeout(Some(WRITE_LIMIT))?;
        let output = Mutex::new(BufWriter::new(stream.try_clone()?));
        Ok(Arc::new_cyclic(|peer: &Weak<Peer>| Peer {
            dispatch,
            unsaved: Mutex::default(),
            stream,
            output,
            under_way: Mutex::default(),
            lender: Arc::new(Lender::new(Weak::clone(peer) as Weak<dyn Wire>)),
            asked: Pending::new(),
            last_id: AtomicI32::new(0),
        }))
    }

    /// Answers until the client goes, or sends what is no message.
    pub fn serve(self: &Arc<Self>) -> std::io::Result<()> {
        let mut input = BufReader::new(self.stream.try_clone()?);
        let outcome = loop {
            match rpc::read(&mut input) {
                Ok(Some(Message::Request(request))) => self.begin(request),
                Ok(Some(Message::Notification(told))) => self.told(told),
                Ok(Some(Message::Response(response))) => self.asked.answered(response),
                Ok(None) => break Ok(()),
                Err(error) => break Err(error),
            }
        };
        lock(&self.under_way).values().for_each(Deadline::cancel);
        self.asked.close();
        let _is_closed_already = self.stream.shutdown(Shutdown::Both);
        outcome
    }

    fn begin(self: &Arc<Self>, request: Request) {
        if request.method == Overlay::NAME {
            return match self.put(request.params) {
                Ok(()) => self.send(Message::Response(Response {
                    id: request.id,
                    response_result: Ok(Value::Object(Map::new())),
                })),
                Err(why) => self.refuse(request.id, &why),
            };
        }
        let cancel = Deadline::never();
        let known = {
            let mut under_way = lock(&self.under_way);
            if under_way.len() >= MOST_REQUESTS {
                drop(under_way);
                return self.refuse(request.id, "too many requests are under way: wait for answers");
            }
            under_way.insert(request.id.clone(), cancel.clone())
        };
        // A client that uses an id twice gets two answers, and can take back the second request alone.
        drop(known);
        let (peer, id) = (Arc::clone(self), request.id.clone());
        let unsaved = Arc::clone(&lock(&self.unsaved));
        let caller = Caller { unsaved, lender: Some(Arc::clone(&self.lender)) };
        if !spawn_thread("request", move || peer.answer(request, &caller, &cancel)) {
            lock(&self.under_way).remove(&id);
            self.refuse(id, "no thread is left to answer");
        }
    }

    fn put(&self, params: Value) -> Result<(), String> {
        let params = serde_json::from_value(params).map_err(|error| error.to_string())?;
        let mut unsaved = lock(&self.unsaved);
        *unsaved = Arc::new(unsaved.with(params));
        Ok(())
    }

    fn answer(&self, request: Request, caller: &Caller, cancel: &Deadline) {
        let Request { id, method, params } = request;
        let since = Instant::now();
        let asked = std::panic::AssertUnwindSafe(|| self.dispatch.answer(caller, &method, params, cancel));
        // A fault of ours costs the request, and not everybody's daemon.
        let answer = std::panic::catch_unwind(asked);
        lock(&self.under_way).remove(&id);
        let took = since.elapsed().as_millis() as u64;
        let response_result = match answer {
            Ok(Ok(answer)) => {
                tracing::info!(method, took, "answered");
                Ok(answer)
            }
            Ok(Err(failure)) => {
                tracing::info!(method, took, why = kind(&failure), "not answered");
                Err(failure.to_error())
            }
            Err(_) => {
                tracing::error!(method, took, "panicked");
                Err(internal("the request met a fault of the program: please report it"))
            }
        };
        self.send(Message::Response(Response { id, response_result }));
    }

    fn told(&self, Notification { method, params }: Notification) {
        #[derive(Deserialize)]
        struct Cancelled {
            id: RequestId,
        }
        if method == Overlay::NAME {
            let _nobody_asked = self.put(params);
        } else if method == CANCEL
            && let Ok(Cancelled { id }) = serde_json::from_value(params)
            && let Some(request) = lock(&self.under_way).get(&id)
        {
            request.cancel();
        }
    }

    fn refuse(&self, id: RequestId, why: &str) {
        self.send(Message::Response(Response { id, response_result: Err(internal(why)) }));
    }

    /// Where the client does not take it, the client goes.
    fn send(&self, message: Message) {
        let mut output = lock(&self.output);
        if message.write(&mut *output).and_then(|()| output.flush()).is_err() {
            let _is_closed_already = self.stream.shutdown(Shutdown::Both);
        }
    }
}

impl Wire for Peer {
    fn ask(&self, method: &str, params: Value, deadline: &Deadline) -> Result<Reply, Lost> {
        let id = RequestId::from(self.last_id.fetch_add(1, Ordering::Relaxed).wrapping_add(1));
        let waiting = self.asked.begin(id.clone()).ok_or(Lost::Ended)?;
        self.send(Message::Request(Request { id, method: method.to_owned(), params }));
        waiting.wait(deadline).inspect_err(|lost| {
            if *lost == Lost::Deadline {
                let _nobody_is_there_any_more = self.tell(CANCEL, json!({ "id": waiting.id() }));
            }
        })
    }

    fn tell(&self, method: &str, params: Value) -> Result<(), Lost> {
        self.send(Message::Notification(Notification { method: method.to_owned(), params }));
        Ok(())
    }
}

fn internal(why: &str) -> ResponseError {
    ResponseError { code: ErrorCode::InternalError as i32, message: why.to_owned(), data: None }
}

/// For the log, which holds nothing of a task or a workspace's text.
fn kind(failure: &Failure) -> &'static str {
    match failure {
        Failure::Unknown(_) => "unknown request",
        Failure::Params { .. } | Failure::NotAbsolute(_) => "parameters",
        Failure::Pipeline(_) => "workspace or budget",
        Failure::Search(_) => "embedder",
        Failure::Cancelled => "cancelled",
        Failure::Protocol { .. } => "protocol",
    }
}
