//! The one walk over a tree, and what it knows on its way: where it stands and what surrounds it.

use ra_ap_syntax::ast::{self, HasModuleItem};
use ra_ap_syntax::{AstNode, AstToken, SyntaxKind, SyntaxNode, TextRange, TextSize};
use rustc_hash::FxHashSet;

use super::fragments::Fragments;
use super::locals::Locals;
use super::{Body, FileSyntax, Parsed, ReferenceKind, attributes, fold, interface, order};
use crate::model::Span;

pub(super) struct Extractor<'t> {
    pub text: &'t str,
    /// The arguments of its macro calls.
    pub fragments: Fragments,
    pub line_starts: Vec<u32>,
    /// Where the tree's text begins in `text`; before its start, by wrapping, where something was put in front of that text.
    pub base: u32,
    pub out: FileSyntax,
    pub body: Body,
    /// The innermost item around, by its place in the list.
    pub scope: Option<u32>,
    pub in_test: bool,
    pub locals: Locals<'t>,
    /// The type parameters in force.
    pub generic_names: Vec<&'t str>,
    pub macro_depth: u32,
    pub type_depth: u32,
}

impl<'t> Extractor<'t> {
    pub fn new(text: &'t str, fragments: Fragments) -> Extractor<'t> {
        Extractor {
            text,
            fragments,
            line_starts: fold::line_starts(text),
            base: 0,
            out: FileSyntax::default(),
            body: Body::default(),
            scope: None,
            in_test: false,
            locals: Locals::default(),
            generic_names: Vec::new(),
            macro_depth: 0,
            type_depth: 0,
        }
    }

    pub fn file(mut self, file: &ast::SourceFile) -> Parsed {
        self.out.docs = self.inner_docs(file.syntax());
        self.in_test = self.attributes(file.syntax()).any(attributes::is_cfg_test);
        for item in file.items() {
            self.item(&item);
        }
        let mut parsed = Parsed { syntax: self.out, body: self.body };
        order::sort(&mut parsed);
        parsed.syntax.type_names = type_names(&parsed.body);
        parsed.syntax.interface = interface::of(&parsed.syntax);
        parsed
    }

    pub fn span(&self, range: TextRange) -> Span {
        span_at(self.base, range)
    }

    pub fn slice(&self, range: TextRange) -> &'t str {
        self.span(range).of(self.text)
    }

    /// A name without the `r#` of a raw identifier.
    pub fn ident(&self, span: Span) -> &'t str {
        let name = span.of(self.text);
        name.strip_prefix("r#").unwrap_or(name)
    }

    pub fn text_of(&self, node: &SyntaxNode) -> &'t str {
        self.slice(node.text_range())
    }

    /// What stands between the brackets of each attribute of a node.
    pub fn attributes(&self, node: &SyntaxNode) -> impl Iterator<Item = &'t str> + use<'t> {
        let (text, base) = (self.text, self.base);
        node.children().filter(|child| child.kind() == SyntaxKind::ATTR).map(move |attribute| {
            let range = attribute.text_range();
            let text = span_at(base, range).of(text);
            let inner = text.trim_start_matches(['#', '!', ' ', '[']);
            inner.strip_suffix(']').unwrap_or(inner)
        })
    }

    /// From the first to the last outer doc comment of an item.
    pub fn outer_docs(&self, node: &SyntaxNode) -> Option<Span> {
        self.docs(node, ast::CommentPlacement::Outer)
    }

    /// The first block of `//!` comments.
    fn inner_docs(&self, node: &SyntaxNode) -> Option<Span> {
        self.docs(node, ast::CommentPlacement::Inner)
    }

    fn docs(&self, node: &SyntaxNode, wanted: ast::CommentPlacement) -> Option<Span> {
        let mut docs: Option<Span> = None;
        for element in node.children_with_tokens() {
            let Some(token) = element.as_token() else {
                match element.kind() {
                    SyntaxKind::ATTR => continue,
                    _ => break,
                }
            };
            let Some(comment) = ast::Comment::cast(token.clone()) else { continue };
            if comment.kind().doc == Some(wanted) {
                let span = self.span(token.text_range());
                docs = Some(docs.map_or(span, |all| Span::new(all.start, span.end)));
            }
        }
        docs
    }

    /// Runs `inside` with the item at `place` as the one around.
    pub fn within(&mut self, place: u32, inside: impl FnOnce(&mut Self)) {
        let outer = (self.scope, self.in_test);
        let generics = self.generic_names.len();
        self.scope = Some(place);
        self.in_test = self.out.items.get(place as usize).is_some_and(|item| item.is_test);
        inside(self);
        (self.scope, self.in_test) = outer;
        self.generic_names.truncate(generics);
    }
}

fn type_names(body: &Body) -> Vec<String> {
    let types = body.references.iter().filter(|reference| reference.kind == ReferenceKind::Type);
    let mut seen: FxHashSet<&str> = FxHashSet::default();
    let names = types.flat_map(|reference| &reference.path);
    names.filter(|name| seen.insert(name)).cloned().collect()
}

fn span_at(base: u32, range: TextRange) -> Span {
    let at = |offset: TextSize| base.wrapping_add(u32::from(offset));
    Span::new(at(range.start()), at(range.end()))
}
