//! A body as it is kept: each name once, each kind of number in a list of its own, places as steps from the one before. That
//! halves it, and what packs it afterwards finds more that repeats.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::{Body, Receiver, Reference, ReferenceKind, TypeArguments, Value, ValueId};
use crate::model::Span;

/// What a `Body` is made from again.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct KeptBody {
    names: Vec<String>,
    kinds: Vec<ReferenceKind>,
    /// How many names each path has; and the paths one after the other, by places in `names`.
    path_lens: Vec<u8>,
    paths: Vec<u32>,
    starts: Vec<u32>,
    lens: Vec<u32>,
    scopes: Vec<Option<u32>>,
    receivers: Vec<Receiver>,
    type_arguments: Vec<TypeArguments>,
    values: Vec<Value>,
}

impl Body {
    /// `None` for what no text gives: a path of more than 255 names.
    pub fn to_kept(&self) -> Option<KeptBody> {
        let mut kept = KeptBody { type_arguments: self.type_arguments.clone(), ..KeptBody::default() };
        let mut places: FxHashMap<&str, u32> = FxHashMap::default();
        let (mut start, mut receiver) = (Steps::default(), Steps::default());
        for reference in &self.references {
            let Reference { kind, path, at, scope, receiver: of } = reference;
            kept.kinds.push(*kind);
            kept.path_lens.push(path.len().try_into().ok()?);
            for name in path {
                let next = kept.names.len() as u32;
                let place = *places.entry(name).or_insert(next);
                if place == next {
                    kept.names.push(name.clone());
                }
                kept.paths.push(place);
            }
            kept.starts.push(start.from(at.start));
            kept.lens.push(at.len());
            kept.scopes.push(*scope);
            kept.receivers.push(with_value(*of, |id| receiver.from(id)));
        }
        let mut reference = Steps::default();
        kept.values = self.values.clone();
        for (own, value) in (0u32..).zip(&mut kept.values) {
            value.for_each_place(&mut |id| id.0 = zigzag(own.wrapping_sub(id.0)), &mut |place| {
                *place = reference.from(*place)
            });
        }
        Some(kept)
    }
}

impl KeptBody {
    /// The body again. `None` where it cannot be one.
    pub fn open(self) -> Option<Body> {
        let count = self.kinds.len();
        let lens = [self.path_lens.len(), self.starts.len(), self.lens.len(), self.scopes.len()];
        if lens.iter().chain([&self.receivers.len()]).any(|len| *len != count) {
            return None;
        }
        let (mut start, mut receiver) = (Steps::default(), Steps::default());
        let mut paths = self.paths.iter();
        let mut references = Vec::with_capacity(count);
        for index in 0..count {
            let names = paths.by_ref().take(self.path_lens[index].into());
            let names = names.map(|place| self.names.get(*place as usize).cloned());
            let begin = start.to(self.starts[index]);
            references.push(Reference {
                kind: self.kinds[index],
                path: names.collect::<Option<_>>()?,
                at: Span::new(begin, begin.checked_add(self.lens[index])?),
                scope: self.scopes[index],
                receiver: with_value(self.receivers[index], |step| receiver.to(step)),
            });
        }
        let (mut reference, mut values) = (Steps::default(), self.values);
        for (own, value) in (0u32..).zip(&mut values) {
            value.for_each_place(&mut |id| id.0 = own.wrapping_sub(unzigzag(id.0)), &mut |step| {
                *step = reference.to(*step)
            });
        }
        Some(Body { references, type_arguments: self.type_arguments, values })
    }
}

fn with_value(receiver: Receiver, mut change: impl FnMut(u32) -> u32) -> Receiver {
    match receiver {
        Receiver::Unknown | Receiver::SelfValue => receiver,
        Receiver::Typed(id) => Receiver::Typed(ValueId(change(id.0))),
        Receiver::Field(id) => Receiver::Field(ValueId(change(id.0))),
        Receiver::CallOf(id) => Receiver::CallOf(ValueId(change(id.0))),
        Receiver::MethodOf(id) => Receiver::MethodOf(ValueId(change(id.0))),
    }
}

/// Numbers that grow as a rule, as steps from one to the next.
#[derive(Default)]
struct Steps {
    last: u32,
}

impl Steps {
    /// The step to a number.
    fn from(&mut self, number: u32) -> u32 {
        let step = number.wrapping_sub(self.last);
        self.last = number;
        zigzag(step)
    }

    /// The number that a step leads to.
    fn to(&mut self, step: u32) -> u32 {
        self.last = self.last.wrapping_add(unzigzag(step));
        self.last
    }
}

/// Small numbers for small steps, whichever way they lead.
fn zigzag(step: u32) -> u32 {
    (step << 1) ^ ((step as i32 >> 31) as u32)
}

fn unzigzag(step: u32) -> u32 {
    (step >> 1) ^ (step & 1).wrapping_neg()
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    #[test]
    fn a_body_comes_back_as_it_was() {
        // This very file has most of what there is.
        let body = parse(include_str!("kept.rs")).body;
        assert!(body.references.len() > 100 && body.values.len() > 100);
        assert_eq!(body.to_kept().and_then(KeptBody::open), Some(body));
    }

    #[test]
    fn steps_lead_back_whichever_way() {
        let numbers = [5, 0, u32::MAX, 7, 7];
        let (mut from, mut to) = (Steps::default(), Steps::default());
        assert_eq!(numbers.map(|number| to.to(from.from(number))), numbers);
        assert_eq!([0, 1, u32::MAX, 2].map(zigzag), [0, 2, 1, 4]);
    }

    #[test]
    fn what_cannot_be_a_body_is_none() {
        let kept = KeptBody { kinds: vec![ReferenceKind::Call], ..KeptBody::default() };
        assert_eq!(kept.open(), None);
    }
}
