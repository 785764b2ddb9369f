//! Which toolchain is chosen, by what a workspace asks for and what is installed.

use expect_test::{Expect, expect};
use tempfile::TempDir;

use super::*;

const HOST: &str = "x86_64-unknown-linux-gnu";

struct Machine {
    folder: TempDir,
    places: Places,
}

impl Machine {
    /// With these toolchains (`-HOST` is appended) and a default, where there are any.
    fn new(toolchains: &[&str], settings: &str) -> Machine {
        let folder = tempfile::tempdir().unwrap();
        let rustup = folder.path().join("rustup");
        for toolchain in toolchains {
            std::fs::create_dir_all(rustup.join(format!("toolchains/{toolchain}-{HOST}/bin"))).unwrap();
        }
        std::fs::create_dir_all(folder.path().join("ws/src")).unwrap();
        std::fs::create_dir_all(&rustup).unwrap();
        let ws = folder.path().join("ws");
        let settings = settings.replace("HOST", HOST).replace("WS", ws.to_str().unwrap());
        std::fs::write(rustup.join("settings.toml"), settings).unwrap();
        let places = Places { rustup_home: Some(rustup), ..Places::default() };
        Machine { folder, places }
    }

    fn ws(&self) -> PathBuf {
        self.folder.path().join("ws")
    }

    /// The toolchain, the variable `RUSTUP_TOOLCHAIN` where it is set, the notes; for a workspace with this toolchain file.
    #[track_caller]
    fn check(&self, file: Option<&str>, expect: Expect) {
        if let Some(text) = file {
            std::fs::write(self.ws().join("rust-toolchain.toml"), text).unwrap();
        }
        let environment = environment(&self.ws(), &self.places);
        let name = environment.toolchain.as_deref().and_then(Path::file_name).unwrap_or("unknown".as_ref());
        let mut shown = name.to_string_lossy().into_owned() + "\n";
        for (name, value) in environment.variables.iter().filter(|(name, _)| name == TOOLCHAIN) {
            shown.push_str(&format!("{} = {:?}\n", name.display(), value.as_ref().unwrap()));
        }
        for note in &environment.notes {
            shown.push_str(&format!("{}\n", note.text));
        }
        expect.assert_eq(&shown);
    }
}

const SETTINGS: &str = "version = '12'\ndefault_toolchain = 'stable-HOST'\n[overrides]\n";

fn channel(channel: &str) -> Option<String> {
    Some(format!("[toolchain]\nchannel = '{channel}'\ncomponents = ['miri']\n"))
}

#[test]
fn without_a_file_the_default_is_left_alone() {
    Machine::new(&["1.90.0", "stable"], SETTINGS).check(
        None,
        expect![[r#"
        stable-x86_64-unknown-linux-gnu
    "#]],
    );
    Machine::new(&["1.90.0"], "").check(
        None,
        expect![[r#"
            unknown
        "#]],
    );
}

#[test]
fn an_installed_channel_is_taken_by_its_whole_name() {
    let machine = Machine::new(&["1.90.0", "nightly", "nightly-2026-01-31", "stable"], SETTINGS);
    machine.check(
        channel("nightly").as_deref(),
        expect![[r#"
        nightly-x86_64-unknown-linux-gnu
        RUSTUP_TOOLCHAIN = "nightly-x86_64-unknown-linux-gnu"
    "#]],
    );
    machine.check(
        channel("nightly-2026-01-31").as_deref(),
        expect![[r#"
        nightly-2026-01-31-x86_64-unknown-linux-gnu
        RUSTUP_TOOLCHAIN = "nightly-2026-01-31-x86_64-unknown-linux-gnu"
    "#]],
    );
    machine.check(
        channel("1.90").as_deref(),
        expect![[r#"
        1.90.0-x86_64-unknown-linux-gnu
        RUSTUP_TOOLCHAIN = "1.90.0-x86_64-unknown-linux-gnu"
    "#]],
    );
}

#[test]
fn in_place_of_what_is_not_installed_the_default_serves_and_a_note_says_so() {
    let machine = Machine::new(&["1.90.0", "stable"], SETTINGS);
    machine.check(channel("1.60.0").as_deref(), expect![[r#"
        stable-x86_64-unknown-linux-gnu
        RUSTUP_TOOLCHAIN = "stable-x86_64-unknown-linux-gnu"
        rust-toolchain.toml asks for the toolchain 1.60.0, which is not installed: stable-x86_64-unknown-linux-gnu serves instead; `rustup toolchain install 1.60.0` installs it
    "#]]);
    machine.check(channel("1.9").as_deref(), expect![[r#"
        stable-x86_64-unknown-linux-gnu
        RUSTUP_TOOLCHAIN = "stable-x86_64-unknown-linux-gnu"
        rust-toolchain.toml asks for the toolchain 1.9, which is not installed: stable-x86_64-unknown-linux-gnu serves instead; `rustup toolchain install 1.9` installs it
    "#]]);
    Machine::new(&["1.90.0"], "").check(channel("beta").as_deref(), expect![[r#"
        1.90.0-x86_64-unknown-linux-gnu
        RUSTUP_TOOLCHAIN = "1.90.0-x86_64-unknown-linux-gnu"
        rust-toolchain.toml asks for the toolchain beta, which is not installed: 1.90.0-x86_64-unknown-linux-gnu serves instead; `rustup toolchain install beta` installs it
    "#]]);
}

#[test]
fn the_users_own_choice_wins_over_the_file() {
    let overridden = format!("{SETTINGS}'WS' = '1.90.0-HOST'\n");
    let mut machine = Machine::new(&["1.90.0", "stable"], &overridden);
    machine.check(
        channel("1.60.0").as_deref(),
        expect![[r#"
        1.90.0-x86_64-unknown-linux-gnu
    "#]],
    );
    machine.places.rustup_toolchain = Some("stable".to_owned());
    machine.check(
        None,
        expect![[r#"
        stable-x86_64-unknown-linux-gnu
    "#]],
    );
}

#[test]
fn path_is_left_with_the_users_folders() {
    let mut machine = Machine::new(&["stable"], SETTINGS);
    let ws = machine.ws();
    machine.places.path =
        Some(
            std::env::join_paths(
                ["/usr/bin".into(), ws.join("src"), "rel".into(), "/bin".into()] as [PathBuf; 4]
            )
            .unwrap(),
        );
    let environment = environment(&ws, &machine.places);
    let get = |name: &str| {
        let found = environment.variables.iter().find(|(variable, _)| variable == name);
        found.and_then(|(_, value)| value.clone())
    };
    assert_eq!(get("PATH"), Some("/usr/bin:/bin".into()));
    assert_eq!(get("RUSTUP_AUTO_INSTALL"), Some("0".into()));
}

#[test]
fn sources_are_looked_up() {
    let machine = Machine::new(&["stable"], SETTINGS);
    let toolchain = environment(&machine.ws(), &machine.places).toolchain.unwrap();
    assert!(!has_sources(&toolchain));
    std::fs::create_dir_all(toolchain.join(SOURCES)).unwrap();
    assert!(has_sources(&toolchain));
}
