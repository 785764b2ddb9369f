//! What a reference means: a path by names and types, a method or field by its receiver.

use crate::model::SymbolKind;
use crate::syntax::{Receiver, Reference, ReferenceKind, TypePath, TypeRef, Value};

use super::call::CallSite;
use super::infer::Inference;
use super::items::Item;
use super::known;
use super::lower::Site;
use super::method::{Found, Search};
use super::names;
use super::scopes::{Def, Space};
use super::ty::{Args, Subst, Ty};

impl Inference<'_, '_> {
    pub fn meaning(&mut self, place: u32, reference: &Reference) -> Search {
        let site = self.site(reference);
        match reference.kind {
            ReferenceKind::MethodCall => {
                let ty = self.receiver(reference.receiver, site);
                match reference.path.last().and_then(|name| self.world.lookup.names.get(name)) {
                    Some(name) => self.world.method(&ty, name),
                    None if ty.is_unknown() => Search::Unknown,
                    None => Search::Elsewhere(ty),
                }
            }
            ReferenceKind::Field => self.field(reference, site),
            ReferenceKind::Call | ReferenceKind::Value => self.value_path(place, reference, site),
            ReferenceKind::Type => self.type_path(reference, site),
            ReferenceKind::MacroCall => self.macro_path(reference, site),
        }
    }

    /// Of several functions of one name, those that take what this call hands in: `From<A>` beside `From<B>`.
    pub fn narrowed(&mut self, mut found: Found, place: u32, reference: &Reference) -> Found {
        let body = self.body;
        let site = self.site(reference);
        let call = self.calls.get(&place).and_then(|id| body.values.get(id.0 as usize));
        let Some(call) = call.and_then(|call| CallSite::of(call, site)) else { return found };
        let types: Vec<Ty> = call.values.iter().map(|value| self.optional(*value, site)).collect();
        if types.iter().all(Ty::is_unknown) {
            return found;
        }
        let world = self.world;
        let takes = |item: &Item| {
            let Some(signature) = world.members.signature(*item) else { return true };
            let mut subst = Subst::default();
            let mut pairs = signature.parameters.iter().zip(types.iter().skip(call.offset(signature)));
            pairs.all(|(parameter, ty)| subst.unify(parameter, ty))
        };
        let fitting: Vec<Item> = found.items.iter().copied().filter(takes).collect();
        if !fitting.is_empty() {
            found.items = fitting;
        }
        found
    }

    fn field(&mut self, reference: &Reference, site: Site) -> Search {
        let ty = self.receiver(reference.receiver, site);
        let Some(name) = reference.path.last().and_then(|name| self.world.lookup.names.get(name)) else {
            return Search::Unknown;
        };
        let of_variant = || self.variant_field(reference.receiver, name, site);
        let field = self.world.field(&ty, name).map(|(field, _)| field).or_else(of_variant);
        field.map_or(Search::Unknown, |field| found(field, Subst::default()))
    }

    /// The field of a variant: `Kind::A { field: 1 }`.
    fn variant_field(&self, receiver: Receiver, name: names::Name, site: Site) -> Option<Item> {
        let Receiver::Typed(id) = receiver else { return None };
        let Some(Value::Typed(ty)) = self.body.values.get(id.0 as usize) else { return None };
        let TypeRef::Path(path) = &**ty else { return None };
        let lookup = self.world.lookup;
        let owner = match lookup.type_def(site, &path.path) {
            Some(Def::Item(item)) => item,
            Some(_) => return None,
            None => match (lookup.self_type(site), path.path.as_slice()) {
                (Ty::Adt(item, _), [first, variant]) if first == "Self" => {
                    lookup.items.named(item, lookup.names.get(variant)?).next()?
                }
                _ => return None,
            },
        };
        lookup.items.named(owner, name).find(|it| lookup.items.kind(*it) == Some(SymbolKind::Field))
    }

    fn type_path(&mut self, reference: &Reference, site: Site) -> Search {
        let lookup = self.world.lookup;
        if reference.path == ["Self"] {
            return match lookup.self_type(site) {
                Ty::Adt(item, _) => found(item, Subst::default()),
                _ => Search::Unknown,
            };
        }
        let is_parameter = reference.path.first().is_some_and(|first| lookup.generic(site, first).is_some());
        if !is_parameter {
            match lookup.type_def(site, &reference.path) {
                Some(Def::Item(item)) => return found(item, Subst::default()),
                Some(Def::External(name)) => return Search::Elsewhere(Ty::External(name, Args::default())),
                Some(Def::Module(_)) | None => {}
            }
        }
        self.associated(reference, site, Args::default())
    }

    /// `Type::name`, `Trait::name`, `Self::name`, `T::name`.
    fn associated(&mut self, reference: &Reference, site: Site, args: Args) -> Search {
        let lookup = self.world.lookup;
        let Some((last, qualifier)) = reference.path.split_last() else { return Search::Unknown };
        if qualifier.is_empty() {
            return Search::Unknown;
        }
        let mut ty = lookup.lower(
            site,
            &TypeRef::Path(Box::new(TypePath { path: qualifier.to_vec(), ..TypePath::default() })),
        );
        if let Ty::Adt(item, written) = &ty
            && written.is_empty()
        {
            ty = Ty::Adt(*item, args);
        }
        let ty = self.world.normal(&ty);
        if ty.is_unknown() {
            return Search::Unknown;
        }
        let Some(name) = lookup.names.get(last) else { return Search::Elsewhere(ty) };
        if let Ty::Adt(item, args) = &ty
            && let Some(variant) =
                lookup.items.named(*item, name).find(|it| lookup.items.kind(*it) == Some(SymbolKind::Variant))
        {
            let mut subst = Subst::default();
            subst.bind_all(*item, args);
            return found(variant, subst);
        }
        self.world.member(&ty, name).map_or(Search::Elsewhere(ty), Search::Found)
    }

    fn value_path(&mut self, place: u32, reference: &Reference, site: Site) -> Search {
        let lookup = self.world.lookup;
        let Some(first) = reference.path.first() else { return Search::Unknown };
        let (of_last, args) = self.type_arguments(place, site);
        if first == "Self" || lookup.generic(site, first).is_some() {
            if reference.path.len() > 1 {
                return self.associated(reference, site, Args::default());
            }
            return match lookup.self_type(site) {
                Ty::Adt(item, args) => {
                    let mut subst = Subst::default();
                    subst.bind_all(item, &args);
                    found(item, subst)
                }
                _ => Search::Unknown,
            };
        }
        match lookup.def(site, &reference.path, Space::Values) {
            Some(Def::Item(item)) => {
                let mut subst = Subst::default();
                let owner = if lookup.items.kind(item) == Some(SymbolKind::Variant) {
                    lookup.items.parent(item)
                } else {
                    None
                };
                subst.bind_all(owner.unwrap_or(item), &args);
                found(item, subst)
            }
            Some(Def::External(name)) => {
                let owner = self.owner_elsewhere(reference, site, args, name);
                // A trait of the workspace may give a type of elsewhere a function.
                self.world.member(&owner, name).map_or(Search::Elsewhere(owner), Search::Found)
            }
            Some(Def::Module(_)) | None => {
                self.associated(reference, site, if of_last { Args::default() } else { args })
            }
        }
    }

    /// The type whose function an outside path names; the function itself where there is none.
    fn owner_elsewhere(&self, reference: &Reference, site: Site, args: Args, name: names::Name) -> Ty {
        let lookup = self.world.lookup;
        let qualifier =
            reference.path.split_last().map(|(_, qualifier)| qualifier).filter(|it| !it.is_empty());
        match qualifier.and_then(|qualifier| lookup.type_def(site, qualifier)) {
            Some(Def::External(owner)) => Ty::External(owner, args),
            _ => Ty::External(name, args),
        }
    }

    fn macro_path(&self, reference: &Reference, site: Site) -> Search {
        let lookup = self.world.lookup;
        match lookup.def(site, &reference.path, Space::Macros) {
            Some(Def::Item(item)) => found(item, Subst::default()),
            _ => Search::Elsewhere(known::other()),
        }
    }
}

pub(super) fn found(item: Item, subst: Subst) -> Search {
    Search::Found(Found { items: vec![item], subst })
}
