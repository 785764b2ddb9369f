//! A server's process: its streams, its last words, its end.

use std::io::{self, Read};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::group::Group;
use super::server::Launch;
use crate::rpc::{lock, spawn_thread};

/// How often a child is looked at whose end is waited for.
const STEP: Duration = Duration::from_millis(10);

/// A killed process is gone at once, unless the system itself holds it; then it is left to the system.
const REAP_LIMIT: Duration = Duration::from_millis(500);

/// Where systems say that temporary files go.
const TEMPORARY: [&str; 3] = ["TMPDIR", "TEMP", "TMP"];
const SCRATCH: &str = "dossier-";

/// What is kept of the end of the standard error.
const WORDS_BYTES: usize = 4096;
const WORDS_LINES: usize = 5;

/// How long the last words may follow the end of the process.
const WORDS_LIMIT: Duration = Duration::from_millis(200);

/// A running server; dropping it kills its group.
pub(super) struct Process {
    child: Child,
    group: Group,
    words: Words,
    /// Its folder for temporary files, as a killed server leaves some (rust-analyzer a copy of the lock file).
    _scratch: TempDir,
}

/// The two streams of the protocol.
pub(super) struct Streams {
    pub(super) stdin: ChildStdin,
    pub(super) stdout: ChildStdout,
}

impl Process {
    /// Starts the program of a launch in its root.
    pub(super) fn start(launch: &Launch) -> io::Result<(Process, Streams)> {
        let (program, arguments) = launch
            .command
            .split_first()
            .ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "no program is named"))?;
        let scratch = tempfile::Builder::new().prefix(SCRATCH).tempdir()?;
        let mut command = Command::new(program);
        command.args(arguments).current_dir(&launch.root);
        command.envs(TEMPORARY.map(|variable| (variable, scratch.path())));
        for (name, value) in &launch.environment {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let (mut child, group) = Group::spawn(&mut command, scratch.path())?;
        let streams = child.stdin.take().zip(child.stdout.take());
        let words = Words::of(child.stderr.take());
        let process = Process { child, group, words, _scratch: scratch };
        let (stdin, stdout) = streams.ok_or(io::ErrorKind::BrokenPipe)?;
        Ok((process, Streams { stdin, stdout }))
    }

    /// The exit status, if it comes before `limit` has passed.
    pub(super) fn wait(&mut self, limit: Duration) -> Option<ExitStatus> {
        let end = Instant::now() + limit;
        loop {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Some(status);
            }
            if Instant::now() >= end {
                return None;
            }
            std::thread::park_timeout(STEP);
        }
    }

    /// The last lines of its standard error.
    pub(super) fn last_words(&self) -> String {
        self.words.last()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.group.kill();
        // Where there are no groups, and where the guard did not start.
        let _ = self.child.kill();
        self.wait(REAP_LIMIT);
    }
}

/// The end of a standard error, read by a thread that ends with it.
struct Words {
    tail: Arc<Mutex<Vec<u8>>>,
    end: Option<Receiver<()>>,
}

impl Words {
    fn of(stderr: Option<ChildStderr>) -> Words {
        let tail = Arc::default();
        let (done, end) = channel();
        let kept = Arc::clone(&tail);
        let started = stderr.is_some_and(|stderr| {
            spawn_thread("language server's errors", move || {
                drain(stderr, &kept);
                drop(done);
            })
        });
        Words { tail, end: started.then_some(end) }
    }

    fn last(&self) -> String {
        if let Some(end) = &self.end {
            let _ = end.recv_timeout(WORDS_LIMIT);
        }
        let tail = lock(&self.tail);
        let text = String::from_utf8_lossy(&tail);
        let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let skipped = lines.len().saturating_sub(WORDS_LINES);
        lines.into_iter().skip(skipped).collect::<Vec<_>>().join("\n")
    }
}

fn drain(mut stderr: ChildStderr, tail: &Mutex<Vec<u8>>) {
    let mut buffer = [0; WORDS_BYTES];
    loop {
        match stderr.read(&mut buffer) {
            Ok(0) => return,
            Ok(read) => {
                let mut tail = lock(tail);
                tail.extend_from_slice(buffer.get(..read).unwrap_or_default());
                let surplus = tail.len().saturating_sub(WORDS_BYTES);
                tail.drain(..surplus);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}
