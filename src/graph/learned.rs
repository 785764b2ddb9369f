//! What a language server says, laid over what the text says: an edge is confirmed, denied or added.
//!
//! A server speaks of places: «here stands the name of that item». So what it says is kept by place, and the edges of the
//! text that begin at a place are judged by it. The graph of the text itself is never changed: it is shared.

use std::collections::BTreeSet;
use std::sync::Arc;

use petgraph::Direction;
use petgraph::graph::{EdgeIndex, NodeIndex};
use petgraph::visit::EdgeRef;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::model::{Certainty, Edge, EdgeKind, FileId, Source, Span, SymbolId};

use super::answers::{Made, Taught};
use super::build::{Base, Graph, Weight};

/// Where a name stands: its file and the offset of its first byte.
pub(super) type Site = (FileId, u32);

/// What is named at a place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Truth {
    targets: Vec<NodeIndex>,
    /// Whether these are all: then what the text says beside them is wrong.
    is_whole: bool,
}

/// Everything that was learned of one snapshot.
#[derive(Debug, Clone, Default)]
pub(super) struct Learned {
    source: Option<Source>,
    sites: FxHashMap<Site, Truth>,
    /// Edges that belong to no place: implementations, tests.
    pairs: FxHashSet<(NodeIndex, NodeIndex, EdgeKind)>,
    /// What the text does not say, by the node at which it begins and by that at which it ends.
    added_from: FxHashMap<NodeIndex, Vec<(NodeIndex, Weight)>>,
    added_to: FxHashMap<NodeIndex, Vec<(NodeIndex, Weight)>>,
    /// What of it may be kept.
    pub(super) taught: BTreeSet<Taught>,
    pub(super) made: BTreeSet<Made>,
}

impl Learned {
    fn judged(&self, base: &Base, edge: EdgeIndex) -> Option<(Weight, Source)> {
        let weight = *base.graph.edge_weight(edge)?;
        let Some(source) = self.source else { return Some((weight, Source::Graph)) };
        let (from, to) = base.graph.edge_endpoints(edge)?;
        let confirmed = (Weight { certainty: Certainty::Resolved, ..weight }, source);
        if self.pairs.contains(&(from, to, weight.kind)) {
            return Some(confirmed);
        }
        let truth = match has_place(weight.kind) {
            true => self.sites.get(&(base.id(from).file, weight.at.start)),
            false => None,
        };
        match truth {
            Some(truth) if truth.targets.contains(&to) => Some(confirmed),
            Some(truth) if truth.is_whole => None,
            _ => Some((weight, Source::Graph)),
        }
    }

    fn add(&mut self, from: NodeIndex, to: NodeIndex, weight: Weight) {
        let known = self.added_from.entry(from).or_default();
        if known.contains(&(to, weight)) {
            return;
        }
        known.push((to, weight));
        self.added_to.entry(to).or_default().push((from, weight));
    }
}

/// Whether an edge of this kind begins where its target is named.
fn has_place(kind: EdgeKind) -> bool {
    matches!(kind, EdgeKind::Calls | EdgeKind::Uses | EdgeKind::Imports | EdgeKind::Tests)
}

/// What is being learned: changes one graph, and no clone that was made of it before.
pub(super) struct Lesson<'a> {
    base: &'a Base,
    learned: &'a mut Learned,
}

impl Graph {
    /// Begins to learn from `source`.
    pub(super) fn lesson(&mut self, source: Source) -> Lesson<'_> {
        let learned = Arc::make_mut(&mut self.learned);
        learned.source = Some(source);
        Lesson { base: &self.base, learned }
    }

    /// Who says what was learned.
    pub(super) fn source(&self) -> Source {
        self.learned.source.unwrap_or(Source::Graph)
    }

    /// What a place was learned to name; nothing where nothing was learned of it, or no item is named.
    pub(super) fn is_learned(&self, site: Site) -> bool {
        self.learned.sites.get(&site).is_some_and(|truth| truth.is_whole)
    }

    pub(super) fn edges_of(
        &self,
        node: NodeIndex,
        direction: Direction,
    ) -> impl Iterator<Item = (NodeIndex, Weight, Source)> {
        let said = self.base.graph.edges_directed(node, direction).filter_map(move |edge| {
            let other = if direction == Direction::Outgoing { edge.target() } else { edge.source() };
            let (weight, source) = self.learned.judged(&self.base, edge.id())?;
            Some((other, weight, source))
        });
        let added = match direction {
            Direction::Outgoing => &self.learned.added_from,
            Direction::Incoming => &self.learned.added_to,
        };
        let source = self.source();
        said.chain(
            added.get(&node).into_iter().flatten().map(move |(other, weight)| (*other, *weight, source)),
        )
    }

    /// All edges, in the order of files and texts of what they begin at, then those that were learned beside them. An edge
    /// from a file's top has `WHOLE_FILE` as its item.
    pub fn edges(&self) -> impl Iterator<Item = Edge> + '_ {
        let edge = |from, to, weight: Weight| {
            let Weight { kind, certainty, at } = weight;
            Edge { from: self.base.id(from), to: self.base.id(to), kind, certainty, at }
        };
        let said = self.base.graph.edge_references().filter_map(move |it| {
            let (weight, _) = self.learned.judged(&self.base, it.id())?;
            Some(edge(it.source(), it.target(), weight))
        });
        let mut added: Vec<Edge> = self
            .learned
            .added_from
            .iter()
            .flat_map(|(from, edges)| edges.iter().map(move |(to, weight)| edge(*from, *to, *weight)))
            .collect();
        added.sort_by_key(|edge| (edge.from, edge.at.start, edge.to, edge.kind));
        said.chain(added)
    }
}

impl Lesson<'_> {
    /// At `at` in the file of `from`, `from` names `to`, and perhaps others.
    pub(super) fn names(&mut self, from: SymbolId, to: SymbolId, kind: EdgeKind, at: Span) {
        let (Some(from_node), Some(to_node)) = (self.base.node(from), self.base.node(to)) else { return };
        let truth = self.learned.sites.entry((from.file, at.start)).or_default();
        if !truth.targets.contains(&to_node) {
            truth.targets.push(to_node);
            self.learned.taught.insert(Taught { from, to, kind, at, is_named: true });
        }
        let mut between = self.base.graph.edges_connecting(from_node, to_node);
        let is_said = between.any(|edge| has_place(edge.weight().kind) && edge.weight().at.start == at.start);
        let is_added = || {
            let added = self.learned.added_from.get(&from_node);
            added.is_some_and(|added| {
                added.iter().any(|(to, weight)| *to == to_node && weight.at.start == at.start)
            })
        };
        if is_said || from_node == to_node || is_added() {
            return;
        }
        let weight = Weight { kind, certainty: Certainty::Resolved, at };
        self.learned.add(from_node, to_node, weight);
        if kind == EdgeKind::Calls && self.base.is_test(from_node) && !self.base.is_test(to_node) {
            self.learned.add(from_node, to_node, Weight { kind: EdgeKind::Tests, ..weight });
        }
    }

    /// What was told to be named at this place is all that is named there.
    pub(super) fn is_all(&mut self, site: Site) {
        self.learned.sites.entry(site).or_default().is_whole = true;
    }

    /// `from` implements or tests `to`.
    pub(super) fn pair(&mut self, from: SymbolId, to: SymbolId, kind: EdgeKind, at: Span) {
        let taught = Taught { from, to, kind, at, is_named: false };
        let (Some(from), Some(to)) = (self.base.node(from), self.base.node(to)) else { return };
        if from == to || !self.learned.pairs.insert((from, to, kind)) {
            return;
        }
        self.learned.taught.insert(taught);
        if self.base.graph.edges_connecting(from, to).all(|edge| edge.weight().kind != kind) {
            self.learned.add(from, to, Weight { kind, certainty: Certainty::Resolved, at });
        }
    }

    /// A macro's call makes an item of that name.
    pub(super) fn makes(&mut self, made: Made) {
        if self.base.node(made.by).is_some() {
            self.learned.made.insert(made);
        }
    }
}
