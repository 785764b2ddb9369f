//! What the system does not give, and what is more than usual: watches that run out, a process that is suspended, a folder of another
//! user, a workspace of a hundred thousand files.

use std::time::Instant;

use rustix::process::{Pid, Signal, kill_process};

use crate::daemon::{Daemon, until};

fn few_watches(most: usize) -> String {
    format!("echo {most} > /proc/sys/user/max_inotify_watches")
}

#[track_caller]
fn knows_every_edit(daemon: &Daemon, path: &str, name: &str) {
    for number in 0..5 {
        daemon.sandbox.write(path, format!("pub fn {name}() -> u32 {{ 500 + {number} }}\n"));
        daemon.run(&["context", name]).shows(&format!("500 + {number} "));
    }
}

#[test]
fn where_there_are_no_watches_each_request_looks() {
    // None for the fences; one for them, and one for the workspace's two folders.
    for most in [0, 2] {
        let daemon = Daemon::sandbox();
        if !daemon.starts_apart(&few_watches(most)) {
            return;
        }
        knows_every_edit(&daemon, "src/stock.rs", "shelf_count");
        let status = daemon.status();
        assert_eq!(status["workspaces"][0]["is_watched"], false, "{status}");
        daemon.run(&["daemon", "status"]).shows("changes are not seen as they happen");
    }
}

#[test]
fn watches_that_run_out_later_are_told() {
    let daemon = Daemon::sandbox();
    // One for the fences, two for what there is, one more.
    if !daemon.starts_apart(&few_watches(4)) {
        return;
    }
    knows_every_edit(&daemon, "src/stock.rs", "shelf_count");
    assert_eq!(daemon.status()["workspaces"][0]["is_watched"], true);
    knows_every_edit(&daemon, "src/one/place.rs", "loading_ramp");
    assert_eq!(daemon.status()["workspaces"][0]["is_watched"], true);
    knows_every_edit(&daemon, "src/two/place.rs", "harbour_crane");
    knows_every_edit(&daemon, "src/three/place.rs", "cold_store");
    knows_every_edit(&daemon, "src/two/place.rs", "harbour_crane");
    let status = daemon.status();
    assert_eq!(status["workspaces"][0]["is_watched"], false, "{status}");
    daemon.run(&["daemon", "status"]).shows("changes are not seen as they happen");
    // Where there are enough again, it watches again.
    std::fs::remove_dir_all(daemon.sandbox.ws("src/two")).unwrap();
    std::fs::remove_dir_all(daemon.sandbox.ws("src/three")).unwrap();
    knows_every_edit(&daemon, "src/stock.rs", "shelf_count");
    until("it watches", || daemon.status()["workspaces"][0]["is_watched"] == true);
}

/// A hundred thousand take a minute where nothing is optimised: `cargo bench --bench growth -- --many`.
#[test]
fn very_many_files_are_answered() {
    const FOLDERS: usize = 100;
    const FILES: usize = 80;
    let daemon = Daemon::sandbox();
    let modules =
        |letter: &str, count| (0..count).map(|n| format!("pub mod {letter}{n};\n")).collect::<String>();
    daemon.sandbox.write("src/lib.rs", modules("d", FOLDERS));
    for folder in 0..FOLDERS {
        daemon.sandbox.write(&format!("src/d{folder}/mod.rs"), modules("m", FILES));
        for file in 0..FILES {
            let text = format!("pub fn part_{folder}_{file}(order: u32) -> u32 {{ order + 1000 }}\n");
            daemon.sandbox.write(&format!("src/d{folder}/m{file}.rs"), text);
        }
    }
    let since = Instant::now();
    daemon.run(&["daemon", "start"]).ends(0, "runs");
    daemon.run(&["context", "part_17_33", "--fresh"]).shows("pub fn part_17_33(");
    let opened = since.elapsed();
    let path = daemon.sandbox.ws("src/d17/m33.rs");
    std::fs::write(path, "pub fn part_17_33(order: u32) -> u32 { order + 2000 }\n").unwrap();
    daemon.run(&["context", "part_17_33", "--fresh"]).shows("order + 2000");
    let status = daemon.status();
    eprintln!(
        "{} files: opened in {opened:?}, {} MB",
        FOLDERS * FILES,
        status["memory"].as_u64().unwrap() / 1_000_000
    );
    assert_eq!(status["workspaces"][0]["is_watched"], true, "{status}");
    assert_eq!(status["workspaces"][0]["files"], FOLDERS * (FILES + 1) + 4);
    until("nothing is under way", || daemon.status()["requests"] == 1);
}

#[test]
fn one_that_is_suspended_keeps_nobody_waiting() {
    let daemon = Daemon::started();
    let answer = daemon.run(&["context", "pay the Basket"]).stdout;
    let process = daemon.process();
    let pid = Pid::from_raw(process as i32).unwrap();
    kill_process(pid, Signal::STOP).unwrap();
    let since = Instant::now();
    let alone = daemon.run(&["context", "pay the Basket"]);
    let took = since.elapsed();
    daemon.sandbox.write("src/stock.rs", "pub fn shelf_count() -> u32 { 77 }\n");
    kill_process(pid, Signal::CONT).unwrap();
    assert_eq!(alone.stdout, answer);
    assert!(took.as_secs() < 15, "{took:?}");
    daemon.run(&["context", "shelf_count"]).shows("{ 77 }");
    assert_eq!(daemon.process(), process);
    until("nothing is under way", || daemon.status()["requests"] == 1);
}

#[test]
fn a_folder_of_another_user_is_not_used() {
    let daemon = Daemon::started();
    daemon.run(&["daemon", "stop"]).ends(0, "has ended");
    let nobody = 65_534;
    if std::os::unix::fs::chown(daemon.folder(), Some(nobody), None).is_err() {
        eprintln!("not tested: only root may give a folder to another user");
        return;
    }
    daemon.run(&["daemon", "start"]).ends(2, "is another user's");
    daemon.run(&["context", "pay the Basket"]).shows("pub fn pay");
    std::fs::remove_dir_all(daemon.folder()).unwrap();
    daemon.run(&["context", "pay the Basket"]).shows("pub fn pay");
    daemon.is_there();
}
