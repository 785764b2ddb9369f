//! Several processes that put vectors down, writers that are killed, and a disk that is full.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use dossier::store::{IndexFolder, Put};
use tempfile::TempDir;

use super::vectors::{self, BATCH, MODEL};

/// How often a writer is killed.
const KILLS: u32 = 25;

/// What a process of its own is told to do: model, first batch, how many, folder.
const TASK: &str = "DOSSIER_TEST_VECTORS";

/// Not a test of its own: what the processes do that others start.
#[test]
#[ignore = "started by other tests"]
fn writer() {
    let Ok(task) = std::env::var(TASK) else { return };
    let [model, first, batches, cache] = task.splitn(4, ',').collect::<Vec<_>>().try_into().unwrap();
    let (first, batches): (u32, u32) = (first.parse().unwrap(), batches.parse().unwrap());
    let mut store = vectors::open(&IndexFolder::in_cache(Path::new(cache)));
    for batch in first..first + batches {
        match store.put(model, &vectors::items(batch * BATCH..(batch + 1) * BATCH)) {
            Ok(put) => println!("put {batch} {put:?}"),
            Err(error) => return println!("failed: {error}"),
        }
    }
}

/// A process that puts down so many batches, through a shell with these commands before.
fn start(cache: &Path, before: &str, model: &str, first: u32, batches: u32) -> Child {
    let program = std::env::current_exe().unwrap();
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("{before} exec \"$0\" \"$@\"")).arg(program);
    command.args(["--ignored", "--exact", "writers::writer", "--nocapture"]);
    command.env(TASK, format!("{model},{first},{batches},{}", cache.display()));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap()
}

/// The batches that it says it has put down, until it ends.
fn said(child: &mut Child) -> Vec<String> {
    let lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    lines.filter(|line| line.contains("put ") || line.contains("failed: ")).collect()
}

#[test]
fn a_killed_writer_loses_the_batch_that_it_was_at() {
    let cache = TempDir::new().unwrap();
    let folder = vectors::folder(&cache);
    let (mut next, mut killed) = (0, 0);
    for round in 0..KILLS {
        let mut writer = start(cache.path(), "", MODEL, next, 1_000);
        let mut lines = BufReader::new(writer.stdout.take().unwrap()).lines().map_while(Result::ok);
        // It is killed somewhere after so many.
        let wanted = round % 7;
        let told = lines.by_ref().filter(|line| line.contains("put ")).take(wanted as usize).count() as u32;
        wait(Duration::from_micros(u64::from(round) * 300));
        killed += u32::from(writer.try_wait().unwrap().is_none());
        writer.kill().unwrap();
        writer.wait().unwrap();
        let told = told + lines.filter(|line| line.contains("put ")).count() as u32;
        let mut store = vectors::open(&folder);
        let there = store.load(MODEL).unwrap().len() as u32;
        assert!(there.is_multiple_of(BATCH) && there >= (next + told) * BATCH, "{there} {next} {told}");
        assert!(there <= (next + told + 1) * BATCH, "{there} {next} {told}");
        vectors::has(&mut store, MODEL, 0..there);
        assert_eq!(store.take_notes(), []);
        next = there / BATCH;
    }
    assert!(killed > KILLS / 2, "{killed} were killed before their end");
}

fn wait(time: Duration) {
    let (_sender, never) = std::sync::mpsc::channel::<()>();
    let _time_is_over = never.recv_timeout(time);
}

#[test]
fn several_at_once_lose_nothing() {
    let cache = TempDir::new().unwrap();
    // Two have the same to put down, one has another model; nobody was there before.
    let tasks = [(MODEL, 0), (MODEL, 0), (MODEL, 20), ("other", 0)];
    let writers = tasks.map(|(model, first)| start(cache.path(), "", model, first, 20));
    for mut writer in writers {
        let said = said(&mut writer);
        assert!(said.len() == 20 && said.iter().all(|line| line.ends_with("Added")), "{said:?}");
        assert!(writer.wait().unwrap().success());
    }
    let mut store = vectors::open(&vectors::folder(&cache));
    vectors::has(&mut store, MODEL, 0..40 * BATCH);
    vectors::has(&mut store, "other", 0..20 * BATCH);
}

#[test]
fn a_full_disk_is_told_and_costs_one_batch() {
    let cache = TempDir::new().unwrap();
    let folder = vectors::folder(&cache);
    // No file may grow beyond so many blocks of 512 bytes; the signal that comes with it is ignored.
    let mut writer = start(cache.path(), "trap '' XFSZ; ulimit -f 1000;", MODEL, 0, 1_000);
    let said = said(&mut writer);
    writer.wait().unwrap();
    let (last, put) = said.split_last().unwrap();
    assert!(last.contains("failed: ") && last.contains(".vectors: "), "{last}");
    assert!(last.contains("full") || last.contains("I/O"), "{last}");
    let there = put.len() as u32;
    assert!(there > 5, "{said:?}");
    let mut store = vectors::open(&folder);
    vectors::has(&mut store, MODEL, 0..there * BATCH);
    assert_eq!(store.put(MODEL, &vectors::items(there * BATCH..(there + 1) * BATCH)).unwrap(), Put::Added);
    vectors::has(&mut store, MODEL, 0..(there + 1) * BATCH);
    assert_eq!(store.take_notes(), []);
}
