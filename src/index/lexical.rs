//! An inverted index over sub-tokens of identifiers and prose: one list of postings for items and files.
//!
//! Postings are kept by unit; the counts of a file are the sums over its units, so a search walks each
//! list once and scores both. No search-engine library: they fix the constants of BM25 that must be tuned, and
//! none has the two levels in one list.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::units::{self, Unit};
use crate::model::{FileId, Span};
use crate::syntax::FileSyntax;
use crate::text;
use crate::text::LineIndex;
use crate::workspace::Snapshot;

/// Where a word stands in a unit; how often, by field.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    pub body: u16,
    pub name: u16,
    pub docs: u16,
    /// In the names of the items around it.
    pub outer: u16,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Posting {
    pub unit: u32,
    pub counts: Counts,
}

/// The words of a snapshot.
#[derive(Debug, Default)]
pub struct Lexical {
    pub units: Vec<Unit>,
    /// Words of each unit's body and docs.
    pub(super) unit_len: Vec<u32>,
    /// The units of each file: `first..last` by file.
    file_units: Vec<(u32, u32)>,
    pub(super) file_len: Vec<u32>,
    terms: FxHashMap<Box<str>, u32>,
    postings: Vec<Vec<Posting>>,
    /// The files in whose path a word stands, with its count.
    paths: FxHashMap<Box<str>, Vec<(FileId, u16)>>,
    /// Number of files in which the term stands.
    file_frequency: Vec<u32>,
    /// All terms in order, for look-ups by prefix.
    sorted: Vec<u32>,
    names: Vec<Box<str>>,
}

/// Files that are read into one part: neighbours share most of their words, so that far fewer lists are made and
/// joined than there would be with a part for each file. Few enough to spread over the cores.
const FILES_PER_PART: usize = 8;

/// What some files add, before the terms have the numbers that they have in the index.
#[derive(Default)]
struct Part {
    units: Vec<Unit>,
    lens: Vec<u32>,
    /// Units of each file.
    file_units: Vec<u32>,
    terms: FxHashMap<Box<str>, u32>,
    /// Units are counted from the part's first.
    postings: Vec<Vec<Posting>>,
}

impl Lexical {
    /// Reads every file of the snapshot; `syntax` is by file.
    pub fn build(snapshot: &Snapshot, syntax: &[Option<FileSyntax>]) -> Lexical {
        let ids: Vec<FileId> = snapshot.ids().collect();
        let parts: Vec<Part> = ids
            .par_chunks(FILES_PER_PART)
            .map(|ids| {
                let mut part = Part::default();
                for &id in ids {
                    part.read(snapshot, id, syntax.get(id.index()).and_then(Option::as_ref));
                }
                part
            })
            .collect();
        let mut index = Lexical::default();
        for part in parts {
            index.add(part);
        }
        for id in snapshot.ids() {
            index.add_path(id, &snapshot.file(id).path);
        }
        index.finish();
        index
    }

    fn add(&mut self, part: Part) {
        let first = self.units.len() as u32;
        let mut lens = part.lens.iter();
        for units in part.file_units {
            let start = self.file_units.last().map_or(0, |&(_, end)| end);
            self.file_units.push((start, start + units));
            self.file_len.push(lens.by_ref().take(units as usize).sum());
        }
        self.units.extend(part.units);
        self.unit_len.extend(&part.lens);
        let mut postings = part.postings;
        for (term, own) in part.terms {
            let next = self.postings.len() as u32;
            let id = *self.terms.entry(term).or_insert(next);
            if id == next {
                self.postings.push(Vec::new());
            }
            let own = postings.get_mut(own as usize).map(std::mem::take).unwrap_or_default();
            self.postings[id as usize]
                .extend(own.into_iter().map(|posting| Posting { unit: first + posting.unit, ..posting }));
        }
    }

    fn add_path(&mut self, id: FileId, path: &str) {
        text::for_each_word(path, |word| {
            let files = self.paths.entry(word.into()).or_default();
            match files.last_mut() {
                Some((last, count)) if *last == id => *count = count.saturating_add(1),
                _ => files.push((id, 1)),
            }
        });
    }

    fn finish(&mut self) {
        self.names = vec![Box::default(); self.terms.len()];
        for (name, &id) in &self.terms {
            self.names[id as usize] = name.clone();
        }
        self.sorted = (0..self.names.len() as u32).collect();
        self.sorted.par_sort_unstable_by(|&a, &b| self.names[a as usize].cmp(&self.names[b as usize]));
        self.file_frequency = self.postings.par_iter().map(|list| files_of(list, &self.units)).collect();
    }

    pub fn file_count(&self) -> usize {
        self.file_units.len()
    }

    /// The units of a file, as indices into `units`.
    pub fn units_of(&self, file: FileId) -> std::ops::Range<usize> {
        let (first, last) = self.file_units.get(file.index()).copied().unwrap_or_default();
        first as usize..last as usize
    }

    /// Postings of a normalised word, in the order of the units.
    pub(super) fn postings(&self, word: &str) -> &[Posting] {
        self.terms.get(word).map_or(&[], |&id| &self.postings[id as usize])
    }

    /// The files in whose path a normalised word stands.
    pub(super) fn in_paths(&self, word: &str) -> &[(FileId, u16)] {
        self.paths.get(word).map_or(&[], Vec::as_slice)
    }

    /// The files in whose path a normalised word stands, in the order of their paths.
    pub fn files_with_path_word(&self, word: &str) -> impl Iterator<Item = FileId> {
        self.in_paths(word).iter().map(|&(file, _)| file)
    }

    /// Number of files in whose text a normalised word stands.
    pub fn document_frequency(&self, word: &str) -> u32 {
        self.terms.get(word).map_or(0, |&id| self.file_frequency[id as usize])
    }

    /// At most `limit` words that begin with `prefix`, the most frequent first, with their number of files.
    pub fn with_prefix(&self, prefix: &str, limit: usize) -> Vec<(String, u32)> {
        let start = self.sorted.partition_point(|&id| &*self.names[id as usize] < prefix);
        let mut found: Vec<(String, u32)> = self.sorted[start..]
            .iter()
            .map(|&id| (&self.names[id as usize], self.file_frequency[id as usize]))
            .take_while(|(name, _)| name.starts_with(prefix))
            .map(|(name, files)| (name.to_string(), files))
            .collect();
        found.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        found.truncate(limit);
        found
    }
}

/// Number of files in postings that stand in the order of the units.
fn files_of(postings: &[Posting], units: &[Unit]) -> u32 {
    let file = |posting: &Posting| units[posting.unit as usize].file;
    postings.chunk_by(|a, b| file(a) == file(b)).count() as u32
}

impl Part {
    /// Counts the words of one file by unit and field.
    fn read(&mut self, snapshot: &Snapshot, id: FileId, syntax: Option<&FileSyntax>) {
        let file = snapshot.file(id);
        let units = units::cut(id, file.kind, &file.text, &LineIndex::new(&file.text), syntax);
        let items = syntax.map_or(&[][..], |syntax| &syntax.items);
        self.file_units.push(units.len() as u32);
        for unit in &units {
            self.lens.push(0);
            let item = unit.item.and_then(|item| items.get(item as usize));
            let docs = item.and_then(|item| item.docs).unwrap_or_default();
            for &span in &unit.spans {
                for (piece, field) in by_field(span, docs) {
                    self.count(piece.of(&file.text), field);
                }
            }
            let Some(item) = item else { continue };
            self.count(&item.name, Field::Name);
            let mut around = item.parent.and_then(|parent| items.get(parent as usize));
            while let Some(outer) = around {
                self.count(&outer.name, Field::Outer);
                around = outer.parent.and_then(|parent| items.get(parent as usize));
            }
        }
        self.units.extend(units);
    }

    /// Counts the words of a text that belongs to the unit begun last.
    fn count(&mut self, text: &str, field: Field) {
        let Part { lens, terms, postings, .. } = self;
        let unit = lens.len().saturating_sub(1) as u32;
        let Some(len) = lens.last_mut() else { return };
        text::for_each_word(text, |word| {
            let id = terms.get(word).copied().unwrap_or_else(|| {
                let id = postings.len() as u32;
                terms.insert(word.into(), id);
                postings.push(Vec::new());
                id
            });
            let Some(list) = postings.get_mut(id as usize) else { return };
            if list.last().is_none_or(|last| last.unit != unit) {
                list.push(Posting { unit, counts: Counts::default() });
            }
            let Some(Posting { counts, .. }) = list.last_mut() else { return };
            let count = match field {
                Field::Body => &mut counts.body,
                Field::Name => &mut counts.name,
                Field::Docs => &mut counts.docs,
                Field::Outer => &mut counts.outer,
            };
            *count = count.saturating_add(1);
            if matches!(field, Field::Body | Field::Docs) {
                *len += 1;
            }
        });
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Field {
    Body,
    Name,
    Docs,
    Outer,
}

/// The parts of `span` before, inside and behind the docs.
fn by_field(span: Span, docs: Span) -> [(Span, Field); 3] {
    let cut =
        |start: u32, end: u32| Span::new(start.clamp(span.start, span.end), end.clamp(span.start, span.end));
    [
        (cut(span.start, docs.start), Field::Body),
        (cut(docs.start, docs.end), Field::Docs),
        (cut(docs.end.max(span.start), span.end), Field::Body),
    ]
}
