//! Masks secrets by their value, in everything that is printed or sent: the value goes, the line stays.
//!
//! Source code is full of the words `password` and `token`, and nearly all of it is innocent. So a value must look like a
//! secret by itself: by the shape that its issuer gives it, or, where only a name says what it is, by letters and digits
//! mixed as no person would write them. A name alone (`password: String`) masks nothing.
//!
//! Works on whole files best: a key's lines are known by those that begin and end it.

mod keys;
mod named;
mod random;
mod shapes;

use std::borrow::Cow;
use std::ops::Range;

/// What stands where a secret was.
pub const MASK: &str = "[masked]";

/// A text without its secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redacted<'t> {
    /// As many lines as before.
    pub text: Cow<'t, str>,
    /// How many secrets were masked; a private key counts once.
    pub masked: u32,
}

/// The text with each secret's value as [`MASK`]. Lines keep their number and what else stands in them; a second
/// time changes nothing.
pub fn redact(text: &str) -> Redacted<'_> {
    let mut found = Vec::new();
    keys::find(text, &mut found);
    shapes::find(text, &mut found);
    named::find(text, &mut found);
    if found.is_empty() {
        return Redacted { text: Cow::Borrowed(text), masked: 0 };
    }
    mask(text, found)
}

/// A stretch of text to mask. Its line ends stay.
struct Secret {
    range: Range<usize>,
}

fn mask(text: &str, mut found: Vec<Secret>) -> Redacted<'_> {
    // The longer of two that begin alike comes first and takes in the other.
    found.sort_by_key(|secret| (secret.range.start, std::cmp::Reverse(secret.range.end)));
    let mut out = String::with_capacity(text.len());
    let (mut done, mut masked) = (0, 0);
    for Secret { range } in found {
        if range.end <= done {
            continue;
        }
        // Of one that reaches into the last, only the rest.
        let start = range.start.max(done);
        let overlaps = range.start < done;
        out.push_str(text.get(done..start).unwrap_or(""));
        push_masked(text.get(start..range.end).unwrap_or(""), overlaps, &mut out);
        done = range.end;
        masked += u32::from(!overlaps);
    }
    out.push_str(text.get(done..).unwrap_or(""));
    Redacted { text: Cow::Owned(out), masked }
}

/// A mask for each line that is not empty; spaces in front and line ends stay.
fn push_masked(secret: &str, masked_before: bool, out: &mut String) {
    let mut skip = masked_before;
    for line in secret.split_inclusive('\n') {
        let inner = line.trim();
        let before = line.len() - line.trim_start().len();
        out.push_str(line.get(..before).unwrap_or(""));
        if !inner.is_empty() {
            if !skip {
                out.push_str(MASK);
            }
            out.push_str(line.get(before + inner.len()..).unwrap_or(""));
        }
        skip = false;
    }
}

#[cfg(test)]
mod tests;
