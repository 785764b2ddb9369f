//! The types of values and what references mean, in one file: each is worked out once, when it is asked for.

use rustc_hash::FxHashMap;

use crate::model::{FileId, SymbolKind};
use crate::syntax::{Body, Literal, PayloadField, Receiver, Reference, Value, ValueId};

use super::call::CallSite;
use super::items::Item;
use super::known;
use super::lower::Site;
use super::method::{Search, World};
use super::names;
use super::ty::{Args, Subst, Ty};

/// Values are followed so far from one to the next. They come in the order of the text, so most are known when they are asked for.
const LONGEST_CHAIN: u32 = 64;

#[derive(Clone, Default)]
enum State<T> {
    #[default]
    Open,
    /// Asked for while it is worked out: a circle, of which nothing is known.
    Working,
    Done(T),
}

pub(super) struct Inference<'w, 'a> {
    pub world: World<'w, 'a>,
    pub file: FileId,
    pub body: &'a Body,
    values: Vec<State<Ty>>,
    references: Vec<State<Search>>,
    /// The value that the call at a reference gives.
    pub calls: FxHashMap<u32, ValueId>,
    chain: u32,
}

impl<'w, 'a> Inference<'w, 'a> {
    pub fn new(world: World<'w, 'a>, file: FileId, body: &'a Body) -> Inference<'w, 'a> {
        let values = vec![State::Open; body.values.len()];
        let references = vec![State::Open; body.references.len()];
        let calls = body.values.iter().enumerate().filter_map(|(place, value)| match value {
            Value::Call { reference, .. } | Value::Method { reference, .. } => {
                Some((*reference, ValueId(place as u32)))
            }
            _ => None,
        });
        Inference { world, file, body, values, references, calls: calls.collect(), chain: 0 }
    }

    /// What the reference at a place of the file's list means.
    pub fn reference(&mut self, place: u32) -> Search {
        match self.references.get(place as usize) {
            Some(State::Done(search)) => return search.clone(),
            Some(State::Open) if self.chain < LONGEST_CHAIN => {}
            _ => return Search::Unknown,
        }
        self.set_reference(place, State::Working);
        self.chain += 1;
        let search = match self.body.references.get(place as usize) {
            Some(reference) => match self.meaning(place, reference) {
                Search::Found(found) if found.items.len() > 1 => {
                    Search::Found(self.narrowed(found, place, reference))
                }
                search => search,
            },
            None => Search::Unknown,
        };
        self.chain -= 1;
        self.set_reference(place, State::Done(search.clone()));
        search
    }

    fn set_reference(&mut self, place: u32, state: State<Search>) {
        if let Some(slot) = self.references.get_mut(place as usize) {
            *slot = state;
        }
    }

    /// The type of a value; `site` is where it is used.
    pub fn value(&mut self, id: ValueId, site: Site) -> Ty {
        match self.values.get(id.0 as usize) {
            Some(State::Done(ty)) => return ty.clone(),
            Some(State::Open) if self.chain < LONGEST_CHAIN => {}
            _ => return Ty::Unknown,
        }
        self.set_value(id, State::Working);
        self.chain += 1;
        let ty = self.body.values.get(id.0 as usize).map_or(Ty::Unknown, |value| self.type_of(value, site));
        let ty = self.world.normal(&ty);
        self.chain -= 1;
        self.set_value(id, State::Done(ty.clone()));
        ty
    }

    fn set_value(&mut self, id: ValueId, state: State<Ty>) {
        if let Some(slot) = self.values.get_mut(id.0 as usize) {
            *slot = state;
        }
    }

    pub fn optional(&mut self, id: Option<ValueId>, site: Site) -> Ty {
        id.map_or(Ty::Unknown, |id| self.value(id, site))
    }

    pub fn site(&self, reference: &Reference) -> Site {
        let item = reference.scope.map(|scope| self.world.lookup.items.at(self.file, scope));
        Site { file: self.file, item }
    }

    pub fn receiver(&mut self, receiver: Receiver, site: Site) -> Ty {
        match receiver {
            Receiver::Unknown => Ty::Unknown,
            Receiver::SelfValue => self.world.lookup.self_type(site),
            Receiver::Typed(id) | Receiver::Field(id) | Receiver::CallOf(id) | Receiver::MethodOf(id) => {
                self.value(id, site)
            }
        }
    }

    /// The type arguments that are written at a reference, and whether they are those of its last name.
    pub fn type_arguments(&self, place: u32, site: Site) -> (bool, Args) {
        let all = &self.body.type_arguments;
        let index = all.binary_search_by_key(&place, |it| it.reference).ok();
        let Some(written) = index.and_then(|index| all.get(index)) else { return (true, Args::default()) };
        let lowered = written.arguments.iter().map(|ty| self.world.lookup.lower(site, ty));
        (written.of_last, Args::new(lowered))
    }

    fn type_of(&mut self, value: &Value, site: Site) -> Ty {
        match value {
            Value::Unknown => Ty::Unknown,
            Value::SelfValue => self.world.lookup.self_type(site),
            Value::Typed(ty) => self.world.lookup.lower(site, ty),
            Value::Path(reference) => self.path_type(*reference),
            Value::Call { .. } | Value::Method { .. } => {
                CallSite::of(value, site).map_or(Ty::Unknown, |call| self.call_type(call))
            }
            Value::CallValue(callee) => {
                let callee = self.value(*callee, site);
                self.called(&callee, site)
            }
            Value::Field(reference) => self.field_type(*reference, site),
            Value::Part { base, index } => {
                let base = self.value(*base, site);
                self.world.part(&base, *index as usize)
            }
            Value::Payload { base, reference, field } => self.payload(*base, *reference, *field, site),
            Value::Tuple(parts) => {
                Ty::Tuple(Args::new(parts.iter().map(|part| self.optional(*part, site)).collect::<Vec<_>>()))
            }
            Value::Array(element) => Ty::Slice(Args::one(self.optional(*element, site))),
            Value::Element(base) => {
                let base = self.value(*base, site);
                self.world.element(&base)
            }
            Value::Index(base) => {
                let base = self.value(*base, site);
                self.world.indexed(&base)
            }
            Value::Try(base) => known::tried(&self.value(*base, site)),
            Value::Await(base) => {
                let base = self.value(*base, site);
                self.world.awaited(&base)
            }
            Value::Closure(Some(result)) => Ty::Closure(*result),
            Value::Closure(None) => Ty::Unknown,
            Value::ClosureParameter { call, argument, parameter } => {
                self.closure_parameter(*call, *argument as usize, *parameter as usize, site)
            }
            Value::OneOf(branches) => {
                let mut types = branches.iter().map(|branch| self.value(*branch, site));
                types.find(|ty| !ty.is_unknown()).unwrap_or_default()
            }
            Value::Macro { reference, arguments } => self.macro_type(*reference, arguments, site),
            Value::Literal(literal) => literal_type(*literal),
        }
    }

    fn path_type(&mut self, reference: u32) -> Ty {
        match self.reference(reference) {
            Search::Found(found) => {
                found.only().map_or(Ty::Unknown, |item| self.item_type(item, &found.subst))
            }
            Search::Elsewhere(Ty::External(names::NONE, _)) => Ty::known(names::OPTION, [Ty::Unknown]),
            _ => Ty::Unknown,
        }
    }

    /// The type of an item that is named without a call.
    fn item_type(&self, item: Item, subst: &Subst) -> Ty {
        let signature = self.world.members.signature(item);
        let is_unit = signature.is_none_or(|signature| signature.parameters.is_empty());
        match self.world.lookup.items.kind(item) {
            Some(SymbolKind::Const | SymbolKind::Static) => {
                signature.map_or(Ty::Unknown, |signature| subst.apply(&signature.result))
            }
            Some(SymbolKind::Struct | SymbolKind::Variant) if is_unit => self.world.constructed(item, subst),
            Some(SymbolKind::Struct | SymbolKind::Variant | SymbolKind::Function | SymbolKind::Method) => {
                Ty::Function(item)
            }
            _ => Ty::Unknown,
        }
    }

    fn field_type(&mut self, place: u32, site: Site) -> Ty {
        let Some(reference) = self.body.references.get(place as usize) else { return Ty::Unknown };
        let ty = self.receiver(reference.receiver, site);
        let name = reference.path.last().and_then(|name| self.world.lookup.names.get(name));
        match name.and_then(|name| self.world.field(&ty, name)) {
            Some((_, ty)) => ty,
            None if ty == known::other() => ty,
            None => Ty::Unknown,
        }
    }

    /// What a pattern takes out of a value.
    fn payload(&mut self, base: ValueId, reference: u32, field: PayloadField, site: Site) -> Ty {
        let base = self.value(base, site);
        let search = self.reference(reference);
        let item = match &search {
            Search::Found(found) => found.only(),
            Search::Elsewhere(Ty::External(variant, _)) => {
                return known::payload(&self.world.pointee(&base), *variant);
            }
            _ => None,
        };
        let Some(item) = item else { return Ty::Unknown };
        let mut subst = Subst::default();
        if let Ty::Adt(owner, args) = self.world.pointee(&base) {
            subst.bind_all(owner, &args);
        }
        // `Self { .. }` and aliases name the type through another item.
        let item = match self.world.lookup.items.kind(item) {
            Some(SymbolKind::TypeAlias) => match self.world.members.signature(item).map(|it| &it.result) {
                Some(Ty::Adt(target, _)) => *target,
                _ => return Ty::Unknown,
            },
            _ => item,
        };
        let signature = match field {
            PayloadField::Index(index) => {
                let parameters = self.world.members.signature(item).map(|it| it.parameters.as_slice());
                return parameters
                    .and_then(|it| it.get(index as usize))
                    .map_or(Ty::Unknown, |ty| subst.apply(ty));
            }
            PayloadField::Named(named) => {
                let name = self.body.references.get(named as usize).and_then(|it| it.path.last());
                let name = name.and_then(|name| self.world.lookup.names.get(name));
                let field = name.and_then(|name| self.world.lookup.items.named(item, name).next());
                field.and_then(|field| self.world.members.signature(field))
            }
        };
        signature.map_or(Ty::Unknown, |signature| subst.apply(&signature.result))
    }

    fn macro_type(&mut self, reference: u32, arguments: &[Option<ValueId>], site: Site) -> Ty {
        if let Search::Found(_) = self.reference(reference) {
            return Ty::Unknown;
        }
        let name = self
            .body
            .references
            .get(reference as usize)
            .and_then(|it| it.path.last())
            .map_or("", String::as_str);
        let first = |this: &mut Self| this.optional(arguments.first().copied().flatten(), site);
        match name {
            "vec" => Ty::known(names::VEC, [first(self)]),
            "dbg" | "pin" | "identity" => first(self),
            "format" | "concat" | "stringify" | "env" | "include_str" | "indoc" | "formatdoc" => {
                Ty::External(names::STRING, Args::default())
            }
            "matches" | "assert" | "assert_eq" | "println" | "eprintln" | "print" | "write" | "writeln" => {
                known::other()
            }
            _ => Ty::Unknown,
        }
    }
}

fn literal_type(literal: Literal) -> Ty {
    let name = match literal {
        Literal::Text => names::STR,
        Literal::Bytes => return Ty::Slice(Args::one(Ty::External(names::BYTES, Args::default()))),
        Literal::Char => names::CHAR,
        Literal::Bool => names::BOOL,
        Literal::Number => names::NUMBER,
    };
    Ty::External(name, Args::default())
}
