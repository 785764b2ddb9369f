//! From what references mean to edges: resolved where one thing is meant, guessed by name where nothing else is known.

use std::sync::Arc;

use rayon::prelude::*;

use crate::model::{Certainty, EdgeKind, FileId, Span, SymbolKind};
use crate::syntax::{Body, FileSyntax, Reference, ReferenceKind};

use super::infer::Inference;
use super::items::Item;
use super::known;
use super::method::{Search, World};
use super::scopes::{Def, Meaning};
use super::ty::Ty;

/// A name that so many items share says nothing.
const MOST_GUESSES: usize = 8;

/// Where an edge begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Start {
    Item(Item),
    /// What stands in no item of the file.
    File(FileId),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Link {
    pub from: Start,
    pub to: Item,
    pub kind: EdgeKind,
    pub certainty: Certainty,
    pub at: Span,
}

/// The edges of each file that has a body; `bodies` by `FileId`.
pub(super) fn links<'a>(world: World<'_, 'a>, bodies: &'a [Option<Arc<Body>>]) -> Vec<(FileId, Vec<Link>)> {
    let body = |file: FileId| bodies.get(file.index())?.as_deref();
    let files = world.lookup.items.files().filter_map(|(file, syntax)| Some((file, syntax, body(file)?)));
    let files: Vec<(FileId, &FileSyntax, &Body)> = files.collect();
    files
        .into_par_iter()
        .map(|(file, syntax, body)| (file, FileLinks { world, file, out: Vec::new() }.all(syntax, body)))
        .collect()
}

struct FileLinks<'w, 'a> {
    world: World<'w, 'a>,
    file: FileId,
    out: Vec<Link>,
}

impl<'a> FileLinks<'_, 'a> {
    fn all(mut self, syntax: &FileSyntax, body: &'a Body) -> Vec<Link> {
        self.defines(syntax);
        self.imports(syntax);
        self.implements(syntax);
        self.references(body);
        self.out
    }

    fn push(&mut self, from: Start, to: Item, kind: EdgeKind, certainty: Certainty, at: Span) {
        self.out.push(Link { from, to, kind, certainty, at });
    }

    fn item(&self, place: u32) -> Item {
        self.world.lookup.items.at(self.file, place)
    }

    fn start(&self, scope: Option<u32>) -> Start {
        scope.map_or(Start::File(self.file), |scope| Start::Item(self.item(scope)))
    }

    fn defines(&mut self, syntax: &FileSyntax) {
        for (place, symbol) in syntax.items.iter().enumerate() {
            let (from, to) = (self.start(symbol.parent), self.item(place as u32));
            self.push(from, to, EdgeKind::Defines, Certainty::Resolved, symbol.name_span);
        }
    }

    fn imports(&mut self, syntax: &FileSyntax) {
        for (index, import) in syntax.uses.iter().enumerate() {
            let Meaning { types, values, macros } =
                self.world.lookup.scopes.imported(self.file, index as u32);
            let mut targets: Vec<Item> =
                [types, values, macros].into_iter().flatten().filter_map(|def| self.target(def)).collect();
            targets.dedup();
            let from = self.start(import.scope);
            for to in targets {
                self.push(from, to, EdgeKind::Imports, Certainty::Resolved, import.at);
            }
        }
    }

    /// The item of what a name means; of a module its `mod` item.
    fn target(&self, def: Def) -> Option<Item> {
        match def {
            Def::Item(item) => Some(item),
            Def::Module(id) => self.world.lookup.modules.get(id)?.item,
            Def::External(_) => None,
        }
    }

    fn implements(&mut self, syntax: &FileSyntax) {
        let items = self.world.lookup.items;
        for (place, symbol) in syntax.items.iter().enumerate() {
            let item = self.item(place as u32);
            if symbol.kind != SymbolKind::Impl {
                continue;
            }
            let Some(Def::Item(of_trait)) = self.world.members.trait_of(item).map(|bound| bound.of) else {
                continue;
            };
            self.push(
                Start::Item(item),
                of_trait,
                EdgeKind::Implements,
                Certainty::Resolved,
                symbol.name_span,
            );
            for (name, member) in items.children(item) {
                let at = items.symbol(member).map_or(symbol.name_span, |member| member.name_span);
                if let Some(of_trait) = items.named(of_trait, name).next() {
                    self.push(Start::Item(member), of_trait, EdgeKind::Implements, Certainty::Resolved, at);
                }
            }
        }
    }

    fn references(&mut self, body: &'a Body) {
        let mut inference = Inference::new(self.world, self.file, body);
        let meanings: Vec<Search> =
            (0..body.references.len() as u32).map(|place| inference.reference(place)).collect();
        // Every method of a type would use it by `Self`.
        let named = body.references.iter().zip(meanings).filter(|(reference, _)| reference.path != ["Self"]);
        for (reference, meaning) in named {
            let targets = match meaning {
                Search::Found(found) => match found.only() {
                    Some(item) => vec![(item, Certainty::Resolved)],
                    None => guessed(found.items),
                },
                Search::Elsewhere(_) => continue,
                Search::Unknown => guessed(self.candidates(reference)),
            };
            for (to, certainty) in targets {
                let kind = self.edge_kind(reference.kind, to);
                self.push(self.start(reference.scope), to, kind, certainty, reference.at);
            }
        }
    }

    fn edge_kind(&self, kind: ReferenceKind, to: Item) -> EdgeKind {
        let is_called =
            matches!(kind, ReferenceKind::Call | ReferenceKind::MethodCall | ReferenceKind::MacroCall);
        let target = self.world.lookup.items.kind(to);
        let is_code = matches!(target, Some(SymbolKind::Function | SymbolKind::Method | SymbolKind::Macro));
        if is_called && is_code { EdgeKind::Calls } else { EdgeKind::Uses }
    }

    /// What a name may mean where nothing but the name is known.
    fn candidates(&self, reference: &Reference) -> Vec<Item> {
        let lookup = self.world.lookup;
        let Some((last, qualifier)) = reference.path.split_last() else { return Vec::new() };
        let Some(name) = lookup.names.get(last) else { return Vec::new() };
        let members = self.world.members;
        match (reference.kind, qualifier.last()) {
            (ReferenceKind::MethodCall, _) if known::is_common(last) => Vec::new(),
            (ReferenceKind::MethodCall, _) => members.methods(name).to_vec(),
            (ReferenceKind::Call, None) => members.functions(name).to_vec(),
            (ReferenceKind::Call, Some(owner)) => {
                let owned = members.methods(name).iter().copied();
                owned.filter(|item| self.owner_name(*item).is_some_and(|name| name == owner)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The name of the type or trait that a method belongs to.
    fn owner_name(&self, method: Item) -> Option<&str> {
        let owner = self.world.lookup.items.parent(method)?;
        Some(self.world.lookup.items.symbol(owner)?.name.as_str())
    }
}

fn guessed(items: Vec<Item>) -> Vec<(Item, Certainty)> {
    if items.len() > MOST_GUESSES {
        return Vec::new();
    }
    items.into_iter().map(|item| (item, Certainty::Guessed)).collect()
}

/// The types of the workspace in a type.
pub(super) fn head(ty: &Ty) -> Option<Item> {
    match ty {
        Ty::Adt(item, _) => Some(*item),
        _ => None,
    }
}
