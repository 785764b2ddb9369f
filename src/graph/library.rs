//! A workspace's types as the standard library sees them: what iterates, dereferences, can be awaited.

use crate::model::SymbolKind;

use super::items::Item;
use super::known;
use super::method::{MOST_DEREFS, World};
use super::names;
use super::scopes::Def;
use super::ty::{Args, Bound, Subst, Ty};

/// Whether a trait is one of those that closures implement.
pub(super) fn is_function_trait(bound: &Bound) -> bool {
    matches!(
        bound.of,
        Def::External(
            names::FN
                | names::FN_MUT
                | names::FN_ONCE
                | names::ASYNC_FN
                | names::ASYNC_FN_MUT
                | names::ASYNC_FN_ONCE
        )
    )
}

pub(super) fn is_iterator_trait(bound: &Bound) -> bool {
    matches!(
        bound.of,
        Def::External(
            names::ITERATOR | names::INTO_ITERATOR | names::DOUBLE_ENDED | names::EXACT_SIZE | names::STREAM
        )
    )
}

pub(super) fn binding(bound: &Bound, name: names::Name) -> Option<&Ty> {
    bound.bindings.iter().find(|(own, _)| *own == name).map(|(_, ty)| ty)
}

impl World<'_, '_> {
    /// The type that a struct's or a variant's name makes.
    pub fn constructed(&self, item: Item, subst: &Subst) -> Ty {
        let owner = match self.lookup.items.kind(item) {
            Some(SymbolKind::Variant) => self.lookup.items.parent(item),
            _ => Some(item),
        };
        let Some(owner) = owner else { return Ty::Unknown };
        let count = self.members.signature(owner).map_or(0, |it| it.generics.len()) as u32;
        let arguments = (0..count).map(|place| match subst.apply(&Ty::Param(owner, place)) {
            Ty::Param(own, _) if own == owner => Ty::Unknown,
            ty => ty,
        });
        Ty::Adt(owner, Args::new(arguments))
    }

    pub fn has_generics(&self, item: Item) -> bool {
        let owner = match self.lookup.items.kind(item) {
            Some(SymbolKind::Variant) => self.lookup.items.parent(item),
            _ => Some(item),
        };
        owner.and_then(|owner| self.members.signature(owner)).is_some_and(|it| !it.generics.is_empty())
    }

    /// A type as the library sees it: what iterates is an iterator, what is a future a future.
    pub fn library(&self, ty: &Ty) -> Ty {
        if let Ty::Adt(..) = ty {
            return self
                .associated_type(ty, names::ITEM)
                .map_or_else(|| ty.clone(), |item| Ty::known(names::ITERATOR, [item]));
        }
        for bound in self.traits(ty) {
            if is_iterator_trait(&bound) {
                return Ty::known(
                    names::ITERATOR,
                    [binding(&bound, names::ITEM).cloned().unwrap_or_default()],
                );
            }
        }
        ty.clone()
    }

    /// A type without the pointers around it.
    pub fn pointee(&self, ty: &Ty) -> Ty {
        match ty {
            Ty::External(
                names::BOX | names::RC | names::ARC | names::COW | names::REF | names::REF_MUT,
                args,
            ) => self.pointee(&args.at(0)),
            Ty::External(names::MUTEX_GUARD | names::READ_GUARD | names::WRITE_GUARD, args) => {
                self.pointee(&args.at(0))
            }
            _ => ty.clone(),
        }
    }

    /// What a loop over a value of this type gives.
    pub fn element(&self, ty: &Ty) -> Ty {
        let mut at = self.library(ty);
        for _ in 0..MOST_DEREFS {
            if let Some(element) = known::element(&at) {
                return self.normal(&element);
            }
            match self.deref(&at) {
                Some(next) => at = self.library(&next),
                None => return Ty::Unknown,
            }
        }
        Ty::Unknown
    }

    pub fn indexed(&self, ty: &Ty) -> Ty {
        match ty {
            Ty::Adt(..) => {
                let output = self.associated_type(ty, names::OUTPUT);
                output.or_else(|| Some(known::index(&self.deref(ty)?))).unwrap_or_default()
            }
            _ => known::index(ty),
        }
    }

    /// What `.await` gives.
    pub fn awaited(&self, ty: &Ty) -> Ty {
        let bounds = self.traits(ty);
        let future = bounds.iter().find(|bound| bound.of == Def::External(names::FUTURE));
        if let Some(output) = future.and_then(|bound| binding(bound, names::OUTPUT)) {
            return output.clone();
        }
        match ty {
            Ty::Adt(..) => self.associated_type(ty, names::OUTPUT).unwrap_or_else(|| ty.clone()),
            _ => known::awaited(ty),
        }
    }
}
