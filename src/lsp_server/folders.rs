//! The editor's folders: which workspace each lies in, how the editor spells its paths, and what its user is doing there.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use lsp_types::Uri;

use super::texts::canonical;
use crate::budget::Level;
use crate::client::settings;
use crate::lsp::{path_of, uri_of};
use crate::model::Note;

/// A folder that is open in the editor.
#[derive(Debug)]
pub(super) struct Folder {
    /// As the editor spells it.
    pub uri: String,
    /// The workspace's root, without links.
    pub root: PathBuf,
    /// The root as the editor would spell it.
    spelled: PathBuf,
    /// Of how the workspace was found.
    pub notes: Vec<Note>,
    pub present: Mutex<Present>,
}

/// What is being looked at in a folder, and what was changed by hand.
#[derive(Debug, Clone, Default)]
pub(super) struct Present {
    /// With its subject.
    pub task: Option<String>,
    /// Names of files and items.
    pub pinned: Vec<String>,
    pub excluded: BTreeSet<String>,
    pub levels: BTreeMap<String, Level>,
    pub budget: Option<u32>,
}

impl Folder {
    /// The folder that a `file:` URI names.
    ///
    /// # Errors
    /// Where it names none of this machine.
    pub fn open(uri: &str) -> anyhow::Result<Folder> {
        let folder = path_of_uri(uri).ok_or_else(|| anyhow::anyhow!("{uri} is no folder of this machine"))?;
        let (root, notes) = settings::root(Some(&folder))?;
        let inside = canonical(&folder).strip_prefix(&root).map(Path::to_owned).unwrap_or_default();
        // The editor's spelling of the root is that of the folder without what lies between.
        let spelled = folder.ends_with(&inside).then(|| folder.ancestors().nth(inside.components().count()));
        let spelled = spelled.flatten().map_or_else(|| root.clone(), Path::to_owned);
        Ok(Folder { uri: uri.to_owned(), root, spelled, notes, present: Mutex::default() })
    }

    /// The URI of a file by its path from the root.
    pub fn uri_of(&self, path: &str) -> String {
        uri_of(&self.spelled.join(path)).map(|uri| uri.as_str().to_owned()).unwrap_or_default()
    }

    /// The path from the root of a file of this folder's workspace.
    pub fn path_of(&self, uri: &str) -> Option<String> {
        let path = canonical(&path_of_uri(uri)?);
        let inside = path.strip_prefix(&self.root).ok()?.to_str()?;
        Some(inside.replace(std::path::MAIN_SEPARATOR, "/"))
    }

    /// The beginnings of URIs of the workspace: without links, and as the editor spells them. `None` where they are the same.
    pub fn spelling(&self) -> Option<(String, String)> {
        let (own, theirs) = (uri_of(&self.root)?, uri_of(&self.spelled)?);
        (own != theirs).then(|| (own.as_str().to_owned(), theirs.as_str().to_owned()))
    }
}

/// The path of a `file:` URI.
pub(super) fn path_of_uri(uri: &str) -> Option<PathBuf> {
    path_of(&uri.parse::<Uri>().ok()?)
}

/// All that are open, in the editor's order.
#[derive(Debug, Default)]
pub(super) struct Folders {
    open: Vec<Arc<Folder>>,
}

impl Folders {
    /// Folders that cannot be opened are told of.
    pub fn add(&mut self, uri: &str) -> anyhow::Result<()> {
        if !self.open.iter().any(|folder| folder.uri == uri) {
            self.open.push(Arc::new(Folder::open(uri)?));
        }
        Ok(())
    }

    pub fn remove(&mut self, uri: &str) {
        self.open.retain(|folder| folder.uri != uri);
    }

    pub fn all(&self) -> &[Arc<Folder>] {
        &self.open
    }

    /// The folder that is meant: the one of this URI; else the one that the document lies in; else the first.
    pub fn find(&self, folder: Option<&str>, document: Option<&str>) -> Option<Arc<Folder>> {
        if let Some(uri) = folder {
            let same = |known: &&Arc<Folder>| known.uri.trim_end_matches('/') == uri.trim_end_matches('/');
            return self.open.iter().find(same).cloned();
        }
        let path = document.and_then(path_of_uri).map(|path| canonical(&path));
        let around = |folder: &&Arc<Folder>| path.as_ref().is_some_and(|path| path.starts_with(&folder.root));
        // The innermost, where one lies in another.
        let of_document = self.open.iter().filter(around).max_by_key(|it| it.root.components().count());
        of_document.or_else(|| self.open.first()).cloned()
    }
}
