//! A file cut into units: the pieces that are found, scored and shown on their own.
//!
//! Each byte of a file belongs to exactly one unit, so that the counts of a file are the sums of the counts of its
//! units and one list of postings serves both. A unit is an item without the items in it that are units
//! themselves (an `impl` without its methods), cut where it is long; what lies outside all items is cut by lines.

use serde::{Deserialize, Serialize};

use crate::model::{FileId, FileKind, LineRange, Span, Symbol, SymbolKind};
use crate::syntax::FileSyntax;
use crate::text::LineIndex;

/// Longest unit, in lines: measured on the commit tasks, items above 80 lines drown the words that matter.
const MAX_LINES: u32 = 80;
/// Length of a piece of a file that has no items, in lines.
const PROSE_LINES: u32 = 40;

/// A piece of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unit {
    pub file: FileId,
    /// The item that it is, or is a part of; `None` outside all items.
    pub item: Option<u32>,
    /// The whole lines that it stands on.
    pub lines: LineRange,
    /// Its own text, in order.
    pub spans: Vec<Span>,
}

/// The units of one file in the order of their first line.
pub fn cut(
    file: FileId,
    kind: FileKind,
    text: &str,
    lines: &LineIndex,
    syntax: Option<&FileSyntax>,
) -> Vec<Unit> {
    let mut cutter = Cutter { file, text, lines, units: Vec::new() };
    let all = Span::new(0, text.len() as u32);
    match syntax.filter(|_| kind == FileKind::Rust) {
        Some(syntax) => {
            let tree = Tree::of(&syntax.items);
            cutter.outside(all, &tree.roots, syntax);
            for &root in &tree.roots {
                cutter.item(root, syntax, &tree);
            }
        }
        None => cutter.pieces(None, &[all], PROSE_LINES),
    }
    cutter.units.sort_by_key(|unit| (unit.lines.first, unit.lines.last, unit.item));
    cutter.units
}

/// Whether an item is shown and found on its own.
pub fn is_unit(items: &[Symbol], index: u32) -> bool {
    let Some(item) = items.get(index as usize) else { return false };
    let own = !matches!(item.kind, SymbolKind::Variant | SymbolKind::Field);
    own && !inside_function(items, item.parent)
}

fn inside_function(items: &[Symbol], mut parent: Option<u32>) -> bool {
    while let Some(item) = parent.and_then(|index| items.get(index as usize)) {
        if matches!(item.kind, SymbolKind::Function | SymbolKind::Method) {
            return true;
        }
        parent = item.parent;
    }
    false
}

/// The items that are units, by parent.
struct Tree {
    roots: Vec<u32>,
    children: Vec<Vec<u32>>,
}

impl Tree {
    fn of(items: &[Symbol]) -> Tree {
        let mut tree = Tree { roots: Vec::new(), children: vec![Vec::new(); items.len()] };
        for index in 0..items.len() as u32 {
            if !is_unit(items, index) {
                continue;
            }
            match items[index as usize].parent.and_then(|parent| tree.children.get_mut(parent as usize)) {
                Some(children) => children.push(index),
                None => tree.roots.push(index),
            }
        }
        tree
    }
}

struct Cutter<'a> {
    file: FileId,
    text: &'a str,
    lines: &'a LineIndex,
    units: Vec<Unit>,
}

impl Cutter<'_> {
    /// What lies in `span` outside the items `inner`, as units without an item.
    fn outside(&mut self, span: Span, inner: &[u32], syntax: &FileSyntax) {
        for gap in gaps(span, inner, &syntax.items) {
            self.pieces(None, &[gap], PROSE_LINES);
        }
    }

    fn item(&mut self, index: u32, syntax: &FileSyntax, tree: &Tree) {
        let item = &syntax.items[index as usize];
        let children = &tree.children[index as usize];
        let own = gaps(item.span, children, &syntax.items);
        if children.is_empty() {
            self.pieces(Some(index), &own, MAX_LINES);
        } else {
            self.unit(Some(index), own);
        }
        for &child in children {
            self.item(child, syntax, tree);
        }
    }

    /// Units of at most `most` lines each.
    fn pieces(&mut self, item: Option<u32>, spans: &[Span], most: u32) {
        for &span in spans {
            let mut rest = span;
            while !rest.is_empty() {
                let whole = self.lines.lines(rest);
                let end = match whole.count() > most {
                    true => self.lines.start(whole.first + most).clamp(rest.start + 1, rest.end),
                    false => rest.end,
                };
                self.unit(item, vec![Span::new(rest.start, end)]);
                rest = Span::new(end, rest.end);
            }
        }
    }

    fn unit(&mut self, item: Option<u32>, mut spans: Vec<Span>) {
        spans.retain(|span| !span.of(self.text).trim().is_empty());
        let (Some(first), Some(last)) = (spans.first(), spans.last()) else { return };
        let trimmed = Span::new(first.start, last.end).trimmed(self.text);
        let lines = self.lines.lines(trimmed);
        self.units.push(Unit { file: self.file, item, lines, spans });
    }
}

/// `span` without the spans of the items `inner`, which stand in order and do not overlap.
fn gaps(span: Span, inner: &[u32], items: &[Symbol]) -> Vec<Span> {
    let mut gaps = Vec::with_capacity(inner.len() + 1);
    let mut start = span.start;
    for &index in inner {
        let item = items[index as usize].span;
        if item.start > start {
            gaps.push(Span::new(start, item.start.min(span.end)));
        }
        start = start.max(item.end);
    }
    if start < span.end {
        gaps.push(Span::new(start, span.end));
    }
    gaps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax;

    fn cut_rust(text: &str) -> Vec<Unit> {
        cut(FileId(0), FileKind::Rust, text, &LineIndex::new(text), Some(&syntax::parse(text).syntax))
    }

    /// Lines of each unit, with the name of its item.
    fn check(text: &str, expected: &[(&str, u32, u32)]) {
        let items = syntax::parse(text).syntax.items;
        let units = cut_rust(text);
        let name = |unit: &Unit| unit.item.map_or("", |item| items[item as usize].name.as_str()).to_string();
        let found: Vec<(String, u32, u32)> =
            units.iter().map(|unit| (name(unit), unit.lines.first, unit.lines.last)).collect();
        let expected: Vec<(String, u32, u32)> =
            expected.iter().map(|&(name, first, last)| (name.to_string(), first, last)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn methods_are_units_of_their_own_beside_their_impl() {
        check(
            "use a::b;\n\nstruct S {\n    x: u8,\n}\n\nimpl S {\n    fn one(&self) {}\n\n    fn two() {\n        fn inner() {}\n    }\n}\n",
            &[("", 1, 1), ("S", 3, 5), ("S", 7, 13), ("one", 8, 8), ("two", 10, 12)],
        );
    }

    #[test]
    fn a_long_function_is_cut() {
        let text = format!("fn long() {{\n{}}}\n", "    step();\n".repeat(198));
        let units = cut_rust(&text);
        assert_eq!(units.len(), 3);
        assert!(units.iter().all(|unit| unit.lines.count() <= MAX_LINES && unit.item == Some(0)));
    }

    #[test]
    fn prose_is_cut_by_lines() {
        let text = "words\n".repeat(90);
        let units = cut(FileId(0), FileKind::Docs, &text, &LineIndex::new(&text), None);
        let lines: Vec<_> = units.iter().map(|unit| (unit.lines.first, unit.lines.last)).collect();
        assert_eq!(lines, [(1, 40), (41, 80), (81, 90)]);
    }

    #[test]
    fn an_empty_file_has_no_units() {
        assert_eq!(cut_rust(""), []);
        assert_eq!(cut_rust("\n \n"), []);
    }

    #[test]
    fn every_word_belongs_to_exactly_one_unit() {
        for text in [
            include_str!("units.rs"),
            include_str!("search.rs"),
            "mod a { struct B; mod c { fn d() {} } } fn e() {} fn",
        ] {
            let mut owners = vec![0u8; text.len()];
            for span in cut_rust(text).iter().flat_map(|unit| &unit.spans) {
                owners[span.start as usize..span.end as usize].iter_mut().for_each(|owner| *owner += 1);
            }
            let wrong = text
                .bytes()
                .zip(&owners)
                .position(|(byte, owner)| !byte.is_ascii_whitespace() && *owner != 1);
            assert_eq!(wrong, None);
        }
    }
}
