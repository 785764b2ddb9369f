//! An item of the code: what can be defined, called, used, implemented, shown.

use serde::{Deserialize, Serialize};

use super::{FileId, Span};

/// An item of one snapshot: its file and its place in that file's list of items.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SymbolId {
    pub file: FileId,
    pub item: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SymbolKind {
    Function,
    /// A function inside an `impl` or a `trait`.
    Method,
    Struct,
    Enum,
    Union,
    Variant,
    Field,
    Trait,
    Impl,
    TypeAlias,
    Const,
    Static,
    Macro,
    Module,
    /// The call of a macro where items stand: what it defines is not known.
    MacroCall,
    ExternBlock,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Visibility {
    Private,
    /// `pub(crate)`, `pub(super)`, `pub(in …)`.
    Restricted,
    Public,
}

/// One item as its text shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Symbol {
    pub kind: SymbolKind,
    pub visibility: Visibility,
    /// The item's own name. Of an `impl`: the name of its type (`Router` for `impl<S> Service for Router<S>`).
    pub name: String,
    /// The item around it in the same file (module, impl, trait, struct, enum, function), by its place in the list of items.
    pub parent: Option<u32>,
    /// All of it: docs, attributes, signature and body.
    pub span: Span,
    /// Its name alone. Of an `impl`: its type.
    pub name_span: Span,
    /// From the visibility to where the body begins (or to the end): no docs, no attributes, no body.
    pub signature: Span,
    /// What stands between the body's braces, braces included.
    pub body: Option<Span>,
    /// The doc comments (`///`, `/** */`) in front of it, from the first to the last.
    pub docs: Option<Span>,
    /// `#[test]` and its kin, or anything inside `#[cfg(test)]`.
    pub is_test: bool,
    /// Of an `impl` alone.
    pub header: Option<ImplHeader>,
}

/// Which type an `impl` is for, and of which trait, as written and without generic arguments: `fmt::Display`, `Router`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImplHeader {
    pub self_type: String,
    pub trait_path: Option<String>,
}
