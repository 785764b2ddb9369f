//! Reads what `config` resolves: the environment, the user's file, the workspace's file. And where things are:
//! the workspace, the cache, programs.

use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};

use crate::config::{self, ConfigFile, Settings, Sources, Typed, WORKSPACE_FILE};
use crate::model::Note;
use crate::pipeline::ServerOptions;
use crate::workspace::find_root;
use crate::workspace::trust::Own;

/// A settings file beyond this size is something else.
const LARGEST_FILE: u64 = 256 * 1024;

/// What was read, and where it was looked for.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub settings: Settings,
    /// What could not be used.
    pub notes: Vec<Note>,
    /// The settings files looked for, with whether they are there.
    pub files: Vec<(PathBuf, bool)>,
}

/// The settings of a command in the workspace at `root`.
pub(crate) fn load(root: &Path, flags: Vec<Typed>) -> Loaded {
    let mut notes = Vec::new();
    let user_path = config::user_file(variable, std::env::home_dir());
    let workspace_path = root.join(WORKSPACE_FILE);
    let user = user_path.as_deref().and_then(|path| read(path, &mut notes));
    let workspace =
        own_file(&workspace_path, &mut notes).then(|| read(&workspace_path, &mut notes)).flatten();
    let shown = user_path.as_deref().map(|path| path.display().to_string()).unwrap_or_default();
    let sources = Sources {
        flags,
        environment: environment(),
        user: user.as_deref().map(|text| ConfigFile { path: &shown, text }),
        workspace: workspace.as_deref().map(|text| ConfigFile { path: WORKSPACE_FILE, text }),
    };
    let (settings, more) = config::resolve(sources);
    notes.extend(more);
    let files = user_path
        .into_iter()
        .map(|path| (path, user.is_some()))
        .chain([(workspace_path, workspace.is_some())]);
    Loaded { settings, notes, files: files.collect() }
}

/// Whether the workspace's file is a file inside the workspace: through a link it would read another place's.
fn own_file(path: &Path, notes: &mut Vec<Note>) -> bool {
    let is_link = |path: &Path| path.symlink_metadata().is_ok_and(|found| found.is_symlink());
    let linked = path.parent().is_some_and(is_link) || is_link(path);
    if linked {
        notes.push(Note::warning(format!("{WORKSPACE_FILE}: it is a link, and is ignored; make it a file")));
    }
    !linked
}

fn read(path: &Path, notes: &mut Vec<Note>) -> Option<String> {
    let found = path.metadata().ok()?;
    let text = match found.is_file() && found.len() <= LARGEST_FILE {
        true => std::fs::read_to_string(path).map_err(|error| error.to_string()),
        false => Err(format!("it is no text file of at most {LARGEST_FILE} bytes")),
    };
    text.inspect_err(|error| notes.push(Note::warning(format!("{}: {error}: ignored", path.display())))).ok()
}

fn environment() -> Vec<(String, String)> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.to_string_lossy().into())))
        .collect()
}

/// The variable's value, where it has one.
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

pub(crate) fn cache_folder() -> Option<PathBuf> {
    config::cache_folder(variable, std::env::home_dir())
}

/// Where the daemon's log is.
pub(crate) fn state_folder() -> Option<PathBuf> {
    config::state_folder(variable, std::env::home_dir())
}

/// The settings of the user alone, whatever the workspace: a daemon serves many.
pub(crate) fn of_user() -> Settings {
    let path = config::user_file(variable, std::env::home_dir());
    let text = path.as_deref().and_then(|path| read(path, &mut Vec::new()));
    let shown = path.as_deref().map(|path| path.display().to_string()).unwrap_or_default();
    let user = text.as_deref().map(|text| ConfigFile { path: &shown, text });
    config::resolve(Sources { environment: environment(), user, ..Sources::default() }).0
}

/// Where the journal is.
pub(crate) fn data_folder() -> Option<PathBuf> {
    config::data_folder(variable, std::env::home_dir())
}

pub(crate) fn trusted_file() -> Option<PathBuf> {
    config::trusted_file(variable, std::env::home_dir())
}

/// Where the language server is looked for, and what decides whether it may be started.
pub(crate) fn server_options(settings: &Settings) -> ServerOptions {
    ServerOptions::of_user(variable, std::env::home_dir(), settings.lsp_command.value.clone())
}

/// What of the user's own a decision about trust looks at.
pub(crate) fn own() -> Own {
    ServerOptions::of_user(variable, std::env::home_dir(), None).own
}

/// The root of the workspace that `folder` is in (none: the current folder), and what is to be known of how it was found.
pub(crate) fn root(folder: Option<&Path>) -> anyhow::Result<(PathBuf, Vec<Note>)> {
    let start = match folder {
        Some(folder) => folder.to_owned(),
        None => {
            std::env::current_dir().context("the current folder is gone: change into one that is there")?
        }
    };
    let found = start.metadata().with_context(|| {
        format!("cannot open the workspace {}: name a folder that is there with --workspace", start.display())
    })?;
    ensure!(found.is_dir(), "the workspace {} is a file: name the folder that it is in", start.display());
    let root = find_root(&start);
    Ok((root.path, root.notes))
}

/// The program `name` in a folder of `PATH`. Relative folders are passed over: they would run what a workspace holds.
pub(crate) fn on_path(name: &str) -> Option<PathBuf> {
    let name = format!("{name}{}", if name.contains('.') { "" } else { std::env::consts::EXE_SUFFIX });
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(&name))
        .find(|file| is_program(file))
}

#[cfg(unix)]
fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    const EXECUTABLE: u32 = 0o111;
    file.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & EXECUTABLE != 0)
}

#[cfg(not(unix))]
fn is_program(file: &Path) -> bool {
    file.is_file()
}
