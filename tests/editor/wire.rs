//! An editor's side of the protocol, to any language server: messages in their framing, requests in both directions.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// What takes longer hangs.
pub const LONG: Duration = Duration::from_secs(60);

/// Answers what a server asks: its result or its error; `None` leaves it open for ever.
pub type Handler = dyn Fn(&str, &Value) -> Option<Result<Value, Value>> + Send + Sync;

/// An editor with one language server.
pub struct Editor {
    child: Child,
    shared: Arc<Shared>,
    last: i64,
}

struct Shared {
    input: Mutex<Option<ChildStdin>>,
    waiting: Mutex<HashMap<i64, Sender<Value>>>,
    told: Mutex<Vec<Value>>,
    heard: Condvar,
    handler: Mutex<Arc<Handler>>,
}

/// A request under way.
pub struct Waiting {
    pub id: i64,
    reply: Receiver<Value>,
}

impl Waiting {
    /// The whole answer, result or error.
    #[track_caller]
    pub fn wait(self) -> Value {
        self.reply.recv_timeout(LONG).expect("no answer")
    }
}

/// What an editor says of itself that can do most things.
pub fn abilities() -> Value {
    json!({
        "general": { "positionEncodings": ["utf-16"] },
        "window": { "workDoneProgress": true },
    })
}

pub fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}

impl Editor {
    /// Starts a server; nothing is said yet.
    pub fn start(mut command: Command) -> Editor {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let nobody: Arc<Handler> = Arc::new(|_, _| Some(Ok(Value::Null)));
        let shared = Arc::new(Shared {
            input: Mutex::new(child.stdin.take()),
            waiting: Mutex::default(),
            told: Mutex::default(),
            heard: Condvar::new(),
            handler: Mutex::new(nobody),
        });
        let (output, reader) = (child.stdout.take().unwrap(), Arc::clone(&shared));
        std::thread::spawn(move || read(BufReader::new(output), &reader));
        Editor { child, shared, last: 0 }
    }

    pub fn open_with(command: Command, folder: &Path, options: Value, abilities: Value) -> Editor {
        let mut editor = Editor::start(command);
        editor.initialize(folder, options, abilities);
        editor
    }

    pub fn initialize(&mut self, folder: &Path, options: Value, abilities: Value) -> Value {
        let answer = self.ask(
            "initialize",
            json!({
                "processId": std::process::id(),
                "rootUri": uri(folder),
                "workspaceFolders": [{ "uri": uri(folder), "name": "ws" }],
                "capabilities": abilities,
                "initializationOptions": options,
            }),
        );
        self.tell("initialized", json!({}));
        answer
    }

    pub fn answer_by(
        &self,
        handler: impl Fn(&str, &Value) -> Option<Result<Value, Value>> + Send + Sync + 'static,
    ) {
        *self.shared.handler.lock().unwrap() = Arc::new(handler);
    }

    pub fn tell(&self, method: &str, params: Value) {
        self.shared.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    pub fn begin(&mut self, method: &str, params: Value) -> Waiting {
        self.last += 1;
        let (sender, reply) = channel();
        self.shared.waiting.lock().unwrap().insert(self.last, sender);
        self.shared.send(&json!({ "jsonrpc": "2.0", "id": self.last, "method": method, "params": params }));
        Waiting { id: self.last, reply }
    }

    /// The result.
    #[track_caller]
    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        let mut answer = self.begin(method, params).wait();
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].take()
    }

    /// The error.
    #[track_caller]
    pub fn fails(&mut self, method: &str, params: Value) -> Value {
        let mut answer = self.begin(method, params).wait();
        assert!(answer.get("error").is_some(), "{method}: {answer}");
        answer["error"].take()
    }

    /// Bytes as they are.
    pub fn send_raw(&self, bytes: &[u8]) {
        if let Some(input) = &mut *self.shared.input.lock().unwrap() {
            let _ = input.write_all(bytes).and_then(|()| input.flush());
        }
    }

    pub fn close_input(&self) {
        self.shared.input.lock().unwrap().take();
    }

    /// Notifications so far.
    pub fn told(&self, method: &str) -> Vec<Value> {
        let told = self.shared.told.lock().unwrap();
        told.iter().filter(|message| message["method"] == method).map(|it| it["params"].clone()).collect()
    }

    /// Waits for a notification that `is_it`.
    #[track_caller]
    pub fn hears(&self, method: &str, is_it: impl Fn(&Value) -> bool) -> Value {
        let end = Instant::now() + LONG;
        let mut told = self.shared.told.lock().unwrap();
        loop {
            let found = told.iter().find(|message| message["method"] == method && is_it(&message["params"]));
            if let Some(found) = found {
                return found["params"].clone();
            }
            let left = end.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "{method} was not told: {told:#?}");
            told = self.shared.heard.wait_timeout(told, left).unwrap().0;
        }
    }

    pub fn open_document(&self, path: &Path, text: &str) -> String {
        let uri = uri(path);
        let document = json!({ "uri": uri, "languageId": "rust", "version": 1, "text": text });
        self.tell("textDocument/didOpen", json!({ "textDocument": document }));
        uri
    }

    /// Shuts it down as the protocol has it.
    #[track_caller]
    pub fn ends(mut self) -> ExitStatus {
        assert_eq!(self.ask("shutdown", Value::Null), Value::Null);
        self.tell("exit", Value::Null);
        self.exit()
    }

    /// Waits for its end.
    #[track_caller]
    pub fn exit(mut self) -> ExitStatus {
        let end = Instant::now() + LONG;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(Instant::now() < end, "the server does not end");
            std::thread::park_timeout(Duration::from_millis(5));
        }
    }

    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        self.kill();
    }
}

impl Shared {
    fn send(&self, message: &Value) {
        let body = message.to_string();
        if let Some(input) = &mut *self.input.lock().unwrap() {
            let sent = write!(input, "Content-Length: {}\r\n\r\n{body}", body.len());
            let _is_gone = sent.and_then(|()| input.flush());
        }
    }
}

fn read(mut output: impl BufRead, shared: &Arc<Shared>) {
    while let Some(message) = next(&mut output) {
        match (message.get("method").is_some(), message["id"].as_i64()) {
            // Ids of requests may be texts.
            (true, _) if message.get("id").is_some() => {
                let (shared, handler) = (Arc::clone(shared), Arc::clone(&*shared.handler.lock().unwrap()));
                std::thread::spawn(move || answer(&shared, &*handler, &message));
            }
            (true, _) => {
                shared.told.lock().unwrap().push(message);
                shared.heard.notify_all();
            }
            (false, Some(id)) => {
                if let Some(waiting) = shared.waiting.lock().unwrap().remove(&id) {
                    let _ = waiting.send(message);
                }
            }
            (false, None) => {}
        }
    }
}

fn answer(shared: &Shared, handler: &Handler, message: &Value) {
    let method = message["method"].as_str().unwrap_or_default();
    let id = message["id"].clone();
    match handler(method, &message["params"]) {
        Some(Ok(result)) => shared.send(&json!({ "jsonrpc": "2.0", "id": id, "result": result })),
        Some(Err(error)) => shared.send(&json!({ "jsonrpc": "2.0", "id": id, "error": error })),
        None => {}
    }
}

fn next(output: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if output.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim_end().split_once(": ") {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                length = value.parse().ok()?
            }
            Some(_) => {}
            None => break,
        }
    }
    let mut body = vec![0; length];
    output.read_exact(&mut body).ok()?;
    serde_json::from_slice(&body).ok()
}
