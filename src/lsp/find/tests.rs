//! Programs of a few lines in the places where a server is looked for.

use std::io::Write;
use std::process::Stdio;
use std::time::{Duration, Instant};

use expect_test::{Expect, expect};
use tempfile::TempDir;

use super::*;
use crate::lsp::RUST_ANALYZER;

const GOOD: &str = "echo 'rust-analyzer 1.95.0 (5980761 2026-04-14)'";

/// A home, a folder `bin` of `PATH` and a workspace.
struct Machine {
    folder: TempDir,
    places: Places,
}

impl Machine {
    /// With these programs: path, and what `/bin/sh` runs. `HERE` stands for the machine's folder.
    fn new(programs: &[(&str, &str)]) -> Machine {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let places = Places {
            configured: None,
            path: Some(root.join("bin").into()),
            cargo_home: Some(root.join("home/.cargo")),
            rustup_home: Some(root.join("home/.rustup")),
            rustup_toolchain: None,
            data_home: Some(root.join("home/.local/share")),
            home: Some(root.join("home")),
        };
        let machine = Machine { folder, places };
        for (path, script) in programs {
            machine.program(path, script);
        }
        machine
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(path)
    }

    /// Written by another process: one that this one writes may still be open in a child of another thread.
    fn program(&self, path: &str, script: &str) {
        let file = self.path(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        let mut writer = std::process::Command::new("/bin/sh")
            .args(["-c", "cat > \"$0\" && chmod +x \"$0\""])
            .arg(&file)
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let text = format!("#!/bin/sh\n{}\n", script.replace("HERE/", self.path("").to_str().unwrap()));
        writer.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        assert!(writer.wait().unwrap().success());
    }

    fn find(&self) -> Result<Found, NotFound> {
        find(&RUST_ANALYZER.program, &self.places, &self.path("ws"), &Deadline::never())
    }

    /// What is found, or what was tried.
    #[track_caller]
    fn check(&self, expect: Expect) {
        let shown = match self.find() {
            Ok(found) => {
                let notes: String = found.notes.iter().map(|note| format!("\n{}", note.text)).collect();
                format!("{} {:?} {:?}{notes}\n", found.version, found.origin, found.command)
            }
            Err(error) => {
                let tried = error.tried.iter().map(|tried| format!("{}: {}\n", tried.place, tried.why));
                tried.collect::<String>() + "→ " + &error.remedy + "\n"
            }
        };
        expect.assert_eq(&shown.replace(self.path("").to_str().unwrap(), "HERE/"));
    }
}

#[test]
fn a_program_on_path_is_taken() {
    Machine::new(&[("bin/rust-analyzer", GOOD)]).check(expect![[r#"
        1.95.0 Path ["HERE/bin/rust-analyzer"]
    "#]]);
}

#[test]
fn every_place_that_was_tried_is_named() {
    let machine = Machine::new(&[(
        "home/.vscode/extensions/rust-lang.rust-analyzer-0.3.1/server/rust-analyzer",
        "exit 1",
    )]);
    machine.check(expect![[r#"
        PATH: not there
        rustup: not there, or its default toolchain has no such component
        HERE/home/.vscode/extensions/rust-lang.rust-analyzer-0.3.1/server/rust-analyzer: it fails
        Mason: not there
        → rustup component add rust-analyzer rust-src
    "#]]);
}

/// A stand-in as rustup installs it, and a rustup that says `which`.
fn proxied(which: &str) -> Machine {
    let machine = Machine::new(&[("bin/rustup", which)]);
    std::fs::create_dir_all(machine.path("home/.rustup/toolchains")).unwrap();
    std::os::unix::fs::symlink("rustup", machine.path("bin/rust-analyzer")).unwrap();
    machine
}

#[test]
fn behind_rustups_stand_in_the_real_file_is_taken() {
    let machine = proxied(
        "[ \"$1\" = which ] && [ \"$PWD\" = / ] && [ -z \"$RUSTUP_TOOLCHAIN\" ] && echo HERE/real/rust-analyzer",
    );
    machine.program("real/rust-analyzer", GOOD);
    machine.check(expect![[r#"
        1.95.0 Rustup ["HERE/real/rust-analyzer"]
    "#]]);
}

#[test]
fn a_rustup_that_has_nothing_installed_is_not_asked() {
    let machine = proxied("touch HERE/asked");
    std::fs::remove_dir(machine.path("home/.rustup/toolchains")).unwrap();
    assert!(machine.find().is_err());
    assert!(!machine.path("asked").exists());
}

#[test]
fn a_stand_in_without_its_component_is_passed_over() {
    let lacking = "echo \"error: 'rust-analyzer' is not installed\" >&2; exit 1";
    let machine = proxied(lacking);
    machine.check(expect![[r#"
        rustup: not there, or its default toolchain has no such component
        VS Code's extensions: not there
        Mason: not there
        → rustup component add rust-analyzer rust-src
    "#]]);
    machine.program("home/.rustup/toolchains/1.94.0-x/bin/rust-analyzer", GOOD);
    machine.program("home/.rustup/toolchains/nightly-x/bin/rust-analyzer", GOOD);
    machine.check(expect![[r#"
        1.95.0 Rustup ["HERE/home/.rustup/toolchains/1.94.0-x/bin/rust-analyzer"]
    "#]]);
}

#[test]
fn the_newest_extension_is_taken_by_number() {
    let old =
        ("home/.vscode/extensions/rust-lang.rust-analyzer-0.3.999-linux-x64/server/rust-analyzer", GOOD);
    let new = ("home/.vscode-oss/extensions/rust-lang.rust-analyzer-0.3.2563/server/rust-analyzer", GOOD);
    let other = ("home/.vscode/extensions/someone.rust-analyzer-9.0.0/server/rust-analyzer", GOOD);
    Machine::new(&[old, new, other]).check(expect![[r#"
        1.95.0 VsCode ["HERE/home/.vscode-oss/extensions/rust-lang.rust-analyzer-0.3.2563/server/rust-analyzer"]
    "#]]);
    Machine::new(&[("home/.local/share/nvim/mason/bin/rust-analyzer", GOOD)]).check(expect![[r#"
        1.95.0 Mason ["HERE/home/.local/share/nvim/mason/bin/rust-analyzer"]
    "#]]);
}

#[test]
fn folders_of_path_that_a_workspace_may_fill_are_passed_over() {
    let mut machine =
        Machine::new(&[("ws/bin/rust-analyzer", "touch HERE/mark"), ("bin/rust-analyzer", GOOD)]);
    std::os::unix::fs::symlink("ws/bin", machine.path("linked")).unwrap();
    let folders = ["bin", ".", "", "WS", "LINKED", "BIN"].map(|folder| match folder {
        "WS" => machine.path("ws/bin"),
        "LINKED" => machine.path("linked"),
        "BIN" => machine.path("bin"),
        relative => relative.into(),
    });
    machine.places.path = Some(std::env::join_paths(folders).unwrap());
    machine.check(expect![[r#"
        1.95.0 Path ["HERE/bin/rust-analyzer"]
    "#]]);
    assert!(!machine.path("mark").exists());
}

#[test]
fn what_tells_no_version_or_fails_gives_way_to_the_next() {
    for odd in [
        "echo hello",
        "exit 3",
        "kill -9 $$",
        "head -c 100000000 /dev/zero",
        "echo 1.0.0; exit 1",
        "cat",
        "true",
    ] {
        let machine = Machine::new(&[("first/rust-analyzer", odd), ("bin/rust-analyzer", GOOD)]);
        let mut places = machine.places.clone();
        places.path = Some(std::env::join_paths([machine.path("first"), machine.path("bin")]).unwrap());
        let found = find(&RUST_ANALYZER.program, &places, &machine.path("ws"), &Deadline::never()).unwrap();
        assert_eq!(found.command, [machine.path("bin/rust-analyzer")], "{odd}");
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a stranger's process cannot be waited for; it ends by `end`")]
fn what_hangs_is_ended_with_what_it_started() {
    let machine = Machine::new(&[("bin/rust-analyzer", "sleep 77.25 & echo $! > HERE/pid; wait")]);
    let start = Instant::now();
    let deadline = Deadline::after(Duration::from_millis(300));
    let error = find(&RUST_ANALYZER.program, &machine.places, &machine.path("ws"), &deadline).unwrap_err();
    assert!(start.elapsed() < Duration::from_secs(4), "{:?}", start.elapsed());
    assert!(error.tried.iter().any(|tried| tried.why.contains("does not answer")), "{error}");
    let pid = std::fs::read_to_string(machine.path("pid")).unwrap();
    let gone = |pid: &str| {
        let alive = std::process::Command::new("/bin/kill").args(["-0", pid]).stderr(Stdio::null()).status();
        !alive.unwrap().success()
            || std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|it| it.contains(") Z "))
    };
    let end = Instant::now() + Duration::from_secs(5);
    while !gone(pid.trim()) {
        assert!(Instant::now() < end, "{pid} runs on");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_configured_command_counts_alone() {
    let mut machine =
        Machine::new(&[("bin/rust-analyzer", GOOD), ("home/ra", GOOD), ("bin/other", "exit 1")]);
    let mut check = |command: &[&str], expect: Expect| {
        machine.places.configured = Some(command.iter().map(|part| part.to_string()).collect());
        machine.check(expect);
    };
    check(
        &["rust-analyzer", "--log-file", "a b"],
        expect![[r#"
        1.95.0 Setting ["HERE/bin/rust-analyzer", "--log-file", "a b"]
    "#]],
    );
    check(
        &["other"],
        expect![[r#"
        HERE/bin/other: it fails
        → mend the setting lsp_command, or leave it out
    "#]],
    );
    check(
        &["no-such-program"],
        expect![[r#"
        no-such-program: not on PATH
        → mend the setting lsp_command, or leave it out
    "#]],
    );
    check(
        &["./ra"],
        expect![[r#"
        ./ra: give its whole path
        → mend the setting lsp_command, or leave it out
    "#]],
    );
    check(
        &["~/ra"],
        expect![[r#"
        1.95.0 Setting ["HERE/home/ra"]
    "#]],
    );
}

#[test]
fn an_old_version_is_noted_and_one_that_would_run_code_is_passed_over() {
    let told = |version: &str| Machine::new(&[("bin/rust-analyzer", &format!("echo '{version}'"))]);
    told("rust-analyzer 1.75.0 (82e1608d 2023-12-21)").check(expect![[r#"
        1.75.0 Path ["HERE/bin/rust-analyzer"]
        rust-analyzer 1.75.0 of 2023-12-21 is old and knows less than is asked of it: update it (`rustup update`)
    "#]]);
    told("rust-analyzer 0.0.0").check(expect![[r#"
        0.0.0 Path ["HERE/bin/rust-analyzer"]
        rust-analyzer 0.0.0 does not tell its date: one from before 2023-06-15 would build the workspace, and run code of it
    "#]]);
    told("rust-analyzer 2022-03-01").check(expect![[r#"
        HERE/bin/rust-analyzer: version 2022-03-01 of 2022-03-01 is too old: it would build the workspace, and run code of it
        rustup: not there, or its default toolchain has no such component
        VS Code's extensions: not there
        Mason: not there
        → rustup component add rust-analyzer rust-src
    "#]]);
}

#[test]
fn a_glance_starts_nothing() {
    let machine = Machine::new(&[("bin/rust-analyzer", "touch HERE/mark")]);
    assert_eq!(
        glance(&RUST_ANALYZER.program, &machine.places, &machine.path("ws")),
        Some(machine.path("bin/rust-analyzer"))
    );
    assert!(!machine.path("mark").exists());
}
