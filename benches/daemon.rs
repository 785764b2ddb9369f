//! What a daemon that knows the workspace needs for an answer: alone, for many clients at once, after an edit, after a branch switch, and
//! with a language server behind it. The real program, in a home of its own. See README.md beside this file.

use std::error::Error;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use dossier::daemon::{Connection, DaemonPlace, connect, wait_for};
use dossier::lsp::ServerState;
use dossier::model::Deadline;
use dossier::session::protocol::{
    Context, Lsp, Nothing, Place, Search, SearchLevel, SearchMode, SearchParams, Shutdown, Status, StatusOf,
    Task,
};
use tempfile::TempDir;

const USAGE: &str =
    "cargo bench --bench daemon -- [--served] FOLDER…   (a git repository each; it is copied)";
/// Commit messages of the repository that are asked.
const QUESTIONS: usize = 40;
const ROUNDS: usize = 5;
const RUNS: usize = 20;
const CLIENTS: usize = 8;
const REQUESTS: usize = 1000;
/// Files that get a new time, and those among them that get a new text.
const TOUCHED: usize = 2000;
const CHANGED: usize = 50;
/// So much that no language server is ended for it: what it takes is told.
const MEMORY_MB: &str = "16000";
/// The number of the question that opens the workspace, before the language server is ready.
const FIRST: usize = usize::MAX;
const LIMIT: Duration = Duration::from_secs(600);

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let is_served = args.iter().any(|arg| arg == "--served");
    let folders: Vec<PathBuf> = args.iter().filter(|arg| !arg.starts_with("--")).map(PathBuf::from).collect();
    let measured = match folders.is_empty() {
        true => Err("name a workspace".into()),
        false => folders.iter().try_for_each(|folder| measure(folder, is_served)),
    };
    match measured {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&format!("{error}\nusage: {USAGE}"));
            ExitCode::FAILURE
        }
    }
}

/// A daemon with a home of its own, and a copy of the repository that may be changed.
struct Bench {
    home: TempDir,
    root: PathBuf,
    questions: Vec<String>,
    is_served: bool,
}

impl Drop for Bench {
    fn drop(&mut self) {
        let _has_ended = self.connect().map(|daemon| daemon.ask::<Shutdown>(&Nothing {}, &limit()));
    }
}

fn measure(folder: &Path, is_served: bool) -> Result<()> {
    let bench = Bench::new(folder, is_served)?;
    say(&format!("{}: {} questions", folder.display(), bench.questions.len()));
    let start = Instant::now();
    let daemon = bench.start()?;
    bench.ask(&daemon, FIRST)?;
    row("started, opened, first answer", &[ms(start)]);
    if is_served {
        let since = Instant::now();
        bench.until_ready(&daemon)?;
        row("rust-analyzer ready", &[ms(since)]);
    }
    bench.warm(&daemon)?;
    bench.commands(&daemon)?;
    if !is_served {
        bench.edits(&daemon)?;
        bench.burst(&daemon)?;
        bench.crowd()?;
    }
    let status: Status = daemon.ask::<StatusOf>(&Nothing {}, &limit())?;
    let mb = |bytes: Option<u64>| bytes.unwrap_or(0) as f64 / 1e6;
    say(&format!(
        "  memory: daemon {:.0} MB, language server {:.0} MB",
        mb(status.memory),
        mb(status.servers_memory)
    ));
    Ok(())
}

impl Bench {
    fn new(folder: &Path, is_served: bool) -> Result<Bench> {
        let home = TempDir::new()?;
        let root = home.path().canonicalize()?.join("ws");
        let copied = Command::new("cp").arg("-r").arg(folder).arg(&root).status()?;
        if !copied.success() {
            return Err(format!("{} cannot be copied", folder.display()).into());
        }
        let questions = if is_served { focused(&root)? } else { subjects(&root)? };
        if questions.is_empty() {
            return Err(format!("{} has nothing to take questions from", folder.display()).into());
        }
        Ok(Bench { home, root, questions, is_served })
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_dossier"));
        command.args(arguments).current_dir(&self.root).env_remove("CI").env_remove("XDG_RUNTIME_DIR");
        command.env("XDG_CACHE_HOME", self.home.path()).env("XDG_STATE_HOME", self.home.path());
        command
            .env("DOSSIER_DAEMON_MEMORY", MEMORY_MB)
            .env("DOSSIER_LSP", self.is_served.to_string())
            .env("DOSSIER_PLANNER", "heuristic");
        command.stdin(Stdio::null()).stderr(Stdio::null());
        command
    }

    fn place(&self) -> Result<DaemonPlace> {
        Ok(DaemonPlace::of_user(|_| None, Some(&self.home.path().join("dossier")))?)
    }

    fn connect(&self) -> Result<Connection> {
        Ok(connect(&self.place()?)?)
    }

    fn start(&self) -> Result<Connection> {
        self.command(&["daemon", "start"]).stdout(Stdio::null()).status()?;
        Ok(wait_for(&self.place()?)?)
    }

    fn task(&self, number: usize) -> Task {
        let place = Place { workspace: self.root.clone(), index: true, ..Place::default() };
        let mut task = Task::new(place, self.questions[number % self.questions.len()].as_str());
        task.lsp = Lsp { ask: self.is_served, ..Lsp::default() };
        task
    }

    /// Milliseconds that one answer takes.
    fn ask(&self, daemon: &Connection, number: usize) -> Result<f64> {
        let task = self.task(number);
        let since = Instant::now();
        let dossier = daemon.ask::<Context>(&task, &limit())?;
        let took = ms(since);
        match dossier.language_server.state {
            ServerState::Ready => Ok(took),
            _ if !task.lsp.ask || number == FIRST => Ok(took),
            other => Err(format!("the language server is {other:?}: {:?}", dossier.notes).into()),
        }
    }

    fn until_ready(&self, daemon: &Connection) -> Result<()> {
        let mut task = self.task(0);
        task.lsp.wait_ms = LIMIT.as_millis() as u64;
        let dossier = daemon.ask::<Context>(&task, &limit())?;
        match dossier.language_server.state {
            ServerState::Ready => Ok(()),
            other => Err(format!("the language server is {other:?}: {:?}", dossier.notes).into()),
        }
    }

    fn warm(&self, daemon: &Connection) -> Result<()> {
        let round = || -> Result<Vec<f64>> {
            (0..self.questions.len()).map(|number| self.ask(daemon, number)).collect()
        };
        let first = round()?;
        let again = (1..ROUNDS).map(|_| round()).collect::<Result<Vec<_>>>()?.concat();
        row("warm, in the daemon, asked first", &first);
        row("  asked again", &again);
        row("  all", &[first, again].concat());
        Ok(())
    }

    /// The whole command against the same question asked over a connection that is there.
    fn commands(&self, daemon: &Connection) -> Result<()> {
        let (mut whole, mut more) = (Vec::new(), Vec::new());
        for number in 0..RUNS {
            let question = &self.questions[number % self.questions.len()];
            let inside = self.ask(daemon, number)?;
            let since = Instant::now();
            self.command(&["--quiet", "context", question]).stdout(Stdio::null()).status()?;
            whole.push(ms(since));
            more.push(ms(since) - inside);
        }
        row("the command", &whole);
        row("  of it beside the answer", &more);
        Ok(())
    }

    /// An edit, and at once a question: what it takes longer than the same question without.
    fn edits(&self, daemon: &Connection) -> Result<()> {
        for (name, added) in
            [("a body edited", "\n// a line more\n"), ("an item added", "\nfn dossier_bench_number() {}\n")]
        {
            let file = rust_files(&self.root)?.into_iter().nth(5).ok_or("no Rust files")?;
            let mut times = Vec::new();
            for number in 0..RUNS {
                let alone = self.ask(daemon, number)?;
                let text = added.replace("number", &number.to_string());
                fs::OpenOptions::new().append(true).open(&file)?.write_all(text.as_bytes())?;
                times.push(self.ask(daemon, number)? - alone);
            }
            row(&format!("{name}: what the next answer takes more"), &times);
        }
        Ok(())
    }

    fn burst(&self, daemon: &Connection) -> Result<()> {
        let files = rust_files(&self.root)?;
        let mut times = Vec::new();
        for round in 0..ROUNDS {
            for (number, file) in files.iter().take(TOUCHED).enumerate() {
                let mut text = fs::read_to_string(file)?;
                if number % files.len().min(TOUCHED).div_ceil(CHANGED) == 0 {
                    text.push_str(&format!("\n// round {round}\n"));
                }
                fs::write(file, text)?;
            }
            let mut task = self.task(round);
            task.fresh = true;
            let since = Instant::now();
            daemon.ask::<Context>(&task, &limit())?;
            times.push(ms(since));
        }
        row(
            &format!("{} files touched, {CHANGED} changed: the next answer", files.len().min(TOUCHED)),
            &times,
        );
        Ok(())
    }

    /// The same mixed requests by one client and by eight at once.
    fn crowd(&self) -> Result<()> {
        let one = Instant::now();
        let mut alone = self.mixed(REQUESTS / CLIENTS, 0)?;
        let one = alone.len() as f64 / one.elapsed().as_secs_f64();
        let all = Instant::now();
        let mut times = Vec::new();
        std::thread::scope(|scope| -> Result<()> {
            let clients: Vec<_> = (0..CLIENTS)
                .map(|client| {
                    scope.spawn(move || self.mixed(REQUESTS / CLIENTS, client).map_err(|it| it.to_string()))
                })
                .collect();
            for client in clients {
                times.extend(client.join().map_err(|_| "a client panicked")??);
            }
            Ok(())
        })?;
        let all = times.len() as f64 / all.elapsed().as_secs_f64();
        row("one client, mixed requests", &alone);
        row("eight clients at once", &times);
        let ratio = quantile(&mut times, 0.95) / quantile(&mut alone, 0.95);
        say(&format!(
            "  {} of {REQUESTS} answered; throughput {:.2} x ({one:.0} and {all:.0} a second), p95 {ratio:.1} x",
            times.len(),
            all / one
        ));
        Ok(())
    }

    fn mixed(&self, count: usize, client: usize) -> Result<Vec<f64>> {
        let daemon = self.connect()?;
        let mut times = Vec::new();
        for number in 0..count {
            let since = Instant::now();
            match number % 4 {
                0 => _ = daemon.ask::<StatusOf>(&Nothing {}, &limit())?,
                1 => _ = daemon.ask::<Search>(&self.search(number + client), &limit())?,
                _ => _ = self.ask(&daemon, number + client)?,
            }
            times.push(ms(since));
        }
        Ok(times)
    }

    fn search(&self, number: usize) -> SearchParams {
        let Task { place, query, .. } = self.task(number);
        let (mode, level) = (SearchMode::Hybrid, SearchLevel::File);
        SearchParams { place, query, mode, level, limit: 20, tests: None, fresh: false, time_ms: 3000 }
    }
}

/// The messages of the last commits.
fn subjects(root: &Path) -> Result<Vec<String>> {
    let log = git(root, &["log", "--no-merges", "--format=%s", "-400"])?;
    let subjects = log.lines().filter(|it| it.split_whitespace().count() >= 4).map(str::to_owned);
    Ok(subjects.take(QUESTIONS).collect())
}

/// Tasks that name an item: one of each of so many files, spread over the workspace.
fn focused(root: &Path) -> Result<Vec<String>> {
    let files = rust_files(root)?;
    let named = |file: &PathBuf| {
        let text = fs::read_to_string(file).ok()?;
        let item = |line: &str| {
            let rest = ["pub struct ", "pub trait ", "pub enum ", "pub fn "]
                .iter()
                .find_map(|kind| line.strip_prefix(kind))?;
            rest.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().map(str::to_owned)
        };
        text.lines().find_map(item).map(|name| format!("Change what `{name}` does where it fails"))
    };
    let all: Vec<String> = files.iter().filter_map(named).collect();
    Ok(all.iter().step_by((all.len() / QUESTIONS).max(1)).take(QUESTIONS).cloned().collect())
}

fn rust_files(root: &Path) -> Result<Vec<PathBuf>> {
    let listed = git(root, &["ls-files", "*.rs"])?;
    Ok(listed.lines().map(|path| root.join(path)).filter(|path| path.is_file()).collect())
}

fn git(root: &Path, arguments: &[&str]) -> Result<String> {
    let output = Command::new("git").arg("-C").arg(root).args(arguments).output()?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn limit() -> Deadline {
    Deadline::after(LIMIT)
}

fn ms(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1e3
}

fn quantile(times: &mut [f64], share: f64) -> f64 {
    times.sort_by(f64::total_cmp);
    let last = times.len().saturating_sub(1);
    times.get((last as f64 * share).round() as usize).copied().unwrap_or(f64::NAN)
}

fn row(name: &str, times: &[f64]) {
    let mut times = times.to_vec();
    let [p50, p95] = [0.5, 0.95].map(|share| quantile(&mut times, share));
    say(&format!("  {name:55} p50 {p50:8.1} ms   p95 {p95:8.1} ms   ({})", times.len()));
}

/// A reader that closes the pipe has what it wanted.
fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}
