//! One client of the daemon: its requests run side by side, each on a thread of its own; what it takes back is cancelled, and all is when it goes.

use std::io::{BufReader, BufWriter, Write};
use std::net::Shutdown;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response, ResponseError};
use rustc_hash::FxHashMap;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::socket::Stream;
use crate::model::Deadline;
use crate::rpc::{self, lock, spawn_thread};
use crate::session::protocol::{CANCEL, Method, Overlay};
use crate::session::{Dispatch, Failure, Overlays};

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
}

impl Peer {
    pub fn new(stream: Stream, dispatch: Arc<Dispatch>) -> std::io::Result<Arc<Peer>> {
        stream.set_nonblocking(false)?;
        stream.set_write_timeout(Some(WRITE_LIMIT))?;
        let output = Mutex::new(BufWriter::new(stream.try_clone()?));
        let (unsaved, under_way) = (Mutex::default(), Mutex::default());
        Ok(Arc::new(Peer { dispatch, unsaved, stream, output, under_way }))
    }

    /// Answers until the client goes, or sends what is no message.
    pub fn serve(self: &Arc<Self>) -> std::io::Result<()> {
        let mut input = BufReader::new(self.stream.try_clone()?);
        let outcome = loop {
            match rpc::read(&mut input) {
                Ok(Some(Message::Request(request))) => self.begin(request),
                Ok(Some(Message::Notification(told))) => self.told(told),
                Ok(Some(Message::Response(_))) => {}
                Ok(None) => break Ok(()),
                Err(error) => break Err(error),
            }
        };
        lock(&self.under_way).values().for_each(Deadline::cancel);
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
        let (peer, id, unsaved) = (Arc::clone(self), request.id.clone(), Arc::clone(&lock(&self.unsaved)));
        if !spawn_thread("request", move || peer.answer(request, &unsaved, &cancel)) {
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

    fn answer(&self, request: Request, unsaved: &Overlays, cancel: &Deadline) {
        let Request { id, method, params } = request;
        let since = Instant::now();
        let asked = std::panic::AssertUnwindSafe(|| self.dispatch.answer(unsaved, &method, params, cancel));
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

fn internal(why: &str) -> ResponseError {
    ResponseError { code: ErrorCode::InternalError as i32, message: why.to_owned(), data: None }
}

/// For the log, which holds nothing of a task or a workspace's text.
fn kind(failure: &Failure) -> &'static str {
    match failure {
        Failure::Unknown(_) => "unknown request",
        Failure::Params { .. } | Failure::NotAbsolute(_) => "parameters",
        Failure::Pipeline(_) => "workspace or budget",
        Failure::Cancelled => "cancelled",
        Failure::Protocol { .. } => "protocol",
    }
}
