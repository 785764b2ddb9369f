//! What all items have: name, visibility, spans, signature, docs.

use ra_ap_syntax::ast::{self, HasAttrs};
use ra_ap_syntax::{AstNode, SyntaxElement, SyntaxKind, SyntaxNode, TextRange};

use super::attributes;
use super::extract::Extractor;
use crate::model::{Span, Symbol, SymbolKind, Visibility};

/// What a kind of item adds to what all have.
pub(super) struct Shape {
    pub kind: SymbolKind,
    pub name: Option<TextRange>,
    /// The node in braces.
    pub body: Option<SyntaxNode>,
    /// Where the signature ends, where that is before the body or the end.
    pub signature_end: Option<TextRange>,
}

impl Shape {
    pub fn new(kind: SymbolKind, name: Option<ast::Name>, body: Option<&SyntaxNode>) -> Shape {
        let name = name.map(|name| name.syntax().text_range());
        Shape { kind, name, body: body.cloned(), signature_end: None }
    }
}

impl Extractor<'_> {
    /// Adds an item, and gives its place in the list.
    pub(super) fn push(&mut self, it: &impl HasAttrs, shape: Shape) -> u32 {
        let node = it.syntax();
        let span = self.span(node.text_range());
        let place = self.out.items.len() as u32;
        let name_span = shape.name.map_or(Span::new(span.start, span.start), |name| self.span(name));
        let body = shape.body.map(|body| self.span(body.text_range()));
        let is_test = self.in_test
            || self.attributes(node).any(|text| attributes::is_test(text) || attributes::is_cfg_test(text));
        let symbol = Symbol {
            kind: shape.kind,
            visibility: self.visibility(node),
            name: self.ident(name_span).to_owned(),
            parent: self.scope,
            span,
            name_span,
            signature: self.signature(node, body, shape.signature_end),
            body,
            docs: self.outer_docs(node),
            is_test,
            header: None,
        };
        self.out.items.push(symbol);
        place
    }

    fn signature(&self, node: &SyntaxNode, body: Option<Span>, end: Option<TextRange>) -> Span {
        let all = self.span(node.text_range());
        let first = node.children_with_tokens().find(|child| !is_decoration(child));
        let start = first.map_or(all.start, |first| self.span(first.text_range()).start);
        let end = body.map(|body| body.start).or(end.map(|end| self.span(end).end)).unwrap_or(all.end);
        let text = Span::new(start, end).of(self.text);
        Span::new(start, start + text.trim_end().len() as u32)
    }

    fn visibility(&self, node: &SyntaxNode) -> Visibility {
        match node.children().find_map(ast::Visibility::cast) {
            None => Visibility::Private,
            Some(visibility) if visibility.visibility_inner().is_some() => Visibility::Restricted,
            Some(_) => Visibility::Public,
        }
    }

    /// The path of a type without generic arguments, or its text where it is no path.
    pub(super) fn written_path(&self, ty: &ast::Type) -> String {
        let main = main_type(ty);
        let mut segments = Vec::new();
        match main.kind() {
            SyntaxKind::NAME_REF => {
                let path = main.parent().and_then(|segment| segment.parent()).and_then(ast::Path::cast);
                path.iter().for_each(|path| self.push_segments(path, &mut segments));
                segments.join("::")
            }
            _ => self.text_of(&main).to_owned(),
        }
    }
}

/// Docs, attributes and what stands between them.
fn is_decoration(element: &SyntaxElement) -> bool {
    matches!(element.kind(), SyntaxKind::ATTR | SyntaxKind::COMMENT | SyntaxKind::WHITESPACE)
}

/// The node that names a type: the last name of its path, of what a reference, slice or `dyn` is about, or the type itself.
pub(super) fn main_type(ty: &ast::Type) -> SyntaxNode {
    let inner = match ty {
        ast::Type::PathType(it) => {
            let name = it.path().and_then(|path| path.segment()).and_then(|segment| segment.name_ref());
            return name.map_or_else(|| ty.syntax().clone(), |name| name.syntax().clone());
        }
        ast::Type::RefType(it) => it.ty(),
        ast::Type::PtrType(it) => it.ty(),
        ast::Type::ParenType(it) => it.ty(),
        ast::Type::SliceType(it) => it.ty(),
        ast::Type::ArrayType(it) => it.ty(),
        ast::Type::ForType(it) => it.ty(),
        ast::Type::DynTraitType(it) => first_bound(it.type_bound_list()),
        ast::Type::ImplTraitType(it) => first_bound(it.type_bound_list()),
        _ => None,
    };
    inner.map_or_else(|| ty.syntax().clone(), |inner| main_type(&inner))
}

fn first_bound(bounds: Option<ast::TypeBoundList>) -> Option<ast::Type> {
    bounds?.bounds().find_map(|bound| bound.ty())
}
