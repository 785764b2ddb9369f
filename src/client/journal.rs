//! The journal. It serves the user later and never stands in the way: trouble with it is told and is no error.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use super::settings::data_folder;
use super::{Task, Tell};
use crate::budget::Level;
use crate::prompt;
use crate::session::protocol;
use crate::store::{Answered, Dossier, GivenFile, Journal, Record, last_dossier, newly_changed};
use crate::workspace::{blob_id, blob_id_of_file};

/// The journal of this user, seen from one workspace.
pub(crate) struct Kept<'m> {
    journal: Option<Journal>,
    root: PathBuf,
    tell: &'m dyn Tell,
}

impl<'m> Kept<'m> {
    /// Finds the journal, and puts down what was changed of the last dossier of the workspace since it was given.
    pub fn open(root: &Path, tell: &'m dyn Tell) -> Kept<'m> {
        let journal = data_folder().map(|folder| Journal::in_folder(&folder));
        if journal.is_none() {
            tell.warn("nothing is kept of dossiers: there is no home; set XDG_DATA_HOME to a folder");
        }
        let kept = Kept { journal, root: root.to_owned(), tell };
        let records = kept.records();
        if let Some(last) = last_dossier(&records, &kept.workspace()) {
            let paths = newly_changed(&records, last, |path| blob_id_of_file(root, path));
            if !paths.is_empty() {
                kept.append(&[Record::Changed { dossier: last.id.clone(), paths }]);
            }
        }
        kept
    }

    /// All that is known.
    pub fn records(&self) -> Vec<Record> {
        let Some(journal) = &self.journal else { return Vec::new() };
        journal.read().unwrap_or_else(|error| {
            self.tell.warn(&format!("{}: {error}: what it holds is not known", journal.path().display()));
            Vec::new()
        })
    }

    /// How the journal calls the workspace.
    pub fn workspace(&self) -> String {
        self.root.display().to_string()
    }

    /// A dossier is given to a model; its id.
    pub fn given(&self, task: &Task, pack: &protocol::Dossier, model: &str) -> String {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let id = format!("{}-{}", since.as_millis(), std::process::id());
        let shown = pack.files.iter().filter(|entry| entry.level != Level::Mention);
        let file = |path: &String| GivenFile {
            path: path.clone(),
            blob: blob_id_of_file(&self.root, path).unwrap_or_default(),
        };
        self.append(&[Record::Dossier(Dossier {
            id: id.clone(),
            time: since.as_secs(),
            workspace: self.workspace(),
            query: blob_id(task.query.as_bytes()),
            model: model.to_owned(),
            prompt: prompt::VERSION.to_owned(),
            budget: pack.budget.limit,
            used: pack.budget.used,
            files: shown.map(|entry| file(&entry.path)).collect(),
        })]);
        id
    }

    /// The talk with the model has ended.
    pub fn answered(&self, answered: Answered) {
        self.append(&[Record::Answered(answered)]);
    }

    /// Puts records down; says whether they are there now.
    pub fn append(&self, records: &[Record]) -> bool {
        let Some(journal) = &self.journal else { return false };
        let written = journal.append(records);
        if let Err(error) = &written {
            self.tell.warn(&format!("{}: {error}: it is not kept", journal.path().display()));
        }
        written.is_ok()
    }
}
