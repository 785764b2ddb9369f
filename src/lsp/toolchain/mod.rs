//! The environment in which a server of Rust, and through it cargo and rustc, runs: programs of the user alone, and only
//! toolchains that are installed.
//!
//! rustup would download the toolchain that a `rust-toolchain.toml` asks for, and its components, where cargo is merely asked
//! for its version; rust-analyzer has it add `rust-src` where that lacks. Both take minutes and change what is installed, so the toolchain is chosen
//! here by rustup's own rules, from what is there.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::find::{Places, file_name, is_own, is_rustup_proxy};
use crate::model::Note;
use crate::workspace::trust::{Wish, toolchain_file};

/// What keeps rustup from downloading. Releases before 1.28 know the second alone; a server that is not there fails at once.
pub const NO_DOWNLOADS: [(&str, &str); 2] =
    [("RUSTUP_AUTO_INSTALL", "0"), ("RUSTUP_DIST_SERVER", "file:///nothing-is-downloaded-for-dossier")];

const TOOLCHAIN: &str = "RUSTUP_TOOLCHAIN";
/// Where the standard library's sources lie in a toolchain.
const SOURCES: &str = "lib/rustlib/src/rust/library/core";
/// Bytes of rustup's settings; more is something else.
const LARGEST_SETTINGS: u64 = 1024 * 1024;

/// What the server's process gets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Environment {
    /// Variables to set, or to unset (`None`).
    pub variables: Vec<(OsString, Option<OsString>)>,
    pub notes: Vec<Note>,
    /// The folder of the toolchain that cargo and rustc will be of, where it is known.
    pub toolchain: Option<PathBuf>,
}

/// The environment for a server of the workspace at `root`. Only looked up, nothing is run.
pub fn environment(root: &Path, places: &Places) -> Environment {
    let mut environment = Environment::default();
    let path = own_path(places.path.as_deref(), root);
    environment.set("PATH", path.clone());
    for (name, value) in NO_DOWNLOADS {
        environment.set(name, Some(value.into()));
    }
    for (name, folder) in [("CARGO_HOME", &places.cargo_home), ("RUSTUP_HOME", &places.rustup_home)] {
        let from_workspace = std::env::var_os(name).is_some_and(|value| !Path::new(&value).is_absolute());
        if from_workspace {
            environment.set(name, folder.as_ref().map(OsString::from));
        }
    }
    match Rustup::read(places) {
        Some(rustup) => choose(&rustup, root, places, &mut environment),
        None => environment.toolchain = without_rustup(path.as_deref()),
    }
    environment
}

/// Whether the toolchain in `folder` has the sources of the standard library (the component `rust-src`).
pub fn has_sources(folder: &Path) -> bool {
    folder.join(SOURCES).is_dir()
}

impl Environment {
    fn set(&mut self, name: &str, value: Option<OsString>) {
        self.variables.push((name.into(), value));
    }
}

/// `PATH` without the folders that are relative or lie in the workspace.
fn own_path(path: Option<&OsStr>, root: &Path) -> Option<OsString> {
    let own = std::env::split_paths(path?).filter(|folder| is_own(folder, root));
    std::env::join_paths(own).ok()
}

/// By rustup's rules: the variable, then for each folder upwards the user's own override and the toolchain file, then the default.
fn choose(rustup: &Rustup, root: &Path, places: &Places, environment: &mut Environment) {
    let by_default = || rustup.settings.default_toolchain.as_deref().and_then(|name| rustup.folder(name));
    if let Some(name) = &places.rustup_toolchain {
        environment.toolchain = rustup.folder(name);
        return;
    }
    let wish = toolchain_file(root);
    let depth_of_file = wish.as_ref().and_then(|wish| wish.file.parent()).map(|it| it.components().count());
    let own =
        root.ancestors().find_map(|folder| Some((folder, rustup.settings.overrides.get(folder.to_str()?)?)));
    if let Some((_, name)) = own.filter(|(folder, _)| Some(folder.components().count()) >= depth_of_file) {
        environment.toolchain = rustup.folder(name);
        return;
    }
    let Some(wish) = wish else {
        environment.toolchain = by_default();
        return;
    };
    environment.toolchain = match &wish.asks_for {
        // Only a workspace that the user trusts gets here with one.
        Wish::Path(path) => {
            environment.toolchain = wish.file.parent().map(|folder| folder.join(path));
            return;
        }
        Wish::Nothing => by_default(),
        Wish::Channel(channel) => rustup.folder(channel).or_else(|| {
            let instead = by_default().or_else(|| rustup.any());
            environment.notes.push(not_installed(channel, &wish.file, instead.as_deref()));
            instead
        }),
    };
    // Set where the file's own channel is taken too: named so, rustup does not look for the file's components.
    let name = environment.toolchain.as_deref().and_then(Path::file_name).map(OsString::from);
    if let Some(name) = name {
        environment.set(TOOLCHAIN, Some(name));
    }
}

fn not_installed(channel: &str, file: &Path, chosen: Option<&Path>) -> Note {
    let file = file.file_name().unwrap_or_default().to_string_lossy();
    let chosen = chosen.and_then(Path::file_name);
    let instead = match chosen {
        Some(name) => format!("{} serves instead", name.to_string_lossy()),
        None => "no other is installed either".to_owned(),
    };
    Note::warning(format!(
        "{file} asks for the toolchain {channel}, which is not installed: {instead}; `rustup toolchain install {channel}` installs it"
    ))
}

/// What rustup has installed, from its folder.
struct Rustup {
    toolchains: PathBuf,
    /// Sorted.
    names: Vec<String>,
    settings: RustupSettings,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RustupSettings {
    default_toolchain: Option<String>,
    default_host_triple: Option<String>,
    overrides: std::collections::BTreeMap<String, String>,
}

impl Rustup {
    /// `None` where rustup is not installed, or has no toolchain.
    fn read(places: &Places) -> Option<Rustup> {
        let home = places.rustup_home.as_ref()?;
        let toolchains = home.join("toolchains");
        let entries = std::fs::read_dir(&toolchains).ok()?.flatten();
        let mut names: Vec<String> =
            entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.sort();
        let settings = read_small(&home.join("settings.toml")).and_then(|text| toml::from_str(&text).ok());
        (!names.is_empty()).then(|| Rustup { toolchains, names, settings: settings.unwrap_or_default() })
    }

    /// The folder of the toolchain that `channel` means here: its own name, or the name with this machine's.
    fn folder(&self, channel: &str) -> Option<PathBuf> {
        if Path::new(channel).is_absolute() {
            return Some(channel.into());
        }
        let is_it = |name: &&String| {
            name.as_str() == channel || name.strip_prefix(channel).is_some_and(|rest| self.is_host(rest))
        };
        self.names.iter().find(is_it).map(|name| self.toolchains.join(name))
    }

    /// Whether only this machine's name is left of a toolchain's: `nightly` means `nightly-x86_64-unknown-linux-gnu`, not
    /// `nightly-2026-01-31-…`; and `1.95` is well served by `1.95.0-…`.
    fn is_host(&self, rest: &str) -> bool {
        let is_patch = |c: char| c == '.' || c.is_ascii_digit();
        let rest = if rest.starts_with('.') { rest.trim_start_matches(is_patch) } else { rest };
        let Some(host) = rest.strip_prefix('-') else { return false };
        match &self.settings.default_host_triple {
            Some(own) => host == own,
            None => host.starts_with(char::is_alphabetic),
        }
    }

    fn any(&self) -> Option<PathBuf> {
        self.folder("stable").or_else(|| self.names.last().map(|name| self.toolchains.join(name)))
    }
}

fn read_small(file: &Path) -> Option<String> {
    let found = file.metadata().ok()?;
    (found.is_file() && found.len() <= LARGEST_SETTINGS).then(|| std::fs::read_to_string(file).ok()).flatten()
}

/// The toolchain of the `rustc` on `PATH`, as a distribution installs it.
fn without_rustup(path: Option<&OsStr>) -> Option<PathBuf> {
    let mut folders = std::env::split_paths(path?);
    let rustc = folders.find_map(|folder| folder.join(file_name("rustc")).canonicalize().ok())?;
    let toolchain = rustc.parent()?.parent()?;
    (!is_rustup_proxy(&rustc) && toolchain.join("lib/rustlib").is_dir()).then(|| toolchain.to_owned())
}

#[cfg(all(test, unix))]
mod tests;
