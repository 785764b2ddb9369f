//! What the text of one Rust file says by itself, without any other file.
//!
//! A text is parsed, read once from top to bottom, and its tree dropped: what stays is plain data.

mod nesting;
mod tree;
mod parse;
mod extract;
mod attributes;
mod symbol;
mod items;
mod uses;
mod types;
mod paths;
mod value;
mod locals;
mod body;
mod control;
mod patterns;
mod macros;
mod fragments;
mod declared;
mod interface;
mod kept;
mod order;
mod fold;

pub use kept::KeptBody;
pub use parse::{ByFile, parse, parse_all};
pub use types::{Generic, Signature, TypePath, TypeRef};
pub use value::{Literal, PayloadField, Value, ValueId};

use serde::{Deserialize, Serialize};

use crate::model::{LineRange, Span, Symbol};
use crate::text::Digest;

/// All that was read from one text. Broken code gives what can be read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parsed {
    pub syntax: FileSyntax,
    pub body: Body,
}

/// What other files and a reader need to know of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileSyntax {
    /// In the order of the text; a parent stands before its children.
    pub items: Vec<Symbol>,
    /// One entry for each leaf of each `use` tree.
    pub uses: Vec<Import>,
    /// One entry for each `mod`, in the order of the text.
    pub modules: Vec<ModuleDecl>,
    /// Macros with `#[macro_export]`, by their places in the list of items.
    pub exported_macros: Vec<u32>,
    /// The types that items are written with, by item.
    pub signatures: Vec<Signature>,
    /// The names in the paths of the types that are used, each once, in the order of the text.
    pub type_names: Vec<String>,
    /// The inner docs (`//!`) at the top.
    pub docs: Option<Span>,
    /// Whole lines that a skeleton leaves out: bodies, long values. In the order of the text, none inside another.
    pub folds: Vec<Span>,
    /// A digest of what other files can see of it.
    pub interface: Digest,
    /// Number of syntax errors that the parser tells; what it reads and the compiler refuses is none.
    pub errors: u32,
}

/// What is named in a file and what its bodies show of types: for tying it to what it names, and for nothing else.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Body {
    /// Calls, method calls, macro calls and type uses, in the order of the text.
    pub references: Vec<Reference>,
    /// Type arguments that are written at references (`::<T>`, `Vec::<T>::new`), by reference.
    pub type_arguments: Vec<TypeArguments>,
    /// What the bodies show of types; receivers point into it.
    pub values: Vec<Value>,
}

/// A `mod` item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModuleDecl {
    /// Its place in the list of items.
    pub item: u32,
    /// `#[path = "…"]`, as written.
    pub path: Option<String>,
    /// Whether its items stand here, in braces.
    pub inline: bool,
    /// `#[macro_use]`: its `macro_rules!` are seen by what follows.
    pub macro_use: bool,
}

/// One leaf of a `use` tree: `use a::{b::C as D, e::*}` gives `a::b::C` as `D`, and `a::e` with `glob`.
/// `extern crate a as b` gives `::a` as `b`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Import {
    /// As written, from the first segment: `["crate", "a", "C"]`. A first segment that is empty stands for a leading `::`.
    pub path: Vec<String>,
    /// The name that it has here; `_` where it is imported without one. Empty for a glob.
    pub name: String,
    pub glob: bool,
    /// Seen by other modules: `pub use`.
    pub public: bool,
    /// The module (or function) in which it stands, by its place in the list of items; `None` at the file's top.
    pub scope: Option<u32>,
    pub span: Span,
    /// The last name of the path.
    pub at: Span,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ReferenceKind {
    Call,
    MethodCall,
    MacroCall,
    Type,
    /// A named field: read, written, in a struct literal or a pattern.
    Field,
    /// Any other path in an expression or a pattern: a constant, a variant, a function passed on.
    Value,
}

/// A place where something is named. What names a local variable or a type parameter alone is none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reference {
    pub kind: ReferenceKind,
    /// The path as written without generic arguments: `["Self", "new"]`; of a method call or a field its name alone.
    /// A first segment that is empty stands for a leading `::`.
    pub path: Vec<String>,
    /// The last name of the path.
    pub at: Span,
    /// The innermost item around it, by its place in the list of items.
    pub scope: Option<u32>,
    /// Of a method call and a field: what the text shows of the receiver's type.
    pub receiver: Receiver,
}

/// What the text shows of the type of a receiver: in one word, and as a value of `Body::values`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Receiver {
    /// There is none, or nothing is shown.
    #[default]
    Unknown,
    /// `self`.
    SelfValue,
    /// A type is written: of a parameter, a `let` with a type, a literal, a cast …
    Typed(ValueId),
    /// A field: `self.config.load()`.
    Field(ValueId),
    /// The result of calling a path: `Config::load().merge()`, `let x = open(); x.read()`.
    CallOf(ValueId),
    /// The result of calling a method.
    MethodOf(ValueId),
}

/// Type arguments that are written at a reference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TypeArguments {
    /// Its place in the list of references.
    pub reference: u32,
    /// Whether they stand at the last name of the path, and not at one before it.
    pub of_last: bool,
    pub arguments: Vec<TypeRef>,
}

/// The innermost item around a byte offset, by its place in the list.
pub fn enclosing(items: &[Symbol], offset: u32) -> Option<u32> {
    // Items nest, so the innermost one is the last that began, or one of its parents.
    let begun = items.partition_point(|item| item.span.start <= offset);
    let mut place = u32::try_from(begun.checked_sub(1)?).ok()?;
    loop {
        let item = items.get(place as usize)?;
        if item.span.contains(offset) {
            return Some(place);
        }
        // A parent stands before its child: the walk ends on any input.
        place = item.parent.filter(|parent| *parent < place)?;
    }
}

/// The whole lines of a file that show its signatures, docs, types, constants, `use` and `mod` lines, the bodies
/// left out. With a line comment in each gap they are valid Rust wherever the file was.
pub fn skeleton(text: &str, syntax: &FileSyntax) -> Vec<LineRange> {
    fold::kept_lines(text, &syntax.folds)
}

#[cfg(test)]
mod tests;
