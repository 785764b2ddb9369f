//! `dossier doctor`: what is there, what is not, and the command that heals it. Nothing of the workspace is run.

mod check;
mod server;

use std::path::Path;
use std::time::Duration;

use self::check::{Check, State, page};

use super::Outcome;
use super::args::DoctorArgs;
use super::messages::Messages;
use super::output::Output;
use crate::cli::embedder::REMEDY;
use crate::client;
use crate::client::embedder;
use crate::client::settings::{self, cache_folder};
use crate::config::Settings;
use crate::model::{Deadline, FileKind, Note};
use crate::workspace::history::{History, HistoryOptions};
use crate::workspace::{Snapshot, WalkOptions};

const HISTORY_TIME: Duration = Duration::from_secs(5);
/// Fewer commits than this tell little of which files change together.
const FEW_COMMITS: usize = 50;

pub(super) fn run(args: &DoctorArgs, messages: &Messages) -> anyhow::Result<Outcome> {
    let (root, notes) = settings::root(args.place.folder())?;
    let mut checks = vec![version(), workspace(&root).noting(&notes)];
    let loaded = settings::load(&root, args.server.typed());
    let options = WalkOptions {
        include: loaded.settings.include.value.clone(),
        exclude: loaded.settings.exclude.value.clone(),
    };
    checks.push(files(&root, &options));
    checks.push(git(&root));
    checks.extend(server::checks(&root, &loaded.settings, messages));
    checks.push(embedder(&loaded.settings));
    checks.push(settings_files(&loaded));
    checks.push(cache());
    checks.push(daemon(&loaded.settings));
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

/// Whether anybody turns texts into vectors. Without that everything works, and code is found by its words alone.
fn embedder(settings: &Settings) -> Check {
    const WHAT: &str = "embedder";
    let found = embedder::find(settings);
    match found.embedder {
        Some(embedder) => Check::good(WHAT, format!("{}, {}", embedder.model().name, found.why)),
        None if found.is_off => Check::good(WHAT, found.why),
        None => {
            let gain = "code is found by its words alone; with one, also by what it means";
            Check::lacking(WHAT, format!("none: {gain}"), REMEDY)
                .noting(&[found.note.unwrap_or_else(|| Note::info(found.why))])
        }
    }
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

/// Whether a daemon serves; that none does is no lack, as the next command starts it.
fn daemon(settings: &Settings) -> Check {
    const WHAT: &str = "daemon";
    match client::look(settings) {
        Ok(Some(process)) => Check::good(WHAT, format!("process {process}")),
        Ok(None) if settings.daemon.value => Check::good(WHAT, "none runs; the next command starts it"),
        Ok(None) => Check::good(WHAT, format!("not used ({})", settings.daemon.origin)),
        Err(error) => Check::lacking(
            WHAT,
            format!("{error:#}"),
            "mend what it names; commands do the work themselves meanwhile",
        ),
    }
}

fn cache() -> Check {
    match cache_folder() {
        Some(folder) if folder.is_dir() => Check::good("cache", folder.display().to_string()),
        Some(folder) => Check::good("cache", format!("{}, made when it is needed", folder.display())),
        None => Check::lacking("cache", "no home folder", "set HOME or XDG_CACHE_HOME"),
    }
}
