//! A child process that speaks JSON-RPC on its standard streams. Knows no methods; every wait ends, and the child with its owner.

use std::io::{BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use lsp_server::{Message, Notification, Request, RequestId, Response, ResponseError};
use serde_json::Value;

/// How long the child may take to leave by itself before it is killed.
const FAREWELL: Duration = Duration::from_secs(2);
const FAREWELL_STEP: Duration = Duration::from_millis(20);

pub struct Transport {
    child: Child,
    stdin: Option<ChildStdin>,
    messages: Receiver<Message>,
    last_id: i32,
}

impl Transport {
    /// Starts the child. Its messages are read by a thread that ends with the child's standard output.
    pub fn start(mut command: Command) -> Result<Transport> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child =
            command.spawn().with_context(|| format!("cannot start {:?}", command.get_program()))?;
        let stdin = child.stdin.take();
        let (sender, messages) = channel();
        if let Some(stdout) = child.stdout.take() {
            std::thread::spawn(move || read_all(stdout, &sender));
        }
        Ok(Transport { child, stdin, messages, last_id: 0 })
    }

    /// Sends a request and waits for its response; everything that arrives meanwhile goes to `other`, whose answer is sent.
    pub fn request(
        &mut self,
        method: &str,
        params: Value,
        limit: Duration,
        mut other: impl FnMut(&Message) -> Option<Response>,
    ) -> Result<Result<Value, ResponseError>> {
        self.last_id += 1;
        let id = RequestId::from(self.last_id);
        self.send(Request::new(id.clone(), method.to_string(), params))?;
        let end = Instant::now() + limit;
        loop {
            let message = self.receive(end)?;
            match message.with_context(|| format!("no answer to {method} within {limit:?}"))? {
                Message::Response(response) if response.id == id => return Ok(response.response_result),
                message => self.answer(&message, &mut other)?,
            }
        }
    }

    /// Serves what the child sends until `end`, or until `done` says so after a message.
    pub fn serve(
        &mut self,
        end: Instant,
        mut other: impl FnMut(&Message) -> Option<Response>,
        done: impl Fn(&Message) -> bool,
    ) -> Result<()> {
        while let Some(message) = self.receive(end)? {
            self.answer(&message, &mut other)?;
            if done(&message) {
                break;
            }
        }
        Ok(())
    }

    pub fn notify(&mut self, method: &str, params: Value) -> Result<()> {
        self.send(Notification::new(method.to_string(), params))
    }

    fn answer(
        &mut self,
        message: &Message,
        other: &mut impl FnMut(&Message) -> Option<Response>,
    ) -> Result<()> {
        other(message).map_or(Ok(()), |response| self.send(response))
    }

    fn send(&mut self, message: impl Into<Message>) -> Result<()> {
        let stdin = self.stdin.as_mut().context("the server's input is closed")?;
        message.into().write(stdin)?;
        Ok(stdin.flush()?)
    }

    /// The next message; none once `end` has passed.
    fn receive(&self, end: Instant) -> Result<Option<Message>> {
        match self.messages.recv_timeout(end.saturating_duration_since(Instant::now())) {
            Ok(message) => Ok(Some(message)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => bail!("the server ended"),
        }
    }
}

impl Drop for Transport {
    fn drop(&mut self) {
        // The end of its input is the signal to leave that no server misses.
        self.stdin = None;
        let end = Instant::now() + FAREWELL;
        while Instant::now() < end && matches!(self.child.try_wait(), Ok(None)) {
            // Nothing comes any more; the wait ends when its output does, or with the step.
            let _ = self.messages.recv_timeout(FAREWELL_STEP);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn read_all(stdout: ChildStdout, sender: &Sender<Message>) {
    let mut reader = BufReader::new(stdout);
    while let Ok(Some(message)) = Message::read(&mut reader) {
        if sender.send(message).is_err() {
            break;
        }
    }
}
