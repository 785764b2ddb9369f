//! The graph itself, and how it is built.

use std::sync::Arc;

use petgraph::graph::{Edge, NodeIndex};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::model::{Certainty, EdgeKind, FileId, Span, SymbolId, SymbolKind};
use crate::syntax::{Body, FileSyntax};
use crate::text::Digest;
use crate::workspace::Snapshot;

use super::items::{Item, Items};
use super::learned::Learned;
use super::link::{self, Link, Start};
use super::lookup::Lookup;
use super::members::Members;
use super::method::World;
use super::modules::Modules;
use super::names::Names;
use super::scopes::Scopes;

/// Stands for an item where an edge begins at a file's top, outside all its items.
pub const WHOLE_FILE: u32 = u32::MAX;

/// What an edge says beside its ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Weight {
    pub kind: EdgeKind,
    pub certainty: Certainty,
    pub at: Span,
}

/// What the questions need to know of an item.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub kind: SymbolKind,
    pub name: u32,
    pub parent: Option<u32>,
    pub is_test: bool,
    /// Where its signature ends, in bytes.
    pub body: u32,
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
    pub(super) graph: petgraph::Graph<(), Weight>,
    /// The number of each file's first item, and that of all items.
    pub(super) offsets: Vec<u32>,
    pub(super) entries: Vec<Entry>,
    pub(super) names: Vec<Box<str>>,
    pub(super) by_name: FxHashMap<Box<str>, Vec<u32>>,
    /// Of a file: the path of its module, crate first.
    pub(super) module_paths: Vec<String>,
    /// The files that a file names in `use` and `mod` items.
    pub(super) imports: Vec<Vec<FileId>>,
    pub(super) impls_of_type: FxHashMap<u32, Vec<u32>>,
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
        let nothing = Base::default();
        let environment = environment(snapshot, files);
        let earlier = if earlier.environment() == environment { &earlier.base } else { &nothing };
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
        earlier: &Base,
        snapshot: &Snapshot,
        files: &[Option<Arc<FileSyntax>>],
        bodies: &[Option<Arc<Body>>],
    ) -> Base {
        let mut names = Names::new();
        let items = Items::new(files, &mut names);
        let modules = Modules::new(snapshot, &items, &mut names);
        let scopes = Scopes::new(&items, &modules, &mut names);
        names.intern_types(files);
        let lookup = Lookup { items: &items, modules: &modules, names: &names, scopes: &scopes };
        let members = Members::new(lookup);
        let links = link::links(World { lookup, members: &members }, bodies);

        let mut graph = Base::nodes(files);
        graph.module_paths = module_paths(&modules, &items, files.len());
        graph.impls_of_type = impls_of_type(&items, &members);
        graph.imports = vec![Vec::new(); files.len()];
        graph.declare_modules(&modules);
        let mut links = links.into_iter().peekable();
        let mut kept = earlier.graph.raw_edges().iter().peekable();
        for id in snapshot.ids() {
            let is_own = |edge: &&Edge<Weight>| earlier.id(edge.source()).file == id;
            let own = std::iter::from_fn(|| kept.next_if(is_own));
            match links.next_if(|(file, _)| *file == id) {
                Some((_, links)) => {
                    own.for_each(drop);
                    links.into_iter().for_each(|link| graph.add(id, link));
                }
                None => own.for_each(|edge| graph.take(id, edge)),
            }
        }
        graph.imports.iter_mut().for_each(|files| {
            files.sort_unstable();
            files.dedup();
        });
        graph
    }

    /// The graph without its edges.
    pub(super) fn nodes(files: &[Option<Arc<FileSyntax>>]) -> Base {
        let mut graph = Base::default();
        let mut name_places: FxHashMap<&str, u32> = FxHashMap::default();
        for syntax in files {
            let first = graph.entries.len() as u32;
            graph.offsets.push(first);
            for symbol in syntax.iter().flat_map(|syntax| &syntax.items) {
                let node = graph.graph.add_node(()).index() as u32;
                let next = graph.names.len() as u32;
                let name = *name_places.entry(&symbol.name).or_insert(next);
                if name == next {
                    graph.names.push(symbol.name.as_str().into());
                }
                graph.by_name.entry(symbol.name.as_str().into()).or_default().push(node);
                graph.entries.push(Entry {
                    kind: symbol.kind,
                    name,
                    parent: symbol.parent.map(|parent| first + parent),
                    is_test: symbol.is_test,
                    body: symbol.signature.end,
                });
            }
        }
        graph.offsets.push(graph.entries.len() as u32);
        for _ in files {
            graph.graph.add_node(());
        }
        graph
    }

    fn declare_modules(&mut self, modules: &Modules) {
        for id in modules.ids() {
            let Some(module) = modules.get(id).filter(|module| !module.inline) else { continue };
            let parent = module.parent.and_then(|parent| modules.get(parent));
            if let Some(files) = parent.and_then(|parent| self.imports.get_mut(parent.file.index())) {
                files.push(module.file);
            }
        }
    }

    fn add(&mut self, file: FileId, link: Link) {
        let from = match link.from {
            Start::Item(item) => item.0,
            Start::File(file) => self.file_node(file),
        };
        let (kind, certainty, at) = (link.kind, link.certainty, link.at);
        let (from, to) = (NodeIndex::new(from as usize), NodeIndex::new(link.to.0 as usize));
        self.add_edge(file, (from, to), Weight { kind, certainty, at });
        if kind == EdgeKind::Calls && self.is_test(from) && !self.is_test(to) {
            self.graph.add_edge(from, to, Weight { kind: EdgeKind::Tests, certainty, at });
        }
    }

    /// Takes over an edge of an earlier graph, whose nodes have the same numbers.
    fn take(&mut self, file: FileId, edge: &Edge<Weight>) {
        self.add_edge(file, (edge.source(), edge.target()), edge.weight);
    }

    fn add_edge(&mut self, file: FileId, (from, to): (NodeIndex, NodeIndex), weight: Weight) {
        self.graph.add_edge(from, to, weight);
        let target = self.id(to).file;
        if weight.kind == EdgeKind::Imports && target != file {
            self.imports.get_mut(file.index()).into_iter().for_each(|files| files.push(target));
        }
    }

    pub(super) fn is_test(&self, node: NodeIndex) -> bool {
        self.entries.get(node.index()).is_some_and(|entry| entry.is_test)
    }

    pub(super) fn file_node(&self, file: FileId) -> u32 {
        self.entries.len() as u32 + file.0
    }

    pub(super) fn node(&self, id: SymbolId) -> Option<NodeIndex> {
        let first = *self.offsets.get(id.file.index())?;
        let next = *self.offsets.get(id.file.index() + 1)?;
        if id.item == WHOLE_FILE {
            return Some(NodeIndex::new(self.file_node(id.file) as usize));
        }
        let node = first.checked_add(id.item).filter(|node| *node < next)?;
        Some(NodeIndex::new(node as usize))
    }

    pub(super) fn id(&self, node: NodeIndex) -> SymbolId {
        let node = node.index() as u32;
        if let Some(file) = node.checked_sub(self.entries.len() as u32) {
            return SymbolId { file: FileId(file), item: WHOLE_FILE };
        }
        let file = self.offsets.partition_point(|offset| *offset <= node).saturating_sub(1);
        let first = self.offsets.get(file).copied().unwrap_or(0);
        SymbolId { file: FileId(file as u32), item: node - first }
    }
}

fn module_paths(modules: &Modules, items: &Items<'_>, files: usize) -> Vec<String> {
    let mut paths = vec![String::new(); files];
    for id in modules.ids() {
        let Some(module) = modules.get(id).filter(|module| !module.inline) else { continue };
        let mut parts = Vec::new();
        let mut at = Some(id);
        while let Some(module) = at.and_then(|id| modules.get(id)) {
            parts.extend(module.item.and_then(|item| items.symbol(item)).map(|symbol| symbol.name.as_str()));
            at = module.parent;
        }
        parts.extend(modules.crate_of(id).map(|owner| owner.name.as_str()));
        parts.reverse();
        if let Some(path) = paths.get_mut(module.file.index()) {
            *path = parts.join("::");
        }
    }
    paths
}

fn impls_of_type(items: &Items<'_>, members: &Members) -> FxHashMap<u32, Vec<u32>> {
    let mut impls: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    for item in items.all().filter(|item| items.kind(*item) == Some(SymbolKind::Impl)) {
        let of: Option<Item> = members.signature(item).and_then(|signature| link::head(&signature.result));
        if let Some(of) = of {
            impls.entry(of.0).or_default().push(item.0);
        }
    }
    impls
}
