//! What a language server said of the workspace: from one state of it to the next, and from one process to the next.

use std::collections::BTreeSet;
use std::sync::PoisonError;

use rustc_hash::FxHashMap;

use super::before::Moves;
use super::{LanguageServer, Workspace};
use crate::graph::{Answers, FileAnswers, Served, Speaker};
use crate::lsp::{ServerState, ServerStatus};
use crate::model::{FileId, Note};
use crate::store::{AnswerChange, Packed};
use crate::workspace::{FileKey, Snapshot};

/// What was said up to now.
#[derive(Debug, Clone)]
pub(super) struct Told {
    pub answers: Answers,
    /// The files of which something was said that is not kept yet.
    new: BTreeSet<FileId>,
    /// Whether what is kept is another server's.
    is_new_speaker: bool,
}

/// What was said of an earlier state.
#[derive(Default)]
pub(super) enum Said {
    #[default]
    Nothing,
    /// In the order of the keys.
    Kept(Vec<(FileKey, FileAnswers)>),
    Here(Told),
}

impl Said {
    /// What of it holds in `snapshot`, where `server` is the one that may be asked.
    pub fn of(self, snapshot: &Snapshot, moves: &Moves, server: &str) -> Option<Told> {
        let told = match self {
            Said::Nothing => return None,
            Said::Kept(rows) => of_rows(&rows, snapshot, server)?,
            Said::Here(told) => told.moved(moves),
        };
        Some(told).filter(|told| !told.answers.is_empty())
    }
}

fn of_rows(rows: &[(FileKey, FileAnswers)], snapshot: &Snapshot, server: &str) -> Option<Told> {
    let speaker = rows.iter().map(|(_, row)| &row.speaker).find(|speaker| speaker.name == server)?;
    let files: FxHashMap<FileKey, FileId> = snapshot.ids().map(|id| (snapshot.file(id).key(), id)).collect();
    let mut answers = Answers::none(speaker.clone());
    for (key, row) in rows.iter().filter(|(_, row)| row.speaker == *speaker) {
        if let Some(file) = files.get(key) {
            answers.add(*file, row, |key| files.get(key).copied());
        }
    }
    Some(Told { answers, new: BTreeSet::new(), is_new_speaker: false })
}

impl Told {
    fn moved(&self, moves: &Moves) -> Told {
        let now: FxHashMap<FileId, FileId> =
            (0..).zip(&moves.same).filter_map(|(now, before)| Some(((*before)?, FileId(now)))).collect();
        let to = |file: FileId| now.get(&file).copied();
        Told {
            answers: self.answers.moved(to),
            new: self.new.iter().filter_map(|file| to(*file)).collect(),
            is_new_speaker: self.is_new_speaker,
        }
    }
}

impl Workspace {
    /// Takes in what a server said that holds as long as the files do: it lies over the graph of the next state (`renewed`), and
    /// goes to the index on disk with that state, or with `save`.
    pub fn keep(&self, served: &Served<'_>) {
        let answers = served.answers();
        if answers.is_empty() {
            return;
        }
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let none = || Told {
            answers: Answers::none(answers.speaker().clone()),
            new: BTreeSet::new(),
            is_new_speaker: true,
        };
        let told = told.get_or_insert_with(none);
        if told.answers.speaker() != answers.speaker() {
            *told = none();
        }
        told.new.extend(told.answers.extend(&answers));
    }

    /// Who said what lies over the graph of the text: a server that was asked before.
    pub fn speaker(&self) -> Option<&Speaker> {
        self.speaker.as_ref()
    }

    /// How it stands with the server; where none was asked for, with what one said before.
    pub fn server_status(&self, server: &LanguageServer) -> ServerStatus {
        let status = server.status();
        match &self.speaker {
            Some(Speaker { name, version }) if status.state == ServerState::Absent => ServerStatus {
                name: name.clone(),
                state: ServerState::Kept,
                version: version.clone(),
                loaded_percent: None,
                is_lent: false,
            },
            _ => status,
        }
    }

    /// What is to be known of answers that were kept, where a server should have given its own.
    pub(super) fn notes_on_kept(&self, server: &LanguageServer) -> Option<Note> {
        let Speaker { name, version } = self.speaker.as_ref()?;
        if matches!(server.status().state, ServerState::Ready | ServerState::Absent) {
            return None;
        }
        let version = version.as_ref().map(|version| format!(" {version}")).unwrap_or_default();
        Some(Note::info(format!(
            "what {name}{version} said before counts where the files are still the same"
        )))
    }

    /// What was said of an earlier state and of this one.
    pub(super) fn said(&self) -> Said {
        let told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.clone().map_or(Said::Nothing, Said::Here)
    }

    /// What is to be put down in the index, once; all of it where the index `lacks` something.
    pub(super) fn take_news(&self, lacks: bool) -> Option<AnswerChange> {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(told) = told.as_mut().filter(|_| lacks) {
            told.new = told.answers.files();
        }
        let told = told.as_mut().filter(|told| !told.new.is_empty())?;
        let keys: Vec<FileKey> = self.snapshot.files.iter().map(|file| file.key()).collect();
        let row = |file: FileId| {
            let key = keys.get(file.index())?;
            Some((*key, Packed::new(&told.answers.of_file(file, &keys))))
        };
        let rows = told.new.iter().filter_map(|file| row(*file)).collect();
        told.new.clear();
        Some(AnswerChange { is_new_speaker: std::mem::take(&mut told.is_new_speaker), rows })
    }
}
