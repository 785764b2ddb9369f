//! The local variables in force, each with the value that it was bound to.

use rustc_hash::FxHashMap;

use super::ValueId;

/// Later bindings of a name hide earlier ones until their block ends.
#[derive(Default)]
pub(super) struct Locals<'t> {
    bound: FxHashMap<&'t str, Vec<Option<ValueId>>>,
    /// The names in the order of their binding, so that a block can take back its own.
    order: Vec<&'t str>,
}

impl<'t> Locals<'t> {
    pub fn bind(&mut self, name: &'t str, value: Option<ValueId>) {
        self.bound.entry(name).or_default().push(value);
        self.order.push(name);
    }

    /// Whether the name is a local variable, and what it was bound to.
    pub fn get(&self, name: &str) -> Option<Option<ValueId>> {
        self.bound.get(name)?.last().copied()
    }

    /// To be handed to `leave` at the end of a block.
    pub fn enter(&self) -> usize {
        self.order.len()
    }

    pub fn leave(&mut self, mark: usize) {
        for name in self.order.drain(mark.min(self.order.len())..) {
            if let Some(values) = self.bound.get_mut(name) {
                values.pop();
            }
        }
    }
}
