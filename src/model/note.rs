//! What the user should know beside the answer: trouble that did not stop it.

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NoteLevel {
    Info,
    Warning,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Note {
    pub level: NoteLevel,
    pub text: String,
}

impl Note {
    pub fn info(text: impl Into<String>) -> Note {
        Note { level: NoteLevel::Info, text: text.into() }
    }

    pub fn warning(text: impl Into<String>) -> Note {
        Note { level: NoteLevel::Warning, text: text.into() }
    }
}
