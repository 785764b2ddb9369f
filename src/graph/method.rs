//! Which member a name means on a type: its own, a trait's, or one of what it dereferences to.

use super::items::Item;
use super::known;
use super::lookup::Lookup;
use super::members::{Head, Member, Members};
use super::names::Name;
use super::scopes::Def;
use super::ty::{Bound, Subst, Ty};

/// `Deref` is followed so far.
pub(super) const MOST_DEREFS: usize = 8;

/// Traits of traits are followed so far.
const MOST_SUPERTRAITS: u32 = 6;

/// Where more members of a type share a name, nothing tells them apart.
const MOST_CANDIDATES: usize = 64;

/// So many `impl`s of one type are looked through for what their traits give by default.
const MOST_IMPLS: usize = 256;

/// What a name was found to mean.
#[derive(Debug, Clone, Default)]
pub(super) struct Found {
    /// More than one where the text does not tell them apart.
    pub items: Vec<Item>,
    /// What the parameters of its type and of its traits are.
    pub subst: Subst,
}

impl Found {
    fn one(item: Item, subst: Subst) -> Found {
        Found { items: vec![item], subst }
    }

    /// The one item that it means without doubt.
    pub fn only(&self) -> Option<Item> {
        match self.items.as_slice() {
            [only] => Some(*only),
            _ => None,
        }
    }
}

/// What is known of a member.
#[derive(Debug, Clone)]
pub(super) enum Search {
    Found(Found),
    /// The type is known, and has no such member in the workspace: it is one of elsewhere. With the type that has it.
    Elsewhere(Ty),
    Unknown,
}

/// What is known of all types and traits.
#[derive(Clone, Copy)]
pub(super) struct World<'w, 'a> {
    pub lookup: Lookup<'w, 'a>,
    pub members: &'w Members,
}

impl World<'_, '_> {
    /// The member that a method call on a receiver of this type means.
    pub fn method(&self, ty: &Ty, name: Name) -> Search {
        let mut at = self.normal(ty);
        let mut behind_pointer = false;
        for _ in 0..MOST_DEREFS {
            if at.is_unknown() {
                return Search::Unknown;
            }
            match self.member(&at, name) {
                Some(found) if behind_pointer && self.is_of_trait_elsewhere(&found) => {
                    return Search::Elsewhere(at);
                }
                Some(found) => return Search::Found(found),
                None => {}
            }
            if known::has_own(&at, self.lookup.names.text(name)) {
                return Search::Elsewhere(at);
            }
            behind_pointer |= known::is_pointer(&at);
            match self.deref(&at) {
                Some(next) => at = self.normal(&next),
                None => return self.blanket(&at, name),
            }
        }
        Search::Unknown
    }

    /// The library gives its own traits to its pointers too: `serialize` of a `Box<T>` is that of the box.
    fn is_of_trait_elsewhere(&self, found: &Found) -> bool {
        let of_impl = found.items.first().and_then(|item| self.lookup.items.parent(*item));
        let of_trait = of_impl.and_then(|of_impl| self.members.trait_of(of_impl));
        of_trait.is_some_and(|bound| matches!(bound.of, Def::External(_)))
    }

    /// The member of that name of the type itself, without what it dereferences to.
    pub fn member(&self, ty: &Ty, name: Name) -> Option<Found> {
        match ty {
            Ty::Bounds(bounds) => {
                self.of_bounds(bounds, name, ty).or_else(|| self.of_head(Head::of(ty)?, ty, name))
            }
            Ty::Param(owner, place) => self.of_bounds(self.bounds_of(*owner, *place), name, ty),
            Ty::SelfOf(of_trait) => self.of_trait(*of_trait, name, ty, MOST_SUPERTRAITS),
            Ty::Projection(of) => self.of_bounds(&self.projection_bounds(&of.0, of.1), name, ty),
            _ => self.of_head(Head::of(ty)?, ty, name),
        }
    }

    pub fn bounds_of(&self, owner: Item, place: u32) -> &[Bound] {
        let bounds = self.members.signature(owner).and_then(|it| it.generics.get(place as usize));
        bounds.map_or(&[], Vec::as_slice)
    }

    fn of_bounds(&self, bounds: &[Bound], name: Name, of_self: &Ty) -> Option<Found> {
        bounds.iter().find_map(|bound| {
            let Def::Item(of_trait) = bound.of else { return None };
            let mut found = self.of_trait(of_trait, name, of_self, MOST_SUPERTRAITS)?;
            found.subst.bind_all(of_trait, &bound.arguments);
            Some(found)
        })
    }

    /// The member of a trait, or of one that it asks for.
    fn of_trait(&self, of_trait: Item, name: Name, of_self: &Ty, depth: u32) -> Option<Found> {
        if let Some(item) = self.lookup.items.named(of_trait, name).next() {
            let subst = Subst::of_self(of_self);
            return Some(Found::one(item, subst));
        }
        let traits = self.members.signature(of_trait).filter(|_| depth > 0).map(|it| it.traits.as_slice());
        traits.unwrap_or_default().iter().find_map(|bound| match bound.of {
            Def::Item(above) if above != of_trait => self.of_trait(above, name, of_self, depth - 1),
            _ => None,
        })
    }

    /// A member of the `impl`s for a type: its own first, then those of traits, then what traits give by default.
    pub fn of_head(&self, head: Head, ty: &Ty, name: Name) -> Option<Found> {
        let all = self.members.of(head, name);
        let all = all.get(..MOST_CANDIDATES).unwrap_or(all);
        let own: Vec<&Member> = all.iter().filter(|member| !member.of_trait).collect();
        let of_traits: Vec<&Member> = all.iter().filter(|member| member.of_trait).collect();
        self.best(&own, ty).or_else(|| self.best(&of_traits, ty)).or_else(|| self.by_default(head, ty, name))
    }

    /// Those whose `impl` fits the type.
    fn best(&self, members: &[&Member], ty: &Ty) -> Option<Found> {
        let fitting = members.iter().filter_map(|member| Some((member.item, self.fit(member.of_impl, ty)?)));
        let (items, substs): (Vec<Item>, Vec<Subst>) = fitting.unzip();
        Some(Found { items, subst: substs.into_iter().next()? })
    }

    /// What traits give by default to those that implement them.
    fn by_default(&self, head: Head, ty: &Ty, name: Name) -> Option<Found> {
        let mut found: Option<Found> = None;
        for of_impl in self.members.impls(head).iter().take(MOST_IMPLS) {
            let Some(bound) = self.members.trait_of(*of_impl) else { continue };
            let Def::Item(of_trait) = bound.of else { continue };
            let Some(item) = self.lookup.items.named(of_trait, name).next() else { continue };
            let Some(mut subst) = self.fit(*of_impl, ty) else { continue };
            match &mut found {
                None => {
                    subst.bind_all(of_trait, &subst.apply_bound(bound).arguments);
                    found = Some(Found::one(item, subst));
                }
                Some(found) if !found.items.contains(&item) => found.items.push(item),
                Some(_) => {}
            }
        }
        found
    }

    /// What the parameters of an `impl` are for a type; `None` where it is not for this type.
    fn fit(&self, of_impl: Item, ty: &Ty) -> Option<Subst> {
        let mut subst = Subst::of_self(ty);
        let fits = subst.unify(&self.members.signature(of_impl)?.result, ty);
        (fits && self.meets_bounds(of_impl, &subst)).then_some(subst)
    }

    /// Whether what the parameters of an `impl` stand for can have the traits that it asks for.
    fn meets_bounds(&self, of_impl: Item, subst: &Subst) -> bool {
        let Some(signature) = self.members.signature(of_impl) else { return true };
        let mut generics = signature.generics.iter().enumerate();
        generics.all(|(place, bounds)| {
            let ty = subst.apply(&Ty::Param(of_impl, place as u32));
            bounds.iter().all(|bound| self.may_implement(&ty, bound.of, MOST_SUPERTRAITS))
        })
    }

    /// `false` only where the text shows all traits of a type, and this is none of them. Of a type of the workspace and of tuples it does
    /// not: macros implement traits too.
    fn may_implement(&self, ty: &Ty, wanted: Def, depth: u32) -> bool {
        let Def::Item(wanted) = wanted else { return true };
        let bounds = match ty {
            Ty::Bounds(bounds) => &**bounds,
            Ty::Param(owner, place) => self.bounds_of(*owner, *place),
            Ty::External(..) => &[],
            _ => return true,
        };
        let asks = bounds.iter().any(|bound| self.includes(bound.of, wanted, depth));
        let has_impl = Head::of(ty).is_some_and(|head| self.members.has_impl(head, wanted));
        asks || has_impl || self.members.has_blanket(wanted)
    }

    /// Whether a trait is another, or asks for it.
    fn includes(&self, of: Def, wanted: Item, depth: u32) -> bool {
        let Def::Item(of_trait) = of else { return false };
        let above =
            self.members.signature(of_trait).filter(|_| depth > 0).map_or(&[][..], |it| it.traits.as_slice());
        of_trait == wanted || above.iter().any(|bound| self.includes(bound.of, wanted, depth - 1))
    }

    /// A method that some trait gives to every type.
    fn blanket(&self, ty: &Ty, name: Name) -> Search {
        let items = self.lookup.items;
        let mut found: Vec<Item> = Vec::new();
        for of_impl in self.members.blankets(name) {
            let Some(Def::Item(of_trait)) = self.members.trait_of(*of_impl).map(|bound| bound.of) else {
                continue;
            };
            if self.fit(*of_impl, ty).is_none() {
                continue;
            }
            let own = items.named(*of_impl, name).next();
            found.extend(own.or_else(|| items.named(of_trait, name).next()));
        }
        found.sort_unstable();
        found.dedup();
        if found.is_empty() {
            return Search::Elsewhere(ty.clone());
        }
        let subst = Subst::of_self(ty);
        Search::Found(Found { items: found, subst })
    }

    /// The traits that a type is known by alone: those of a parameter, of `dyn` and `impl`.
    pub fn traits(&self, ty: &Ty) -> Vec<Bound> {
        match ty {
            Ty::Bounds(bounds) => bounds.to_vec(),
            Ty::Param(owner, place) => self.bounds_of(*owner, *place).to_vec(),
            Ty::Projection(of) => self.projection_bounds(&of.0, of.1),
            _ => Vec::new(),
        }
    }
}
