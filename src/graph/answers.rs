//! What a language server said, kept beyond the snapshot that it was said of: what it confirmed and added, never what it
//! denied, nor that it told all. So it is true for as long as the files at both ends are the same, whatever the others are.
//!
//! In memory an answer is by the ids of a snapshot (`Answers`), on disk by the keys of files (`FileAnswers`, one for each
//! file in which something is named), so that an edit forgets what rests on the edited file alone.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::build::Graph;
use super::learned::Learned;
use crate::model::{EdgeKind, FileId, Source, Span, SymbolId};
use crate::workspace::FileKey;

/// Who said it. What another program, or another version of it, said is not mixed with it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Speaker {
    pub name: String,
    pub version: Option<String>,
}

/// What one server said of the files of a snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answers {
    speaker: Speaker,
    edges: BTreeSet<Taught>,
    made: BTreeSet<Made>,
}

/// One edge, as the server told it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Taught {
    pub from: SymbolId,
    pub to: SymbolId,
    pub kind: EdgeKind,
    pub at: Span,
    /// Whether `to` is named at `at`; else the two belong together by what they are.
    pub is_named: bool,
}

/// A name that no text defines: a macro's call makes it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Made {
    /// The macro's call.
    pub by: SymbolId,
    pub name: String,
    /// What holds it; empty where the server told nothing.
    pub container: String,
}

/// What one server said of one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileAnswers {
    pub speaker: Speaker,
    /// The files in which its edges end.
    others: Vec<FileKey>,
    edges: Columns,
    /// The macro's call, the name, and what holds it.
    made: Vec<(u32, String, String)>,
}

/// Edges, each of their numbers in a list of its own, and what grows as the step from the last one: so packed they take half.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Columns {
    /// The items that they begin at: steps.
    from: Vec<i32>,
    /// The files that they end in, by their places among `others`.
    files: Vec<u32>,
    items: Vec<u32>,
    kinds: Vec<(EdgeKind, bool)>,
    /// Where they stand: steps, and lengths.
    starts: Vec<i32>,
    lens: Vec<u32>,
}

/// An edge of one file: the item that it begins at, a place among `others` and an item there, its kind, where it stands, and whether
/// its end is named there.
type FileEdge = (u32, (u32, u32), EdgeKind, Span, bool);

impl Columns {
    fn of(edges: &[FileEdge]) -> Columns {
        let mut columns = Columns::default();
        let mut last = (0u32, 0u32);
        for &(from, (file, item), kind, at, is_named) in edges {
            columns.from.push(from.wrapping_sub(last.0) as i32);
            columns.files.push(file);
            columns.items.push(item);
            columns.kinds.push((kind, is_named));
            columns.starts.push(at.start.wrapping_sub(last.1) as i32);
            columns.lens.push(at.len());
            last = (from, at.start);
        }
        columns
    }

    /// The edges again; fewer where the lists do not fit each other.
    fn edges(&self) -> impl Iterator<Item = FileEdge> + '_ {
        let step = |last: &mut u32, step: &i32| {
            *last = last.wrapping_add(*step as u32);
            Some(*last)
        };
        let ends = self.files.iter().copied().zip(self.items.iter().copied());
        let places = self.starts.iter().scan(0, step).zip(&self.lens);
        let begun = self.from.iter().scan(0, step).zip(ends);
        begun.zip(&self.kinds).zip(places).map(|(((from, end), (kind, is_named)), (start, len))| {
            (from, end, *kind, Span::new(start, start.saturating_add(*len)), *is_named)
        })
    }
}

impl Answers {
    pub fn none(speaker: Speaker) -> Answers {
        Answers { speaker, edges: BTreeSet::new(), made: BTreeSet::new() }
    }

    pub(super) fn of(speaker: Speaker, learned: &Learned) -> Answers {
        Answers { speaker, edges: learned.taught.clone(), made: learned.made.clone() }
    }

    pub fn speaker(&self) -> &Speaker {
        &self.speaker
    }

    /// Number of edges and names.
    pub fn len(&self) -> usize {
        self.edges.len() + self.made.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The files of which something was said.
    pub fn files(&self) -> BTreeSet<FileId> {
        let edges = self.edges.iter().map(|edge| edge.from.file);
        edges.chain(self.made.iter().map(|made| made.by.file)).collect()
    }

    /// Takes in what was said besides, and gives the files of which it is new. Another server's answers take the place of these.
    pub fn extend(&mut self, other: &Answers) -> BTreeSet<FileId> {
        if self.speaker != other.speaker {
            *self = Answers::none(other.speaker.clone());
        }
        let edges = other.edges.iter().filter(|edge| self.edges.insert(**edge)).map(|edge| edge.from.file);
        let made = other.made.iter().filter(|made| self.made.insert((*made).clone()));
        edges.chain(made.map(|made| made.by.file)).collect()
    }

    /// The same in a later snapshot, where `to` says which file each one became; without what rests on one that is gone.
    pub fn moved(&self, to: impl Fn(FileId) -> Option<FileId>) -> Answers {
        let symbol = |id: SymbolId| Some(SymbolId { file: to(id.file)?, ..id });
        let edge = |it: &Taught| Some(Taught { from: symbol(it.from)?, to: symbol(it.to)?, ..*it });
        let made = |it: &Made| Some(Made { by: symbol(it.by)?, ..it.clone() });
        Answers {
            speaker: self.speaker.clone(),
            edges: self.edges.iter().filter_map(edge).collect(),
            made: self.made.iter().filter_map(made).collect(),
        }
    }

    /// What is to be kept of one file; `keys` are by file.
    pub fn of_file(&self, file: FileId, keys: &[FileKey]) -> FileAnswers {
        let (first, last) = (SymbolId { file, item: 0 }, SymbolId { file, item: u32::MAX });
        let mut others: Vec<FileKey> = Vec::new();
        let mut places: FxHashMap<FileId, u32> = FxHashMap::default();
        let edges = self.edges.range(Taught::at(first)..).take_while(|edge| edge.from <= last);
        let edges = edges.filter_map(|edge| {
            let place = *places.entry(edge.to.file).or_insert(others.len() as u32);
            if place == others.len() as u32 {
                others.push(*keys.get(edge.to.file.index())?);
            }
            Some((edge.from.item, (place, edge.to.item), edge.kind, edge.at, edge.is_named))
        });
        let mut edges: Vec<FileEdge> = edges.collect();
        edges.sort_unstable_by_key(|&(from, end, kind, at, _)| (from, at, end, kind));
        let edges = Columns::of(&edges);
        let made = self.made.iter().filter(|made| made.by.file == file);
        let made = made.map(|made| (made.by.item, made.name.clone(), made.container.clone())).collect();
        FileAnswers { speaker: self.speaker.clone(), others, edges, made }
    }

    /// Takes in what was kept of `file`; `find` gives the file of a key. What ends in a file that is gone is left out.
    pub fn add(&mut self, file: FileId, kept: &FileAnswers, find: impl Fn(&FileKey) -> Option<FileId>) {
        let others: Vec<Option<FileId>> = kept.others.iter().map(find).collect();
        self.edges.extend(kept.edges.edges().filter_map(|(from, (place, item), kind, at, is_named)| {
            let to = SymbolId { file: (*others.get(place as usize)?)?, item };
            Some(Taught { from: SymbolId { file, item: from }, to, kind, at, is_named })
        }));
        self.made.extend(kept.made.iter().map(|(item, name, container)| Made {
            by: SymbolId { file, item: *item },
            name: name.clone(),
            container: container.clone(),
        }));
    }
}

impl Taught {
    /// The least of those that begin at `from`.
    fn at(from: SymbolId) -> Taught {
        let to = SymbolId { file: FileId(0), item: 0 };
        Taught { from, to, kind: EdgeKind::Defines, at: Span::default(), is_named: false }
    }
}

/// Whether what holds a name, as a server tells it, is what the last of these parts of a path names.
pub(super) fn is_held_by(container: &str, qualifier: &[&str]) -> bool {
    match qualifier.last().filter(|owner| !matches!(**owner, "" | "crate")) {
        Some(owner) => container == *owner || container.rsplit("::").next() == Some(*owner),
        None => true,
    }
}

impl Graph {
    /// The graph with answers laid over it, of the same snapshot, as `source` says them. What fits no item is left out.
    pub fn with_answers(&self, answers: &Answers, source: Source) -> Graph {
        if self.learned.taught == answers.edges && self.learned.made == answers.made {
            return self.clone();
        }
        let mut graph = self.text_alone();
        let mut lesson = graph.lesson(source);
        for &Taught { from, to, kind, at, is_named } in &answers.edges {
            match is_named {
                true => lesson.names(from, to, kind, at),
                false => lesson.pair(from, to, kind, at),
            }
        }
        answers.made.iter().for_each(|made| lesson.makes(made.clone()));
        graph
    }

    /// The graph as the text has it.
    pub fn text_alone(&self) -> Graph {
        Graph { base: self.base.clone(), learned: Default::default() }
    }

    /// The macros' calls that make what a path may mean, as far as a server told of them.
    pub(super) fn made(&self, path: &str) -> Vec<SymbolId> {
        let parts: Vec<&str> = path.trim().trim_end_matches("()").split("::").map(str::trim).collect();
        let Some((last, qualifier)) = parts.split_last() else { return Vec::new() };
        let made = self.learned.made.iter();
        let fits = |made: &&Made| made.name == *last && is_held_by(&made.container, qualifier);
        let mut made: Vec<SymbolId> = made.filter(fits).map(|made| made.by).collect();
        made.dedup();
        made
    }
}
