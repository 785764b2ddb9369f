//! What the user's own patterns let in: `--include` and `--exclude`.
//!
//! Not the `Override` of the crate `ignore`: there a pattern that includes also brings back what git ignores.

use std::collections::HashSet;
use std::path::Path;

use ignore::DirEntry;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::model::FileKind;

use super::path;
use super::snapshot::WorkspaceError;
use super::walk::{self, Found, WalkOptions};

/// The two lists of patterns, ready to match.
pub(super) struct Filter {
    include: Option<Gitignore>,
    exclude: Gitignore,
}

impl Filter {
    pub(super) fn new(options: &WalkOptions) -> Result<Filter, WorkspaceError> {
        let include = if options.include.is_empty() { None } else { Some(patterns(&options.include)?) };
        Ok(Filter { include, exclude: patterns(&options.exclude)? })
    }

    /// Takes out what the patterns take out; keeps the manifests above what stays.
    pub(super) fn apply(&self, files: Vec<Found>) -> Vec<Found> {
        let mut files: Vec<Found> =
            files.into_iter().filter(|file| !self.excluded(&file.path, false)).collect();
        let Some(include) = &self.include else { return files };
        let included: Vec<bool> = files
            .iter()
            .map(|file| include.matched_path_or_any_parents(&file.path, false).is_ignore())
            .collect();
        let folders: HashSet<String> = files
            .iter()
            .zip(&included)
            .filter(|(_, included)| **included)
            .flat_map(|(file, _)| path::ancestors(path::parent(&file.path)).map(str::to_owned))
            .collect();
        let mut included = included.into_iter();
        files.retain(|file| {
            included.next().unwrap_or(false)
                || file.kind == FileKind::Manifest && folders.contains(path::parent(&file.path))
        });
        files
    }

    /// Whether a whole folder is excluded, and need not be entered.
    pub(super) fn prunes(&self, root: &Path, entry: &DirEntry) -> bool {
        entry.file_type().is_some_and(|kind| kind.is_dir())
            && walk::relative(root, entry.path())
                .is_some_and(|path| !path.is_empty() && self.excluded(&path, true))
    }

    fn excluded(&self, path: &str, is_folder: bool) -> bool {
        !self.exclude.is_empty() && self.exclude.matched_path_or_any_parents(path, is_folder).is_ignore()
    }
}

fn patterns(globs: &[String]) -> Result<Gitignore, WorkspaceError> {
    let mut builder = GitignoreBuilder::new("");
    for glob in globs {
        let glob = glob.strip_prefix("./").unwrap_or(glob);
        builder
            .add_line(None, glob)
            .map_err(|source| WorkspaceError::Pattern { pattern: glob.to_owned(), source })?;
    }
    builder.build().map_err(|source| WorkspaceError::Pattern { pattern: globs.join(" "), source })
}
