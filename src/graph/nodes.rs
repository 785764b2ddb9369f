//! The nodes of the graph: what the questions need to know of items and files beside their edges. The same as long as what is
//! seen of the files from outside is (`environment`).

use std::sync::Arc;

use petgraph::graph::NodeIndex;
use rustc_hash::FxHashMap;

use crate::model::{EdgeKind, FileId, SymbolId, SymbolKind};
use crate::syntax::FileSyntax;

use super::build::WHOLE_FILE;
use super::frame::Frame;
use super::items::{Item, Items};
use super::link::{self, Link};
use super::members::Members;
use super::modules::Modules;

/// What the questions need to know of an item.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub kind: SymbolKind,
    pub name: u32,
    pub parent: Option<u32>,
    pub is_test: bool,
}

#[derive(Debug, Default)]
pub(super) struct Nodes {
    /// The number of each file's first item, and that of all items.
    pub offsets: Vec<u32>,
    pub entries: Vec<Entry>,
    pub names: Vec<Box<str>>,
    pub by_name: FxHashMap<Box<str>, Vec<u32>>,
    /// Of a file: the path of its module, crate first.
    pub module_paths: Vec<String>,
    /// The files that a file names in `use` and `mod` items.
    pub imports: Vec<Vec<FileId>>,
    pub impls_of_type: FxHashMap<u32, Vec<u32>>,
}

impl Nodes {
    /// `links` are those of all files.
    pub fn new(
        frame: &Frame,
        items: &Items<'_>,
        files: &[Option<Arc<FileSyntax>>],
        links: &[(FileId, Vec<Link>)],
    ) -> Nodes {
        Nodes {
            module_paths: module_paths(&frame.modules, items, files.len()),
            impls_of_type: impls_of_type(items, &frame.members),
            imports: imports(&frame.modules, items, files.len(), links),
            ..Nodes::of_items(files)
        }
    }

    /// What the items alone tell.
    pub fn of_items(files: &[Option<Arc<FileSyntax>>]) -> Nodes {
        let mut nodes = Nodes::default();
        let mut name_places: FxHashMap<&str, u32> = FxHashMap::default();
        for syntax in files {
            let first = nodes.entries.len() as u32;
            nodes.offsets.push(first);
            for symbol in syntax.iter().flat_map(|syntax| &syntax.items) {
                let node = nodes.entries.len() as u32;
                let next = nodes.names.len() as u32;
                let name = *name_places.entry(&symbol.name).or_insert(next);
                if name == next {
                    nodes.names.push(symbol.name.as_str().into());
                }
                nodes.by_name.entry(symbol.name.as_str().into()).or_default().push(node);
                let parent = symbol.parent.map(|parent| first + parent);
                nodes.entries.push(Entry { kind: symbol.kind, name, parent, is_test: symbol.is_test });
            }
        }
        nodes.offsets.push(nodes.entries.len() as u32);
        nodes
    }

    pub fn file_node(&self, file: FileId) -> u32 {
        self.entries.len() as u32 + file.0
    }

    /// Whether a node is the file or an item of it.
    pub fn is_of(&self, node: NodeIndex, file: FileId) -> bool {
        let node = node.index() as u32;
        let first = self.offsets.get(file.index()).copied().unwrap_or(u32::MAX);
        let next = self.offsets.get(file.index() + 1).copied().unwrap_or(0);
        (first <= node && node < next) || node == self.file_node(file)
    }

    pub fn node(&self, id: SymbolId) -> Option<NodeIndex> {
        let first = *self.offsets.get(id.file.index())?;
        let next = *self.offsets.get(id.file.index() + 1)?;
        if id.item == WHOLE_FILE {
            return Some(NodeIndex::new(self.file_node(id.file) as usize));
        }
        let node = first.checked_add(id.item).filter(|node| *node < next)?;
        Some(NodeIndex::new(node as usize))
    }

    pub fn id(&self, node: NodeIndex) -> SymbolId {
        let node = node.index() as u32;
        if let Some(file) = node.checked_sub(self.entries.len() as u32) {
            return SymbolId { file: FileId(file), item: WHOLE_FILE };
        }
        let file = self.offsets.partition_point(|offset| *offset <= node).saturating_sub(1);
        let first = self.offsets.get(file).copied().unwrap_or(0);
        SymbolId { file: FileId(file as u32), item: node - first }
    }
}

fn imports(
    modules: &Modules,
    items: &Items<'_>,
    files: usize,
    links: &[(FileId, Vec<Link>)],
) -> Vec<Vec<FileId>> {
    let mut imports = vec![Vec::new(); files];
    for id in modules.ids() {
        let Some(module) = modules.get(id).filter(|module| !module.inline) else { continue };
        let parent = module.parent.and_then(|parent| modules.get(parent));
        if let Some(files) = parent.and_then(|parent| imports.get_mut(parent.file.index())) {
            files.push(module.file);
        }
    }
    for (file, links) in links {
        let named = links.iter().filter(|link| link.kind == EdgeKind::Imports);
        let others = named.map(|link| items.file(link.to)).filter(|target| target != file);
        imports.get_mut(file.index()).into_iter().for_each(|files| files.extend(others.clone()));
    }
    imports.iter_mut().for_each(|files| {
        files.sort_unstable();
        files.dedup();
    });
    imports
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
