//! The graph itself, and how it is built.

use std::sync::Arc;

use petgraph::graph::NodeIndex;
use serde::{Deserialize, Serialize};

use crate::model::{Certainty, EdgeKind, Span, SymbolId};
use crate::syntax::{Body, FileSyntax};
use crate::text::Digest;
use crate::workspace::Snapshot;

use super::frame::Frame;
use super::learned::Learned;
use super::link::{self, Link, Start};
use super::nodes::Nodes;

/// Stands for an item where an edge begins at a file's top, outside all its items.
pub const WHOLE_FILE: u32 = u32::MAX;

/// What an edge says beside its ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Weight {
    pub kind: EdgeKind,
    pub certainty: Certainty,
    pub at: Span,
}

/// How the items of one snapshot hang together. A clone is cheap and learns nothing from what its original learns later.
#[derive(Debug, Clone, Default)]
pub struct Graph {
    pub(super) base: Arc<Base>,
    pub(super) learned: Arc<Learned>,
}

/// What the text says. Nodes are the items of the snapshot, in the order of files and texts, then its files.
#[derive(Debug, Default)]
pub(super) struct Base {
    /// What was seen of the files from outside, when their edges were found.
    pub(super) environment: Digest,
    /// In the order of the files that the edges begin in.
    pub(super) graph: petgraph::Graph<(), Weight>,
    pub(super) nodes: Arc<Nodes>,
    /// Where the signature of each item ends, in bytes.
    pub(super) signature_ends: Vec<u32>,
    /// What edges are found by, where they were found in this process.
    pub(super) frame: Option<Arc<Frame>>,
}

impl Graph {
    /// Builds the graph of a snapshot; `files` and their bodies by `FileId`, `None` for what is not Rust.
    pub fn build(
        snapshot: &Snapshot,
        files: &[Option<Arc<FileSyntax>>],
        bodies: &[Option<Arc<Body>>],
    ) -> Graph {
        Graph::update(&Graph::default(), snapshot, files, bodies)
    }

    /// The same where `earlier` is the graph of an earlier snapshot with the same environment: the edges of files without a
    /// body are taken from there. In another environment every file needs its body.
    pub fn update(
        earlier: &Graph,
        snapshot: &Snapshot,
        files: &[Option<Arc<FileSyntax>>],
        bodies: &[Option<Arc<Body>>],
    ) -> Graph {
        let environment = environment(snapshot, files);
        let earlier = Some(&*earlier.base).filter(|base| base.environment == environment);
        let base = Base { environment, ..Base::build(earlier, snapshot, files, bodies) };
        Graph { base: Arc::new(base), learned: Arc::default() }
    }

    /// What was seen of the files from outside, when this graph was built.
    pub fn environment(&self) -> Digest {
        self.base.environment
    }
}

/// What the meaning of a name in one file depends on in all the others: their paths, the packages, and what is seen of each from
/// outside. Where it is the same, the items have the same numbers too.
pub fn environment(snapshot: &Snapshot, files: &[Option<Arc<FileSyntax>>]) -> Digest {
    let packages = postcard::to_stdvec(&snapshot.packages).unwrap_or_default();
    let mut pieces: Vec<&[u8]> = vec![&packages];
    for (file, syntax) in snapshot.files.iter().zip(files) {
        pieces.push(file.path.as_bytes());
        pieces.push(syntax.as_ref().map_or(&[], |syntax| syntax.interface.as_bytes()));
    }
    Digest::of_all(pieces)
}

impl Base {
    fn build(
        earlier: Option<&Base>,
        snapshot: &Snapshot,
        files: &[Option<Arc<FileSyntax>>],
        bodies: &[Option<Arc<Body>>],
    ) -> Base {
        let known = earlier.and_then(|earlier| earlier.frame.clone());
        let frame = known.unwrap_or_else(|| Arc::new(Frame::new(snapshot, files)));
        let items = frame.items(files);
        let links = link::links(frame.world(&items), bodies);
        let nodes = match earlier {
            Some(earlier) => Arc::clone(&earlier.nodes),
            None => Arc::new(Nodes::new(&frame, &items, files, &links)),
        };
        let edges = earlier.map_or(&[][..], |earlier| earlier.graph.raw_edges());
        let signature_ends = signature_ends(earlier, &nodes, files, bodies);
        let mut base = Base { frame: Some(frame), signature_ends, ..Base::without_edges(nodes, files.len()) };
        base.graph.reserve_edges(edges.len() + links.iter().map(|(_, links)| links.len()).sum::<usize>());
        let mut links = links.into_iter().peekable();
        let mut kept = edges.iter().peekable();
        for id in snapshot.ids() {
            let nodes = Arc::clone(&base.nodes);
            let own = std::iter::from_fn(|| kept.next_if(|edge| nodes.is_of(edge.source(), id)));
            match links.next_if(|(file, _)| *file == id) {
                Some((_, links)) => {
                    own.for_each(drop);
                    links.into_iter().for_each(|link| base.add(link));
                }
                // The nodes have the same numbers.
                None => own.for_each(|edge| {
                    base.graph.add_edge(edge.source(), edge.target(), edge.weight);
                }),
            }
        }
        base
    }

    pub(super) fn without_edges(nodes: Arc<Nodes>, files: usize) -> Base {
        let count = nodes.entries.len() + files;
        let mut graph = petgraph::Graph::with_capacity(count, 0);
        (0..count).for_each(|_| {
            graph.add_node(());
        });
        Base { graph, nodes, ..Base::default() }
    }

    fn add(&mut self, link: Link) {
        let from = match link.from {
            Start::Item(item) => item.0,
            Start::File(file) => self.nodes.file_node(file),
        };
        let (kind, certainty, at) = (link.kind, link.certainty, link.at);
        let (from, to) = (NodeIndex::new(from as usize), NodeIndex::new(link.to.0 as usize));
        self.graph.add_edge(from, to, Weight { kind, certainty, at });
        if kind == EdgeKind::Calls && self.is_test(from) && !self.is_test(to) {
            self.graph.add_edge(from, to, Weight { kind: EdgeKind::Tests, certainty, at });
        }
    }

    pub(super) fn is_test(&self, node: NodeIndex) -> bool {
        self.nodes.entries.get(node.index()).is_some_and(|entry| entry.is_test)
    }

    pub(super) fn node(&self, id: SymbolId) -> Option<NodeIndex> {
        self.nodes.node(id)
    }

    pub(super) fn id(&self, node: NodeIndex) -> SymbolId {
        self.nodes.id(node)
    }
}

/// Where the signature of each item ends; of files without a new body as `earlier` has it, where there is one.
fn signature_ends(
    earlier: Option<&Base>,
    nodes: &Nodes,
    files: &[Option<Arc<FileSyntax>>],
    bodies: &[Option<Arc<Body>>],
) -> Vec<u32> {
    let Some(earlier) = earlier else { return all_signature_ends(files) };
    let mut ends = earlier.signature_ends.clone();
    let new = (0..).zip(files).zip(bodies).filter(|(_, body)| body.is_some());
    for ((file, syntax), _) in new {
        let first = nodes.offsets.get(file).copied().unwrap_or_default() as usize;
        let items = syntax.iter().flat_map(|syntax| &syntax.items);
        ends.iter_mut().skip(first).zip(items).for_each(|(end, item)| *end = item.signature.end);
    }
    ends
}

pub(super) fn all_signature_ends(files: &[Option<Arc<FileSyntax>>]) -> Vec<u32> {
    let items = files.iter().flatten().flat_map(|syntax| &syntax.items);
    items.map(|item| item.signature.end).collect()
}
