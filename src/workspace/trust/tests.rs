//! Planted files, and what is found of them.

use expect_test::{Expect, expect};

use super::*;
use crate::workspace::fixture::Folder;

const PACKAGE: &str = "[package]\nname = \"a\"\nversion = \"0.1.0\"\n";

/// The findings in a package with these files, one a line.
#[track_caller]
fn check(files: &[(&str, &str)], expect: Expect) {
    let folder = Folder::new(&[("Cargo.toml", PACKAGE)]);
    for (path, text) in files {
        folder.write(path, text);
    }
    expect.assert_eq(&shown(&folder, &folder.path()));
}

fn shown(folder: &Folder, root: &Path) -> String {
    let findings = needs_trust(root, None);
    let lines: String = findings.iter().map(|finding| format!("{finding}\n")).collect();
    lines.replace(&folder.path().display().to_string(), "FOLDER")
}

#[track_caller]
fn free(files: &[(&str, &str)]) {
    check(files, expect![[""]]);
}

#[test]
fn programs_in_place_of_the_compiler_are_found() {
    check(
        &[(
            ".cargo/config.toml",
            "build.rustdoc = 'd'\n[build]\nrustc = './x'\nrustc-wrapper = 'sccache'\nrustc_workspace_wrapper = ['a', 'b']\n",
        )],
        expect![[r#"
            .cargo/config.toml:2: it cannot be parsed, so what it could run is not known
        "#]],
    );
    check(
        &[(
            ".cargo/config.toml",
            "[build]\nrustc = './x'\nrustc-wrapper = 'sccache'\nrustc_workspace_wrapper = ['a', 'b']\nrustdoc = 3\njobs = 2\n",
        )],
        expect![[r#"
            .cargo/config.toml:2: build.rustc runs "./x"
            .cargo/config.toml:3: build.rustc-wrapper runs "sccache"
            .cargo/config.toml:4: build.rustc_workspace_wrapper runs "a" "b"
            .cargo/config.toml:5: build.rustdoc runs a value of the type integer
        "#]],
    );
    free(&[(".cargo/config.toml", "[build]\nrustc-wrapper = ''\nrustc-workspace-wrapper = \"\"\n")]);
}

#[test]
fn credential_providers_and_included_files_are_found() {
    check(
        &[(
            ".cargo/config",
            "include = ['more.toml']\n[registry]\ncredential-provider = ['./steal', 'x']\nglobal-credential-providers = ['cargo:token', 'mine']\n[registries.r]\ncredential-provider = 'cargo:token-from-stdout ./x'\n[credential-alias]\nmine = './x'\n",
        )],
        expect![[r#"
            .cargo/config:1: include reads more of it from "more.toml"
            .cargo/config:3: registry.credential-provider runs "./steal" "x"
            .cargo/config:4: registry.global-credential-providers runs "cargo:token" "mine"
            .cargo/config:6: registries.r.credential-provider runs "cargo:token-from-stdout ./x"
            .cargo/config:8: credential-alias.mine runs "./x"
        "#]],
    );
    free(&[(
        ".cargo/config.toml",
        "[registry]\nglobal-credential-providers = ['cargo:token', 'cargo:libsecret']\n[registries.r]\nindex = 'sparse+https://example.org/'\ncredential-provider = 'cargo:token'\n",
    )]);
}

#[test]
fn variables_and_flags_that_load_code_are_found() {
    check(
        &[(
            ".cargo/config.toml",
            "[env]\nLD_PRELOAD = { value = 'x.so', relative = true }\nRUSTC_WRAPPER = 'x'\nA_B = '1'\n[build]\nrustflags = '-C opt-level=3 -Zcodegen-backend=x.so'\ntarget = 'board.json'\n[target.'cfg(unix)']\nrustflags = ['@flags']\n[target.x86_64-unknown-linux-gnu]\nrustflags = [1]\nlinker = 'clang'\nrunner = './run'\n[profile.dev]\ncodegen-backend = 'x'\n",
        )],
        expect![[r#"
            .cargo/config.toml:2: env.LD_PRELOAD can change which programs run
            .cargo/config.toml:3: env.RUSTC_WRAPPER can change which programs run
            .cargo/config.toml:6: build.rustflags gives rustc "-Zcodegen-backend=x.so", which is not known to be harmless
            .cargo/config.toml:7: build.target gives rustc options from the file "board.json"
            .cargo/config.toml:9: target.cfg(unix).rustflags gives rustc "@flags", which is not known to be harmless
            .cargo/config.toml:11: target.x86_64-unknown-linux-gnu.rustflags is a value of the type array
            .cargo/config.toml:15: profile.dev.codegen-backend has rustc load "x"
        "#]],
    );
}

#[test]
fn what_most_repositories_set_needs_no_trust() {
    free(&[
        (
            ".cargo/config.toml",
            "[alias]\nxtask = 'run --package xtask --'\n[build]\ntarget-dir = 't'\ntarget = ['x86_64-unknown-linux-gnu']\nrustflags = ['--cfg', 'tokio_unstable', '-Dwarnings']\n[env]\nCARGO_WORKSPACE_DIR = { value = '', relative = true }\n[net]\ngit-fetch-with-cli = true\n[profile.dev]\ndebug = 0\n[target.x86_64-pc-windows-msvc]\nlinker = 'rust-lld.exe'\nrustflags = ['-C', 'target-feature=+crt-static']\n",
        ),
        ("rust-toolchain.toml", "[toolchain]\nchannel = 'nightly-2026-01-31'\ncomponents = ['rustfmt']\n"),
        (
            "rust-analyzer.toml",
            "[diagnostics]\nenable = false\n[cargo]\nfeatures = 'all'\n[workspace.symbol.search]\nlimit = 9\n",
        ),
        ("build.rs", "fn main() {}"),
    ]);
    free(&[("rust-toolchain", "1.95.0\n")]);
    free(&[("rust-toolchain", "stable")]);
}

#[test]
fn toolchains_of_the_workspaces_own_are_found() {
    check(
        &[("rust-toolchain.toml", "\u{feff}[toolchain]\npath = 'tools'\n"), ("rust-toolchain", "/opt/x\n")],
        expect![[r#"
            rust-toolchain:1: its toolchain's programs are run from "/opt/x"
            rust-toolchain.toml:2: toolchain.path has the toolchain's programs run from "tools"
        "#]],
    );
    check(
        &[("rust-toolchain", "[toolchain]\nchannel = '../x'\n"), ("rust-toolchain.toml", "[toolchain\n")],
        expect![[r#"
            rust-toolchain:2: toolchain.channel has the toolchain's programs run from "../x"
            rust-toolchain.toml:1: it cannot be parsed, so what it could run is not known
        "#]],
    );
}

#[test]
fn a_servers_configuration_is_harmless_only_where_it_is_known_to_be() {
    check(
        &[
            (
                "rust-analyzer.toml",
                "checkOnSave = true\n'cargo.extraEnv' = 1\n[cargo]\nbuildScripts.enable = true\nextraEnv = { RUSTC = 'x' }\nfeatures = []\n[check]\noverrideCommand = ['./x']\n[procMacro]\nserver = './x'\n[workspace.discoverConfig]\ncommand = ['./x']\n[rustfmt]\noverrideCommand = ['x']\n[hover]\nlinks.enable = false\n",
            ),
            ("crates/b/Cargo.toml", PACKAGE),
            ("crates/b/.rust-analyzer.toml", "new.section = 1"),
        ],
        expect![[r#"
            crates/b/.rust-analyzer.toml:1: new.section can have rust-analyzer run programs
            rust-analyzer.toml:1: checkOnSave can have rust-analyzer run programs
            rust-analyzer.toml:2: cargo.extraEnv can have rust-analyzer run programs
            rust-analyzer.toml:4: cargo.buildScripts.enable can have rust-analyzer run programs
            rust-analyzer.toml:5: cargo.extraEnv.RUSTC can have rust-analyzer run programs
            rust-analyzer.toml:8: check.overrideCommand can have rust-analyzer run programs
            rust-analyzer.toml:10: procMacro.server can have rust-analyzer run programs
            rust-analyzer.toml:12: workspace.discoverConfig.command can have rust-analyzer run programs
            rust-analyzer.toml:14: rustfmt.overrideCommand can have rust-analyzer run programs
        "#]],
    );
}

#[test]
fn packages_the_way_to_them_and_the_folders_above_are_looked_at() {
    const WRAPPER: &str = "build.rustc-wrapper = 'x'";
    let folder = Folder::new(&[
        (".cargo/config.toml", WRAPPER),
        ("rust-toolchain", "/x"),
        ("ws/Cargo.toml", "[workspace]\nmembers = ['a/b/c']"),
        ("ws/.gitignore", "a\n"),
        ("ws/a/.cargo/config.toml", WRAPPER),
        ("ws/a/b/c/Cargo.toml", PACKAGE),
        ("ws/a/b/c/.cargo/config", WRAPPER),
        ("ws/.hidden/Cargo.toml", PACKAGE),
        ("ws/.hidden/.cargo/config", WRAPPER),
        ("ws/docs/.cargo/config.toml", WRAPPER),
        ("ws/target/CACHEDIR.TAG", ""),
        ("ws/target/package/Cargo.toml", PACKAGE),
        ("ws/target/package/.cargo/config.toml", WRAPPER),
    ]);
    expect![[r#"
        .hidden/.cargo/config:1: build.rustc-wrapper runs "x"
        FOLDER/.cargo/config.toml:1: build.rustc-wrapper runs "x"
        FOLDER/rust-toolchain:1: its toolchain's programs are run from "/x"
        a/.cargo/config.toml:1: build.rustc-wrapper runs "x"
        a/b/c/.cargo/config:1: build.rustc-wrapper runs "x"
    "#]]
    .assert_eq(&shown(&folder, &folder.join("ws")));
}

#[test]
fn the_users_own_configuration_is_not_the_workspaces() {
    let folder = Folder::new(&[
        (".cargo/config.toml", "build.rustc-wrapper = 'sccache'"),
        ("ws/Cargo.toml", PACKAGE),
        ("ws/.cargo/config.toml", "build.rustc-wrapper = 'x'"),
    ]);
    let ws = folder.join("ws");
    let count = |home: Option<&str>| needs_trust(&ws, home.map(|home| folder.join(home)).as_deref()).len();
    assert_eq!(count(None), 2);
    assert_eq!(count(Some(".cargo")), 1);
    assert_eq!(count(Some("ws/.cargo")), 2, "what lies inside is the workspace's");
    assert_eq!(count(Some("gone")), 2);
}

#[test]
fn a_package_that_sends_cargo_to_another_workspace_is_found() {
    check(
        &[("Cargo.toml", "[package]\nname = 'a'\nworkspace = '../other'\n")],
        expect![[r#"
            Cargo.toml: package.workspace leads cargo to another workspace, "../other"
        "#]],
    );
    free(&[("Cargo.toml", "[package]\nname = 'a'\nworkspace = '.'\n")]);
}

#[test]
fn what_cannot_be_read_counts_as_found() {
    let folder = Folder::new(&[("Cargo.toml", PACKAGE)]);
    folder.write(".cargo/config.toml", b"# \xff");
    folder.write("rust-toolchain.toml", "#".repeat(300 * 1024));
    std::fs::create_dir(folder.join("rust-analyzer.toml")).unwrap();
    expect![[r#"
        .cargo/config.toml: it is not UTF-8, so what it could run is not known
        rust-analyzer.toml: it is no file, so what it could run is not known
        rust-toolchain.toml: it is larger than 262144 bytes, so what it could run is not known
    "#]]
    .assert_eq(&shown(&folder, &folder.path()));
}

#[cfg(unix)]
#[test]
fn links_and_pipes_are_neither_followed_nor_waited_for() {
    use std::os::unix::fs::symlink;
    let folder =
        Folder::new(&[("ws/Cargo.toml", PACKAGE), ("else/config", ""), ("ws/.cargo/config.toml", "")]);
    symlink("config.toml", folder.join("ws/.cargo/config")).unwrap();
    assert_eq!(shown(&folder, &folder.join("ws")), "", "Cargo's documents propose such a link");
    symlink("/dev/zero", folder.join("ws/rust-toolchain.toml")).unwrap();
    symlink("gone", folder.join("ws/rust-toolchain")).unwrap();
    let pipe = folder.join("ws/rust-analyzer.toml");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    std::fs::create_dir(folder.join("ws/b")).unwrap();
    folder.write("ws/b/Cargo.toml", PACKAGE);
    symlink(folder.join("else"), folder.join("ws/b/.cargo")).unwrap();
    expect![[r#"
        b/.cargo/config: .cargo is a link that leads elsewhere
        rust-analyzer.toml: it is no file, so what it could run is not known
        rust-toolchain: it is a link that leads elsewhere, so what it could run is not known
        rust-toolchain.toml: it is a link that leads elsewhere, so what it could run is not known
    "#]]
    .assert_eq(&shown(&folder, &folder.join("ws")));
}

#[test]
fn trust_is_given_taken_back_and_asked_for() {
    let folder = Folder::new(&[("ws/Cargo.toml", PACKAGE), ("ws/rust-toolchain", "/x")]);
    let ws = folder.join("ws");
    let file = folder.join("home/dossier/trusted.toml");
    let own = Own { cargo_home: None, trusted_file: Some(file.clone()) };
    let trusted = Trusted::new(&file);
    assert!(matches!(decide(&ws, &own).trust, Trust::Needed(_)));
    assert!(!trusted.remove(&ws).unwrap());
    assert!(trusted.add(&ws).unwrap());
    assert!(!trusted.add(&ws.join("../ws")).unwrap(), "the same workspace by another path");
    assert_eq!(trusted.list().unwrap(), [ws.to_str().unwrap()]);
    assert_eq!(decide(&ws, &own), Decision { trust: Trust::Trusted, notes: Vec::new() });
    assert!(trusted.remove(&ws).unwrap());
    assert!(matches!(decide(&ws, &own).trust, Trust::Needed(_)));
    std::fs::remove_file(ws.join("rust-toolchain")).unwrap();
    assert_eq!(decide(&ws, &own).trust, Trust::Free);
}

#[cfg(unix)]
#[test]
fn only_the_user_may_read_what_is_trusted() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new(&[("ws/Cargo.toml", PACKAGE)]);
    let file = folder.join("home/dossier/trusted.toml");
    Trusted::new(&file).add(&folder.join("ws")).unwrap();
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&file), mode(&folder.join("home/dossier"))), (0o600, 0o700));
    let left = std::fs::read_dir(folder.join("home/dossier")).unwrap().count();
    assert_eq!(left, 1, "no temporary file is left");
}

#[test]
fn a_broken_file_trusts_nobody_and_is_not_overwritten() {
    let folder = Folder::new(&[("ws/Cargo.toml", PACKAGE), ("ws/rust-toolchain", "/x")]);
    let ws = folder.join("ws");
    for broken in ["workspaces = [", "workspaces = 'all'", "trusted = ['/']"] {
        folder.write("trusted.toml", broken);
        let file = folder.join("trusted.toml");
        let decision = decide(&ws, &Own { cargo_home: None, trusted_file: Some(file.clone()) });
        assert!(matches!(decision.trust, Trust::Needed(_)), "{broken}");
        let [note] = decision.notes.as_slice() else { panic!("{:?}", decision.notes) };
        assert!(
            note.text.contains("is broken") && note.text.ends_with("no workspace is trusted"),
            "{}",
            note.text
        );
        assert!(Trusted::new(&file).add(&ws).is_err());
        assert_eq!(std::fs::read_to_string(&file).unwrap(), broken);
    }
}

#[test]
fn a_workspace_cannot_bring_its_own_trust() {
    let folder = Folder::new(&[("ws/Cargo.toml", PACKAGE), ("ws/rust-toolchain", "/x")]);
    let ws = folder.join("ws");
    folder.write("ws/conf/trusted.toml", format!("workspaces = [{:?}]", ws.to_str().unwrap()));
    for file in ["ws/conf/trusted.toml", "ws/gone/trusted.toml"] {
        let file = folder.join(file);
        let own = Own { cargo_home: None, trusted_file: Some(file.clone()) };
        assert!(matches!(decide(&ws, &own).trust, Trust::Needed(_)));
        assert!(matches!(Trusted::new(&file).add(&ws), Err(TrustedError::Inside { .. })));
    }
}

#[test]
fn changes_at_the_same_time_lose_nothing() {
    let folder = Folder::new(&[]);
    let file = folder.join("trusted.toml");
    let names: Vec<PathBuf> = (0..16).map(|n| folder.join(&format!("ws{n}"))).collect();
    std::thread::scope(|scope| {
        for name in &names {
            scope.spawn(|| Trusted::new(&file).add(name).unwrap());
        }
    });
    assert_eq!(Trusted::new(&file).list().unwrap().len(), names.len());
}

#[test]
fn documents_that_nest_deeply_end_in_an_answer() {
    const DEEP: usize = 60_000;
    let dotted = format!("{}b = 1", "a.".repeat(DEEP));
    let header = format!("[{}b]\nx = 1", "a.".repeat(DEEP));
    let inline = format!("a = {}", "{a=".repeat(DEEP));
    let lists = format!("a = {}", "[".repeat(DEEP));
    for text in [dotted, header, inline, lists] {
        for file in [".cargo/config.toml", "rust-toolchain.toml", "rust-analyzer.toml", "Cargo.toml"] {
            let folder = Folder::new(&[("Cargo.toml", PACKAGE), (file, &text)]);
            let findings = needs_trust(&folder.path(), None).len();
            assert!(findings == 1 || file == "Cargo.toml", "{file} {findings} {}", &text[..20]);
        }
    }
}

proptest::proptest! {
    #[test]
    fn any_text_is_read_without_harm(text in "(?s).{0,80}|[a-z.=\"'\\[\\]{}\n#@, -]{0,120}") {
        for of in [cargo_config::check, server_config::check] {
            of(&text);
        }
        toolchain_file::check(&text, Path::new("rust-toolchain"));
        flags::unknown(&text.split_whitespace().collect::<Vec<_>>());
    }
}
