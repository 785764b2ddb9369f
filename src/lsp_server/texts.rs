//! The open documents, and of those that differ from the disk the texts that a request goes by: what they were in the moment in which it
//! came.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lsp_types::TextDocumentContentChangeEvent;

use super::document::{Columns, Document};

/// Larger texts are no source text of anybody's.
const LARGEST_ON_DISK: u64 = 64 << 20;

/// Unsaved texts at one moment, by file.
pub(super) type Texts = BTreeMap<PathBuf, Arc<str>>;

/// All open documents.
#[derive(Debug)]
pub(super) struct Documents {
    columns: Columns,
    /// By URI, as the editor spells it.
    open: BTreeMap<String, Open>,
    /// Until the next change.
    texts: Option<Arc<Texts>>,
}

#[derive(Debug)]
struct Open {
    document: Document,
    /// Where its file is, through no link.
    path: PathBuf,
    is_unsaved: bool,
}

impl Documents {
    pub fn new(columns: Columns) -> Documents {
        Documents { columns, open: BTreeMap::new(), texts: None }
    }

    pub fn columns(&self) -> Columns {
        self.columns
    }

    pub fn open(&mut self, uri: &str, path: &Path, text: String) {
        let path = canonical(path);
        let is_unsaved = differs(&path, &text);
        self.open
            .insert(uri.to_owned(), Open { document: Document::new(text, self.columns), path, is_unsaved });
        self.texts = None;
    }

    /// Changes to a document that is not open are passed over.
    pub fn change(&mut self, uri: &str, changes: Vec<TextDocumentContentChangeEvent>) {
        if let Some(open) = self.open.get_mut(uri) {
            changes.into_iter().for_each(|change| open.document.change(change));
            open.is_unsaved = true;
            self.texts = None;
        }
    }

    pub fn saved(&mut self, uri: &str) {
        if let Some(open) = self.open.get_mut(uri) {
            open.is_unsaved = differs(&open.path, open.document.text());
            self.texts = None;
        }
    }

    /// What is on disk counts again.
    pub fn close(&mut self, uri: &str) {
        self.open.remove(uri);
        self.texts = None;
    }

    /// The text of an open document.
    pub fn text(&self, uri: &str) -> Option<&str> {
        self.open.get(uri).map(|open| open.document.text())
    }

    /// What is not saved, now.
    pub fn texts(&mut self) -> Arc<Texts> {
        let open = &mut self.open;
        let made = || {
            let unsaved = open.values_mut().filter(|open| open.is_unsaved);
            Arc::new(unsaved.map(|open| (open.path.clone(), open.document.shared())).collect())
        };
        Arc::clone(self.texts.get_or_insert_with(made))
    }
}

/// The path without links; of a file that is not there yet, its folder's.
pub(super) fn canonical(path: &Path) -> PathBuf {
    let of_folder = || Some(path.parent()?.canonicalize().ok()?.join(path.file_name()?));
    path.canonicalize().ok().or_else(of_folder).unwrap_or_else(|| path.to_owned())
}

fn differs(path: &Path, text: &str) -> bool {
    const MARK: char = '\u{feff}';
    let is_small = path.metadata().is_ok_and(|found| found.is_file() && found.len() <= LARGEST_ON_DISK);
    let on_disk = is_small.then(|| std::fs::read(path).ok()).flatten();
    let plain = |text: &str| text.trim_start_matches(MARK).replace("\r\n", "\n");
    on_disk.is_none_or(|bytes| plain(&String::from_utf8_lossy(&bytes)) != plain(text))
}
