//! What the graph is asked.

use std::cmp::Reverse;
use std::collections::{BTreeMap, VecDeque};

use petgraph::Direction;
use petgraph::graph::NodeIndex;

use crate::lsp::Fact;
use crate::model::{Certainty, EdgeKind, FileId, Source, SymbolId, SymbolKind};

use super::build::{Graph, Weight};

/// A test reaches what it tests by at most one helper.
const TEST_STEPS: u32 = 2;

/// Items that are reached from another, each with the number of steps and how sure the way is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Neighbour {
    pub steps: u32,
    pub symbol: SymbolId,
    pub certainty: Certainty,
    /// Who says the last step.
    pub source: Source,
}

impl Graph {
    /// `crate_name::module::Type::method`, for a person. Of an `impl` the path of its type.
    pub fn module_path(&self, id: SymbolId) -> String {
        let module = self.module_of(id.file);
        let mut parts: Vec<&str> = Vec::new();
        let mut at = self.base.node(id).map(|node| node.index() as u32);
        while let Some(entry) = at.and_then(|node| self.base.nodes.entries.get(node as usize)) {
            if !matches!(entry.kind, SymbolKind::MacroCall | SymbolKind::ExternBlock) || parts.is_empty() {
                parts.push(self.name(entry.name));
            }
            at = entry.parent;
        }
        parts.extend(Some(module).filter(|module| !module.is_empty()));
        parts.reverse();
        parts.join("::")
    }

    /// `crate_name::module` of a file; empty where no crate has it.
    pub fn module_of(&self, file: FileId) -> &str {
        self.base.nodes.module_paths.get(file.index()).map_or("", String::as_str)
    }

    /// The edges of the text, by the files that they begin in: the numbers of their ends among all items, in the order of files and
    /// texts, and then the files.
    pub fn links(&self) -> impl Iterator<Item = (u32, u32, Certainty)> + '_ {
        let number = |node: NodeIndex| node.index() as u32;
        let edges = self.base.graph.raw_edges().iter();
        edges.map(move |edge| (number(edge.source()), number(edge.target()), edge.weight.certainty))
    }

    fn name(&self, name: u32) -> &str {
        self.base.nodes.names.get(name as usize).map_or("", |name| name)
    }

    /// The items that a name or a path may mean, a `()` at its end left out: those whose own path ends so, else those whose
    /// path has its parts in that order. `impl`s are not among them.
    pub fn definitions(&self, path: &str) -> Vec<SymbolId> {
        let path = path.trim().trim_end_matches("()");
        let parts = path.split("::").map(str::trim).filter(|part| !part.is_empty() && *part != "crate");
        let parts: Vec<&str> = parts.collect();
        let Some((last, qualifier)) = parts.split_last() else { return Vec::new() };
        let named = self
            .base
            .nodes
            .by_name
            .get(*last)
            .into_iter()
            .flatten()
            .copied()
            .filter(|node| self.is_definition(*node));
        let paths: Vec<(SymbolId, String)> = named
            .map(|node| self.base.id(NodeIndex::new(node as usize)))
            .map(|id| (id, self.module_path(id)))
            .collect();
        let chosen = |fits: fn(&str, &[&str]) -> bool| -> Vec<SymbolId> {
            paths.iter().filter(|(_, path)| fits(path, qualifier)).map(|(id, _)| *id).collect()
        };
        let exact = chosen(ends_with);
        if exact.is_empty() { chosen(holds_in_order) } else { exact }
    }

    fn is_definition(&self, node: u32) -> bool {
        let entry = self.base.nodes.entries.get(node as usize);
        entry.is_some_and(|entry| !matches!(entry.kind, SymbolKind::Impl | SymbolKind::MacroCall))
    }

    /// The items that call it.
    pub fn callers_of(&self, id: SymbolId) -> Vec<Fact> {
        self.facts(id, Direction::Incoming, |weight| weight.kind == EdgeKind::Calls)
    }

    /// The items that it calls.
    pub fn callees_of(&self, id: SymbolId) -> Vec<Fact> {
        self.facts(id, Direction::Outgoing, |weight| weight.kind == EdgeKind::Calls)
    }

    /// The items that name it in any way, or files that do so at their top.
    pub fn usages_of(&self, id: SymbolId) -> Vec<Fact> {
        self.facts(id, Direction::Incoming, |weight| {
            matches!(weight.kind, EdgeKind::Calls | EdgeKind::Uses | EdgeKind::Imports | EdgeKind::Implements)
        })
    }

    /// The items that it names in any way.
    pub fn named_by(&self, id: SymbolId) -> Vec<Fact> {
        self.facts(id, Direction::Outgoing, |weight| {
            matches!(weight.kind, EdgeKind::Calls | EdgeKind::Uses | EdgeKind::Imports | EdgeKind::Implements)
        })
    }

    /// Of a trait its `impl`s, of a type those for it, of a trait's method its implementations.
    pub fn implementations_of(&self, id: SymbolId) -> Vec<Fact> {
        let mut facts = self.facts(id, Direction::Incoming, |weight| weight.kind == EdgeKind::Implements);
        let of_type =
            self.base.node(id).and_then(|node| self.base.nodes.impls_of_type.get(&(node.index() as u32)));
        facts.extend(of_type.into_iter().flatten().map(|node| Fact {
            symbol: self.base.id(NodeIndex::new(*node as usize)),
            certainty: Certainty::Resolved,
            source: Source::Graph,
        }));
        best(facts)
    }

    /// The methods of a type or a trait.
    pub fn methods_of(&self, id: SymbolId) -> Vec<Fact> {
        let owners =
            std::iter::once(id).chain(self.implementations_of(id).into_iter().map(|fact| fact.symbol));
        let is_own = |owner: &SymbolId| *owner == id || self.kind(id) != Some(SymbolKind::Trait);
        let defined = owners.filter(is_own).flat_map(|owner| {
            self.facts(owner, Direction::Outgoing, |weight| weight.kind == EdgeKind::Defines)
        });
        best(defined.filter(|fact| self.kind(fact.symbol) == Some(SymbolKind::Method)).collect())
    }

    fn kind(&self, id: SymbolId) -> Option<SymbolKind> {
        Some(self.base.nodes.entries.get(self.base.node(id)?.index())?.kind)
    }

    /// The tests that reach it directly or by one helper. For a type, also those that reach its methods.
    pub fn tests_of(&self, id: SymbolId) -> Vec<Fact> {
        let wanted = |weight: Weight| matches!(weight.kind, EdgeKind::Calls | EdgeKind::Uses);
        let mut starts = vec![id];
        if matches!(
            self.kind(id),
            Some(SymbolKind::Struct | SymbolKind::Enum | SymbolKind::Trait | SymbolKind::Union)
        ) {
            starts.extend(self.methods_of(id).into_iter().map(|fact| fact.symbol));
        }
        let near =
            starts.iter().flat_map(|start| self.reached(*start, Direction::Incoming, TEST_STEPS, wanted));
        let tests = near.filter(|it| self.is_test_function(it.symbol));
        let mut facts: Vec<Fact> =
            tests.map(|it| Fact { symbol: it.symbol, certainty: it.certainty, source: it.source }).collect();
        let told = self.facts(id, Direction::Incoming, |weight| weight.kind == EdgeKind::Tests);
        facts.extend(told.into_iter().filter(|fact| self.is_test_function(fact.symbol)));
        best(facts)
    }

    fn is_test_function(&self, id: SymbolId) -> bool {
        let entry = self.base.node(id).and_then(|node| self.base.nodes.entries.get(node.index()));
        // Helpers of tests are marked as they are, but nobody calls a test.
        entry.is_some_and(|entry| entry.is_test && entry.kind == SymbolKind::Function)
            && self.callers_of(id).is_empty()
    }

    /// Of a method in an `impl` of a trait: the trait's own.
    pub fn declarations_of(&self, id: SymbolId) -> Vec<Fact> {
        let is_method = |fact: &Fact| self.kind(fact.symbol) == Some(SymbolKind::Method);
        let mut facts = self.facts(id, Direction::Outgoing, |weight| weight.kind == EdgeKind::Implements);
        facts.retain(is_method);
        facts
    }

    /// The types that an item's signature names: of a function its parameters' and result's, of a type its fields'.
    pub fn types_of(&self, id: SymbolId) -> Vec<Fact> {
        let Some(node) = self.base.node(id) else { return Vec::new() };
        let Some(entry) = self.base.nodes.entries.get(node.index()) else { return Vec::new() };
        let body = self.base.signature_ends.get(node.index()).copied().unwrap_or(0);
        let has_fields = matches!(
            entry.kind,
            SymbolKind::Struct | SymbolKind::Enum | SymbolKind::Union | SymbolKind::Variant
        );
        let mut facts = self
            .facts(id, Direction::Outgoing, |weight| weight.kind == EdgeKind::Uses && weight.at.start < body);
        if has_fields {
            let parts = self.facts(id, Direction::Outgoing, |weight| weight.kind == EdgeKind::Defines);
            facts.extend(parts.iter().flat_map(|part| self.types_of(part.symbol)));
        }
        let is_type = |fact: &Fact| {
            matches!(
                self.kind(fact.symbol),
                Some(
                    SymbolKind::Struct
                        | SymbolKind::Enum
                        | SymbolKind::Union
                        | SymbolKind::Trait
                        | SymbolKind::TypeAlias
                )
            )
        };
        best(facts.into_iter().filter(is_type).collect())
    }

    /// What is reached within `steps` of an item, both ways along calls, uses and implementations, nearest first.
    pub fn neighbours(&self, id: SymbolId, steps: u32) -> Vec<Neighbour> {
        let wanted =
            |weight: Weight| matches!(weight.kind, EdgeKind::Calls | EdgeKind::Uses | EdgeKind::Implements);
        let mut nearest: BTreeMap<SymbolId, Neighbour> = BTreeMap::new();
        for direction in [Direction::Outgoing, Direction::Incoming] {
            for it in self.reached(id, direction, steps, wanted) {
                let known = nearest.entry(it.symbol).or_insert(it);
                *known = (*known).min(it);
            }
        }
        let mut neighbours: Vec<Neighbour> = nearest.into_values().collect();
        neighbours.sort_unstable();
        neighbours
    }

    /// The files that a file names in its `use` and `mod` items.
    pub fn imports(&self, file: FileId) -> &[FileId] {
        self.base.nodes.imports.get(file.index()).map_or(&[], Vec::as_slice)
    }

    fn reached(
        &self,
        id: SymbolId,
        direction: Direction,
        steps: u32,
        wanted: impl Fn(Weight) -> bool,
    ) -> Vec<Neighbour> {
        let Some(start) = self.base.node(id) else { return Vec::new() };
        let mut seen: BTreeMap<NodeIndex, (u32, Certainty, Source)> =
            BTreeMap::from([(start, (0, Certainty::Resolved, Source::Graph))]);
        let mut waiting = VecDeque::from([start]);
        while let Some(node) = waiting.pop_front() {
            let Some((taken, sure, _)) = seen.get(&node).copied().filter(|(taken, ..)| *taken < steps) else {
                continue;
            };
            for (other, weight, source) in
                self.edges_of(node, direction).filter(|(_, weight, _)| wanted(*weight))
            {
                let certainty = sure.min(weight.certainty);
                match seen.get_mut(&other) {
                    None => {
                        seen.insert(other, (taken + 1, certainty, source));
                        waiting.push_back(other);
                    }
                    Some((known, surest, by)) if *known == taken + 1 => {
                        (*surest, *by) = (*surest, *by).max((certainty, source));
                    }
                    Some(_) => {}
                }
            }
        }
        seen.remove(&start);
        let reached = seen.into_iter();
        reached
            .map(|(node, (steps, certainty, source))| Neighbour {
                steps,
                symbol: self.base.id(node),
                certainty,
                source,
            })
            .collect()
    }

    pub(super) fn facts(
        &self,
        id: SymbolId,
        direction: Direction,
        wanted: impl Fn(Weight) -> bool,
    ) -> Vec<Fact> {
        let Some(node) = self.base.node(id) else { return Vec::new() };
        let edges = self.edges_of(node, direction).filter(|(_, weight, _)| wanted(*weight));
        let fact = |(other, weight, source): (NodeIndex, Weight, Source)| Fact {
            symbol: self.base.id(other),
            certainty: weight.certainty,
            source,
        };
        best(edges.map(fact).collect())
    }
}

/// Sorted, each item once, with the surest of what is known of it.
fn best(mut facts: Vec<Fact>) -> Vec<Fact> {
    facts.sort_unstable_by_key(|fact| (fact.symbol, Reverse((fact.certainty, fact.source))));
    facts.dedup_by_key(|fact| fact.symbol);
    facts
}

/// Whether the parts in front of a path's last one end with these.
fn ends_with(path: &str, qualifier: &[&str]) -> bool {
    let mut around = path.split("::").collect::<Vec<_>>().into_iter().rev().skip(1);
    qualifier.iter().rev().all(|wanted| around.next() == Some(*wanted))
}

/// Whether they are among them, in their order.
fn holds_in_order(path: &str, qualifier: &[&str]) -> bool {
    let mut around = path.split("::").collect::<Vec<_>>().into_iter().rev().skip(1);
    qualifier.iter().rev().all(|wanted| around.any(|part| part == *wanted))
}
