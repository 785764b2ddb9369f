//! How time and memory grow with a workspace: the same code once, twice, four and eight times, as packages that use one another; by a
//! command without an index and with one, and in the daemon. Prints a table, and draws it with `--svg FILE`. With `--many` instead a
//! workspace of a hundred thousand small files. See README.md beside this file.

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use dossier::daemon::{Connection, DaemonPlace, wait_for};
use dossier::model::Deadline;
use dossier::session::protocol::{Context, Lsp, Nothing, Place, Shutdown, StatusOf, Task};
use tempfile::TempDir;

const USAGE: &str = "cargo bench --bench growth -- [--svg FILE | --many]";
const FACTORS: [usize; 4] = [1, 2, 4, 8];
/// Of the smallest workspace: some 30,000 lines.
const PACKAGES: usize = 10;
const FILES: usize = 20;
const FUNCTIONS: usize = 20;
const RUNS: usize = 5;
/// Files of the largest workspace, and how many there are in a folder.
const MANY: usize = 100_000;
const IN_FOLDER: usize = 100;
/// Different tasks that the daemon is asked, each as often as `RUNS` says.
const TASKS: usize = 8;
const LIMIT: Duration = Duration::from_secs(600);
const WORDS: [&str; 16] = [
    "basket", "order", "price", "stock", "shelf", "parcel", "customer", "invoice", "refund", "label",
    "route", "truck", "harbour", "crane", "ledger", "receipt",
];
const QUESTION: &str = "Refund the price of an order where its parcel got lost on the truck";

type Result<T> = std::result::Result<T, Box<dyn Error>>;

struct Row {
    lines: usize,
    cold: Cost,
    kept: Cost,
    daemon: Cost,
}

#[derive(Clone, Copy)]
struct Cost {
    /// By the wall, where other work shows, and of all cores.
    ms: f64,
    cpu_ms: f64,
    /// At the most.
    mb: f64,
}

fn main() -> ExitCode {
    match measure() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&format!("{error}\nusage: {USAGE}"));
            ExitCode::FAILURE
        }
    }
}

fn measure() -> Result<()> {
    let mut args = std::env::args().skip(1).filter(|arg| arg != "--bench");
    let svg = match args.next().as_deref() {
        None => None,
        Some("--svg") => Some(PathBuf::from(args.next().ok_or("--svg takes a file")?)),
        Some("--many") => return many(),
        Some(other) => return Err(format!("unknown: {other}").into()),
    };
    say(HEAD);
    let mut rows = Vec::new();
    for factor in FACTORS {
        let folder = TempDir::new()?;
        let lines = write(&folder.path().join("ws"), PACKAGES * factor)?;
        rows.push(row(folder.path(), lines)?);
    }
    if let Some(file) = svg {
        fs::write(&file, plot(&rows))?;
        say(&format!("drawn: {}", file.display()));
    }
    Ok(())
}

const HEAD: &str = "| lines | no index | CPU | | index kept | CPU | | in the daemon | CPU | |\n|---|---|---|---|---|---|---|---|---|---|";

/// Measures the workspace `ws` in a folder, and tells of it.
fn row(folder: &Path, lines: usize) -> Result<Row> {
    let cold = command(folder, true)?;
    let kept = command(folder, false)?;
    let daemon = in_daemon(folder)?;
    let cell = |cost: Cost| format!("{:.0} ms | {:.0} ms | {:.0} MB", cost.ms, cost.cpu_ms, cost.mb);
    say(&format!("| {lines} | {} | {} | {} |", cell(cold), cell(kept), cell(daemon)));
    Ok(Row { lines, cold, kept, daemon })
}

fn many() -> Result<()> {
    let folder = TempDir::new()?;
    let source = folder.path().join("ws/src");
    fs::create_dir_all(&source)?;
    fs::write(
        folder.path().join("ws/Cargo.toml"),
        "[package]\nname = \"many\"\nversion = \"0.1.0\"\nedition = \"2024\"\n",
    )?;
    let folders = MANY / IN_FOLDER;
    let modules =
        |letter: &str, count| (0..count).map(|n| format!("pub mod {letter}{n};\n")).collect::<String>();
    fs::write(source.join("lib.rs"), modules("d", folders))?;
    for part in 0..folders {
        let inner = source.join(format!("d{part}"));
        fs::create_dir(&inner)?;
        fs::write(inner.join("mod.rs"), modules("m", IN_FOLDER))?;
        for file in 0..IN_FOLDER {
            let (a, b, next) = (WORDS[part % WORDS.len()], WORDS[file % WORDS.len()], (file + 1) % IN_FOLDER);
            let text = format!(
                "//! The {a} of a {b}.\npub fn {a}_{b}_{file}({b}: u32) -> u32 {{\n    super::m{next}::{a}_{}_{next}({b} + {part})\n}}\n",
                WORDS[next % WORDS.len()]
            );
            fs::write(inner.join(format!("m{file}.rs")), text)?;
        }
    }
    say(HEAD);
    row(folder.path(), MANY * 4).map(|_| ())
}

/// Writes the workspace; its lines.
fn write(root: &Path, packages: usize) -> Result<usize> {
    let mut lines = 0;
    let members: Vec<String> = (0..packages).map(|package| format!("\"p{package}\"")).collect();
    fs::create_dir_all(root)?;
    fs::write(
        root.join("Cargo.toml"),
        format!("[workspace]\nresolver = \"3\"\nmembers = [{}]\n", members.join(", ")),
    )?;
    for package in 0..packages {
        let source = root.join(format!("p{package}/src"));
        fs::create_dir_all(&source)?;
        let uses =
            (package > 0).then(|| format!("p{} = {{ path = \"../p{}\" }}\n", package - 1, package - 1));
        let manifest = format!(
            "[package]\nname = \"p{package}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[dependencies]\n{}",
            uses.unwrap_or_default()
        );
        fs::write(root.join(format!("p{package}/Cargo.toml")), manifest)?;
        let modules: String = (0..FILES).map(|file| format!("pub mod m{file};\n")).collect();
        fs::write(source.join("lib.rs"), modules)?;
        for file in 0..FILES {
            let text = module(package, file);
            lines += text.lines().count();
            fs::write(source.join(format!("m{file}.rs")), text)?;
        }
    }
    Ok(lines)
}

/// A type with functions that call the next file's, and the package's before.
fn module(package: usize, file: usize) -> String {
    let word = |place: usize| WORDS[(package * 7 + file * 5 + place * 3) % WORDS.len()];
    let mut text = format!("//! Module {file}: {} and {}.\n", word(0), word(1));
    let _ = writeln!(text, "pub struct Item{package}_{file} {{\n    pub {}: u32,\n}}\n", word(0));
    let _ = writeln!(text, "impl Item{package}_{file} {{");
    for number in 0..FUNCTIONS {
        let (a, b) = (word(number), word(number + 1));
        let next = (file + 1) % FILES;
        let other = match package {
            0 => format!("crate::m{next}::Item0_{next}"),
            _ => format!("p{}::m{next}::Item{}_{next}", package - 1, package - 1),
        };
        let _ = writeln!(
            text,
            "    /// The {a} of a {b}.\n    pub fn {a}_{b}_{number}(&self, {b}: u32) -> u32 {{\n        let item = {other} {{ {}: {b} }};\n        \
             item.{a}_{b}_{number}({b} + {number})\n    }}\n",
            WORDS[(package.saturating_sub(1) * 7 + next * 5) % WORDS.len()],
        );
    }
    text.push_str("}\n");
    text
}

/// What a command costs.
fn command(folder: &Path, is_cold: bool) -> Result<Cost> {
    let (mut times, mut cpu_times) = (Vec::new(), Vec::new());
    let mut mb: f64 = 0.0;
    for _ in 0..=RUNS {
        let since = Instant::now();
        let mut command = program(folder, &["--quiet", "context", QUESTION]);
        command.args(is_cold.then_some("--no-index")).env("DOSSIER_DAEMON", "false");
        let mut child = command.spawn()?;
        let (status, mut cpu) = (format!("/proc/{}/status", child.id()), 0.0);
        while child.try_wait()?.is_none() {
            let peak = fs::read_to_string(&status).unwrap_or_default();
            let peak = peak.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix("kB"));
            mb = mb.max(peak.and_then(|kb| kb.trim().parse::<f64>().ok()).unwrap_or(0.0) / 1e3);
            cpu = cpu_ms(child.id()).unwrap_or(cpu);
            std::thread::park_timeout(Duration::from_millis(2));
        }
        times.push(ms(since));
        cpu_times.push(cpu);
    }
    // The first made the index.
    times.remove(0);
    cpu_times.remove(0);
    Ok(Cost { ms: median(times), cpu_ms: median(cpu_times), mb })
}

/// What a process took of all cores by now, in steps of 10 ms. `/proc/PID/stat`: behind the name, which stands in brackets, the times are the
/// 12th and the 13th word.
fn cpu_ms(process: u32) -> Option<f64> {
    const TICK_MS: f64 = 10.0;
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let words = stat.rsplit_once(") ")?.1.split_whitespace().skip(11).take(2);
    let ticks: Vec<f64> = words.filter_map(|word| word.parse().ok()).collect();
    Some(ticks.iter().sum::<f64>() * TICK_MS).filter(|_| ticks.len() == 2)
}

/// What an answer costs where the workspace is open, and what the daemon takes then.
fn in_daemon(folder: &Path) -> Result<Cost> {
    let started = program(folder, &["daemon", "start"]).status()?;
    if !started.success() {
        return Err("the daemon does not start".into());
    }
    let daemon = wait_for(&DaemonPlace::of_user(|_| None, Some(&folder.join("cache/dossier")))?)?;
    let measured = asked(folder, &daemon);
    let _has_ended = daemon.ask::<Shutdown>(&Nothing {}, &limit());
    measured
}

fn asked(folder: &Path, daemon: &Connection) -> Result<Cost> {
    let place = Place { workspace: folder.canonicalize()?.join("ws"), index: true, ..Place::default() };
    let task = |number: usize| {
        let word = |step: usize| WORDS[(number * 5 + step) % WORDS.len()];
        let query = format!("{}, and the {} of its {} too", QUESTION, word(0), word(3));
        let mut task = Task::new(place.clone(), query.as_str());
        (task.lsp, task.time_ms) = (Lsp { ask: false, ..Lsp::default() }, LIMIT.as_millis() as u64);
        task
    };
    daemon.ask::<Context>(&task(0), &limit())?;
    let process = daemon.hello().process;
    let before = cpu_ms(process).unwrap_or(f64::NAN);
    let mut times = Vec::new();
    for number in 0..TASKS * RUNS {
        let since = Instant::now();
        daemon.ask::<Context>(&task(number), &limit())?;
        times.push(ms(since));
    }
    let cpu_ms = (cpu_ms(process).unwrap_or(f64::NAN) - before) / times.len() as f64;
    let status = daemon.ask::<StatusOf>(&Nothing {}, &limit())?;
    Ok(Cost { ms: median(times), cpu_ms, mb: status.memory.unwrap_or(0) as f64 / 1e6 })
}

fn program(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dossier"));
    command.args(arguments).current_dir(folder.join("ws")).env_remove("CI").env_remove("XDG_RUNTIME_DIR");
    command.env("XDG_CACHE_HOME", folder.join("cache")).env("XDG_STATE_HOME", folder.join("state"));
    command.env("DOSSIER_LSP", "false").env("DOSSIER_PLANNER", "heuristic");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

fn limit() -> Deadline {
    Deadline::after(LIMIT)
}

fn ms(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1e3
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}

/// What is drawn of a row: its name, its colour, its value.
type Series = (&'static str, &'static str, fn(&Row) -> f64);
const COLD: &str = "#b33";
const KEPT: &str = "#36c";
const DAEMON: &str = "#283";
const CHARTS: [(&str, &str, &[Series]); 3] = [
    (
        "a command",
        "ms of CPU",
        &[("no index", COLD, |row| row.cold.cpu_ms), ("index kept", KEPT, |row| row.kept.cpu_ms)],
    ),
    ("an answer of the daemon", "ms of CPU", &[("daemon", DAEMON, |row| row.daemon.cpu_ms)]),
    (
        "memory",
        "MB",
        &[
            ("no index", COLD, |row| row.cold.mb),
            ("index kept", KEPT, |row| row.kept.mb),
            ("daemon", DAEMON, |row| row.daemon.mb),
        ],
    ),
];
/// Of one chart, in pixels, and where its axes are.
const WIDTH: f64 = 300.0;
const LEFT: f64 = 52.0;
const RIGHT: f64 = 262.0;
const TOP: f64 = 60.0;
const BOTTOM: f64 = 250.0;
/// Lines across a chart.
const TICKS: u32 = 5;

/// Three charts over lines of code, all from nought: what is linear is straight.
fn plot(rows: &[Row]) -> String {
    let (width, height) = (WIDTH * CHARTS.len() as f64, BOTTOM + 40.0);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n"
    );
    for (number, (title, unit, series)) in CHARTS.iter().enumerate() {
        let _ = writeln!(svg, "<g transform=\"translate({})\">", WIDTH * number as f64);
        chart(&mut svg, rows, (title, unit), series);
        svg.push_str("</g>\n");
    }
    svg.push_str("</svg>\n");
    svg
}

fn chart(svg: &mut String, rows: &[Row], (title, unit): (&str, &str), series: &[Series]) {
    let most = |of: fn(&Row) -> f64| rows.iter().map(of).fold(f64::MIN_POSITIVE, f64::max);
    let top = rounded(series.iter().map(|(.., of)| most(*of)).fold(0.0, f64::max));
    let widest = most(|row| row.lines as f64);
    let across = |lines: f64| LEFT + (RIGHT - LEFT) * lines / widest;
    let up = |value: f64| BOTTOM - (BOTTOM - TOP) * value / top;
    let _ = writeln!(svg, "<text x=\"{LEFT}\" y=\"20\" font-weight=\"bold\">{title} ({unit})</text>");
    for tick in 0..=TICKS {
        let value = (top * f64::from(tick) / f64::from(TICKS) * 10.0).round() / 10.0;
        let y = up(value);
        let _ = writeln!(svg, "<path d=\"M{LEFT},{y:.1} H{RIGHT}\" stroke=\"#ddd\"/>");
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{value}</text>",
            LEFT - 6.0,
            y + 4.0
        );
    }
    for row in rows {
        let (x, thousands) = (across(row.lines as f64), row.lines / 1000);
        let _ = writeln!(
            svg,
            "<text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{thousands}</text>",
            BOTTOM + 16.0
        );
    }
    let _ = writeln!(
        svg,
        "<text x=\"{RIGHT}\" y=\"{}\" text-anchor=\"end\">thousand lines</text>",
        BOTTOM + 32.0
    );
    for (number, (name, color, of)) in series.iter().enumerate() {
        let points: Vec<(f64, f64)> =
            rows.iter().map(|row| (across(row.lines as f64), up(of(row)))).collect();
        let line: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"2\"/>",
            line.join(" ")
        );
        for (x, y) in points {
            let _ = writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{color}\"/>");
        }
        let x = LEFT + 72.0 * number as f64;
        let _ = writeln!(svg, "<text x=\"{x}\" y=\"40\" fill=\"{color}\">{name}</text>");
    }
}

/// At least so much, with one digit that is not nought, or 1.5 or 2.5 of that.
fn rounded(value: f64) -> f64 {
    let unit = 10f64.powf(value.max(1.0).log10().floor());
    let steps = [1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0];
    steps.iter().map(|step| step * unit).find(|top| *top >= value).unwrap_or(value)
}

/// A reader that closes the pipe has what it wanted.
fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}
