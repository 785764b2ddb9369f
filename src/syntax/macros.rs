//! Calls of macros: their arguments are read as what they most often are, expressions or items.
//!
//! What a macro makes of its tokens is not known. Most take expressions between commas; where the tokens do not
//! parse so, the parts that do are read.

use ra_ap_syntax::ast::{self, HasModuleItem};
use ra_ap_syntax::{AstNode, SyntaxElement, SyntaxKind, SyntaxNode, T};

use super::extract::Extractor;
use super::fragments::{self, Fragment};
use super::nesting::DEEPEST_MACRO;
use super::parse::EDITION;
use super::tree::tree;
use super::{ReferenceKind, Value, ValueId};
use crate::model::Span;

/// Macros whose tokens are code of another place, or none.
const OPAQUE: [&str; 9] = [
    "quote",
    "quote_spanned",
    "parse_quote",
    "stringify",
    "asm",
    "global_asm",
    "cfg",
    "include_str",
    "include_bytes",
];

type Arguments = Vec<Option<ValueId>>;

impl Extractor<'_> {
    /// A macro call in an expression, a pattern or a type.
    pub(super) fn macro_call(&mut self, it: &ast::MacroCall) -> Option<ValueId> {
        let reference = self.path_reference(ReferenceKind::MacroCall, &it.path()?)?;
        let place = self.value(Value::Unknown);
        let mut arguments = Vec::new();
        if let Some(tokens) = it.token_tree()
            && !self.is_opaque(reference)
        {
            self.in_macro(|this| this.macro_expressions(tokens.syntax(), &mut arguments));
        }
        self.fill(place, Value::Macro { reference, arguments: arguments.into() });
        Some(place)
    }

    /// The tokens of a macro call where items stand: its items where it is made of them, else its expressions.
    pub(super) fn item_macro(&mut self, path: Option<ast::Path>, tokens: Option<ast::TokenTree>) {
        let reference = path.and_then(|path| self.path_reference(ReferenceKind::MacroCall, &path));
        let Some(tokens) = tokens else { return };
        if reference.is_some_and(|reference| self.is_opaque(reference)) {
            return;
        }
        self.in_macro(|this| {
            if !this.macro_items(tokens.syntax()) {
                let count = this.out.items.len();
                this.macro_expressions(tokens.syntax(), &mut Vec::new());
                // Items stay in the order of the text.
                if this.out.items.len() == count {
                    this.declared_types(tokens.syntax());
                }
            }
        });
    }

    fn is_opaque(&self, reference: u32) -> bool {
        let name = self.body.references.get(reference as usize).and_then(|reference| reference.path.last());
        name.is_some_and(|name| OPAQUE.contains(&name.as_str()))
    }

    fn in_macro(&mut self, inside: impl FnOnce(&mut Self)) {
        if self.macro_depth < DEEPEST_MACRO {
            self.macro_depth += 1;
            inside(self);
            self.macro_depth -= 1;
        }
    }

    /// Runs `inside` with spans counted from `at`.
    fn at_base(&mut self, at: u32, inside: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.base, at);
        inside(self);
        self.base = outer;
    }

    fn macro_items(&mut self, tokens: &SyntaxNode) -> bool {
        let all = self.span(tokens.text_range());
        let inner = Span::new(all.start + 1, all.end.saturating_sub(1));
        let items = tree(inner.of(self.text)).filter(|tree| tree.errors.is_empty()).map(|tree| tree.file);
        let Some(items) = items.filter(|items| items.items().next().is_some()) else { return false };
        self.at_base(inner.start, |this| items.items().for_each(|item| this.item(&item)));
        true
    }

    fn macro_expressions(&mut self, tokens: &SyntaxNode, arguments: &mut Arguments) {
        let all = self.span(tokens.text_range());
        let fragment = match self.fragments.remove(&all.start) {
            Some(fragment) => fragment,
            None => fragments::parse_one(self.text, all),
        };
        if let Some(Fragment { expr, base }) = fragment {
            return self.at_base(base, |this| this.macro_arguments(&expr, arguments));
        }
        for chunk in self.chunks(tokens) {
            self.chunk(chunk, arguments);
        }
    }

    /// The brackets of a macro's arguments are read as those of a tuple, an array or a block.
    fn macro_arguments(&mut self, expr: &ast::Expr, arguments: &mut Arguments) {
        match expr {
            ast::Expr::TupleExpr(it) => arguments.extend(it.fields().map(|part| self.macro_argument(&part))),
            ast::Expr::ArrayExpr(it) => {
                arguments
                    .extend(it.syntax().children().filter_map(ast::Expr::cast).map(|part| self.expr(&part)));
            }
            ast::Expr::ParenExpr(it) => arguments.extend(it.expr().map(|part| self.macro_argument(&part))),
            _ => arguments.push(self.expr(expr)),
        }
    }

    /// `name = value` gives the value a name inside the macro; it assigns nothing.
    fn macro_argument(&mut self, expr: &ast::Expr) -> Option<ValueId> {
        match expr {
            ast::Expr::BinExpr(it) if it.op_kind() == Some(ast::BinaryOp::Assignment { op: None }) => {
                self.optional(it.rhs())
            }
            expr => self.expr(expr),
        }
    }

    fn chunk(&mut self, chunk: Chunk, arguments: &mut Arguments) {
        if !chunk.has_words {
            return arguments.push(None);
        }
        let mut parts = chunk.starts.iter().map(|start| Span::new(*start, chunk.end));
        match parts.find_map(|part| fragments::parse_one(self.text, part)) {
            Some(Fragment { expr, base }) => self.at_base(base, |this| arguments.push(this.expr(&expr))),
            None => {
                arguments.push(None);
                for tokens in &chunk.trees {
                    self.in_macro(|this| this.macro_expressions(tokens, &mut Vec::new()));
                }
            }
        }
    }

    /// The parts of a token tree between `,`, `;` and `=>`.
    fn chunks(&self, tokens: &SyntaxNode) -> Vec<Chunk> {
        let mut chunks = Vec::new();
        let mut chunk = Chunk::default();
        let mut previous = T![,];
        let elements: Vec<SyntaxElement> = tokens.children_with_tokens().collect();
        let inner = elements.get(1..elements.len().saturating_sub(1)).unwrap_or_default();
        for (index, element) in inner.iter().enumerate() {
            let kind = element.kind();
            if matches!(kind, SyntaxKind::WHITESPACE | SyntaxKind::COMMENT) {
                continue;
            }
            let span = self.span(element.text_range());
            let next = inner.get(index + 1).map(SyntaxElement::kind);
            let is_arrow = kind == T![=] && next == Some(T![>]);
            // A guard: `matches!(x, Some(y) if y)`.
            let is_guard =
                kind == T![if] && matches!(previous, SyntaxKind::IDENT | SyntaxKind::TOKEN_TREE | T![_]);
            let is_separator = matches!(kind, T![,] | T![;]) || (kind == T![>] && previous == T![=]);
            if is_separator || is_arrow || is_guard {
                chunks.extend(std::mem::take(&mut chunk).finished());
            } else {
                chunk.push(element, span, previous, next);
            }
            previous = kind;
        }
        chunks.extend(chunk.finished());
        chunks
    }
}

/// A part of a macro's arguments that may be an expression.
#[derive(Default)]
struct Chunk {
    /// Where it may begin: at its first token, behind a `name =`, a `key:` or a sigil.
    starts: Vec<u32>,
    end: u32,
    /// The brackets in it.
    trees: Vec<SyntaxNode>,
    behind_sign: bool,
    /// Something in it may be a name.
    has_words: bool,
}

impl Chunk {
    fn push(&mut self, element: &SyntaxElement, span: Span, previous: SyntaxKind, next: Option<SyntaxKind>) {
        let kind = element.kind();
        if self.starts.is_empty() || self.behind_sign {
            self.starts.push(span.start);
        }
        let is_colon = kind == T![:] && previous != T![:] && next != Some(T![:]);
        let is_sigil = matches!(kind, T![?] | T![%] | T![@]) && (self.end == 0 || self.behind_sign);
        self.behind_sign = is_colon || is_sigil || (kind == T![=] && next != Some(T![=]));
        self.end = span.end;
        self.has_words |=
            kind == SyntaxKind::TOKEN_TREE || kind == SyntaxKind::IDENT || kind.is_keyword(EDITION);
        self.trees.extend(element.as_node().cloned());
    }

    fn finished(self) -> Option<Chunk> {
        (!self.starts.is_empty()).then_some(self)
    }
}
