//! Runs of letters, digits and underscores in a text, found byte by byte through a table.

/// What a byte may be in an identifier.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    Outside,
    Lower,
    Upper,
    Digit,
    Underscore,
    /// Part of a character outside ASCII.
    Wide,
}

const CLASSES: [Class; 256] = {
    let mut classes = [Class::Outside; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b'a'..=b'z' => Class::Lower,
            b'A'..=b'Z' => Class::Upper,
            b'0'..=b'9' => Class::Digit,
            b'_' => Class::Underscore,
            128..=255 => Class::Wide,
            _ => Class::Outside,
        };
        byte += 1;
    }
    classes
};

pub(super) fn class(byte: u8) -> Class {
    CLASSES[byte as usize]
}

/// A run of letters, digits and underscores.
#[derive(Clone, Copy)]
pub(super) struct Identifier<'t> {
    pub text: &'t str,
    /// Lower-case ASCII letters throughout.
    pub plain: bool,
    pub ascii: bool,
}

pub(super) fn for_each_identifier<'t>(text: &'t str, mut each: impl FnMut(Identifier<'t>)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if class(byte) == Class::Outside {
            at += 1;
            // The letter of an escape (`\n`) is no part of the word behind it.
            if byte == b'\\' && matches!(bytes.get(at), Some(b'n' | b't' | b'r')) {
                at += 1;
            }
            continue;
        }
        let start = at;
        let (mut plain, mut ascii) = (true, true);
        while let Some(&byte) = bytes.get(at) {
            match class(byte) {
                Class::Outside => break,
                Class::Lower => at += 1,
                Class::Upper | Class::Digit | Class::Underscore => {
                    plain = false;
                    at += 1;
                }
                Class::Wide => {
                    let Some(letter) = text.get(at..).and_then(|rest| rest.chars().next()) else { break };
                    if !letter.is_alphanumeric() {
                        break;
                    }
                    (plain, ascii) = (false, false);
                    at += letter.len_utf8();
                }
            }
        }
        if at == start {
            // A character outside ASCII that is no letter: a quotation mark, a dash.
            at += text.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8);
        } else if let Some(text) = text.get(start..at) {
            each(Identifier { text, plain, ascii });
        }
    }
}
