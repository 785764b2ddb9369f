//! The user's file of workspaces that are trusted, by their canonical paths. Read and written whole; written through a temporary
//! file and a rename, so that nobody reads half of it, and under a lock, so that two at once lose nothing.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::plain::{self, Plain};
use crate::workspace::private;

const HEAD: &str = "# Workspaces in which programs that obey the workspace's own files may be started.\n# Written by `dossier trust`.\n";

/// The file of trusted workspaces; it need not be there yet.
#[derive(Debug, Clone)]
pub struct Trusted {
    file: PathBuf,
}

/// Why it could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum TrustedError {
    #[error("{file} {problem}: mend it, or remove it")]
    Broken { file: String, problem: String },
    #[error(
        "{file} lies in the workspace, which must not trust itself: set XDG_CONFIG_HOME to a folder elsewhere"
    )]
    Inside { file: String },
    #[error("the path {0} is not UTF-8: it cannot be kept; rename its folders")]
    NotUtf8(String),
    #[error("cannot write {file}")]
    Unwritten { file: String, source: std::io::Error },
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    #[serde(default)]
    workspaces: Vec<String>,
}

impl Trusted {
    /// Through a link, the file that it leads to: a rename would put a file in the link's place.
    pub fn new(file: &Path) -> Trusted {
        Trusted { file: file.canonicalize().unwrap_or_else(|_| file.to_owned()) }
    }

    /// All that are trusted, sorted.
    ///
    /// # Errors
    /// The file is there and is broken.
    pub fn list(&self) -> Result<Vec<String>, TrustedError> {
        let broken = |problem: String| TrustedError::Broken { file: self.shown(), problem };
        let mut document: Document = match plain::read(&self.file) {
            Plain::Missing => Document::default(),
            Plain::Odd(problem) => return Err(broken(problem)),
            Plain::Text(text) => toml::from_str(&text)
                .map_err(|error| broken(format!("is broken ({})", error.message().replace('\n', " "))))?,
        };
        document.workspaces.sort();
        document.workspaces.dedup();
        Ok(document.workspaces)
    }

    /// Whether the workspace at `root` is trusted.
    ///
    /// # Errors
    /// The file is broken, or lies in the workspace.
    pub fn has(&self, root: &Path) -> Result<bool, TrustedError> {
        let Ok(root) = self.key(root) else { return Ok(false) };
        self.ensure_outside(&root)?;
        Ok(self.list()?.contains(&root))
    }

    /// Trusts the workspace at `root`; `false` where it was trusted already.
    ///
    /// # Errors
    /// The file is broken, lies in the workspace, or cannot be written; the path is not UTF-8.
    pub fn add(&self, root: &Path) -> Result<bool, TrustedError> {
        let root = self.key(root)?;
        self.ensure_outside(&root)?;
        self.change(|workspaces| {
            let is_new = !workspaces.contains(&root);
            if is_new {
                workspaces.push(root);
                workspaces.sort();
            }
            is_new
        })
    }

    /// Trusts it no longer; `false` where it was not trusted.
    ///
    /// # Errors
    /// The file is broken or cannot be written; the path is not UTF-8.
    pub fn remove(&self, root: &Path) -> Result<bool, TrustedError> {
        let root = self.key(root)?;
        self.change(|workspaces| {
            let before = workspaces.len();
            workspaces.retain(|workspace| *workspace != root);
            workspaces.len() < before
        })
    }

    /// The canonical path; of a folder that is gone as much of it as is there.
    fn key(&self, root: &Path) -> Result<String, TrustedError> {
        let real = root.ancestors().find_map(|there| {
            Some(there.canonicalize().ok()?.join(root.strip_prefix(there).ok()?).components().collect())
        });
        let root: PathBuf = real.unwrap_or_else(|| root.to_owned());
        root.to_str().map(str::to_owned).ok_or_else(|| TrustedError::NotUtf8(root.display().to_string()))
    }

    fn ensure_outside(&self, root: &str) -> Result<(), TrustedError> {
        let folder = self.file.ancestors().find_map(|folder| folder.canonicalize().ok());
        match folder.is_some_and(|folder| folder.starts_with(root)) {
            true => Err(TrustedError::Inside { file: self.shown() }),
            false => Ok(()),
        }
    }

    fn change(&self, edit: impl FnOnce(&mut Vec<String>) -> bool) -> Result<bool, TrustedError> {
        let unwritten = |source| TrustedError::Unwritten { file: self.shown(), source };
        let folder = self.file.parent().unwrap_or(Path::new("."));
        private::make_folder(folder).map_err(unwritten)?;
        let _lock = private::lock(folder);
        let mut workspaces = self.list()?;
        if !edit(&mut workspaces) {
            return Ok(false);
        }
        let body = toml::to_string_pretty(&Document { workspaces }).unwrap_or_default();
        private::replace(&self.file, &format!("{HEAD}{body}")).map_err(unwritten)?;
        Ok(true)
    }

    fn shown(&self) -> String {
        self.file.display().to_string()
    }
}
