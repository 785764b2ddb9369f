//! Patterns: which variables they bind, to which part of what they take apart, and what they name.

use ra_ap_syntax::AstNode;
use ra_ap_syntax::ast::{self, HasName};

use super::extract::Extractor;
use super::{PayloadField, ReferenceKind, Value, ValueId};

impl Extractor<'_> {
    pub(super) fn optional_pattern(&mut self, pattern: Option<ast::Pat>, value: Option<ValueId>) {
        if let Some(pattern) = pattern {
            self.pattern(&pattern, value);
        }
    }

    /// Binds the variables of a pattern to the parts of `value`.
    fn pattern(&mut self, pattern: &ast::Pat, value: Option<ValueId>) {
        match pattern {
            ast::Pat::IdentPat(it) => self.ident_pattern(it, value),
            ast::Pat::RefPat(it) => self.optional_pattern(it.pat(), value),
            ast::Pat::BoxPat(it) => self.optional_pattern(it.pat(), value),
            ast::Pat::ParenPat(it) => self.optional_pattern(it.pat(), value),
            ast::Pat::OrPat(it) => it.pats().for_each(|pattern| self.pattern(&pattern, value)),
            ast::Pat::TuplePat(it) => self.tuple_pattern(it.fields(), value),
            ast::Pat::TupleStructPat(it) => self.tuple_struct_pattern(it, value),
            ast::Pat::RecordPat(it) => self.record_pattern(it, value),
            ast::Pat::SlicePat(it) => {
                let element = value.map(|value| self.value(Value::Element(value)));
                it.pats().for_each(|pattern| self.slice_part(&pattern, value, element));
            }
            ast::Pat::PathPat(it) => {
                it.path().and_then(|path| self.path_reference(ReferenceKind::Value, &path));
            }
            ast::Pat::MacroPat(it) => {
                it.macro_call().and_then(|call| self.macro_call(&call));
            }
            ast::Pat::ConstBlockPat(it) => {
                it.block_expr().and_then(|block| self.block(&block));
            }
            ast::Pat::RangePat(it) => {
                let ends = it.syntax().children().filter_map(ast::Pat::cast);
                ends.for_each(|end| self.pattern(&end, None));
            }
            ast::Pat::DerefPat(_) | ast::Pat::LiteralPat(_) | ast::Pat::NotNull(_) | ast::Pat::RestPat(_) => {
            }
            ast::Pat::WildcardPat(_) => {}
        }
    }

    fn ident_pattern(&mut self, it: &ast::IdentPat, value: Option<ValueId>) {
        let Some(name) = it.name() else { return };
        let at = self.span(name.syntax().text_range());
        let name = self.ident(at);
        // A name in upper case alone is a constant or a variant: `None`.
        let is_plain = it.ref_token().is_none() && it.mut_token().is_none() && it.pat().is_none();
        if is_plain && name.starts_with(char::is_uppercase) {
            self.push_reference(ReferenceKind::Value, vec![name.to_owned()], at, None);
            return;
        }
        self.locals.bind(name, value);
        self.optional_pattern(it.pat(), value);
    }

    /// `[first, rest @ .., last]`: the rest is a slice again.
    fn slice_part(&mut self, pattern: &ast::Pat, whole: Option<ValueId>, element: Option<ValueId>) {
        let is_rest = |pattern: &ast::Pat| matches!(pattern, ast::Pat::RestPat(_));
        match pattern {
            ast::Pat::IdentPat(it) if it.pat().as_ref().is_some_and(is_rest) => self.pattern(pattern, whole),
            _ => self.pattern(pattern, element),
        }
    }

    fn tuple_pattern(&mut self, parts: impl Iterator<Item = ast::Pat>, value: Option<ValueId>) {
        let mut after_rest = false;
        for (index, part) in parts.enumerate() {
            after_rest |= matches!(part, ast::Pat::RestPat(_));
            // Behind `..` the place of a part is not known without its type.
            let base = value.filter(|_| !after_rest);
            let part_value = base.map(|base| self.value(Value::Part { base, index: index as u32 }));
            self.pattern(&part, part_value);
        }
    }

    fn tuple_struct_pattern(&mut self, it: &ast::TupleStructPat, value: Option<ValueId>) {
        let reference = it.path().and_then(|path| self.path_reference(ReferenceKind::Value, &path));
        let mut after_rest = false;
        for (index, part) in it.fields().enumerate() {
            after_rest |= matches!(part, ast::Pat::RestPat(_));
            let field = PayloadField::Index(index as u32);
            let base = value.zip(reference).filter(|_| !after_rest);
            let part_value =
                base.map(|(base, reference)| self.value(Value::Payload { base, reference, field }));
            self.pattern(&part, part_value);
        }
    }

    fn record_pattern(&mut self, it: &ast::RecordPat, value: Option<ValueId>) {
        let written = it.path().and_then(|path| self.written(&path));
        let owner = written.as_ref().map(|written| self.type_named(written));
        let reference = written.map(|written| self.written_reference(ReferenceKind::Type, written));
        for field in it.record_pat_field_list().iter().flat_map(ast::RecordPatFieldList::fields) {
            let Some(name) = field.field_name() else { continue };
            let at = self.span(name.syntax().text_range());
            let name = self.ident(at);
            let named = self.push_reference(ReferenceKind::Field, vec![name.to_owned()], at, owner);
            let base = value.zip(reference);
            let part = base.map(|(base, reference)| {
                self.value(Value::Payload { base, reference, field: PayloadField::Named(named) })
            });
            self.optional_pattern(field.pat(), part);
        }
    }
}
