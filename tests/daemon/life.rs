//! How it begins and ends: never twice, never where nobody watches, never longer than it is of use.

use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;
use std::time::Duration;

use dossier::daemon::{DaemonPlace, Ended, connect, serve};
use dossier::meaning::EmbedderSource;
use dossier::pipeline::ServerOptions;
use dossier::session::{Host, Limits};
use tempfile::TempDir;

use crate::daemon::{Daemon, Ran, until};

#[test]
fn it_is_not_started_where_it_is_not_wanted() {
    let daemon = Daemon::sandbox();
    daemon.run(&["context", "pay the Basket", "--no-daemon"]).shows("pub fn pay");
    let mut unattended = daemon.command(&["context", "pay the Basket"]);
    Ran::of(unattended.env("CI", "true").output().unwrap()).shows("pub fn pay");
    let mut unset = daemon.command(&["context", "pay the Basket"]);
    Ran::of(unset.env("DOSSIER_DAEMON", "false").output().unwrap()).shows("pub fn pay");
    std::thread::park_timeout(Duration::from_millis(500));
    daemon.run(&["daemon", "status"]).ends(1, "no daemon runs");
    daemon.run(&["daemon", "stop"]).ends(1, "no daemon runs");
    assert!(!daemon.folder().exists());
}

#[test]
fn start_stop_and_status_say_what_is() {
    let daemon = Daemon::sandbox();
    daemon.run(&["daemon", "start"]).ends(0, "the daemon runs (process ");
    daemon.run(&["daemon", "start"]).ends(0, "the daemon runs already");
    let process = daemon.process();
    daemon.run(&["daemon", "run"]).ends(2, &format!("another daemon runs already (process {process})"));
    daemon.run(&["daemon", "stop"]).ends(0, &format!("the daemon has ended (process {process})"));
    daemon.run(&["daemon", "status"]).ends(1, "no daemon runs");
    assert!(!daemon.socket().exists() && !is_alive(process));
    let log = std::fs::read_to_string(daemon.sandbox.path("home/.local/state/dossier/daemon.log")).unwrap();
    assert!(log.contains("began") && log.contains("ends"), "{log}");
}

#[cfg(target_os = "linux")]
#[test]
fn keys_are_not_handed_on() {
    let daemon = Daemon::sandbox();
    let mut command = daemon.command(&["context", "pay the Basket"]);
    command.env("OPENAI_API_KEY", "sk-of-nobody").env("RUST_BACKTRACE", "1");
    Ran::of(command.output().unwrap()).shows("pub fn pay");
    let process = daemon.is_there().process();
    let environment = std::fs::read(format!("/proc/{process}/environ")).unwrap();
    let environment = String::from_utf8_lossy(&environment);
    assert!(environment.contains("RUST_BACKTRACE") && !environment.contains("sk-of-nobody"));
}

#[test]
fn of_many_that_start_at_once_one_stays() {
    let daemon = Daemon::sandbox();
    let mut started: Vec<_> = (0..6)
        .map(|_| {
            let mut command = daemon.command(&["daemon", "run"]);
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
        })
        .collect();
    daemon.is_there();
    until("all but one have ended", || {
        started.iter_mut().filter_map(|child| child.try_wait().unwrap()).count() == 5
    });
    let codes: Vec<i32> = started.iter_mut().filter_map(|it| it.try_wait().unwrap()?.code()).collect();
    assert_eq!(codes, [2; 5]);
    daemon.run(&["context", "pay the Basket"]).shows("pub fn pay");
    daemon.run(&["daemon", "stop"]).ends(0, "has ended");
    started.iter_mut().for_each(|child| _ = child.wait());
}

#[test]
fn a_killed_one_is_replaced() {
    let daemon = Daemon::started();
    let answer = daemon.run(&["context", "pay the Basket"]).stdout;
    let first = daemon.process();
    kill(first);
    assert!(daemon.socket().exists(), "a killed process leaves its socket");
    assert_eq!(daemon.run(&["context", "pay the Basket"]).stdout, answer);
    assert_ne!(daemon.is_there().process(), first);
    assert_eq!(daemon.run(&["context", "pay the Basket"]).stdout, answer);
}

#[test]
fn a_client_that_is_killed_leaves_it_well() {
    let daemon = Daemon::started();
    for _ in 0..5 {
        let mut command = daemon.command(&["context", "pay the Basket"]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::park_timeout(Duration::from_millis(8));
        let _ = child.kill();
        child.wait().unwrap();
    }
    daemon.run(&["context", "pay the Basket"]).shows("pub fn pay");
    until("no request is under way", || daemon.status()["requests"] == 1);
}

#[test]
fn another_build_of_the_program_replaces_it() {
    let daemon = Daemon::started();
    let first = daemon.process();
    let other = daemon.sandbox.path("dossier");
    std::fs::copy(env!("CARGO_BIN_EXE_dossier"), &other).unwrap();
    std::fs::set_permissions(&other, std::fs::Permissions::from_mode(0o755)).unwrap();
    let as_other = |arguments: &[&str]| {
        let own = daemon.command(arguments);
        let mut command = std::process::Command::new(&other);
        command.args(arguments).current_dir(own.get_current_dir().unwrap()).env_clear();
        command.envs(own.get_envs().filter_map(|(name, value)| Some((name, value?))));
        Ran::of(command.output().unwrap())
    };
    as_other(&["context", "pay the Basket"]).shows("pub fn pay");
    until("the other's daemon runs", || {
        let ran = as_other(&["daemon", "status", "--json"]);
        let status: Option<serde_json::Value> = serde_json::from_str(&ran.stdout).ok();
        status.is_some_and(|status| status["process"] != first)
    });
    assert!(!is_alive(first));
    as_other(&["context", "pay the Basket"]).shows("pub fn pay");
}

#[test]
fn it_ends_when_it_is_not_used_or_cannot_be_found() {
    let folder = TempDir::new().unwrap();
    let place = DaemonPlace::in_folder(folder.path().join("daemon"));
    let host = |idle| Host {
        index: None,
        server: ServerOptions::default(),
        embedder: EmbedderSource::none(),
        folder: place.folder().to_owned(),
        limits: Limits { idle: Duration::from_millis(idle), ..Limits::default() },
    };
    assert_eq!(serve(&place, host(200), "x".to_owned(), None).unwrap(), Ended::Idle);
    assert!(!place.is_held() && !place.socket().exists());
    let serving = std::thread::spawn({
        let (place, host) = (place.clone(), host(60_000));
        move || serve(&place, host, "x".to_owned(), None)
    });
    until("it listens", || connect(&place).is_ok());
    std::fs::remove_dir_all(place.folder()).unwrap();
    assert_eq!(serving.join().unwrap().unwrap(), Ended::Lost);
}

pub fn is_alive(process: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
}

#[track_caller]
pub fn kill(process: u32) {
    let process = rustix::process::Pid::from_raw(process as i32).unwrap();
    rustix::process::kill_process(process, rustix::process::Signal::KILL).unwrap();
    until("it is dead", || !is_alive(process.as_raw_nonzero().get() as u32));
}
