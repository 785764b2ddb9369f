//! What one edit costs a workspace that is in memory: from the saved file to the workspace that knows it, as a daemon would do it,
//! with the index on disk brought up to date behind it. Works on a copy of the checkout.

use std::error::Error;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use dossier::model::{Deadline, FileId, FileKind, Role, SymbolKind};
use dossier::pipeline::{OpenOptions, Workspace};
use dossier::store::IndexFolder;
use dossier::workspace::WalkOptions;

const USAGE: &str = "cargo bench --bench edit -- [--runs N] FOLDER";
const DEFAULT_RUNS: usize = 20;
/// A switch of branches, or a formatter.
const TOUCHED: usize = 2000;
const CHANGED: usize = 50;
/// Files that were written less than two seconds ago are read again.
const SETTLED: Duration = Duration::from_millis(2_100);

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> ExitCode {
    match options().and_then(|(runs, folder)| measure(runs, &folder)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&format!("{error}\nusage: {USAGE}"));
            ExitCode::FAILURE
        }
    }
}

fn options() -> Result<(usize, PathBuf)> {
    let (mut runs, mut folder) = (DEFAULT_RUNS, None);
    let mut args = std::env::args_os().skip(1).filter(|arg| arg != "--bench");
    while let Some(arg) = args.next() {
        match arg.to_str() {
            Some("--runs") => {
                let given = args.next().and_then(|runs| runs.to_str()?.parse().ok());
                runs = given.filter(|runs| *runs > 0).ok_or("--runs takes a number above zero")?;
            }
            _ => folder = Some(PathBuf::from(arg).canonicalize()?),
        }
    }
    Ok((runs, folder.ok_or("name a workspace")?))
}

/// What is done to the files between two states.
#[derive(Clone, Copy)]
enum Edit {
    Nothing,
    Body,
    Interface,
    Many,
}

const ROWS: [(&str, Edit); 4] = [
    ("nothing changed", Edit::Nothing),
    ("one body", Edit::Body),
    ("one new function", Edit::Interface),
    ("2,000 files touched, 50 bodies", Edit::Many),
];

fn measure(runs: usize, folder: &Path) -> Result<()> {
    let (work, cache) = (tempfile::tempdir()?, tempfile::tempdir()?);
    copy(folder, work.path())?;
    wait(SETTLED);
    let index = IndexFolder::in_cache(cache.path());
    let open = OpenOptions { index: Some(&index), watch: None };
    let mut workspace = Workspace::open_with(work.path(), &WalkOptions::default(), open, &Deadline::never())?;
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    let files = workspace.snapshot.files.len();
    say(&format!("{}: {files} files, medians of {runs} runs on {cores} cores\n", folder.display()));
    say(&format!("{:32}{:>9}{:>9}{:>9}{:>9}", "edit", "ms", "worst", "work ms", "RSS MB"));
    for (name, edit) in ROWS {
        let (mut times, mut work) = (Vec::new(), Some(0.0));
        for run in 0..runs {
            // Else two states would be put down and found out at once.
            if let Some(trouble) = workspace.save() {
                return Err(trouble.text.into());
            }
            apply(&workspace, edit, run)?;
            let (start, worked) = (Instant::now(), work_ms());
            let renewed = workspace.renewed(&Deadline::never())?;
            times.push(start.elapsed().as_secs_f64() * 1e3);
            work = work_ms().zip(worked).zip(work).map(|((now, before), work)| work + now - before);
            workspace = renewed;
        }
        times.sort_by(f64::total_cmp);
        let (median, worst) = (times[times.len() / 2], times[times.len() - 1]);
        let work = shown(work.map(|work| work / runs as f64), 1);
        say(&format!("{name:32}{median:>9.1}{worst:>9.1}{work:>9}{:>9}", shown(rss_mb(), 0)));
    }
    Ok(())
}

fn apply(workspace: &Workspace, edit: Edit, run: usize) -> Result<()> {
    let sources = sources(workspace);
    // Another file each time, from the whole workspace.
    let chosen = |n: usize| sources[(n * 37) % sources.len()];
    match edit {
        Edit::Nothing => Ok(()),
        Edit::Body => edit_body(workspace, chosen(run), run),
        Edit::Interface => {
            let (path, text) = file(workspace, chosen(run));
            Ok(std::fs::write(path, format!("{text}\nfn edited_{run}() {{}}\n"))?)
        }
        Edit::Many => {
            for id in workspace.snapshot.ids().take(TOUCHED) {
                let (path, text) = file(workspace, id);
                std::fs::write(path, text)?;
            }
            (0..CHANGED.min(sources.len())).try_for_each(|n| edit_body(workspace, chosen(n), run))
        }
    }
}

/// The Rust files with a function.
fn sources(workspace: &Workspace) -> Vec<FileId> {
    let ids = workspace.snapshot.ids();
    ids.filter(|id| {
        let file = workspace.snapshot.file(*id);
        file.kind == FileKind::Rust && file.role == Role::Source && body(workspace, *id).is_some()
    })
    .collect()
}

/// Where the body of the file's first function begins.
fn body(workspace: &Workspace, id: FileId) -> Option<usize> {
    let items = &workspace.syntax[id.index()].as_ref()?.items;
    let function = items.iter().find(|item| item.kind == SymbolKind::Function && item.body.is_some())?;
    Some(function.body?.start as usize + 1)
}

fn edit_body(workspace: &Workspace, id: FileId, run: usize) -> Result<()> {
    let (path, text) = file(workspace, id);
    let at = body(workspace, id).ok_or("no function")?;
    let (before, after) = text.split_at_checked(at).ok_or("no text")?;
    Ok(std::fs::write(path, format!("{before}\n    let edited_{run} = {run};{after}"))?)
}

fn file(workspace: &Workspace, id: FileId) -> (PathBuf, &str) {
    let file = workspace.snapshot.file(id);
    (workspace.snapshot.root.join(&file.path), &file.text)
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let (kind, to) = (entry.file_type()?, to.join(entry.file_name()));
        if kind.is_dir() && entry.file_name() != "target" {
            std::fs::create_dir(&to)?;
            copy(&entry.path(), &to)?;
        } else if kind.is_file() {
            std::fs::copy(entry.path(), &to)?;
        }
    }
    Ok(())
}

fn wait(time: Duration) {
    let (_sender, never) = mpsc::channel::<()>();
    let _time_is_over = never.recv_timeout(time);
}

fn shown(value: Option<f64>, digits: usize) -> String {
    value.map_or("-".to_owned(), |value| format!("{value:.digits$}"))
}

/// The time that all cores together spent on this process, in milliseconds, as Linux tells it in ticks of ten.
fn work_ms() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The second field is a name in parentheses; user and system time are the 14th and 15th.
    let ticks = status.rsplit(')').next()?.split_whitespace().skip(11).take(2);
    let ticks: Vec<f64> = ticks.filter_map(|field| field.parse().ok()).collect();
    (ticks.len() == 2).then(|| ticks.iter().sum::<f64>() * 10.0)
}

/// What the process has in memory, as Linux tells it in kB.
fn rss_mb() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kb: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kb / 1024.0)
}

/// Whoever closed standard output does not want it.
fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}
