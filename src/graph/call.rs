//! What calls give back, and what they hand to the closures among their arguments.

use crate::model::SymbolKind;
use crate::syntax::{Value, ValueId};

use super::infer::Inference;
use super::items::Item;
use super::known;
use super::library::{binding, is_function_trait, is_iterator_trait};
use super::lower::{Lowered, Site};
use super::method::{Found, Search};
use super::names;
use super::ty::{Args, Bound, Subst, Ty};

/// Waits for a future without `.await`.
const BLOCK_ON: &str = "block_on";

/// One call: where it is, and what it hands in.
#[derive(Clone, Copy)]
pub(super) struct CallSite<'c> {
    pub reference: u32,
    pub values: &'c [Option<ValueId>],
    pub site: Site,
    /// Whether a path is called, and a method's `self` handed in like the rest.
    pub by_path: bool,
}

impl<'c> CallSite<'c> {
    pub fn of(value: &'c Value, site: Site) -> Option<CallSite<'c>> {
        let (reference, values, by_path) = match value {
            Value::Call { reference, arguments } => (*reference, arguments, true),
            Value::Method { reference, arguments } => (*reference, arguments, false),
            _ => return None,
        };
        Some(CallSite { reference, values, site, by_path })
    }

    /// How many arguments come before those of a signature's parameters.
    pub fn offset(self, signature: &Lowered) -> usize {
        usize::from(self.by_path && signature.takes_self)
    }

    fn value(self, place: usize) -> Option<ValueId> {
        self.values.get(place).copied().flatten()
    }
}

/// The arguments of a call, for who wants to know the types of some.
struct Arguments<'i, 'w, 'a, 'c> {
    inference: &'i mut Inference<'w, 'a>,
    call: CallSite<'c>,
}

impl known::Call for Arguments<'_, '_, '_, '_> {
    fn argument(&mut self, place: usize) -> Ty {
        let ty = self.inference.optional(self.call.value(place), self.call.site);
        if matches!(ty, Ty::Closure(_) | Ty::Function(_)) { Ty::Unknown } else { ty }
    }

    fn closure_result(&mut self, place: usize) -> Ty {
        let ty = self.inference.optional(self.call.value(place), self.call.site);
        self.inference.called(&ty, self.call.site)
    }

    fn type_argument(&mut self) -> Ty {
        self.inference.type_arguments(self.call.reference, self.call.site).1.at(0)
    }
}

impl<'w, 'a> Inference<'w, 'a> {
    /// What a call gives back.
    pub fn call_type(&mut self, call: CallSite<'_>) -> Ty {
        let search = self.reference(call.reference);
        if let Search::Found(found) = search {
            return self.found_type(&found, call);
        }
        let Some(written) = self.body.references.get(call.reference as usize) else { return Ty::Unknown };
        let name = written.path.last().map_or("", String::as_str);
        if !call.by_path && name == BLOCK_ON {
            let ty = self.receiver(written.receiver, call.site);
            return self.world.awaited(&ty);
        }
        match search {
            Search::Elsewhere(ty) if call.by_path => self.function_elsewhere(ty, name, call),
            Search::Elsewhere(ty) => self.method_elsewhere(&ty, name, call),
            _ => Ty::Unknown,
        }
    }

    fn function_elsewhere(&mut self, owner: Ty, name: &str, call: CallSite<'_>) -> Ty {
        match owner {
            Ty::External(owner, args) => {
                elsewhere_call(owner, &args, name, &mut Arguments { inference: self, call })
            }
            // A derived function of a workspace's type, or one that a macro made.
            Ty::Adt(..) => match name {
                "default" | "from" | "clone" | "new" => owner,
                "parse" | "parse_from" | "try_from" | "from_str" | "try_parse" => {
                    Ty::known(names::RESULT, [owner])
                }
                name if name.starts_with("from_") => owner,
                _ => Ty::Unknown,
            },
            _ => Ty::Unknown,
        }
    }

    fn method_elsewhere(&mut self, receiver: &Ty, name: &str, call: CallSite<'_>) -> Ty {
        if let Some(ty) = universal(receiver, name) {
            return ty;
        }
        let library = self.world.library(receiver);
        known::result(&library, name, &mut Arguments { inference: self, call }).unwrap_or_default()
    }

    /// What calling a value of this type gives.
    pub fn called(&mut self, ty: &Ty, site: Site) -> Ty {
        match ty {
            Ty::Closure(result) => self.value(*result, site),
            Ty::Function(item) => match self.world.lookup.items.kind(*item) {
                Some(SymbolKind::Struct | SymbolKind::Variant) => {
                    self.world.constructed(*item, &Subst::default())
                }
                _ => self.world.members.signature(*item).map_or(Ty::Unknown, |it| it.result.clone()),
            },
            Ty::Pointer(args) => args.at(0),
            Ty::Bounds(bounds) => {
                let output = bounds.iter().find_map(|bound| binding(bound, names::OUTPUT));
                output.cloned().unwrap_or_default()
            }
            _ => Ty::Unknown,
        }
    }

    /// What calling something of the workspace gives.
    fn found_type(&mut self, found: &Found, call: CallSite<'_>) -> Ty {
        let Some(item) = found.only() else { return Ty::Unknown };
        let Some(signature) = self.world.members.signature(item) else { return Ty::Unknown };
        match self.world.lookup.items.kind(item) {
            Some(SymbolKind::Function | SymbolKind::Method) => {
                self.call_subst(found, item, call, None).apply(&signature.result)
            }
            Some(SymbolKind::Struct | SymbolKind::Variant) => {
                let mut subst = found.subst.clone();
                if self.world.has_generics(item) {
                    for (parameter, value) in signature.parameters.iter().zip(call.values) {
                        subst.unify(parameter, &self.optional(*value, call.site));
                    }
                }
                self.world.constructed(item, &subst)
            }
            Some(SymbolKind::Const | SymbolKind::Static) => {
                let ty = found.subst.apply(&signature.result);
                self.called(&ty, call.site)
            }
            _ => Ty::Unknown,
        }
    }

    /// What the parameters of a function are at a call: from what was found, written, and handed in. `but`: the argument that asks.
    fn call_subst(&mut self, found: &Found, item: Item, call: CallSite<'_>, but: Option<usize>) -> Subst {
        let mut subst = found.subst.clone();
        let Some(signature) = self.world.members.signature(item) else { return subst };
        let (of_last, written) = self.type_arguments(call.reference, call.site);
        if of_last {
            subst.bind_all(item, &written);
        }
        let self_is_open = subst.of_self.as_ref().is_none_or(|ty| matches!(ty, Ty::Bounds(_)));
        if call.by_path && signature.takes_self && self_is_open {
            let first = self.optional(call.value(0), call.site);
            subst.of_self = (!first.is_unknown()).then_some(first);
        }
        if signature.generics.is_empty() && !call.by_path {
            return subst;
        }
        for (place, parameter) in signature.parameters.iter().enumerate() {
            let argument = place + call.offset(signature);
            if let Some(value) = call.value(argument).filter(|_| but != Some(argument)) {
                self.learn(&mut subst, item, parameter, value, call.site);
            }
        }
        subst
    }

    /// Learns from one argument what the parameters of a function are.
    fn learn(&mut self, subst: &mut Subst, item: Item, parameter: &Ty, value: ValueId, site: Site) {
        if parameter.is_unknown() {
            return;
        }
        let ty = self.value(value, site);
        for bound in self.bounds_of_parameter(item, parameter) {
            if is_function_trait(&bound)
                && let Some(output) = binding(&bound, names::OUTPUT)
            {
                let result = self.called(&ty, site);
                subst.unify(output, &result);
            } else if is_iterator_trait(&bound)
                && let Some(element) = binding(&bound, names::ITEM)
            {
                subst.unify(element, &self.world.element(&ty));
            }
        }
        if !matches!(ty, Ty::Closure(_) | Ty::Function(_)) {
            subst.unify(parameter, &ty);
        }
    }

    /// What a function asks of an argument: `F: Fn(A)`, `impl Fn(A)`, `Box<dyn Fn(A)>`.
    fn bounds_of_parameter(&self, item: Item, parameter: &Ty) -> Vec<Bound> {
        match parameter {
            Ty::Param(owner, _) if *owner != item => Vec::new(),
            Ty::External(names::BOX | names::ARC | names::RC, args) => self.world.traits(&args.at(0)),
            ty => self.world.traits(ty),
        }
    }

    /// The type of a closure's parameter, from what the call does with the closure.
    pub fn closure_parameter(&mut self, call: ValueId, argument: usize, parameter: usize, site: Site) -> Ty {
        let body = self.body;
        let call = body.values.get(call.0 as usize).and_then(|value| CallSite::of(value, site));
        let Some(call) = call else { return Ty::Unknown };
        match self.reference(call.reference) {
            Search::Found(found) => {
                self.handed_to_closure(&found, call, argument, parameter).unwrap_or_default()
            }
            Search::Elsewhere(ty) if !call.by_path => {
                let library = self.world.library(&ty);
                let name = body.references.get(call.reference as usize).and_then(|it| it.path.last());
                let name = name.map_or("", String::as_str);
                let mut arguments = Arguments { inference: self, call };
                known::closure_parameter(&library, name, argument, parameter, &mut arguments)
                    .unwrap_or_default()
            }
            _ => Ty::Unknown,
        }
    }

    /// What a function of the workspace hands to a closure, as its signature says.
    fn handed_to_closure(
        &mut self,
        found: &Found,
        call: CallSite<'_>,
        argument: usize,
        parameter: usize,
    ) -> Option<Ty> {
        let item = found.only()?;
        let signature = self.world.members.signature(item)?;
        let wanted = signature.parameters.get(argument.checked_sub(call.offset(signature))?)?;
        let bounds = self.bounds_of_parameter(item, wanted);
        let bound = bounds.iter().find(|bound| is_function_trait(bound))?;
        let Ty::Tuple(parameters) = bound.arguments.at(0) else { return None };
        let subst = self.call_subst(found, item, call, Some(argument));
        Some(subst.apply(&parameters.at(parameter)))
    }
}

/// What a function of elsewhere gives back.
fn elsewhere_call(owner: names::Name, args: &Args, function: &str, call: &mut impl known::Call) -> Ty {
    match (owner, function) {
        (names::SOME, _) | (names::OPTION, "Some") => Ty::known(names::OPTION, [call.argument(0)]),
        (names::OK, _) | (names::RESULT, "Ok") => Ty::known(names::RESULT, [call.argument(0)]),
        (names::ERR, _) | (names::RESULT, "Err") => Ty::known(names::RESULT, [Ty::Unknown, call.argument(0)]),
        (_, "take" | "replace") => call.argument(0),
        _ => known::constructed(owner, args, function, call),
    }
}

/// Methods that every type may have, and that give back the same type.
fn universal(ty: &Ty, method: &str) -> Option<Ty> {
    let is_own =
        matches!(ty, Ty::Adt(..) | Ty::Param(..) | Ty::Bounds(_) | Ty::SelfOf(_) | Ty::Projection(_));
    match method {
        "clone" | "to_owned" | "borrow" | "borrow_mut" | "by_ref" | "deref" | "deref_mut" | "as_ref"
        | "as_mut"
            if is_own =>
        {
            Some(ty.clone())
        }
        "boxed" | "boxed_local" | "into_future" | "into_boxed" => Some(ty.clone()),
        "to_string" | "to_string_lossy" | "eq" | "ne" | "cmp" | "partial_cmp" | "hash" | "fmt" => {
            Some(known::other())
        }
        _ => None,
    }
}
