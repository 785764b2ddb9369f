//! From types as written to types as meant: names are looked up where they stand, aliases expanded.

use crate::model::{FileId, SymbolKind};
use crate::syntax::{TypePath, TypeRef};

use super::items::Item;
use super::lookup::Lookup;
use super::names::{self, Name};
use super::scopes::{Def, Space};
use super::ty::{Args, Bound, Subst, Ty};

/// Aliases of aliases are followed so far.
const LONGEST_ALIAS_CHAIN: u32 = 8;

/// Where something is written: a file, and the innermost item around.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Site {
    pub file: FileId,
    pub item: Option<Item>,
}

/// What the types of an item's signature mean.
#[derive(Debug, Default)]
pub(super) struct Lowered {
    pub generics: Vec<Vec<Bound>>,
    pub parameters: Vec<Ty>,
    pub takes_self: bool,
    pub result: Ty,
    pub traits: Vec<Bound>,
}

impl Lookup<'_, '_> {
    /// The signature of an item, in its own terms.
    pub fn signature(&self, item: Item) -> Option<Lowered> {
        let written = self.items.signature(item)?;
        let site = Site { file: self.items.file(item), item: Some(item) };
        let bounds = |paths: &[TypePath]| paths.iter().filter_map(|path| self.bound(site, path)).collect();
        Some(Lowered {
            generics: written.generics.iter().map(|generic| bounds(&generic.bounds)).collect(),
            parameters: written.parameters.iter().map(|ty| self.lower(site, ty)).collect(),
            takes_self: written.takes_self,
            result: self.lower(site, &written.result),
            traits: bounds(&written.traits),
        })
    }

    pub fn lower(&self, site: Site, ty: &TypeRef) -> Ty {
        self.lower_within(site, ty, LONGEST_ALIAS_CHAIN)
    }

    fn lower_within(&self, site: Site, ty: &TypeRef, aliases: u32) -> Ty {
        let lower = |ty: &TypeRef| self.lower_within(site, ty, aliases);
        match ty {
            TypeRef::Unknown => Ty::Unknown,
            TypeRef::Path(path) => self.lower_path(site, path, aliases),
            TypeRef::Tuple(parts) => Ty::Tuple(Args::new(parts.iter().map(lower))),
            TypeRef::Slice(element) => Ty::Slice(Args::one(lower(element))),
            TypeRef::Bounds(bounds) => {
                Ty::Bounds(bounds.iter().filter_map(|path| self.bound(site, path)).collect())
            }
            TypeRef::Function(signature) => Ty::Pointer(Args::one(lower(&signature.1))),
        }
    }

    fn lower_path(&self, site: Site, written: &TypePath, aliases: u32) -> Ty {
        let args = || Args::new(written.arguments.iter().map(|ty| self.lower_within(site, ty, aliases)));
        let Some((last, qualifier)) = written.path.split_last() else { return Ty::Unknown };
        if qualifier.is_empty() {
            if last == "Self" {
                return if aliases > 0 { self.self_type_within(site, aliases - 1) } else { Ty::Unknown };
            }
            if let Some((owner, place)) = self.generic(site, last) {
                return Ty::Param(owner, place);
            }
        }
        match self.type_def(site, &written.path) {
            Some(Def::Item(item)) => match self.items.kind(item) {
                Some(SymbolKind::Struct | SymbolKind::Enum | SymbolKind::Union) => Ty::Adt(item, args()),
                Some(SymbolKind::TypeAlias) => self.alias(item, &args(), aliases),
                Some(SymbolKind::Variant) => {
                    self.items.parent(item).map_or(Ty::Unknown, |owner| Ty::Adt(owner, args()))
                }
                Some(SymbolKind::Trait) => Ty::Bounds(self.bound(site, written).into_iter().collect()),
                _ => Ty::Unknown,
            },
            Some(Def::External(name)) => {
                let bindings = written.bindings.iter().map(|(_, ty)| self.lower_within(site, ty, aliases));
                Ty::External(name, Args::new(args().iter().cloned().chain(bindings)))
            }
            Some(Def::Module(_)) => Ty::Unknown,
            None => self.projection(site, qualifier, last, aliases),
        }
    }

    /// `Self::Item`, `T::Item`, `Type::Item`.
    fn projection(&self, site: Site, qualifier: &[String], last: &str, aliases: u32) -> Ty {
        let Some(name) = self.names.get(last) else { return Ty::Unknown };
        if qualifier.is_empty() {
            return Ty::Unknown;
        }
        let of = TypePath { path: qualifier.to_vec(), ..TypePath::default() };
        match self.lower_path(site, &of, aliases) {
            Ty::Unknown => Ty::Unknown,
            of => Ty::Projection((of, name).into()),
        }
    }

    fn alias(&self, item: Item, args: &Args, aliases: u32) -> Ty {
        let Some(written) = self.items.signature(item).filter(|_| aliases > 0) else { return Ty::Unknown };
        let site = Site { file: self.items.file(item), item: Some(item) };
        let target = self.lower_within(site, &written.result, aliases - 1);
        let mut subst = Subst::default();
        subst.bind_all(item, args);
        for (place, generic) in written.generics.iter().enumerate().skip(args.len()) {
            subst.bind(item, place as u32, self.lower_within(site, &generic.default, aliases - 1));
        }
        subst.apply(&target)
    }

    /// A trait as it is written in a bound.
    pub fn bound(&self, site: Site, written: &TypePath) -> Option<Bound> {
        let of = self.type_def(site, &written.path)?;
        let arguments = Args::new(written.arguments.iter().map(|ty| self.lower(site, ty)));
        let binding = |(name, ty): &(String, TypeRef)| Some((self.names.get(name)?, self.lower(site, ty)));
        Some(Bound { of, arguments, bindings: written.bindings.iter().filter_map(binding).collect() })
    }

    /// What the path of a type leads to. What begins with the name of no module nearby begins with that of a crate elsewhere.
    pub fn type_def(&self, site: Site, path: &[String]) -> Option<Def> {
        self.def(site, path, Space::Types)
    }

    pub fn def(&self, site: Site, path: &[String], space: Space) -> Option<Def> {
        let place = self.place_of(site.file, site.item)?;
        let segments: Option<Vec<Name>> = path.iter().map(|segment| self.names.get(segment)).collect();
        if let Some(segments) = &segments {
            let found = self.path(place, segments).in_space(space);
            if found.is_some() {
                return found;
            }
        }
        self.elsewhere(site, path)
    }

    /// Whether an unknown path leads outside the workspace.
    fn elsewhere(&self, site: Site, path: &[String]) -> Option<Def> {
        let (first, last) = (path.first()?, path.last()?);
        let last = self.names.get(last).unwrap_or(names::OTHER);
        if path.len() == 1 {
            return self.names.is_prelude(last).then_some(Def::External(last));
        }
        let place = self.place_of(site.file, site.item)?;
        let is_known = match self.names.get(first) {
            Some(names::CRATE | names::SUPER | names::SELF_VALUE | names::SELF_TYPE) => true,
            Some(name) => !self.path(place, &[name]).is_empty(),
            None => false,
        };
        let is_crate = first.is_empty() || first.starts_with(|first: char| first.is_lowercase());
        if is_crate && !is_known && self.generic(site, first).is_none() {
            return Some(Def::External(last));
        }
        let prelude = self.names.get(first).filter(|name| !is_known && self.names.is_prelude(*name));
        prelude.filter(|_| first.starts_with(|first: char| first.is_lowercase())).map(|_| Def::External(last))
    }

    /// The type parameter of that name, of the items around.
    pub fn generic(&self, site: Site, name: &str) -> Option<(Item, u32)> {
        let mut at = site.item;
        while let Some(item) = at {
            let generics =
                self.items.signature(item).map_or(&[][..], |signature| signature.generics.as_slice());
            if let Some(place) = generics.iter().position(|generic| generic.name == name) {
                return Some((item, place as u32));
            }
            at = self.items.parent(item);
        }
        None
    }

    /// What `Self` is.
    pub fn self_type(&self, site: Site) -> Ty {
        self.self_type_within(site, LONGEST_ALIAS_CHAIN)
    }

    fn self_type_within(&self, site: Site, aliases: u32) -> Ty {
        let mut at = site.item;
        while let Some(item) = at {
            match self.items.kind(item) {
                Some(SymbolKind::Impl) => {
                    let Some(signature) = self.items.signature(item) else { return Ty::Unknown };
                    return self.lower_within(
                        Site { file: site.file, item: Some(item) },
                        &signature.result,
                        aliases,
                    );
                }
                Some(SymbolKind::Trait) => return Ty::SelfOf(item),
                Some(SymbolKind::Struct | SymbolKind::Enum | SymbolKind::Union) => {
                    let count = self.items.signature(item).map_or(0, |signature| signature.generics.len());
                    return Ty::Adt(item, Args::new((0..count as u32).map(|place| Ty::Param(item, place))));
                }
                Some(SymbolKind::Module) | None => return Ty::Unknown,
                Some(_) => at = self.items.parent(item),
            }
        }
        Ty::Unknown
    }
}
