//! The crates of the workspace and their trees of modules, as `mod` items and their files make them.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use crate::model::{FileId, FileKind};
use crate::syntax::ModuleDecl;
use crate::workspace::{Package, Snapshot, Target, TargetKind};

use super::items::{Item, Items};
use super::names::{Name, Names};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct ModuleId(pub u32);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct CrateId(pub u32);

/// In this edition the paths of `use` items begin at the crate's root.
const ROOTED_USE_EDITION: u16 = 2015;

/// Files that begin a crate where no manifest says which do.
const ROOT_NAMES: [&str; 3] = ["lib.rs", "main.rs", "mod.rs"];

pub(super) struct Module {
    pub owner: CrateId,
    pub parent: Option<ModuleId>,
    pub file: FileId,
    /// The `mod` item; none for a crate's root.
    pub item: Option<Item>,
    pub inline: bool,
    pub macro_use: bool,
}

pub(super) struct Crate {
    pub root: ModuleId,
    pub name: String,
    pub package: Option<u32>,
    pub kind: Option<TargetKind>,
    /// Whether `use` paths begin at the root.
    pub rooted_use: bool,
    /// The workspace's crates that its code can name, by that name.
    pub externs: Vec<(Name, CrateId)>,
}

/// A file of several crates (a module of a library and of a program) belongs to the first that declares it; for the others its
/// module has another name in them.
#[derive(Default)]
pub(super) struct Modules {
    pub modules: Vec<Module>,
    pub crates: Vec<Crate>,
    /// `mod` items that lead to a module which another declared first: where they stand, they, and it.
    pub aliases: Vec<(ModuleId, Item, ModuleId)>,
    /// The module whose items stand at the top of a file, or in an inline `mod` item.
    by_place: FxHashMap<(FileId, Option<Item>), ModuleId>,
}

impl Modules {
    pub fn new(snapshot: &Snapshot, items: &Items<'_>, names: &mut Names) -> Modules {
        let mut modules = Modules::default();
        let mut builder = Builder { snapshot, items, out: &mut modules, waiting: VecDeque::new() };
        for (index, package) in snapshot.packages.iter().enumerate() {
            for target in &package.targets {
                builder.target(index as u32, package, target);
            }
        }
        builder.files_without_a_crate();
        modules.link(snapshot, names);
        modules
    }

    pub fn get(&self, id: ModuleId) -> Option<&Module> {
        self.modules.get(id.0 as usize)
    }

    pub fn crate_of(&self, id: ModuleId) -> Option<&Crate> {
        self.crates.get(self.get(id)?.owner.0 as usize)
    }

    pub fn root_of(&self, id: ModuleId) -> Option<ModuleId> {
        Some(self.crate_of(id)?.root)
    }

    pub fn ids(&self) -> impl Iterator<Item = ModuleId> + use<> {
        (0..self.modules.len() as u32).map(ModuleId)
    }

    /// The module at the top of a file.
    pub fn of_file(&self, file: FileId) -> Option<ModuleId> {
        self.by_place.get(&(file, None)).copied()
    }

    /// The module of an inline `mod` item.
    pub fn of_item(&self, file: FileId, item: Item) -> Option<ModuleId> {
        self.by_place.get(&(file, Some(item))).copied()
    }

    /// Whether `inner` is `outer` or lies in it.
    pub fn is_within(&self, inner: ModuleId, outer: ModuleId) -> bool {
        let mut at = Some(inner);
        while let Some(id) = at {
            if id == outer {
                return true;
            }
            at = self.get(id).and_then(|module| module.parent);
        }
        false
    }

    /// Which crates each crate can name.
    fn link(&mut self, snapshot: &Snapshot, names: &mut Names) {
        let library = |package: u32| {
            let is_library = |it: &Crate| matches!(it.kind, Some(TargetKind::Lib | TargetKind::ProcMacro));
            let place = self.crates.iter().position(|it| it.package == Some(package) && is_library(it))?;
            Some(CrateId(place as u32))
        };
        let libraries: Vec<Option<CrateId>> = (0..snapshot.packages.len() as u32).map(library).collect();
        let library = |package: u32| libraries.get(package as usize).copied().flatten();
        for (index, it) in self.crates.iter_mut().enumerate() {
            let Some(package) = it.package else { continue };
            let Some(of) = snapshot.packages.get(package as usize) else { continue };
            let others =
                of.dependencies.iter().filter_map(|(name, package)| Some((name, library(*package)?)));
            it.externs = others.map(|(name, id)| (names.intern(name), id)).collect();
            if let Some(own) = library(package).filter(|own| own.0 as usize != index) {
                let library = of
                    .targets
                    .iter()
                    .find(|target| matches!(target.kind, TargetKind::Lib | TargetKind::ProcMacro));
                it.externs.extend(library.map(|library| (names.intern(&library.name), own)));
            }
        }
    }
}

struct Builder<'b, 'a> {
    snapshot: &'b Snapshot,
    items: &'b Items<'a>,
    out: &'b mut Modules,
    waiting: VecDeque<(Module, Folder)>,
}

/// Where the files of a module's children lie.
struct Folder {
    /// For `mod a;`, with `/` at its end where it is not empty.
    children: String,
    /// For `#[path]` at the top of the file.
    own: String,
}

impl Builder<'_, '_> {
    fn target(&mut self, index: u32, package: &Package, target: &Target) {
        if self.items.syntax(target.root).is_none() || self.out.of_file(target.root).is_some() {
            return;
        }
        self.root(
            Crate {
                root: ModuleId(0),
                name: target.name.clone(),
                package: Some(index),
                kind: Some(target.kind),
                rooted_use: package.edition <= ROOTED_USE_EDITION,
                externs: Vec::new(),
            },
            target.root,
        );
    }

    /// Without a manifest each file that no other declares is a crate of its own, the usual roots first.
    fn files_without_a_crate(&mut self) {
        let rust = |id: &FileId| self.snapshot.file(*id).kind == FileKind::Rust;
        let mut files: Vec<FileId> = self.snapshot.ids().filter(rust).collect();
        let name = |id: &FileId| self.snapshot.file(*id).path.rsplit('/').next().unwrap_or("").to_owned();
        files.sort_by_key(|id| {
            ROOT_NAMES.iter().position(|root| *root == name(id)).unwrap_or(ROOT_NAMES.len())
        });
        for file in files {
            if self.out.of_file(file).is_none() && self.items.syntax(file).is_some() {
                let stem = name(&file).trim_end_matches(".rs").to_owned();
                let package = self.snapshot.file(file).package;
                let rooted_use = false;
                let externs = Vec::new();
                self.root(
                    Crate { root: ModuleId(0), name: stem, package, kind: None, rooted_use, externs },
                    file,
                );
            }
        }
    }

    fn root(&mut self, mut new: Crate, file: FileId) {
        let owner = CrateId(self.out.crates.len() as u32);
        new.root = ModuleId(self.out.modules.len() as u32);
        self.out.crates.push(new);
        let own = folder_of(&self.snapshot.file(file).path);
        let folder = Folder { children: own.clone(), own };
        let root = Module { owner, parent: None, file, item: None, inline: false, macro_use: false };
        self.waiting.push_back((root, folder));
        while let Some((module, folder)) = self.waiting.pop_front() {
            self.file_module(module, folder);
        }
    }

    fn add(&mut self, module: Module) -> ModuleId {
        let id = ModuleId(self.out.modules.len() as u32);
        let place = (module.file, module.item.filter(|_| module.inline));
        self.out.by_place.insert(place, id);
        self.out.modules.push(module);
        id
    }

    fn file_module(&mut self, module: Module, folder: Folder) {
        let (owner, file) = (module.owner, module.file);
        if let Some(known) = self.out.of_file(file) {
            let alias = module.parent.zip(module.item).map(|(parent, item)| (parent, item, known));
            return self.out.aliases.extend(alias);
        }
        let Some(syntax) = self.items.syntax(file) else { return };
        let id = self.add(module);
        // Declarations stand in the order of the text, so the module around one is known before it.
        let mut inline: FxHashMap<Item, (ModuleId, String)> = FxHashMap::default();
        for declaration in &syntax.modules {
            let item = self.items.at(file, declaration.item);
            let around = self.items.owner(item).and_then(|owner| inline.get(&owner).cloned());
            let is_inner = around.is_some();
            let (parent, children) = around.unwrap_or_else(|| (id, folder.children.clone()));
            let name = self.items.symbol(item).map_or("", |symbol| symbol.name.as_str());
            let (is_inline, macro_use) = (declaration.inline, declaration.macro_use);
            let mut module =
                Module { owner, parent: Some(parent), file, item: Some(item), inline: is_inline, macro_use };
            if is_inline {
                let id = self.add(module);
                let inner = declaration.path.as_deref().unwrap_or(name);
                inline.insert(item, (id, joined(&children, &format!("{inner}/"))));
                continue;
            }
            let base = if is_inner { &children } else { &folder.own };
            if let Some((found, folder)) = self.find(declaration, name, base, &children) {
                module.file = found;
                self.waiting.push_back((module, folder));
            }
        }
    }

    /// The file of `mod name;`, and where its own children lie.
    fn find(&self, it: &ModuleDecl, name: &str, base: &str, children: &str) -> Option<(FileId, Folder)> {
        if let Some(path) = &it.path {
            let path = joined(base, &path.replace('\\', "/"));
            let own = folder_of(&path);
            return Some((self.snapshot.find(&path)?, Folder { children: own.clone(), own }));
        }
        let below = format!("{children}{name}/");
        if let Some(file) = self.snapshot.find(&format!("{children}{name}.rs")) {
            return Some((file, Folder { children: below, own: children.to_owned() }));
        }
        let file = self.snapshot.find(&format!("{below}mod.rs"))?;
        Some((file, Folder { children: below.clone(), own: below }))
    }
}

/// The folder of a path, with `/` at its end; empty for the root.
fn folder_of(path: &str) -> String {
    path.rfind('/').and_then(|slash| path.get(..=slash)).unwrap_or("").to_owned()
}

/// `path` seen from `folder`, its `.` and `..` taken out.
fn joined(folder: &str, path: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    let end = if path.ends_with('/') && !parts.is_empty() { "/" } else { "" };
    format!("{}{end}", parts.join("/"))
}
