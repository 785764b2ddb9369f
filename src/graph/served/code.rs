//! From places in texts to items.

use std::sync::Arc;

use crate::lsp::{At, Place, Target};
use crate::model::{FileId, Symbol, SymbolId, SymbolKind};
use crate::syntax::FileSyntax;

use super::super::build::WHOLE_FILE;

/// The items of a snapshot by their places.
#[derive(Clone, Copy)]
pub(super) struct Code<'a> {
    pub syntax: &'a [Option<Arc<FileSyntax>>],
}

impl<'a> Code<'a> {
    pub fn items(self, file: FileId) -> &'a [Symbol] {
        self.syntax.get(file.index()).and_then(Option::as_ref).map_or(&[], |syntax| &syntax.items)
    }

    pub fn symbol(self, id: SymbolId) -> Option<&'a Symbol> {
        self.items(id.file).get(id.item as usize)
    }

    /// Where a server is asked about an item: at its name.
    pub fn name_of(self, id: SymbolId) -> Option<At> {
        let symbol = self.symbol(id).filter(|symbol| !symbol.name_span.is_empty())?;
        Some((id.file, symbol.name_span.start))
    }

    /// The item whose name stands at a place; where a macro makes it, the macro's call.
    pub fn named(self, place: Place) -> Option<SymbolId> {
        let items = self.items(place.file);
        let exact = items.iter().position(|item| item.name_span.start == place.span.start);
        let item = exact.or_else(|| {
            self.innermost(place.file, place.span.start)
                .filter(|item| items[*item].kind == SymbolKind::MacroCall)
        });
        Some(SymbolId { file: place.file, item: u32::try_from(item?).ok()? })
    }

    /// The innermost item around a place; the file itself where there is none.
    pub fn around(self, place: Place) -> SymbolId {
        let item = self.innermost(place.file, place.span.start).and_then(|item| u32::try_from(item).ok());
        SymbolId { file: place.file, item: item.unwrap_or(WHOLE_FILE) }
    }

    /// Whether an item's own name stands there.
    pub fn is_name(self, place: Place) -> bool {
        self.items(place.file).iter().any(|item| item.name_span.start == place.span.start)
    }

    /// Parents stand before their children, so the last one that holds the offset is the innermost.
    fn innermost(self, file: FileId, offset: u32) -> Option<usize> {
        self.items(file).iter().rposition(|item| item.span.contains(offset))
    }

    /// The items of the workspace that an answer means; `None` where it points at something else inside it (a local
    /// variable, a module's file), which says nothing of items.
    pub fn meant(self, targets: &[Target]) -> Option<Vec<SymbolId>> {
        let mut items = Vec::new();
        for target in targets {
            if let Target::Inside(place) = target {
                // A module's file is told as a whole, from its first byte.
                match self.named(*place) {
                    Some(item) => items.push(item),
                    None if place.span.start == 0 => return None,
                    None => {}
                }
            }
        }
        Some(items)
    }

    /// The children of an item of a kind, in the order of the text.
    pub fn children(self, id: SymbolId, kind: SymbolKind) -> impl Iterator<Item = SymbolId> + 'a {
        let items = (0u32..).zip(self.items(id.file));
        let own = items.filter(move |(_, item)| item.kind == kind && item.parent == Some(id.item));
        own.map(move |(item, _)| SymbolId { file: id.file, item })
    }

    /// The item around an item.
    pub fn owner(self, id: SymbolId) -> Option<&'a Symbol> {
        self.items(id.file).get(self.symbol(id)?.parent? as usize)
    }
}
