//! Private keys: what stands between `-----BEGIN … PRIVATE KEY-----` and its end.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::Secret;
use crate::text::pattern;

static BEGIN: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----"));
static END: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"-----END (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----"));

/// Bytes of the longest key: an RSA key of 16,384 bits has 12 KB.
const LONGEST_KEY: usize = 32 * 1024;
/// Letters of base64 in a row that code and prose do not have, and every line of a key but its last has.
const BASE64_RUN: usize = 24;

pub(super) fn find(text: &str, found: &mut Vec<Secret>) {
    let mut done = 0;
    for begin in BEGIN.find_iter(text) {
        if begin.start() < done {
            continue;
        }
        let body = body_after(text, begin.end());
        if text.get(body.clone()).is_some_and(is_key) {
            done = body.end;
            found.push(Secret { range: body });
        }
    }
    for end in END.find_iter(text) {
        let known = found.iter().any(|secret| secret.range.end == end.start());
        let body = body_before(text, end.start());
        if !known && text.get(body.clone()).is_some_and(is_key) {
            found.push(Secret { range: body });
        }
    }
}

/// Up to the key's end; where that is missing, as far as lines look like a key's.
fn body_after(text: &str, start: usize) -> Range<usize> {
    let limit = text.floor_char_boundary(start.saturating_add(LONGEST_KEY).min(text.len()));
    let rest = text.get(start..limit).unwrap_or("");
    if let Some(end) = END.find(rest) {
        return start..start + end.start();
    }
    let mut lines = rest.split_inclusive('\n');
    let first = lines.next().map_or(0, str::len);
    let keyed: usize = lines.take_while(|line| is_key_line(line)).map(str::len).sum();
    start..start + first + keyed
}

/// The lines in front of a key's end that look like a key's, for a text that was cut inside one.
fn body_before(text: &str, end: usize) -> Range<usize> {
    let before = text.get(..end).unwrap_or("");
    let mut start = before.rfind('\n').map_or(0, |at| at + 1);
    for line in before.get(..start).unwrap_or("").split_inclusive('\n').rev() {
        if !is_key_line(line) {
            break;
        }
        start -= line.len();
    }
    start..end
}

/// A line of base64, with what a string of a program puts around it.
fn is_key_line(line: &str) -> bool {
    let inner = line.trim().trim_matches(|c: char| "\"'\\,+".contains(c)).trim_end_matches("\\n");
    inner.len() >= BASE64_RUN && inner.bytes().all(is_base64)
}

/// Whether there is a key at all between the marks: code that speaks of keys has both marks as constants.
fn is_key(body: &str) -> bool {
    let code = |line: &str| line.contains("fn ") || line.contains("let ") || line.contains("const ");
    body.split(|c: char| !(c.is_ascii() && is_base64(c as u8))).any(|run| run.len() >= BASE64_RUN)
        && !body.lines().any(code)
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}
