//! What the graph knows of the standard library, and of what is used like it. Only what carries a workspace's types
//! through is here.

mod methods;

pub(super) use methods::{closure_parameter, result};

use super::names::{self, Name};
use super::ty::{Args, Ty};

/// What is at hand at a method call: types of arguments, what closures among them give back, written type arguments.
pub(super) trait Call {
    fn argument(&mut self, place: usize) -> Ty;
    fn closure_result(&mut self, place: usize) -> Ty;
    fn type_argument(&mut self) -> Ty;
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Option,
    Result,
    /// A sequence or a set, by its element.
    Sequence,
    Map,
    Entry,
    Iterator,
    /// One value behind a lock, a cell, a pointer.
    Pointer,
    Lock,
    Cell,
    Text,
    Other,
}

/// Methods that so many types of the library have that the name alone says nothing. Sorted.
const COMMON: [&str; 96] = [
    "all",
    "and_then",
    "any",
    "append",
    "as_bytes",
    "as_deref",
    "as_mut",
    "as_path",
    "as_ref",
    "as_slice",
    "as_str",
    "borrow",
    "borrow_mut",
    "bytes",
    "chain",
    "chars",
    "clear",
    "clone",
    "cloned",
    "cmp",
    "collect",
    "contains",
    "contains_key",
    "context",
    "copied",
    "count",
    "drain",
    "ends_with",
    "entry",
    "enumerate",
    "eq",
    "err",
    "expect",
    "extend",
    "filter",
    "filter_map",
    "find",
    "find_map",
    "first",
    "flat_map",
    "flatten",
    "flush",
    "fmt",
    "fold",
    "for_each",
    "get",
    "get_mut",
    "insert",
    "inspect",
    "into",
    "into_iter",
    "into_owned",
    "is_empty",
    "is_none",
    "is_some",
    "iter",
    "iter_mut",
    "join",
    "keys",
    "last",
    "len",
    "lines",
    "lock",
    "map",
    "map_err",
    "max",
    "min",
    "next",
    "ok",
    "or_else",
    "parse",
    "partial_cmp",
    "path",
    "peek",
    "pop",
    "push",
    "push_str",
    "read",
    "remove",
    "replace",
    "retain",
    "rev",
    "skip",
    "sort",
    "split",
    "starts_with",
    "strip_prefix",
    "take",
    "then",
    "to_owned",
    "to_string",
    "trim",
    "unwrap",
    "values",
    "write",
    "zip",
];

/// Whether a method's name says nothing of its type.
pub(super) fn is_common(method: &str) -> bool {
    COMMON.binary_search(&method).is_ok()
}

fn class(name: Name) -> Class {
    match name {
        names::OPTION => Class::Option,
        names::RESULT => Class::Result,
        names::VEC | names::VEC_DEQUE | names::HASH_SET | names::BTREE_SET => Class::Sequence,
        names::INDEX_SET | names::BINARY_HEAP => Class::Sequence,
        names::HASH_MAP | names::BTREE_MAP | names::INDEX_MAP => Class::Map,
        names::ENTRY => Class::Entry,
        names::ITERATOR | names::INTO_ITERATOR | names::DOUBLE_ENDED | names::EXACT_SIZE => Class::Iterator,
        names::PEEKABLE | names::STREAM | names::BOX_STREAM | names::LOCAL_BOX_STREAM => Class::Iterator,
        names::BOX | names::RC | names::ARC | names::COW | names::PIN | names::REF | names::REF_MUT => {
            Class::Pointer
        }
        names::MUTEX_GUARD | names::READ_GUARD | names::WRITE_GUARD => Class::Pointer,
        names::LAZY | names::LAZY_LOCK | names::LAZY_CELL => Class::Pointer,
        names::MUTEX | names::RW_LOCK => Class::Lock,
        names::CELL | names::REF_CELL | names::ONCE_CELL | names::ONCE_LOCK => Class::Cell,
        names::STRING | names::STR | names::PATH | names::PATH_BUF => Class::Text,
        _ => Class::Other,
    }
}

fn parts(ty: &Ty) -> Option<(Class, &Args)> {
    match ty {
        Ty::External(name, args) => Some((class(*name), args)),
        Ty::Slice(args) => Some((Class::Sequence, args)),
        _ => None,
    }
}

fn option(ty: Ty) -> Ty {
    Ty::known(names::OPTION, [ty])
}

fn iterator(ty: Ty) -> Ty {
    Ty::known(names::ITERATOR, [ty])
}

fn vec(ty: Ty) -> Ty {
    Ty::known(names::VEC, [ty])
}

/// Something of elsewhere that holds nothing of the workspace.
pub(super) fn other() -> Ty {
    Ty::External(names::OTHER, Args::default())
}

/// What a type of the library dereferences to.
pub(super) fn deref(ty: &Ty) -> Option<Ty> {
    let Ty::External(name, args) = ty else { return None };
    match *name {
        names::STRING => Some(Ty::External(names::STR, Args::default())),
        names::PATH_BUF => Some(Ty::External(names::PATH, Args::default())),
        names::VEC => Some(Ty::Slice(args.clone())),
        name if class(name) == Class::Pointer => Some(args.at(0)),
        _ => None,
    }
}

/// Whether a type owns what it points to, and passes on the library's traits.
pub(in crate::graph) fn is_pointer(ty: &Ty) -> bool {
    matches!(ty, Ty::External(names::BOX | names::RC | names::ARC, _))
}

/// Whether a method is a pointer's own, and not that of what it points to.
pub(super) fn has_own(ty: &Ty, method: &str) -> bool {
    match parts(ty) {
        Some((Class::Pointer, _)) => {
            matches!(method, "clone" | "as_ref" | "as_mut" | "borrow" | "borrow_mut" | "deref")
        }
        Some((Class::Other, _)) | None => false,
        Some(_) => result(ty, method, &mut Nothing).is_some(),
    }
}

/// A call of which nothing is known.
struct Nothing;

impl Call for Nothing {
    fn argument(&mut self, _: usize) -> Ty {
        Ty::Unknown
    }

    fn closure_result(&mut self, _: usize) -> Ty {
        Ty::Unknown
    }

    fn type_argument(&mut self) -> Ty {
        Ty::Unknown
    }
}

/// What a loop over a type of the library gives.
pub(super) fn element(ty: &Ty) -> Option<Ty> {
    let (class, args) = parts(ty)?;
    match class {
        Class::Option | Class::Result | Class::Sequence | Class::Iterator => Some(args.at(0)),
        Class::Map => Some(Ty::Tuple(args.clone())),
        Class::Pointer => element(&args.at(0)),
        Class::Text | Class::Other if args.is_empty() => Some(other()),
        _ => None,
    }
}

/// What `[…]` gives.
pub(super) fn index(ty: &Ty) -> Ty {
    match parts(ty) {
        Some((Class::Sequence, args)) => args.at(0),
        Some((Class::Map, args)) => args.at(1),
        Some((Class::Pointer, args)) => index(&args.at(0)),
        Some((Class::Text, _)) => ty.clone(),
        _ => Ty::Unknown,
    }
}

/// What `?` gives.
pub(super) fn tried(ty: &Ty) -> Ty {
    match parts(ty) {
        Some((Class::Option | Class::Result, args)) => args.at(0),
        Some((Class::Other, args)) if args.is_empty() => other(),
        _ => Ty::Unknown,
    }
}

/// What `.await` gives. The result of an `async` function stands for its future.
pub(super) fn awaited(ty: &Ty) -> Ty {
    match ty {
        Ty::External(names::BOX_FUTURE | names::LOCAL_BOX_FUTURE | names::FUTURE, args) => args.at(0),
        Ty::External(names::JOIN_HANDLE, args) => Ty::known(names::RESULT, [args.at(0)]),
        Ty::External(names::PIN | names::BOX, args) => match args.at(0) {
            inner @ Ty::External(names::BOX | names::FUTURE, _) => awaited(&inner),
            Ty::Bounds(bounds) => {
                let mut bindings = bounds.iter().flat_map(|bound| &bound.bindings);
                bindings
                    .find(|(name, _)| *name == names::OUTPUT)
                    .map(|(_, ty)| ty.clone())
                    .unwrap_or_default()
            }
            _ => ty.clone(),
        },
        _ => ty.clone(),
    }
}

/// What takes a variant of `Option` or `Result` apart.
pub(super) fn payload(ty: &Ty, variant: Name) -> Ty {
    match (parts(ty), variant) {
        (Some((Class::Option, args)), names::SOME) | (Some((Class::Result, args)), names::OK) => args.at(0),
        (Some((Class::Result, args)), names::ERR) => args.at(1),
        _ => Ty::Unknown,
    }
}

/// What calling a function of a type of elsewhere gives: `Vec::new()`, `Arc::new(x)`, `Arc::clone(&x)`.
pub(super) fn constructed(ty: Name, args: &Args, function: &str, call: &mut impl Call) -> Ty {
    let inner = |call: &mut dyn FnMut() -> Ty| if args.is_empty() { Args::one(call()) } else { args.clone() };
    match (class(ty), function) {
        (Class::Pointer, "clone") => call.argument(0),
        (Class::Pointer | Class::Lock | Class::Cell, "new" | "pin" | "from") => {
            Ty::External(ty, inner(&mut || call.argument(0)))
        }
        (Class::Other, _) => Ty::Unknown,
        (_, "new" | "default" | "with_capacity" | "from" | "from_iter") => Ty::External(ty, args.clone()),
        _ => Ty::Unknown,
    }
}
