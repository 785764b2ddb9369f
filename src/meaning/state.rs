//! Which passages the units of one state of a workspace have.

use std::sync::Arc;

use rayon::prelude::*;

use crate::model::FileId;
use crate::store::TextKey;
use crate::workspace::FileKey;

use super::Code;
use super::passages::Recipe;

/// By unit of the index, what its passage is known by.
#[derive(Debug, Default)]
pub struct Passages {
    keys: Vec<Option<TextKey>>,
}

/// Files with the texts of their units, in their order.
pub(super) type FileTexts = Vec<(FileKey, Arc<[TextKey]>)>;

impl Passages {
    /// The passages of a state, and those of the files of which nothing was `known`.
    pub(super) fn of(
        code: Code<'_>,
        recipe: Recipe,
        known: &(dyn Fn(FileKey) -> Option<Arc<[TextKey]>> + Sync),
    ) -> (Passages, FileTexts) {
        let none = TextKey::of("");
        let of_file = |id: FileId| {
            let key = code.snapshot.file(id).key();
            let units = code.lexical.units_of(id).len();
            if let Some(list) = known(key).filter(|list| list.len() == units) {
                return (key, list, false);
            }
            let texts = texts(code, recipe, id);
            let list = texts.iter().map(|text| text.as_deref().map_or(none, TextKey::of)).collect();
            (key, list, true)
        };
        let ids: Vec<FileId> = code.snapshot.ids().collect();
        let lists: Vec<(FileKey, Arc<[TextKey]>, bool)> = ids.into_par_iter().map(of_file).collect();
        let keys = lists.iter().flat_map(|(_, list, _)| list.iter());
        let keys = keys.map(|key| Some(*key).filter(|key| *key != none)).collect();
        let new = lists.into_iter().filter(|(.., is_new)| *is_new);
        (Passages { keys }, new.map(|(key, list, _)| (key, list)).collect())
    }

    /// How many units there are, with a passage or without.
    pub fn units(&self) -> usize {
        self.keys.len()
    }

    /// The units that have a passage, with what it is known by.
    pub(super) fn keys(&self) -> impl Iterator<Item = (usize, TextKey)> {
        self.keys.iter().enumerate().filter_map(|(unit, key)| Some((unit, (*key)?)))
    }

    /// The texts of the passages of some units.
    pub(super) fn texts(code: Code<'_>, recipe: Recipe, units: &[usize]) -> Vec<(TextKey, String)> {
        let mut found = Vec::with_capacity(units.len());
        let file_of = |unit: &usize| code.lexical.units.get(*unit).map(|unit| unit.file);
        for of_file in units.chunk_by(|a, b| file_of(a) == file_of(b)) {
            let Some(id) = of_file.first().and_then(file_of) else { continue };
            let first = code.lexical.units_of(id).start;
            let texts = texts(code, recipe, id);
            let own = of_file.iter().filter_map(|unit| texts.get(unit - first)?.clone());
            found.extend(own.map(|text| (TextKey::of(&text), text)));
        }
        found
    }
}

/// The passages of a file's units.
fn texts(code: Code<'_>, recipe: Recipe, id: FileId) -> Vec<Option<String>> {
    let units = &code.lexical.units[code.lexical.units_of(id)];
    let syntax = code.syntax.get(id.index()).and_then(Option::as_deref);
    recipe.passages(code.snapshot.file(id), syntax, units)
}
