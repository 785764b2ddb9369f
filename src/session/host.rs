//! What all sessions of a process share: where things are kept, and how much may be used.

use std::path::PathBuf;
use std::time::Duration;

use crate::meaning::EmbedderSource;
use crate::pipeline::ServerOptions;
use crate::store::IndexFolder;

/// The process in which sessions live.
#[derive(Debug, Clone)]
pub struct Host {
    /// Where what is known is kept; `None` where there is no home.
    pub index: Option<IndexFolder>,
    pub server: ServerOptions,
    /// What says which passages are close in meaning.
    pub embedder: EmbedderSource,
    /// A folder of our own that ends with the process.
    pub folder: PathBuf,
    pub limits: Limits,
}

/// What ends by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Without a request the process ends after this time.
    pub idle: Duration,
    /// A language server ends after this time without a request to its workspace.
    pub server_idle: Duration,
    /// Bytes that the process and its language servers may take.
    pub memory: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { idle: Duration::from_mins(30), server_idle: Duration::from_mins(10), memory: 4 << 30 }
    }
}
