//! The words of code and prose: identifiers, their parts, and numbers worth looking up.
//!
//! `findByEmail` and `find_by_email` both give `find`, `by`, `email`, `findbyemail`. Digits stay with the letters
//! before them (`sha256`), and where those are a word the word is given too (`server2`, `server`): people search
//! for either. What begins with a digit is a number: only whole decimal ones of three digits and more are
//! given (`404`), as the rest (`0x1f`, `1u32`, hashes) is noise. Han and kana, which have no spaces, are given in
//! pairs of neighbours.
//!
//! One pass over bytes; only identifiers with capitals, underscores or letters outside ASCII are copied.

use super::identifiers::{Class, Identifier, class, for_each_identifier};
use super::stem::normalize;

/// Longer runs of letters are data (base64, minified code), not words. In bytes.
const LONGEST_IDENTIFIER: usize = 96;
/// Letters before digits that are a word of their own: `server2`, but not `i18n` or `x86`.
const SHORTEST_LETTERS_BEFORE_DIGITS: usize = 2;
/// Decimal numbers worth looking up, in digits: from status codes and sizes to dates and ports.
const NUMBER_DIGITS: std::ops::RangeInclusive<usize> = 3..=10;

/// Calls `each` with every word of the text in order, as [`normalize`]d for comparison: the parts of each
/// identifier and then, if there are several, the identifier as a whole without underscores.
pub fn for_each_word(text: &str, mut each: impl FnMut(&str)) {
    let mut parts = Parts::default();
    for_each_identifier(text, |identifier| emit(identifier, &mut parts, &mut |word| each(normalize(word))));
}

/// The words of one identifier or of any text, lower case, in the order of [`for_each_word`], but as they are
/// spelt.
pub fn split_identifier(text: &str) -> Vec<String> {
    let mut parts = Parts::default();
    let mut words = Vec::new();
    for_each_identifier(text, |identifier| emit(identifier, &mut parts, &mut |word| words.push(word.into())));
    words
}

/// An identifier in lower case without underscores, and where its parts end. Reused from one to the next.
#[derive(Default)]
struct Parts {
    whole: String,
    ends: Vec<usize>,
}

fn emit(identifier: Identifier, parts: &mut Parts, each: &mut impl FnMut(&str)) {
    let text = identifier.text;
    if !identifier.ascii {
        return emit_wide(text, parts, each);
    }
    if text.len() > LONGEST_IDENTIFIER || text.len() < 2 {
        return;
    }
    if identifier.plain {
        return each(text);
    }
    if text.as_bytes().first().is_some_and(u8::is_ascii_digit) {
        return emit_number(text, parts, each);
    }
    parts.split_ascii(text);
    parts.emit(each);
}

/// `404`, `1_000` as `1000`; nothing for `0xff`, `1u8`, `10`.
fn emit_number(text: &str, parts: &mut Parts, each: &mut impl FnMut(&str)) {
    parts.whole.clear();
    for byte in text.bytes() {
        match class(byte) {
            Class::Digit => parts.whole.push(char::from(byte)),
            Class::Underscore => {}
            _ => return,
        }
    }
    if NUMBER_DIGITS.contains(&parts.whole.len()) {
        each(&parts.whole);
    }
}

impl Parts {
    /// Parts end at underscores, before a capital that follows a small letter or digit, and before the last of
    /// several capitals if a small letter follows it (`HTTPServer`).
    fn split_ascii(&mut self, text: &str) {
        self.whole.clear();
        self.ends.clear();
        let bytes = text.as_bytes();
        let mut before = Class::Underscore;
        for (at, &byte) in bytes.iter().enumerate() {
            let class = class(byte);
            match class {
                Class::Underscore => self.end_part(),
                Class::Upper => {
                    if matches!(before, Class::Lower | Class::Digit) || begins_word(bytes, at) {
                        self.end_part();
                    }
                    self.whole.push(char::from(byte.to_ascii_lowercase()));
                }
                _ => self.whole.push(char::from(byte)),
            }
            before = class;
        }
        self.end_part();
    }

    fn split_wide(&mut self, text: &str) {
        self.whole.clear();
        self.ends.clear();
        let mut before_small = false;
        for letter in text.chars() {
            if letter == '_' || (letter.is_uppercase() && before_small) {
                self.end_part();
            }
            if letter != '_' {
                self.whole.extend(letter.to_lowercase());
            }
            before_small = letter.is_lowercase() || letter.is_numeric();
        }
        self.end_part();
    }

    fn end_part(&mut self) {
        let end = self.whole.len();
        if end > self.ends.last().copied().unwrap_or(0) {
            self.ends.push(end);
        }
    }

    fn emit(&self, each: &mut impl FnMut(&str)) {
        let mut start = 0;
        for &end in &self.ends {
            emit_part(self.whole.get(start..end).unwrap_or(""), each);
            start = end;
        }
        if self.ends.len() > 1 {
            each(&self.whole);
        }
    }
}

/// Whether small letters follow a capital: more of them than the `s` of `URLs`.
fn begins_word(bytes: &[u8], capital: usize) -> bool {
    let small = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_lowercase);
    let is_plural = bytes.get(capital + 1) == Some(&b's') && !small(capital + 2);
    small(capital + 1) && !is_plural
}

/// A part, and where it ends in digits its letters too. Single ASCII characters and bare numbers say nothing alone.
fn emit_part(part: &str, each: &mut impl FnMut(&str)) {
    let letters = part.trim_end_matches(|c: char| c.is_ascii_digit());
    if part.len() > 1 && !letters.is_empty() {
        each(part);
    }
    if letters.len() < part.len() && letters.len() >= SHORTEST_LETTERS_BEFORE_DIGITS {
        each(letters);
    }
}

/// Letters outside ASCII: runs of Han and kana apart from the rest.
fn emit_wide(text: &str, parts: &mut Parts, each: &mut impl FnMut(&str)) {
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let unspaced = is_unspaced(first);
        let end = rest.find(|c| is_unspaced(c) != unspaced).unwrap_or(rest.len());
        let (run, tail) = rest.split_at(end);
        rest = tail;
        if unspaced {
            emit_pairs(run, each);
        } else if run.is_ascii() {
            let plain = run.bytes().all(|b| b.is_ascii_lowercase());
            emit(Identifier { text: run, plain, ascii: true }, parts, each);
        } else if run.len() <= LONGEST_IDENTIFIER {
            parts.split_wide(run);
            parts.emit(each);
        }
    }
}

/// Each two neighbours, as search engines do for scripts without spaces; a single character alone.
fn emit_pairs(run: &str, each: &mut impl FnMut(&str)) {
    let mut starts = run.char_indices().map(|(at, _)| at).chain([run.len()]);
    let (Some(mut first), Some(mut second)) = (starts.next(), starts.next()) else { return };
    if second == run.len() {
        return each(run);
    }
    for third in starts {
        each(run.get(first..third).unwrap_or(""));
        (first, second) = (second, third);
    }
}

/// Scripts that are written without spaces: kana and Han.
fn is_unspaced(letter: char) -> bool {
    matches!(letter, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{2fa1f}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, expected: &[&str]) {
        assert_eq!(split_identifier(text), expected, "words of {text:?}");
    }

    #[test]
    fn both_spellings_of_an_identifier_give_the_same_words() {
        check("findByEmail", &["find", "by", "email", "findbyemail"]);
        check("find_by_email", &["find", "by", "email", "findbyemail"]);
        check("FIND_BY_EMAIL", &["find", "by", "email", "findbyemail"]);
        check("__find__by_", &["find", "by", "findby"]);
    }

    #[test]
    fn abbreviations_in_capitals_are_one_part() {
        check("HTTPServer", &["http", "server", "httpserver"]);
        check("parseURL", &["parse", "url", "parseurl"]);
        check("IOError::Other", &["io", "error", "ioerror", "other"]);
        check("IDs of URLs", &["ids", "of", "urls"]);
        check("getURLsFor", &["get", "urls", "for", "geturlsfor"]);
    }

    #[test]
    fn digits_stay_with_their_letters_which_are_given_too() {
        check("HTTPServer2", &["http", "server2", "server", "httpserver2"]);
        check("sha256_sum", &["sha256", "sha", "sum", "sha256sum"]);
        check("x86", &["x86"]);
        check("i18n", &["i18n"]);
    }

    #[test]
    fn only_decimal_numbers_of_three_digits_and_more_are_words() {
        check("404 10 0xff 1_000 1u32 3.14 4d7f5c043e", &["404", "1000"]);
    }

    #[test]
    fn words_of_prose_and_code() {
        check("fn main() { a.b(\"x\\nfoo\") }", &["fn", "main", "foo"]);
        check("the user's file-name", &["the", "user", "file", "name"]);
    }

    #[test]
    fn other_scripts_are_kept() {
        check("Größe_prüfen", &["größe", "prüfen", "größeprüfen"]);
        check("Исправить ошибку", &["исправить", "ошибку"]);
        check("修复auth模块", &["修复", "auth", "模块"]);
        check("修复了", &["修复", "复了"]);
        check("“quoted” – dash", &["quoted", "dash"]);
    }

    #[test]
    fn data_is_no_word() {
        check(&"a".repeat(200), &[]);
    }

    #[test]
    fn indexed_words_are_normalized() {
        let mut words = Vec::new();
        for_each_word("parse_files", |word| words.push(word.to_owned()));
        assert_eq!(words, ["par", "fil", "parsefil"]);
    }

    proptest! {
        #[test]
        fn every_spelling_of_the_same_parts_gives_the_same_words(parts in prop::collection::vec("[a-z]{2,6}", 1..5)) {
            let snake = parts.join("_");
            let camel: String = parts
                .iter()
                .map(|part| format!("{}{}", part[..1].to_uppercase(), &part[1..]))
                .collect();
            let words = split_identifier(&snake);
            prop_assert_eq!(&split_identifier(&snake.to_uppercase()), &words);
            prop_assert_eq!(&split_identifier(&camel), &words);
        }

        #[test]
        fn words_are_lower_case_and_never_empty(text in "\\PC{0,60}") {
            for word in split_identifier(&text) {
                prop_assert!(!word.is_empty());
                prop_assert!(!word.contains('_'));
                prop_assert!(!word.bytes().any(|b| b.is_ascii_uppercase()));
            }
        }
    }
}
