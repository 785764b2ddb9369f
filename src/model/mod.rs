//! The words that every layer shares. Plain data: no IO, no async, no library's types.

mod deadline;
mod edge;
mod file;
mod note;
mod signal;
mod span;
mod symbol;
mod vector;

pub use deadline::Deadline;
pub use edge::{Certainty, Edge, EdgeKind};
pub use file::{FileId, FileKind, Role};
pub use note::{Note, NoteLevel};
pub use signal::{Signal, SignalKind, Source};
pub use span::{LineRange, Span};
pub use symbol::{ImplHeader, Symbol, SymbolId, SymbolKind, Visibility};
pub(crate) use vector::largest;
pub use vector::{PackedVector, VectorError};
