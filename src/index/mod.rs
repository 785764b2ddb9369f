//! What can be looked up: words in files and items, files in past commits, what hangs together.

pub mod history;
pub mod lexical;
pub mod links;
pub mod search;
pub mod units;

pub use history::CommitVotes;
pub use lexical::Lexical;
pub use links::Links;
pub use search::{Matches, Scores, Term};
