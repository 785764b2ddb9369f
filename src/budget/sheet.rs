//! One file as the packer sees it: its text as it will be printed, what each line costs, what encloses each unit.

use std::cell::RefCell;
use std::collections::BTreeSet;

use super::{Chunk, Level};
use crate::expand::Facts;
use crate::model::{FileId, LineRange, Span, Symbol, SymbolKind};
use crate::syntax;
use crate::text::LineIndex;
use crate::text::TokenCounter;

/// A gap of at most so many lines is shown instead of being told.
const SHORT_GAP: u32 = 2;

/// A file under consideration.
pub struct Sheet<'a> {
    pub file: FileId,
    /// The text with secrets masked; its lines are those of the file.
    text: &'a str,
    lines: &'a LineIndex,
    /// The lines of the text as it was read, which spans are of: masking keeps lines and moves bytes.
    read: &'a LineIndex,
    items: &'a [Symbol],
    facts: &'a Facts<'a>,
    /// Tokens of each line, where they were counted.
    costs: RefCell<Vec<Option<u32>>>,
    counter: &'a TokenCounter,
    pub masked: u32,
}

impl<'a> Sheet<'a> {
    pub fn new(facts: &'a Facts<'a>, file: FileId, mask: bool, counter: &'a TokenCounter) -> Sheet<'a> {
        let original = &facts.snapshot.file(file).text;
        let read = original.line_index();
        let (text, lines, masked) = if mask { original.masked() } else { (&**original, read, 0) };
        let costs = RefCell::new(vec![None; lines.count() as usize + 1]);
        Sheet { file, text, lines, read, items: facts.items(file), facts, costs, counter, masked }
    }

    pub fn path(&self) -> &'a str {
        &self.facts.snapshot.file(self.file).path
    }

    pub fn line_count(&self) -> u32 {
        self.lines.count()
    }

    /// Tokens of one line. A little more than it takes within a text, as tokens may reach over line ends.
    pub fn cost(&self, line: u32) -> u32 {
        let known = self.costs.borrow().get(line as usize).copied().flatten();
        known.unwrap_or_else(|| {
            let cost = self.counter.count(self.lines.text(self.text, LineRange::new(line, line)));
            if let Some(place) = self.costs.borrow_mut().get_mut(line as usize) {
                *place = Some(cost);
            }
            cost
        })
    }

    /// The lines to show for a unit of the index: its own, and the signatures of what encloses it.
    pub fn lines_of(&self, unit: usize) -> BTreeSet<u32> {
        let unit = &self.facts.lexical.units[unit];
        self.lines_within(&unit.spans, unit.item)
    }

    /// The same for a whole item with all that is inside it.
    pub fn lines_of_item(&self, item: u32) -> BTreeSet<u32> {
        let spans: Vec<Span> = self.items.get(item as usize).map(|item| item.span).into_iter().collect();
        self.lines_within(&spans, Some(item))
    }

    /// The lines of `spans`, and the signatures of what encloses `item`.
    fn lines_within(&self, spans: &[Span], item: Option<u32>) -> BTreeSet<u32> {
        let text = &self.facts.snapshot.file(self.file).text;
        let mut lines: BTreeSet<u32> = spans
            .iter()
            .map(|&span| self.read.lines(span.trimmed(text)))
            .flat_map(|range| range.first..=range.last)
            .collect();
        lines.retain(|&line| line <= self.line_count());
        let mut outer = item.and_then(|item| self.items.get(item as usize)?.parent);
        while let Some(item) = outer.and_then(|item| self.items.get(item as usize)) {
            if matches!(
                item.kind,
                SymbolKind::Impl | SymbolKind::Trait | SymbolKind::Module | SymbolKind::Function
            ) {
                let signature = self.read.lines(item.signature);
                lines.extend(signature.first..=signature.last);
            }
            outer = item.parent;
        }
        lines
    }

    /// The lines of the file's skeleton; nothing where it has none (it is not Rust).
    pub fn skeleton(&self) -> BTreeSet<u32> {
        let Some(Some(file)) = self.facts.syntax.get(self.file.index()) else { return BTreeSet::new() };
        let kept = syntax::skeleton(&self.facts.snapshot.file(self.file).text, file);
        kept.into_iter().flat_map(|range| range.first..=range.last).collect()
    }

    pub fn all(&self) -> BTreeSet<u32> {
        (1..=self.line_count()).collect()
    }

    /// The lines as pieces of text, with what is left out between them; short gaps are filled.
    pub fn chunks(&self, lines: &BTreeSet<u32>, level: Level) -> Vec<Chunk> {
        let fill = if level == Level::Skeleton { 0 } else { SHORT_GAP };
        let mut chunks = Vec::new();
        let mut before: Option<LineRange> = None;
        for range in merge(lines, fill) {
            if let Some(before) = before {
                chunks.push(Chunk::Gap { count: range.first - before.last - 1 });
            }
            chunks.push(Chunk::Lines { range, text: self.lines.text(self.text, range).to_string() });
            before = Some(range);
        }
        chunks
    }
}

/// Runs of lines, those with at most `fill` lines between them joined.
fn merge(lines: &BTreeSet<u32>, fill: u32) -> Vec<LineRange> {
    let mut ranges: Vec<LineRange> = Vec::new();
    for &line in lines {
        match ranges.last_mut() {
            Some(range) if line <= range.last + 1 + fill => range.last = line,
            _ => ranges.push(LineRange::new(line, line)),
        }
    }
    ranges
}
