//! Items: what is defined, where, how visible, with which docs and signature.

use ra_ap_syntax::AstNode;
use ra_ap_syntax::ast::{self, HasAttrs, HasModuleItem, HasName, HasTypeBounds};

use super::extract::Extractor;
use super::symbol::{Shape, main_type};
use super::{ModuleDecl, Signature, TypeRef, attributes};
use crate::model::{ImplHeader, SymbolKind};

impl Extractor<'_> {
    pub(super) fn item(&mut self, item: &ast::Item) {
        match item {
            ast::Item::Fn(it) => self.function(it, SymbolKind::Function),
            ast::Item::Struct(it) => self.structure(it),
            ast::Item::Enum(it) => self.enumeration(it),
            ast::Item::Union(it) => {
                let fields = it.record_field_list();
                let shape = Shape::new(SymbolKind::Union, it.name(), fields.as_ref().map(AstNode::syntax));
                let place = self.push(it, shape);
                self.within(place, |this| {
                    let generics = this.generics(it);
                    this.out.signatures.push(Signature { item: place, generics, ..Signature::default() });
                    fields.iter().for_each(|fields| this.record_fields(fields));
                });
            }
            ast::Item::Trait(it) => self.trait_item(it),
            ast::Item::Impl(it) => self.implementation(it),
            ast::Item::Module(it) => self.module(it),
            ast::Item::Const(it) => self.constant(it, SymbolKind::Const, it.name(), it.ty(), it.body()),
            ast::Item::Static(it) => self.constant(it, SymbolKind::Static, it.name(), it.ty(), it.body()),
            ast::Item::TypeAlias(it) => self.type_alias(it),
            ast::Item::MacroRules(it) => {
                let tokens = it.token_tree();
                self.macro_item(it, it.name(), tokens);
            }
            ast::Item::MacroDef(it) => {
                let tokens = it.body();
                self.macro_item(it, it.name(), tokens);
            }
            ast::Item::MacroCall(it) => self.macro_call_item(it),
            ast::Item::ExternBlock(it) => self.extern_block(it),
            ast::Item::Use(it) => self.use_item(it),
            ast::Item::ExternCrate(it) => self.extern_crate(it),
            ast::Item::AsmExpr(_) => {}
        }
    }

    fn function(&mut self, it: &ast::Fn, kind: SymbolKind) {
        let body = it.body();
        let place = self.push(it, Shape::new(kind, it.name(), body.as_ref().map(AstNode::syntax)));
        if let Some(list) = body.as_ref().and_then(ast::BlockExpr::stmt_list) {
            self.fold_body(list.syntax());
        }
        self.within(place, |this| this.with_own_locals(|this| this.function_parts(it, place)));
    }

    fn function_parts(&mut self, it: &ast::Fn, place: u32) {
        let generics = self.generics(it);
        let list = it.param_list();
        let takes_self = list.as_ref().is_some_and(|list| list.self_param().is_some());
        let receiver = list.as_ref().and_then(|list| list.self_param()).and_then(|receiver| receiver.ty());
        self.optional_type(receiver);
        let mut parameters = Vec::new();
        for parameter in list.iter().flat_map(ast::ParamList::params) {
            let ty = self.optional_type(parameter.ty());
            let value = self.typed(ty.clone());
            self.optional_pattern(parameter.pat(), value);
            parameters.push(ty);
        }
        let result = match it.ret_type() {
            Some(result) => self.optional_type(result.ty()),
            None => TypeRef::Tuple(Vec::new()),
        };
        let signature =
            Signature { item: place, generics, parameters, takes_self, result, traits: Vec::new() };
        self.out.signatures.push(signature);
        if let Some(body) = it.body() {
            self.block(&body);
        }
    }

    /// An item among the statements of a block.
    pub(super) fn nested_item(&mut self, item: &ast::Item) {
        match item {
            ast::Item::MacroCall(it) => {
                self.macro_call(it);
            }
            item => self.item(item),
        }
    }

    /// An item sees no local variable of the function around it.
    fn with_own_locals(&mut self, inside: impl FnOnce(&mut Self)) {
        let outer = std::mem::take(&mut self.locals);
        inside(self);
        self.locals = outer;
    }

    fn structure(&mut self, it: &ast::Struct) {
        let list = it.field_list();
        let body = match &list {
            Some(ast::FieldList::RecordFieldList(fields)) => Some(fields.syntax()),
            _ => None,
        };
        let place = self.push(it, Shape::new(SymbolKind::Struct, it.name(), body));
        self.within(place, |this| {
            let generics = this.generics(it);
            let parameters = this.fields(list);
            this.out.signatures.push(Signature { item: place, generics, parameters, ..Signature::default() });
        });
    }

    fn enumeration(&mut self, it: &ast::Enum) {
        let list = it.variant_list();
        let shape = Shape::new(SymbolKind::Enum, it.name(), list.as_ref().map(AstNode::syntax));
        let place = self.push(it, shape);
        self.within(place, |this| {
            let generics = this.generics(it);
            this.out.signatures.push(Signature { item: place, generics, ..Signature::default() });
            list.iter().flat_map(ast::VariantList::variants).for_each(|variant| this.variant(&variant));
        });
    }

    fn variant(&mut self, it: &ast::Variant) {
        let fields = it.field_list();
        let body = match &fields {
            Some(ast::FieldList::RecordFieldList(fields)) => Some(fields.syntax()),
            _ => None,
        };
        let place = self.push(it, Shape::new(SymbolKind::Variant, it.name(), body));
        self.within(place, |this| {
            let parameters = this.fields(fields);
            this.out.signatures.push(Signature { item: place, parameters, ..Signature::default() });
            if let Some(value) = it.const_arg().and_then(|value| value.expr()) {
                this.with_own_locals(|this| {
                    this.expr(&value);
                });
            }
        });
    }

    /// Reads fields; gives the types of those that have no names.
    fn fields(&mut self, list: Option<ast::FieldList>) -> Vec<TypeRef> {
        match list {
            Some(ast::FieldList::RecordFieldList(fields)) => {
                self.record_fields(&fields);
                Vec::new()
            }
            Some(ast::FieldList::TupleFieldList(fields)) => {
                fields.fields().map(|field| self.optional_type(field.ty())).collect()
            }
            None => Vec::new(),
        }
    }

    fn record_fields(&mut self, list: &ast::RecordFieldList) {
        for field in list.fields() {
            let place = self.push(&field, Shape::new(SymbolKind::Field, field.name(), None));
            self.within(place, |this| {
                let result = this.optional_type(field.ty());
                this.out.signatures.push(Signature { item: place, result, ..Signature::default() });
            });
        }
    }

    fn trait_item(&mut self, it: &ast::Trait) {
        let list = it.assoc_item_list();
        let shape = Shape::new(SymbolKind::Trait, it.name(), list.as_ref().map(AstNode::syntax));
        let place = self.push(it, shape);
        self.within(place, |this| {
            let generics = this.generics(it);
            let traits = this.bounds(it.type_bound_list());
            this.out.signatures.push(Signature { item: place, generics, traits, ..Signature::default() });
            this.associated(list);
        });
    }

    fn implementation(&mut self, it: &ast::Impl) {
        let list = it.assoc_item_list();
        let mut shape = Shape::new(SymbolKind::Impl, None, list.as_ref().map(AstNode::syntax));
        shape.name = it.self_ty().map(|ty| main_type(&ty).text_range());
        let header = ImplHeader {
            self_type: it.self_ty().map_or_else(String::new, |ty| self.written_path(&ty)),
            trait_path: it.trait_().map(|ty| self.written_path(&ty)),
        };
        let place = self.push(it, shape);
        if let Some(symbol) = self.out.items.get_mut(place as usize) {
            symbol.header = Some(header);
        }
        self.within(place, |this| {
            let generics = this.generics(it);
            let traits = match it.trait_().map(|ty| this.type_ref(&ty)) {
                Some(TypeRef::Path(path)) => vec![*path],
                _ => Vec::new(),
            };
            let result = this.optional_type(it.self_ty());
            this.out.signatures.push(Signature {
                item: place,
                generics,
                result,
                traits,
                ..Signature::default()
            });
            this.associated(list);
        });
    }

    fn associated(&mut self, list: Option<ast::AssocItemList>) {
        for item in list.iter().flat_map(ast::AssocItemList::assoc_items) {
            match item {
                ast::AssocItem::Fn(it) => self.function(&it, SymbolKind::Method),
                ast::AssocItem::Const(it) => {
                    self.constant(&it, SymbolKind::Const, it.name(), it.ty(), it.body());
                }
                ast::AssocItem::TypeAlias(it) => self.type_alias(&it),
                ast::AssocItem::MacroCall(it) => self.macro_call_item(&it),
            }
        }
    }

    fn module(&mut self, it: &ast::Module) {
        let list = it.item_list();
        let shape = Shape::new(SymbolKind::Module, it.name(), list.as_ref().map(AstNode::syntax));
        let place = self.push(it, shape);
        let path = self.attributes(it.syntax()).find_map(attributes::path).map(str::to_owned);
        let macro_use = self.attributes(it.syntax()).any(|text| attributes::is_named(text, "macro_use"));
        self.out.modules.push(ModuleDecl { item: place, path, inline: list.is_some(), macro_use });
        let Some(list) = list else { return };
        if self.attributes(it.syntax()).any(attributes::is_cfg_test) {
            self.fold_body(list.syntax());
        }
        self.within(place, |this| list.items().for_each(|item| this.item(&item)));
    }

    fn constant(
        &mut self,
        it: &impl HasAttrs,
        kind: SymbolKind,
        name: Option<ast::Name>,
        ty: Option<ast::Type>,
        value: Option<ast::Expr>,
    ) {
        let mut shape = Shape::new(kind, name, None);
        if value.as_ref().is_some_and(|value| self.text_of(value.syntax()).contains('\n')) {
            shape.signature_end = ty.as_ref().map(|ty| ty.syntax().text_range());
        }
        let place = self.push(it, shape);
        if let Some(value) = &value {
            self.fold_value(value.syntax());
        }
        self.within(place, |this| {
            let result = this.optional_type(ty);
            this.out.signatures.push(Signature { item: place, result, ..Signature::default() });
            this.with_own_locals(|this| {
                this.optional(value);
            });
        });
    }

    fn type_alias(&mut self, it: &ast::TypeAlias) {
        let place = self.push(it, Shape::new(SymbolKind::TypeAlias, it.name(), None));
        self.within(place, |this| {
            let generics = this.generics(it);
            let traits = this.bounds(it.type_bound_list());
            let result = this.optional_type(it.ty());
            this.out.signatures.push(Signature {
                item: place,
                generics,
                result,
                traits,
                ..Signature::default()
            });
        });
    }

    fn macro_item(&mut self, it: &impl HasAttrs, name: Option<ast::Name>, tokens: Option<ast::TokenTree>) {
        let place = self.push(it, Shape::new(SymbolKind::Macro, name, tokens.as_ref().map(AstNode::syntax)));
        if self.attributes(it.syntax()).any(|text| attributes::is_named(text, "macro_export")) {
            self.out.exported_macros.push(place);
        }
        if let Some(tokens) = tokens {
            self.fold_tokens(tokens.syntax());
        }
    }

    fn macro_call_item(&mut self, it: &ast::MacroCall) {
        let tokens = it.token_tree();
        let mut shape = Shape::new(SymbolKind::MacroCall, None, tokens.as_ref().map(AstNode::syntax));
        let name = it.path().and_then(|path| path.segment()).and_then(|segment| segment.name_ref());
        shape.name = name.map(|name| name.syntax().text_range());
        let place = self.push(it, shape);
        if let Some(tokens) = &tokens {
            self.fold_tokens(tokens.syntax());
        }
        self.within(place, |this| this.with_own_locals(|this| this.item_macro(it.path(), tokens)));
    }

    fn extern_block(&mut self, it: &ast::ExternBlock) {
        let list = it.extern_item_list();
        let shape = Shape::new(SymbolKind::ExternBlock, None, list.as_ref().map(AstNode::syntax));
        let place = self.push(it, shape);
        self.within(place, |this| {
            for item in list.iter().flat_map(ast::ExternItemList::extern_items) {
                match item {
                    ast::ExternItem::Fn(it) => this.function(&it, SymbolKind::Function),
                    ast::ExternItem::Static(it) => {
                        this.constant(&it, SymbolKind::Static, it.name(), it.ty(), it.body());
                    }
                    ast::ExternItem::TypeAlias(it) => this.type_alias(&it),
                    ast::ExternItem::MacroCall(it) => this.macro_call_item(&it),
                }
            }
        });
    }
}
