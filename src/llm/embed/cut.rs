//! Texts that are longer than a model takes, by our own count of tokens.

use std::borrow::Cow;
use std::sync::LazyLock;

use crate::text::TokenCounter;

/// Bytes beyond which a text of so many tokens is not counted to know that it is longer: code and prose have four to a token, and the
/// largest words of the encoding that are not blanks have 16.
const BYTES_PER_TOKEN: usize = 16;

/// Of a text that is cut, one token in so many is of its end: there stand the results of a function, and the last sentences of a page.
const END_SHARE: usize = 9;

/// What stands where something was left out.
const GAP: &str = "\n…\n";

static COUNTER: LazyLock<TokenCounter> = LazyLock::new(TokenCounter::start);

/// The text, where it has at most so many tokens; else its beginning and its end: of 1,800 tokens the first 1,600 and the last 200.
pub(super) fn fitted(text: &str, most: usize) -> Cow<'_, str> {
    // No token is shorter than a byte.
    if text.len() <= most || (text.len() <= most * BYTES_PER_TOKEN && count(text) <= most) {
        return Cow::Borrowed(text);
    }
    let end = most / END_SHARE;
    let head = longest(text, most - end, |text, bytes| &text[..text.floor_char_boundary(bytes)]);
    let tail = longest(text, end, |text, bytes| &text[text.ceil_char_boundary(text.len() - bytes)..]);
    Cow::Owned(format!("{head}{GAP}{tail}"))
}

fn count(text: &str) -> usize {
    COUNTER.count(text) as usize
}

/// The longest piece of at most so many tokens, of those that `piece` makes of the text by a number of bytes.
fn longest<'t>(text: &'t str, most: usize, piece: impl Fn(&'t str, usize) -> &'t str) -> &'t str {
    let (mut fits, mut too_long) = (most.min(text.len()), (most * BYTES_PER_TOKEN).min(text.len()) + 1);
    while too_long - fits > 1 {
        let middle = fits.midpoint(too_long);
        if count(piece(text, middle)) <= most {
            fits = middle;
        } else {
            too_long = middle;
        }
    }
    piece(text, fits)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn what_fits_stays_as_it_is() {
        for text in ["", "fn main() {}", &"word ".repeat(100)] {
            assert!(matches!(fitted(text, 101), Cow::Borrowed(same) if same == text), "{text}");
        }
    }

    #[test]
    fn of_a_longer_text_its_beginning_and_its_end_stay() {
        let words: String = (0..5_000).map(|n| format!("word{n}\n")).collect();
        let cut = fitted(&words, 1_800);
        assert!(cut.starts_with("word0\nword1\n") && cut.ends_with("word4999\n"));
        assert!((1_700..=1_803).contains(&count(&cut)), "{}", count(&cut));
        let (head, tail) = cut.split_once(GAP).unwrap();
        assert!((1_550..=1_600).contains(&count(head)), "{}", count(head));
        assert!((150..=200).contains(&count(tail)), "{}", count(tail));
    }

    #[test]
    fn megabytes_of_anything_are_cut_soon() {
        count("");
        for unit in ["a", " ", "中", "🦀", "fn f() {}\n"] {
            let text = unit.repeat(10_000_000 / unit.len());
            let start = Instant::now();
            assert!(count(&fitted(&text, 1_800)) <= 1_803, "{unit}");
            assert!(start.elapsed() < Duration::from_secs(5), "{unit:?} took {:?}", start.elapsed());
        }
    }
}
