//! The arguments of all macro calls of a file, parsed as expressions at one go: a parse has a price of its own, and a file
//! has hundreds of such calls.

use ra_ap_syntax::AstNode;
use ra_ap_syntax::ast::{self, HasModuleItem};
use rustc_hash::FxHashMap;

use super::tree::tree;
use crate::model::Span;

/// The parser's own way to read an expression alone panics on some texts; as the value of a constant it never does.
const BEFORE: &str = "const _:()=";
const AFTER: &str = ";\n";

/// An expression in a text of its own.
#[derive(Clone)]
pub(super) struct Fragment {
    pub expr: ast::Expr,
    /// To be added, by wrapping, to its offsets there: what they are in the file.
    pub base: u32,
}

/// By where they begin in the file; `None` for what is no expression.
pub(super) type Fragments = FxHashMap<u32, Option<Fragment>>;

/// Parses parts of a text that are in brackets, brackets included.
pub(super) fn parse_all(text: &str, spans: &[Span]) -> Fragments {
    if spans.is_empty() {
        return Fragments::default();
    }
    let mut joined = String::new();
    let mut starts = Vec::with_capacity(spans.len());
    for span in spans {
        starts.push(joined.len() as u32);
        joined.push_str(BEFORE);
        joined.push_str(span.of(text));
        joined.push_str(AFTER);
    }
    let Some(tree) = tree(&joined) else { return Fragments::default() };
    let mut values: FxHashMap<u32, ast::Expr> = FxHashMap::default();
    for item in tree.file.items() {
        if let ast::Item::Const(constant) = &item
            && let Some(value) = constant.body()
        {
            values.insert(item.syntax().text_range().start().into(), value);
        }
    }
    for error in &tree.errors {
        // What is broken is told where it breaks, at its end at the latest.
        let broken = starts.partition_point(|start| start <= error);
        broken.checked_sub(1).and_then(|index| values.remove(starts.get(index)?));
    }
    let mut fragment = |start: &u32, span: &Span| {
        let base = span.start.wrapping_sub(start + BEFORE.len() as u32);
        values.remove(start).filter(|expr| fills(expr, *start, *span)).map(|expr| Fragment { expr, base })
    };
    starts.iter().zip(spans).map(|(start, span)| (span.start, fragment(start, span))).collect()
}

/// Whether an expression is all of its text.
fn fills(expr: &ast::Expr, start: u32, span: Span) -> bool {
    let range = expr.syntax().text_range();
    u32::from(range.start()) == start + BEFORE.len() as u32 && u32::from(range.len()) == span.len()
}

/// Parses one part of a text.
pub(super) fn parse_one(text: &str, span: Span) -> Option<Fragment> {
    parse_all(text, &[span]).remove(&span.start).flatten()
}
