//! What can be looked up: words in files and items, files in past commits, what hangs together.

pub mod history;
mod kept;
pub mod lexical;
pub mod links;
pub mod search;
pub mod units;
mod words;

pub use history::{CommitVotes, Messages};
pub use kept::KeptLexical;
pub use lexical::{Earlier, Lexical};
pub use links::Links;
pub use search::{Matches, Scores, Term};
