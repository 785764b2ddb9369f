//! How long a whole `dossier context` takes, and how much memory: each run is a new process. Nothing is kept
//! from the one before but what the system caches of the files, and the index in the rows that are about it.
//!
//! No benchmark library: they measure functions inside their own process, where the tokenizer is loaded, the pool of threads
//! runs and the allocator is warm after the first round. See README.md beside this file.

use std::error::Error;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use serde_json::Value;

const DEFAULT_RUNS: usize = 11;
/// Rare enough to cost nothing, often enough for a peak that lasts: the system keeps the maximum itself.
const LOOK_EVERY: Duration = Duration::from_millis(5);
/// In the order of the answer's `timings_ms`.
const STAGES: [&str; 8] = ["walk", "syntax", "index", "history", "plan", "expand", "rank", "budget"];
/// The title of a commit, and an issue with a log and a backtrace.
const QUERIES: [(&str, &str); 2] = [
    ("title", "Show a clear error when a config file cannot be parsed"),
    ("issue", include_str!("issue.md")),
];

/// Nothing is kept; all is read and put down in an index; all is read from it.
const INDICES: [&str; 3] = ["none", "made", "kept"];

const USAGE: &str = "cargo bench --bench cold -- [--runs N] [FOLDER…]";

type Result<T> = std::result::Result<T, Box<dyn Error>>;

struct Options {
    runs: usize,
    folders: Vec<PathBuf>,
}

/// One process.
struct Run {
    wall_ms: f64,
    /// Where the system tells it.
    peak_mb: Option<f64>,
    /// By the order of `STAGES`.
    stages_ms: Vec<f64>,
}

fn main() -> ExitCode {
    match options().and_then(|options| measure_all(&options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&format!("{error}\nusage: {USAGE}"));
            ExitCode::FAILURE
        }
    }
}

fn options() -> Result<Options> {
    let mut options = Options { runs: DEFAULT_RUNS, folders: Vec::new() };
    let mut args = std::env::args_os().skip(1);
    while let Some(arg) = args.next() {
        match arg.to_str() {
            // Cargo adds it.
            Some("--bench") => {}
            Some("--runs") => {
                let runs = args.next().and_then(|runs| runs.to_str()?.parse().ok());
                options.runs = runs.filter(|runs| *runs > 0).ok_or("--runs takes a number above zero")?;
            }
            Some(flag) if flag.starts_with('-') => return Err(format!("unknown flag {flag}").into()),
            _ => options.folders.push(arg.into()),
        }
    }
    if options.folders.is_empty() {
        options.folders.push(env!("CARGO_MANIFEST_DIR").into());
    }
    Ok(options)
}

fn measure_all(options: &Options) -> Result<()> {
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    say(&format!("medians of {} runs on {cores} cores\n", options.runs));
    let cache = tempfile::tempdir()?;
    let stages: String = STAGES.iter().map(|stage| format!("{stage:>9}")).collect();
    say(&format!("{:16}{:8}{:8}{:>8}{:>8}{stages}", "folder", "query", "index", "wall ms", "peak MB"));
    for folder in &options.folders {
        for (name, query) in QUERIES {
            for index in INDICES {
                let once = || run(folder, query, index, cache.path());
                // What is to be read must have been put down.
                if index == "kept" {
                    once()?;
                }
                let runs: Vec<Run> = (0..options.runs).map(|_| once()).collect::<Result<_>>()?;
                say(&row(folder, name, index, &runs));
            }
        }
        say(&format!("{:.1} MB of index", size(cache.path()) as f64 / 1e6));
        clear(cache.path())?;
    }
    Ok(())
}

fn clear(cache: &Path) -> Result<()> {
    std::fs::remove_dir_all(cache)?;
    Ok(std::fs::create_dir(cache)?)
}

/// Bytes of all files below.
fn size(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let sizes = entries.filter_map(|entry| {
        let found = entry.metadata().ok()?;
        Some(if found.is_dir() { size(&entry.path()) } else { found.len() })
    });
    sizes.sum()
}

fn run(folder: &Path, query: &str, index: &str, cache: &Path) -> Result<Run> {
    if index == "made" {
        clear(cache)?;
    }
    let start = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_dossier"))
        .args(["--quiet", "context", "-", "--format", "json", "--workspace"])
        .arg(folder)
        .args((index == "none").then_some("--no-index"))
        .env("XDG_CACHE_HOME", cache)
        .env("DOSSIER_DAEMON", "false")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    // It fits into the pipe: nobody waits. Closed by being dropped.
    child.stdin.take().ok_or("no standard input")?.write_all(query.as_bytes())?;
    let (pid, (running, ended)) = (child.id(), mpsc::channel());
    let (output, wall, peak_mb) = std::thread::scope(|scope| {
        let watcher = scope.spawn(move || watch(pid, &ended));
        let output = child.wait_with_output();
        let wall = start.elapsed();
        drop(running);
        (output, wall, watcher.join().ok().flatten())
    });
    let answer: Value = serde_json::from_slice(&output?.stdout)
        .map_err(|error| format!("no answer for {}: {error}", folder.display()))?;
    let stage = |stage: &&str| answer["timings_ms"][*stage].as_f64().unwrap_or(f64::NAN);
    Ok(Run { wall_ms: wall.as_secs_f64() * 1e3, peak_mb, stages_ms: STAGES.iter().map(stage).collect() })
}

/// The most memory that a process had until it ended: nobody sends, the other side is dropped.
fn watch(pid: u32, ended: &Receiver<()>) -> Option<f64> {
    let mut peak = None;
    while ended.recv_timeout(LOOK_EVERY) == Err(RecvTimeoutError::Timeout) {
        peak = peak_mb(pid).or(peak);
    }
    peak
}

/// The peak of the resident set so far, as Linux tells it in kB.
fn peak_mb(pid: u32) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kb: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kb / 1024.0)
}

fn row(folder: &Path, query: &str, index: &str, runs: &[Run]) -> String {
    let name = folder.file_name().unwrap_or(folder.as_os_str()).to_string_lossy();
    let peaks: Option<Vec<f64>> = runs.iter().map(|run| run.peak_mb).collect();
    let peak = peaks.map_or("-".to_owned(), |peaks| format!("{:.0}", median(peaks)));
    let wall = median(runs.iter().map(|run| run.wall_ms).collect());
    let stages: String = (0..STAGES.len())
        .map(|stage| median(runs.iter().map(|run| run.stages_ms[stage]).collect()))
        .map(|median| format!("{median:>9.1}"))
        .collect();
    format!("{name:16}{query:8}{index:8}{wall:>8.0}{peak:>8}{stages}")
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Whoever closed standard output does not want it.
fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}
