//! The workspace's code is never run without trust: in each sandbox one thing is planted that would have cargo, rustc, rustup or
//! rust-analyzer run a program, and the program leaves a mark. And the word of the user that lifts it.

#![cfg(unix)]

mod support;

use std::path::{Path, PathBuf};
use std::process::Command;

use support::{Run, Sandbox};

const PACKAGE: &str = "
//- /Cargo.toml
[package]
name = \"shop\"
version = \"0.1.0\"
edition = \"2021\"
//- /src/lib.rs
//! A shop.

/// Signs a customer in.
pub fn login(name: &str) -> bool {
    check_password(name)
}

fn check_password(name: &str) -> bool {
    !name.is_empty()
}
";

/// Seconds; what is here is small, and a run of the harness may take 60.
const WAIT: &str = "40";

/// Something that would run a program, in a workspace of its own.
struct Planted {
    sandbox: Sandbox,
}

impl Planted {
    /// These files beside a package; `TRAP` in them stands for a program that leaves the mark, `MARK` for the mark's path.
    fn new(files: &[(&str, &str)]) -> Planted {
        let sandbox = Sandbox::new(PACKAGE);
        let planted = Planted { sandbox };
        let trap = planted.sandbox.ws("trap.sh");
        planted.executable("trap.sh", "#!/bin/sh\necho \"$0 $*\" >> MARK\nexit 1\n");
        for (path, text) in files {
            let text = text.replace("TRAP", trap.to_str().unwrap());
            planted.sandbox.write(path, text.replace("MARK", planted.mark().to_str().unwrap()));
        }
        planted
    }

    fn executable(&self, path: &str, text: &str) {
        use std::os::unix::fs::PermissionsExt;
        self.sandbox.write(path, text.replace("MARK", self.mark().to_str().unwrap()));
        std::fs::set_permissions(self.sandbox.ws(path), PermissionsExt::from_mode(0o755)).unwrap();
    }

    fn mark(&self) -> PathBuf {
        self.sandbox.path("mark")
    }

    /// The program with the toolchains of this machine.
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.sandbox.command(arguments);
        command.env("RUSTUP_HOME", rustup_home()).env("CARGO_HOME", self.sandbox.path("cargo"));
        command.env("XDG_CONFIG_HOME", self.sandbox.path("conf"));
        command.env("XDG_CACHE_HOME", self.sandbox.path("cache"));
        command
    }

    #[track_caller]
    fn run(&self, arguments: &[&str]) -> Run {
        self.sandbox.finish(self.command(arguments), Vec::new())
    }

    /// Nothing that Dossier does springs the trap.
    #[track_caller]
    fn nothing_runs(&self) -> Run {
        let doctor = self.run(&["doctor"]);
        self.run(&["doctor", "--wait-lsp", WAIT]);
        self.run(&["context", "Fix the login", "--wait-lsp", WAIT]).ends(0, &[]);
        self.run(&["graph", "callers", "check_password", "--wait-lsp", WAIT]).ends(0, &[]);
        let ran = std::fs::read_to_string(self.mark()).unwrap_or_default();
        assert!(ran.is_empty(), "it ran: {ran}");
        doctor
    }

    /// The same, and the doctor names the reason.
    #[track_caller]
    fn needs_trust(&self, reason: &str) {
        let doctor = self.nothing_runs();
        doctor.shows(&[
            "lacks   trust          needed",
            reason,
            "not started without trust",
            "dossier trust",
        ]);
    }

    /// The trap is no dummy: cargo springs it.
    #[track_caller]
    fn is_live(&self, cargo: &[&str]) {
        let mut command = Command::new("cargo");
        command.args(cargo).current_dir(self.sandbox.ws("")).env_clear();
        command.envs(["PATH"].map(|name| (name, std::env::var_os(name).unwrap_or_default())));
        command.env("HOME", self.sandbox.path("home")).env("RUSTUP_HOME", rustup_home());
        command.env("CARGO_HOME", self.sandbox.path("cargo")).env("CARGO_NET_OFFLINE", "true");
        let output = command.output().unwrap();
        assert!(self.mark().exists(), "cargo {cargo:?}: {}", String::from_utf8_lossy(&output.stderr));
        std::fs::remove_file(self.mark()).unwrap();
    }
}

fn rustup_home() -> PathBuf {
    let own = || std::env::home_dir().unwrap_or_default().join(".rustup");
    std::env::var_os("RUSTUP_HOME").map_or_else(own, PathBuf::from)
}

/// Whether the `cargo` on `PATH` is rustup's stand-in, which obeys `rust-toolchain.toml`.
fn has_rustup() -> bool {
    Command::new("rustup")
        .arg("--version")
        .env_remove("RUSTUP_TOOLCHAIN")
        .output()
        .is_ok_and(|it| it.status.success())
        && Path::new(&rustup_home()).join("toolchains").is_dir()
}

const CONFIG: &str = ".cargo/config.toml";

#[test]
fn a_compiler_of_the_workspaces_own_is_not_run() {
    let planted = Planted::new(&[(CONFIG, "[build]\nrustc = \"TRAP\"\n")]);
    planted.is_live(&["check"]);
    planted.needs_trust(".cargo/config.toml:2: build.rustc runs");
}

#[test]
fn wrappers_around_the_compiler_are_not_run() {
    let planted = Planted::new(&[(CONFIG, "build.rustc-wrapper = \"TRAP\"\n")]);
    planted.is_live(&["check"]);
    planted.needs_trust(".cargo/config.toml:1: build.rustc-wrapper runs");
    let planted = Planted::new(&[(".cargo/config", "[build]\nrustc-workspace-wrapper = \"TRAP\"\n")]);
    planted.is_live(&["check"]);
    planted.needs_trust(".cargo/config:2: build.rustc-workspace-wrapper runs");
}

#[test]
fn a_credential_provider_is_not_run() {
    let planted = Planted::new(&[(CONFIG, "[registry]\nglobal-credential-providers = [\"TRAP\"]\n")]);
    planted.is_live(&["logout"]);
    planted.needs_trust("registry.global-credential-providers runs");
    let planted = Planted::new(&[(CONFIG, "[registry]\ncredential-provider = \"TRAP\"\n")]);
    planted.is_live(&["logout"]);
    planted.needs_trust("registry.credential-provider runs");
}

#[test]
fn a_toolchain_of_the_workspaces_own_is_not_run() {
    let planted = Planted::new(&[]);
    let toolchain = planted.sandbox.ws("toolchain");
    for program in ["cargo", "rustc", "rust-analyzer"] {
        planted
            .executable(&format!("toolchain/bin/{program}"), "#!/bin/sh\necho \"$0 $*\" >> MARK\nexit 1\n");
    }
    planted.sandbox.write("toolchain/lib/.keep", "");
    planted
        .sandbox
        .write("rust-toolchain.toml", format!("[toolchain]\npath = {:?}\n", toolchain.to_str().unwrap()));
    if has_rustup() {
        planted.is_live(&["--version"]);
    }
    planted.needs_trust("rust-toolchain.toml:2: toolchain.path has the toolchain's programs run from");
}

#[test]
fn commands_that_override_those_of_rust_analyzer_are_not_run() {
    let config = "checkOnSave = true
[cargo.buildScripts]
enable = true
overrideCommand = [\"TRAP\"]
[check]
overrideCommand = [\"TRAP\"]
[cargo.extraEnv]
RUSTC = \"TRAP\"
";
    for name in ["rust-analyzer.toml", ".rust-analyzer.toml"] {
        let planted = Planted::new(&[(name, config)]);
        planted.needs_trust(&format!("{name}:4: cargo.buildScripts.overrideCommand"));
    }
}

#[test]
fn a_build_script_is_not_run_and_needs_no_trust() {
    let script = "fn main() {\n    std::fs::write(\"MARK\", \"build.rs\").unwrap();\n}\n";
    let planted = Planted::new(&[("build.rs", script)]);
    planted.is_live(&["check"]);
    std::fs::remove_dir_all(planted.sandbox.ws("target")).unwrap();
    planted.nothing_runs().shows(&["ok      trust          nothing in the workspace needs it"]);
}

#[test]
fn a_proc_macro_is_not_run_and_needs_no_trust() {
    let planted = Planted::new(&[
        (
            "Cargo.toml",
            "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[dependencies]\nmacros = { path = \"macros\" }\n",
        ),
        (
            "macros/Cargo.toml",
            "[package]\nname = \"macros\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[lib]\nproc-macro = true\n",
        ),
        (
            "macros/src/lib.rs",
            "use proc_macro::TokenStream;\n#[proc_macro]\npub fn expand(input: TokenStream) -> TokenStream {\n    std::fs::write(\"MARK\", \"macro\").unwrap();\n    input\n}\n",
        ),
        ("src/basket.rs", "macros::expand! { pub struct Basket; }\n"),
        (
            "src/lib.rs",
            "pub mod basket;\npub fn login(name: &str) -> bool {\n    check_password(name)\n}\nfn check_password(name: &str) -> bool {\n    !name.is_empty()\n}\n",
        ),
    ]);
    planted.is_live(&["check"]);
    std::fs::remove_dir_all(planted.sandbox.ws("target")).unwrap();
    planted.nothing_runs().shows(&["ok      trust          nothing in the workspace needs it"]);
}

#[test]
fn a_program_on_a_path_inside_the_workspace_is_not_run() {
    let planted = Planted::new(&[]);
    for program in ["rust-analyzer", "rustup", "cargo", "rustc"] {
        planted.executable(&format!("bin/{program}"), "#!/bin/sh\necho \"$0 $*\" >> MARK\nexit 1\n");
    }
    let folders = [planted.sandbox.ws("bin"), "bin".into(), "".into(), "/usr/bin".into()];
    let path = std::env::join_paths(folders).unwrap();
    for arguments in [&["doctor"][..], &["context", "login", "--wait-lsp", WAIT]] {
        let mut command = planted.command(arguments);
        command.env("PATH", &path);
        planted.sandbox.finish(command, Vec::new());
    }
    assert!(!planted.mark().exists());
}

#[test]
fn trust_is_given_listed_and_taken_back() {
    let planted = Planted::new(&[(CONFIG, "build.rustc-wrapper = \"sccache\"\n")]);
    planted.run(&["trust", "--list"]).ends(0, &["no workspace is trusted"]);
    planted.run(&["trust", "--revoke"]).ends(1, &["SANDBOX/ws was not trusted", "--list"]);
    let given = planted.run(&["trust"]);
    given.ends(0, &["trusted from now on", "SANDBOX/ws", "`dossier trust --revoke` takes it back"]);
    assert_eq!(given.stdout, ".cargo/config.toml:1: build.rustc-wrapper runs \"sccache\"\n");
    planted.run(&["trust"]).ends(0, &["trusted already: SANDBOX/ws"]);
    planted.run(&["doctor"]).shows(&["ok      trust          given with `dossier trust`"]);
    let listed = planted.run(&["trust", "--list"]);
    assert_eq!((listed.ends(0, &[]).stdout.as_str(), listed.stderr.as_str()), ("SANDBOX/ws\n", ""));
    planted.run(&["trust", "--revoke", "--workspace", "src"]).ends(0, &["no longer trusted: SANDBOX/ws"]);
    planted.run(&["doctor"]).shows(&["lacks   trust"]);
    planted.run(&["trust", "--list", "--revoke"]).ends(2, &["cannot be used with"]);
}

#[test]
fn trust_in_what_needs_none_is_said_to_be_so() {
    let planted = Planted::new(&[]);
    let run = planted.run(&["trust"]);
    run.ends(0, &["nothing in this workspace needs trust today", "trusted from now on"]);
    assert_eq!(run.stdout, "");
}

#[test]
fn trust_in_a_workspace_that_is_gone_can_be_taken_back() {
    let planted = Planted::new(&[]);
    planted.run(&["trust"]).ends(0, &[]);
    let mut revoke = planted.command(&["trust", "--revoke", "--workspace", "ws"]);
    revoke.current_dir(planted.sandbox.path(""));
    std::fs::remove_dir_all(planted.sandbox.ws("")).unwrap();
    planted.sandbox.finish(revoke, Vec::new()).ends(0, &["no longer trusted"]);
}

#[test]
fn a_broken_file_of_trust_is_told_and_trusts_nobody() {
    let planted = Planted::new(&[(CONFIG, "build.rustc-wrapper = \"TRAP\"\n")]);
    planted.sandbox.put("conf/dossier/trusted.toml", "workspaces = [");
    for arguments in [&["trust"][..], &["trust", "--list"], &["trust", "--revoke"]] {
        planted.run(arguments).ends(2, &["trusted.toml is broken", "mend it, or remove it"]);
    }
    planted.run(&["doctor"]).shows(&["lacks   trust          needed", "trusted.toml is broken"]);
    planted.needs_trust("build.rustc-wrapper");
}

#[test]
fn a_workspace_may_not_choose_the_server() {
    let planted =
        Planted::new(&[(".dossier/config.toml", "lsp_command = [\"TRAP\"]\nwait_lsp = 40\nlsp = false\n")]);
    let run = planted.run(&["context", "login"]);
    run.ends(0, &["a workspace may not set `lsp_command`", "may not set `wait_lsp`", "may not set `lsp`"]);
    planted.nothing_runs();
}
