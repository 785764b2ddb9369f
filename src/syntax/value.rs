//! What the text shows of the types in a function's body: one small graph of values per file, in one list.
//!
//! Names of local variables are followed to what they were bound to, so no value names one. A value names
//! others by their places in the list; what a path or a method means is for whoever knows the other files.

use serde::{Deserialize, Serialize};

use super::TypeRef;

/// The place of a value in `Body::values`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ValueId(pub u32);

/// Where the type of an expression or of a pattern's part comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Value {
    /// Nothing is shown.
    Unknown,
    /// `self`.
    SelfValue,
    /// A type is written: of a parameter, a `let`, a cast, a struct literal.
    Typed(Box<TypeRef>),
    /// A path that is no local variable: a constant, a unit struct, a function; by its place in the list of references.
    Path(u32),
    /// The call of a path, by its place in the list of references.
    Call {
        reference: u32,
        arguments: Box<[Option<ValueId>]>,
    },
    /// The call of something that is no path: a closure in a variable or a field.
    CallValue(ValueId),
    /// A method call, by its place in the list of references, where its receiver stands.
    Method {
        reference: u32,
        arguments: Box<[Option<ValueId>]>,
    },
    /// A named field, by its place in the list of references, where its receiver stands.
    Field(u32),
    /// `base.0`, a part of a tuple that a pattern takes apart.
    Part {
        base: ValueId,
        index: u32,
    },
    /// What a pattern takes out of a variant or a struct, by the place of its path in the list of references.
    Payload {
        base: ValueId,
        reference: u32,
        field: PayloadField,
    },
    Tuple(Box<[Option<ValueId>]>),
    /// An array or a slice, by one of its elements.
    Array(Option<ValueId>),
    /// What a `for` loop or a slice pattern takes out of it.
    Element(ValueId),
    Index(ValueId),
    /// `base?`
    Try(ValueId),
    Await(ValueId),
    /// A closure, by what it gives back.
    Closure(Option<ValueId>),
    /// The parameter at `parameter` of a closure that is the argument at `argument` of a call.
    ClosureParameter {
        call: ValueId,
        argument: u32,
        parameter: u32,
    },
    /// The branches of an `if` or a `match`: all of one type.
    OneOf(Box<[ValueId]>),
    /// The call of a macro, by its place in the list of references.
    Macro {
        reference: u32,
        arguments: Box<[Option<ValueId>]>,
    },
    Literal(Literal),
}

impl Value {
    /// Hands out every place that it names: of other values, and in the list of references.
    pub(super) fn for_each_place(
        &mut self,
        value: &mut impl FnMut(&mut ValueId),
        reference: &mut impl FnMut(&mut u32),
    ) {
        match self {
            Value::Unknown | Value::SelfValue | Value::Typed(_) | Value::Literal(_) => {}
            Value::Path(at) | Value::Field(at) => reference(at),
            Value::Call { reference: at, arguments }
            | Value::Method { reference: at, arguments }
            | Value::Macro { reference: at, arguments } => {
                reference(at);
                arguments.iter_mut().flatten().for_each(value);
            }
            Value::CallValue(of) | Value::Element(of) | Value::Index(of) => value(of),
            Value::Try(of) | Value::Await(of) | Value::Part { base: of, index: _ } => value(of),
            Value::Payload { base, reference: at, field } => {
                value(base);
                reference(at);
                if let PayloadField::Named(named) = field {
                    reference(named);
                }
            }
            Value::Tuple(parts) => parts.iter_mut().flatten().for_each(value),
            Value::Array(of) | Value::Closure(of) => of.iter_mut().for_each(value),
            Value::ClosureParameter { call, argument: _, parameter: _ } => value(call),
            Value::OneOf(branches) => branches.iter_mut().for_each(value),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum PayloadField {
    /// Its place among the fields of a tuple struct or variant.
    Index(u32),
    /// The place in the list of references where the field is named.
    Named(u32),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Literal {
    Text,
    Bytes,
    Char,
    Bool,
    Number,
}
