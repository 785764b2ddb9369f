//! What the end-to-end tests share: small workspaces written as one text, the real program in a bare environment,
//! and what every run must hold whatever it was asked: no panic, nothing left behind.

#![allow(dead_code, reason = "each test crate that includes this uses its own part")]

pub mod encoder;
pub mod http;
pub mod ollama;
pub mod providers;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use assert_cmd::Command as Asserted;
use tempfile::TempDir;

/// No run may take longer, even unoptimised on a busy machine: one that does hangs.
const LONGEST_RUN: Duration = Duration::from_secs(60);

/// A small crate in which a login can be found.
pub const SHOP: &str = r#"
//- /Cargo.toml
[package]
name = "shop"
version = "0.1.0"
edition = "2024"
//- /src/lib.rs
//! A shop.
pub mod basket;
pub mod login;
pub mod stock;
//- /src/login.rs
//! Signing in.

/// Signs a customer in.
pub fn login(name: &str) -> bool {
    check_password(name)
}

fn check_password(name: &str) -> bool {
    !name.is_empty()
}
//- /src/basket.rs
//! What somebody buys.

pub struct Basket {
    pub items: Vec<String>,
}

impl Basket {
    /// Puts an item in.
    pub fn put(&mut self, item: String) {
        self.items.push(item);
    }
}
//- /src/stock.rs
//! What lies on the shelves.

pub struct Shelf(pub u32);
"#;

/// A folder with a workspace `ws`, a home in which nothing is set, and a folder for temporary files.
pub struct Sandbox {
    folder: TempDir,
}

/// What a run gave.
#[derive(Debug)]
pub struct Run {
    /// -1 where a signal ended it.
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
    pub took: Duration,
}

impl Sandbox {
    /// A workspace of the files of `fixture`: each begins with a line `//- /its/path`.
    pub fn new(fixture: &str) -> Sandbox {
        let sandbox = Sandbox { folder: TempDir::new().unwrap() };
        for folder in ["ws", "home", "tmp"] {
            std::fs::create_dir(sandbox.path(folder)).unwrap();
        }
        sandbox.write_all(fixture);
        sandbox
    }

    /// Writes the files of `fixture` into the workspace.
    pub fn write_all(&self, fixture: &str) {
        for (path, text) in files(fixture) {
            self.write(&path, text);
        }
    }

    /// A path in the sandbox: `home/.config`.
    pub fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    /// A path in the workspace.
    pub fn ws(&self, path: &str) -> PathBuf {
        self.path("ws").join(path)
    }

    /// Writes a file of the workspace; its folders are made.
    pub fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        self.put(&format!("ws/{path}"), content);
    }

    /// Writes a file of the sandbox.
    pub fn put(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    /// The program in the workspace's folder, with nothing of this machine's environment but `PATH`.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_dossier"));
        command.args(arguments).current_dir(self.path("ws")).env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("HOME", self.path("home")).env("TMPDIR", self.path("tmp"));
        // A daemon would outlive the test.
        command.env("DOSSIER_DAEMON", "false");
        // Windows programs do not start without it.
        command.envs(std::env::var_os("SystemRoot").map(|root| ("SystemRoot", root)));
        command
    }

    #[track_caller]
    pub fn run(&self, arguments: &[&str]) -> Run {
        self.finish(self.command(arguments), Vec::new())
    }

    #[track_caller]
    pub fn run_with_input(&self, arguments: &[&str], input: impl Into<Vec<u8>>) -> Run {
        self.finish(self.command(arguments), input.into())
    }

    #[track_caller]
    pub fn run_with_variable(&self, arguments: &[&str], name: &str, value: &str) -> Run {
        let mut command = self.command(arguments);
        command.env(name, value);
        self.finish(command, Vec::new())
    }

    /// Runs to the end and checks what holds for every run. The workspace may be changing meanwhile: what is left
    /// behind is looked for in the home and among the temporary files.
    #[track_caller]
    pub fn finish(&self, command: Command, input: Vec<u8>) -> Run {
        let before = self.left_behind();
        let start = Instant::now();
        let output = Asserted::from_std(command).write_stdin(input).timeout(LONGEST_RUN).output().unwrap();
        let took = start.elapsed();
        let text = |bytes: Vec<u8>| self.nameless(&String::from_utf8(bytes).expect("all output is UTF-8"));
        let (stdout, stderr) = (text(output.stdout), text(output.stderr));
        let run = Run { code: output.status.code().unwrap_or(-1), stdout, stderr, took };
        assert!(!run.stderr.contains("panicked") && run.code != -1, "{:?}: {}", output.status, run.stderr);
        assert_eq!(self.left_behind(), before, "the run left something behind");
        run
    }

    /// Runs with standard output closed before anything is written.
    #[track_caller]
    pub fn run_unread(&self, arguments: &[&str]) -> Run {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let start = Instant::now();
        let mut command = self.command(arguments);
        let output = command.stdin(Stdio::null()).stdout(writer).stderr(Stdio::piped()).output().unwrap();
        let stderr = self.nameless(&String::from_utf8(output.stderr).unwrap());
        assert!(!stderr.contains("panicked"), "{stderr}");
        Run { code: output.status.code().unwrap_or(-1), stdout: String::new(), stderr, took: start.elapsed() }
    }

    /// Every path below the home, but for the index, and the folder of temporary files.
    fn left_behind(&self) -> BTreeSet<PathBuf> {
        let mut found = BTreeSet::new();
        list(&self.path("home"), &mut found);
        list(&self.path("tmp"), &mut found);
        let index = self.path("home/.cache/dossier/index");
        found.retain(|path| !path.starts_with(&index) && !index.starts_with(path));
        found
    }

    /// The sandbox's own path, which is another in each run, as `SANDBOX`.
    fn nameless(&self, text: &str) -> String {
        let real = self.folder.path().canonicalize().unwrap();
        let replaced = text.replace(&real.display().to_string(), "SANDBOX");
        replaced.replace(&self.folder.path().display().to_string(), "SANDBOX")
    }

    /// Git in the workspace.
    pub fn git(&self, arguments: &[&str]) -> String {
        git(&self.path("ws"), arguments)
    }

    /// Git in the workspace, with something on standard input.
    pub fn git_with_input(&self, arguments: &[&str], input: &str) {
        let mut command = Command::new("git");
        command.current_dir(self.path("ws")).args(arguments).env("GIT_CONFIG_GLOBAL", "/dev/null");
        Asserted::from_std(command).write_stdin(input).assert().success();
    }

    /// Adds all that changed, and commits it; gives the commit's id.
    pub fn commit(&self, message: &str) -> String {
        self.git(&["add", "--all", "--force"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message", message]);
        self.git(&["rev-parse", "HEAD"])
    }
}

impl Run {
    /// It ended with this code, and standard error says each of these.
    #[track_caller]
    pub fn ends(&self, code: i32, said: &[&str]) -> &Run {
        assert_eq!(self.code, code, "stdout: {}\nstderr: {}", self.stdout, self.stderr);
        for part in said {
            assert!(self.stderr.contains(part), "{part:?} is not in: {}", self.stderr);
        }
        self
    }

    /// It was answered, and the answer has each of these.
    #[track_caller]
    pub fn shows(&self, parts: &[&str]) -> &Run {
        assert_eq!(self.code, 0, "stdout: {}\nstderr: {}", self.stdout, self.stderr);
        for part in parts {
            assert!(self.stdout.contains(part), "{part:?} is not in: {}", self.stdout);
        }
        self
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {}", self.stdout))
    }
}

/// The files of a fixture: path and text.
fn files(fixture: &str) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = Vec::new();
    for line in fixture.split_inclusive('\n') {
        if let Some(path) = line.strip_prefix("//- /") {
            files.push((path.trim().to_owned(), String::new()));
        } else if let Some((_, text)) = files.last_mut() {
            text.push_str(line);
        } else {
            assert!(line.trim().is_empty(), "a fixture begins with `//- /path`: {line}");
        }
    }
    files
}

fn list(folder: &Path, found: &mut BTreeSet<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            list(&entry.path(), found);
        }
        found.insert(entry.path());
    }
}

/// Runs git with no settings but its own.
#[track_caller]
pub fn git(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .current_dir(folder)
        .args(arguments)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .envs([("GIT_AUTHOR_NAME", "a"), ("GIT_AUTHOR_EMAIL", "a@example.org")])
        .envs([("GIT_COMMITTER_NAME", "c"), ("GIT_COMMITTER_EMAIL", "c@example.org")])
        .envs([("GIT_AUTHOR_DATE", "2024-01-02T03:04:05Z"), ("GIT_COMMITTER_DATE", "2024-01-02T03:04:06Z")])
        .output()
        .unwrap();
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}
