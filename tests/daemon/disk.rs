//! What happens to the index below a daemon: a folder that cannot be written, a full disk, files that go, a clock that was wrong, a
//! daemon that is killed while it writes. Each state of the disk is the system's own, in namespaces where it takes that.

use std::fs::{File, FileTimes};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use rusqlite::Connection;

use super::life::kill;
use crate::daemon::{Daemon, Ran, until};

const DAY: Duration = Duration::from_hours(24);
const QUESTION: [&str; 2] = ["context", "shelf_count of the stock"];

/// Where the indices are; made where it is not there.
fn folder(daemon: &Daemon) -> PathBuf {
    let folder = daemon.sandbox.path("home/.cache/dossier/index");
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn database(daemon: &Daemon) -> Option<PathBuf> {
    let files = std::fs::read_dir(folder(daemon)).ok()?.map(|file| file.unwrap().path());
    files.into_iter().find(|path| path.extension().is_some_and(|kind| kind == "db"))
}

fn write(daemon: &Daemon, number: u32) {
    daemon.sandbox.write("src/stock.rs", format!("pub fn shelf_count() -> u32 {{ 1000 + {number} }}\n"));
}

/// The daemon knows this text, and says the same as a command that reads everything anew.
#[track_caller]
fn knows(daemon: &Daemon, number: u32) {
    let answer = daemon.run(&QUESTION);
    answer.shows(&format!("1000 + {number} "));
    let anew = daemon.run(&[&QUESTION[..], &["--no-daemon", "--no-index"]].concat());
    assert_eq!(answer.stdout, anew.stdout);
}

fn notes(daemon: &Daemon) -> String {
    daemon.status()["workspaces"][0]["notes"].to_string()
}

#[test]
fn a_cache_that_cannot_be_written_costs_the_index_alone_until_it_can() {
    let daemon = Daemon::sandbox();
    let folder = folder(&daemon);
    let bind = format!("mount --bind '{0}' '{0}' && mount -o remount,bind,ro '{0}'", folder.display());
    if !daemon.starts_apart(&bind) {
        return;
    }
    for number in 0..3 {
        write(&daemon, number);
        knows(&daemon, number);
        daemon.run(&QUESTION).ends(0, "no index is used");
    }
    assert!(notes(&daemon).contains("no index is used"), "{}", notes(&daemon));
    assert_eq!(database(&daemon), None);
    daemon.run_beside(&["daemon", "stop"]).ends(0, "has ended");
    // The whole cache: no place for a daemon either.
    let cache = daemon.sandbox.path("home/.cache");
    std::fs::remove_dir_all(daemon.folder()).unwrap();
    let bind = format!("mount --bind '{0}' '{0}' && mount -o remount,bind,ro '{0}'", cache.display());
    let apart = |arguments: &[&str]| Ran::of(daemon.apart(&bind, arguments).output().unwrap());
    apart(&["daemon", "start"]).ends(2, "set XDG_RUNTIME_DIR to a folder of your own");
    let answer = apart(&QUESTION);
    answer.ends(0, "no index is used").shows("1000 + 2 ");
}

#[test]
fn a_full_disk_is_told_and_used_again_when_it_has_room() {
    let daemon = Daemon::sandbox();
    let folder = folder(&daemon);
    let mount = format!("mount -t tmpfs -o size=300k none '{}'", folder.display());
    if !daemon.starts_apart(&mount) {
        return;
    }
    write(&daemon, 1);
    knows(&daemon, 1);
    let inside = PathBuf::from(format!("/proc/{}/root{}", daemon.process(), folder.display()));
    until("it is put down", || kept(&daemon));
    assert!(!notes(&daemon).contains("index"), "{}", notes(&daemon));
    // Nothing is left for what comes.
    let ballast = inside.join("ballast");
    let filled = std::fs::write(&ballast, vec![1; 1 << 20]);
    assert!(filled.is_err(), "the disk is full");
    write(&daemon, 2);
    knows(&daemon, 2);
    until("it is told", || notes(&daemon).contains("the index was not brought up to date"));
    daemon.run(&QUESTION).ends(0, "the index was not brought up to date");
    std::fs::remove_file(&ballast).unwrap();
    // What comes now is a new time of a file, and nothing else: with it comes what found no room.
    daemon.sandbox.write("src/pay.rs", std::fs::read(daemon.sandbox.ws("src/pay.rs")).unwrap());
    knows(&daemon, 2);
    until("it is put down", || kept(&daemon));
    until("nothing is told any more", || !notes(&daemon).contains("index"));
    let here = daemon.run_beside(&[&QUESTION[..], &["--no-daemon"]].concat());
    assert_eq!(here.stdout, daemon.run(&QUESTION).stdout);
}

/// Whether what the index has is what the workspace is now.
fn kept(daemon: &Daemon) -> bool {
    daemon.run_beside(&["index", "--status"]).stdout.contains("changed     0 since")
}

#[test]
fn an_index_that_goes_while_it_runs_is_made_again() {
    let daemon = Daemon::started();
    write(&daemon, 1);
    knows(&daemon, 1);
    until("it is put down", || database(&daemon).is_some());
    std::fs::remove_dir_all(folder(&daemon)).unwrap();
    knows(&daemon, 1);
    write(&daemon, 2);
    knows(&daemon, 2);
    let process = daemon.process();
    until("it is made again", || database(&daemon).is_some());
    // By a command, too.
    daemon.run(&["clean"]).ends(0, "removed 1 index");
    write(&daemon, 3);
    knows(&daemon, 3);
    assert_eq!(daemon.process(), process);
    daemon.run(&["daemon", "stop"]).ends(0, "has ended");
    daemon.run(&["index", "--status"]).shows("changed     0 since");
    let from_index = daemon.run(&[&QUESTION[..], &["--no-daemon"]].concat());
    from_index.shows("1000 + 3 ");
}

#[test]
fn an_index_that_is_damaged_while_it_runs_is_made_anew() {
    let daemon = Daemon::started();
    write(&daemon, 1);
    knows(&daemon, 1);
    until("it is put down", || database(&daemon).is_some());
    for number in 2..5 {
        std::fs::write(database(&daemon).unwrap(), "no database ".repeat(1000)).unwrap();
        write(&daemon, number);
        knows(&daemon, number);
    }
    daemon.run(&["daemon", "stop"]).ends(0, "has ended");
    let first = daemon.run(&[&QUESTION[..], &["--no-daemon"]].concat());
    first.shows("1000 + 4 ");
    daemon.run(&["index", "--status"]).shows("changed     0 since");
}

#[test]
fn a_clock_that_was_ahead_hides_no_edit() {
    let daemon = Daemon::started();
    let next_year = SystemTime::now() + 365 * DAY;
    let touch = || {
        let file = File::options().write(true).open(daemon.sandbox.ws("src/stock.rs")).unwrap();
        file.set_times(FileTimes::new().set_modified(next_year).set_accessed(next_year)).unwrap();
    };
    // All of the same length and the same time.
    for number in 1..6 {
        write(&daemon, number);
        touch();
        knows(&daemon, number);
        daemon.run(&[&QUESTION[..], &["--no-daemon"]].concat()).shows(&format!("1000 + {number} "));
    }
    daemon.run(&["daemon", "stop"]).ends(0, "has ended");
    // The index is of tomorrow.
    let path = database(&daemon).unwrap();
    let tomorrow = SystemTime::now() + DAY;
    let seconds = tomorrow.duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
    let connection = Connection::open(&path).unwrap();
    connection.execute("UPDATE fact SET value = ? WHERE name = 'saved'", [seconds as i64]).unwrap();
    drop(connection);
    File::options().write(true).open(&path).unwrap().set_modified(tomorrow).unwrap();
    let status = daemon.run(&["index", "--status"]);
    status.shows("changed     0 since");
    for number in 6..9 {
        write(&daemon, number);
        touch();
        let answer = daemon.run(&[&QUESTION[..], &["--no-daemon", "--format", "json"]].concat());
        answer.shows(&format!("1000 + {number} "));
        let pack: serde_json::Value = serde_json::from_str(&answer.stdout).unwrap();
        assert!(pack["freshness"]["index_age_ms"].as_u64().unwrap() < 60_000, "{}", pack["freshness"]);
    }
}

#[test]
fn killed_at_any_instant_it_leaves_a_state_that_holds() {
    let daemon = Daemon::started();
    for number in 1..10 {
        write(&daemon, number);
        daemon.run(&QUESTION).shows(&format!("1000 + {number} "));
        // Some while it updates or writes, some after.
        std::thread::park_timeout(Duration::from_millis(u64::from(number) * 6));
        kill(daemon.process());
        let index = daemon.run(&["index", "--status"]);
        assert_eq!(index.stderr, "", "nothing is damaged");
        knows(&daemon, number);
        daemon.is_there();
    }
}
