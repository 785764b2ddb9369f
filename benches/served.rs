//! What a language server costs: how long until it is ready, asked by a client that does nothing else and behind Dossier's;
//! how much memory it takes, with its caches primed and without; how long its answers, and a focused dossier, take then.
//! See README.md beside this file.

use std::error::Error;
use std::io::{BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use dossier::config::DEFAULT_BUDGET;
use dossier::lsp::find::find;
use dossier::lsp::toolchain::environment;
use dossier::lsp::{At, Questions, RUST_ANALYZER};
use dossier::model::{Deadline, Role, SymbolKind};
use dossier::pipeline::{LanguageServer, Planner, Request, ServerOptions, Workspace};
use dossier::workspace::WalkOptions;
use lsp_server::{Message, Notification, Request as Question, Response};
use serde_json::{Value, json};

const USAGE: &str = "cargo bench --bench served -- [--runs N] FOLDER…";
const DEFAULT_RUNS: usize = 3;
const SYMBOLS: usize = 10;
const LIMIT: Duration = Duration::from_secs(900);

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> ExitCode {
    match options().and_then(|(runs, folders)| folders.iter().try_for_each(|folder| measure(runs, folder))) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&format!("{error}\nusage: {USAGE}"));
            ExitCode::FAILURE
        }
    }
}

fn options() -> Result<(usize, Vec<PathBuf>)> {
    let (mut runs, mut folders) = (DEFAULT_RUNS, Vec::new());
    let mut args = std::env::args_os().skip(1).filter(|arg| arg != "--bench");
    while let Some(arg) = args.next() {
        match arg.to_str() {
            Some("--runs") => {
                let given = args.next().and_then(|runs| runs.to_str()?.parse().ok());
                runs = given.filter(|runs| *runs > 0).ok_or("--runs takes a number above zero")?;
            }
            _ => folders.push(PathBuf::from(arg).canonicalize()?),
        }
    }
    if folders.is_empty() { Err("name a workspace".into()) } else { Ok((runs, folders)) }
}

/// The two clients take turns, so that what else the machine does meets both.
fn measure(runs: usize, root: &Path) -> Result<()> {
    say(&format!("{}: medians of {runs} runs", root.display()));
    let workspace = Workspace::open(root, &WalkOptions::default(), &Deadline::never())?;
    let symbols = symbols(&workspace);
    let name = &symbols.first().ok_or("no type in the workspace")?.0;
    let (mut primed, mut unprimed, mut ours) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..runs {
        primed.push(bare(root, name, true)?);
        unprimed.push(bare(root, name, false)?);
        ours.push(behind_dossier(root, &workspace)?.1);
    }
    row("rust-analyzer by itself", &primed);
    row("the same, caches not primed", &unprimed);
    let theirs = median(primed.iter().map(|ready| ready.seconds));
    say(&format!("  {:34}{:>6.1} s", "behind Dossier's client", median(ours.iter().copied())));
    say(&format!("  {:34}{:>6.2}", "ratio", median(ours.into_iter()) / theirs));
    let (server, _) = behind_dossier(root, &workspace)?;
    answers(&workspace, &server, &symbols)?;
    dossiers(&workspace, &server, &symbols)
}

struct Ready {
    seconds: f64,
    peak_mb: f64,
}

fn row(what: &str, runs: &[Ready]) {
    let seconds = median(runs.iter().map(|run| run.seconds));
    let peak = median(runs.iter().map(|run| run.peak_mb));
    say(&format!("  {what:34}{seconds:>6.1} s  {peak:>6.0} MB"));
}

fn server_options() -> ServerOptions {
    ServerOptions::of_user(|name| std::env::var(name).ok(), std::env::home_dir(), None)
}

/// How long until a server is ready by Dossier's own proof.
fn behind_dossier(root: &Path, workspace: &Workspace) -> Result<(LanguageServer, f64)> {
    let start = Instant::now();
    let server = LanguageServer::start(root, &server_options());
    match server.wait(workspace, &Deadline::after(LIMIT), &mut |_| ()) {
        true => Ok((server, start.elapsed().as_secs_f64())),
        false => Err(server.notes().iter().map(|note| note.text.as_str()).collect::<String>().into()),
    }
}

/// Types and traits spread over the workspace: name and place.
fn symbols(workspace: &Workspace) -> Vec<(String, At)> {
    let wanted = [SymbolKind::Struct, SymbolKind::Enum, SymbolKind::Trait];
    let mut all = Vec::new();
    for file in workspace.snapshot.ids().filter(|id| workspace.snapshot.file(*id).role == Role::Source) {
        let items = workspace.syntax[file.index()].iter().flat_map(|syntax| &syntax.items);
        let named = items.filter(|item| wanted.contains(&item.kind) && !item.is_test);
        all.extend(named.map(|item| (item.name.clone(), (file, item.name_span.start))));
    }
    let step = (all.len() / SYMBOLS).max(1);
    all.into_iter().step_by(step).take(SYMBOLS).collect()
}

/// First answers, with what the server still has to infer, then the same again.
fn answers(workspace: &Workspace, server: &LanguageServer, symbols: &[(String, At)]) -> Result<()> {
    let questions = server.server().and_then(|server| server.on(&workspace.snapshot));
    let questions = questions.ok_or("the server is not ready any more")?;
    let deadline = Deadline::after(LIMIT);
    type Ask = fn(&Questions<'_>, At, &Deadline) -> Result<usize>;
    let asks: [(&str, Ask); 3] = [
        ("definition", |questions, at, deadline| Ok(questions.definition(at, deadline)?.len())),
        ("references", |questions, at, deadline| Ok(questions.references(at, deadline)?.len())),
        ("implementation", |questions, at, deadline| Ok(questions.implementations(at, deadline)?.len())),
    ];
    for (name, ask) in asks {
        let round = |_| -> Result<Vec<f64>> {
            let timed = symbols.iter().map(|(_, at)| {
                let start = Instant::now();
                ask(&questions, *at, &deadline)?;
                Ok(start.elapsed().as_secs_f64() * 1e3)
            });
            timed.collect()
        };
        let rounds = (0..2).map(round).collect::<Result<Vec<_>>>()?;
        let told = rounds.iter().map(|times| {
            let most = times.iter().copied().fold(0.0, f64::max);
            format!("p50 {:>5.1} ms, longest {most:>7.1} ms", median(times.iter().copied()))
        });
        say(&format!("  {name:16}{}", told.collect::<Vec<_>>().join("; again ")));
    }
    Ok(())
}

/// `dossier context` about one item each, when the workspace has been read.
fn dossiers(workspace: &Workspace, server: &LanguageServer, symbols: &[(String, At)]) -> Result<()> {
    let mut times = Vec::new();
    for (name, _) in symbols {
        let request = Request::new(format!("Change how `{name}` works"), DEFAULT_BUDGET);
        let start = Instant::now();
        workspace.answer(&request, server, &Planner::rules(), &Deadline::after(Duration::from_secs(3)))?;
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    let most = times.iter().copied().fold(0.0, f64::max);
    say(&format!(
        "  {:16}p50 {:>5.0} ms, longest {most:>7.0} ms",
        "focused dossier",
        median(times.into_iter())
    ));
    Ok(())
}

/// A client that does nothing but wait: until the server says that it has loaded everything, and then finds a name.
fn bare(root: &Path, name: &str, is_primed: bool) -> Result<Ready> {
    let options = server_options();
    let found = find(&RUST_ANALYZER.program, &options.places, root, &Deadline::after(LIMIT))?;
    let (program, arguments) = found.command.split_first().ok_or("no program")?;
    let mut command = Command::new(program);
    command.args(arguments).current_dir(root).stdin(Stdio::piped()).stdout(Stdio::piped());
    for (name, value) in environment(root, &options.places).variables {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let mut settings = (RUST_ANALYZER.options)(root, options.cache.as_deref());
    settings["cachePriming"]["enable"] = json!(is_primed);
    let start = Instant::now();
    let mut child = command.stderr(Stdio::null()).spawn()?;
    let mut bare = Bare {
        stdin: child.stdin.take().ok_or("no standard input")?,
        stdout: BufReader::new(child.stdout.take().ok_or("no standard output")?),
        child,
        settings,
    };
    bare.load(root)?;
    while bare.ask("workspace/symbol", json!({ "query": name, "searchKind": "allSymbols" }))? == json!([]) {}
    let seconds = start.elapsed().as_secs_f64();
    let peak_mb = peak_mb(bare.child.id()).unwrap_or(f64::NAN);
    Ok(Ready { seconds, peak_mb })
}

struct Bare {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    settings: Value,
}

impl Bare {
    fn load(&mut self, root: &Path) -> Result<()> {
        let uri = format!("file://{}", root.display());
        let capabilities = json!({
            "experimental": { "serverStatusNotification": true },
            "workspace": { "configuration": true, "didChangeWatchedFiles": { "dynamicRegistration": true } },
            "window": { "workDoneProgress": true },
        });
        let folders = json!([{ "uri": uri, "name": "workspace" }]);
        let parameters = json!({
            "processId": std::process::id(), "rootUri": uri, "workspaceFolders": folders,
            "capabilities": capabilities, "initializationOptions": self.settings,
        });
        self.ask("initialize", parameters)?;
        self.send(Notification { method: "initialized".into(), params: json!({}) }.into())?;
        while !matches!(self.next()?, Message::Notification(told) if is_quiescent(&told)) {}
        Ok(())
    }

    fn ask(&mut self, method: &str, params: Value) -> Result<Value> {
        self.send(Question { id: 1.into(), method: method.into(), params }.into())?;
        loop {
            if let Message::Response(answer) = self.next()? {
                return Ok(answer.response_result.unwrap_or_default());
            }
        }
    }

    /// The next message that is not a question of the server's own: these are answered.
    fn next(&mut self) -> Result<Message> {
        loop {
            let message = Message::read(&mut self.stdout)?.ok_or("the server ended")?;
            let Message::Request(asked) = message else { return Ok(message) };
            let items = asked.params["items"].as_array().map_or(0, Vec::len);
            let answer = match asked.method.as_str() {
                "workspace/configuration" => json!(vec![&self.settings; items]),
                _ => Value::Null,
            };
            self.send(Response::new_ok(asked.id, answer).into())?;
        }
    }

    fn send(&mut self, message: Message) -> Result<()> {
        Ok(message.write(&mut self.stdin)?)
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        let _it_may_have_ended = self.child.kill();
        let _nothing_is_left_to_do = self.child.wait();
    }
}

fn is_quiescent(told: &Notification) -> bool {
    told.method == "experimental/serverStatus" && told.params["quiescent"] == json!(true)
}

/// The peak of the resident set so far, as Linux tells it in kB.
fn peak_mb(pid: u32) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kb: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kb / 1024.0)
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Whoever closed standard output does not want it.
fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}
