//! What is kept between runs, for the user alone and on this machine alone: which files models were given, what they asked for
//! besides, what the user thought of it, and what of it was changed afterwards. Tasks are kept as hashes, answers not at all.
//!
//! The journal is lines of JSON in one file, and no database: a line is written whole or is passed over, whoever else writes.
//! What is known of a workspace's code is a database for each (`index`): all of it can be made again. The vectors of its texts are
//! another one (`vectors`), because to make them again takes minutes.

mod index;
mod journal;
mod record;
mod sqlite;
mod tally;
mod vectors;

pub use index::{
    AnswerChange, Change, CommitChange, Index, IndexError, IndexFolder, Kept, Opened, Packed, PackedSyntax,
    Part, Removed,
};
pub use journal::Journal;
pub use record::{Answered, Dossier, GivenFile, Record, Verdict};
pub use tally::{Tally, last_dossier, newly_changed, tally};
pub use vectors::{KeptModel, Lists, Put, TextKey, VectorStore};
