//! The vectors in memory, by what they are of.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::model::{PackedVector, VectorError};
use crate::store::TextKey;
use crate::workspace::FileKey;

use super::{Passages, Vectors};

/// States of all files whose texts are remembered.
const MOST_STATES: usize = 4;
const FEW_FILES: usize = 100;

/// Vectors by the text that they are of, and which texts a file has.
pub(super) struct Bank {
    vectors: Vectors,
    rows: FxHashMap<TextKey, u32>,
    lists: FxHashMap<FileKey, Arc<[TextKey]>>,
    /// The files whose texts were put down.
    kept: FxHashSet<FileKey>,
}

impl Bank {
    pub fn new(dimension: usize) -> Bank {
        Bank {
            vectors: Vectors::new(dimension),
            rows: FxHashMap::default(),
            lists: FxHashMap::default(),
            kept: FxHashSet::default(),
        }
    }

    /// Takes in what was kept. A vector that does not fit the model is left out, and asked for again.
    pub fn fill(&mut self, vectors: Vec<(TextKey, PackedVector)>, lists: Vec<(FileKey, Vec<TextKey>)>) {
        let unfit = vectors.into_iter().filter(|(key, vector)| self.add(*key, vector).is_err()).count();
        if unfit > 0 {
            tracing::warn!(vectors = unfit, "of another dimension than their model");
        }
        self.kept.extend(lists.iter().map(|(file, _)| *file));
        self.lists.extend(lists.into_iter().map(|(file, texts)| (file, texts.into())));
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Adds the vector of a text.
    ///
    /// # Errors
    /// Where it is no vector of this model.
    pub fn add(&mut self, key: TextKey, vector: &PackedVector) -> Result<(), VectorError> {
        if !self.rows.contains_key(&key) {
            self.rows.insert(key, self.vectors.push_packed(vector)? as u32);
        }
        Ok(())
    }

    pub fn has(&self, key: TextKey) -> bool {
        self.rows.contains_key(&key)
    }

    /// The texts of a file.
    pub fn list(&self, file: FileKey) -> Option<Arc<[TextKey]>> {
        self.lists.get(&file).cloned()
    }

    /// Takes in the texts of new or changed files of a state with so many.
    pub fn add_lists(&mut self, lists: &[(FileKey, Arc<[TextKey]>)], files: usize) {
        // An edit that is undone costs nothing; a day of edits must not stay.
        if self.lists.len() > MOST_STATES * files.max(FEW_FILES) {
            self.lists.clear();
        }
        self.lists.extend(lists.iter().cloned());
    }

    /// The texts of those of these files that are not on disk.
    pub fn unkept(&self, files: &[FileKey]) -> Vec<(FileKey, Vec<TextKey>)> {
        let new = files.iter().filter(|file| !self.kept.contains(file));
        new.filter_map(|file| Some((*file, self.lists.get(file)?.to_vec()))).collect()
    }

    pub fn are_kept(&mut self, files: impl Iterator<Item = FileKey>) {
        self.kept.extend(files);
    }

    /// What a search over the units of a state needs, so that it can go on without this: the vectors, and the row of each unit.
    pub fn rows(&self, passages: &Passages) -> (Vectors, Vec<Option<u32>>) {
        let mut rows = vec![None; passages.units()];
        for (unit, key) in passages.keys() {
            rows[unit] = self.rows.get(&key).copied();
        }
        (self.vectors.clone(), rows)
    }

    /// All vectors, for a store that lost them.
    pub fn all(&self) -> Vec<(TextKey, PackedVector)> {
        self.rows.iter().filter_map(|(key, row)| Some((*key, self.vectors.get(*row as usize)?))).collect()
    }
}
