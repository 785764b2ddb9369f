//! What happens to folders and files under it.

use std::os::unix::fs::{PermissionsExt, symlink};

use crate::daemon::{Daemon, until};

#[test]
fn a_folder_that_others_may_enter_is_not_used() {
    let daemon = Daemon::sandbox();
    std::fs::create_dir_all(daemon.folder()).unwrap();
    std::fs::set_permissions(daemon.folder(), std::fs::Permissions::from_mode(0o777)).unwrap();
    daemon.run(&["daemon", "start"]).ends(2, "others may enter it");
    daemon.run(&["daemon", "run"]).ends(2, "others may enter it");
    daemon.run(&["context", "pay the Basket"]).shows("pub fn pay");
    std::fs::remove_dir(daemon.folder()).unwrap();
}

#[test]
fn something_else_at_the_place_of_the_socket_is_no_daemon() {
    let daemon = Daemon::started();
    daemon.run(&["daemon", "stop"]).ends(0, "has ended");
    std::fs::write(daemon.socket(), "no socket").unwrap();
    daemon.run(&["context", "pay the Basket"]).shows("pub fn pay");
    daemon.is_there().run(&["context", "pay the Basket"]).shows("pub fn pay");
}

#[test]
fn the_cache_may_go_while_it_runs() {
    let daemon = Daemon::started();
    let answer = daemon.run(&["context", "pay the Basket"]).stdout;
    let first = daemon.process();
    std::fs::remove_dir_all(daemon.sandbox.path("home/.cache")).unwrap();
    assert_eq!(daemon.run(&["context", "pay the Basket"]).stdout, answer);
    until("the lost one has ended", || !super::life::is_alive(first));
    daemon.is_there();
    assert_eq!(daemon.run(&["context", "pay the Basket"]).stdout, answer);
}

#[test]
fn a_workspace_that_goes_comes_back_or_is_another_is_seen() {
    let daemon = Daemon::started();
    daemon.run(&["context", "shelf_count"]).shows("{ 3 }");
    let (ws, away) = (daemon.sandbox.path("ws"), daemon.sandbox.path("away"));
    std::fs::rename(&ws, &away).unwrap();
    let mut wire = daemon.wire();
    let gone = wire.ask("dossier/context", daemon.task("shelf_count"));
    assert!(gone["error"]["message"].as_str().unwrap().contains("cannot open the workspace"), "{gone}");
    // Another in its place, then a link.
    std::fs::create_dir_all(ws.join("src")).unwrap();
    std::fs::write(ws.join("src/lib.rs"), "pub fn shelf_count() -> u32 { 99 }\n").unwrap();
    daemon.run(&["context", "shelf_count"]).shows("{ 99 }");
    std::fs::remove_dir_all(&ws).unwrap();
    symlink(&away, &ws).unwrap();
    daemon.run(&["context", "shelf_count"]).shows("{ 3 }");
    std::fs::remove_file(&ws).unwrap();
    std::fs::rename(&away, &ws).unwrap();
    daemon.run(&["context", "shelf_count"]).shows("{ 3 }");
}

#[test]
fn files_that_change_all_the_time_are_answered_from_one_state() {
    let daemon = &Daemon::started();
    let write = |number: u32| {
        let text = format!("pub fn shelf_count() -> u32 {{ {number} + {number} }}\n");
        daemon.sandbox.write("src/stock.rs", text);
    };
    write(1000);
    daemon.run(&["context", "shelf_count"]).shows("{ 1000 + 1000 }");
    let (running, stopped) = std::sync::mpsc::channel::<()>();
    std::thread::scope(move |scope| {
        let running = running;
        scope.spawn(move || {
            // Until the other end is dropped, by a panic too.
            for number in 1001.. {
                if stopped.try_recv() == Err(std::sync::mpsc::TryRecvError::Disconnected) {
                    return;
                }
                write(number);
            }
        });
        for _ in 0..20 {
            let shown = daemon.run(&["context", "shelf_count"]);
            let line = shown.stdout.lines().find(|line| line.contains(" + ")).unwrap_or_default();
            if let Some((a, b)) = line.split_once(" + ") {
                let (a, b) = (a.rsplit(' ').next(), b.split(' ').next());
                assert_eq!(a, b, "half of one text and half of another: {line}");
            }
        }
        drop(running);
    });
}
