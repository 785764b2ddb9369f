//! `rust-toolchain.toml` and the older `rust-toolchain`, by rustup's rules: which toolchain a workspace asks for.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::document::{self, Leaf, Said};
use super::plain::{self, Plain};

/// In the order in which rustup prefers them.
pub(super) const NAMES: [&str; 2] = ["rust-toolchain", "rust-toolchain.toml"];

/// The nearest toolchain file of a folder or of those above it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolchainFile {
    pub file: PathBuf,
    pub asks_for: Wish,
}

/// What a toolchain file asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wish {
    /// `stable`, `1.95.0`, `nightly-2026-01-31`.
    Channel(String),
    /// A toolchain in a folder of the file's choice: programs from there would be run.
    Path(PathBuf),
    /// Nothing, or nothing that can be read.
    Nothing,
}

/// The toolchain file that counts in `folder`: its own, or the nearest above it.
pub fn toolchain_file(folder: &Path) -> Option<ToolchainFile> {
    let candidates = folder.ancestors().flat_map(|folder| NAMES.map(|name| folder.join(name)));
    candidates.into_iter().find_map(|file| {
        let asks_for = match plain::read(&file) {
            Plain::Missing => return None,
            Plain::Odd(_) => Wish::Nothing,
            Plain::Text(text) => wish(&text, may_be_a_line(&file)),
        };
        Some(ToolchainFile { file, asks_for })
    })
}

/// What in the text of `file` could run a program.
pub(super) fn check(text: &str, file: &Path) -> Said {
    if may_be_a_line(file)
        && let Some(line) = only_line(text)
    {
        let runs = || vec![(Some(1), format!("its toolchain's programs are run from {line:?}"))];
        return if is_path(line) { runs() } else { Vec::new() };
    }
    document::check(text, of_leaf)
}

fn of_leaf(leaf: &Leaf<'_>) -> Option<String> {
    match leaf.path.as_slice() {
        ["toolchain", "path"] => {
            Some(format!("toolchain.path has the toolchain's programs run from {}", leaf.shown()))
        }
        ["toolchain", "channel"]
            if leaf.texts().is_none_or(|texts| texts.iter().any(|text| is_path(text))) =>
        {
            Some(format!("toolchain.channel has the toolchain's programs run from {}", leaf.shown()))
        }
        _ => None,
    }
}

/// The older file may hold the name alone.
fn may_be_a_line(file: &Path) -> bool {
    file.extension().is_none()
}

fn only_line(text: &str) -> Option<&str> {
    let mut lines = text.lines();
    let line = lines.next()?;
    (lines.next().is_none() && !line.contains(['[', '='])).then(|| line.trim())
}

/// No channel has these; a name that rustup may take for a place is none.
fn is_path(name: &str) -> bool {
    name.contains(['/', '\\']) || name.starts_with('.') || Path::new(name).is_absolute()
}

fn wish(text: &str, may_be_a_line: bool) -> Wish {
    #[derive(Deserialize)]
    struct Document {
        toolchain: Table,
    }
    #[derive(Deserialize)]
    struct Table {
        channel: Option<String>,
        path: Option<PathBuf>,
    }
    let table = match only_line(text).filter(|_| may_be_a_line) {
        Some(line) if is_path(line) => Some(Table { channel: None, path: Some(line.into()) }),
        Some(line) => Some(Table { channel: Some(line.to_owned()), path: None }),
        None => toml::from_str::<Document>(text.trim_start_matches('\u{feff}')).ok().map(|it| it.toolchain),
    };
    match table {
        Some(Table { path: Some(path), .. }) => Wish::Path(path),
        Some(Table { channel: Some(channel), .. }) if is_path(&channel) => Wish::Path(channel.into()),
        Some(Table { channel: Some(channel), .. }) if !channel.is_empty() => Wish::Channel(channel),
        _ => Wish::Nothing,
    }
}
