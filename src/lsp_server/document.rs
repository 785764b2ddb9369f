//! One open document: its text as the editor has it, edited by lines and columns as the protocol counts them.

use std::sync::Arc;

use lsp_types::{Position, Range, TextDocumentContentChangeEvent};

/// What a column counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Columns {
    Utf8,
    Utf16,
    Utf32,
}

impl Columns {
    /// The first that the client offers of what costs us least; UTF-16 where it offers nothing, as the protocol has it.
    pub fn choose(offered: &[String]) -> Columns {
        let all = [Columns::Utf8, Columns::Utf32, Columns::Utf16];
        let is_offered = |columns: &&Columns| offered.iter().any(|name| name == columns.name());
        all.iter().find(is_offered).copied().unwrap_or(Columns::Utf16)
    }

    /// As the protocol names it.
    pub fn name(self) -> &'static str {
        match self {
            Columns::Utf8 => "utf-8",
            Columns::Utf16 => "utf-16",
            Columns::Utf32 => "utf-32",
        }
    }

    fn width(self, c: char) -> u32 {
        match self {
            Columns::Utf8 => c.len_utf8() as u32,
            Columns::Utf16 => c.len_utf16() as u32,
            Columns::Utf32 => 1,
        }
    }
}

#[derive(Debug)]
pub(super) struct Document {
    text: String,
    /// Where each line begins, in bytes; never empty.
    starts: Vec<usize>,
    columns: Columns,
    shared: Option<Arc<str>>,
}

impl Document {
    pub fn new(text: String, columns: Columns) -> Document {
        let starts = line_starts(&text);
        Document { text, starts, columns, shared: None }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text as it is now, for somebody who keeps it.
    pub fn shared(&mut self) -> Arc<str> {
        let text = &self.text;
        Arc::clone(self.shared.get_or_insert_with(|| text.as_str().into()))
    }

    /// Applies one change. A place behind a line's end is its end, one behind the text the text's end, as the protocol has it.
    pub fn change(&mut self, change: TextDocumentContentChangeEvent) {
        match change.range {
            None => self.text = change.text,
            Some(range) => {
                let (from, to) = (self.offset(range.start), self.offset(range.end));
                self.text.replace_range(from.min(to)..to.max(from), &change.text);
            }
        }
        self.starts = line_starts(&self.text);
        self.shared = None;
    }

    /// The byte of a position, always between two characters.
    fn offset(&self, position: Position) -> usize {
        let line = position.line as usize;
        let Some(&start) = self.starts.get(line) else { return self.text.len() };
        let end = self.starts.get(line + 1).copied().unwrap_or(self.text.len());
        let line = self.text.get(start..end).unwrap_or_default();
        let line = line.trim_end_matches(['\n', '\r']);
        let mut column = 0;
        for (offset, c) in line.char_indices() {
            // Inside a character: before it.
            if column + self.columns.width(c) > position.character {
                return start + offset;
            }
            column += self.columns.width(c);
        }
        start + line.len()
    }
}

/// The place of a name in a line (1-based) of a text; the line's beginning where it does not stand there.
pub(super) fn place_in_line(text: &str, line: u32, name: &str, columns: Columns) -> Range {
    let starts = line_starts(text);
    let index = line.saturating_sub(1) as usize;
    let start = starts.get(index).copied().unwrap_or(text.len());
    let end = starts.get(index + 1).copied().unwrap_or(text.len());
    let content = text.get(start..end).unwrap_or_default();
    let width = |text: &str| text.chars().map(|c| columns.width(c)).sum::<u32>();
    let (from, to) = match content.find(name).filter(|_| !name.is_empty()) {
        Some(at) => {
            let before = width(content.get(..at).unwrap_or_default());
            (before, before + width(name))
        }
        None => (0, 0),
    };
    let line = line.saturating_sub(1);
    Range { start: Position { line, character: from }, end: Position { line, character: to } }
}

/// Lines end at `\n`, `\r\n` and `\r`; the text's end begins no line but the last.
fn line_starts(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let mut starts = vec![0];
    for (at, byte) in bytes.iter().enumerate() {
        if *byte == b'\n' || (*byte == b'\r' && bytes.get(at + 1) != Some(&b'\n')) {
            starts.push(at + 1);
        }
    }
    starts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edited(text: &str, columns: Columns, range: [u32; 4], new: &str) -> String {
        let mut document = Document::new(text.to_owned(), columns);
        let [line, character, end_line, end_character] = range;
        let start = Position { line, character };
        let end = Position { line: end_line, character: end_character };
        let range = Some(Range { start, end });
        document.change(TextDocumentContentChangeEvent { range, range_length: None, text: new.to_owned() });
        document.text().to_owned()
    }

    #[test]
    fn columns_are_counted_as_agreed() {
        let text = "a𝄞ä\nb";
        for (columns, behind_note, behind_umlaut) in
            [(Columns::Utf8, 5, 7), (Columns::Utf16, 3, 4), (Columns::Utf32, 2, 3)]
        {
            assert_eq!(
                edited(text, columns, [0, behind_note, 0, behind_umlaut], "x"),
                "a𝄞x\nb",
                "{columns:?}"
            );
        }
        assert_eq!(edited(text, Columns::Utf16, [0, 2, 0, 2], "x"), "ax𝄞ä\nb", "inside a character");
    }

    #[test]
    fn places_beyond_the_text_are_its_end() {
        assert_eq!(edited("ab\ncd", Columns::Utf16, [0, 99, 0, 99], "x"), "abx\ncd");
        assert_eq!(edited("ab\ncd", Columns::Utf16, [9, 9, 9, 9], "x"), "ab\ncdx");
        assert_eq!(edited("", Columns::Utf16, [3, 1, 4, 0], "x"), "x");
        assert_eq!(edited("ab\n", Columns::Utf16, [1, 0, 1, 0], "x"), "ab\nx");
        assert_eq!(edited("abc", Columns::Utf8, [0, 2, 0, 1], "x"), "axc", "an inverted range");
    }

    #[test]
    fn lines_end_in_three_ways() {
        assert_eq!(edited("a\r\nb\rc\nd", Columns::Utf16, [1, 0, 3, 0], ""), "a\r\nd");
        assert_eq!(edited("a\r\nb", Columns::Utf16, [0, 1, 0, 9], "x"), "ax\r\nb");
    }

    #[test]
    fn the_first_offer_that_costs_least_is_taken() {
        let offered = |names: &[&str]| {
            Columns::choose(&names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(offered(&[]), Columns::Utf16);
        assert_eq!(offered(&["utf-16", "utf-8"]), Columns::Utf8);
        assert_eq!(offered(&["utf-16", "utf-32"]), Columns::Utf32);
        assert_eq!(offered(&["utf-7"]), Columns::Utf16);
    }

    #[test]
    fn a_name_is_found_in_its_line() {
        let range = place_in_line("x\n  fn ä_b() {}\n", 2, "ä_b", Columns::Utf16);
        assert_eq!((range.start.line, range.start.character, range.end.character), (1, 5, 8));
        assert_eq!(place_in_line("x", 7, "y", Columns::Utf8).start, Position { line: 6, character: 0 });
    }
}
