//! What a path means where it stands, as far as modules, imports and enums lead.

use crate::model::{FileId, SymbolKind};

use super::items::{Item, Items};
use super::modules::{ModuleId, Modules};
use super::names::{self, Name, Names};
use super::scopes::{Def, Meaning, ScopeId, Scopes, holds_block};

/// Where a path stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub module: ModuleId,
    /// The function around, or what else holds a block.
    pub block: Option<Item>,
}

/// Looks up paths in what is known so far.
#[derive(Clone, Copy)]
pub(super) struct Lookup<'l, 'a> {
    pub items: &'l Items<'a>,
    pub modules: &'l Modules,
    pub names: &'l Names,
    pub scopes: &'l Scopes,
}

impl Lookup<'_, '_> {
    /// What a path means, as far as modules and enums lead.
    pub fn path(&self, from: Place, path: &[Name]) -> Meaning {
        self.path_without(from, path, None)
    }

    pub fn path_without(&self, from: Place, path: &[Name], hidden: Option<(ScopeId, Name)>) -> Meaning {
        let Some((first, rest)) = path.split_first() else { return Meaning::default() };
        let (mut meaning, mut rest) = match *first {
            names::OTHER => match rest.split_first() {
                Some((name, rest)) => (self.extern_crate(from.module, *name), rest),
                None => return Meaning::default(),
            },
            _ => (self.first(from, *first, hidden), rest),
        };
        if rest.is_empty() && meaning.macros.is_none() {
            meaning.macros = self.textual_macro(from.module, *first).map(Def::Item);
        }
        while let Some((next, after)) = rest.split_first() {
            meaning = match meaning.types {
                Some(Def::Module(id)) => self.in_module(id, *next),
                Some(Def::Item(item)) => self.variant(item, *next),
                Some(Def::External(_)) => Meaning::everywhere(Def::External(*next)),
                None => return Meaning::default(),
            };
            rest = after;
        }
        meaning
    }

    /// The first name of a path.
    fn first(&self, from: Place, name: Name, hidden: Option<(ScopeId, Name)>) -> Meaning {
        let types = |id: Option<ModuleId>| Meaning { types: id.map(Def::Module), ..Meaning::default() };
        match name {
            names::CRATE => return types(self.modules.root_of(from.module)),
            names::SELF_VALUE => return types(Some(from.module)),
            names::SUPER => return types(self.modules.get(from.module).and_then(|module| module.parent)),
            _ => {}
        }
        let is_hidden = |scope: ScopeId| hidden == Some((scope, name));
        let mut meaning = Meaning::default();
        let mut block = from.block;
        while let Some(item) = block {
            if let Some(scope) = self.scopes.blocks.get(&item).filter(|scope| !is_hidden(**scope)) {
                meaning = meaning.or(self.scopes.get(*scope, name));
            }
            block = self.block_around(item);
        }
        let scope = ScopeId(from.module.0);
        if !is_hidden(scope) {
            meaning = meaning.or(self.scopes.get(scope, name));
        }
        if meaning.types.is_none() {
            meaning = meaning.or(self.extern_crate(from.module, name));
        }
        meaning
    }

    fn block_around(&self, item: Item) -> Option<Item> {
        let mut at = self.items.owner(item)?;
        while !holds_block(self.items, at) {
            at = self.items.owner(at).filter(|_| self.items.kind(at) != Some(SymbolKind::Module))?;
        }
        Some(at)
    }

    pub fn in_module(&self, id: ModuleId, name: Name) -> Meaning {
        match name {
            names::SELF_VALUE => Meaning { types: Some(Def::Module(id)), ..Meaning::default() },
            names::SUPER => {
                let parent = self.modules.get(id).and_then(|module| module.parent);
                Meaning { types: parent.map(Def::Module), ..Meaning::default() }
            }
            name => self.scopes.get(ScopeId(id.0), name),
        }
    }

    fn variant(&self, item: Item, name: Name) -> Meaning {
        if self.items.kind(item) != Some(SymbolKind::Enum) {
            return Meaning::default();
        }
        let variant = self.items.named(item, name).next();
        variant.map_or_else(Meaning::default, |variant| Meaning::of_item(self.items, variant))
    }

    fn extern_crate(&self, from: ModuleId, name: Name) -> Meaning {
        let externs = self.modules.crate_of(from).map_or(&[][..], |owner| owner.externs.as_slice());
        let found = externs.iter().find(|(own, _)| *own == name);
        let root = found.and_then(|(_, id)| self.modules.crates.get(id.0 as usize)).map(|it| it.root);
        Meaning { types: root.map(Def::Module), ..Meaning::default() }
    }

    /// A `macro_rules!` that stands in a module or in one around it.
    pub fn textual_macro(&self, from: ModuleId, name: Name) -> Option<Item> {
        let mut at = Some(from);
        while let Some(id) = at {
            if let Some(item) = self.scopes.textual_macros.get(&(id, name)) {
                return Some(*item);
            }
            at = self.modules.get(id).and_then(|module| module.parent);
        }
        None
    }

    /// Where the code of a file's top, or of an item, stands.
    pub fn place_of(&self, file: FileId, item: Option<Item>) -> Option<Place> {
        place_of(self.items, self.modules, file, item)
    }
}

/// The module around, and the innermost function or the like in it.
pub(super) fn place_of(
    items: &Items<'_>,
    modules: &Modules,
    file: FileId,
    at: Option<Item>,
) -> Option<Place> {
    let mut block = None;
    let mut at = at;
    while let Some(item) = at {
        if items.kind(item) == Some(SymbolKind::Module)
            && let Some(module) = modules.of_item(file, item)
        {
            return Some(Place { module, block });
        }
        if holds_block(items, item) {
            block = block.or(Some(item));
        }
        at = items.parent(item);
    }
    Some(Place { module: modules.of_file(file)?, block })
}
