//! The program as a shell sees it: what goes to which stream, the exit codes, bad input of every kind.

use std::path::{Path, PathBuf};
use std::process::{Command as Process, Stdio};

use assert_cmd::Command;
use expect_test::{Expect, expect};
use serde_json::Value;
use tempfile::TempDir;

/// A small workspace, and a home in which nothing is set.
struct Sandbox {
    folder: TempDir,
}

/// What a run gave.
struct Run {
    code: i32,
    stdout: String,
    stderr: String,
}

impl Sandbox {
    fn new() -> Sandbox {
        let sandbox = Sandbox { folder: TempDir::new().unwrap() };
        sandbox
            .write("ws/Cargo.toml", "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2024\"\n");
        sandbox.write("ws/src/lib.rs", "//! A shop.\npub mod basket;\npub mod login;\n");
        sandbox.write("ws/src/login.rs", "//! Signing in.\n\n/// Signs a customer in.\npub fn login(name: &str) -> bool {\n    check_password(name)\n}\n\nfn check_password(name: &str) -> bool {\n    !name.is_empty()\n}\n");
        sandbox.write(
            "ws/src/basket.rs",
            "//! What a customer buys.\n\npub struct Basket {\n    pub items: Vec<String>,\n}\n",
        );
        sandbox.write("home/.keep", "");
        sandbox
    }

    /// A folder with nothing in it in place of the workspace.
    fn empty() -> Sandbox {
        let sandbox = Sandbox { folder: TempDir::new().unwrap() };
        std::fs::create_dir_all(sandbox.path("ws")).unwrap();
        std::fs::create_dir_all(sandbox.path("home")).unwrap();
        sandbox
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn command(&self, arguments: &[&str]) -> Command {
        Command::from_std(self.process(arguments))
    }

    fn process(&self, arguments: &[&str]) -> Process {
        let mut process = Process::new(assert_cmd::cargo::cargo_bin("dossier"));
        let path = std::env::var_os("PATH").unwrap_or_default();
        process.args(arguments).current_dir(self.path("ws")).env_clear().env("PATH", path);
        process.env("DOSSIER_DAEMON", "false");
        process.env("HOME", self.path("home")).env("RUST_BACKTRACE", "1");
        // Windows programs do not start without it.
        process.envs(std::env::var_os("SystemRoot").map(|root| ("SystemRoot", root)));
        process
    }

    fn run(&self, arguments: &[&str]) -> Run {
        self.finish(self.command(arguments))
    }

    fn run_with_input(&self, arguments: &[&str], input: impl Into<Vec<u8>>) -> Run {
        let mut command = self.command(arguments);
        command.write_stdin(input);
        self.finish(command)
    }

    fn finish(&self, mut command: Command) -> Run {
        let output = command.output().unwrap();
        let shown = |bytes: Vec<u8>| self.without_folder(&String::from_utf8(bytes).unwrap());
        let stderr = shown(output.stderr);
        assert!(!stderr.contains("panicked"), "{stderr}");
        Run { code: output.status.code().unwrap_or(-1), stdout: shown(output.stdout), stderr }
    }

    /// The sandbox's own path, which is another in each run, as `SANDBOX`.
    fn without_folder(&self, text: &str) -> String {
        let real = self.folder.path().canonicalize().unwrap();
        let replaced = text.replace(&real.display().to_string(), "SANDBOX");
        replaced.replace(&self.folder.path().display().to_string(), "SANDBOX")
    }
}

impl Run {
    #[track_caller]
    fn check(&self, code: i32, stderr: Expect) -> &Run {
        assert_eq!(self.code, code, "stdout: {}\nstderr: {}", self.stdout, self.stderr);
        stderr.assert_eq(&self.stderr);
        self
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap()
    }
}

#[test]
fn a_task_gives_its_code_on_standard_output_and_nothing_else() {
    let run = Sandbox::new().run(&["context", "Fix the login of customers"]);
    run.check(0, expect![[""]]);
    assert!(run.stdout.starts_with("# Fix the login of customers\n"), "{}", run.stdout);
    assert!(run.stdout.contains("## src/login.rs"), "{}", run.stdout);
    assert!(run.stdout.contains("pub fn login(name: &str) -> bool {"), "{}", run.stdout);
}

#[test]
fn of_many_callers_those_that_say_the_tasks_words_are_told() {
    let sandbox = Sandbox::new();
    let mut modules = String::from("pub mod basket;\npub mod login;\npub mod zebra;\n");
    for n in 0..30 {
        modules.push_str(&format!("pub mod step{n};\n"));
        let text =
            format!("//! A step.\n\npub fn step_{n}() -> bool {{\n    crate::login::login(\"\")\n}}\n");
        sandbox.write(&format!("ws/src/step{n}.rs"), text);
    }
    sandbox.write(
        "ws/src/zebra.rs",
        "//! Last.\n\npub fn refund_invoice() -> bool {\n    crate::login::login(\"\")\n}\n",
    );
    sandbox.write("ws/src/lib.rs", modules);
    let run = sandbox.run(&["context", "Change `login` where an invoice is refunded", "--format", "json"]);
    let pack = run.json();
    let zebra = pack["files"].as_array().unwrap().iter().find(|file| file["path"] == "src/zebra.rs");
    let reasons = zebra.expect("it is in the pack")["reasons"].as_array().unwrap();
    assert!(reasons.iter().any(|reason| reason["signal"] == "calls"), "{reasons:?}");
}

#[test]
fn the_workspace_is_found_from_a_folder_inside_it() {
    let sandbox = Sandbox::new();
    let mut inside = sandbox.command(&["context", "login"]);
    inside.current_dir(sandbox.path("ws/src"));
    assert!(sandbox.finish(inside).stdout.contains("## src/login.rs"));
    let mut outside = sandbox.command(&["context", "login", "--workspace", "ws/src"]);
    outside.current_dir(sandbox.path(""));
    assert!(sandbox.finish(outside).stdout.contains("## src/login.rs"));
}

#[test]
fn every_format_is_whole() {
    let sandbox = Sandbox::new();
    let xml = sandbox.run(&["context", "login", "--format", "xml"]);
    assert!(
        xml.stdout.starts_with("<dossier>\n<documents>\n") && xml.stdout.ends_with("</task>\n</dossier>\n")
    );
    let plain = sandbox.run(&["context", "login", "--format", "plain", "--line-numbers"]);
    assert!(
        plain.stdout.starts_with("Task: login\n") && plain.stdout.contains("| pub fn login"),
        "{}",
        plain.stdout
    );
    let json = sandbox.run(&["context", "login", "--format", "json", "--no-content"]).json();
    assert_eq!(json["version"], 1);
    assert_eq!(json["files"][0]["path"], "src/login.rs");
    assert_eq!(json["files"][0]["content"], Value::Null);
}

#[test]
fn the_explanation_takes_the_place_of_the_code() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(&["context", "login", "--explain-context"]);
    run.check(0, expect![[""]]);
    for part in ["Task       login\n", "Plan       ", "rank  score  file", "src/login.rs", "Time       "] {
        assert!(run.stdout.contains(part), "{part}: {}", run.stdout);
    }
    assert!(!run.stdout.contains("pub fn login"));
    let json = sandbox.run(&["context", "login", "--explain-context", "--format", "json"]).json();
    assert!(json["files"][0]["content"].is_string());
}

#[test]
fn the_budget_holds_or_the_message_says_what_would() {
    let sandbox = Sandbox::new();
    for budget in ["1", "10", "50", "120", "100000"] {
        let run = sandbox.run(&["context", "login", "--token-budget", budget, "--format", "json"]);
        if run.code == 0 {
            let used = run.json()["budget"]["used"].as_u64().unwrap();
            assert!(used <= budget.parse().unwrap(), "{budget}: {used}");
        } else {
            assert!(
                run.code == 2 && run.stderr.contains("--token-budget"),
                "{budget}: {} {}",
                run.code,
                run.stderr
            );
        }
    }
}

#[test]
fn the_task_may_come_from_standard_input() {
    let sandbox = Sandbox::new();
    let piped = sandbox.run_with_input(&["context", "-"], "Fix the login\n\nIt fails.\n");
    piped.check(0, expect![[""]]);
    assert!(piped.stdout.contains("## src/login.rs"));
    sandbox.run_with_input(&["context", "-"], "  \n").check(2, expect![[r#"
        dossier: standard input is empty: pipe a task into it, as in `git log -1 --format=%B | dossier context -`
    "#]]);
    let odd = sandbox.run_with_input(&["context", "-"], b"fix the login \xff\xfe\x00".to_vec());
    odd.check(
        0,
        expect![[r#"
        dossier: warning: the task is not all UTF-8: what could not be read is passed over
    "#]],
    );
    assert!(odd.stdout.contains("## src/login.rs"));
}

#[test]
fn a_task_of_a_megabyte_is_answered() {
    let task = format!("Fix the login\n{}", "a log line with login in it\n".repeat(40_000));
    let run = Sandbox::new().run_with_input(&["context", "-", "--quiet"], task);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stdout.contains("src/login.rs"), "{}", run.stdout);
}

#[test]
fn odd_tasks_end_in_an_answer_or_a_message() {
    let sandbox = Sandbox::new();
    for task in ["!!! ::: ((", "\u{1f980}", "修复登录错误", "исправить вход", "a", "`", "::", "--"]
    {
        let run = sandbox.run(&["context", "--", task]);
        assert!(
            run.code == 0 || (run.code == 1 && run.stdout.is_empty()),
            "{task}: {} {}",
            run.code,
            run.stderr
        );
    }
}

#[test]
fn nothing_relevant_is_exit_code_one() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(&["context", "zyxwv qponm"]);
    run.check(1, expect![[r#"
        dossier: nothing relevant found in SANDBOX/ws: name a type, a function or a path of this workspace, or look elsewhere with --workspace
    "#]]);
    assert_eq!(run.stdout, "");
    let json = sandbox.run(&["context", "zyxwv qponm", "--format", "json", "--quiet"]);
    json.check(1, expect![[""]]);
    assert_eq!(json.json()["files"], Value::Array(vec![]));
}

#[test]
fn wrong_usage_is_exit_code_two_with_a_remedy() {
    let sandbox = Sandbox::new();
    sandbox.run(&["context", " "]).check(2, expect![[r#"
        dossier: the task is empty: say in a few words what is to be done, as in `dossier context "Fix the login"`
    "#]]);
    sandbox.run(&["context", "x", "--token-budget", "0"]).check(
        2,
        expect![[r#"
        error: invalid value '0' for '--token-budget <TOKENS>': expected a number from 1 to 10000000

        For more information, try '--help'.
    "#]],
    );
    sandbox.run(&["context", "x", "--max-context-file", "3"]).check(
        2,
        expect![[r#"
        error: unexpected argument '--max-context-file' found

          tip: a similar argument exists: '--max-context-files'

        Usage: dossier context --max-context-files <N> <QUERY>...

        For more information, try '--help'.
    "#]],
    );
    sandbox.run(&["context", "x", "--workspace", "gone"]).check(
        2,
        expect![[r#"
            dossier: cannot open the workspace gone: name a folder that is there with --workspace: No such file or directory (os error 2)
        "#]],
    );
    sandbox.run(&["context", "x", "--workspace", "Cargo.toml"]).check(
        2,
        expect![[r#"
        dossier: the workspace Cargo.toml is a file: name the folder that it is in
    "#]],
    );
    sandbox.run(&["context", "login", "-o", "gone/pack.md"]).check(
        2,
        expect![[r#"
        dossier: cannot write gone/pack.md: make the folder gone first: No such file or directory (os error 2)
    "#]],
    );
    sandbox.run(&["eval", "--tasks", "gone.jsonl", "--repos", "."]).check(
        2,
        expect![[r#"
        dossier: cannot read the tasks gone.jsonl: No such file or directory (os error 2)
    "#]],
    );
    assert_eq!(sandbox.run(&[]).code, 2);
}

#[test]
fn help_and_version_are_data() {
    let sandbox = Sandbox::new();
    sandbox.run(&["--help"]).check(0, expect![[""]]);
    assert_eq!(sandbox.run(&["--version"]).stdout, format!("dossier {}\n", env!("CARGO_PKG_VERSION")));
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = sandbox.run(&["completions", shell]);
        assert!(script.code == 0 && script.stdout.contains("explain-context"), "{shell}");
    }
}

#[test]
fn a_file_or_the_clipboard_takes_the_data_instead() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(&["context", "login", "-o", "pack.md", "--quiet"]);
    run.check(0, expect![[""]]);
    assert_eq!(run.stdout, "");
    assert!(std::fs::read_to_string(sandbox.path("ws/pack.md")).unwrap().starts_with("# login\n"));
    let mut no_program = sandbox.command(&["context", "login", "--copy"]);
    no_program.env("PATH", "");
    sandbox.finish(no_program).check(2, expect![[r#"
        dossier: cannot copy: no clipboard program is there; install wl-clipboard (Wayland) or xclip (X11), or write to a file with -o
    "#]]);
}

#[cfg(unix)]
#[test]
fn the_clipboard_is_the_systems_own_program() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::new();
    sandbox.write("bin/xclip", "#!/bin/sh\nexec /bin/cat >\"$HOME/copied\"\n");
    std::fs::set_permissions(sandbox.path("bin/xclip"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut copy = sandbox.command(&["context", "login", "--copy", "--quiet"]);
    copy.env("PATH", sandbox.path("bin")).env("DISPLAY", ":0");
    let run = sandbox.finish(copy);
    run.check(0, expect![[""]]);
    assert_eq!(run.stdout, "");
    assert!(std::fs::read_to_string(sandbox.path("home/copied")).unwrap().starts_with("# login\n"));
    // A program of that name inside the workspace is not the system's.
    sandbox.write("ws/xclip", "#!/bin/sh\nexec /bin/touch \"$HOME/ran\"\n");
    std::fs::set_permissions(sandbox.path("ws/xclip"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut relative = sandbox.command(&["context", "login", "--copy", "--quiet"]);
    relative.env("PATH", ".").env("DISPLAY", ":0");
    assert_eq!(sandbox.finish(relative).code, 2);
    assert!(!sandbox.path("home/ran").exists());
}

#[test]
fn a_closed_pipe_is_success() {
    let sandbox = Sandbox::new();
    for arguments in
        [&["context", "login"][..], &["--help"], &["completions", "bash"], &["config", "show"], &["doctor"]]
    {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = sandbox.process(arguments).stdout(writer).stderr(Stdio::piped()).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success() && stderr.is_empty(), "{arguments:?}: {:?} {stderr}", output.status);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told() {
    let sandbox = Sandbox::new();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = sandbox.process(&["context", "login"]).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(
        String::from_utf8_lossy(&output.stderr).starts_with("dossier: cannot write to standard output: ")
    );
}

#[test]
fn settings_come_from_their_places_in_order() {
    let sandbox = Sandbox::new();
    sandbox.write("ws/.dossier/config.toml", "format = 'plain'\nbudget = 700\nmask = false\nfromat = 1\n");
    sandbox.write("home/.config/dossier/config.toml", "budget = 900\nline_numbers = true\n");
    let mut show = sandbox.command(&["config", "show"]);
    show.env("DOSSIER_DEPTH", "2");
    let run = sandbox.finish(show);
    run.check(0, expect![[r#"
        dossier: warning: .dossier/config.toml:3: a workspace may not set `mask`: ignored; set it in your own settings (`dossier config show`)
        dossier: warning: .dossier/config.toml:4: `fromat` is not a setting: ignored; did you mean `format`?
    "#]]);
    if cfg!(unix) {
        expect![[r##"
            # SANDBOX/home/.config/dossier/config.toml
            # SANDBOX/ws/.dossier/config.toml

            include = []                           # default
            exclude = []                           # default
            tests = "auto"                         # default
            depth = 2                              # DOSSIER_DEPTH
            budget = 900                           # SANDBOX/home/.config/dossier/config.toml:1
            # max_files is not set                 # default
            fill = false                           # default
            format = "plain"                       # .dossier/config.toml:1
            line_numbers = true                    # SANDBOX/home/.config/dossier/config.toml:2
            mask = true                            # default
            index = true                           # default
            lsp = true                             # default
            # lsp_command is not set               # default
            wait_lsp = 0                           # default
            daemon = false                         # DOSSIER_DAEMON
            daemon_idle = 30                       # default
            daemon_memory = 4096                   # default
            planner = "auto"                       # default
            # planner_deadline is not set          # default
            embedder = "auto"                      # default
            provider = "ollama"                    # default
            # model is not set                     # default
            # base_url is not set                  # default
            # ollama_host is not set               # default
            ollama_model = "qwen2.5-coder:7b"      # default
            ollama_embed_model = "embeddinggemma"  # default
            # openai_key is not set                # default
            # anthropic_key is not set             # default
            # gemini_key is not set                # default
            # groq_key is not set                  # default
        "##]]
        .assert_eq(&run.stdout);
    }
    let plain = sandbox.run(&["context", "login", "--quiet"]);
    assert!(plain.stdout.starts_with("Task: login\n"), "{}", plain.stdout);
    let flag = sandbox.run(&["context", "login", "--quiet", "--format", "markdown"]);
    assert!(flag.stdout.starts_with("# login\n"));
}

#[cfg(unix)]
#[test]
fn a_workspaces_settings_are_not_read_through_a_link() {
    let sandbox = Sandbox::new();
    sandbox.write("secret.toml", "password = 'hunter2'\n");
    std::fs::create_dir(sandbox.path("ws/.dossier")).unwrap();
    std::os::unix::fs::symlink(sandbox.path("secret.toml"), sandbox.path("ws/.dossier/config.toml")).unwrap();
    sandbox.run(&["config", "show"]).check(
        0,
        expect![[r#"
        dossier: warning: .dossier/config.toml: it is a link, and is ignored; make it a file
    "#]],
    );
}

#[test]
fn the_doctor_says_what_lacks_and_what_is_broken() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(&["doctor"]);
    assert_eq!(run.code, 0, "{}", run.stdout);
    for part in ["ok      workspace", "ok      files", "lacks   history", "rust-analyzer"] {
        assert!(run.stdout.contains(part), "{part}: {}", run.stdout);
    }
    let empty = Sandbox::empty().run(&["doctor"]);
    assert_eq!(empty.code, 2, "{}", empty.stdout);
    assert!(empty.stdout.contains("BROKEN  files"), "{}", empty.stdout);
}

#[test]
fn the_graph_says_where_a_symbol_is_not() {
    let sandbox = Sandbox::new();
    sandbox.run(&["graph", "callers", "no_such_item"]).check(
        1,
        expect![[r#"
        dossier: no item is called `no_such_item` here: give its name, or its path as `Type::method`
    "#]],
    );
    sandbox.run(&["graph", "callers", ""]).check(
        2,
        expect![[r#"
        dossier: the symbol is empty: name an item of the workspace, as in `dossier graph callers Auth::login`
    "#]],
    );
    let json = sandbox.run(&["graph", "usages", "no_such_item", "--json", "--quiet"]);
    json.check(1, expect![[""]]);
    assert_eq!(json.json()["definitions"], Value::Array(vec![]));
}

#[test]
fn an_evaluation_tells_of_tasks_that_cannot_run() {
    let sandbox = Sandbox::new();
    let task = r#"{"id":"a/b#1","repo":"a/b","snapshot":"0000","query":"q","modified":["src/lib.rs"]}"#;
    sandbox.write("tasks.jsonl", format!("{task}\nnot json\n"));
    let tasks = sandbox.path("tasks.jsonl");
    let run = sandbox.run(&[
        "eval",
        "--tasks",
        &tasks.display().to_string(),
        "--repos",
        ".",
        "--json",
        "report.json",
    ]);
    run.check(
        2,
        expect![[r#"
        dossier: warning: SANDBOX/tasks.jsonl: line 2: not a task: expected ident at line 1 column 2
        dossier: warning: a/b: no repository of this name in .; clone it there as `a+b`
    "#]],
    );
    let report = std::fs::read_to_string(sandbox.path("ws/report.json")).unwrap();
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["errors"].as_array().unwrap().len(), 2);
    let none =
        sandbox.run(&["eval", "--tasks", &tasks.display().to_string(), "--repos", ".", "--filter", "zzz"]);
    none.check(
        2,
        expect![[r#"
            dossier: warning: SANDBOX/tasks.jsonl: line 2: not a task: expected ident at line 1 column 2
            dossier: no task is left to run: look at --filter and at the files given with --tasks
        "#]],
    );
}

#[test]
fn odd_workspaces_end_in_an_answer_or_a_message() {
    let empty = Sandbox::empty();
    assert_eq!(empty.run(&["context", "login"]).code, 1);

    let no_manifest = Sandbox::new();
    std::fs::remove_file(no_manifest.path("ws/Cargo.toml")).unwrap();
    let run = no_manifest.run(&["context", "login"]);
    assert!(run.code == 0 && run.stdout.contains("src/login.rs"), "{}", run.stderr);

    let broken = Sandbox::new();
    broken.write("ws/Cargo.toml", "[package\nname = ");
    let run = broken.run(&["context", "login"]);
    assert!(run.code == 0 && run.stdout.contains("src/login.rs"), "{}", run.stderr);

    let large = Sandbox::new();
    large.write("ws/src/huge.rs", "// login\n".repeat(600_000));
    large.write("ws/src/binary.rs", [0, 159, 146, 150]);
    large.write("ws/src/awkward.rs", "//! login\n/// ]]> ``` \u{202e}\u{1b}[2J\r\npub fn login_two() {}\r\n");
    let run = large.run(&["context", "login"]);
    assert!(run.code == 0 && !run.stdout.contains(['\u{1b}', '\u{202e}', '\r']), "{}", run.stdout);
}

#[cfg(unix)]
#[test]
fn unreadable_folders_and_odd_names_stop_nothing() {
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::new();
    sandbox.write("ws/src/closed/x.rs", "pub fn login_x() {}\n");
    let closed = sandbox.path("ws/src/closed");
    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o000)).unwrap();
    let odd = Path::new(std::ffi::OsStr::from_bytes(b"ws/src/\xff.rs"));
    let _ = std::fs::write(sandbox.folder.path().join(odd), "pub fn login_y() {}\n");
    let run = sandbox.run(&["context", "login"]);
    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o755)).unwrap();
    assert!(run.code == 0 && run.stdout.contains("src/login.rs"), "{}", run.stderr);
}
