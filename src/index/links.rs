//! Which pieces of the workspace hang together: the graph's edges between items, seen as edges between units and between
//! files.
//!
//! Words find where a task begins; what is changed with it often says none of them. Two ways lead there, both without a
//! choice of words: an item hears what its callers and callees say (`heard`), and a walk that starts at the best files
//! and forgets its way now and then meets those that hang together with many of them (`walk`, personalised PageRank:
//! Haveliwala, Topic-Sensitive PageRank, 2002).

use std::sync::Arc;

use super::lexical::Lexical;
use crate::graph::Graph;
use crate::model::{Certainty, FileId};
use crate::syntax::FileSyntax;

/// What a guessed edge counts between files, where a resolved one is 1. Between items only resolved ones count.
const GUESSED: f64 = 0.3;
/// The chance that the walk goes on instead of starting again. Few steps: hubs win where it goes far.
const GOES_ON: f64 = 0.7;
/// After so many rounds no share moves by more than a hundredth of the whole.
const ROUNDS: usize = 15;

/// The edges, from both ends.
#[derive(Debug, Default)]
pub struct Links {
    /// By unit: the units that it hangs together with. The weight is one over the root of how many the one uses and how many use the other,
    /// so that what everybody uses says little.
    units: Vec<Vec<(u32, f32)>>,
    /// By file: the files, with the logarithm of the number of edges.
    files: Vec<Vec<(FileId, f32)>>,
}

impl Links {
    /// `graph` as the text has it; `syntax` by file.
    pub fn build(graph: &Graph, lexical: &Lexical, syntax: &[Option<Arc<FileSyntax>>]) -> Links {
        let nodes = Nodes::new(lexical, syntax);
        let mut units: Vec<(u32, u32)> = Vec::new();
        let mut files = FilePairs::new(syntax.len());
        let mut begun = FileId(0);
        // The edges come by the file that they begin in.
        let mut of_file: Vec<u64> = Vec::new();
        for (from, to, certainty) in graph.links() {
            let (from_file, to_file) = (nodes.file(from), nodes.file(to));
            if from_file != begun {
                files.end(begun);
                end_units(&mut of_file, &mut units);
                begun = from_file;
            }
            if from_file != to_file {
                files.add(to_file, if certainty == Certainty::Resolved { 1.0 } else { GUESSED });
            }
            if certainty == Certainty::Resolved
                && let (Some(from), Some(to)) = (nodes.unit(from), nodes.unit(to))
                && from != to
            {
                of_file.push(u64::from(from) << u32::BITS | u64::from(to));
            }
        }
        files.end(begun);
        end_units(&mut of_file, &mut units);
        Links { units: between_units(&units, lexical.units.len()), files: files.around() }
    }

    /// For each unit: what the units around it score, each by the weight of its edge.
    pub fn heard(&self, scores: &[f64]) -> Vec<f64> {
        let score = |unit: u32| scores.get(unit as usize).copied().unwrap_or(0.0);
        let hears = |around: &Vec<(u32, f32)>| {
            around.iter().map(|&(unit, weight)| score(unit) * f64::from(weight)).sum()
        };
        self.units.iter().map(hears).collect()
    }

    /// Of the units that one hangs together with, that which it hears most of, where it hears any.
    pub fn loudest(&self, unit: usize, scores: &[f64]) -> Option<usize> {
        let score = |unit: u32| scores.get(unit as usize).copied().unwrap_or(0.0);
        let heard =
            self.units.get(unit)?.iter().map(|&(other, weight)| (other, score(other) * f64::from(weight)));
        let loudest = heard.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))?;
        (loudest.1 > 0.0).then_some(loudest.0 as usize)
    }

    /// For each file: how often a walk is there that starts at the `seeds`, by their weights, and follows the edges. Sums to one at most.
    pub fn walk(&self, seeds: &[(FileId, f64)]) -> Vec<f64> {
        let mut start = vec![0.0; self.files.len()];
        let total: f64 = seeds.iter().map(|(_, weight)| weight).sum();
        for (file, weight) in seeds {
            if let Some(place) = start.get_mut(file.index()).filter(|_| total > 0.0) {
                *place = weight / total;
            }
        }
        let mut share = start.clone();
        for _ in 0..ROUNDS {
            let mut next: Vec<f64> = start.iter().map(|start| (1.0 - GOES_ON) * start).collect();
            for (around, share) in self.files.iter().zip(&share).filter(|(_, share)| **share > 0.0) {
                let all: f64 = around.iter().map(|(_, weight)| f64::from(*weight)).sum();
                for (other, weight) in around {
                    next[other.index()] += GOES_ON * share * f64::from(*weight) / all;
                }
            }
            share = next;
        }
        share
    }

    /// How strongly two files hang together: zero where no edge joins them.
    pub fn between(&self, file: FileId, other: FileId) -> f64 {
        let around = self.files.get(file.index()).map_or(&[][..], Vec::as_slice);
        let found = around.binary_search_by_key(&other, |(file, _)| *file);
        found.map_or(0.0, |place| f64::from(around[place].1))
    }
}

fn between_units(pairs: &[(u32, u32)], count: usize) -> Vec<Vec<(u32, f32)>> {
    let (mut uses, mut used) = (vec![0u32; count], vec![0u32; count]);
    for &(from, to) in pairs {
        uses[from as usize] += 1;
        used[to as usize] += 1;
    }
    let room = uses.iter().zip(&used).map(|(uses, used)| Vec::with_capacity((uses + used) as usize));
    let mut around: Vec<Vec<(u32, f32)>> = room.collect();
    for &(from, to) in pairs {
        let weight = 1.0 / ((uses[from as usize] * used[to as usize]) as f32).sqrt();
        around[from as usize].push((to, weight));
        around[to as usize].push((from, weight));
    }
    around
}

/// Takes over the pairs of one file, each once. The units of a file stand together: so all pairs are sorted. A pair is one number: that
/// is sorted three times as fast.
fn end_units(of_file: &mut Vec<u64>, all: &mut Vec<(u32, u32)>) {
    of_file.sort_unstable();
    of_file.dedup();
    all.extend(of_file.drain(..).map(|pair| ((pair >> u32::BITS) as u32, pair as u32)));
}

/// How many edges lead from file to file.
struct FilePairs {
    /// From the file that is counted, to each other one.
    counts: Vec<f64>,
    /// Those that it leads to.
    reached: Vec<FileId>,
    around: Vec<Vec<(FileId, f32)>>,
}

impl FilePairs {
    fn new(files: usize) -> FilePairs {
        FilePairs { counts: vec![0.0; files], reached: Vec::new(), around: vec![Vec::new(); files] }
    }

    fn add(&mut self, to: FileId, weight: f64) {
        let count = &mut self.counts[to.index()];
        if *count == 0.0 {
            self.reached.push(to);
        }
        *count += weight;
    }

    /// All edges that begin in `from` are counted.
    fn end(&mut self, from: FileId) {
        for to in self.reached.drain(..) {
            let weight = std::mem::take(&mut self.counts[to.index()]).ln_1p() as f32;
            self.around[from.index()].push((to, weight));
            self.around[to.index()].push((from, weight));
        }
    }

    /// Both directions of a pair of files count as one edge each: those that use one another hang together most.
    fn around(mut self) -> Vec<Vec<(FileId, f32)>> {
        for around in &mut self.around {
            around.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
            around.dedup_by(|next, kept| {
                let same = next.0 == kept.0;
                if same {
                    kept.1 += next.1;
                }
                same
            });
        }
        self.around
    }
}

/// What the nodes of the graph are here: the items of all files in their order, then the files.
struct Nodes {
    /// Of an item: its file, and its unit or that of the nearest around it that is one.
    items: Vec<(FileId, Option<u32>)>,
}

impl Nodes {
    fn new(lexical: &Lexical, syntax: &[Option<Arc<FileSyntax>>]) -> Nodes {
        let mut items: Vec<(FileId, Option<u32>)> = Vec::new();
        for (file, syntax) in (0..).map(FileId).zip(syntax) {
            let own = syntax.as_ref().map_or(&[][..], |syntax| &syntax.items);
            let first = items.len();
            items.resize(first + own.len(), (file, None));
            for number in lexical.units_of(file) {
                let item = lexical.units[number].item.and_then(|item| items.get_mut(first + item as usize));
                if let Some((_, unit)) = item {
                    unit.get_or_insert(number as u32);
                }
            }
            // A parent stands before its children.
            for (place, item) in own.iter().enumerate().filter(|(_, item)| item.parent.is_some()) {
                let around = item.parent.and_then(|parent| items[first + parent as usize].1);
                let (_, unit) = &mut items[first + place];
                *unit = unit.or(around);
            }
        }
        Nodes { items }
    }

    fn file(&self, node: u32) -> FileId {
        let item = self.items.get(node as usize);
        item.map_or_else(|| FileId(node - self.items.len() as u32), |(file, _)| *file)
    }

    /// `None` of a file, and of an item in no unit.
    fn unit(&self, node: u32) -> Option<u32> {
        self.items.get(node as usize)?.1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::FileKind;
    use crate::syntax;
    use crate::workspace::{Snapshot, SourceFile};

    const CHAIN: [(&str, &str); 5] = [
        ("Cargo.toml", "[package]\nname = \"w\"\nversion = \"0.1.0\"\n"),
        ("src/lib.rs", "pub mod a;\npub mod b;\npub mod c;\n"),
        ("src/a.rs", "use crate::b::middle;\npub fn begin() { middle() }\n"),
        ("src/b.rs", "use crate::c::end;\npub fn middle() { end() }\n"),
        ("src/c.rs", "pub fn end() {}\n"),
    ];

    fn links() -> (Snapshot, Lexical, Links) {
        let files = CHAIN.iter().map(|(path, text)| (path.to_string(), text.to_string())).collect();
        let snapshot = Snapshot::from_files("/w", files);
        let parse = |file: &SourceFile| {
            let parsed = (file.kind == FileKind::Rust).then(|| syntax::parse(&file.text));
            parsed.map(|parsed| (Arc::new(parsed.syntax), Arc::new(parsed.body))).unzip()
        };
        let (syntax, bodies): (Vec<_>, Vec<_>) = snapshot.files.iter().map(parse).unzip();
        let lexical = Lexical::build(&snapshot, &syntax);
        let links = Links::build(&Graph::build(&snapshot, &syntax, &bodies), &lexical, &syntax);
        (snapshot, lexical, links)
    }

    #[test]
    fn a_walk_meets_what_is_near_more_often_than_what_is_far() {
        let (snapshot, _, links) = links();
        let [a, b, c] = ["src/a.rs", "src/b.rs", "src/c.rs"].map(|path| snapshot.find(path).unwrap());
        let share = links.walk(&[(a, 2.0)]);
        assert!(share[a.index()] > share[b.index()] && share[b.index()] > share[c.index()], "{share:?}");
        assert!(share[c.index()] > 0.0);
        assert!(share.iter().sum::<f64>() <= 1.0 + 1e-9);
        assert_eq!(links.walk(&[]).iter().sum::<f64>(), 0.0);
        assert!(links.between(a, b) > 0.0 && links.between(a, c) == 0.0);
    }

    #[test]
    fn an_item_hears_its_callers_and_its_callees() {
        let (snapshot, lexical, links) = links();
        let unit = |path: &str| {
            let file = snapshot.find(path).unwrap();
            lexical.units_of(file).find(|unit| lexical.units[*unit].item.is_some_and(|_| true)).unwrap()
        };
        let mut scores = vec![0.0; lexical.units.len()];
        let middle = lexical.units_of(snapshot.find("src/b.rs").unwrap()).last().unwrap();
        scores[middle] = 1.0;
        let heard = links.heard(&scores);
        assert_eq!(heard[middle], 0.0);
        assert!(heard[unit("src/c.rs")] > 0.0);
        assert!(heard.iter().filter(|score| **score > 0.0).count() >= 2, "{heard:?}");
    }
}
