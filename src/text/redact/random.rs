//! Whether a value was drawn by a machine or chosen as a password, rather than written as a word or a name.

/// Letters in a row, on average, below which a value is no writing: random letters and digits change kind every
/// two characters, names every five.
const SHORTEST_WORDS: f64 = 3.0;
/// Different characters that a secret has at least.
const FEWEST_DIFFERENT: usize = 6;
/// Kinds of characters (small, capital, digit, mark) that make a password of what is otherwise words.
const KINDS_OF_PASSWORDS: usize = 4;

/// Letters and digits mixed as no name mixes them: `x7Kq9`, not `left-paren`, `sha256_digest`, `v2`.
pub(super) fn is_random(value: &str) -> bool {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let runs = runs(value);
    let letters: usize = runs.iter().sum();
    let mixed = runs.is_empty() || (letters as f64) < SHORTEST_WORDS * runs.len() as f64;
    different(value) >= FEWEST_DIFFERENT && mixed && digits > 0
}

/// Small and capital letters mixed as in base64, digits or not.
pub(super) fn is_base64_noise(value: &str) -> bool {
    let runs = runs(value);
    let letters: usize = runs.iter().sum();
    different(value) >= FEWEST_DIFFERENT
        && !runs.is_empty()
        && (letters as f64) < SHORTEST_WORDS * runs.len() as f64
}

/// A word with capitals, digits and marks, as passwords must have.
pub(super) fn is_strong_password(value: &str) -> bool {
    let has = |kind: fn(&u8) -> bool| usize::from(value.bytes().any(|b| kind(&b)));
    let kinds = has(u8::is_ascii_lowercase)
        + has(u8::is_ascii_uppercase)
        + has(u8::is_ascii_digit)
        + has(u8::is_ascii_punctuation);
    kinds >= KINDS_OF_PASSWORDS && different(value) >= FEWEST_DIFFERENT
}

pub(super) fn different(value: &str) -> usize {
    let mut seen = [false; 256];
    for byte in value.bytes() {
        seen[byte as usize] = true;
    }
    seen.iter().filter(|seen| **seen).count()
}

/// Lengths of the runs of letters as a reader sees them, parted as the words of an identifier: before a capital,
/// and before the last of several capitals if a small letter follows.
fn runs(value: &str) -> Vec<usize> {
    let mut runs = Vec::new();
    let (mut length, mut capitals) = (0, 0);
    for c in value.chars() {
        let is_capital = c.is_uppercase();
        if !c.is_alphabetic() || (is_capital && capitals < length) {
            runs.extend((length > 0).then_some(length));
            (length, capitals) = (0, 0);
        } else if !is_capital && capitals > 1 && capitals == length {
            runs.push(length - 1);
            (length, capitals) = (1, 1);
        }
        length += usize::from(c.is_alphabetic());
        capitals += usize::from(is_capital);
    }
    runs.extend((length > 0).then_some(length));
    runs
}

/// Words that stand in a secret's place in tests, examples and templates.
const STAND_INS: [&str; 36] = [
    "example",
    "changeme",
    "change_me",
    "change-me",
    "placeholder",
    "dummy",
    "fake",
    "sample",
    "redacted",
    "masked",
    "password",
    "p@ssw0rd",
    "passw0rd",
    "passwd",
    "secret",
    "token",
    "hunter2",
    "foobar",
    "your",
    "insert",
    "replace",
    "todo",
    "xxxx",
    "****",
    "....",
    "test",
    "lorem",
    "invalid",
    "123456",
    "abcdef",
    "abc123",
    "deadbeef",
    "qwerty",
    "0000",
    "1111",
    "none",
];

/// Whether a value only stands for a secret: something to be filled in, or words of tests and templates with nothing
/// beside them that looks like a secret by itself.
pub(super) fn is_stand_in(value: &str) -> bool {
    if value.contains(['{', '}', '<', '>', '[', ']', '…']) || value.contains("...") {
        return true;
    }
    let mut rest = value.to_ascii_lowercase();
    for word in STAND_INS {
        rest = rest.replace(word, "");
    }
    rest.len() < value.len() && (rest.len() < SHORTEST_SECRET || !is_random(&rest))
}

/// What a secret has at least beside the words of tests, in bytes.
const SHORTEST_SECRET: usize = 8;
