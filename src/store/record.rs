//! What a line of the journal says.

use serde::{Deserialize, Serialize};

/// One line. A kind that is not known is of a later version, and is passed over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Record {
    /// A model was given a dossier.
    Dossier(Dossier),
    /// The talk about it has ended.
    Answered(Answered),
    /// Files of a dossier are not as they were when it was given.
    Changed { dossier: String, paths: Vec<String> },
    /// What the user thinks of a dossier; `paths` were missing.
    Feedback { dossier: String, time: u64, verdict: Verdict, paths: Vec<String> },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dossier {
    /// What the other kinds call it by.
    pub id: String,
    /// Seconds since 1970.
    pub time: u64,
    /// The workspace's root.
    pub workspace: String,
    /// A hash of the task.
    pub query: String,
    /// `ollama qwen2.5-coder:7b`
    pub model: String,
    /// The version of the instructions.
    pub prompt: String,
    /// Tokens that it might have had, and has.
    pub budget: u32,
    pub used: u32,
    pub files: Vec<GivenFile>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GivenFile {
    pub path: String,
    /// The id of its text in git, changed or not; empty where it could not be read.
    pub blob: String,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answered {
    pub dossier: String,
    /// Whether there was an answer; else it failed, or only asked.
    pub is_complete: bool,
    /// Tokens by the server's own count, of all turns together.
    pub sent: Option<u64>,
    pub received: Option<u64>,
    pub took_ms: u64,
    /// How often the model asked for more, for how many things, and how many of them it got.
    pub rounds: u32,
    pub asked: u32,
    pub granted: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    Good,
    Missing,
}
