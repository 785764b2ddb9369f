//! The graph as it is kept: its edges and what took work to find out; the nodes follow from the items of the files.

use std::sync::Arc;

use petgraph::graph::NodeIndex;
use serde::{Deserialize, Serialize};

use super::build::{Base, Graph, Weight, all_signature_ends};
use super::nodes::Nodes;
use crate::model::{Certainty, EdgeKind, FileId, Span};
use crate::syntax::FileSyntax;
use crate::text::Digest;

/// What a `Graph` is made from again, together with the items. What a server said of it is not among it.
#[derive(Serialize, Deserialize)]
pub struct KeptGraph {
    environment: Digest,
    /// The edges, each of their numbers in a list of its own: so packed they take two thirds.
    from: Vec<u32>,
    to: Vec<u32>,
    kinds: Vec<(EdgeKind, Certainty)>,
    at: Vec<Span>,
    module_paths: Vec<String>,
    imports: Vec<Vec<FileId>>,
    impls_of_type: Vec<(u32, Vec<u32>)>,
}

impl Graph {
    pub fn to_kept(&self) -> KeptGraph {
        let Base { environment, graph, nodes, .. } = &*self.base;
        let Nodes { module_paths, imports, impls_of_type, .. } = &**nodes;
        let node = |node: NodeIndex| node.index() as u32;
        let edges = graph.raw_edges();
        let mut impls_of_type: Vec<(u32, Vec<u32>)> =
            impls_of_type.iter().map(|(of, impls)| (*of, impls.clone())).collect();
        impls_of_type.sort_unstable();
        KeptGraph {
            environment: *environment,
            from: edges.iter().map(|edge| node(edge.source())).collect(),
            to: edges.iter().map(|edge| node(edge.target())).collect(),
            kinds: edges.iter().map(|edge| (edge.weight.kind, edge.weight.certainty)).collect(),
            at: edges.iter().map(|edge| edge.weight.at).collect(),
            module_paths: module_paths.clone(),
            imports: imports.clone(),
            impls_of_type,
        }
    }
}

impl KeptGraph {
    /// The graph again, of the same files. `None` where it cannot be theirs.
    pub fn open(self, files: &[Option<Arc<FileSyntax>>]) -> Option<Graph> {
        let KeptGraph { environment, from, to, kinds, at, module_paths, imports, impls_of_type } = self;
        let of_items = Nodes::of_items(files);
        let items = of_items.entries.len();
        let count = items + files.len();
        let is_whole = module_paths.len() == files.len()
            && imports.len() == files.len()
            && imports.iter().flatten().all(|file| file.index() < files.len())
            && impls_of_type
                .iter()
                .all(|(of, impls)| impls.iter().chain([of]).all(|item| (*item as usize) < items))
            && [to.len(), kinds.len(), at.len()].iter().all(|len| *len == from.len())
            && from.iter().chain(&to).all(|node| (*node as usize) < count);
        if !is_whole {
            return None;
        }
        let impls_of_type = impls_of_type.into_iter().collect();
        let nodes = Nodes { module_paths, imports, impls_of_type, ..of_items };
        let signature_ends = all_signature_ends(files);
        let mut base =
            Base { environment, signature_ends, ..Base::without_edges(Arc::new(nodes), files.len()) };
        base.graph.reserve_edges(from.len());
        for (((from, to), (kind, certainty)), at) in from.into_iter().zip(to).zip(kinds).zip(at) {
            let (from, to) = (NodeIndex::new(from as usize), NodeIndex::new(to as usize));
            base.graph.add_edge(from, to, Weight { kind, certainty, at });
        }
        Some(Graph { base: Arc::new(base), learned: Arc::default() })
    }
}
