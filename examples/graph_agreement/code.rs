//! The workspace as text, syntax and edges, with the places in it counted as a language server counts them.

use std::collections::HashMap;
use std::sync::Arc;

use dossier::graph::{Graph, WHOLE_FILE};
use dossier::model::{Certainty, Edge, EdgeKind, FileId, FileKind, Span, Symbol, SymbolId, SymbolKind};
use dossier::pipeline::Workspace;
use dossier::syntax::{Body, FileSyntax, Reference, parse_all};
use dossier::text::LineIndex;
use dossier::workspace::Snapshot;

use crate::answers::{Place, Target};

pub struct Code<'a> {
    pub snapshot: &'a Snapshot,
    syntax: &'a [Option<Arc<FileSyntax>>],
    bodies: Vec<Option<Arc<Body>>>,
    edges: Vec<Edge>,
    /// The edges at a place, by file and offset.
    at: HashMap<(FileId, u32), Vec<usize>>,
    to: HashMap<SymbolId, Vec<usize>>,
}

impl<'a> Code<'a> {
    /// A workspace with the edges of `graph`: its own, or what became of that.
    pub fn new(workspace: &'a Workspace, graph: &Graph) -> Code<'a> {
        let edges: Vec<Edge> = graph.edges().collect();
        let (mut at, mut to) = (HashMap::<_, Vec<_>>::new(), HashMap::<_, Vec<_>>::new());
        let kind = |id: SymbolId| {
            let items = workspace.syntax[id.file.index()].iter().flat_map(|syntax| &syntax.items);
            items.map(|item| item.kind).nth(id.item as usize)
        };
        let names = |edge: &&Edge| names_its_target(edge.kind, kind(edge.from));
        for (index, edge) in edges.iter().enumerate().filter(|(_, edge)| names(edge)) {
            at.entry((edge.from.file, edge.at.start)).or_default().push(index);
            to.entry(edge.to).or_default().push(index);
        }
        let snapshot = &workspace.snapshot;
        let texts = snapshot.files.iter().map(|file| (file.kind == FileKind::Rust).then_some(&*file.text));
        let (_, bodies) = parse_all(&texts.collect::<Vec<_>>());
        Code { snapshot, syntax: &workspace.syntax, bodies, edges, at, to }
    }

    pub fn references(&self, file: FileId) -> &[Reference] {
        self.bodies[file.index()].as_ref().map_or(&[], |body| &body.references)
    }

    /// The item that a reference stands in, and its place.
    pub fn start_of(&self, site: (FileId, usize)) -> (SymbolId, Span) {
        let reference = self.reference(site);
        (SymbolId { file: site.0, item: reference.scope.unwrap_or(WHOLE_FILE) }, reference.at)
    }

    pub fn items(&self, file: FileId) -> &'a [Symbol] {
        self.syntax[file.index()].as_ref().map_or(&[], |syntax| &syntax.items)
    }

    pub fn reference(&self, site: (FileId, usize)) -> &Reference {
        &self.references(site.0)[site.1]
    }

    pub fn place(&self, file: FileId, offset: u32) -> Place {
        Code::place_in(self.snapshot, file, offset)
    }

    pub fn place_in(snapshot: &Snapshot, file: FileId, offset: u32) -> Place {
        let file = snapshot.file(file);
        let lines = LineIndex::new(&file.text);
        let line = lines.line(offset);
        Place { path: file.path.clone(), line, column: offset - lines.start(line) }
    }

    pub fn symbol(&self, id: SymbolId) -> &Symbol {
        &self.items(id.file)[id.item as usize]
    }

    pub fn symbol_place(&self, id: SymbolId) -> Place {
        self.place(id.file, self.symbol(id).name_span.start)
    }

    /// Whether a place in an answer is the name of an item.
    pub fn is_item(&self, target: &Target) -> bool {
        let file = target.path.as_ref().and_then(|path| self.snapshot.find(path));
        file.is_some_and(|file| {
            let mut names = self.items(file).iter().map(|item| item.name_span.start);
            names.any(|start| self.place(file, start).line == target.line)
        })
    }

    /// What the graph says that a reference names.
    pub fn named_at(&self, site: (FileId, usize)) -> impl Iterator<Item = (SymbolId, Certainty)> {
        let edges = self.at.get(&(site.0, self.reference(site).at.start));
        edges.into_iter().flatten().map(|index| (self.edges[*index].to, self.edges[*index].certainty))
    }

    /// Where the graph says, without a doubt, that an item is named.
    pub fn resolved_places(&self, id: SymbolId) -> impl Iterator<Item = Place> {
        let edges = self.to.get(&id).into_iter().flatten().map(|index| &self.edges[*index]);
        edges
            .filter(|edge| edge.certainty == Certainty::Resolved)
            .map(|edge| self.place(edge.from.file, edge.at.start))
    }

    pub fn symbols(&self) -> impl Iterator<Item = (SymbolId, SymbolKind)> {
        self.snapshot.ids().flat_map(|file| {
            let items = self.items(file).iter().enumerate();
            items.map(move |(item, symbol)| (SymbolId { file, item: item as u32 }, symbol.kind))
        })
    }
}

/// Other edges say how items lie in one another, or follow from these. A method that implements a trait's does not name it, its
/// `impl` does.
fn names_its_target(kind: EdgeKind, from: Option<SymbolKind>) -> bool {
    matches!(kind, EdgeKind::Calls | EdgeKind::Uses | EdgeKind::Imports)
        || kind == EdgeKind::Implements && from == Some(SymbolKind::Impl)
}
