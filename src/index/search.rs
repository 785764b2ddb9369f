//! BM25 over the fields of files and of units (BM25F: the counts of the fields are weighted and summed, then saturate once).
//!
//! Robertson, Zaragoza: The Probabilistic Relevance Framework (2009), sections 3.4 and 3.6.

use super::lexical::{Counts, Lexical};
use crate::model::FileId;

/// Saturation of repeated words. .8: 74.5, 78.8; 1.2: 74.9, 78.9; 2: 75.5, 80.2 (mrr, as below).
const K1: f64 = 1.2;
/// How much a file's length counts against it: less than the usual .75, as files that change are large. mrr of the tuning
/// tasks (commits, issues) at .2: 72.9, 78.6; .4: 74.9, 78.9; .6: 75.4, 79.6: flat.
const FILE_B: f64 = 0.4;
const UNIT_B: f64 = 0.4;
/// What a word in the path, in a name, in the docs, in a name around counts beside one in the body. Flat too: PATH 1 to 5 and NAME 1 to 4 move mrr
/// of the tuning tasks by .8 at most; without OUTER pack_lines of the commits falls by 1.8.
const PATH: f64 = 3.0;
const NAME: f64 = 2.0;
const DOCS: f64 = 1.0;
const OUTER: f64 = 0.5;

/// A word to look for.
#[derive(Debug, Clone, PartialEq)]
pub struct Term {
    /// As the index spells it.
    pub word: String,
    /// As the task spells it.
    pub spelt: String,
    pub weight: f64,
}

/// Which words of a task stand where in one file, as the task spells them, the weightiest first.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Matches {
    pub text: Vec<String>,
    pub path: Vec<String>,
    pub names: Vec<String>,
}

/// What a search found, by file and by unit of the index; zero where nothing matched.
#[derive(Debug, Default)]
pub struct Scores {
    pub files: Vec<FileScore>,
    pub units: Vec<f64>,
    /// What a file would score that repeats every word without end.
    pub possible: f64,
    /// The share of the task's words, by their rarity, that stand in one unit: of the unit that has most of them.
    pub covered_by_unit: f64,
}

/// The score of a file, in its parts.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct FileScore {
    pub text: f64,
    pub path: f64,
    pub names: f64,
    /// The share of the task's words, by their rarity, that it has: 0 to 1.
    pub covered: f64,
}

impl FileScore {
    pub fn total(self) -> f64 {
        self.text + self.path + self.names
    }
}

/// Counts of one word in one file, by field, weights applied.
#[derive(Debug, Clone, Copy, Default)]
struct Mass {
    text: f64,
    path: f64,
    names: f64,
}

impl Lexical {
    /// Scores all files and units for the terms.
    pub fn search(&self, terms: &[Term]) -> Scores {
        let mut scores = Scores {
            files: vec![FileScore::default(); self.file_count()],
            units: vec![0.0; self.units.len()],
            possible: 0.0,
            covered_by_unit: 0.0,
        };
        let mut covered = vec![0.0; self.units.len()];
        let mean_file = mean(&self.file_len);
        let mean_unit = mean(&self.unit_len);
        for term in terms {
            let masses = self.masses(&term.word, &mut scores.units, term.weight, mean_unit);
            let idf = idf(self.file_count(), masses.len()) * term.weight;
            scores.possible += idf * (K1 + 1.0);
            for (file, mass) in masses {
                let length = norm(self.file_len[file.index()], mean_file, FILE_B);
                let tf = mass.text / length + mass.path + mass.names;
                let gain = idf * tf * (K1 + 1.0) / (tf + K1);
                let score = &mut scores.files[file.index()];
                score.covered += idf;
                score.text += gain * mass.text / length / tf;
                score.path += gain * mass.path / tf;
                score.names += gain * mass.names / tf;
            }
            self.postings(&term.word).iter().for_each(|posting| covered[posting.unit as usize] += idf);
        }
        let all = (scores.possible / (K1 + 1.0)).max(f64::MIN_POSITIVE);
        scores.files.iter_mut().for_each(|score| score.covered /= all);
        scores.covered_by_unit = covered.into_iter().fold(0.0, f64::max) / all;
        scores
    }

    /// The words that a file matched.
    pub fn matches(&self, file: FileId, terms: &[Term]) -> Matches {
        let units = self.units_of(file);
        let mut matches = Matches::default();
        for term in self.by_rarity(terms) {
            let postings = self.postings(&term.word);
            let first = postings.partition_point(|posting| (posting.unit as usize) < units.start);
            let own = postings[first..].iter().take_while(|posting| (posting.unit as usize) < units.end);
            let (mut text, mut names) = (false, false);
            for posting in own {
                text |= posting.counts.body > 0 || posting.counts.docs > 0;
                names |= posting.counts.name > 0;
            }
            let path = self.in_paths(&term.word).binary_search_by_key(&file, |(file, _)| *file).is_ok();
            for (found, list) in
                [(text, &mut matches.text), (path, &mut matches.path), (names, &mut matches.names)]
            {
                if found {
                    list.push(term.spelt.clone());
                }
            }
        }
        matches
    }

    /// The words of the task that stand in a unit, as the task spells them, the weightiest first.
    pub fn words_of(&self, unit: usize, terms: &[Term]) -> Vec<String> {
        let stands = |term: &&Term| {
            let postings = self.postings(&term.word);
            postings.binary_search_by_key(&unit, |posting| posting.unit as usize).is_ok()
        };
        self.by_rarity(terms).into_iter().filter(stands).map(|term| term.spelt.clone()).collect()
    }

    /// The weightiest first.
    fn by_rarity<'t>(&self, terms: &'t [Term]) -> Vec<&'t Term> {
        let mut sorted: Vec<(f64, &Term)> = terms
            .iter()
            .map(|term| (term.weight * idf(self.file_count(), self.frequency(term)), term))
            .collect();
        sorted.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.word.cmp(&b.1.word)));
        sorted.into_iter().map(|(_, term)| term).collect()
    }

    fn frequency(&self, term: &Term) -> usize {
        self.document_frequency(&term.word) as usize
    }

    /// Scores the units for one word, and sums its counts by file, in the order of the files.
    fn masses(&self, word: &str, units: &mut [f64], weight: f64, mean_unit: f64) -> Vec<(FileId, Mass)> {
        let postings = self.postings(word);
        let idf = idf(self.units.len(), postings.len()) * weight;
        let mut masses: Vec<(FileId, Mass)> = Vec::new();
        for posting in postings {
            let Counts { body, name, docs, outer } = posting.counts;
            let index = posting.unit as usize;
            let text = f64::from(body) + DOCS * f64::from(docs);
            let tf = text / norm(self.unit_len[index], mean_unit, UNIT_B)
                + NAME * f64::from(name)
                + OUTER * f64::from(outer);
            units[index] += idf * tf * (K1 + 1.0) / (tf + K1);
            let file = self.units[index].file;
            if masses.last().is_none_or(|(last, _)| *last != file) {
                masses.push((file, Mass::default()));
            }
            if let Some((_, mass)) = masses.last_mut() {
                mass.text += text;
                mass.names += NAME * f64::from(name);
            }
        }
        for &(file, count) in self.in_paths(word) {
            let at = masses.partition_point(|(other, _)| *other < file);
            if masses.get(at).is_none_or(|(other, _)| *other != file) {
                masses.insert(at, (file, Mass::default()));
            }
            masses[at].1.path += PATH * f64::from(count);
        }
        masses
    }
}

/// Inverse document frequency, never negative.
pub fn idf(documents: usize, with_term: usize) -> f64 {
    let (n, df) = (documents as f64, with_term as f64);
    (1.0 + (n - df + 0.5).max(0.0) / (df + 0.5)).ln()
}

fn norm(len: u32, mean: f64, b: f64) -> f64 {
    1.0 - b + b * f64::from(len) / mean.max(1.0)
}

fn mean(lens: &[u32]) -> f64 {
    lens.iter().map(|&len| f64::from(len)).sum::<f64>() / lens.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::FileKind;
    use crate::syntax;
    use crate::text::normalize;
    use crate::workspace::Snapshot;

    fn index(files: &[(&str, &str)]) -> (Snapshot, Lexical) {
        let files = files.iter().map(|(path, text)| (path.to_string(), text.to_string())).collect();
        let snapshot = Snapshot::from_files("/w", files);
        let texts = snapshot.files.iter().map(|file| (file.kind == FileKind::Rust).then_some(&*file.text));
        let (syntax, _) = syntax::parse_all(&texts.collect::<Vec<_>>());
        let lexical = Lexical::build(&snapshot, &syntax);
        (snapshot, lexical)
    }

    fn terms(words: &[&str]) -> Vec<Term> {
        let term = |word: &&str| Term { word: normalize(word).into(), spelt: word.to_string(), weight: 1.0 };
        words.iter().map(term).collect()
    }

    /// The paths that match, best first.
    fn check(files: &[(&str, &str)], words: &[&str], expected: &[&str]) {
        let (snapshot, lexical) = index(files);
        let scores = lexical.search(&terms(words));
        let mut found: Vec<FileId> =
            snapshot.ids().filter(|id| scores.files[id.index()].total() > 0.0).collect();
        found.sort_by(|a, b| scores.files[b.index()].total().total_cmp(&scores.files[a.index()].total()));
        let found: Vec<&str> = found.into_iter().map(|id| snapshot.file(id).path.as_str()).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn both_spellings_of_an_identifier_meet() {
        check(
            &[("src/a.rs", "fn find_by_email() {}"), ("src/b.rs", "fn other() {}")],
            &["findbyemail"],
            &["src/a.rs"],
        );
    }

    #[test]
    fn a_rare_word_counts_more_than_a_frequent_one() {
        let files = [
            ("src/a.rs", "fn common() {}"),
            ("src/b.rs", "fn common() {}"),
            ("src/c.rs", "fn common() {}"),
            ("src/d.rs", "fn rare() {}"),
        ];
        check(&files, &["common", "rare"], &["src/d.rs", "src/a.rs", "src/b.rs", "src/c.rs"]);
    }

    #[test]
    fn the_path_counts() {
        check(
            &[("src/auth/mod.rs", "fn one() {}"), ("src/b.rs", "// auth\nfn two() {}")],
            &["auth"],
            &["src/auth/mod.rs", "src/b.rs"],
        );
    }

    #[test]
    fn a_method_is_found_on_its_own_and_named_by_its_type() {
        let (_, lexical) = index(&[(
            "src/a.rs",
            "impl Router {\n    fn nest(&self) {}\n}\nimpl Other {\n    fn nest(&self) {}\n}\n",
        )]);
        let scores = lexical.search(&terms(&["router", "nest"]));
        let best = (0..scores.units.len()).max_by(|&a, &b| scores.units[a].total_cmp(&scores.units[b]));
        assert_eq!(lexical.units[best.unwrap()].lines.first, 2);
    }

    #[test]
    fn matches_are_told_by_field_in_the_words_of_the_task() {
        let (snapshot, lexical) = index(&[("src/auth.rs", "/// Sessions\nfn login() { token(); }")]);
        let id = snapshot.find("src/auth.rs").unwrap();
        let matches = lexical.matches(id, &terms(&["auth", "login", "token", "absent"]));
        assert_eq!(matches.path, ["auth"]);
        assert_eq!(matches.names, ["login"]);
        assert_eq!(matches.text, ["login", "token"]);
        let of_unit = |unit| lexical.words_of(unit, &terms(&["absent", "token", "auth", "login"]));
        assert_eq!((lexical.units.len(), of_unit(0)), (1, vec!["login".to_owned(), "token".to_owned()]));
        assert_eq!(of_unit(7), Vec::<String>::new());
    }

    #[test]
    fn nothing_matches_nothing() {
        check(&[("src/a.rs", "fn a() {}")], &[], &[]);
        check(&[], &["word"], &[]);
    }

    #[test]
    fn prefixes_are_looked_up_most_frequent_first() {
        let (_, lexical) = index(&[
            ("src/a.rs", "fn authenticator() {}"),
            ("src/b.rs", "fn author() {}"),
            ("src/c.rs", "fn author() {}"),
        ]);
        let found: Vec<String> = lexical.with_prefix("auth", 9).into_iter().map(|(word, _)| word).collect();
        assert_eq!(found.len(), 2);
        assert!(found[0].starts_with("author"), "{found:?}");
        assert_eq!(lexical.with_prefix("auth", 1).len(), 1);
    }
}
