//! `use` items, followed until nothing new comes in: chains of re-exports and globs lead through one another.

use crate::model::{FileId, SymbolKind};
use crate::syntax::Import;

use super::items::Items;
use super::lookup::{Lookup, Place, place_of};
use super::modules::Modules;
use super::names::{self, Name, Names};
use super::scopes::{BY_GLOB, Def, EXPLICIT, Meaning, ScopeId, Scopes};

/// One leaf of a `use` tree, to be followed.
struct Pending<'a> {
    file: FileId,
    index: u32,
    scope: ScopeId,
    place: Place,
    import: &'a Import,
    name: Option<Name>,
}

/// Chains of re-exports longer than this are cut.
const MOST_ROUNDS: usize = 32;

impl Scopes {
    /// Defines what all imports bring in.
    pub fn follow_imports<'a>(&mut self, items: &Items<'a>, modules: &Modules, names: &mut Names) {
        let pending = self.pending(items, modules, names);
        self.follow(items, modules, names, &pending, false);
        // What is not found by now lies outside the workspace, and may in turn be re-exported.
        self.follow(items, modules, names, &pending, true);
        for it in &pending {
            let meaning = self.import(items, modules, names, it);
            self.imports.insert((it.file, it.index), meaning);
        }
    }

    fn pending<'a>(&mut self, items: &Items<'a>, modules: &Modules, names: &mut Names) -> Vec<Pending<'a>> {
        let mut pending = Vec::new();
        for (file, syntax) in items.files() {
            for (index, import) in syntax.uses.iter().enumerate() {
                import.path.iter().for_each(|segment| {
                    names.intern(segment);
                });
                let around = import.scope.map(|scope| items.at(file, scope));
                let Some(place) = place_of(items, modules, file, around) else { continue };
                let scope = place.block.map_or(ScopeId(place.module.0), |block| self.block(block));
                let name = (!import.glob && import.name != "_").then(|| names.intern(&import.name));
                pending.push(Pending { file, index: index as u32, scope, place, import, name });
            }
        }
        pending
    }

    /// Follows imports until nothing changes. `to_the_end`: what leads nowhere leads outside the workspace.
    fn follow(
        &mut self,
        items: &Items<'_>,
        modules: &Modules,
        names: &Names,
        pending: &[Pending<'_>],
        to_the_end: bool,
    ) {
        for round in 0..MOST_ROUNDS {
            let mut changed = false;
            for it in pending.iter() {
                let mut meaning = self.import(items, modules, names, it);
                if to_the_end && round == 0 && meaning.is_empty() && !it.import.glob {
                    let last = it.import.path.last().and_then(|last| names.get(last));
                    meaning = Meaning::everywhere(Def::External(last.unwrap_or(names::OTHER)));
                }
                let public = it.import.public;
                if it.import.glob {
                    changed |= self.import_all(items, modules, it, meaning);
                } else if let Some(name) = it.name {
                    changed |= self.define(it.scope, name, meaning, public, EXPLICIT);
                }
            }
            if !changed {
                return;
            }
        }
    }

    fn import(&self, items: &Items<'_>, modules: &Modules, names: &Names, it: &Pending<'_>) -> Meaning {
        let lookup = Lookup { items, modules, names, scopes: self };
        let path: Option<Vec<Name>> = it.import.path.iter().map(|segment| names.get(segment)).collect();
        let Some(path) = path else { return Meaning::default() };
        let rooted = modules.crate_of(it.place.module).is_some_and(|owner| owner.rooted_use);
        if rooted && let Some(root) = modules.root_of(it.place.module) {
            let found = lookup.path(Place { module: root, block: None }, &path);
            if !found.is_empty() {
                return found;
            }
        }
        // An import is not found through the name that it gives itself: `use error::Error as error`.
        let hidden = it.name.filter(|name| path.first() == Some(name)).map(|name| (it.scope, name));
        lookup.path_without(it.place, &path, hidden)
    }

    /// `use a::*`: all that is to be seen of `a` from here.
    fn import_all(
        &mut self,
        items: &Items<'_>,
        modules: &Modules,
        it: &Pending<'_>,
        meaning: Meaning,
    ) -> bool {
        let mut found: Vec<(Name, Meaning)> = Vec::new();
        match meaning.types {
            Some(Def::Module(id)) if ScopeId(id.0) != it.scope => {
                found = self.seen_in(ScopeId(id.0), modules.is_within(it.place.module, id));
            }
            Some(Def::Item(item)) if items.kind(item) == Some(SymbolKind::Enum) => {
                found
                    .extend(items.children(item).map(|(name, child)| (name, Meaning::of_item(items, child))));
            }
            _ => {}
        }
        found.sort_unstable_by_key(|(name, _)| *name);
        let mut changed = false;
        for (name, meaning) in found {
            changed |= self.define(it.scope, name, meaning, it.import.public, BY_GLOB);
        }
        changed
    }
}
