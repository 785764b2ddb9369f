//! Where the program of a language server is: looked for in every usual place, and run before it is believed.
//!
//! It is asked for its version from a folder where nothing of a workspace is in sight. rustup's stand-in on `PATH` is passed over
//! for the program that it stands for: the stand-in would obey a workspace's `rust-toolchain.toml`, and is there without the
//! component too.

mod ask;
mod candidates;
mod search;
mod version;

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};

pub(super) use self::candidates::{is_own, is_rustup_proxy};
use self::search::Search;
use super::kinds::Program;
use crate::model::{Deadline, Note};

/// Where a program is looked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Places {
    /// The command that the user configured: program and arguments. Nothing else is looked at then.
    pub configured: Option<Vec<String>>,
    /// The variable `PATH`.
    pub path: Option<OsString>,
    pub home: Option<PathBuf>,
    /// `$CARGO_HOME`, or `.cargo` in the home: rustup is in its `bin`.
    pub cargo_home: Option<PathBuf>,
    /// `$RUSTUP_HOME`, or `.rustup` in the home.
    pub rustup_home: Option<PathBuf>,
    /// The variable `RUSTUP_TOOLCHAIN`.
    pub rustup_toolchain: Option<String>,
    /// `$XDG_DATA_HOME`, or `.local/share` in the home.
    pub data_home: Option<PathBuf>,
}

/// A server's program that told its version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Absolute path of the program, and its arguments.
    pub command: Vec<OsString>,
    /// `1.95.0`, or what stands there for it.
    pub version: String,
    pub origin: Origin,
    /// An old version, say.
    pub notes: Vec<Note>,
}

/// Which place had it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    Setting,
    Path,
    Rustup,
    VsCode,
    Mason,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Origin::Setting => "your settings",
            Origin::Path => "PATH",
            Origin::Rustup => "rustup",
            Origin::VsCode => "the extension of VS Code",
            Origin::Mason => "Mason",
        })
    }
}

/// A place without the program, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tried {
    pub place: String,
    pub why: String,
}

/// No place has a program that works.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no {program} works: {}", list(tried))]
pub struct NotFound {
    pub program: String,
    pub tried: Vec<Tried>,
    /// What to do about it: a command where there is one.
    pub remedy: String,
}

fn list(tried: &[Tried]) -> String {
    let each = tried.iter().map(|tried| format!("{} ({})", tried.place, tried.why));
    each.collect::<Vec<_>>().join(", ")
}

/// The first that works: the configured command and nothing else, or of `PATH`, rustup, VS Code's extension, Mason.
///
/// # Errors
/// Every place that was tried, with the reason why not.
pub fn find(program: &Program, places: &Places, root: &Path, deadline: &Deadline) -> Result<Found, NotFound> {
    Search::new(program, places, root, deadline).run()
}

/// Where the program stands, or seems to, without anything being started: where nothing may be.
pub fn glance(program: &Program, places: &Places, root: &Path) -> Option<PathBuf> {
    if let Some(command) = &places.configured {
        return command.first().map(PathBuf::from);
    }
    let on_path = candidates::on_path(program.name, places.path.as_deref(), root);
    let on_path = on_path.into_iter().filter(|file| !candidates::is_rustup_proxy(file));
    let component = program.is_rustup_component.then_some(places.rustup_home.as_deref()).flatten();
    let prefix = program.extension.unwrap_or(program.name);
    on_path
        .chain(candidates::in_toolchains(program.name, component))
        .chain(candidates::in_extensions(program.name, prefix, places.home.as_deref()))
        .chain(candidates::in_mason(program.name, places.data_home.as_deref()))
        .next()
}

/// With the ending that the system gives programs.
pub(super) fn file_name(name: &str) -> OsString {
    match Path::new(name).extension() {
        Some(extension) if extension == OsStr::new(std::env::consts::EXE_EXTENSION) => name.into(),
        _ => format!("{name}{}", std::env::consts::EXE_SUFFIX).into(),
    }
}

#[cfg(all(test, unix))]
mod tests;
