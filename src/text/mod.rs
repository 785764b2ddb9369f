//! Text as such: words inside identifiers, lines, tokens, secrets, what a text is known by.

mod counted;
mod digest;
mod identifiers;
mod lines;
mod pattern;
mod redact;
mod stem;
mod stop;
mod tokens;
mod words;

pub(crate) use pattern::pattern;

pub use digest::Digest;
pub use lines::LineIndex;
pub use redact::{MASK, Redacted, redact};
pub use stem::normalize;
pub use stop::{is_issue_talk, is_stop_word};
pub use tokens::{ENCODING, TokenCounter};
pub use words::{for_each_word, split_identifier};
