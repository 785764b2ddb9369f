//! The real program on input that nobody promised would be good: each run ends in an answer or in a message with a
//! remedy, with the exit code of the design, without a panic, and leaves nothing behind (`support` checks the last two
//! on every run).

mod support;

use std::path::Path;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use dossier::config::Format;
use dossier::model::Deadline;
use dossier::pipeline::{Answer, LanguageServer, PipelineError, Planner, Request, Workspace};
use dossier::render::{RenderOptions, render};
use dossier::text::TokenCounter;
use dossier::workspace::WalkOptions;
use proptest::prelude::*;

use support::{Run, SHOP, Sandbox, git};

const FORMATS: [&str; 4] = ["markdown", "xml", "json", "plain"];
const MEGABYTE: usize = 1 << 20;
/// Unoptimised, with the tokenizer to load, on a machine that does other things too.
const FEW_SECONDS: Duration = Duration::from_secs(15);

fn shop() -> Sandbox {
    Sandbox::new(SHOP)
}

#[track_caller]
fn finds_the_login(run: &Run) {
    run.shows(&["src/login.rs", "pub fn login"]);
}

// The task.

#[test]
fn an_empty_task_is_told_what_to_write() {
    let shop = shop();
    for task in ["", " ", "\n\t \n"] {
        shop.run(&["context", task]).ends(2, &["the task is empty", "dossier context \"Fix the login\""]);
        shop.run_with_input(&["context", "-"], task)
            .ends(2, &["standard input is empty", "| dossier context -"]);
    }
}

#[test]
fn a_task_of_a_megabyte_takes_seconds_and_is_told_to_be_cut() {
    let shop = shop();
    let log = "2024-01-02 error in the login of a customer\n".repeat(MEGABYTE / 44);
    let spaces = format!("login {}", " ".repeat(MEGABYTE));
    let one_word = format!("login {}", "aB3_".repeat(MEGABYTE / 4));
    let brackets = format!("login {}", "<details>`([{".repeat(MEGABYTE / 13));
    let fences = format!("login\n{}", "```\n~~~\n".repeat(MEGABYTE / 8));
    for task in [log, spaces, one_word, brackets, fences] {
        let run = shop.run_with_input(&["context", "-"], task.as_str());
        run.ends(0, &["only its first 96 KB and its last 32 KB were read"]);
        finds_the_login(&run);
        assert!(run.took < FEW_SECONDS, "{:?}: {}", run.took, &task[..40]);
    }
}

#[test]
fn more_than_is_read_of_standard_input_is_told() {
    let run = shop().run_with_input(&["context", "-"], "login\n".repeat(9 * MEGABYTE / 6));
    finds_the_login(run.ends(0, &["only the first 8 MB of standard input are read"]));
}

#[test]
fn a_task_in_another_language_is_answered_by_its_names() {
    let shop = shop();
    for task in ["修复 login 的错误：密码", "Behebe den Fehler in `login`, das Passwort wird übergangen"]
    {
        finds_the_login(shop.run(&["context", task]).ends(0, &[]));
    }
    for task in ["修复错误密码", "исправить вход", "ログインを直す"] {
        let run = shop.run(&["context", task]);
        run.ends(1, &["nothing relevant found", "name a type, a function or a path"]);
        assert_eq!(run.stdout, "");
    }
}

#[test]
fn a_task_of_symbols_alone_is_answered_with_where_the_program_begins() {
    let shop = shop();
    for task in ["!!! ::: ((", "\u{1f980}", "`", "::", "…", "\u{202e}\u{1b}[2J", "?"] {
        let run = shop.run(&["context", "--", task]);
        run.ends(0, &["the task names nothing to look for", "name a type, a function or a path"]);
        run.shows(&["src/lib.rs"]);
        assert!(!run.stdout.contains(['\u{1b}', '\u{202e}']), "{}", run.stdout);
    }
}

#[test]
fn a_task_that_is_not_utf8_is_read_as_far_as_it_goes() {
    let run =
        shop().run_with_input(&["context", "-"], b"fix the login \xff\xfe\x80\x00 of \xc3\x28".to_vec());
    finds_the_login(run.ends(0, &["the task is not all UTF-8"]));
}

// The workspace.

#[test]
fn without_a_manifest_the_folders_files_are_taken_and_it_is_said() {
    let shop = shop();
    std::fs::remove_file(shop.ws("Cargo.toml")).unwrap();
    let run = shop.run(&["context", "login"]);
    finds_the_login(run.ends(0, &["no Cargo.toml in SANDBOX/ws or above it", "--workspace"]));
    let json = shop.run(&["context", "login", "--format", "json", "--quiet"]).json();
    assert!(json["notes"].to_string().contains("no Cargo.toml"), "{}", json["notes"]);
}

#[test]
fn a_broken_manifest_is_told_once_with_its_line() {
    let shop = shop();
    for broken in ["[package\nname = ", "[package]\nname = 1\n[package]\n", "\u{0}", "= \u{1b}[2J"] {
        shop.write("Cargo.toml", broken);
        let run = shop.run(&["context", "login"]);
        finds_the_login(&run);
        let told = run.stderr.lines().filter(|line| line.contains("Cargo.toml")).count();
        assert_eq!(told, 1, "{broken:?}: {}", run.stderr);
        assert!(run.stderr.contains("read"), "{}", run.stderr);
    }
    shop.write("Cargo.toml", b"[package]\nname = \"\xff\"");
    finds_the_login(
        shop.run(&["context", "login"]).ends(0, &["1 path cannot be read: Cargo.toml (not UTF-8)"]),
    );
}

#[test]
fn manifests_that_point_outside_or_at_themselves_lead_nowhere() {
    let shop = shop();
    shop.put("other/Cargo.toml", "[package]\nname = \"other\"\n");
    shop.put("other/src/lib.rs", "pub fn login_of_another_workspace() {}\n");
    shop.write(
        "Cargo.toml",
        "[package]\nname = \"shop\"\nworkspace = \"../other\"\n[workspace]\nmembers = [\"../other\", \".\", \"**\", \"[\"]\n\
         [dependencies]\nshop = { path = \".\" }\nother = { path = \"../other\" }\n[lib]\npath = \"../other/src/lib.rs\"\n",
    );
    let run = shop.run(&["context", "login"]);
    finds_the_login(&run);
    assert!(!run.stdout.contains("another_workspace"), "{}", run.stdout);
}

#[test]
fn a_workspace_without_files_has_nothing_relevant() {
    let empty = Sandbox::new("");
    for format in FORMATS {
        let run = empty.run(&["context", "login", "--format", format]);
        run.ends(1, &["nothing relevant found in SANDBOX/ws", "--workspace"]);
    }
    let manifest_alone = Sandbox::new("//- /Cargo.toml\n[package]\nname = \"a\"\n");
    manifest_alone.run(&["context", "login"]).ends(1, &["nothing relevant found"]);
    manifest_alone.run(&["context", "!!!"]).ends(1, &["nothing relevant found"]);
    manifest_alone.run(&["graph", "callers", "login"]).ends(1, &["no item is called `login` here"]);
}

#[test]
fn a_file_of_five_megabytes_is_left_out_and_it_is_said() {
    let alone = Sandbox::new("//- /Cargo.toml\n[package]\nname = \"a\"\n");
    alone.write("src/lib.rs", "pub fn login() {}\n".repeat(5 * MEGABYTE / 18));
    let run = alone.run(&["context", "login", "--verbose"]);
    run.ends(1, &["1 path left out, larger than 1 MB: src/lib.rs", "nothing relevant found"]);
    let json = alone.run(&["context", "login", "--format", "json"]).json();
    assert!(json["notes"].to_string().contains("larger than 1 MB"), "{}", json["notes"]);
}

#[test]
fn ten_thousand_files_and_the_commit_that_brought_them_are_no_obstacle() {
    let shop = shop();
    for folder in 0..100 {
        std::fs::create_dir(shop.ws(&format!("src/m{folder}"))).unwrap();
        for file in 0..100 {
            let text = format!("pub fn item_{folder}_{file}() {{}}\n");
            std::fs::write(shop.ws(&format!("src/m{folder}/f{file}.rs")), text).unwrap();
        }
    }
    shop.git(&["init", "--quiet"]);
    shop.commit("Fix the login in ten thousand files");
    shop.write("src/login.rs", "/// Signs a customer in.\npub fn login(name: &str) -> bool { true }\n");
    shop.commit("Let every customer in");
    let run = shop.run(&["context", "fix the login in ten thousand files", "--format", "json"]);
    assert_eq!(run.ends(0, &[]).json()["files"][0]["path"], "src/login.rs");
    assert!(!run.stdout.contains("changed by"), "a commit that touched everything says nothing");
}

#[cfg(unix)]
#[test]
fn unreadable_folders_and_files_are_told() {
    use std::os::unix::fs::PermissionsExt;
    let shop = shop();
    shop.write("src/closed/x.rs", "pub fn login_x() {}\n");
    shop.write("src/shut.rs", "pub fn login_y() {}\n");
    let set = |path: &str, mode| {
        std::fs::set_permissions(shop.ws(path), std::fs::Permissions::from_mode(mode)).unwrap();
    };
    set("src/closed", 0o000);
    set("src/shut.rs", 0o000);
    let is_root = std::fs::read(shop.ws("src/shut.rs")).is_ok();
    let run = shop.run(&["context", "login"]);
    set("src/closed", 0o755);
    finds_the_login(&run);
    if !is_root {
        run.ends(0, &["2 paths cannot be read: src/closed (permission denied), src/shut.rs"]);
    }
}

#[test]
fn files_that_come_go_and_grow_while_they_are_read_stop_nothing() {
    let shop = shop();
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for round in 0.. {
                if over.load(Ordering::Relaxed) {
                    break;
                }
                for file in 0..20 {
                    let path = shop.ws(&format!("src/come{file}/go.rs"));
                    let folder = path.parent().unwrap();
                    std::fs::create_dir_all(folder).unwrap();
                    std::fs::write(&path, "pub fn login_again() {}\n".repeat(round % 50)).unwrap();
                    if (round + file) % 3 == 0 {
                        std::fs::remove_dir_all(folder).unwrap();
                    }
                }
                std::fs::write(shop.ws("src/grows.rs"), "// login \u{e9}\n".repeat(round % 90_000)).unwrap();
            }
        });
        let runs: Vec<Run> = (0..6).map(|_| shop.run(&["context", "login", "--format", "json"])).collect();
        over.store(true, Ordering::Relaxed);
        for run in runs {
            run.ends(0, &[]).shows(&["src/login.rs"]);
            run.json();
        }
    });
}

#[cfg(target_os = "linux")]
#[test]
fn paths_that_are_not_utf8_are_told_and_may_be_the_workspaces_own() {
    use std::os::unix::ffi::OsStrExt;
    let shop = shop();
    let odd = std::ffi::OsStr::from_bytes(b"od\xffd");
    std::fs::create_dir(shop.ws("src").join(odd)).unwrap();
    std::fs::write(shop.ws("src").join(odd).join("x.rs"), "pub fn login_x() {}\n").unwrap();
    let run = shop.run(&["context", "login", "--verbose"]);
    finds_the_login(run.ends(0, &["1 path left out, the path is not UTF-8: src/od\u{fffd}d/x.rs"]));

    let below = shop.path("tmp").join(odd);
    std::fs::create_dir_all(below.join("src")).unwrap();
    std::fs::copy(shop.ws("src/login.rs"), below.join("src/login.rs")).unwrap();
    for arguments in [&["context", "login"][..], &["graph", "callers", "check_password"]] {
        let mut command = shop.command(arguments);
        command.current_dir(&below);
        shop.finish(command, Vec::new()).shows(&["login"]);
    }
    let mut argument = shop.command(&["context"]);
    argument.arg(std::ffi::OsStr::from_bytes(b"fix the login \xff"));
    shop.finish(argument, Vec::new()).ends(2, &["UTF-8"]);
}

#[test]
fn paths_with_every_odd_character_are_shown_harmlessly() {
    let shop = shop();
    let odd = if cfg!(unix) { "src/a b`#<&\"'\n\u{1b}[2J\u{202e}é.rs" } else { "src/a b`#&'é.rs" };
    shop.write(odd, "pub fn login_odd() {}\n");
    for format in FORMATS {
        let run = shop.run(&["context", "login_odd", "--format", format]);
        run.shows(&["pub fn login_odd"]);
        assert!(!run.stdout.contains(['\u{1b}', '\u{202e}']), "{}", run.stdout);
    }
    let explained = shop.run(&["context", "login_odd", "--explain-context"]);
    assert!(!explained.stdout.contains(['\u{1b}', '\u{202e}']), "{}", explained.stdout);
}

#[cfg(unix)]
#[test]
fn rules_that_are_no_plain_files_are_not_read() {
    let link = |target: &str, path| std::os::unix::fs::symlink(target, path).unwrap();
    let pipe = |path| assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
    for name in [".gitignore", ".ignore", ".dossierignore"] {
        let shop = shop();
        let said = format!("{name} (not a plain file of the workspace");
        link("/dev/zero", shop.ws(name));
        finds_the_login(shop.run(&["context", "login"]).ends(0, &[&said]));
        std::fs::remove_file(shop.ws(name)).unwrap();
        pipe(shop.ws(name));
        finds_the_login(shop.run(&["context", "login"]).ends(0, &[&said]));
        std::fs::remove_file(shop.ws(name)).unwrap();

        shop.put("outside", "*");
        shop.write("src/linked/x.rs", "pub fn login_x() {}\n");
        link("../../../outside", shop.ws("src/linked").join(name));
        finds_the_login(shop.run(&["context", "login"]).ends(0, &[&format!("src/linked/{said}")]));
        std::fs::remove_file(shop.ws("src/linked").join(name)).unwrap();

        // A link inside the workspace is as good as the file.
        shop.write("rules", "linked\n");
        link("rules", shop.ws(name));
        let run = shop.run(&["context", "login"]);
        finds_the_login(run.ends(0, &[]));
        assert!(!run.stderr.contains("plain") && !run.stdout.contains("login_x"), "{name}: {}", run.stdout);
    }
}

// The repository.

#[test]
fn without_git_the_code_alone_answers() {
    let run = shop().run(&["context", "login", "--verbose"]);
    finds_the_login(run.ends(0, &["no git repository: past commits do not count"]));
}

#[test]
fn a_shallow_clone_answers_and_says_what_it_lacks() {
    let shop = shop();
    shop.git(&["init", "--quiet"]);
    shop.commit("Write the shop");
    shop.write("src/basket.rs", "pub struct Basket;\n");
    shop.commit("Empty the basket");
    let origin = format!("file://{}", shop.ws("").canonicalize().unwrap().display());
    git(&shop.path(""), &["clone", "--quiet", "--depth", "1", &origin, "clone"]);
    let run = shop.run(&["context", "login", "--verbose", "--workspace", "../clone"]);
    finds_the_login(run.ends(0, &["shallow"]));
}

#[test]
fn a_bare_repository_has_no_code_to_show() {
    let shop = shop();
    shop.git(&["init", "--quiet"]);
    shop.commit("Write the shop");
    git(&shop.path(""), &["clone", "--quiet", "--bare", "ws", "bare.git"]);
    shop.run(&["context", "login", "--workspace", "../bare.git"])
        .ends(1, &["nothing relevant found in SANDBOX/bare.git", "--workspace"]);
    shop.run(&["doctor", "--workspace", "../bare.git"]).ends(2, &[]);
}

#[test]
fn a_detached_head_has_its_history() {
    let shop = shop();
    shop.git(&["init", "--quiet"]);
    shop.commit("Write the shop");
    shop.write("src/basket.rs", "pub struct Basket { pub total: u64 }\n");
    shop.commit("Sum up what the zebra ordered");
    shop.git(&["checkout", "--quiet", "--detach"]);
    shop.run(&["context", "the zebra ordered"]).shows(&["src/basket.rs", "Sum up what the zebra ordered"]);
}

#[test]
fn a_repository_that_is_damaged_or_empty_is_no_reason_to_stop() {
    let unborn = shop();
    unborn.git(&["init", "--quiet"]);
    finds_the_login(&unborn.run(&["context", "login"]));

    let damaged = shop();
    damaged.git(&["init", "--quiet"]);
    damaged.commit("Write the login");
    let objects = damaged.ws(".git/objects");
    for folder in std::fs::read_dir(&objects).unwrap().flatten().filter(|entry| entry.path().is_dir()) {
        for object in std::fs::read_dir(folder.path()).unwrap().flatten() {
            std::fs::remove_file(object.path()).unwrap();
            std::fs::write(object.path(), "no object").unwrap();
        }
    }
    finds_the_login(&damaged.run(&["context", "login"]));

    for (path, text) in
        [(".git", "gitdir: nowhere\n"), (".git", "\0\0\0"), (".git/HEAD", "ref: refs/heads/\n")]
    {
        let broken = shop();
        broken.write(path, text);
        finds_the_login(&broken.run(&["context", "login"]));
    }
}

// The budget, the flags, the settings.

#[test]
fn a_budget_too_small_names_one_that_does() {
    let shop = shop();
    let counter = TokenCounter::start();
    for format in FORMATS {
        for budget in ["0", "1", "20", "50"] {
            let ask = |budget: &str| {
                shop.run(&["context", "fix the login", "--token-budget", budget, "--format", format])
            };
            let run = ask(budget);
            if budget == "0" {
                run.ends(2, &["--token-budget", "expected a number from 1"]);
                continue;
            }
            let run = match run.code {
                0 => run,
                _ => {
                    run.ends(2, &["cannot hold", "give at least", "--token-budget"]);
                    assert_eq!(run.stdout, "");
                    let least = run.stderr.split("at least ").nth(1).unwrap().split(' ').next().unwrap();
                    let healed = ask(least);
                    healed.shows(&["src/login.rs"]);
                    assert!(counter.count(&healed.stdout) <= least.parse().unwrap() || format == "json");
                    continue;
                }
            };
            run.shows(&["src/login.rs"]);
            let used = match format {
                "json" => run.json()["budget"]["used"].as_u64().unwrap() as u32,
                _ => counter.count(&run.stdout),
            };
            assert!(used <= budget.parse().unwrap(), "{format} {budget}: {used}");
        }
    }
}

#[test]
fn unknown_flags_and_values_name_the_nearest() {
    let shop = shop();
    for (arguments, said) in [
        (&["context", "x", "--token-buget", "9"][..], "--token-budget"),
        (&["context", "x", "--max-context-file", "9"], "--max-context-files"),
        (&["context", "x", "--format", "jsn"], "json"),
        (&["context", "x", "--tests", "maybe"], "auto"),
        (&["context", "x", "--depth", "99"], "from 0 to 10"),
        (&["context", "x", "--max-context-files", "0"], "from 1"),
        (&["context", "x", "--token-budget", "-1"], "--token-budget"),
        (&["context", "x", "--include", "{a"], "{a"),
        (&["contxt", "x"], "context"),
        (&["graph", "caller", "x"], "callers"),
        (&["graph", "callers", "x", "--depth", "0"], "1..=10"),
        (&["config", "shwo"], "show"),
        (&["completions", "bsh"], "bash"),
        (&["context", "x", "-w", "no/such/folder"], "--workspace"),
    ] {
        let run = shop.run(arguments);
        run.ends(2, &[said]);
        assert_eq!(run.stdout, "", "{arguments:?}");
    }
}

#[test]
fn unknown_settings_name_the_nearest_wherever_they_stand() {
    let shop = shop();
    shop.put("home/.config/dossier/config.toml", "bugdet = 100\nformat = 'htm'\n");
    shop.write(".dossier/config.toml", "inclde = ['x']\ndepth = 'far'\nendpoint = 'http://localhost'\n");
    let mut command = shop.command(&["context", "login"]);
    command.env("DOSSIER_LINE_NUMBER", "true").env("DOSSIER_TESTS", "perhaps");
    let run = shop.finish(command, Vec::new());
    finds_the_login(run.ends(
        0,
        &[
            "SANDBOX/home/.config/dossier/config.toml:1: `bugdet` is not a setting: ignored; did you mean `budget`?",
            "SANDBOX/home/.config/dossier/config.toml:2: `format`: ",
            "environment: `DOSSIER_LINE_NUMBER` is not a setting: ignored; did you mean `DOSSIER_LINE_NUMBERS`?",
            "DOSSIER_TESTS: `tests`: expected one of auto, yes, no",
            ".dossier/config.toml:1: `inclde` is not a setting: ignored; did you mean `include`?",
            ".dossier/config.toml:2: `depth`: ",
            ".dossier/config.toml:3: `endpoint` is not a setting: ignored; `dossier config show` lists them",
        ],
    ));
}

#[test]
fn settings_files_that_are_no_text_are_passed_over() {
    let shop = shop();
    for content in [&b"\xff\xfe"[..], b"= = =", &[b'#'; 300 * 1024]] {
        shop.write(".dossier/config.toml", content);
        finds_the_login(shop.run(&["context", "login"]).ends(0, &[".dossier/config.toml", "ignored"]));
    }
    std::fs::remove_file(shop.ws(".dossier/config.toml")).unwrap();
    std::fs::create_dir(shop.ws(".dossier/config.toml")).unwrap();
    finds_the_login(&shop.run(&["context", "login"]));
}

#[test]
fn a_reader_that_closes_the_pipe_has_what_it_wanted() {
    let shop = shop();
    for arguments in [
        &["context", "login"][..],
        &["context", "login", "--format", "json"],
        &["context", "login", "--explain-context"],
        &["graph", "callers", "check_password"],
        &["graph", "callers", "check_password", "--json"],
        &["config", "show"],
        &["completions", "zsh"],
        &["context", "--help"],
        &["--version"],
    ] {
        let run = shop.run_unread(arguments);
        assert_eq!(run.stderr, "", "{arguments:?}");
        run.ends(0, &[]);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn messages_that_cannot_be_written_stop_nothing() {
    let shop = shop();
    for flags in [&[][..], &["-v"], &["-vvv"]] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let asked = [&["context", "!!! login"][..], flags].concat();
        let output = shop.command(&asked).stderr(full).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{flags:?}");
        assert!(String::from_utf8_lossy(&output.stdout).contains("src/login.rs"));
    }
}

// The code.

#[test]
fn code_that_nests_deeply_is_read_as_far_as_it_can_be() {
    const DEEP: usize = 100_000;
    let nested = |open: &str, close: &str| format!("{}1{}", open.repeat(DEEP), close.repeat(DEEP));
    let shop = shop();
    let body = |code: String| format!("pub fn deep() {{ let x = {code}; }}\n");
    shop.write("src/parens.rs", body(nested("(", ")")));
    shop.write("src/open.rs", body("(".repeat(DEEP)));
    shop.write("src/blocks.rs", body(nested("{", "}")));
    shop.write("src/brackets.rs", body(nested("[", "]")));
    shop.write("src/macros.rs", body(nested("m!(", ")")));
    shop.write("src/signs.rs", body(format!("{}1", "!".repeat(DEEP))));
    shop.write("src/calls.rs", body(format!("x{}", ".f()".repeat(DEEP))));
    shop.write("src/sums.rs", body(format!("1{}", " + 1".repeat(DEEP))));
    shop.write("src/closures.rs", body(format!("{}1", "|| ".repeat(DEEP))));
    shop.write("src/ifs.rs", body(format!("{}{{}}", "if a {} else ".repeat(DEEP / 2))));
    shop.write("src/modules.rs", "mod a { ".repeat(DEEP / 2));
    shop.write("src/imports.rs", format!("use {}b{};\n", "a::{".repeat(DEEP / 2), "}".repeat(DEEP / 2)));
    shop.write(
        "src/comments.rs",
        format!("{}{}\npub fn deep() {{}}\n", "/*".repeat(DEEP), "*/".repeat(DEEP)),
    );
    finds_the_login(&shop.run(&["context", "login"]));
    shop.run(&["context", "deep", "--token-budget", "2000", "--format", "xml"]).shows(&["deep"]);
    shop.run(&["graph", "callers", "check_password"]).shows(&["src/login.rs"]);
}

#[test]
fn types_that_nest_deeply_are_read_as_far_as_they_can_be() {
    const DEEP: usize = 50_000;
    let shop = shop();
    let nested = |open: &str, close: &str| format!("{}u8{}", open.repeat(DEEP), close.repeat(DEEP));
    shop.write("src/generics.rs", format!("pub fn deep(x: {}) {{}}\n", nested("Vec<", ">")));
    shop.write("src/tuples.rs", format!("pub fn deep(x: {}) {{}}\n", nested("(", ",)")));
    shop.write("src/references.rs", format!("pub fn deep(x: {}) {{}}\n", nested("&", "")));
    shop.write("src/bounds.rs", format!("pub fn deep(x: {}) {{}}\n", nested("impl I<T = ", ">")));
    finds_the_login(&shop.run(&["context", "login"]));
}

#[test]
fn a_line_of_nine_hundred_kilobytes_stays_within_the_budget() {
    const LONG: usize = 900 * 1024;
    let shop = shop();
    shop.write("src/text.rs", format!("pub const LONG: &str = \"{}\";\n", "login ".repeat(LONG / 6)));
    shop.write("src/words.rs", format!("pub const SPACES: &str = \"{}\";\n", " ".repeat(LONG)));
    shop.write("src/letters.rs", format!("pub const LETTERS: &str = \"{}\";\n", "a".repeat(LONG)));
    for format in FORMATS {
        let run = shop.run(&["context", "LONG login", "--format", format]);
        run.shows(&["src/login.rs"]);
        assert!(run.stdout.len() < 60_000 && run.took < FEW_SECONDS, "{} {:?}", run.stdout.len(), run.took);
    }
}

#[test]
fn a_program_in_one_line_is_read_in_time() {
    let shop = shop();
    shop.write("src/minified.rs", format!("pub fn minified() {{ {} }}\n", "call();".repeat(100_000)));
    shop.write("src/closed.rs", format!("pub fn closed() {{ {}; }}\n", ")".repeat(100_000)));
    let run = shop.run(&["context", "login"]);
    finds_the_login(&run);
    assert!(run.took < FEW_SECONDS, "{:?}", run.took);
}

#[test]
fn line_ends_and_byte_order_marks_change_no_line_number() {
    let shop = shop();
    shop.write(
        "src/crlf.rs",
        "//! Old.\r\n\r\n/// Logs in.\r\npub fn login_crlf() {\r\n    let a = 1;\r\n}\r\n",
    );
    shop.write("src/bom.rs", "\u{feff}pub fn login_bom() {\n}\n");
    shop.write("src/lone.rs", "pub fn login_lone() {\r}\r");
    for format in FORMATS {
        let run = shop.run(&["context", "login_crlf login_bom login_lone", "--format", format]);
        run.shows(&["pub fn login_crlf", "pub fn login_bom", "pub fn login_lone"]);
        assert!(!run.stdout.contains('\r') && !run.stdout.contains('\u{feff}'), "{:?}", run.stdout);
    }
    shop.run(&["graph", "methods", "login_crlf"]).ends(1, &[]);
    let found = shop.run(&["graph", "usages", "login_bom", "--json"]).ends(1, &[]).json();
    assert_eq!(found["definitions"][0]["line"], 1);
    let found = shop.run(&["graph", "usages", "login_crlf", "--json"]).ends(1, &[]).json();
    assert_eq!(found["definitions"][0]["line"], 4);
}

// What must not leave.

/// Secrets that are told by themselves, made up here. They stand in pieces, so that none looks as if it had leaked.
fn secrets() -> Vec<String> {
    [
        &["AKIA", "Q7ZN4KPW2VXC6TRM"][..],
        &["ghp", "_", "k3Jx9Qm2Zt7Lw5Rb8Vn1Yc4Hd6Fg0SpAuEiT"],
        &["sk", "_live_", "9aK2mX7cQ4zL8vN1bR5t"],
        &["xoxb-", "7391-", "kQ9zW2mX4vB7nL1p"],
        &["Tr0ub4dor", "X9q2", "Zk7"],
    ]
    .into_iter()
    .map(|parts| parts.concat())
    .collect()
}

/// A workspace with a secret at every place that may come into an answer, and in files that must not.
fn with_secrets() -> Sandbox {
    let [aws, github, stripe, slack, password] = &secrets()[..] else { panic!() };
    let shop = shop();
    shop.write(
        "src/login.rs",
        format!(
            "//! Login with {aws}.\n\n/// Takes `{github}`.\npub fn login_key() -> &'static str {{\n    \"{stripe}\"\n}}\n\
             pub fn login_url(a: &str = \"{slack}\") {{ let u = \"postgres://shop:{password}@db/login\"; }}\n\
             const KEY: &str = \"-----BEGIN PRIVATE KEY-----\n{aws}{github}\n{password}\n-----END PRIVATE KEY-----\";\n"
        ),
    );
    shop.write(
        "README.md",
        format!("# Login\n\nUse `{github}`, or https://u:{password}@login.example.org.\n"),
    );
    shop.write(
        "migrations/1_login.sql",
        format!("-- login {stripe}\nINSERT INTO login VALUES ('{slack}');\n"),
    );
    shop.write("config/login.toml", format!("[login]\npassword = \"{password}\"\nkey = \"{aws}\"\n"));
    for file in [
        ".env",
        "prod.env",
        ".env.local",
        "id_rsa",
        "login.pem",
        "login.key",
        "secrets.yaml",
        "credentials.json",
    ] {
        shop.write(file, format!("login_only_here = 1\nLOGIN_PASSWORD={password}\nKEY={aws}\n{github}\n"));
    }
    shop.git(&["init", "--quiet"]);
    shop.commit(&format!("Log in with {github} and {aws}"));
    shop
}

/// What may be asked that shows code, reasons or the task itself; each with `more`.
fn every_face(shop: &Sandbox, more: &[&str]) -> Vec<Run> {
    let [_, github, ..] = &secrets()[..] else { panic!() };
    let task =
        format!("login_key fails with {github} in login_url, login.pem and .env: postgres login README");
    let asked =
        |flags: &[&str]| shop.run(&[&["context", &task, "--token-budget", "20000"], flags, more].concat());
    let mut runs: Vec<Run> = FORMATS.iter().map(|format| asked(&["--format", format])).collect();
    runs.push(asked(&["--explain-context"]));
    runs.push(asked(&["--line-numbers", "--verbose"]));
    runs.push(asked(&["--no-content"]));
    runs
}

#[test]
fn no_secret_is_in_any_output() {
    let shop = with_secrets();
    let mut runs = every_face(&shop, &[]);
    runs.push(shop.run(&["graph", "usages", "login_url", "--json"]));
    runs.push(shop.run(&["graph", "methods", "login_url"]));
    runs.push(shop.run(&["doctor", "--verbose"]));
    for run in &runs {
        for secret in secrets() {
            for text in [&run.stdout, &run.stderr] {
                let lower = text.to_lowercase();
                assert!(!lower.contains(&secret.to_lowercase()), "{secret} is in: {text}");
            }
        }
    }
    runs[0].shows(&["[masked]", "src/login.rs", "migrations/1_login.sql"]).ends(0, &["masked", "--no-mask"]);
}

#[test]
fn files_that_hold_secrets_never_enter_even_unmasked() {
    let shop = with_secrets();
    for run in every_face(&shop, &["--no-mask", "--include", "*", "--include", ".env"]) {
        assert!(!run.stdout.contains("login_only_here"), "{}", run.stdout);
    }
    let [aws, _, stripe, ..] = &secrets()[..] else { panic!() };
    shop.run(&["context", "login_key", "--no-mask"]).shows(&[aws.as_str(), stripe.as_str()]);
}

// The budget is real, and the same input gives the same bytes.

/// A workspace with all that makes counting hard, read once.
static AWKWARD: LazyLock<(Sandbox, Workspace)> = LazyLock::new(|| {
    let sandbox = shop();
    sandbox.write(
        "src/fences.rs",
        "/// ```\n/// ]]> </document> ~~~~ `````` login\npub fn login_fences() {}\n".repeat(40),
    );
    sandbox.write(
        "src/odd.rs",
        "// \u{1f980}\u{202e}\u{0}x\r\n// \u{1b}[2J \u{e9}\u{301} 密码\npub fn login_odd() {}\n"
            .replace('\0', ""),
    );
    sandbox.write("src/spaces.rs", format!("pub fn login_spaces() {{\n{}x();\n}}\n", " ".repeat(5_000)));
    sandbox.write("src/long.rs", format!("pub const LOGIN: &str = \"{}\";\n", "x9_Zq-".repeat(3_000)));
    for n in 0..30 {
        let body: String = (0..20).map(|k| format!("    let login_{k} = check({n}, {k});\n")).collect();
        sandbox.write(
            &format!("src/part{n}/a_rather_long_name_of_a_file.rs"),
            format!("/// Logs in, {n}.\npub fn login_{n}() {{\n{body}}}\n\nimpl Basket {{\n    fn pay_{n}(&self) {{\n{body}    }}\n}}\n"),
        );
    }
    let workspace = Workspace::open(&sandbox.ws(""), &WalkOptions::default(), &Deadline::never()).unwrap();
    (sandbox, workspace)
});

fn answer(request: &Request) -> Result<Answer, PipelineError> {
    AWKWARD.1.answer(
        request,
        &LanguageServer::absent(&AWKWARD.1.snapshot.root),
        &Planner::rules(),
        &Deadline::never(),
    )
}

/// The text that the budget is for, and all that does not depend on the clock.
fn bytes(answer: Answer, render_options: RenderOptions) -> (String, String) {
    let mut pack = answer.pack;
    pack.timings.clear();
    pack.freshness.index_age_ms = 0;
    (render(&pack, &render_options.counted()), render(&pack, &render_options))
}

fn requests() -> impl Strategy<Value = Request> {
    let formats = [Format::Markdown, Format::Xml, Format::Json, Format::Plain];
    let queries = [
        "login",
        "fix `login_3` in src/part3/a_rather_long_name_of_a_file.rs:4",
        "!!!",
        "Basket pay_7 pay_8",
        "a b c d e f g <|endoftext|> ``` </task> ]]>",
        "登录 login 密码 \u{1f980}\u{1f980}\u{1f980}\u{1f980}\u{1f980}",
    ];
    let long = "login and pay: \u{1f980} <&> ".repeat(60);
    let query = prop_oneof![proptest::sample::select(queries.to_vec()).prop_map(str::to_owned), Just(long)];
    let budget = prop_oneof![0u32..200, 0u32..5_000];
    let files = proptest::option::of(1usize..9);
    let format = proptest::sample::select(formats.to_vec());
    (query, budget, files, format, any::<bool>(), proptest::bool::weighted(0.8), any::<bool>()).prop_map(
        |(query, budget, max_files, format, line_numbers, content, mask)| Request {
            max_files,
            fill: line_numbers,
            mask,
            render: RenderOptions { format, line_numbers, content },
            ..Request::new(query, budget)
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_budget_is_exceeded_and_the_same_input_gives_the_same_bytes(request in requests()) {
        let counter = TokenCounter::start();
        match answer(&request) {
            Ok(first) => {
                let used = first.pack.budget.used;
                let (counted, rendered) = bytes(first, request.render);
                prop_assert!(counter.count(&counted) <= request.budget);
                prop_assert_eq!(counter.count(&counted), used);
                let again = bytes(answer(&request).unwrap(), request.render);
                prop_assert_eq!((counted, rendered), again);
            }
            Err(PipelineError::Budget { budget, least }) => {
                prop_assert_eq!(budget, request.budget);
                prop_assert!(least > budget);
                let healed = Request { budget: least, ..request };
                prop_assert!(answer(&healed).is_ok(), "{least} is not enough");
            }
            Err(other) => prop_assert!(false, "{other}"),
        }
    }
}

#[test]
fn the_workspace_is_the_same_after_a_run() {
    let shop = shop();
    shop.git(&["init", "--quiet"]);
    shop.commit("Write the shop");
    let listed = || {
        let mut paths = Vec::new();
        walk(&shop.ws(""), &mut paths);
        paths.sort();
        paths
    };
    let before = listed();
    for arguments in [&["context", "login"][..], &["graph", "callers", "check_password"], &["doctor"]] {
        shop.run(arguments).ends(0, &[]);
    }
    assert_eq!(listed(), before);
}

fn walk(folder: &Path, paths: &mut Vec<(std::path::PathBuf, std::time::SystemTime)>) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        if entry.path().is_dir() {
            walk(&entry.path(), paths);
        }
        paths.push((entry.path(), entry.metadata().unwrap().modified().unwrap()));
    }
}
