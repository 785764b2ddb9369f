//! What can be looked up: words in files and items, files in past commits.

pub mod history;
mod kept;
pub mod lexical;
pub mod search;
pub mod units;
mod words;

pub use history::CommitVotes;
pub use kept::KeptLexical;
pub use lexical::{Earlier, Lexical};
pub use search::{Matches, Scores, Term};
