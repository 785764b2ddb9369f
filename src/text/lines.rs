//! Between byte offsets and 1-based lines.

use crate::model::{LineRange, Span};

/// Where the lines of one text begin. Lines end at `\n`; a `\r` before it belongs to the line's end. A last line
/// without an end counts; what follows the last line's end is no line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineIndex {
    /// Offsets of the first byte of each line.
    starts: Vec<u32>,
    len: u32,
}

impl LineIndex {
    pub fn new(text: &str) -> LineIndex {
        let len = u32::try_from(text.len()).unwrap_or(u32::MAX);
        let mut starts = Vec::with_capacity(text.len() / AVERAGE_LINE + 1);
        let mut start = 0u32;
        for line in text.split_inclusive('\n') {
            starts.push(start);
            start = start.saturating_add(u32::try_from(line.len()).unwrap_or(u32::MAX));
        }
        LineIndex { starts, len }
    }

    /// Number of lines; 0 for an empty text.
    pub fn count(&self) -> u32 {
        u32::try_from(self.starts.len()).unwrap_or(u32::MAX)
    }

    /// The line that holds the byte at `offset`, 1-based. What lies behind the text counts as its last line, and
    /// everything in an empty text as line 1.
    pub fn line(&self, offset: u32) -> u32 {
        let after = self.starts.partition_point(|start| *start <= offset);
        u32::try_from(after).unwrap_or(u32::MAX).max(1)
    }

    /// The whole lines that `span` touches. An empty span touches the line it stands in.
    pub fn lines(&self, span: Span) -> LineRange {
        let last = if span.is_empty() { span.start } else { span.end - 1 };
        LineRange::new(self.line(span.start), self.line(last))
    }

    /// The offset of the first byte of a line; the text's end for a line behind the last.
    pub fn start(&self, line: u32) -> u32 {
        let index = (line.max(1) - 1) as usize;
        self.starts.get(index).copied().unwrap_or(self.len)
    }

    /// The bytes of whole lines, the last one's end included; cut to the text.
    pub fn span(&self, lines: LineRange) -> Span {
        Span::new(self.start(lines.first), self.start(lines.last.saturating_add(1)))
    }

    /// The text of whole lines, ends included. `text` must be the one that was indexed.
    pub fn text<'t>(&self, text: &'t str, lines: LineRange) -> &'t str {
        self.span(lines).of(text)
    }

    /// The text of one line without its end.
    pub fn line_text<'t>(&self, text: &'t str, line: u32) -> &'t str {
        let whole = self.text(text, LineRange::new(line, line));
        let whole = whole.strip_suffix('\n').unwrap_or(whole);
        whole.strip_suffix('\r').unwrap_or(whole)
    }
}

/// Bytes of a line of source code, for the first allocation.
const AVERAGE_LINE: usize = 36;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let index = LineIndex::new(text);
        let lines: Vec<&str> = (1..=index.count()).map(|line| index.line_text(text, line)).collect();
        assert_eq!(lines, expected);
    }

    #[test]
    fn lines_end_at_newlines_with_or_without_carriage_return() {
        check("a\nb\n", &["a", "b"]);
        check("a\r\nb\r\n", &["a", "b"]);
        check("a\n\nb", &["a", "", "b"]);
        check("\n", &[""]);
        check("", &[]);
    }

    #[test]
    fn offsets_behind_the_text_are_in_its_last_line() {
        let index = LineIndex::new("a\nb\n");
        assert_eq!([0, 1, 2, 3, 4, 99].map(|offset| index.line(offset)), [1, 1, 2, 2, 2, 2]);
        assert_eq!(LineIndex::new("").line(5), 1);
    }

    #[test]
    fn a_span_touches_whole_lines() {
        let text = "one\ntwo\nthree";
        let index = LineIndex::new(text);
        let check = |start, end, first, last| {
            assert_eq!(index.lines(Span::new(start, end)), LineRange::new(first, last));
        };
        check(0, 4, 1, 1);
        check(0, 5, 1, 2);
        check(4, 4, 2, 2);
        check(5, 13, 2, 3);
        assert_eq!(index.text(text, LineRange::new(2, 3)), "two\nthree");
        assert_eq!(index.text(text, LineRange::new(2, 9)), "two\nthree");
        assert_eq!(index.text(text, LineRange::new(7, 9)), "");
    }

    proptest! {
        #[test]
        fn lines_joined_are_the_text(text in "[a\r\nß]{0,40}") {
            let index = LineIndex::new(&text);
            prop_assert_eq!(index.count() as usize, text.lines().count());
            let joined: String = (1..=index.count()).map(|l| index.text(&text, LineRange::new(l, l))).collect();
            prop_assert_eq!(joined, text.clone());
            for offset in 0..text.len() as u32 {
                let line = index.line(offset);
                prop_assert!(index.span(LineRange::new(line, line)).contains(offset));
            }
        }
    }
}
