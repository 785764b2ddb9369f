//! Types that the arguments of a macro seem to declare: `id_type! { pub CommitId { hex() } }`, `bitflags! { pub struct A: u8 { .. } }`.
//!
//! Behind a `pub` or a keyword of items a name in camel case is taken for a type. What the macro makes of it is not known.

use ra_ap_syntax::{SyntaxElement, SyntaxKind, SyntaxNode, T};

use super::extract::Extractor;
use crate::model::{Span, Symbol, SymbolKind, Visibility};

/// What stands in front of a name so far.
#[derive(Default)]
struct Head {
    start: Option<u32>,
    docs: Option<Span>,
    public: bool,
    restricted: bool,
    kind: Option<SymbolKind>,
}

impl Extractor<'_> {
    /// Adds the types that the tokens of a macro call in an item's place seem to declare.
    pub(super) fn declared_types(&mut self, tokens: &SyntaxNode) {
        let mut head = Head::default();
        for element in tokens.children_with_tokens() {
            let span = self.span(element.text_range());
            match element.kind() {
                SyntaxKind::WHITESPACE => {}
                SyntaxKind::COMMENT => {
                    let is_doc = span.of(self.text).starts_with("///");
                    head.docs =
                        is_doc.then(|| Span::new(head.docs.map_or(span.start, |docs| docs.start), span.end));
                }
                SyntaxKind::IDENT if head.start.is_some() => {
                    self.declared_type(std::mem::take(&mut head), span, &element);
                }
                kind => head.meet(kind, span),
            }
        }
    }

    fn declared_type(&mut self, head: Head, name_span: Span, name: &SyntaxElement) {
        let text = self.ident(name_span);
        let is_camel = text.starts_with(char::is_uppercase) && text.contains(char::is_lowercase);
        let Some(start) = head.start.filter(|_| is_camel) else { return };
        let body = name.next_sibling_or_token().and_then(|next| match next.kind() {
            SyntaxKind::WHITESPACE => next.next_sibling_or_token(),
            _ => Some(next),
        });
        let body = body.filter(|body| body.kind() == SyntaxKind::TOKEN_TREE);
        let body =
            body.map(|body| self.span(body.text_range())).filter(|body| body.of(self.text).starts_with('{'));
        let visibility = match (head.public, head.restricted) {
            (true, true) => Visibility::Restricted,
            (true, false) => Visibility::Public,
            (false, _) => Visibility::Private,
        };
        self.out.items.push(Symbol {
            kind: head.kind.unwrap_or(SymbolKind::Struct),
            visibility,
            name: text.to_owned(),
            parent: self.scope,
            span: Span::new(head.docs.map_or(start, |docs| docs.start), body.unwrap_or(name_span).end),
            name_span,
            signature: Span::new(start, name_span.end),
            body,
            docs: head.docs,
            is_test: self.in_test,
            header: None,
        });
    }
}

impl Head {
    fn meet(&mut self, kind: SyntaxKind, span: Span) {
        let item = match kind {
            T![struct] => Some(SymbolKind::Struct),
            T![enum] => Some(SymbolKind::Enum),
            T![union] => Some(SymbolKind::Union),
            T![trait] => Some(SymbolKind::Trait),
            _ => None,
        };
        match kind {
            T![pub] => {
                *self = Head { start: Some(span.start), docs: self.docs, public: true, ..Head::default() }
            }
            SyntaxKind::TOKEN_TREE if self.public && self.kind.is_none() => self.restricted = true,
            _ if item.is_some() => {
                self.start = self.start.or(Some(span.start));
                self.kind = item;
            }
            // The brackets of an attribute stand between the docs and the name.
            T![#] | SyntaxKind::TOKEN_TREE if self.start.is_none() => {}
            _ => *self = Head::default(),
        }
    }
}
