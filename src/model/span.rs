//! Where a piece of text is. Positions are byte offsets everywhere inside; lines exist only where text is
//! shown or a person names one, columns and encodings only at the edges.

use serde::{Deserialize, Serialize};

/// A half-open range of byte offsets in one file: `start..end`. Kept as start and length, which is the shorter number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "(u32, u32)", into = "(u32, u32)")]
pub struct Span {
    pub start: u32,
    pub end: u32,
}

impl Span {
    /// The span `start..end`; `end` is raised to `start` where it lies before it.
    pub fn new(start: u32, end: u32) -> Span {
        Span { start, end: end.max(start) }
    }

    /// Length in bytes.
    pub fn len(self) -> u32 {
        self.end - self.start
    }

    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    pub fn contains(self, offset: u32) -> bool {
        self.start <= offset && offset < self.end
    }

    /// Whether `other` lies wholly inside this span (equal spans do).
    pub fn covers(self, other: Span) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// The span without the white space of `text` at its ends.
    pub fn trimmed(self, text: &str) -> Span {
        let inner = self.of(text);
        let start = self.start + (inner.len() - inner.trim_start().len()) as u32;
        Span::new(start, start + inner.trim().len() as u32)
    }

    /// The text of the span; empty where the span does not lie on the text's character boundaries.
    pub fn of(self, text: &str) -> &str {
        text.get(self.start as usize..self.end as usize).unwrap_or("")
    }
}

impl From<(u32, u32)> for Span {
    fn from((start, len): (u32, u32)) -> Span {
        Span { start, end: start.saturating_add(len) }
    }
}

impl From<Span> for (u32, u32) {
    fn from(span: Span) -> (u32, u32) {
        (span.start, span.len())
    }
}

/// Lines `first` to `last` of a file: 1-based, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "(u32, u32)", into = "(u32, u32)")]
pub struct LineRange {
    pub first: u32,
    pub last: u32,
}

impl LineRange {
    pub fn new(first: u32, last: u32) -> LineRange {
        LineRange { first, last: last.max(first) }
    }

    /// Number of lines.
    pub fn count(self) -> u32 {
        self.last - self.first + 1
    }

    pub fn contains(self, line: u32) -> bool {
        self.first <= line && line <= self.last
    }
}

impl From<(u32, u32)> for LineRange {
    fn from((first, last): (u32, u32)) -> LineRange {
        LineRange::new(first, last)
    }
}

impl From<LineRange> for (u32, u32) {
    fn from(range: LineRange) -> (u32, u32) {
        (range.first, range.last)
    }
}
