//! How fast the embedded model is, what it takes, and how near its vectors in eight bits are to those in floating point. Texts are the
//! functions of a folder's Rust sources, as their lines stand. See README.md beside this file.

use std::error::Error;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use dossier::llm::embed::{Embedded, Embedder, Precision};
use dossier::model::Deadline;

const USAGE: &str = "cargo bench --bench embed -- MODEL_FOLDER [FOLDER_OF_SOURCES]";

/// Tokens of a text, by repeating a word that is one, and how many such texts are embedded at once.
const SIZES: [(usize, usize); 6] = [(20, 16), (40, 1), (80, 16), (160, 1), (160, 16), (256, 16)];
/// A text's two ends.
const ENDS: usize = 2;
/// The best of so many rounds counts: others use the same cores.
const ROUNDS: usize = 5;
/// Texts that both precisions embed.
const COMPARED: usize = 200;
/// Lines of a text.
const LINES: usize = 12;
/// Bytes in what is shown as a MB.
const MB: f64 = 1e6;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&format!("{error}\nusage: {USAGE}"));
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    let folders: Vec<PathBuf> =
        std::env::args_os().skip(1).map(PathBuf::from).filter(|path| is_path(path)).collect();
    let model = folders.first().ok_or("no folder with a model is named")?;
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let texts = texts(folders.get(1).unwrap_or(&own))?;
    let mut opened = Vec::new();
    for precision in [Precision::best(), Precision::Float] {
        let start = Instant::now();
        let embedder = Embedded::open(model, precision)?;
        let size = embedder.size().unwrap_or(0) as f64 / MB;
        say(&format!("\n{precision:?}: loaded in {:.0} ms, {size:.0} MB of memory", ms(start.elapsed())));
        sizes(&embedder)?;
        opened.push(embedder);
    }
    let [best, float] = opened.as_slice() else { return Ok(()) };
    spread(best, &texts)?;
    compare(best, float, &texts)
}

/// What cargo adds are flags.
fn is_path(argument: &Path) -> bool {
    !argument.to_string_lossy().starts_with('-')
}

fn sizes(embedder: &Embedded) -> Result<()> {
    for (tokens, count) in SIZES {
        let texts = vec!["house ".repeat(tokens - ENDS); count];
        let mut best = Duration::MAX;
        for _ in 0..ROUNDS {
            let start = Instant::now();
            embedder.embed(&texts, &Deadline::never())?;
            best = best.min(start.elapsed());
        }
        say(&format!("{tokens:>4} tokens, {count:>2} at once: {:6.2} ms a text", ms(best) / count as f64));
    }
    Ok(())
}

/// All texts, by as many threads as there are cores.
fn spread(embedder: &Embedded, texts: &[String]) -> Result<()> {
    let cores = std::thread::available_parallelism()?.get();
    let batches: Vec<&[String]> = texts.chunks(embedder.model().batch).collect();
    let next = std::sync::atomic::AtomicUsize::new(0);
    let start = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                while let Some(batch) = batches.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
                    let _ = embedder.embed(batch, &Deadline::never());
                }
            });
        }
    });
    let took = start.elapsed();
    let peak = peak_mb().map_or_else(String::new, |peak| format!("; peak of the process {peak:.0} MB"));
    say(&format!(
        "\n{} texts of {LINES} lines on {cores} cores: {:.1} s, {:.2} ms a text{peak}",
        texts.len(),
        took.as_secs_f64(),
        ms(took) / texts.len() as f64
    ));
    Ok(())
}

fn compare(best: &Embedded, float: &Embedded, texts: &[String]) -> Result<()> {
    let step = (texts.len() / COMPARED).max(1);
    let some: Vec<String> = texts.iter().step_by(step).take(COMPARED).cloned().collect();
    let (a, b) = (best.embed(&some, &Deadline::never())?, float.embed(&some, &Deadline::never())?);
    let mut cosines: Vec<f32> =
        a.iter().zip(&b).map(|(a, b)| a.iter().zip(b).map(|(a, b)| a * b).sum()).collect();
    cosines.sort_by(f32::total_cmp);
    let mean = cosines.iter().sum::<f32>() / cosines.len() as f32;
    say(&format!(
        "{} of them in both precisions: mean cosine {mean:.4}, least {:.4}",
        some.len(),
        cosines.first().unwrap_or(&0.0)
    ));
    Ok(())
}

/// The sources below a folder, in texts of a few lines.
fn texts(folder: &Path) -> Result<Vec<String>> {
    let (mut folders, mut texts) = (vec![folder.to_owned()], Vec::new());
    while let Some(folder) = folders.pop() {
        let mut paths =
            std::fs::read_dir(&folder)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
        paths.sort();
        for path in paths {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = std::fs::read_to_string(&path)?;
                let lines: Vec<&str> = text.lines().collect();
                texts.extend(lines.chunks(LINES).map(|lines| lines.join("\n")));
            }
        }
    }
    if texts.is_empty() {
        return Err(format!("{} holds no Rust sources", folder.display()).into());
    }
    Ok(texts)
}

/// Where the system tells it.
fn peak_mb() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.split_whitespace().next()?.parse::<f64>().ok()? * 1024.0 / MB)
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn say(text: &str) {
    let _ = writeln!(std::io::stdout(), "{text}");
}
