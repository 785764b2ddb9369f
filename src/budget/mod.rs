//! What of the ranked files goes in, and how deep: the ladder body → ranges → skeleton → mention.

pub mod asked;
mod fit;
mod pack;
mod sheet;
pub mod worth;

pub use fit::{Fitted, Limits, fit};
pub use pack::{BudgetUse, ContextPack, Freshness};
use serde::{Deserialize, Serialize};

use crate::model::{LineRange, Signal};

/// How much of a file is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Its path and reasons alone.
    Mention,
    /// Signatures and docs, bodies elided.
    Skeleton,
    /// Whole items, each with the signature of what encloses it.
    Ranges,
    Full,
}

/// One file of the pack.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    pub path: String,
    /// 1 is best.
    pub rank: u32,
    pub score: f64,
    pub level: Level,
    /// The lines of the file that `chunks` show verbatim, in order, merged where they touch.
    pub ranges: Vec<LineRange>,
    /// Tokens of this entry as rendered.
    pub tokens: u32,
    pub reasons: Vec<Signal>,
    /// The text in the order of the file. Empty at the level `mention`.
    pub chunks: Vec<Chunk>,
}

/// A piece of a file's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Chunk {
    /// Whole lines as they are, secrets masked.
    Lines { range: LineRange, text: String },
    /// `count` lines that are left out here.
    Gap { count: u32 },
}

impl Chunk {
    /// The lines of the file that it shows.
    pub fn range(&self) -> Option<LineRange> {
        match self {
            Chunk::Lines { range, .. } => Some(*range),
            Chunk::Gap { .. } => None,
        }
    }
}

/// A candidate that did not go in.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Dropped {
    pub path: String,
    pub rank: u32,
    pub score: f64,
    pub why: String,
}
