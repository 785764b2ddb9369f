//! Which lines a skeleton leaves out.
//!
//! A gap takes whole lines and whole children of one pair of brackets, so that what stays is a shorter body,
//! list or token tree: never half of anything. A child that shares a line with a bracket stays, and so does
//! the next one that shares a line with it.

use std::iter::successors;

use ra_ap_syntax::{SyntaxElement, SyntaxKind, SyntaxNode, T};

use super::extract::Extractor;
use crate::model::{LineRange, Span};

/// A gap of one line would only be replaced by a comment of one line.
const SHORTEST_GAP: usize = 2;

/// A constant, a macro or a macro call of so many lines still goes in whole: it is read like a signature.
const LONGEST_VALUE: usize = 10;

/// What between the brackets may be left out together.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Content {
    /// Any run of children: statements, items, arms, tokens.
    Sequence,
    /// Children between commas, so that no two commas may come to stand together.
    List,
}

impl Extractor<'_> {
    /// The body of a function or of a test module.
    pub(super) fn fold_body(&mut self, body: &SyntaxNode) {
        self.fold_between(body, Content::Sequence, SHORTEST_GAP);
    }

    /// The token tree of a macro, where it is long.
    pub(super) fn fold_tokens(&mut self, tokens: &SyntaxNode) {
        self.fold_between(tokens, Content::Sequence, LONGEST_VALUE);
    }

    /// The value of a constant: the outermost brackets or text in it that are long.
    pub(super) fn fold_value(&mut self, value: &SyntaxNode) {
        let content = match value.kind() {
            SyntaxKind::STMT_LIST | SyntaxKind::MATCH_ARM_LIST | SyntaxKind::TOKEN_TREE => {
                Some(Content::Sequence)
            }
            SyntaxKind::ARRAY_EXPR | SyntaxKind::RECORD_EXPR_FIELD_LIST => Some(Content::List),
            SyntaxKind::LITERAL => return self.fold_literal(value),
            _ => None,
        };
        if content.is_some_and(|content| self.fold_between(value, content, LONGEST_VALUE)) {
            return;
        }
        for child in value.children() {
            self.fold_value(&child);
        }
    }

    /// The inner lines of a long text.
    fn fold_literal(&mut self, literal: &SyntaxNode) {
        // Only a text may hold the comment's `…`; a byte string may not.
        if literal.first_token().is_some_and(|token| token.kind() == SyntaxKind::STRING) {
            let span = self.span(literal.text_range());
            self.push_fold(self.line_after(span.start), self.line_start(span.end), LONGEST_VALUE);
        }
    }

    fn fold_between(&mut self, node: &SyntaxNode, content: Content, shortest: usize) -> bool {
        let Some(brackets) = Brackets::of(node) else { return false };
        let mut start = self.line_after(self.span(brackets.open.text_range()).end);
        let mut end = self.line_start(self.span(brackets.close.text_range()).start);
        let mut first = brackets.open.next_sibling_or_token();
        while let Some(element) = &first {
            let span = self.span(element.text_range());
            if element.kind() != SyntaxKind::WHITESPACE {
                if span.start >= start {
                    break;
                }
                start = start.max(self.line_after(span.end));
            }
            first = element.next_sibling_or_token();
        }
        let mut last = brackets.close.prev_sibling_or_token();
        while let Some(element) = &last {
            let span = self.span(element.text_range());
            if element.kind() != SyntaxKind::WHITESPACE {
                if span.end <= end {
                    break;
                }
                end = end.min(self.line_start(span.start));
            }
            last = element.prev_sibling_or_token();
        }
        if start >= end || (content == Content::List && !brackets.list_stays_valid(first, last)) {
            return false;
        }
        self.push_fold(start, end, shortest)
    }

    fn push_fold(&mut self, start: u32, end: u32, shortest: usize) -> bool {
        let covered = self.out.folds.last().is_some_and(|fold| start < fold.end);
        let lines = self.text.get(start as usize..end as usize).map_or(0, |text| text.lines().count());
        if covered || lines < shortest {
            return false;
        }
        self.out.folds.push(Span::new(start, end));
        true
    }

    /// Where the line after the one of `offset` begins.
    fn line_after(&self, offset: u32) -> u32 {
        let next = self.line_starts.partition_point(|start| *start <= offset);
        self.line_starts.get(next).copied().unwrap_or(self.text.len() as u32)
    }

    /// Where the line of `offset` begins.
    fn line_start(&self, offset: u32) -> u32 {
        let next = self.line_starts.partition_point(|start| *start <= offset);
        next.checked_sub(1).and_then(|line| self.line_starts.get(line)).copied().unwrap_or(0)
    }
}

/// Where each line begins, in bytes.
pub(super) fn line_starts(text: &str) -> Vec<u32> {
    let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
    std::iter::once(0).chain(breaks.map(|(at, _)| at as u32 + 1)).collect()
}

struct Brackets {
    open: SyntaxElement,
    close: SyntaxElement,
}

impl Brackets {
    /// The brackets of a node that has both.
    fn of(node: &SyntaxNode) -> Option<Brackets> {
        let open =
            node.children_with_tokens().find(|child| matches!(child.kind(), T!['{'] | T!['('] | T!['[']))?;
        let close = node.last_child_or_token()?;
        let partner = match open.kind() {
            T!['{'] => T!['}'],
            T!['('] => T![')'],
            _ => T![']'],
        };
        (close.kind() == partner).then_some(Brackets { open, close })
    }

    /// Whether the list stays one without all from `first` to `last`.
    fn list_stays_valid(&self, first: Option<SyntaxElement>, last: Option<SyntaxElement>) -> bool {
        let forward = |from| successors(from, SyntaxElement::next_sibling_or_token);
        let backward = |from| successors(from, SyntaxElement::prev_sibling_or_token);
        if forward(self.open.next_sibling_or_token()).any(|element| element.kind() == T![;]) {
            return false;
        }
        let next = last.as_ref().and_then(SyntaxElement::next_sibling_or_token);
        let (first, last) = (forward(first).find(is_code), backward(last).find(is_code));
        let (Some(first), Some(last)) = (first, last) else { return true };
        let to_the_end = forward(next).find(is_code).is_some_and(|element| element == self.close);
        to_the_end || (first.kind() != T![,] && last.kind() == T![,])
    }
}

fn is_code(element: &SyntaxElement) -> bool {
    !matches!(element.kind(), SyntaxKind::WHITESPACE | SyntaxKind::COMMENT)
}

/// The lines outside all folds.
pub(super) fn kept_lines(text: &str, folds: &[Span]) -> Vec<LineRange> {
    let mut kept = Vec::new();
    let mut line = 1;
    let mut at = 0;
    for fold in folds {
        let count = lines_in(text, at, fold.start);
        if count > 0 {
            kept.push(LineRange::new(line, line + count - 1));
        }
        line += count + lines_in(text, fold.start, fold.end);
        at = fold.end;
    }
    let count = lines_in(text, at, text.len() as u32);
    if count > 0 {
        kept.push(LineRange::new(line, line + count - 1));
    }
    kept
}

fn lines_in(text: &str, start: u32, end: u32) -> u32 {
    text.get(start as usize..end as usize).map_or(0, |part| part.lines().count() as u32)
}
