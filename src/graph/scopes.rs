//! Which names each module, and each function with items of its own, gives to what: its items, and what its `use`
//! items bring in.

use rustc_hash::FxHashMap;

use crate::model::{FileId, SymbolKind, Visibility};

use super::items::{Item, Items};
use super::modules::{ModuleId, Modules};
use super::names::{Name, Names};

/// What a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Def {
    Module(ModuleId),
    Item(Item),
    /// Something outside the workspace, by its own name there.
    External(Name),
}

/// The three namespaces of Rust.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Space {
    Types,
    Values,
    Macros,
}

/// What one name stands for in each namespace.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Meaning {
    pub types: Option<Def>,
    pub values: Option<Def>,
    pub macros: Option<Def>,
}

impl Meaning {
    pub fn everywhere(def: Def) -> Meaning {
        Meaning { types: Some(def), values: Some(def), macros: Some(def) }
    }

    pub fn in_space(self, space: Space) -> Option<Def> {
        match space {
            Space::Types => self.types,
            Space::Values => self.values,
            Space::Macros => self.macros,
        }
    }

    pub fn is_empty(self) -> bool {
        self == Meaning::default()
    }

    /// Keeps what is there, and takes from `other` what is not.
    pub fn or(self, other: Meaning) -> Meaning {
        Meaning {
            types: self.types.or(other.types),
            values: self.values.or(other.values),
            macros: self.macros.or(other.macros),
        }
    }

    /// What an item means under its own name.
    pub fn of_item(items: &Items<'_>, item: Item) -> Meaning {
        let def = Some(Def::Item(item));
        let types = Meaning { types: def, ..Meaning::default() };
        let values = Meaning { values: def, ..Meaning::default() };
        let Some(symbol) = items.symbol(item) else { return Meaning::default() };
        match symbol.kind {
            SymbolKind::Enum | SymbolKind::Union | SymbolKind::Trait | SymbolKind::TypeAlias => types,
            SymbolKind::Struct if symbol.body.is_some() => types,
            SymbolKind::Struct | SymbolKind::Variant => Meaning { types: def, values: def, macros: None },
            SymbolKind::Function | SymbolKind::Const | SymbolKind::Static => values,
            _ => Meaning::default(),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Entry {
    meaning: Meaning,
    /// Seen by other modules than the one and those in it.
    public: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct ScopeId(pub u32);

/// The names of a module or of a function's body.
#[derive(Default)]
struct Scope {
    /// What a name was given to, and what globs bring in by it: they give way.
    entries: FxHashMap<Name, [Option<Entry>; 2]>,
}

pub(super) const EXPLICIT: usize = 0;
pub(super) const BY_GLOB: usize = 1;

/// All scopes: one for each module, then one for each function that holds items or `use` items.
pub(super) struct Scopes {
    scopes: Vec<Scope>,
    pub blocks: FxHashMap<Item, ScopeId>,
    /// `macro_rules!` by their text's order: seen in the module and in those below.
    pub textual_macros: FxHashMap<(ModuleId, Name), Item>,
    /// What each import brings in, by file and place in the file's list.
    pub imports: FxHashMap<(FileId, u32), Meaning>,
}

impl Scopes {
    pub fn new<'a>(items: &Items<'a>, modules: &Modules, names: &mut Names) -> Scopes {
        let scopes = modules.ids().map(|_| Scope::default()).collect();
        let mut out = Scopes {
            scopes,
            blocks: FxHashMap::default(),
            textual_macros: FxHashMap::default(),
            imports: FxHashMap::default(),
        };
        for id in modules.ids() {
            out.declare(items, modules, id);
        }
        for (parent, item, id) in &modules.aliases {
            out.declare_module(items, *parent, *item, *id);
        }
        out.follow_imports(items, modules, names);
        out
    }

    /// The items of a module, and of the functions in its file.
    fn declare(&mut self, items: &Items<'_>, modules: &Modules, id: ModuleId) {
        let Some(module) = modules.get(id) else { return };
        if let (Some(parent), Some(item)) = (module.parent, module.item) {
            self.declare_module(items, parent, item, id);
        }
        if let Some(item) = module.item.filter(|_| module.inline) {
            items.children(item).for_each(|(_, child)| self.declare_item(items, modules, id, child));
            return;
        }
        let Some(syntax) = items.syntax(module.file) else { return };
        for item in (0..syntax.items.len() as u32).map(|place| items.at(module.file, place)) {
            match items.owner(item) {
                None => self.declare_item(items, modules, id, item),
                Some(owner) if holds_block(items, owner) => {
                    let scope = self.block(owner);
                    self.define(scope, items.name(item), Meaning::of_item(items, item), true, EXPLICIT);
                    self.declare_macro(items, modules, id, item);
                }
                Some(_) => {}
            }
        }
    }

    fn declare_module(&mut self, items: &Items<'_>, parent: ModuleId, item: Item, id: ModuleId) {
        let def = Meaning { types: Some(Def::Module(id)), ..Meaning::default() };
        self.define(ScopeId(parent.0), items.name(item), def, is_public(items, item), EXPLICIT);
    }

    fn declare_item(&mut self, items: &Items<'_>, modules: &Modules, id: ModuleId, item: Item) {
        let meaning = Meaning::of_item(items, item);
        self.define(ScopeId(id.0), items.name(item), meaning, is_public(items, item), EXPLICIT);
        self.declare_macro(items, modules, id, item);
    }

    fn declare_macro(&mut self, items: &Items<'_>, modules: &Modules, id: ModuleId, item: Item) {
        if items.kind(item) != Some(SymbolKind::Macro) {
            return;
        }
        let name = items.name(item);
        let syntax = items.syntax(items.file(item));
        let exported = syntax.is_some_and(|it| it.exported_macros.contains(&items.place(item)));
        if let Some(root) = modules.root_of(id).filter(|_| exported) {
            let def = Meaning { macros: Some(Def::Item(item)), ..Meaning::default() };
            self.define(ScopeId(root.0), name, def, true, EXPLICIT);
        }
        let mut seen_in = Some(id);
        while let Some(id) = seen_in {
            self.textual_macros.entry((id, name)).or_insert(item);
            let module = modules.get(id).filter(|module| module.macro_use);
            seen_in = module.and_then(|module| module.parent);
        }
    }

    pub fn block(&mut self, owner: Item) -> ScopeId {
        *self.blocks.entry(owner).or_insert_with(|| {
            self.scopes.push(Scope::default());
            ScopeId(self.scopes.len() as u32 - 1)
        })
    }

    /// Whether anything changed.
    pub fn define(&mut self, scope: ScopeId, name: Name, meaning: Meaning, public: bool, by: usize) -> bool {
        let Some(scope) = self.scopes.get_mut(scope.0 as usize).filter(|_| !meaning.is_empty()) else {
            return false;
        };
        let slots = scope.entries.entry(name).or_default();
        let Some(slot) = slots.get_mut(by) else { return false };
        match slot {
            None => {
                *slot = Some(Entry { meaning, public });
                true
            }
            Some(entry) => {
                let merged = Entry { meaning: entry.meaning.or(meaning), public: entry.public || public };
                let changed = merged != *entry;
                *entry = merged;
                changed
            }
        }
    }

    pub fn get(&self, scope: ScopeId, name: Name) -> Meaning {
        let slots = self.scopes.get(scope.0 as usize).and_then(|scope| scope.entries.get(&name));
        let slots = slots.iter().flat_map(|slots| slots.iter().flatten());
        slots.fold(Meaning::default(), |all, entry| all.or(entry.meaning))
    }

    /// All names of a scope, sorted; where they are looked at from outside, those alone that are seen there.
    pub fn seen_in(&self, scope: ScopeId, from_inside: bool) -> Vec<(Name, Meaning)> {
        let entries = self.scopes.get(scope.0 as usize).into_iter().flat_map(|scope| &scope.entries);
        let mut seen: Vec<(Name, Meaning)> = entries
            .map(|(name, slots)| {
                let seen = slots.iter().flatten().filter(|entry| from_inside || entry.public);
                (*name, seen.fold(Meaning::default(), |all, entry| all.or(entry.meaning)))
            })
            .collect();
        seen.sort_unstable_by_key(|(name, _)| *name);
        seen
    }

    /// What the import at a place of a file's list brings in.
    pub fn imported(&self, file: FileId, index: u32) -> Meaning {
        self.imports.get(&(file, index)).copied().unwrap_or_default()
    }
}

/// Whether items may stand inside it that only it sees.
pub(super) fn holds_block(items: &Items<'_>, item: Item) -> bool {
    matches!(
        items.kind(item),
        Some(SymbolKind::Function | SymbolKind::Method | SymbolKind::Const | SymbolKind::Static)
    )
}

fn is_public(items: &Items<'_>, item: Item) -> bool {
    items.symbol(item).is_some_and(|symbol| symbol.visibility != Visibility::Private)
}
