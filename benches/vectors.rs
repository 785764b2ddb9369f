//! Vectors: how long a search takes, how many of the nearest it finds, what a byte a dimension loses, and what they cost on disk. Real
//! vectors come from a file (little-endian f32, one behind the other, of length 1); where they are too few, noisy copies of them
//! are searched too, and where there is no file, made ones. See README.md beside this file.

use std::cmp::Ordering;
use std::error::Error;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use dossier::meaning::Vectors;
use dossier::model::PackedVector;
use dossier::store::{IndexFolder, TextKey, VectorStore};
use rayon::prelude::*;
use tempfile::TempDir;

const USAGE: &str =
    "cargo bench --bench vectors -- [FILE.f32 [DIMENSION]] [--queries FILE.f32] [--rows N] [--cosine C]";
const DIMENSION: usize = 384;
/// Of an embedding model, where nothing else is said, and the largest that is searched here.
const SIZES: [usize; 3] = [12_000, 300_000, 1_000_000];
/// Rows that a query wants, and so many must be right.
const TOP: usize = 20;
/// Queries, where they are real rows taken out; each is asked so often.
const QUERIES: usize = 200;
const ROUNDS: usize = 3;
/// Of a copy to what it is one of.
const COSINE: f32 = 0.9;
/// Of made vectors: groups, and what the members of one have in common.
const GROUPS: usize = 20_000;
const MADE: usize = 100_000;
/// Vectors that a writer puts down at once.
const BATCH: usize = 256;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

struct Options {
    file: Option<PathBuf>,
    dimension: usize,
    queries: Option<PathBuf>,
    /// So many alone, and nothing else.
    rows: Option<usize>,
    cosine: f32,
}

/// What is searched, made row by row: a million of them as they are would be 1.5 GB.
struct Rows {
    dimension: usize,
    real: Vec<Vec<f32>>,
    cosine: f32,
}

impl Rows {
    /// The real ones, then copies of them.
    fn row(&self, number: usize) -> Vec<f32> {
        let real = &self.real[number % self.real.len()];
        if number < self.real.len() { real.clone() } else { noisy(real, self.cosine, number as u64) }
    }
}

fn main() -> ExitCode {
    match options().and_then(|options| measure(&options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&format!("{error}\nusage: {USAGE}"));
            ExitCode::FAILURE
        }
    }
}

fn options() -> Result<Options> {
    let mut options = Options { file: None, dimension: DIMENSION, queries: None, rows: None, cosine: COSINE };
    let mut args = std::env::args().skip(1).filter(|arg| arg != "--bench");
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or_else(|| format!("{arg} takes a value"));
        match arg.as_str() {
            "--queries" => options.queries = Some(value()?.into()),
            "--rows" => options.rows = Some(value()?.parse()?).filter(|rows| *rows > 0),
            "--cosine" => options.cosine = value()?.parse()?,
            flag if flag.starts_with('-') => return Err(format!("unknown flag {flag}").into()),
            _ if options.file.is_none() => options.file = Some(arg.into()),
            dimension => options.dimension = dimension.parse()?,
        }
    }
    Ok(options)
}

fn measure(options: &Options) -> Result<()> {
    let dimension = options.dimension;
    let mut real = match &options.file {
        Some(file) => read(file, dimension)?,
        None => (0..MADE as u64).into_par_iter().map(|number| made(number, dimension)).collect(),
    };
    let queries: Vec<Vec<f32>> = match &options.queries {
        Some(file) => read(file, dimension)?,
        None => {
            let step = (real.len() / QUERIES).max(2);
            let taken = real.iter().step_by(step).cloned().collect();
            let mut number = 0..;
            real.retain(|_| number.next().is_some_and(|number: usize| !number.is_multiple_of(step)));
            taken
        }
    };
    if real.is_empty() || queries.is_empty() {
        return Err("there is nothing to search, or nothing to search for".into());
    }
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    say(&format!(
        "{} {} vectors of {dimension} dimensions, {} queries, {cores} cores",
        real.len(),
        if options.file.is_some() { "real" } else { "made" },
        queries.len()
    ));
    let rows = Rows { dimension, real, cosine: options.cosine };
    if options.rows.is_none() {
        loss(&rows, &queries);
        store(&rows)?;
    }
    say(&format!("copies have a cosine of {} to what they are copies of", rows.cosine));
    for size in options.rows.map_or(SIZES.to_vec(), |rows| vec![rows]) {
        search(&rows, &queries, size)?;
    }
    Ok(())
}

/// What a byte a dimension loses.
fn loss(rows: &Rows, queries: &[Vec<f32>]) {
    let errors: Vec<(f64, f64, f64)> = rows
        .real
        .par_iter()
        .filter_map(|row| {
            let unpacked = PackedVector::new(row).ok()?.unpack();
            let errors =
                queries.iter().map(|query| f64::from(product(query, row) - product(query, &unpacked)));
            let errors: Vec<f64> = errors.map(f64::abs).collect();
            let most = errors.iter().copied().fold(0.0, f64::max);
            Some((errors.iter().sum::<f64>(), errors.len() as f64, most))
        })
        .collect();
    let (sum, count) = errors.iter().fold((0.0, 0.0), |(sum, count), it| (sum + it.0, count + it.1));
    let most = errors.iter().map(|it| it.2).fold(0.0, f64::max);
    say(&format!(
        "a byte a dimension: products are wrong by {:.5} on average, {most:.5} at the most",
        sum / count
    ));
}

fn search(rows: &Rows, queries: &[Vec<f32>], size: usize) -> Result<()> {
    let since = Instant::now();
    let mut vectors = Vectors::new(rows.dimension);
    // Made side by side, some at a time.
    let numbers: Vec<usize> = (0..size).collect();
    let mut pushing = Duration::ZERO;
    for numbers in numbers.chunks(10_000) {
        let packed: Vec<_> = numbers.par_iter().map(|number| PackedVector::new(&rows.row(*number))).collect();
        let since = Instant::now();
        for vector in packed {
            vectors.push_packed(&vector?)?;
        }
        pushing += since.elapsed();
    }
    let made = since.elapsed();
    let truth = nearest(rows, queries, size);
    let (mut times, mut all_times, mut hits, mut packed_hits, mut tied) = (Vec::new(), Vec::new(), 0, 0, 0);
    for round in 0..=ROUNDS {
        for (query, truth) in queries.iter().zip(&truth) {
            let since = Instant::now();
            let found = vectors.search(query, TOP)?;
            let took = since.elapsed();
            let since = Instant::now();
            let dots = vectors.dots(query)?;
            let all_took = since.elapsed();
            // The first round warms up, and counts what is found.
            if round > 0 {
                times.push(took);
                all_times.push(all_took);
                continue;
            }
            hits += found.iter().filter(|(row, _)| truth.iter().any(|it| it.0 == *row)).count();
            let mut packed: Vec<(usize, f32)> = dots.into_iter().enumerate().collect();
            packed.select_nth_unstable_by(TOP.min(size) - 1, better);
            packed_hits += found.iter().filter(|hit| packed[..TOP.min(size)].contains(hit)).count();
            // As good as the last that is wanted, as far as anybody could tell.
            let last = truth.last().map_or(0.0, |it| it.1);
            let exact = |row: usize| product(query, &rows.row(row));
            tied += found.iter().filter(|(row, _)| exact(*row) >= last - 0.001).count();
        }
    }
    let share = |hits: usize| hits as f64 / (queries.len() * TOP.min(size)) as f64;
    say(&format!(
        "{size:>9} rows: search p50 {}, p95 {}; all products p50 {}, p95 {}; recall@{TOP} {:.4} (of what exact search of the \
         packed rows finds {:.4}; within 0.001 of the last {:.4}); {} bytes a row; pushed in {:.0} ms (made in {:.1} s)",
        ms(percentile(&mut times, 50)),
        ms(percentile(&mut times, 95)),
        ms(percentile(&mut all_times, 50)),
        ms(percentile(&mut all_times, 95)),
        share(hits),
        share(packed_hits),
        share(tied),
        vectors.bytes() / size,
        pushing.as_secs_f64() * 1e3,
        made.as_secs_f64(),
    ));
    Ok(())
}

/// The nearest rows of each query, by f32, the best first.
fn nearest(rows: &Rows, queries: &[Vec<f32>], size: usize) -> Vec<Vec<(usize, f32)>> {
    let none = || vec![Vec::new(); queries.len()];
    let cut = |best: &mut Vec<(usize, f32)>| {
        best.sort_unstable_by(better);
        best.truncate(TOP);
    };
    let keep = |mut all: Vec<Vec<(usize, f32)>>, number: usize| {
        let row = rows.row(number);
        for (query, best) in queries.iter().zip(&mut all) {
            best.push((number, product(query, &row)));
            if best.len() > 50 * TOP {
                cut(best);
            }
        }
        all
    };
    let join = |mut a: Vec<Vec<(usize, f32)>>, b: Vec<Vec<(usize, f32)>>| {
        for (a, b) in a.iter_mut().zip(b) {
            a.extend(b);
            cut(a);
        }
        a
    };
    let chunks = (0..size).into_par_iter().with_min_len(10_000);
    let mut all = chunks.fold(none, keep).reduce(none, join);
    all.iter_mut().for_each(cut);
    all
}

fn better(a: &(usize, f32), b: &(usize, f32)) -> Ordering {
    b.1.total_cmp(&a.1).then(a.0.cmp(&b.0))
}

/// What they cost on disk, and how long it takes to read them again.
fn store(rows: &Rows) -> Result<()> {
    for size in [SIZES[0], SIZES[1]] {
        let cache = TempDir::new()?;
        let folder = IndexFolder::in_cache(cache.path());
        let mut store = VectorStore::open(&folder, Path::new("/bench"), b"")?;
        let (mut batches, mut longest) = (Duration::ZERO, Duration::ZERO);
        for first in (0..size).step_by(BATCH) {
            let numbers = first..size.min(first + BATCH);
            let item = |number: usize| -> Result<_> {
                Ok((TextKey::of(&number.to_string()), PackedVector::new(&rows.row(number))?))
            };
            let batch = numbers.map(item).collect::<Result<Vec<_>>>()?;
            let since = Instant::now();
            store.put("bench", &batch)?;
            batches += since.elapsed();
            longest = longest.max(since.elapsed());
        }
        drop(store);
        let mut store = VectorStore::open(&folder, Path::new("/bench"), b"")?;
        let bytes = store.bytes() as f64 / size as f64;
        let mut times = Vec::new();
        for _ in 0..5 {
            let since = Instant::now();
            if store.load("bench")?.len() != size {
                return Err("vectors were lost".into());
            }
            times.push(since.elapsed());
        }
        let batch = batches / size.div_ceil(BATCH) as u32;
        let batch = format!("a batch of {BATCH} put down in {} ({} at the most)", ms(batch), ms(longest));
        say(&format!(
            "on disk, {size} items: {bytes:.0} bytes each; read in {}; {batch}",
            ms(percentile(&mut times, 50))
        ));
    }
    Ok(())
}

fn read(file: &Path, dimension: usize) -> Result<Vec<Vec<f32>>> {
    let bytes = std::fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let (values, _) = bytes.as_chunks::<4>();
    let values: Vec<f32> = values.iter().map(|value| f32::from_le_bytes(*value)).collect();
    Ok(values.chunks_exact(dimension).map(<[f32]>::to_vec).collect())
}

/// One of a group that points somewhat the same way, and all groups do.
fn made(number: u64, dimension: usize) -> Vec<f32> {
    let group = noisy(&noise(0, dimension), 0.4, 1 + number % GROUPS as u64);
    noisy(&group, 0.7, 1_000_000_007 + number)
}

/// A vector of length 1 with this cosine, or nearly so, to one of length 1.
fn noisy(vector: &[f32], cosine: f32, seed: u64) -> Vec<f32> {
    let other = (1.0 - cosine * cosine).sqrt();
    let noise = noise(seed, vector.len());
    unit(vector.iter().zip(noise).map(|(value, noise)| cosine * value + other * noise).collect())
}

/// A vector of length 1 that points anywhere.
fn noise(seed: u64, dimension: usize) -> Vec<f32> {
    let mut state = (seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1u64 << 24) as f32
    };
    // The first ones of near seeds are near one another.
    for _ in 0..8 {
        next();
    }
    // A sum of four is near enough to what a bell would give.
    unit((0..dimension).map(|_| next() + next() + next() + next() - 2.0).collect())
}

fn unit(vector: Vec<f32>) -> Vec<f32> {
    let length = product(&vector, &vector).sqrt();
    vector.into_iter().map(|value| value / length).collect()
}

fn product(a: &[f32], b: &[f32]) -> f32 {
    // Side by side, so that the compiler may do several at once.
    let mut sums = [0.0; 16];
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<16>(), b.as_chunks::<16>());
    for (a, b) in a.iter().zip(b) {
        for (sum, (a, b)) in sums.iter_mut().zip(a.iter().zip(b)) {
            *sum += a * b;
        }
    }
    sums.iter().sum::<f32>() + a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum::<f32>()
}

fn percentile(times: &mut [Duration], percent: usize) -> Duration {
    times.sort_unstable();
    times.get(times.len() * percent / 100).copied().unwrap_or_default()
}

fn ms(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1e3)
}

/// A reader that closes the pipe has what it wanted.
fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}
