//! Damage, foreign files, and folders that cannot be used: told, and an answer is made all the same.

use std::path::{Path, PathBuf};

use rusqlite::Connection;

use super::support::Sandbox;

const WORKSPACE: &str = "\
//- /Cargo.toml
[package]
name = \"shop\"
edition = \"2024\"
//- /src/lib.rs
mod pay;
pub struct Basket { pub items: Vec<u32> }
//- /src/pay.rs
use crate::Basket;
impl Basket {
    pub fn pay(&self) -> u32 { self.items.iter().sum() }
}
";

const QUESTION: [&str; 2] = ["context", "pay the Basket"];

/// The folder of the indices.
pub fn folder(sandbox: &Sandbox) -> PathBuf {
    sandbox.path("home/.cache/dossier/index")
}

/// The files of the folder with this ending.
fn files(sandbox: &Sandbox, ending: &str) -> Vec<PathBuf> {
    let all = std::fs::read_dir(folder(sandbox)).into_iter().flatten().map(|entry| entry.unwrap().path());
    let mut found: Vec<PathBuf> =
        all.filter(|path| path.extension().is_some_and(|it| it == ending)).collect();
    found.sort();
    found
}

fn database(sandbox: &Sandbox) -> PathBuf {
    let [only] = files(sandbox, "db").try_into().unwrap();
    only
}

/// A workspace with an index, and the answer without one.
fn indexed() -> (Sandbox, String) {
    let sandbox = Sandbox::new(WORKSPACE);
    let answer = sandbox.run(&["context", "pay the Basket", "--no-index"]).shows(&["fn pay"]).stdout.clone();
    assert!(!folder(&sandbox).exists());
    assert_eq!(sandbox.run(&QUESTION).ends(0, &[]).stdout, answer);
    (sandbox, answer)
}

/// The same answer, with a warning that says this; and no warning the next time.
#[track_caller]
fn heals(sandbox: &Sandbox, answer: &str, said: &[&str]) {
    let run = sandbox.run(&QUESTION);
    assert_eq!(run.ends(0, said).stdout, answer);
    let run = sandbox.run(&QUESTION);
    assert_eq!((run.stdout.as_str(), run.stderr.contains("index")), (answer, false), "{}", run.stderr);
}

#[test]
fn it_is_made_shown_and_removed() {
    let (sandbox, _) = indexed();
    let status = sandbox.run(&["index", "--status"]);
    status.shows(&["generation  1\n", "files       3\n", "changed     0 since\n"]);
    sandbox.write("src/pay.rs", "");
    sandbox.run(&["index", "--status"]).shows(&["generation  1\n", "changed     1 since\n"]);
    sandbox.run(&["index"]).shows(&["generation  2\n", "changed     0 since\n"]);
    // The other workspace's stays.
    sandbox.put("other/src/lib.rs", "fn a() {}\n");
    let other = sandbox.path("other").display().to_string();
    sandbox.run(&["index", "--workspace", &other]).shows(&["files       1\n"]);
    assert_eq!(files(&sandbox, "db").len(), 2);
    sandbox.run(&["clean"]).ends(0, &["removed 1 index"]);
    assert_eq!(files(&sandbox, "db").len(), 1);
    sandbox.run(&["index", "--status"]).ends(1, &["no index of", "`dossier index` makes it"]);
    sandbox.run(&["clean", "--all"]).ends(0, &["removed 1 index"]);
    assert_eq!(std::fs::read_dir(folder(&sandbox)).unwrap().count(), 0);
    sandbox.run(&["clean", "--all"]).ends(0, &["removed 0 indices"]);
}

#[test]
fn settings_turn_it_off() {
    let sandbox = Sandbox::new(WORKSPACE);
    sandbox.run(&["graph", "callers", "Basket::pay", "--no-index"]);
    sandbox.run_with_variable(&QUESTION, "DOSSIER_INDEX", "false").ends(0, &[]);
    sandbox.put("home/.config/dossier/config.toml", "index = false\n");
    sandbox.run(&QUESTION).ends(0, &[]);
    assert!(!folder(&sandbox).exists());
    sandbox.write(".dossier/config.toml", "index = true\n");
    sandbox.run(&QUESTION).ends(0, &["a workspace may not set `index`"]);
}

#[cfg(unix)]
#[test]
fn nobody_else_may_read_it() {
    use std::os::unix::fs::PermissionsExt;
    let (sandbox, _) = indexed();
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&folder(&sandbox)), mode(&database(&sandbox))), (0o700, 0o600));
    assert_eq!((files(&sandbox, "db-wal").len(), files(&sandbox, "db-shm").len()), (0, 0));
}

#[test]
fn what_is_no_database_or_not_ours_is_set_aside() {
    let (sandbox, answer) = indexed();
    std::fs::write(database(&sandbox), "no database at all, but long enough to be taken for one ".repeat(99))
        .unwrap();
    heals(&sandbox, &answer, &["the index was damaged", "it is made anew"]);
    assert_eq!(files(&sandbox, "damaged").len(), 1);

    let path = database(&sandbox);
    std::fs::remove_file(&path).unwrap();
    Connection::open(&path)
        .unwrap()
        .execute_batch("CREATE TABLE photos (a); PRAGMA application_id = 7")
        .unwrap();
    heals(&sandbox, &answer, &["it is another program's database"]);

    let set = |sql: &str| Connection::open(&path).unwrap().execute_batch(sql).unwrap();
    set("UPDATE fact SET value = x'2f78' WHERE name = 'root'");
    heals(&sandbox, &answer, &["it is of another workspace"]);
    set("DROP TABLE part");
    heals(&sandbox, &answer, &["the index was damaged"]);
    set("UPDATE fact SET value = x'00' WHERE name = 'generation'");
    heals(&sandbox, &answer, &["the index was damaged"]);
}

#[test]
fn another_versions_is_emptied_without_a_word() {
    let (sandbox, answer) = indexed();
    let connection = Connection::open(database(&sandbox)).unwrap();
    connection.execute_batch("UPDATE fact SET value = '0 0.0.1' WHERE name = 'version'").unwrap();
    drop(connection);
    heals(&sandbox, &answer, &[]);
    sandbox.run(&["index", "--status"]).shows(&["generation  1\n"]);
}

#[test]
fn every_damaged_value_is_found_out_again() {
    let (sandbox, answer) = indexed();
    let path = database(&sandbox);
    for table in ["part", "syntax", "body"] {
        for damage in ["x''", "x'00112233445566778899aabbccddeeff'", "substr(data, 1, length(data) - 1)"] {
            let connection = Connection::open(&path).unwrap();
            connection.execute(&format!("UPDATE {table} SET data = {damage}"), []).unwrap();
            drop(connection);
            sandbox.write(
                "src/lib.rs",
                format!("// {table}\nmod pay;\npub struct Basket {{ pub items: Vec<u32> }}\n"),
            );
            let run = sandbox.run(&QUESTION);
            let anew = sandbox.run(&["context", "pay the Basket", "--no-index"]);
            assert_eq!(run.stdout, anew.stdout, "{table} {damage}");
        }
    }
    sandbox.write("src/lib.rs", "mod pay;\npub struct Basket { pub items: Vec<u32> }\n");
    heals(&sandbox, &answer, &[]);
}

#[test]
fn torn_pages_do_no_harm() {
    let (sandbox, answer) = indexed();
    let whole = std::fs::read(database(&sandbox)).unwrap();
    for part in [1, whole.len() / 3, whole.len() / 2, whole.len() - 1] {
        std::fs::write(database(&sandbox), &whole[..part]).unwrap();
        assert_eq!(sandbox.run(&QUESTION).ends(0, &[]).stdout, answer, "{part}");
    }
    for page in (0..whole.len()).step_by(1024).take(40) {
        let mut torn = whole.clone();
        torn[page..(page + 1024).min(whole.len())].fill(0x5a);
        std::fs::write(database(&sandbox), torn).unwrap();
        assert_eq!(sandbox.run(&QUESTION).ends(0, &[]).stdout, answer, "{page}");
    }
}

#[test]
fn a_folder_that_cannot_be_used_is_told() {
    let sandbox = Sandbox::new(WORKSPACE);
    let answer = sandbox.run(&["context", "pay the Basket", "--no-index"]).stdout;
    sandbox.put("home/.cache/dossier", "a file");
    let run = sandbox.run(&QUESTION);
    assert_eq!(run.ends(0, &["no index is used", "--no-index"]).stdout, answer);
    sandbox.run(&["index"]).ends(2, &["nothing was kept"]);
    std::fs::remove_file(sandbox.path("home/.cache/dossier")).unwrap();
    std::fs::create_dir_all(folder(&sandbox)).unwrap();
    sandbox.run(&QUESTION).ends(0, &[]);
    let path = database(&sandbox);
    std::fs::remove_file(&path).unwrap();
    std::fs::create_dir(&path).unwrap();
    assert_eq!(sandbox.run(&QUESTION).ends(0, &["no index is used"]).stdout, answer);
    #[cfg(unix)]
    {
        std::fs::remove_dir(&path).unwrap();
        sandbox.put("elsewhere", "mine");
        std::os::unix::fs::symlink(sandbox.path("elsewhere"), &path).unwrap();
        assert_eq!(sandbox.run(&QUESTION).ends(0, &["no index is used"]).stdout, answer);
        assert_eq!(std::fs::read(sandbox.path("elsewhere")).unwrap(), b"mine");
    }
}

#[cfg(unix)]
#[test]
fn a_full_disk_leaves_the_last_state() {
    let (sandbox, _) = indexed();
    // Names that cannot be packed.
    let names = (0..30_000u32).map(|n| n.wrapping_mul(2_654_435_761));
    let functions: String = names.map(|name| format!("fn f{name:x}() {{}}\n")).collect();
    sandbox.write("src/more.rs", format!("pub fn pay_more() {{}}\n{functions}"));
    let answer = sandbox.run(&["context", "pay the Basket", "--no-index"]).stdout;
    // No file may grow beyond so many blocks of 512 bytes; the signal that comes with it is ignored.
    let mut command = std::process::Command::new("sh");
    let program = env!("CARGO_BIN_EXE_dossier");
    let script = format!("trap '' XFSZ; ulimit -f 200; exec '{program}' context 'pay the Basket'");
    command.args(["-c", &script]).current_dir(sandbox.ws("")).env_clear().env("DOSSIER_DAEMON", "false");
    command.env("PATH", std::env::var_os("PATH").unwrap()).env("HOME", sandbox.path("home"));
    let run = sandbox.finish(command, Vec::new());
    assert_eq!(run.ends(0, &["the index was not brought up to date"]).stdout, answer);
    sandbox.run(&["index", "--status"]).shows(&["generation  1\n", "changed     1 since\n"]);
    assert_eq!(sandbox.run(&QUESTION).ends(0, &[]).stdout, answer);
}
