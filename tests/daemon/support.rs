//! A sandbox whose commands use a daemon, which ends with it; and the wire, spoken by hand.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::Sandbox;

/// What takes longer hangs.
pub const LONG: Duration = Duration::from_secs(30);
/// The code of a setup that the system does not allow.
const NOT_APART: i32 = 99;

pub const CODE: &str = "\
//- /Cargo.toml
[package]
name = \"shop\"
version = \"0.1.0\"
edition = \"2024\"
//- /src/lib.rs
//! A shop.
pub mod pay;
pub mod stock;
pub struct Basket { pub items: Vec<u32> }
//- /src/pay.rs
use crate::Basket;
impl Basket {
    /// What all of it costs.
    pub fn pay(&self) -> u32 { self.items.iter().sum() }
}
//- /src/stock.rs
/// Counts what is left on the shelf.
pub fn shelf_count() -> u32 { 3 }
";

pub struct Daemon {
    pub sandbox: Sandbox,
}

impl Daemon {
    /// No daemon runs yet.
    pub fn sandbox() -> Daemon {
        Daemon { sandbox: Sandbox::new(CODE) }
    }

    /// One runs.
    #[track_caller]
    pub fn started() -> Daemon {
        let daemon = Daemon::sandbox();
        daemon.run(&["daemon", "start"]).shows("");
        daemon
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.sandbox.command(arguments);
        command.env_remove("DOSSIER_DAEMON");
        // No test here waits for a server unless it says so.
        command.env("DOSSIER_LSP", "false");
        command
    }

    #[track_caller]
    pub fn run(&self, arguments: &[&str]) -> Ran {
        Ran::of(self.command(arguments).output().unwrap())
    }

    /// A command in namespaces of its own, where `setup` (for `sh`) has changed what the system gives: mounts, limits.
    pub fn apart(&self, setup: &str, arguments: &[&str]) -> Command {
        let script = format!("{{ {setup}; }} || exit {NOT_APART}; exec \"$@\"");
        let prefix = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", &script, "sh"];
        self.prefixed(&prefix, arguments)
    }

    /// Starts a daemon so. Where the system gives no namespaces, or does not allow the setup, it says so, and `false`.
    #[track_caller]
    pub fn starts_apart(&self, setup: &str) -> bool {
        let output = self.apart(setup, &["daemon", "start"]).output();
        let started = output.map(Ran::of);
        match started {
            Ok(ran) if ran.code == 0 => true,
            Ok(ran) if ran.stderr.contains("dossier:") => panic!("{ran:?}"),
            other => {
                eprintln!("not tested, as the system does not give it: {setup}: {other:?}");
                false
            }
        }
    }

    /// A command that sees the disk as the daemon does that was started apart.
    #[track_caller]
    pub fn run_beside(&self, arguments: &[&str]) -> Ran {
        let process = self.process().to_string();
        let root = self.sandbox.path("ws");
        let enter = ["nsenter", "--preserve-credentials", "--user", "--mount", "--target", &process];
        let there = [&enter[..], &["env", "--chdir", root.to_str().unwrap()]].concat();
        Ran::of(self.prefixed(&there, arguments).output().unwrap())
    }

    /// The command as the last arguments of another.
    fn prefixed(&self, prefix: &[&str], arguments: &[&str]) -> Command {
        let own = self.command(arguments);
        let mut command = Command::new(prefix[0]);
        command.args(&prefix[1..]).arg(own.get_program()).args(own.get_args());
        command.current_dir(own.get_current_dir().unwrap()).env_clear();
        command.envs(own.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command
    }

    pub fn folder(&self) -> PathBuf {
        self.sandbox.path("home/.cache/dossier/daemon")
    }

    pub fn socket(&self) -> PathBuf {
        self.folder().join("socket")
    }

    #[track_caller]
    pub fn status(&self) -> Value {
        let ran = self.run(&["daemon", "status", "--json"]);
        serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran:?}"))
    }

    #[track_caller]
    pub fn process(&self) -> u32 {
        self.status()["process"].as_u64().unwrap() as u32
    }

    /// Waits until a daemon answers.
    #[track_caller]
    pub fn is_there(&self) -> &Daemon {
        until("a daemon answers", || self.run(&["daemon", "status"]).code == 0);
        self
    }

    pub fn wire(&self) -> Wire {
        let stream = UnixStream::connect(self.socket()).unwrap();
        stream.set_read_timeout(Some(LONG)).unwrap();
        Wire { input: BufReader::new(stream.try_clone().unwrap()), stream, last: 0 }
    }

    /// The parameters of a task.
    pub fn task(&self, query: &str) -> Value {
        json!({ "workspace": self.sandbox.path("ws"), "query": query, "lsp": { "ask": false } })
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.command(&["daemon", "stop"]).output();
    }
}

#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Ran {
    pub fn of(output: Output) -> Ran {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        let ran = Ran {
            code: output.status.code().unwrap_or(-1),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        };
        assert!(!ran.stderr.contains("panicked"), "{ran:?}");
        ran
    }

    #[track_caller]
    pub fn shows(&self, part: &str) -> &Ran {
        assert!(self.code == 0 && self.stdout.contains(part), "{part:?} is not in {self:?}");
        self
    }

    #[track_caller]
    pub fn ends(&self, code: i32, said: &str) -> &Ran {
        assert!(self.code == code && self.stderr.contains(said), "{code}, {said:?}: {self:?}");
        self
    }
}

/// A client that can be rude.
pub struct Wire {
    stream: UnixStream,
    input: BufReader<UnixStream>,
    last: i64,
}

impl Wire {
    pub fn raw(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.stream.write_all(bytes)
    }

    pub fn send(&mut self, message: &Value) {
        let body = message.to_string();
        self.raw(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes()).unwrap();
    }

    /// Sends a request; its number.
    pub fn request(&mut self, method: &str, params: Value) -> i64 {
        self.last += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": self.last, "method": method, "params": params }));
        self.last
    }

    pub fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// The next message; `None` where the other side has gone.
    pub fn read(&mut self) -> Option<Value> {
        let mut length = None;
        loop {
            let mut line = String::new();
            if self.input.read_line(&mut line).ok()? == 0 {
                return None;
            }
            if line.trim().is_empty() {
                break;
            }
            length = line.strip_prefix("Content-Length: ").map(|it| it.trim().parse().unwrap()).or(length);
        }
        let mut body = vec![0; length?];
        self.input.read_exact(&mut body).ok()?;
        Some(serde_json::from_slice(&body).unwrap())
    }

    /// Asks and waits for that answer.
    #[track_caller]
    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params);
        let answer = self.read().expect("an answer");
        assert_eq!(answer["id"], id);
        answer
    }
}

/// Waits until something holds.
#[track_caller]
pub fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let since = Instant::now();
    while !holds() {
        assert!(since.elapsed() < LONG, "not in time: {what}");
        std::thread::park_timeout(Duration::from_millis(20));
    }
}
