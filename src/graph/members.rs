//! What belongs to types and traits: the members of their `impl`s, and which type implements which trait.

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::model::SymbolKind;

use super::items::{Item, Items};
use super::lookup::Lookup;
use super::lower::Lowered;
use super::names::Name;
use super::scopes::Def;
use super::ty::{Bound, Ty};

/// What an `impl` is for, without arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Head {
    /// A type of the workspace, or `dyn Trait` of one of its traits.
    Item(Item),
    External(Name),
    Tuple,
    Slice,
}

impl Head {
    pub fn of(ty: &Ty) -> Option<Head> {
        match ty {
            Ty::Adt(item, _) => Some(Head::Item(*item)),
            Ty::External(name, _) => Some(Head::External(*name)),
            Ty::Tuple(_) => Some(Head::Tuple),
            Ty::Slice(_) => Some(Head::Slice),
            Ty::Bounds(bounds) => match bounds.first()?.of {
                Def::Item(item) => Some(Head::Item(item)),
                Def::External(name) => Some(Head::External(name)),
                Def::Module(_) => None,
            },
            _ => None,
        }
    }
}

/// A member of an `impl`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Member {
    pub item: Item,
    pub of_impl: Item,
    pub of_trait: bool,
}

pub(super) struct Members {
    signatures: Vec<Option<Box<Lowered>>>,
    by_head: FxHashMap<(Head, Name), Vec<Member>>,
    impls: FxHashMap<Head, Vec<Item>>,
    /// Which types have an `impl` of which traits.
    implemented: FxHashSet<(Head, Item)>,
    /// `impl<T> Trait for T`, by the name of a method of the trait.
    blankets: FxHashMap<Name, Vec<Item>>,
    /// The traits of those.
    blanket_traits: FxHashSet<Item>,
    /// All methods of that name, those of traits too.
    methods: FxHashMap<Name, Vec<Item>>,
    /// All functions of that name that are no methods.
    functions: FxHashMap<Name, Vec<Item>>,
}

impl Members {
    pub fn new(lookup: Lookup<'_, '_>) -> Members {
        let items = lookup.items;
        let all: Vec<Item> = items.all().collect();
        let signatures = all.par_iter().map(|item| lookup.signature(*item).map(Box::new)).collect();
        let mut members = Members {
            signatures,
            by_head: FxHashMap::default(),
            impls: FxHashMap::default(),
            implemented: FxHashSet::default(),
            blankets: FxHashMap::default(),
            blanket_traits: FxHashSet::default(),
            methods: FxHashMap::default(),
            functions: FxHashMap::default(),
        };
        for item in all {
            match items.kind(item) {
                Some(SymbolKind::Impl) => members.add_impl(items, item),
                Some(SymbolKind::Method) => members.methods.entry(items.name(item)).or_default().push(item),
                Some(SymbolKind::Function) => {
                    members.functions.entry(items.name(item)).or_default().push(item)
                }
                _ => {}
            }
        }
        members
    }

    fn add_impl(&mut self, items: &Items<'_>, item: Item) {
        let Some(signature) = self.signature(item) else { return };
        let of_trait = signature.traits.first().map(|bound| bound.of);
        // `impl<T: Trait> Trait for &T` only hands on what `T` has.
        let is_blanket = match signature.result {
            Ty::Param(_, place) => {
                let bounds = signature.generics.get(place as usize).map_or(&[][..], Vec::as_slice);
                bounds.iter().all(|bound| Some(bound.of) != of_trait)
            }
            _ => false,
        };
        let head = Head::of(&signature.result);
        if let Some(Def::Item(of_trait)) = of_trait.filter(|_| is_blanket) {
            self.blanket_traits.insert(of_trait);
            for (name, _) in items.children(of_trait) {
                self.blankets.entry(name).or_default().push(item);
            }
        }
        let Some(head) = head else { return };
        self.impls.entry(head).or_default().push(item);
        if let Some(Def::Item(of_trait)) = of_trait {
            self.implemented.insert((head, of_trait));
        }
        let has_trait =
            items.symbol(item).and_then(|it| it.header.as_ref()).is_some_and(|it| it.trait_path.is_some());
        for (name, child) in items.children(item) {
            let member = Member { item: child, of_impl: item, of_trait: has_trait };
            self.by_head.entry((head, name)).or_default().push(member);
        }
    }

    pub fn signature(&self, item: Item) -> Option<&Lowered> {
        self.signatures.get(item.0 as usize)?.as_deref()
    }

    pub fn of(&self, head: Head, name: Name) -> &[Member] {
        self.by_head.get(&(head, name)).map_or(&[], Vec::as_slice)
    }

    /// The `impl`s for a type.
    pub fn impls(&self, head: Head) -> &[Item] {
        self.impls.get(&head).map_or(&[], Vec::as_slice)
    }

    pub fn blankets(&self, name: Name) -> &[Item] {
        self.blankets.get(&name).map_or(&[], Vec::as_slice)
    }

    /// Whether an `impl` for the type names the trait.
    pub fn has_impl(&self, head: Head, of_trait: Item) -> bool {
        self.implemented.contains(&(head, of_trait))
    }

    /// Whether some `impl` gives the trait to types that it does not name.
    pub fn has_blanket(&self, of_trait: Item) -> bool {
        self.blanket_traits.contains(&of_trait)
    }

    pub fn methods(&self, name: Name) -> &[Item] {
        self.methods.get(&name).map_or(&[], Vec::as_slice)
    }

    pub fn functions(&self, name: Name) -> &[Item] {
        self.functions.get(&name).map_or(&[], Vec::as_slice)
    }

    /// The trait that an `impl` implements.
    pub fn trait_of(&self, of_impl: Item) -> Option<&Bound> {
        self.signature(of_impl)?.traits.first()
    }
}
