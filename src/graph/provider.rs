//! The graph as a source of facts about code: it answers at once, from the text alone.

use crate::lsp::{Fact, LanguageProvider};
use crate::model::{Certainty, Deadline, Source, SymbolId};

use super::build::{Graph, WHOLE_FILE};

impl LanguageProvider for Graph {
    fn definition(&self, path: &str, deadline: &Deadline) -> Vec<Fact> {
        if deadline.is_over() {
            return Vec::new();
        }
        let text = self.definitions(path).into_iter().map(|symbol| (symbol, Source::Graph));
        let made = self.made(path).into_iter().map(|symbol| (symbol, self.source()));
        let found: Vec<(SymbolId, Source)> = text.chain(made).collect();
        let certainty = if found.len() == 1 { Certainty::Resolved } else { Certainty::Guessed };
        found.into_iter().map(|(symbol, source)| Fact { symbol, certainty, source }).collect()
    }

    fn type_definition(&self, symbol: SymbolId, deadline: &Deadline) -> Vec<Fact> {
        unless_over(deadline, || self.types_of(symbol))
    }

    fn callers(&self, symbol: SymbolId, deadline: &Deadline) -> Vec<Fact> {
        unless_over(deadline, || self.callers_of(symbol))
    }

    fn callees(&self, symbol: SymbolId, deadline: &Deadline) -> Vec<Fact> {
        unless_over(deadline, || self.callees_of(symbol))
    }

    fn references(&self, symbol: SymbolId, deadline: &Deadline) -> Vec<Fact> {
        unless_over(deadline, || self.usages_of(symbol))
    }

    fn methods(&self, symbol: SymbolId, deadline: &Deadline) -> Vec<Fact> {
        unless_over(deadline, || self.methods_of(symbol))
    }

    fn implementations(&self, symbol: SymbolId, deadline: &Deadline) -> Vec<Fact> {
        unless_over(deadline, || self.implementations_of(symbol))
    }

    fn declarations(&self, symbol: SymbolId, deadline: &Deadline) -> Vec<Fact> {
        unless_over(deadline, || self.declarations_of(symbol))
    }

    fn tests(&self, symbol: SymbolId, deadline: &Deadline) -> Vec<Fact> {
        unless_over(deadline, || self.tests_of(symbol))
    }
}

/// A file's top is no item, so it is left out of the answers.
fn unless_over(deadline: &Deadline, answer: impl FnOnce() -> Vec<Fact>) -> Vec<Fact> {
    if deadline.is_over() {
        return Vec::new();
    }
    let mut facts = answer();
    facts.retain(|fact| fact.symbol.item != WHOLE_FILE);
    facts
}
