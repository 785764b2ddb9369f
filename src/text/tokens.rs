//! How many tokens a text costs, by OpenAI's `o200k_base`. Other models' tokenizers differ by some percent: who fills
//! their context names this encoding and keeps a margin.

use std::ops::ControlFlow;
use std::thread;

/// The encoding that all counts are in.
pub const ENCODING: &str = "o200k_base";

/// A longer run without a change between blank and not blank is counted in pieces of this many bytes: the
/// tokenizer's regular expression overflows its stack on half a megabyte of spaces, and slows down on long words.
/// Each cut may add a token.
const LONGEST_RUN: usize = 4096;

/// Counts tokens. Its tables take about 150 ms to load, once for the process, on a thread of their own.
#[derive(Debug, Clone, Copy)]
pub struct TokenCounter {
    /// Only [`TokenCounter::start`] makes one.
    _started: (),
}

impl TokenCounter {
    /// Begins to load the tables, and returns at once.
    pub fn start() -> TokenCounter {
        // Without a thread to spare, the first count loads the tables.
        let _ = thread::Builder::new().name("tokenizer".into()).spawn(|| {
            tiktoken_rs::o200k_base_singleton();
        });
        TokenCounter { _started: () }
    }

    /// The tokens of a text; `<|endoftext|>` and the like count as the plain text they are. Waits until the tables
    /// are there.
    pub fn count(&self, text: &str) -> u32 {
        let tables = tiktoken_rs::o200k_base_singleton();
        let mut tokens = 0;
        pieces(text, |piece| tokens += tables.count_ordinary(piece));
        u32::try_from(tokens).unwrap_or(u32::MAX)
    }
}

/// The text in pieces that the tokenizer can take: whole, but for its longest runs.
fn pieces<'t>(text: &'t str, mut each: impl FnMut(&'t str)) {
    let mut rest = text;
    while let Some(at) = overlong(rest) {
        let (piece, tail) = rest.split_at(at);
        each(piece);
        rest = tail;
    }
    each(rest);
}

/// Where the first overlong run must be cut.
fn overlong(text: &str) -> Option<usize> {
    if text.len() <= LONGEST_RUN {
        return None;
    }
    let (mut start, mut was_blank) = (0, None);
    let found = text.bytes().enumerate().try_for_each(|(at, byte)| {
        let blank = Some(byte.is_ascii_whitespace());
        if blank != was_blank {
            (start, was_blank) = (at, blank);
        }
        if at - start >= LONGEST_RUN { ControlFlow::Break(at) } else { ControlFlow::Continue(()) }
    });
    // Not inside a character: there is a boundary within the last four bytes.
    found.break_value().map(|at| text.floor_char_boundary(at))
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn counts_as_the_encoding_does() {
        let counter = TokenCounter::start();
        assert_eq!(counter.count(""), 0);
        assert_eq!(counter.count("hello world"), 2);
        assert_eq!(counter.count("fn main() {}\n"), 4);
    }

    #[test]
    fn special_tokens_are_plain_text() {
        assert!(TokenCounter::start().count("<|endoftext|>") > 1);
    }

    #[test]
    fn monotonous_megabytes_end_soon() {
        let counter = TokenCounter::start();
        counter.count("");
        for unit in ["a", " ", "\n", "A", "=", "中", "\u{301}", "\u{3000}", "1", "😀", "\0"] {
            let text = unit.repeat(1_000_000 / unit.len());
            let start = Instant::now();
            assert!(counter.count(&text) > 0);
            assert!(start.elapsed() < Duration::from_secs(5), "{unit:?} took {:?}", start.elapsed());
        }
    }

    #[test]
    fn cuts_lose_nothing() {
        let text = format!("{}中{}", "a".repeat(LONGEST_RUN - 1), " ".repeat(3 * LONGEST_RUN));
        let mut joined = String::new();
        pieces(&text, |piece| joined.push_str(piece));
        assert_eq!(joined, text);
    }
}
