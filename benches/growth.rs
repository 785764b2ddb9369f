//! How time and memory grow with a workspace: the same code once, twice, four and eight times, as packages that use one another. Prints a
//! table, and draws it with `--svg FILE`. See README.md beside this file.

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use tempfile::TempDir;

const USAGE: &str = "cargo bench --bench growth -- [--svg FILE]";
const FACTORS: [usize; 4] = [1, 2, 4, 8];
/// Of the smallest workspace: some 30,000 lines.
const PACKAGES: usize = 10;
const FILES: usize = 20;
const FUNCTIONS: usize = 20;
const RUNS: usize = 5;
const WORDS: [&str; 16] = [
    "basket", "order", "price", "stock", "shelf", "parcel", "customer", "invoice", "refund", "label",
    "route", "truck", "harbour", "crane", "ledger", "receipt",
];
const QUESTION: &str = "Refund the price of an order where its parcel got lost on the truck";

/// What is drawn of a row.
type Value = fn(&Row) -> f64;
type Result<T> = std::result::Result<T, Box<dyn Error>>;

struct Row {
    lines: usize,
    /// Milliseconds and MB, without an index and with one.
    cold: (f64, f64),
    kept: (f64, f64),
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
        Some(other) => return Err(format!("unknown: {other}").into()),
    };
    say("     lines   cold ms      MB   kept ms      MB");
    let mut rows = Vec::new();
    for factor in FACTORS {
        let folder = TempDir::new()?;
        let lines = write(&folder.path().join("ws"), PACKAGES * factor)?;
        let cold = median(folder.path(), true)?;
        let kept = median(folder.path(), false)?;
        say(&format!("{lines:>10} {:>9.0} {:>7.0} {:>9.0} {:>7.0}", cold.0, cold.1, kept.0, kept.1));
        rows.push(Row { lines, cold, kept });
    }
    if let Some(file) = svg {
        fs::write(&file, plot(&rows))?;
        say(&format!("drawn: {}", file.display()));
    }
    Ok(())
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

/// Milliseconds, and MB at the most.
fn median(folder: &Path, is_cold: bool) -> Result<(f64, f64)> {
    let mut times = Vec::new();
    let mut memory: f64 = 0.0;
    for _ in 0..=RUNS {
        let since = Instant::now();
        let mut command = Command::new(env!("CARGO_BIN_EXE_dossier"));
        command.args(["--quiet", "context", QUESTION, "--workspace"]).arg(folder.join("ws"));
        command.args(is_cold.then_some("--no-index"));
        command.env("XDG_CACHE_HOME", folder.join("cache")).env("DOSSIER_DAEMON", "false");
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).spawn()?;
        let status = format!("/proc/{}/status", child.id());
        while child.try_wait()?.is_none() {
            let peak = fs::read_to_string(&status).unwrap_or_default();
            let peak = peak.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix("kB"));
            memory = memory.max(peak.and_then(|kb| kb.trim().parse::<f64>().ok()).unwrap_or(0.0) / 1e3);
            std::thread::park_timeout(std::time::Duration::from_millis(2));
        }
        times.push(since.elapsed().as_secs_f64() * 1e3);
    }
    // The first made the index.
    times.remove(0);
    times.sort_by(f64::total_cmp);
    Ok((times[times.len() / 2], memory))
}

/// Time on the left, memory on the right, over lines, all from nought: what is linear is straight.
fn plot(rows: &[Row]) -> String {
    let most = |of: fn(&Row) -> f64| rows.iter().map(of).fold(f64::MIN_POSITIVE, f64::max);
    let lines = most(|row| row.lines as f64);
    let mut svg = String::from(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"720\" height=\"300\" font-family=\"sans-serif\" font-size=\"12\">\n",
    );
    let charts: [(f64, &str, Value, Value); 2] =
        [(60.0, "ms", |row| row.cold.0, |row| row.kept.0), (420.0, "MB", |row| row.cold.1, |row| row.kept.1)];
    for (left, unit, cold, kept) in charts {
        let top = most(cold).max(most(kept));
        let at = |row: &Row, value: f64| {
            format!("{:.0},{:.0}", left + 260.0 * row.lines as f64 / lines, 250.0 - 220.0 * value / top)
        };
        let _ =
            writeln!(svg, "<path d=\"M{left},20 V250 H{}\" fill=\"none\" stroke=\"#888\"/>", left + 270.0);
        let _ = writeln!(svg, "<text x=\"{}\" y=\"16\">{top:.0} {unit}</text>", left - 10.0);
        let _ = writeln!(svg, "<text x=\"{}\" y=\"270\">{lines:.0} lines</text>", left + 180.0);
        for (name, color, of) in [("cold", "#b33", cold), ("index kept", "#36c", kept)] {
            let points: Vec<String> = rows.iter().map(|row| at(row, of(row))).collect();
            let _ = writeln!(
                svg,
                "<polyline points=\"{left},250 {}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"2\"/>",
                points.join(" ")
            );
            let last = rows.last().map_or(0.0, |row| 250.0 - 220.0 * of(row) / top);
            let _ = writeln!(
                svg,
                "<text x=\"{}\" y=\"{:.0}\" fill=\"{color}\">{name}</text>",
                left + 200.0,
                last - 6.0
            );
        }
    }
    svg.push_str("</svg>\n");
    svg
}

/// A reader that closes the pipe has what it wanted.
fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}
