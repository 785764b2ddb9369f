//! Whether programs that obey a workspace's own files (cargo, rustc, rustup, rust-analyzer) may be started in it.
//!
//! Without build scripts, proc macros and checks these four still run what `.cargo/config.toml`, `rust-toolchain.toml` and
//! `rust-analyzer.toml` name. What such files hold is read here as data, by lists of what is harmless where the kinds of
//! harm are many; nothing is run to find out. What is found needs the user's word once for each workspace.
//!
//! ```text
//! places ─▶ plain (read) ─▶ cargo_config ◀─ flags, variables
//!                           toolchain_file, server_config ─▶ findings ─▶ decide ◀─ trusted (the user's file)
//! ```

mod cargo_config;
mod document;
mod flags;
mod places;
mod plain;
mod server_config;
mod toolchain_file;
mod trusted;
mod variables;

use std::fmt;
use std::path::{Path, PathBuf};

pub use self::toolchain_file::{ToolchainFile, Wish, toolchain_file};
pub use self::trusted::{Trusted, TrustedError};

use crate::model::Note;

/// Something in or above a workspace that would have cargo, rustc, rustup or rust-analyzer run a program of its choice.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// Relative to the root with `/` between the parts; absolute where it lies above it.
    pub file: String,
    /// 1-based, where it is known.
    pub line: Option<usize>,
    /// What it could run: `build.rustc-wrapper runs "./x"`.
    pub what: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.file, self.what),
            None => write!(f, "{}: {}", self.file, self.what),
        }
    }
}

/// What was decided for a workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trust {
    /// Nothing in it runs anything.
    Free,
    /// Something may, and the user said yes.
    Trusted,
    /// Something may, and the user did not say yes: nothing is started. Never empty.
    Needed(Vec<Finding>),
}

/// What of the user's own a decision looks at.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Own {
    /// `$CARGO_HOME`: the configuration in it is the user's, not a workspace's.
    pub cargo_home: Option<PathBuf>,
    /// The file that names the workspaces that are trusted.
    pub trusted_file: Option<PathBuf>,
}

/// A decision, and what the user should know of how it was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    pub trust: Trust,
    pub notes: Vec<Note>,
}

/// All that could run a program in the workspace at `root`: in the folders above it what cargo and rustup read there, in
/// it, and in its folders that have a `Cargo.toml`, or lie on the way to one. Sorted by file and line.
/// Nothing is run to find out, and what cannot be read counts as found.
pub fn needs_trust(root: &Path, cargo_home: Option<&Path>) -> Vec<Finding> {
    let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    let mut findings = places::look(&root, cargo_home);
    findings.sort();
    findings.dedup();
    findings
}

/// Whether programs may be started in the workspace at `root`. A file of trusted workspaces that cannot be used trusts none.
pub fn decide(root: &Path, own: &Own) -> Decision {
    let findings = needs_trust(root, own.cargo_home.as_deref());
    if findings.is_empty() {
        return Decision { trust: Trust::Free, notes: Vec::new() };
    }
    let trusted = own.trusted_file.as_deref().map(|file| Trusted::new(file).has(root));
    match trusted {
        Some(Ok(true)) => Decision { trust: Trust::Trusted, notes: Vec::new() },
        Some(Err(error)) => {
            let note = Note::warning(format!("{error}: no workspace is trusted"));
            Decision { trust: Trust::Needed(findings), notes: vec![note] }
        }
        Some(Ok(false)) | None => Decision { trust: Trust::Needed(findings), notes: Vec::new() },
    }
}

#[cfg(test)]
mod tests;
