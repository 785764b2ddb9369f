//! A language server that does as it is told, faults included: a test double that speaks real frames over real streams. It is the test
//! binary itself, started again with a variable that names the script, so that no other program is needed.

use std::ffi::OsString;
use std::fs::File;
use std::io::{BufRead, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use lsp_server::{Message, Notification, Request, RequestId, Response};
use serde_json::{Value, json};

/// Names the script; the folder is where the double writes down what happened to it.
pub const SCRIPT: &str = "DOUBLE_SCRIPT";
const FOLDER: &str = "DOUBLE_FOLDER";

/// The text that every answer of the double is about.
pub const TEXT: &str = "pub fn total() {}\nfn caller() { total() }\n";

/// The harness of the tests writes to the standard output: the double's frames leave by another way to the same pipe.
const SHELL: &str = "exec \"$0\" \"$@\" 3>&1 1>/dev/null";
/// The same, deaf to signals, and with a child that holds every stream open.
const STUBBORN_SHELL: &str = "trap '' TERM INT HUP; sleep 1000 & exec \"$0\" \"$@\" 3>&1 1>/dev/null";

/// The command that starts a double; `test` is the test that calls [`serve`].
pub fn command(script: &str, test: &str) -> Vec<OsString> {
    let shell = if script.starts_with("stubborn") { STUBBORN_SHELL } else { SHELL };
    let executable = std::env::current_exe().unwrap();
    let arguments = ["--exact", test, "--nocapture", "--test-threads=1"];
    let mut command: Vec<OsString> = ["/bin/sh", "-c", shell].map(OsString::from).to_vec();
    command.push(executable.into_os_string());
    command.extend(arguments.map(OsString::from));
    command
}

pub fn environment(script: &str, folder: &Path) -> Vec<(OsString, Option<OsString>)> {
    vec![(SCRIPT.into(), Some(script.into())), (FOLDER.into(), Some(folder.into()))]
}

/// The process numbers of the lives that a double in this folder had.
pub fn lives(folder: &Path) -> Vec<u32> {
    let pids = std::fs::read_to_string(folder.join("pids")).unwrap_or_default();
    pids.lines().filter_map(|pid| pid.parse().ok()).collect()
}

/// What a double in this folder wrote down under a name.
pub fn written(folder: &Path, name: &str) -> Vec<String> {
    let text = std::fs::read_to_string(folder.join(name)).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

struct Double {
    script: String,
    folder: PathBuf,
    out: File,
    life: usize,
    /// How often a definition was asked for.
    asked: usize,
    /// The last unanswered question.
    open: Option<RequestId>,
}

/// Serves by the script that the environment names; returns at once where it names none.
pub fn serve() {
    let Ok(script) = std::env::var(SCRIPT) else { return };
    let folder = PathBuf::from(std::env::var_os(FOLDER).unwrap());
    let mut pids = File::options().append(true).create(true).open(folder.join("pids")).unwrap();
    writeln!(pids, "{}", std::process::id()).unwrap();
    let out = File::options().write(true).open("/dev/fd/3").unwrap();
    let life = lives(&folder).len();
    Double { script, folder, out, life, asked: 0, open: None }.run();
}

#[expect(clippy::disallowed_methods, reason = "a server that ends as servers end")]
fn exit(code: i32) -> ! {
    std::process::exit(code)
}

#[expect(clippy::disallowed_methods, reason = "a server that does nothing for a time")]
fn sleep(time: Duration) {
    std::thread::sleep(time);
}

fn hang() -> ! {
    loop {
        sleep(Duration::from_secs(1000));
    }
}

impl Double {
    fn run(mut self) {
        if self.script == "exits" {
            eprintln!("\n  cannot open shared object file\n");
            exit(3);
        }
        let mut input = std::io::stdin().lock();
        loop {
            match Message::read(&mut input) {
                Ok(Some(Message::Request(request))) => self.request(request, &mut input),
                Ok(Some(Message::Notification(told))) => self.told(told),
                Ok(Some(Message::Response(response))) => {
                    let answer = serde_json::to_string(&response).unwrap();
                    self.write_down("responses", &answer);
                }
                Ok(None) | Err(_) if self.script.starts_with("stubborn") => hang(),
                Ok(None) | Err(_) => exit(0),
            }
        }
    }

    fn request(&mut self, request: Request, input: &mut impl BufRead) {
        match request.method.as_str() {
            "initialize" => self.initialize(request.id),
            "workspace/symbol" => self.symbol(&request),
            "textDocument/definition" => {
                self.asked += 1;
                self.definition(request.id, input);
            }
            "shutdown" if self.script.starts_with("stubborn") => {}
            "shutdown" => {
                self.write_down("shutdown", "asked");
                self.answer(request.id, Value::Null);
            }
            _ => self.send(Response::new_err(request.id, -32601, "what?".to_owned())),
        }
    }

    fn told(&mut self, told: Notification) {
        self.write_down("told", &told.method);
        match (self.script.as_str(), told.method.as_str()) {
            ("never_loads", "initialized") => self.status(false, "ok", None),
            ("is_unwell", "initialized") => self.status(true, "error", Some("Failed to load\nworkspaces.")),
            (_, "initialized") => {
                self.progress(json!({ "kind": "begin", "title": "Indexing", "percentage": 0 }));
                self.progress(json!({ "kind": "report", "message": "serde", "percentage": 45 }));
                self.status(true, "ok", None);
            }
            ("hangs", "$/cancelRequest") => self.write_down("cancelled", &told.params["id"].to_string()),
            (script, "exit") if !script.starts_with("stubborn") => exit(0),
            _ => {}
        }
    }

    fn initialize(&mut self, id: RequestId) {
        match self.script.as_str() {
            "exits_at_initialize" => {
                eprintln!("no memory is left");
                exit(7)
            }
            "breaks_off_at_initialize" => {
                self.raw(b"Content-Length: 100\r\n\r\n{\"jsonrpc\":");
                exit(0)
            }
            "hangs_at_initialize" | "stubborn_at_initialize" => hang(),
            "refuses_initialize" => {
                return self.send(Response::new_err(id, -32603, "no workspace here".to_owned()));
            }
            "counts_in_utf_32" => {
                return self.answer(id, json!({ "capabilities": { "positionEncoding": "utf-32" } }));
            }
            _ => {}
        }
        self.answer(
            id,
            json!({
                "capabilities": {
                    "positionEncoding": "utf-8",
                    "workspaceSymbolProvider": true,
                    "definitionProvider": true,
                    "referencesProvider": false,
                    "strangeProvider": [[{ "x": null }]],
                },
                "serverInfo": { "name": "double", "version": "1.95.0" },
            }),
        );
    }

    fn symbol(&mut self, request: &Request) {
        let is_known = request.params["query"] == "total" && self.script != "knows_nothing";
        let symbol = json!({ "name": "total", "kind": 12, "location": self.location(0, 7, 0, 12) });
        self.answer(request.id.clone(), if is_known { json!([symbol]) } else { json!([]) });
    }

    fn definition(&mut self, id: RequestId, input: &mut impl BufRead) {
        let good = json!([self.location(0, 7, 0, 12)]);
        match self.script.as_str() {
            "breaks_off" => {
                self.raw(b"Content-Length: 100\r\n\r\n{\"jsonrpc\":");
                exit(0)
            }
            "crashes_once" if self.life == 1 => {
                eprintln!("thread 'main' panicked");
                exit(101)
            }
            "stubborn_but_crashes" if self.life == 1 => exit(101),
            "hangs" | "stubborn" => {}
            "stops_reading" => hang(),
            "talks_garbage" => {
                self.raw(&b"lorem ipsum\r\n\r\n".repeat(100));
            }
            "talks_no_json" => self.raw(b"Content-Length: 5\r\n\r\n{\"a\":"),
            "answers_with_wrong_ids" => {
                for wrong in [RequestId::from(99_999), RequestId::from(-1), RequestId::from("x".to_owned())] {
                    self.answer(wrong, json!([self.location(1, 0, 1, 2)]));
                }
                self.answer(id, good);
            }
            "answers_twice" => {
                self.answer(id.clone(), good);
                self.answer(id, json!([self.location(1, 0, 1, 2)]));
            }
            "answers_late" if self.asked == 1 => {
                sleep(Duration::from_millis(400));
                self.answer(id, json!([self.location(1, 0, 1, 2)]));
            }
            "answers_with_200_mb" => {
                self.raw(b"Content-Length: 209715200\r\n\r\n");
                let block = vec![b' '; 1 << 20];
                (0..200).for_each(|_| self.raw(&block));
            }
            "floods" => self.flood(id, good),
            "asks_back" => self.ask_back(id, good, input),
            "points_nowhere" => self.answer(id, self.nowhere()),
            "answers_in_another_shape" => self.answer(id, json!({ "definitely": 7 })),
            "changes_its_mind" if self.asked <= 2 => {
                let code = if self.asked == 1 { -32801 } else { -32802 };
                self.send(Response::new_err(id, code, "content modified".to_owned()));
            }
            "never_makes_up_its_mind" => self.send(Response::new_err(id, -32801, String::new())),
            "fails_a_question" => {
                self.send(Response::new_err(id, -32603, "request handler panicked".to_owned()));
            }
            "loads_again" if self.asked == 1 => {
                self.status(false, "ok", None);
                self.answer(id, good);
                sleep(Duration::from_millis(300));
                self.status(true, "ok", None);
            }
            "answers_in_reverse" => match self.open.take() {
                Some(first) => {
                    self.answer(id, json!([self.location(1, 0, 1, 2)]));
                    self.answer(first, good);
                }
                None => self.open = Some(id),
            },
            _ => self.answer(id, good),
        }
    }

    fn flood(&mut self, id: RequestId, good: Value) {
        for number in 0..50_000 {
            self.send(Notification {
                method: "window/logMessage".to_owned(),
                params: json!({ "type": 3, "message": "x".repeat(200) }),
            });
            self.send(Notification {
                method: "$/progress".to_owned(),
                params: json!({ "token": number, "value": { "kind": "begin", "title": "x".repeat(200) } }),
            });
        }
        self.answer(id, good);
    }

    /// Asks what a client must answer and what no client knows; answers in turn once everything was answered.
    fn ask_back(&mut self, id: RequestId, good: Value, input: &mut impl BufRead) {
        let methods = [
            ("workspace/configuration", json!({ "items": [{ "section": "rust-analyzer" }] })),
            ("client/registerCapability", json!({ "registrations": [] })),
            ("window/workDoneProgress/create", json!({ "token": "t" })),
            ("window/showMessageRequest", json!({ "type": 1, "message": "?", "actions": [] })),
            ("workspace/applyEdit", json!({ "edit": {} })),
            ("workspace/none", json!([1, 2, 3])),
            ("", Value::Null),
        ];
        let count = methods.len();
        for (number, (method, params)) in methods.into_iter().enumerate() {
            let id = RequestId::from(format!("back{number}"));
            self.send(Request { id, method: method.to_owned(), params });
        }
        for _ in 0..count {
            let Ok(Some(Message::Response(response))) = Message::read(input) else { exit(1) };
            let answer = match response.response_result {
                Ok(answer) if answer.is_array() => "array".to_owned(),
                Ok(answer) => answer.to_string(),
                Err(error) => error.code.to_string(),
            };
            self.write_down("answers", &answer);
        }
        self.answer(id, good);
    }

    /// One good place among many that are none.
    fn nowhere(&self) -> Value {
        let far = u32::MAX;
        let mut places = vec![
            self.location(0, 7, 0, 12),
            self.location(0, 7, 0, 99),
            self.location(0, 12, 0, 7),
            self.location(1, 0, 0, 0),
            self.location(far, far, far, far),
            self.location(0, 0, far, 0),
            self.location(2, 1, 2, 2),
        ];
        for uri in
            ["untitled:Untitled-1", "http://localhost/a", "file:///", "file:", "a", "file:///%2e%2e/%00"]
        {
            places.push(json!({ "uri": uri, "range": self.location(0, 7, 0, 12)["range"] }));
        }
        Value::Array(places)
    }

    fn location(&self, line: u32, column: u32, end_line: u32, end_column: u32) -> Value {
        let path = self.folder.join("src/lib.rs");
        json!({
            "uri": format!("file://{}", path.display()),
            "range": {
                "start": { "line": line, "character": column },
                "end": { "line": end_line, "character": end_column },
            },
        })
    }

    fn status(&mut self, is_quiescent: bool, health: &str, message: Option<&str>) {
        let params = json!({ "health": health, "quiescent": is_quiescent, "message": message });
        self.send(Notification { method: "experimental/serverStatus".to_owned(), params });
    }

    fn progress(&mut self, value: Value) {
        let params = json!({ "token": "indexing", "value": value });
        self.send(Notification { method: "$/progress".to_owned(), params });
    }

    fn answer(&mut self, id: RequestId, result: Value) {
        self.send(Response { id, response_result: Ok(result) });
    }

    /// A client that does not listen any more is the end.
    fn send(&mut self, message: impl Into<Message>) {
        if message.into().write(&mut self.out).is_err() && !self.script.starts_with("stubborn") {
            exit(0);
        }
    }

    fn raw(&mut self, bytes: &[u8]) {
        if self.out.write_all(bytes).is_err() {
            exit(0);
        }
    }

    fn write_down(&self, name: &str, line: &str) {
        let mut file = File::options().append(true).create(true).open(self.folder.join(name)).unwrap();
        writeln!(file, "{line}").unwrap();
    }
}

/// The processes of a group that still run.
#[cfg(target_os = "linux")]
pub fn processes_of(group: u32) -> Vec<u32> {
    processes().into_iter().filter(|pid| group_of(*pid) == Some(group)).collect()
}

/// All processes that run: those that have ended and wait for their parents do not.
#[cfg(target_os = "linux")]
pub fn processes() -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter(|pid| stat(*pid).is_some_and(|(state, _)| state != "Z")).collect()
}

/// The group of a process.
#[cfg(target_os = "linux")]
pub fn group_of(pid: u32) -> Option<u32> {
    stat(pid).map(|(_, group)| group)
}

/// State and group of a process.
#[cfg(target_os = "linux")]
fn stat(pid: u32) -> Option<(String, u32)> {
    let mut stat = String::new();
    File::open(format!("/proc/{pid}/stat")).ok()?.read_to_string(&mut stat).ok()?;
    // The second field is a name in brackets, which may hold anything.
    let mut fields = stat.get(stat.rfind(')')? + 1..)?.split_whitespace();
    let state = fields.next()?.to_owned();
    Some((state, fields.nth(1)?.parse().ok()?))
}
