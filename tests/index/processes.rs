//! Several processes at once, and writers that are killed.

use std::process::{Child, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use super::support::Sandbox;

/// How often a writer is killed.
const KILLS: u32 = 60;
const FILES: usize = 40;

/// A workspace whose index takes a while to write.
fn workspace() -> Sandbox {
    let sandbox = Sandbox::new("//- /Cargo.toml\n[package]\nname = \"shop\"\nedition = \"2024\"\n");
    let lib: String = (0..FILES).map(|n| format!("mod part{n};\n")).collect();
    sandbox.write("src/lib.rs", lib);
    (0..FILES).for_each(|n| write(&sandbox, n, 0));
    sandbox
}

fn write(sandbox: &Sandbox, n: usize, round: u32) {
    let functions: String = (0..30)
        .map(|k| format!("/// Pays {k}.\npub fn pay_{k}_{round}(order: u32) -> u32 {{ crate::part{}::pay_{k}_0(order + {round}) }}\n", (n + 1) % FILES))
        .collect();
    sandbox.write(&format!("src/part{n}.rs"), functions);
}

fn start(sandbox: &Sandbox) -> Child {
    let mut command = sandbox.command(&["index"]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

fn wait(time: Duration) {
    let (_sender, never) = mpsc::channel::<()>();
    let _time_is_over = never.recv_timeout(time);
}

#[track_caller]
fn check(sandbox: &Sandbox) {
    let question = ["context", "pay_7_3 in src/part5.rs", "--token-budget", "1500"];
    let kept = sandbox.run(&question);
    let anew = sandbox.run(&[&question[..], &["--no-index"]].concat());
    assert_eq!((kept.stdout, kept.stderr), (anew.stdout, anew.stderr));
}

#[test]
fn a_killed_writer_leaves_the_last_good_state() {
    let sandbox = workspace();
    let since = Instant::now();
    assert!(start(&sandbox).wait().unwrap().success());
    let whole = since.elapsed();
    let mut killed = 0;
    for round in 1..=KILLS {
        // A few change and the rest stays; every tenth time all is written.
        (0..if round % 10 == 0 { FILES } else { 3 }).for_each(|n| write(&sandbox, n, round));
        let mut writer = start(&sandbox);
        wait(whole * round / KILLS);
        killed += u32::from(writer.try_wait().unwrap().is_none());
        writer.kill().unwrap();
        writer.wait().unwrap();
        // Whatever state it is, it is one.
        let status = sandbox.run(&["index", "--status"]);
        assert_eq!((status.code, status.stderr.as_str()), (0, ""), "round {round}");
        if round % 6 == 0 {
            check(&sandbox);
        }
    }
    assert!(killed > KILLS / 4, "{killed} were killed before their end: the machine got faster meanwhile");
    assert!(!sandbox.run(&["index"]).stdout.contains("damaged"));
}

#[test]
fn several_at_once_agree() {
    let sandbox = workspace();
    for round in 0..3 {
        (0..2).for_each(|n| write(&sandbox, n, round));
        let question = ["context", "pay_7_0 in src/part5.rs", "--token-budget", "1500"];
        let anew = sandbox.run(&[&question[..], &["--no-index"]].concat());
        let commands: Vec<Child> = (0..8)
            .map(|_| {
                let mut command = sandbox.command(&question);
                command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
            })
            .collect();
        for child in commands {
            let output = child.wait_with_output().unwrap();
            let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
            let (stdout, stderr) = (text(output.stdout), text(output.stderr));
            assert!(!stderr.contains("index"), "{stderr}");
            // A slow machine does not get eight answers done in time.
            if stderr.is_empty() {
                assert_eq!(stdout, anew.stdout);
            }
        }
    }
    sandbox.run(&["index", "--status"]).shows(&["changed     0 since\n"]);
}

#[test]
fn a_folder_that_is_removed_meanwhile_is_made_again() {
    let sandbox = workspace();
    let mut writer = start(&sandbox);
    while writer.try_wait().unwrap().is_none() {
        drop(std::fs::remove_dir_all(super::faults::folder(&sandbox)));
        wait(Duration::from_millis(5));
    }
    check(&sandbox);
    sandbox.run(&["index"]).shows(&["changed     0 since\n"]);
}
