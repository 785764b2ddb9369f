//! Types as they are written, and the signatures of items.

use ra_ap_syntax::AstNode;
use ra_ap_syntax::ast::{self, HasGenericArgs, HasGenericParams, HasTypeBounds};
use serde::{Deserialize, Serialize};

use super::ReferenceKind;
use super::extract::Extractor;

/// Types in types are read so far; nobody follows deeper ones.
const DEEPEST_TYPE: u32 = 32;

/// A type as written. References are left out: `&T` and `T` have the same methods and fields.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum TypeRef {
    /// `_`, or nothing that is followed here.
    #[default]
    Unknown,
    Path(Box<TypePath>),
    Tuple(Vec<TypeRef>),
    /// A slice or an array.
    Slice(Box<TypeRef>),
    /// `dyn A + B`, `impl A + B`.
    Bounds(Vec<TypePath>),
    /// `fn(A) -> B`.
    Function(Box<(Vec<TypeRef>, TypeRef)>),
}

/// `std::collections::HashMap<K, V>`, `Iterator<Item = T>`; of `<T as Trait>::Name` only `T::Name`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TypePath {
    pub path: Vec<String>,
    /// Of the last segment. Of `Fn(A, B) -> C` one tuple.
    pub arguments: Vec<TypeRef>,
    /// `Item = T`; of `Fn(A) -> C` its `Output`.
    pub bindings: Vec<(String, TypeRef)>,
}

/// What the text says of the types of an item.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Signature {
    /// Its place in the list of items.
    pub item: u32,
    pub generics: Vec<Generic>,
    /// Of a function, without `self`. Of a tuple struct or variant: its fields.
    pub parameters: Vec<TypeRef>,
    pub takes_self: bool,
    /// Of a function its result, of a field or constant its type, of a type alias its target, of an `impl` its type.
    pub result: TypeRef,
    /// Of an `impl` the trait, of a trait its supertraits, of an associated type its bounds.
    pub traits: Vec<TypePath>,
}

/// A type parameter.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Generic {
    pub name: String,
    pub bounds: Vec<TypePath>,
    pub default: TypeRef,
}

impl Extractor<'_> {
    /// Reads a type; what it names is recorded on the way.
    pub(super) fn type_ref(&mut self, ty: &ast::Type) -> TypeRef {
        if self.type_depth >= DEEPEST_TYPE {
            return TypeRef::Unknown;
        }
        self.type_depth += 1;
        let read = self.type_by_kind(ty);
        self.type_depth -= 1;
        read
    }

    fn type_by_kind(&mut self, ty: &ast::Type) -> TypeRef {
        match ty {
            ast::Type::PathType(it) => match it.path() {
                Some(path) => TypeRef::Path(Box::new(self.type_path(&path))),
                None => TypeRef::Unknown,
            },
            ast::Type::RefType(it) => self.optional_type(it.ty()),
            ast::Type::ParenType(it) => self.optional_type(it.ty()),
            ast::Type::ForType(it) => self.optional_type(it.ty()),
            ast::Type::SliceType(it) => TypeRef::Slice(Box::new(self.optional_type(it.ty()))),
            ast::Type::ArrayType(it) => {
                let element = self.optional_type(it.ty());
                if let Some(length) = it.const_arg().and_then(|length| length.expr()) {
                    self.expr(&length);
                }
                TypeRef::Slice(Box::new(element))
            }
            ast::Type::TupleType(it) => TypeRef::Tuple(it.fields().map(|ty| self.type_ref(&ty)).collect()),
            ast::Type::DynTraitType(it) => TypeRef::Bounds(self.bounds(it.type_bound_list())),
            ast::Type::ImplTraitType(it) => TypeRef::Bounds(self.bounds(it.type_bound_list())),
            ast::Type::FnPtrType(it) => {
                let parameters = it.param_list().map_or_else(Vec::new, |list| self.parameter_types(&list));
                let result = self.optional_type(it.ret_type().and_then(|result| result.ty()));
                TypeRef::Function(Box::new((parameters, result)))
            }
            ast::Type::PtrType(it) => {
                self.optional_type(it.ty());
                TypeRef::Unknown
            }
            ast::Type::MacroType(it) => {
                if let Some(call) = it.macro_call() {
                    self.macro_call(&call);
                }
                TypeRef::Unknown
            }
            ast::Type::InferType(_) | ast::Type::NeverType(_) | ast::Type::PatternType(_) => TypeRef::Unknown,
        }
    }

    pub(super) fn optional_type(&mut self, ty: Option<ast::Type>) -> TypeRef {
        ty.map_or(TypeRef::Unknown, |ty| self.type_ref(&ty))
    }

    pub(super) fn type_path(&mut self, path: &ast::Path) -> TypePath {
        let Some(written) = self.written(path) else { return TypePath::default() };
        let is_parameter = written.segments.len() == 1 && self.is_generic(&written.segments);
        if !is_parameter && written.segments != ["Self"] {
            self.push_reference(ReferenceKind::Type, written.segments.clone(), written.at, None);
        }
        TypePath { path: written.segments, arguments: written.arguments, bindings: written.bindings }
    }

    pub(super) fn bounds(&mut self, list: Option<ast::TypeBoundList>) -> Vec<TypePath> {
        let mut bounds = Vec::new();
        for ty in list.iter().flat_map(ast::TypeBoundList::bounds).filter_map(|bound| bound.ty()) {
            if let TypeRef::Path(path) = self.type_ref(&ty) {
                bounds.push(*path);
            }
        }
        bounds
    }

    fn parameter_types(&mut self, list: &ast::ParamList) -> Vec<TypeRef> {
        list.params().map(|parameter| self.optional_type(parameter.ty())).collect()
    }

    /// Reads the arguments of a path's segment into `arguments` and `bindings`.
    pub(super) fn segment_arguments(
        &mut self,
        segment: &ast::PathSegment,
        arguments: &mut Vec<TypeRef>,
        bindings: &mut Vec<(String, TypeRef)>,
    ) {
        if let Some(list) = segment.generic_arg_list() {
            self.generic_arguments(&list, arguments, bindings);
        }
        if let Some(list) = segment.parenthesized_arg_list() {
            let parameters = list.type_args().map(|argument| self.optional_type(argument.ty())).collect();
            arguments.push(TypeRef::Tuple(parameters));
            let output = self.optional_type(segment.ret_type().and_then(|result| result.ty()));
            bindings.push(("Output".to_owned(), output));
        }
    }

    pub(super) fn generic_arguments(
        &mut self,
        list: &ast::GenericArgList,
        arguments: &mut Vec<TypeRef>,
        bindings: &mut Vec<(String, TypeRef)>,
    ) {
        for argument in list.generic_args() {
            match argument {
                ast::GenericArg::TypeArg(it) => arguments.push(self.optional_type(it.ty())),
                ast::GenericArg::ConstArg(it) => {
                    it.expr().map(|expr| self.expr(&expr));
                    arguments.push(TypeRef::Unknown);
                }
                ast::GenericArg::AssocTypeArg(it) => {
                    let ty = self.optional_type(it.ty());
                    self.bounds(it.type_bound_list());
                    let name = it.name_ref().map(|name| self.text_of(name.syntax()).to_owned());
                    bindings.extend(name.map(|name| (name, ty)));
                }
                ast::GenericArg::LifetimeArg(_) => {}
            }
        }
    }

    /// Reads the type parameters of an item and makes their names known until `leave_generics`.
    pub(super) fn generics(&mut self, it: &impl HasGenericParams) -> Vec<Generic> {
        let parameters: Vec<ast::TypeOrConstParam> =
            it.generic_param_list().iter().flat_map(ast::GenericParamList::type_or_const_params).collect();
        for parameter in &parameters {
            if let Some(name) = parameter.name() {
                let name = self.ident(self.span(name.syntax().text_range()));
                self.generic_names.push(name);
            }
        }
        let mut generics: Vec<Generic> = parameters.iter().map(|parameter| self.generic(parameter)).collect();
        for predicate in it.where_clause().iter().flat_map(ast::WhereClause::predicates) {
            let ty = self.optional_type(predicate.ty());
            let bounds = self.bounds(predicate.type_bound_list());
            if let TypeRef::Path(path) = ty
                && let [name] = path.path.as_slice()
                && let Some(generic) = generics.iter_mut().find(|generic| generic.name == *name)
            {
                generic.bounds.extend(bounds);
            }
        }
        generics
    }

    fn generic(&mut self, parameter: &ast::TypeOrConstParam) -> Generic {
        let name = parameter.name().map_or("", |name| self.ident(self.span(name.syntax().text_range())));
        let (bounds, default) = match parameter {
            ast::TypeOrConstParam::Type(it) => {
                (self.bounds(it.type_bound_list()), self.optional_type(it.default_type()))
            }
            ast::TypeOrConstParam::Const(it) => {
                self.optional_type(it.ty());
                (Vec::new(), TypeRef::Unknown)
            }
        };
        Generic { name: name.to_owned(), bounds, default }
    }

    /// Whether a path begins with a type parameter in force.
    pub(super) fn is_generic(&self, path: &[String]) -> bool {
        path.first().is_some_and(|first| self.generic_names.iter().any(|name| name == first))
    }
}
