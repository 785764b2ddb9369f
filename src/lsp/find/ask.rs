//! One short question to a program: run from a folder of no workspace, bounded in time and in what is read.

use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use crate::lsp::toolchain::NO_DOWNLOADS;
use crate::model::Deadline;

/// A program that tells its version takes 20 ms; a rustup that tidies up first takes seconds.
const LONGEST: Duration = Duration::from_secs(5);
/// Bytes that are read of each stream.
const MOST: u64 = 16 * 1024;
const PAUSE: Duration = Duration::from_millis(2);

/// What it said; bytes that are not UTF-8 are replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Answer {
    pub success: bool,
    pub stdout: String,
    pub stderr: String,
}

/// Runs it to its end.
///
/// # Errors
/// In words: it cannot be started, or did not end in time (it is ended then, with what it started).
pub(super) fn run(program: &Path, arguments: &[&str], deadline: &Deadline) -> Result<Answer, String> {
    let mut child =
        command(program, arguments).spawn().map_err(|error| format!("cannot be started: {error}"))?;
    let stdout = child.stdout.take().map(drain);
    let stderr = child.stderr.take().map(drain);
    let end = Instant::now() + deadline.remaining().unwrap_or(LONGEST).min(LONGEST);
    let Some(success) = wait(&mut child, end) else {
        end_group(&mut child);
        return Err(format!("does not answer within {} s", LONGEST.as_secs()));
    };
    match (text(stdout, end), text(stderr, end)) {
        (Some(stdout), Some(stderr)) => Ok(Answer { success, stdout, stderr }),
        _ => {
            end_group(&mut child);
            Err("leaves something behind that runs on".to_owned())
        }
    }
}

/// `None` where the stream is still open at `end`: in the hands of what the program started.
fn text(stream: Option<Receiver<Vec<u8>>>, end: Instant) -> Option<String> {
    let left = end.saturating_duration_since(Instant::now());
    let bytes = stream?.recv_timeout(left).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// From a folder that no workspace is above or around, so that no `rust-toolchain.toml` has a say; and rustup must neither
/// download nor take a toolchain from the caller's environment.
fn command(program: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(neutral_folder()).stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.env_remove("RUSTUP_TOOLCHAIN").envs(NO_DOWNLOADS);
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command
}

/// On Unix the root: anybody may write to the folder of temporary files, a toolchain file too.
fn neutral_folder() -> std::path::PathBuf {
    if cfg!(unix) { "/".into() } else { std::env::temp_dir() }
}

/// Whether it succeeded; `None` where it has not ended by `end`.
#[expect(clippy::disallowed_methods, reason = "a child cannot be waited for with an end; it ends at `end`")]
fn wait(child: &mut Child, end: Instant) -> Option<bool> {
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status.success()),
            Ok(None) if Instant::now() < end => std::thread::sleep(PAUSE),
            Ok(None) | Err(_) => return None,
        }
    }
}

/// What a stream says, from a thread that ends with the stream: whoever waits for it may give up.
fn drain(stream: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _what_was_read_counts = stream.take(MOST).read_to_end(&mut bytes);
        let _nobody_may_wait_any_more = sender.send(bytes);
    });
    receiver
}

/// Ends the program and what it started: they are one process group.
fn end_group(child: &mut Child) {
    #[cfg(unix)]
    {
        let kill = format!("kill -s KILL -- -{}", child.id());
        let _the_child_itself_is_killed_below =
            Command::new("/bin/sh").args(["-c", &kill]).stderr(Stdio::null()).status();
    }
    let _it_may_have_ended_meanwhile = child.kill();
    let _nothing_is_left_to_do = child.wait();
}
