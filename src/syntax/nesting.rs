//! How deep a text may nest, told from its brackets and words alone, before a parser that recurses sees it; and where
//! its macro calls have their arguments.
//!
//! The tree of a statement cannot be deeper than its words and signs are many, so the count of those since the
//! last `;` or `,`, summed over the open brackets, bounds the depth from above. Where it passes the limit the
//! text is blanked out, byte for byte, so that every offset stays what it was.

use std::borrow::Cow;

use crate::model::Span;

/// A text that is safe to parse, and how deep its tree may be.
pub(super) struct Bounded<'t> {
    pub text: Cow<'t, str>,
    pub depth: u32,
    /// What stands behind `name!`, brackets included, inner ones before the outer.
    pub macros: Vec<Span>,
}

/// Macros inside the arguments of macros are read so far; each level is parsed anew.
pub(super) const DEEPEST_MACRO: u32 = 8;

/// Blanks what lies deeper than `limit`.
pub(super) fn bound(text: &str, limit: u32) -> Bounded<'_> {
    let mut scan = Scan::new(text.as_bytes(), limit);
    scan.run();
    let (depth, macros) = (scan.deepest.min(limit), std::mem::take(&mut scan.macros));
    if scan.blanks.is_empty() {
        return Bounded { text: Cow::Borrowed(text), depth, macros };
    }
    let mut bytes = text.as_bytes().to_vec();
    for (start, end) in scan.blanks {
        if let Some(part) = bytes.get_mut(start..end) {
            part.iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
        }
    }
    Bounded { text: Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()), depth, macros }
}

/// What was counted inside one open bracket.
#[derive(Clone, Copy, Default)]
struct Level {
    /// Words and signs since the last separator.
    count: u32,
    /// `<` without their `>`, and `|`: a `,` among generic arguments or a closure's parameters ends nothing.
    lists: u32,
    /// The bracket itself was blanked, so its partner must be.
    blank: bool,
    /// The bracket holds the arguments of a macro; where it stands.
    macro_at: Option<u32>,
}

struct Scan<'t> {
    bytes: &'t [u8],
    at: usize,
    limit: u32,
    open: Vec<Level>,
    level: Level,
    depth: u32,
    deepest: u32,
    blanks: Vec<(usize, usize)>,
    /// The last sign was a `}`: whether a statement ended there shows in what follows.
    after_brace: bool,
    previous: u8,
    /// The last sign was the `!` behind a name.
    bang: bool,
    macro_depth: u32,
    macros: Vec<Span>,
}

impl<'t> Scan<'t> {
    fn new(bytes: &'t [u8], limit: u32) -> Scan<'t> {
        Scan {
            bytes,
            at: 0,
            limit,
            open: Vec::new(),
            level: Level::default(),
            depth: 0,
            deepest: 0,
            blanks: Vec::new(),
            after_brace: false,
            previous: 0,
            bang: false,
            macro_depth: 0,
            macros: Vec::new(),
        }
    }

    fn run(&mut self) {
        while let Some(byte) = self.peek(0) {
            let start = self.at;
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' => self.at += 1,
                b'/' if self.peek(1) == Some(b'/') => self.line_comment(),
                b'/' if self.peek(1) == Some(b'*') => self.block_comment(),
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | 0x80.. => self.word(),
                b'"' => {
                    self.string();
                    self.token(start);
                }
                b'\'' => {
                    self.quote();
                    self.token(start);
                }
                _ => self.sign(byte),
            }
        }
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied()
    }

    fn line_comment(&mut self) {
        while self.peek(0).is_some_and(|byte| byte != b'\n') {
            self.at += 1;
        }
    }

    fn block_comment(&mut self) {
        let mut depth = 0u32;
        while let Some(byte) = self.peek(0) {
            match (byte, self.peek(1)) {
                (b'/', Some(b'*')) => {
                    depth += 1;
                    self.at += 2;
                }
                (b'*', Some(b'/')) => {
                    depth -= 1;
                    self.at += 2;
                    if depth == 0 {
                        return;
                    }
                }
                _ => self.at += 1,
            }
        }
    }

    fn word(&mut self) {
        let start = self.at;
        while self.peek(0).is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80) {
            self.at += 1;
        }
        let word = self.bytes.get(start..self.at).unwrap_or_default();
        match (word, self.peek(0)) {
            (b"r" | b"br" | b"cr", Some(b'"' | b'#')) if self.raw_string() => {}
            (b"b" | b"c", Some(b'"')) => self.string(),
            (b"b", Some(b'\'')) => self.quote(),
            _ => {}
        }
        if self.after_brace && !matches!(word, b"else" | b"as") {
            self.separate();
        }
        self.token(start);
    }

    /// After `r`: whether a raw string stood there (and not a raw identifier).
    fn raw_string(&mut self) -> bool {
        let mut hashes = 0;
        while self.peek(hashes) == Some(b'#') {
            hashes += 1;
        }
        if self.peek(hashes) != Some(b'"') {
            return false;
        }
        self.at += hashes + 1;
        while let Some(byte) = self.peek(0) {
            self.at += 1;
            if byte == b'"' && (0..hashes).all(|ahead| self.peek(ahead) == Some(b'#')) {
                self.at += hashes;
                break;
            }
        }
        true
    }

    fn string(&mut self) {
        self.at += 1;
        while let Some(byte) = self.peek(0) {
            self.at += 1;
            match byte {
                b'\\' => self.at += 1,
                b'"' => return,
                _ => {}
            }
        }
    }

    /// A character, or the quote of a lifetime.
    fn quote(&mut self) {
        self.at += 1;
        match self.peek(0) {
            Some(b'\\') => {
                self.at += 2;
                while self.peek(0).is_some_and(|byte| byte != b'\'' && byte != b'\n') {
                    self.at += 1;
                }
                self.at += 1;
            }
            Some(first) => {
                let length = match first {
                    0..0x80 => 1,
                    0x80..0xe0 => 2,
                    0xe0..0xf0 => 3,
                    _ => 4,
                };
                if self.peek(length) == Some(b'\'') {
                    self.at += length + 1;
                }
            }
            None => {}
        }
    }

    fn sign(&mut self, byte: u8) {
        let start = self.at;
        self.at += 1;
        match byte {
            b'(' | b'[' | b'{' => {
                let macro_at = std::mem::take(&mut self.bang).then_some(start as u32);
                self.macro_depth += u32::from(macro_at.is_some());
                self.token(start);
                let blank = self.depth > self.limit;
                let level = Level { blank, macro_at, ..Level::default() };
                self.open.push(std::mem::replace(&mut self.level, level));
            }
            b')' | b']' | b'}' => {
                self.depth -= self.level.count;
                if self.level.blank {
                    self.blank(start);
                }
                if let Some(macro_at) = self.level.macro_at {
                    self.macro_depth -= 1;
                    if self.macro_depth < DEEPEST_MACRO {
                        self.macros.push(Span::new(macro_at, self.at as u32));
                    }
                }
                self.level = self.open.pop().unwrap_or_default();
                self.after_brace = byte == b'}';
            }
            b';' => {
                self.level.lists = 0;
                self.separate();
            }
            b',' => self.separate(),
            b'#' if self.after_brace => {
                self.separate();
                self.token(start);
            }
            b'!' => {
                self.token(start);
                let before = start.checked_sub(1).and_then(|before| self.bytes.get(before));
                self.bang = before.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
            }
            _ => {
                match byte {
                    b'<' | b'|' => self.level.lists += 1,
                    b'>' if self.previous == b'=' => self.level.lists = 0,
                    b'>' if self.previous != b'-' => {
                        self.level.lists = self.level.lists.saturating_sub(1);
                    }
                    _ => {}
                }
                self.token(start);
            }
        }
        self.previous = byte;
    }

    fn separate(&mut self) {
        let kept = self.level.lists.min(self.level.count);
        self.depth -= self.level.count - kept;
        self.level.count = kept;
        self.after_brace = false;
    }

    /// Counts the token that began at `start`, or blanks it.
    fn token(&mut self, start: usize) {
        self.after_brace = false;
        self.previous = 0;
        self.bang = false;
        self.level.count += 1;
        self.depth += 1;
        self.deepest = self.deepest.max(self.depth);
        if self.depth > self.limit {
            self.blank(start);
        }
    }

    fn blank(&mut self, start: usize) {
        let end = self.at.min(self.bytes.len());
        match self.blanks.last_mut() {
            Some((_, last)) if *last == start => *last = end,
            _ => self.blanks.push((start, end)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::bound;

    /// Blanked text shows as it is; `deep` stands for what the limit of 5 cuts.
    fn blanked(text: &str) -> String {
        let bounded = bound(text, 5);
        assert_eq!(bounded.text.len(), text.len());
        bounded.text.into_owned()
    }

    #[test]
    fn what_lies_deeper_is_blanked_byte_for_byte() {
        assert_eq!(blanked("a(b(c(d(e)f)g))"), "a(b(c        ))");
        assert_eq!(blanked("a(b,c,d,e,f,g)"), "a(b,c,d,e,f,g)");
        assert_eq!(blanked("a;b;c;d;e;f;g"), "a;b;c;d;e;f;g");
        assert_eq!(blanked("a b c d é\nf"), "a b c d é\n ");
    }

    #[test]
    fn separators_inside_texts_and_lifetimes_are_none() {
        let depth = |text: &str| bound(text, 100).depth;
        assert_eq!(depth("\"((((\""), 1);
        assert_eq!(depth("r#\"((\"((\"#"), 1);
        assert_eq!(depth("'(' + b'\\'' + '\\u{28}'"), 5);
        assert_eq!(depth("&'a str"), 4);
        assert_eq!(depth("// ((((\n/* (( /* (( */ */"), 0);
        assert_eq!(depth("{} a {} b {}"), 2);
        assert_eq!(depth("if a {} else if b {} else {}"), 9);
        assert_eq!(depth("A<B, A<B, C>>"), 5);
    }

    #[test]
    fn arguments_of_macros_are_found() {
        let found = |text: &str| -> Vec<String> {
            bound(text, 100).macros.iter().map(|span| span.of(text).to_owned()).collect()
        };
        assert_eq!(found("a!(b![c], d! {e}) !(f) != (g)"), ["[c]", "{e}", "(b![c], d! {e})"]);
        assert_eq!(found("macro_rules! m { () => {} } \"a!(b)\" // c!(d)"), [""; 0]);
        assert_eq!(found("a!(b"), [""; 0]);
    }
}
