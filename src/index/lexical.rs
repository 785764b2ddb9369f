//! An inverted index over sub-tokens of identifiers and prose: one list of postings for items and files.
//!
//! Postings are kept by unit; the counts of a file are the sums over its units, so a search walks each
//! list once and scores both. No search-engine library: they fix the constants of BM25 that must be tuned, and
//! none has the two levels in one list.
//!
//! All lists lie in one, in the order of their words: a list per word would be forty thousand allocations to read an index
//! that is on disk. So an index never changes; a new one takes over what still holds.

use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::units::{self, Unit};
use super::words::Words;
use crate::model::{FileId, Span};
use crate::syntax::FileSyntax;
use crate::text;
use crate::text::LineIndex;
use crate::workspace::Snapshot;

/// Where a word stands in a unit; how often, by field.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    pub body: u16,
    pub name: u16,
    pub docs: u16,
    /// In the names of the items around it.
    pub outer: u16,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Posting {
    pub unit: u32,
    pub counts: Counts,
}

/// The words of a snapshot.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lexical {
    pub units: Vec<Unit>,
    /// Words of each unit's body and docs.
    pub(super) unit_len: Vec<u32>,
    /// The units of each file: `first..last` by file.
    pub(super) file_units: Vec<(u32, u32)>,
    pub(super) file_len: Vec<u32>,
    pub(super) words: Words,
    /// Of each word the end of its list in `postings`, by its place among the words.
    pub(super) list_ends: Vec<u32>,
    /// By word, then by unit.
    pub(super) postings: Vec<Posting>,
    /// Number of files in which the word stands.
    pub(super) file_frequency: Vec<u32>,
    /// The files in whose path a word stands, with its count.
    pub(super) paths: FxHashMap<Box<str>, Vec<(FileId, u16)>>,
}

/// Files that are read into one part: neighbours share most of their words, so that far fewer lists are made and
/// joined than there would be with a part for each file. Few enough to spread over the cores.
const FILES_PER_PART: usize = 8;

/// What some files add, before the terms have the numbers that they have in the index.
#[derive(Default)]
struct Part {
    files: Vec<FileId>,
    units: Vec<Unit>,
    lens: Vec<u32>,
    /// Units of each file.
    file_units: Vec<u32>,
    terms: FxHashMap<Box<str>, u32>,
    /// Units are counted from the part's first.
    postings: Vec<Vec<Posting>>,
}

/// What an index of an earlier snapshot tells of a new one.
pub struct Earlier<'a> {
    pub lexical: &'a Lexical,
    /// By file of the new snapshot: the file of the earlier one that has the same path and text.
    pub same: &'a [Option<FileId>],
}

impl Lexical {
    /// Reads every file of the snapshot; `syntax` is by file.
    pub fn build(snapshot: &Snapshot, syntax: &[Option<Arc<FileSyntax>>]) -> Lexical {
        let earlier = Earlier { lexical: &Lexical::default(), same: &[] };
        Lexical::update(&earlier, snapshot, syntax)
    }

    /// The same, where the words of some files are known: the others alone are read.
    pub fn update(earlier: &Earlier<'_>, snapshot: &Snapshot, syntax: &[Option<Arc<FileSyntax>>]) -> Lexical {
        let same = |id: FileId| earlier.same.get(id.index()).copied().flatten();
        let new: Vec<FileId> = snapshot.ids().filter(|id| same(*id).is_none()).collect();
        let parts: Vec<Part> = new
            .par_chunks(FILES_PER_PART)
            .map(|ids| {
                let mut part = Part::default();
                for &id in ids {
                    part.read(snapshot, id, syntax.get(id.index()).and_then(Option::as_deref));
                }
                part
            })
            .collect();
        Joiner::new(snapshot, earlier, parts).join()
    }

    /// Puts down where the words of the paths stand.
    pub(super) fn add_paths<'p>(&mut self, paths: impl Iterator<Item = &'p str>) {
        for (id, path) in (0..).map(FileId).zip(paths) {
            text::for_each_word(path, |word| {
                let files = match self.paths.get_mut(word) {
                    Some(files) => files,
                    None => self.paths.entry(word.into()).or_default(),
                };
                match files.last_mut() {
                    Some((last, count)) if *last == id => *count = count.saturating_add(1),
                    _ => files.push((id, 1)),
                }
            });
        }
    }

    /// Counts in how many files each word stands, and how long the files are.
    pub(super) fn count(&mut self) {
        let units = &self.units;
        let places: Vec<usize> = (0..self.list_ends.len()).collect();
        self.file_frequency = places.par_iter().map(|&place| files_of(self.list(place), units)).collect();
        self.count_lens();
    }

    fn count_lens(&mut self) {
        let lens = |&(first, last): &(u32, u32)| self.unit_len.get(first as usize..last as usize);
        self.file_len =
            self.file_units.iter().map(|units| lens(units).unwrap_or_default().iter().sum()).collect();
    }

    pub fn file_count(&self) -> usize {
        self.file_units.len()
    }

    /// The units of a file, as indices into `units`.
    pub fn units_of(&self, file: FileId) -> std::ops::Range<usize> {
        let (first, last) = self.file_units.get(file.index()).copied().unwrap_or_default();
        first as usize..last as usize
    }

    /// The list at a place.
    pub(super) fn list(&self, place: usize) -> &[Posting] {
        let first = place.checked_sub(1).map_or(0, |before| self.list_ends[before]);
        &self.postings[first as usize..self.list_ends[place] as usize]
    }

    /// Postings of a normalised word, in the order of the units.
    pub(super) fn postings(&self, word: &str) -> &[Posting] {
        self.words.find(word).map_or(&[], |place| self.list(place))
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
        self.words.find(word).map_or(0, |place| self.file_frequency[place])
    }

    /// At most `limit` words that begin with `prefix`, the most frequent first, with their number of files.
    pub fn with_prefix(&self, prefix: &str, limit: usize) -> Vec<(String, u32)> {
        let mut found: Vec<(String, u32)> = self
            .words
            .from(prefix)
            .take_while(|(_, word)| word.starts_with(prefix))
            .map(|(place, word)| (word.to_owned(), self.file_frequency[place]))
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

/// Puts an index together, from what still holds of an earlier one and from the parts that are new.
struct Joiner<'a> {
    snapshot: &'a Snapshot,
    earlier: &'a Lexical,
    parts: Vec<Part>,
    /// What became of the units of the earlier index.
    moved: Vec<Option<u32>>,
    out: Lexical,
}

impl<'a> Joiner<'a> {
    /// Numbers the units.
    fn new(snapshot: &'a Snapshot, earlier: &Earlier<'a>, mut parts: Vec<Part>) -> Joiner<'a> {
        let old = earlier.lexical;
        let mut out = Lexical::default();
        let mut moved = vec![None; old.units.len()];
        let mut new = parts.iter_mut().flat_map(Part::take_files);
        for id in snapshot.ids() {
            let first = out.units.len() as u32;
            match earlier.same.get(id.index()).copied().flatten() {
                Some(was) => {
                    let units = old.units_of(was);
                    out.unit_len.extend_from_slice(&old.unit_len[units.clone()]);
                    for (place, unit) in units.clone().zip(&old.units[units]) {
                        moved[place] = Some(out.units.len() as u32);
                        out.units.push(Unit { file: id, ..unit.clone() });
                    }
                }
                None => {
                    let (units, lens) = new.next().unwrap_or_default();
                    out.units.extend(units);
                    out.unit_len.extend(lens);
                }
            }
            out.file_units.push((first, out.units.len() as u32));
        }
        drop(new);
        Joiner { snapshot, earlier: old, parts, moved, out }
    }

    fn join(mut self) -> Lexical {
        let new = self.new_lists();
        let mut new = new.into_iter().peekable();
        let old = self.earlier;
        self.out.postings.reserve(old.postings.len());
        for (place, word) in old.words.from("") {
            while let Some((word, list)) = new.next_if(|(new, _)| **new < *word) {
                self.push(&word, None, list);
            }
            let own = new.next_if(|(new, _)| **new == *word).map(|(_, list)| list).unwrap_or_default();
            self.push(word, Some(place), own);
        }
        for (word, list) in new {
            self.push(&word, None, list);
        }
        self.out.count_lens();
        self.out.add_paths(self.snapshot.files.iter().map(|file| file.path.as_str()));
        self.out
    }

    /// The lists of the parts, in the order of their words.
    fn new_lists(&mut self) -> Vec<(Box<str>, Vec<Posting>)> {
        let mut places: FxHashMap<Box<str>, u32> = FxHashMap::default();
        let mut lists: Vec<Vec<Posting>> = Vec::new();
        for part in std::mem::take(&mut self.parts) {
            let units: Vec<u32> =
                part.files.iter().flat_map(|file| self.out.units_of(*file)).map(|unit| unit as u32).collect();
            let mut postings = part.postings;
            for (term, own) in part.terms {
                let next = lists.len() as u32;
                let place = *places.entry(term).or_insert(next);
                if place == next {
                    lists.push(Vec::new());
                }
                let own = postings.get_mut(own as usize).map(std::mem::take).unwrap_or_default();
                let unit = |posting: &Posting| units[posting.unit as usize];
                lists[place as usize]
                    .extend(own.iter().map(|posting| Posting { unit: unit(posting), ..*posting }));
            }
        }
        let mut named: Vec<(Box<str>, Vec<Posting>)> = places
            .into_iter()
            .map(|(word, place)| (word, std::mem::take(&mut lists[place as usize])))
            .collect();
        named.par_sort_unstable_by(|a, b| a.0.cmp(&b.0));
        named
    }

    /// The next word, with what is left of the list that it had at `place` and what is new; both stand in the order of their units.
    fn push(&mut self, word: &str, place: Option<usize>, new: Vec<Posting>) {
        let first = self.out.postings.len();
        let old = place.map_or(&[][..], |place| self.earlier.list(place));
        let added = new.len();
        let mut new = new.into_iter().peekable();
        for posting in old {
            let Some(unit) = self.moved[posting.unit as usize] else { continue };
            while let Some(before) = new.next_if(|new| new.unit < unit) {
                self.out.postings.push(before);
            }
            self.out.postings.push(Posting { unit, ..*posting });
        }
        self.out.postings.extend(new);
        if self.out.postings.len() > first {
            let is_same = added == 0 && self.out.postings.len() - first == old.len();
            let known = place.filter(|_| is_same).map(|place| self.earlier.file_frequency[place]);
            let count = || files_of(&self.out.postings[first..], &self.out.units);
            self.out.file_frequency.push(known.unwrap_or_else(count));
            self.out.words.push(word);
            self.out.list_ends.push(self.out.postings.len() as u32);
        }
    }
}

impl Part {
    /// The units of each file, with their lengths.
    fn take_files(&mut self) -> Vec<(Vec<Unit>, Vec<u32>)> {
        let (mut units, mut lens) = (self.units.drain(..), self.lens.drain(..));
        let mut take = |count: &u32| {
            let count = *count as usize;
            (units.by_ref().take(count).collect(), lens.by_ref().take(count).collect())
        };
        self.file_units.iter().map(&mut take).collect()
    }

    /// Counts the words of one file by unit and field.
    fn read(&mut self, snapshot: &Snapshot, id: FileId, syntax: Option<&FileSyntax>) {
        let file = snapshot.file(id);
        let units = units::cut(id, file.kind, &file.text, &LineIndex::new(&file.text), syntax);
        let items = syntax.map_or(&[][..], |syntax| &syntax.items);
        self.files.push(id);
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
