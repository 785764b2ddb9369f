//! Paths in expressions, patterns and types: what is named, and with which type arguments.

use ra_ap_syntax::AstNode;
use ra_ap_syntax::ast;

use super::extract::Extractor;
use super::{Reference, ReferenceKind, TypeArguments, TypePath, TypeRef, ValueId};
use crate::model::Span;

/// A path as it is written.
#[derive(Default)]
pub(super) struct Written {
    /// Without generic arguments. A first segment that is empty stands for a leading `::`.
    pub segments: Vec<String>,
    /// The last name.
    pub at: Span,
    /// Of the last segment that has any.
    pub arguments: Vec<TypeRef>,
    pub bindings: Vec<(String, TypeRef)>,
    /// Whether they are those of the last segment.
    pub last_has_arguments: bool,
}

impl Extractor<'_> {
    /// Reads a path. What its generic arguments and its qualifiers name is recorded; the path itself is not.
    pub(super) fn written(&mut self, path: &ast::Path) -> Option<Written> {
        let mut written = match path.qualifier() {
            Some(qualifier) => {
                let written = self.written(&qualifier)?;
                self.mention_type(&written);
                written
            }
            None => Written::default(),
        };
        let segment = path.segment()?;
        if let Some(anchor) = segment.type_anchor() {
            return self.anchor(&anchor);
        }
        let name = segment.name_ref()?;
        if written.segments.is_empty() && segment.coloncolon_token().is_some() {
            written.segments.push(String::new());
        }
        written.at = self.span(name.syntax().text_range());
        written.segments.push(self.ident(written.at).to_owned());
        let (mut arguments, mut bindings) = (Vec::new(), Vec::new());
        self.segment_arguments(&segment, &mut arguments, &mut bindings);
        written.last_has_arguments = !arguments.is_empty() || !bindings.is_empty();
        if written.last_has_arguments {
            (written.arguments, written.bindings) = (arguments, bindings);
        }
        Some(written)
    }

    /// `<T as Trait>` in front of a path: the path of `T`, or that of the trait where `T` has none to follow.
    fn anchor(&mut self, anchor: &ast::TypeAnchor) -> Option<Written> {
        let at = self.span(anchor.syntax().text_range());
        let mut types = anchor.syntax().children().filter_map(ast::Type::cast);
        let ty = types.next().map(|ty| self.type_ref(&ty));
        let of_trait = types.next().map(|of_trait| self.type_ref(&of_trait)).and_then(only_path);
        let of_type = ty.and_then(only_path);
        let followed = match (of_type, of_trait) {
            (Some(path), Some(of_trait)) if self.is_generic(&path.path) || path.path == ["Self"] => of_trait,
            (Some(path), _) | (None, Some(path)) => path,
            (None, None) => return None,
        };
        Some(Written { segments: followed.path, at, arguments: followed.arguments, ..Written::default() })
    }

    /// A type in front of the last name of a path is named by it too: `Router` in `Router::new`.
    fn mention_type(&mut self, written: &Written) {
        let Some(last) = written.segments.last() else { return };
        let is_type = last.chars().next().is_some_and(char::is_uppercase) && last != "Self";
        // What an anchor names is recorded already, and its span is no name.
        let is_name = written.at.of(self.text).trim_start_matches("r#") == last;
        if is_type && is_name && !(written.segments.len() == 1 && self.is_generic(&written.segments)) {
            self.push_reference(ReferenceKind::Type, written.segments.clone(), written.at, None);
        }
    }

    /// Records what a path names, with its type arguments; gives its place in the list of references.
    pub(super) fn path_reference(&mut self, kind: ReferenceKind, path: &ast::Path) -> Option<u32> {
        let written = self.written(path)?;
        Some(self.written_reference(kind, written))
    }

    pub(super) fn written_reference(&mut self, kind: ReferenceKind, written: Written) -> u32 {
        let place = self.push_reference(kind, written.segments, written.at, None);
        if !written.arguments.is_empty() {
            self.body.type_arguments.push(TypeArguments {
                reference: place,
                of_last: written.last_has_arguments,
                arguments: written.arguments,
            });
        }
        place
    }

    pub(super) fn push_reference(
        &mut self,
        kind: ReferenceKind,
        path: Vec<String>,
        at: Span,
        receiver: Option<ValueId>,
    ) -> u32 {
        let receiver = self.receiver(receiver);
        self.body.references.push(Reference { kind, path, at, scope: self.scope, receiver });
        self.body.references.len() as u32 - 1
    }
}

fn only_path(ty: TypeRef) -> Option<TypePath> {
    match ty {
        TypeRef::Path(path) => Some(*path),
        _ => None,
    }
}
