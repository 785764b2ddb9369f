//! `dossier doctor`: what is there, what is not, and the command that heals it. Nothing is started.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::Outcome;
use super::args::Place;
use super::messages::Messages;
use super::output::Output;
use super::settings::{self, cache_folder, on_path, variable};
use crate::model::{Deadline, FileKind, Note};
use crate::render::printable;
use crate::workspace::history::{History, HistoryOptions};
use crate::workspace::{Snapshot, WalkOptions};

const HISTORY_TIME: Duration = Duration::from_secs(5);
/// Fewer commits than this tell little of which files change together.
const FEW_COMMITS: usize = 50;
/// Notes of a part that are printed before the rest is counted.
const NOTES: usize = 10;
const INSTALL_SERVER: &str = "rustup component add rust-analyzer rust-src";

/// How something stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Good,
    /// It works, with less.
    Lacking,
    /// Nothing works without it.
    Broken,
}

#[derive(Debug)]
struct Check {
    state: State,
    what: &'static str,
    found: String,
    /// What to do about it: a command where there is one.
    remedy: Option<String>,
    notes: Vec<String>,
}

impl Check {
    fn good(what: &'static str, found: impl Into<String>) -> Check {
        Check { state: State::Good, what, found: found.into(), remedy: None, notes: Vec::new() }
    }

    fn lacking(what: &'static str, found: impl Into<String>, remedy: impl Into<String>) -> Check {
        Check { state: State::Lacking, remedy: Some(remedy.into()), ..Check::good(what, found) }
    }

    fn broken(what: &'static str, found: impl Into<String>, remedy: impl Into<String>) -> Check {
        Check { state: State::Broken, ..Check::lacking(what, found, remedy) }
    }

    fn noting(self, notes: &[Note]) -> Check {
        Check { notes: notes.iter().map(|note| note.text.clone()).collect(), ..self }
    }
}

pub(super) fn run(place: &Place, _messages: &Messages) -> anyhow::Result<Outcome> {
    let (root, notes) = settings::root(place)?;
    let mut checks = vec![version(), workspace(&root).noting(&notes)];
    let loaded = settings::load(&root, Vec::new());
    let options = WalkOptions {
        include: loaded.settings.include.value.clone(),
        exclude: loaded.settings.exclude.value.clone(),
    };
    checks.push(files(&root, &options));
    checks.push(git(&root));
    checks.push(server());
    checks.push(settings_files(&loaded));
    checks.push(cache());
    Output::stdout().write(&page(&checks))?;
    let broken = checks.iter().any(|check| check.state == State::Broken);
    Ok(if broken { Outcome::Troubled } else { Outcome::Done })
}

fn version() -> Check {
    Check::good("dossier", env!("CARGO_PKG_VERSION"))
}

fn workspace(root: &Path) -> Check {
    let shown = root.display().to_string();
    if root.join("Cargo.toml").is_file() {
        return Check::good("workspace", shown);
    }
    let remedy = "run it inside a Cargo workspace, or name one with --workspace; the Rust files of the folder serve meanwhile";
    Check::lacking("workspace", format!("{shown}, without a Cargo.toml"), remedy)
}

fn files(root: &Path, options: &WalkOptions) -> Check {
    let snapshot = match Snapshot::read(root, options) {
        Ok(snapshot) => snapshot,
        Err(error) => {
            return Check::broken("files", format!("{:#}", anyhow::Error::from(error)), "mend what it names");
        }
    };
    let rust = snapshot.files.iter().filter(|file| file.kind == FileKind::Rust).count();
    let found = format!(
        "{rust} of Rust, {} others, {} packages",
        snapshot.files.len() - rust,
        snapshot.packages.len()
    );
    let check = match rust {
        0 => Check::broken(
            "files",
            found,
            "no Rust file is found: look at .gitignore, and at include and exclude in `dossier config show`",
        ),
        _ => Check::good("files", found),
    };
    check.noting(&snapshot.notes)
}

fn git(root: &Path) -> Check {
    let history = History::read(root, &HistoryOptions::default(), &Deadline::after(HISTORY_TIME));
    let count = history.commits.len();
    let found = format!("{count} commits");
    let check = match count {
        0 => Check::lacking(
            "history",
            "none",
            "git init, or run it in the clone: past commits help to rank files",
        ),
        few if few < FEW_COMMITS => {
            Check::lacking("history", found, "git fetch --unshallow, where the clone is shallow")
        }
        _ => Check::good("history", found),
    };
    check.noting(&history.notes)
}

/// Looked up, never started: a workspace could have it run programs.
fn server() -> Check {
    const WHAT: &str = "rust-analyzer";
    let Some(path) = on_path(WHAT) else {
        return Check::lacking(WHAT, "not found; this version does without", INSTALL_SERVER);
    };
    let shown = path.display().to_string();
    if !is_shim(&path) {
        return Check::good(WHAT, shown);
    }
    match installed_component() {
        Some(component) => Check::good(WHAT, component.display().to_string()),
        None => Check::lacking(
            WHAT,
            format!("{shown} stands for a component that is not installed"),
            INSTALL_SERVER,
        ),
    }
}

/// Whether `program` is rustup's stand-in, which is there without the component too.
fn is_shim(program: &Path) -> bool {
    let rustup = program.with_file_name(format!("rustup{}", std::env::consts::EXE_SUFFIX));
    let same_length = |a: &Path, b: &Path| Some(a.metadata().ok()?.len() == b.metadata().ok()?.len());
    rustup.is_file() && same_length(program, &rustup).unwrap_or(false)
}

/// The component's program in the first toolchain that has it.
fn installed_component() -> Option<PathBuf> {
    let home =
        variable("RUSTUP_HOME").map(PathBuf::from).or_else(|| Some(std::env::home_dir()?.join(".rustup")))?;
    let program = format!("rust-analyzer{}", std::env::consts::EXE_SUFFIX);
    let toolchains = std::fs::read_dir(home.join("toolchains")).ok()?;
    let mut found: Vec<PathBuf> = toolchains
        .flatten()
        .map(|toolchain| toolchain.path().join("bin").join(&program))
        .filter(|path| path.is_file())
        .collect();
    found.sort();
    found.into_iter().next()
}

fn settings_files(loaded: &settings::Loaded) -> Check {
    let there: Vec<String> =
        loaded.files.iter().filter(|(_, there)| *there).map(|(file, _)| file.display().to_string()).collect();
    let found = if there.is_empty() { "no file, the defaults".to_owned() } else { there.join(", ") };
    match loaded.notes.is_empty() {
        true => Check::good("settings", found),
        false => Check::lacking("settings", found, "dossier config show").noting(&loaded.notes),
    }
}

fn cache() -> Check {
    match cache_folder() {
        Some(folder) if folder.is_dir() => Check::good("cache", folder.display().to_string()),
        Some(folder) => Check::good("cache", format!("{}, made when it is needed", folder.display())),
        None => Check::lacking("cache", "no home folder", "set HOME or XDG_CACHE_HOME"),
    }
}

fn page(checks: &[Check]) -> String {
    let mut page = String::new();
    for check in checks {
        let state = match check.state {
            State::Good => "ok",
            State::Lacking => "lacks",
            State::Broken => "BROKEN",
        };
        page.push_str(&format!("{state:<6}  {:<13}  {}\n", check.what, printable(&check.found)));
        let notes = check.notes.iter().take(NOTES).map(|note| printable(note));
        let more = check
            .notes
            .len()
            .checked_sub(NOTES)
            .filter(|more| *more > 0)
            .map(|more| format!("and {more} more notes"));
        let remedy = check.remedy.iter().map(|remedy| format!("→ {remedy}"));
        for line in notes.chain(more).chain(remedy) {
            page.push_str(&format!("{:23}{line}\n", ""));
        }
    }
    page
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn a_lack_is_followed_by_its_remedy() {
        let checks = [
            Check::good("dossier", "0.1.0"),
            Check::lacking("history", "12 commits", "git fetch --unshallow")
                .noting(&[Note::info("the clone is\u{1b} shallow")]),
            Check::broken("files", "0 of Rust", "look at .gitignore"),
        ];
        expect![[r#"
            ok      dossier        0.1.0
            lacks   history        12 commits
                                   the clone is\u{1b} shallow
                                   → git fetch --unshallow
            BROKEN  files          0 of Rust
                                   → look at .gitignore
        "#]]
        .assert_eq(&page(&checks));
    }
}
