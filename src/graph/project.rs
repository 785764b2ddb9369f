//! From one type to the next: what it dereferences to, its associated types, fields and parts.

use crate::model::SymbolKind;

use super::items::Item;
use super::known;
use super::members::Head;
use super::method::{MOST_DEREFS, World};
use super::names::{self, Name};
use super::ty::{Bound, Subst, Ty};

/// Projections of projections are followed so far.
const MOST_PROJECTIONS: u32 = 4;

impl World<'_, '_> {
    /// What a type dereferences to.
    pub fn deref(&self, ty: &Ty) -> Option<Ty> {
        match ty {
            Ty::External(..) => known::deref(ty),
            Ty::Adt(..) => self.associated_type(ty, names::TARGET),
            _ => None,
        }
    }

    /// The type that an `impl` for this type gives a name to: `Target`, `Item`, `Error`.
    pub fn associated_type(&self, ty: &Ty, name: Name) -> Option<Ty> {
        let found = self.of_head(Head::of(ty)?, ty, name)?;
        let is_type = |item: &&Item| self.lookup.items.kind(**item) == Some(SymbolKind::TypeAlias);
        let targets = found.items.iter().filter(is_type).filter_map(|item| self.members.signature(*item));
        let mut targets = targets.map(|signature| found.subst.apply(&signature.result));
        // `impl IntoIterator for &T` beside the one for `T`: the same, as references are left out.
        let target = targets.next()?;
        let agree = targets.all(|other| other == target);
        (agree && !target.is_unknown() && target != *ty).then_some(target)
    }

    /// The type with the projections at its head followed.
    pub fn normal(&self, ty: &Ty) -> Ty {
        let mut at = ty.clone();
        for _ in 0..MOST_PROJECTIONS {
            let Ty::Projection(of) = &at else { return at };
            match self.projected(&of.0, of.1) {
                Some(next) => at = next,
                None => return at,
            }
        }
        at
    }

    fn projected(&self, of: &Ty, name: Name) -> Option<Ty> {
        let of = self.normal_once(of);
        let bound_to = |bounds: &[Bound]| {
            let mut bindings = bounds.iter().flat_map(|bound| &bound.bindings);
            bindings.find(|(own, _)| *own == name).map(|(_, ty)| ty.clone())
        };
        match &of {
            Ty::Bounds(bounds) => bound_to(bounds),
            Ty::Param(owner, place) => bound_to(self.bounds_of(*owner, *place)),
            Ty::External(..) if name == names::ITEM => known::element(&of),
            Ty::Adt(..) | Ty::External(..) | Ty::Tuple(_) | Ty::Slice(_) => self.associated_type(&of, name),
            _ => None,
        }
    }

    fn normal_once(&self, ty: &Ty) -> Ty {
        match ty {
            Ty::Projection(of) if !matches!(of.0, Ty::Projection(_)) => {
                self.projected(&of.0, of.1).unwrap_or_else(|| ty.clone())
            }
            _ => ty.clone(),
        }
    }

    /// What a trait asks of its associated type.
    pub fn projection_bounds(&self, of: &Ty, name: Name) -> Vec<Bound> {
        let item = match self.member(of, name) {
            Some(found) => found.only(),
            None => None,
        };
        let signature = item.and_then(|item| self.members.signature(item));
        signature.map_or_else(Vec::new, |signature| signature.traits.clone())
    }

    /// The type of a named field, through what the type dereferences to; and the field.
    pub fn field(&self, ty: &Ty, name: Name) -> Option<(Item, Ty)> {
        let mut at = self.normal(ty);
        for _ in 0..MOST_DEREFS {
            if let Ty::Adt(item, args) = &at {
                let mut named = self.lookup.items.named(*item, name);
                if let Some(field) = named.find(|it| self.lookup.items.kind(*it) == Some(SymbolKind::Field)) {
                    let mut subst = Subst::default();
                    subst.bind_all(*item, args);
                    let ty = self.members.signature(field).map_or(Ty::Unknown, |it| subst.apply(&it.result));
                    return Some((field, ty));
                }
            }
            at = self.normal(&self.deref(&at)?);
        }
        None
    }

    /// The type of the part at a place of a tuple or a tuple struct.
    pub fn part(&self, ty: &Ty, place: usize) -> Ty {
        let mut at = self.normal(ty);
        for _ in 0..MOST_DEREFS {
            match &at {
                Ty::Tuple(parts) => return parts.at(place),
                Ty::Adt(item, args) => {
                    let parameters = self.members.signature(*item).map(|it| it.parameters.as_slice());
                    if let Some(part) = parameters.and_then(|it| it.get(place)) {
                        let mut subst = Subst::default();
                        subst.bind_all(*item, args);
                        return subst.apply(part);
                    }
                }
                _ => {}
            }
            match self.deref(&at) {
                Some(next) => at = self.normal(&next),
                None => return Ty::Unknown,
            }
        }
        Ty::Unknown
    }
}
