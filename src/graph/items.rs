//! All items of the workspace under one numbering, with what is asked of them most.

use std::sync::Arc;

use crate::model::{FileId, Symbol, SymbolKind};
use crate::syntax::{FileSyntax, Signature};

use super::names::{Name, Names};

/// An item: its place among the items of all files, in the order of the files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Item(pub u32);

pub(super) struct Items<'a> {
    files: &'a [Option<Arc<FileSyntax>>],
    order: Arc<Order>,
}

/// What numbers, names and nesting the items have: the same as long as what is seen of the files from outside is.
#[derive(Debug, Default)]
pub(super) struct Order {
    /// The number of each file's first item.
    offsets: Vec<u32>,
    names: Vec<Name>,
    /// The file of each item.
    owners: Vec<FileId>,
    /// By parent, then name.
    children: Vec<(Item, Name, Item)>,
}

impl<'a> Items<'a> {
    pub fn new(files: &'a [Option<Arc<FileSyntax>>], names: &mut Names) -> Items<'a> {
        let mut order = Order::default();
        for (file, syntax) in files.iter().enumerate() {
            order.offsets.push(order.names.len() as u32);
            for symbol in syntax.iter().flat_map(|syntax| &syntax.items) {
                order.names.push(names.intern(&symbol.name));
                order.owners.push(FileId(file as u32));
            }
        }
        let items = Items { files, order: Arc::new(order) };
        let child = |item| Some((items.owner(item)?, items.name(item), item));
        let mut children: Vec<(Item, Name, Item)> = items.all().filter_map(child).collect();
        children.sort_unstable();
        let order = Arc::into_inner(items.order).unwrap_or_default();
        Items { files, order: Arc::new(Order { children, ..order }) }
    }

    /// The same of files that look from outside as those did of which `order` is.
    pub fn of(files: &'a [Option<Arc<FileSyntax>>], order: &Arc<Order>) -> Items<'a> {
        Items { files, order: Arc::clone(order) }
    }

    pub fn order(&self) -> &Arc<Order> {
        &self.order
    }

    pub fn all(&self) -> impl Iterator<Item = Item> + use<> {
        (0..self.order.names.len() as u32).map(Item)
    }

    pub fn syntax(&self, file: FileId) -> Option<&'a FileSyntax> {
        self.files.get(file.index())?.as_deref()
    }

    pub fn files(&self) -> impl Iterator<Item = (FileId, &'a FileSyntax)> + use<'a> {
        let files = self.files.iter().enumerate();
        files.filter_map(|(file, syntax)| Some((FileId(file as u32), syntax.as_deref()?)))
    }

    /// The item at a place in a file's list.
    pub fn at(&self, file: FileId, place: u32) -> Item {
        Item(self.order.offsets.get(file.index()).map_or(0, |offset| offset + place))
    }

    pub fn file(&self, item: Item) -> FileId {
        self.order.owners.get(item.0 as usize).copied().unwrap_or(FileId(0))
    }

    /// Its place in its file's list.
    pub fn place(&self, item: Item) -> u32 {
        item.0 - self.order.offsets.get(self.file(item).index()).copied().unwrap_or(0)
    }

    pub fn symbol(&self, item: Item) -> Option<&'a Symbol> {
        self.syntax(self.file(item))?.items.get(self.place(item) as usize)
    }

    pub fn kind(&self, item: Item) -> Option<SymbolKind> {
        self.symbol(item).map(|symbol| symbol.kind)
    }

    pub fn name(&self, item: Item) -> Name {
        self.order.names.get(item.0 as usize).copied().unwrap_or(super::names::OTHER)
    }

    pub fn parent(&self, item: Item) -> Option<Item> {
        let parent = self.symbol(item)?.parent?;
        Some(self.at(self.file(item), parent))
    }

    /// The parent that names belong to: macro calls and extern blocks leave theirs to what is around them.
    pub fn owner(&self, item: Item) -> Option<Item> {
        let mut owner = self.parent(item)?;
        while matches!(self.kind(owner), Some(SymbolKind::MacroCall | SymbolKind::ExternBlock)) {
            owner = self.parent(owner)?;
        }
        Some(owner)
    }

    pub fn signature(&self, item: Item) -> Option<&'a Signature> {
        let signatures = &self.syntax(self.file(item))?.signatures;
        let place = self.place(item);
        let index = signatures.binary_search_by_key(&place, |signature| signature.item).ok()?;
        signatures.get(index)
    }

    /// The members of an item: fields, variants, associated items, what a module or a function holds.
    pub fn children(&self, parent: Item) -> impl Iterator<Item = (Name, Item)> + use<'_> {
        let first = self.order.children.partition_point(|(owner, ..)| *owner < parent);
        let rest = self.order.children.get(first..).unwrap_or_default();
        rest.iter().take_while(move |(owner, ..)| *owner == parent).map(|(_, name, item)| (*name, *item))
    }

    /// The members of that name.
    pub fn named(&self, parent: Item, name: Name) -> impl Iterator<Item = Item> + use<'_> {
        let first =
            self.order.children.partition_point(|(owner, own_name, _)| (*owner, *own_name) < (parent, name));
        let rest = self.order.children.get(first..).unwrap_or_default();
        rest.iter()
            .take_while(move |(owner, own_name, _)| (*owner, *own_name) == (parent, name))
            .map(|(.., item)| *item)
    }
}
