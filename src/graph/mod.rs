//! How the items of a workspace hang together: what defines, imports, calls, uses, implements and tests what.
//!
//! ```text
//! syntax ─▶ items ─▶ modules ─▶ scopes ─▶ members ─▶ infer ─▶ link ─▶ graph
//!           numbered  mod tree   names     impls      types    edges   questions
//! ```
//!
//! Everything is read from the text; nothing is expanded or type-checked. An edge is `Resolved` where the text leaves one
//! reading, `Guessed` where a name fits and others may fit too.

mod names;
mod items;
mod modules;
mod scopes;
mod imports;
mod lookup;
mod ty;
mod lower;
mod members;
mod known;
mod method;
mod project;
mod library;
mod infer;
mod meaning;
mod call;
mod link;
mod frame;
mod nodes;
mod build;
mod kept;
mod learned;
mod answers;
mod query;
mod provider;
mod served;

pub use answers::{Answers, FileAnswers, Speaker};
pub use build::{Graph, WHOLE_FILE, environment};
pub use kept::KeptGraph;
pub use served::{Heard, Served};

#[cfg(test)]
mod tests;
