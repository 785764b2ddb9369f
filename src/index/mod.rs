//! What can be looked up: words in files and items, files in past commits.

pub mod history;
pub mod lexical;
pub mod search;
pub mod units;

pub use history::CommitVotes;
pub use lexical::Lexical;
pub use search::{Matches, Scores, Term};
