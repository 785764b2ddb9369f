//! Types as far as the text shows them. References are left out, as in `TypeRef`.

use std::ops::Deref;
use std::sync::Arc;

use crate::syntax::ValueId;

use super::items::Item;
use super::names::Name;
use super::scopes::Def;

/// Deeper and wider types are cut: their parts become unknown, so that no text makes a type that takes long to walk.
const DEEPEST: u8 = 6;
const WIDEST: usize = 8;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) enum Ty {
    #[default]
    Unknown,
    /// A struct, enum or union of the workspace.
    Adt(Item, Args),
    /// A type or trait of elsewhere, by its own name.
    External(Name, Args),
    Tuple(Args),
    Slice(Args),
    /// The type parameter of an item, by its place.
    Param(Item, u32),
    /// `Self` inside a trait.
    SelfOf(Item),
    /// `dyn A + B`, `impl A + B`.
    Bounds(Arc<[Bound]>),
    /// `T::Item`
    Projection(Arc<(Ty, Name)>),
    /// `fn(A) -> B`, by its result.
    Pointer(Args),
    /// The type of a function or of a tuple struct's name.
    Function(Item),
    /// A closure of the file at work.
    Closure(ValueId),
}

/// A trait, with what it is applied to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Bound {
    pub of: Def,
    pub arguments: Args,
    /// `Item = T`
    pub bindings: Vec<(Name, Ty)>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Args {
    list: Option<Arc<[Ty]>>,
    depth: u8,
}

impl Args {
    pub fn new(list: impl IntoIterator<Item = Ty>) -> Args {
        let shallow = |ty: Ty| if ty.depth() < DEEPEST { ty } else { Ty::Unknown };
        let list: Vec<Ty> = list.into_iter().take(WIDEST).map(shallow).collect();
        let depth = list.iter().map(Ty::depth).max().unwrap_or(0);
        let list = (!list.is_empty()).then(|| list.into());
        Args { list, depth: depth + 1 }
    }

    pub fn one(ty: Ty) -> Args {
        Args::new([ty])
    }

    /// The argument at a place; unknown where there is none.
    pub fn at(&self, place: usize) -> Ty {
        self.get(place).cloned().unwrap_or_default()
    }
}

impl Deref for Args {
    type Target = [Ty];

    fn deref(&self) -> &[Ty] {
        self.list.as_deref().unwrap_or_default()
    }
}

impl Ty {
    pub fn known(name: Name, arguments: impl IntoIterator<Item = Ty>) -> Ty {
        Ty::External(name, Args::new(arguments))
    }

    pub fn is_unknown(&self) -> bool {
        *self == Ty::Unknown
    }

    /// Itself, or `other` where it is unknown.
    pub fn or(self, other: impl FnOnce() -> Ty) -> Ty {
        if self.is_unknown() { other() } else { self }
    }

    fn depth(&self) -> u8 {
        match self {
            Ty::Adt(_, args)
            | Ty::External(_, args)
            | Ty::Tuple(args)
            | Ty::Slice(args)
            | Ty::Pointer(args) => args.depth,
            Ty::Bounds(bounds) => {
                let inner = bounds.iter().flat_map(|bound| {
                    let bindings = bound.bindings.iter().map(|(_, ty)| ty.depth());
                    bindings.chain([bound.arguments.depth])
                });
                inner.max().unwrap_or(0).saturating_add(1)
            }
            Ty::Projection(of) => of.0.depth().saturating_add(1),
            _ => 0,
        }
    }
}

/// What type parameters stand for.
#[derive(Debug, Clone, Default)]
pub(super) struct Subst {
    params: Vec<((Item, u32), Ty)>,
    /// What `Self` of a trait is.
    pub of_self: Option<Ty>,
}

impl Subst {
    pub fn of_self(ty: &Ty) -> Subst {
        Subst { params: Vec::new(), of_self: Some(ty.clone()) }
    }

    pub fn bind(&mut self, owner: Item, place: u32, ty: Ty) {
        if !ty.is_unknown() && self.get(owner, place).is_none() {
            self.params.push(((owner, place), ty));
        }
    }

    pub fn bind_all(&mut self, owner: Item, args: &Args) {
        for (place, ty) in args.iter().enumerate() {
            self.bind(owner, place as u32, ty.clone());
        }
    }

    fn get(&self, owner: Item, place: u32) -> Option<&Ty> {
        self.params.iter().find(|(key, _)| *key == (owner, place)).map(|(_, ty)| ty)
    }

    /// The type with all parameters that are known put in.
    pub fn apply(&self, ty: &Ty) -> Ty {
        if self.params.is_empty() && self.of_self.is_none() {
            return ty.clone();
        }
        match ty {
            Ty::Param(owner, place) => self.get(*owner, *place).unwrap_or(ty).clone(),
            Ty::SelfOf(_) => self.of_self.as_ref().unwrap_or(ty).clone(),
            Ty::Adt(item, args) => Ty::Adt(*item, self.apply_all(args)),
            Ty::External(name, args) => Ty::External(*name, self.apply_all(args)),
            Ty::Tuple(args) => Ty::Tuple(self.apply_all(args)),
            Ty::Slice(args) => Ty::Slice(self.apply_all(args)),
            Ty::Pointer(args) => Ty::Pointer(self.apply_all(args)),
            Ty::Bounds(bounds) => Ty::Bounds(bounds.iter().map(|bound| self.apply_bound(bound)).collect()),
            Ty::Projection(of) => Ty::Projection(Arc::new((self.apply(&of.0), of.1))),
            Ty::Unknown | Ty::Function(_) | Ty::Closure(_) => ty.clone(),
        }
    }

    fn apply_all(&self, args: &Args) -> Args {
        if args.is_empty() { args.clone() } else { Args::new(args.iter().map(|ty| self.apply(ty))) }
    }

    pub fn apply_bound(&self, bound: &Bound) -> Bound {
        let bindings = bound.bindings.iter().map(|(name, ty)| (*name, self.apply(ty))).collect();
        Bound { of: bound.of, arguments: self.apply_all(&bound.arguments), bindings }
    }

    /// Learns from `actual` what the parameters in `pattern` stand for; whether the two can be the same type.
    pub fn unify(&mut self, pattern: &Ty, actual: &Ty) -> bool {
        match (pattern, actual) {
            (Ty::Param(owner, place), _) => {
                self.bind(*owner, *place, actual.clone());
                true
            }
            (Ty::Adt(a, xs), Ty::Adt(b, ys)) => a == b && self.unify_all(xs, ys),
            (Ty::External(a, xs), Ty::External(b, ys)) => a == b && self.unify_all(xs, ys),
            (Ty::Tuple(xs), Ty::Tuple(ys)) => xs.len() == ys.len() && self.unify_all(xs, ys),
            (Ty::Slice(xs), Ty::Slice(ys)) => self.unify_all(xs, ys),
            (Ty::Unknown, _) | (_, Ty::Unknown | Ty::Param(..) | Ty::Projection(_)) => true,
            (Ty::Bounds(_) | Ty::Projection(_) | Ty::SelfOf(_), _) => true,
            _ => false,
        }
    }

    fn unify_all(&mut self, patterns: &[Ty], actual: &[Ty]) -> bool {
        // Arguments that are left out are not known, and so may be anything.
        patterns.iter().zip(actual).fold(true, |all, (pattern, actual)| self.unify(pattern, actual) && all)
    }
}
