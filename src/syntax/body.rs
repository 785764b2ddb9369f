//! Expressions: what they name, and where the text shows their types.

use ra_ap_syntax::ast::{self, HasArgList, HasGenericArgs, HasLoopBody};
use ra_ap_syntax::{AstNode, SyntaxKind, T};

use super::extract::Extractor;
use super::paths::Written;
use super::{Literal, Receiver, ReferenceKind, TypeArguments, TypePath, TypeRef, Value, ValueId};

impl<'t> Extractor<'t> {
    /// Reads an expression, and gives its value where the text shows one.
    pub(super) fn expr(&mut self, expr: &ast::Expr) -> Option<ValueId> {
        match expr {
            ast::Expr::PathExpr(it) => self.path_expr(&it.path()?),
            ast::Expr::CallExpr(it) => self.call(it),
            ast::Expr::MethodCallExpr(it) => self.method_call(it),
            ast::Expr::FieldExpr(it) => self.field(it),
            ast::Expr::MacroExpr(it) => self.macro_call(&it.macro_call()?),
            ast::Expr::BlockExpr(it) => self.block(it),
            ast::Expr::IfExpr(it) => self.if_expr(it),
            ast::Expr::MatchExpr(it) => self.match_expr(it),
            ast::Expr::ForExpr(it) => self.for_expr(it),
            ast::Expr::WhileExpr(it) => self.while_expr(it),
            ast::Expr::LoopExpr(it) => {
                it.loop_body().map(|body| self.block(&body));
                None
            }
            ast::Expr::LetExpr(it) => {
                let value = self.optional(it.expr());
                self.optional_pattern(it.pat(), value);
                None
            }
            ast::Expr::ClosureExpr(it) => self.closure(it, None),
            ast::Expr::RecordExpr(it) => self.record(it),
            ast::Expr::TryExpr(it) => self.wrap(it.expr(), Value::Try),
            ast::Expr::AwaitExpr(it) => self.wrap(it.expr(), Value::Await),
            ast::Expr::IndexExpr(it) => {
                let base = self.optional(it.base());
                self.optional(it.index());
                base.map(|base| self.value(Value::Index(base)))
            }
            ast::Expr::CastExpr(it) => {
                self.optional(it.expr());
                let ty = self.optional_type(it.ty());
                self.typed(ty)
            }
            ast::Expr::TupleExpr(it) => {
                let parts = it.fields().map(|part| self.expr(&part)).collect();
                Some(self.value(Value::Tuple(parts)))
            }
            ast::Expr::ArrayExpr(it) => self.array(it),
            ast::Expr::BinExpr(it) => self.binary(it),
            // References and pointers have the methods of what they point to.
            ast::Expr::RefExpr(it) => self.optional(it.expr()),
            ast::Expr::ParenExpr(it) => self.optional(it.expr()),
            ast::Expr::PrefixExpr(it) => self.optional(it.expr()),
            ast::Expr::Literal(it) => literal(it).map(|literal| self.value(Value::Literal(literal))),
            _ => {
                self.parts(expr);
                None
            }
        }
    }

    pub(super) fn optional(&mut self, expr: Option<ast::Expr>) -> Option<ValueId> {
        self.expr(&expr?)
    }

    /// Expressions whose own value does not matter.
    fn parts(&mut self, expr: &ast::Expr) {
        for part in expr.syntax().children().filter_map(ast::Expr::cast) {
            self.expr(&part);
        }
    }

    pub(super) fn value(&mut self, value: Value) -> ValueId {
        self.body.values.push(value);
        ValueId(self.body.values.len() as u32 - 1)
    }

    pub(super) fn fill(&mut self, place: ValueId, value: Value) {
        if let Some(slot) = self.body.values.get_mut(place.0 as usize) {
            *slot = value;
        }
    }

    pub(super) fn typed(&mut self, ty: TypeRef) -> Option<ValueId> {
        (ty != TypeRef::Unknown).then(|| self.value(Value::Typed(Box::new(ty))))
    }

    fn wrap(&mut self, inner: Option<ast::Expr>, wrapper: fn(ValueId) -> Value) -> Option<ValueId> {
        let inner = self.optional(inner)?;
        Some(self.value(wrapper(inner)))
    }

    fn path_expr(&mut self, path: &ast::Path) -> Option<ValueId> {
        if let Some(value) = self.local(path) {
            return value;
        }
        let place = self.path_reference(ReferenceKind::Value, path)?;
        Some(self.value(Value::Path(place)))
    }

    /// The value of a path that is a local variable or `self`.
    fn local(&mut self, path: &ast::Path) -> Option<Option<ValueId>> {
        let name = path.as_single_name_ref()?;
        let name = self.ident(self.span(name.syntax().text_range()));
        match name {
            "self" => Some(Some(self.value(Value::SelfValue))),
            _ => self.locals.get(name),
        }
    }

    fn call(&mut self, it: &ast::CallExpr) -> Option<ValueId> {
        let callee = it.expr()?;
        let place = self.value(Value::Unknown);
        let path = match &callee {
            ast::Expr::PathExpr(it) => it.path(),
            _ => None,
        };
        let local = path.as_ref().and_then(|path| self.local(path));
        match (path, local) {
            (Some(path), None) => {
                let reference = self.path_reference(ReferenceKind::Call, &path);
                let arguments = self.arguments(it.arg_list(), place);
                self.fill(place, Value::Call { reference: reference?, arguments });
            }
            (_, local) => {
                let callee = local.unwrap_or_else(|| self.expr(&callee));
                self.arguments(it.arg_list(), place);
                self.fill(place, Value::CallValue(callee?));
            }
        }
        Some(place)
    }

    fn method_call(&mut self, it: &ast::MethodCallExpr) -> Option<ValueId> {
        let receiver = self.optional(it.receiver());
        let place = self.value(Value::Unknown);
        let Some(name) = it.name_ref() else {
            self.arguments(it.arg_list(), place);
            return None;
        };
        let at = self.span(name.syntax().text_range());
        let path = vec![self.ident(at).to_owned()];
        let reference = self.push_reference(ReferenceKind::MethodCall, path, at, receiver);
        if let Some(list) = it.generic_arg_list() {
            let mut arguments = Vec::new();
            self.generic_arguments(&list, &mut arguments, &mut Vec::new());
            self.body.type_arguments.push(TypeArguments { reference, of_last: true, arguments });
        }
        let arguments = self.arguments(it.arg_list(), place);
        self.fill(place, Value::Method { reference, arguments });
        Some(place)
    }

    fn arguments(&mut self, list: Option<ast::ArgList>, call: ValueId) -> Box<[Option<ValueId>]> {
        let arguments = list.iter().flat_map(ast::ArgList::args).enumerate();
        let values = arguments.map(|(index, argument)| match argument {
            ast::Expr::ClosureExpr(it) => self.closure(&it, Some((call, index as u32))),
            argument => self.expr(&argument),
        });
        values.collect()
    }

    /// A closure; `argument_of` is the call that it is an argument of, and at which place.
    fn closure(&mut self, it: &ast::ClosureExpr, argument_of: Option<(ValueId, u32)>) -> Option<ValueId> {
        let mark = self.locals.enter();
        for (index, parameter) in it.param_list().iter().flat_map(ast::ParamList::params).enumerate() {
            let ty = self.optional_type(parameter.ty());
            let value = self.typed(ty).or_else(|| {
                let (call, argument) = argument_of?;
                Some(self.value(Value::ClosureParameter { call, argument, parameter: index as u32 }))
            });
            self.optional_pattern(parameter.pat(), value);
        }
        let result = self.optional_type(it.ret_type().and_then(|result| result.ty()));
        let body = self.optional(it.body());
        self.locals.leave(mark);
        let result = self.typed(result).or(body);
        Some(self.value(Value::Closure(result)))
    }

    fn field(&mut self, it: &ast::FieldExpr) -> Option<ValueId> {
        let base = self.optional(it.expr());
        let name = it.name_ref()?;
        let at = self.span(name.syntax().text_range());
        let text = self.ident(at);
        if let Ok(index) = text.parse() {
            return base.map(|base| self.value(Value::Part { base, index }));
        }
        let place = self.push_reference(ReferenceKind::Field, vec![text.to_owned()], at, base);
        Some(self.value(Value::Field(place)))
    }

    fn record(&mut self, it: &ast::RecordExpr) -> Option<ValueId> {
        let written = it.path().and_then(|path| self.written(&path));
        let value = written.as_ref().map(|written| self.type_named(written));
        if let Some(written) = written.filter(|written| written.segments != ["Self"]) {
            self.written_reference(ReferenceKind::Type, written);
        }
        let list = it.record_expr_field_list()?;
        for field in list.fields() {
            if let Some(name) = field.field_name() {
                let at = self.span(name.syntax().text_range());
                let name = vec![self.ident(at).to_owned()];
                self.push_reference(ReferenceKind::Field, name, at, value);
            }
            self.optional(field.expr());
        }
        self.optional(list.spread());
        value
    }

    /// A value of the type that a struct literal or a pattern names.
    pub(super) fn type_named(&mut self, written: &Written) -> ValueId {
        let Written { segments, arguments, .. } = written;
        let path = TypePath { path: segments.clone(), arguments: arguments.clone(), bindings: Vec::new() };
        self.value(Value::Typed(Box::new(TypeRef::Path(Box::new(path)))))
    }

    fn array(&mut self, it: &ast::ArrayExpr) -> Option<ValueId> {
        let elements = it.syntax().children().filter_map(ast::Expr::cast);
        let mut first = None;
        for element in elements {
            let value = self.expr(&element);
            first = first.or(value);
        }
        Some(self.value(Value::Array(first)))
    }

    fn binary(&mut self, it: &ast::BinExpr) -> Option<ValueId> {
        let left = self.optional(it.lhs());
        self.optional(it.rhs());
        match it.op_kind()? {
            ast::BinaryOp::LogicOp(_) | ast::BinaryOp::CmpOp(_) => {
                Some(self.value(Value::Literal(Literal::Bool)))
            }
            ast::BinaryOp::ArithOp(_) => left,
            ast::BinaryOp::Assignment { .. } => None,
        }
    }

    /// What a receiver's value says in one word.
    pub(super) fn receiver(&self, value: Option<ValueId>) -> Receiver {
        let Some(id) = value else { return Receiver::Unknown };
        let mut at = id;
        loop {
            at = match self.body.values.get(at.0 as usize) {
                None | Some(Value::Unknown) => return Receiver::Unknown,
                Some(Value::ClosureParameter { .. }) => return Receiver::CallOf(id),
                Some(Value::SelfValue) if at == id => return Receiver::SelfValue,
                Some(Value::SelfValue) => return Receiver::Typed(id),
                Some(Value::Field(_)) | Some(Value::Part { .. }) => return Receiver::Field(id),
                Some(Value::Call { .. }) => return Receiver::CallOf(id),
                Some(Value::Method { .. }) => return Receiver::MethodOf(id),
                Some(Value::Payload { base, .. } | Value::Element(base) | Value::Index(base)) => *base,
                Some(Value::Try(base) | Value::Await(base) | Value::CallValue(base)) => *base,
                Some(_) => return Receiver::Typed(id),
            };
        }
    }
}

fn literal(it: &ast::Literal) -> Option<Literal> {
    Some(match it.token().kind() {
        SyntaxKind::STRING => Literal::Text,
        SyntaxKind::BYTE_STRING | SyntaxKind::C_STRING => Literal::Bytes,
        SyntaxKind::CHAR => Literal::Char,
        T![true] | T![false] => Literal::Bool,
        SyntaxKind::INT_NUMBER | SyntaxKind::FLOAT_NUMBER | SyntaxKind::BYTE => Literal::Number,
        _ => return None,
    })
}
