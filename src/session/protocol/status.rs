//! How the process does that serves.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::budget::Freshness;
use crate::lsp::ServerStatus;
use crate::model::Note;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Status {
    pub version: String,
    pub process: u32,
    pub uptime_ms: u64,
    /// Of this process, in bytes; `None` where the system does not tell.
    pub memory: Option<u64>,
    /// Of the language servers with all that they started, in bytes.
    pub servers_memory: Option<u64>,
    /// The most that all of it may take, in bytes.
    pub memory_limit: u64,
    /// Requests under way, and those among them that wait for a core.
    pub requests: u32,
    pub waiting: u32,
    pub answered: u64,
    pub workspaces: Vec<WorkspaceStatus>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorkspaceStatus {
    pub workspace: PathBuf,
    pub files: u32,
    pub freshness: Freshness,
    /// Whether changes are seen as they happen, or looked for at each request.
    pub is_watched: bool,
    /// Milliseconds since the last request.
    pub idle_ms: u64,
    pub language_server: ServerStatus,
    pub notes: Vec<Note>,
}
