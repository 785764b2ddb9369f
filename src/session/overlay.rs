//! The unsaved texts of one client: its answers come from the workspace as it would be with them, everybody else's from what is on disk.
//! A request goes by the texts that were there when it came: later ones do not reach it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use super::protocol::OverlayParams;
use crate::pipeline::{PipelineError, Workspace};
use crate::rpc::lock;

/// A workspace as on disk, and with the texts.
type States = (Arc<Workspace>, Arc<Workspace>);

/// The texts of a client at one moment.
#[derive(Default)]
pub struct Overlays {
    /// By workspace, as the client calls it, and path.
    texts: BTreeMap<PathBuf, BTreeMap<String, Arc<str>>>,
    /// The states that the last answer about a workspace came from.
    last: Mutex<BTreeMap<PathBuf, States>>,
}

impl Overlays {
    /// These with one text more, or less.
    pub fn with(&self, params: OverlayParams) -> Overlays {
        let OverlayParams { workspace, path, text } = params;
        let mut texts = self.texts.clone();
        let own = texts.entry(workspace.clone()).or_default();
        match text {
            Some(text) => _ = own.insert(path, text.into()),
            None => _ = own.remove(&path),
        }
        if own.is_empty() {
            texts.remove(&workspace);
        }
        Overlays { texts, last: Mutex::default() }
    }

    /// The workspace with the texts in it; `None` where there are none.
    pub(super) fn over(
        &self,
        place: &Path,
        workspace: &Arc<Workspace>,
    ) -> Result<Option<Arc<Workspace>>, PipelineError> {
        let Some(texts) = self.texts.get(place) else { return Ok(None) };
        let mut last = lock(&self.last);
        if let Some((_, with)) = last.get(place).filter(|(disk, _)| Arc::ptr_eq(disk, workspace)) {
            return Ok(Some(Arc::clone(with)));
        }
        let with = Arc::new(workspace.with_texts(texts)?);
        last.insert(place.to_owned(), (Arc::clone(workspace), Arc::clone(&with)));
        Ok(Some(with))
    }
}
