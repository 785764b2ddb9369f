//! How many tokens a text costs, by OpenAI's `o200k_base`. Other models' tokenizers differ by some percent: who fills
//! their context names this encoding and keeps a margin.

use std::ops::ControlFlow;
use std::sync::LazyLock;
use std::thread;

use super::counted::Counted;

/// The encoding that all counts are in.
pub const ENCODING: &str = "o200k_base";

/// A longer run without a change between blank and not blank is counted in pieces of this many bytes: the
/// tokenizer's regular expression overflows its stack on half a megabyte of spaces, and slows down on long words.
/// Each cut may add a token.
const LONGEST_RUN: usize = 4096;

/// What the lines of texts cost, for the whole process.
static COUNTED: LazyLock<Counted> = LazyLock::new(Counted::new);

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
        pieces(text, |piece| {
            segments(piece, |segment| {
                tokens += COUNTED.of(segment, |segment| tables.count_ordinary(segment))
            });
        });
        u32::try_from(tokens).unwrap_or(u32::MAX)
    }
}

/// The text in segments that no token reaches over, so that the sum of their counts is that of the whole: mostly lines.
fn segments<'t>(text: &'t str, mut each: impl FnMut(&'t str)) {
    let bytes = text.as_bytes();
    let mut start = 0;
    for (end, _) in text.match_indices('\n') {
        let next = end + 1;
        if ends_token(&bytes[start..end], &bytes[next..]) {
            each(&text[start..next]);
            start = next;
        }
    }
    each(&text[start..]);
}

/// Whether a token ends at the line end between two texts, whatever stands before and behind them. By the encoding's regular expression, a token goes on behind a
/// line end in two cases: blank lines hang together (`\s*[\r\n]+`), and slashes and further line ends belong to punctuation before them
/// (`[^\s\p{L}\p{N}]+[\r\n/]*`). What is not ASCII is not looked at.
fn ends_token(before: &[u8], behind: &[u8]) -> bool {
    let first = behind.iter().find(|byte| !matches!(byte, b' ' | b'\t'));
    let is_blank = !first.is_some_and(u8::is_ascii_graphic);
    let is_slash = behind.first() == Some(&b'/');
    let is_word = before.last().is_some_and(u8::is_ascii_alphanumeric);
    !is_blank && (!is_slash || is_word)
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

    use proptest::prelude::*;

    use super::*;

    /// Without segments.
    fn whole(text: &str) -> usize {
        tiktoken_rs::o200k_base_singleton().count_ordinary(text)
    }

    #[track_caller]
    fn is_sum_of_segments(text: &str) {
        let (mut sum, mut joined) = (0, String::new());
        segments(text, |segment| {
            sum += whole(segment);
            joined.push_str(segment);
        });
        assert_eq!((sum, joined.as_str()), (whole(text), text), "{text:?}");
        assert_eq!(TokenCounter::start().count(text) as usize, sum, "{text:?}");
    }

    #[test]
    fn no_token_reaches_over_segments() {
        for text in [
            "a\n/b",
            "a;\n//b",
            "{\n\n/",
            "a\n\n  \n b",
            ")\r\n/x\r\n",
            "\n",
            "a\n",
            "x.\n\n\n//! y\n",
            "a\n\t/b\n ",
        ] {
            is_sum_of_segments(text);
        }
        let sources = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/src/text")).unwrap();
        for source in sources.map(|source| source.unwrap().path()).filter(|path| path.is_file()) {
            is_sum_of_segments(&std::fs::read_to_string(source).unwrap());
        }
        let mut count = 0;
        segments("fn a() {\n    b()\n}\n\n/// C.\nfn c() {}\n", |_| count += 1);
        assert_eq!(count, 4, "lines, but that the bracket takes in what stands behind it");
    }

    proptest! {
        #[test]
        fn nothing_does_whatever_the_text(
            parts in prop::collection::vec(
                prop::sample::select(vec![
                    "a", "Bc", "12", " ", "  ", "\t", "\n", "\n", "\r\n", "\r", "/", "//", "{", ";", ".", "'s", "é", "中", "\u{301}",
                    "\u{3000}", "\u{85}", "\u{2028}", "\u{b}", "\u{c}", "٣", "😀",
                ]),
                0..24,
            ),
        ) {
            is_sum_of_segments(&parts.concat());
        }
    }

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
