//! The workspace as text, syntax and edges, with the places in it counted as a language server counts them.

use std::collections::HashMap;
use std::path::Path;

use anyhow::Result;
use dossier::graph::Graph;
use dossier::model::{Certainty, Edge, EdgeKind, FileId, FileKind, Symbol, SymbolId, SymbolKind};
use dossier::syntax::{self, FileSyntax, Reference};
use dossier::workspace::{Snapshot, WalkOptions, find_root};
use rayon::prelude::*;

use crate::answers::{Place, Target};

pub struct Code {
    pub snapshot: Snapshot,
    /// By file; empty where a file is not Rust.
    pub syntax: Vec<FileSyntax>,
    edges: Vec<Edge>,
    /// The edges at a place, by file and offset.
    at: HashMap<(FileId, u32), Vec<usize>>,
    to: HashMap<SymbolId, Vec<usize>>,
    /// Offsets at which the lines of a file begin.
    lines: Vec<Vec<u32>>,
}

impl Code {
    pub fn read(checkout: &Path) -> Result<Code> {
        let snapshot = Snapshot::read(&find_root(checkout).path, &WalkOptions::default())?;
        let syntax: Vec<Option<FileSyntax>> = snapshot
            .files
            .par_iter()
            .map(|file| (file.kind == FileKind::Rust).then(|| syntax::parse(&file.text)))
            .collect();
        let graph = Graph::build(&snapshot, &syntax);
        let lines = snapshot.files.iter().map(|file| line_starts(&file.text)).collect();
        let edges: Vec<Edge> = graph.edges().collect();
        let (mut at, mut to) = (HashMap::<_, Vec<_>>::new(), HashMap::<_, Vec<_>>::new());
        for (index, edge) in edges.iter().enumerate().filter(|(_, edge)| names_its_target(edge.kind)) {
            at.entry((edge.from.file, edge.at.start)).or_default().push(index);
            to.entry(edge.to).or_default().push(index);
        }
        let syntax = syntax.into_iter().map(Option::unwrap_or_default).collect();
        Ok(Code { snapshot, syntax, edges, at, to, lines })
    }

    pub fn reference(&self, site: (FileId, usize)) -> &Reference {
        &self.syntax[site.0.index()].references[site.1]
    }

    pub fn place(&self, file: FileId, offset: u32) -> Place {
        let starts = &self.lines[file.index()];
        let line = starts.partition_point(|start| *start <= offset);
        let column = offset - starts[line - 1];
        Place { path: self.snapshot.file(file).path.clone(), line: line as u32, column }
    }

    pub fn symbol(&self, id: SymbolId) -> &Symbol {
        &self.syntax[id.file.index()].items[id.item as usize]
    }

    pub fn symbol_place(&self, id: SymbolId) -> Place {
        self.place(id.file, self.symbol(id).name_span.start)
    }

    /// Whether a place in an answer is the name of an item.
    pub fn is_item(&self, target: &Target) -> bool {
        let file = target.path.as_ref().and_then(|path| self.snapshot.find(path));
        file.is_some_and(|file| {
            let mut names = self.syntax[file.index()].items.iter().map(|item| item.name_span.start);
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
            let items = self.syntax[file.index()].items.iter().enumerate();
            items.map(move |(item, symbol)| (SymbolId { file, item: item as u32 }, symbol.kind))
        })
    }
}

/// Other edges say how items lie in one another, or follow from these.
fn names_its_target(kind: EdgeKind) -> bool {
    matches!(kind, EdgeKind::Calls | EdgeKind::Uses | EdgeKind::Imports | EdgeKind::Implements)
}

fn line_starts(text: &str) -> Vec<u32> {
    let after_breaks =
        text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at as u32 + 1);
    std::iter::once(0).chain(after_breaks).collect()
}
