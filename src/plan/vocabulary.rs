//! Words of a task carried over to the words that this workspace uses: a task says "authentication" where the code says
//! `auth` and `Authenticator`.
//!
//! Derived words come beside the task's own, at lower weight, and only where the workspace has them. Worth 0.9 points
//! of mean reciprocal rank on the issues for tuning, 0.4 on the commits.

use super::abbreviations::kin;
use super::{Keyword, QueryIntent};
use crate::text::normalize;

/// What the workspace's words are: the index answers.
pub trait Vocabulary {
    /// The number of files that hold a lower-case word, in any form that [`normalize`] makes equal.
    fn document_frequency(&self, word: &str) -> u32;
    /// Normalized words that begin so, each with its number of files, at most `limit`, in an order that is the same in
    /// every run.
    fn with_prefix(&self, prefix: &str, limit: usize) -> Vec<(String, u32)>;
}

/// Derived words of one task.
const MOST_DERIVED: usize = 24;
/// Derived words of one word.
const MOST_OF_ONE: usize = 3;
/// Of the task's words, the best so many are carried over.
const CARRIED_KEYWORDS: usize = 24;
/// A task of more words than this has evidence enough: only those of its words that stand nowhere are carried over. Carrying
/// all of them over cost 3 points of hit@1 on the issue tasks.
const FEW_KEYWORDS: usize = 4;
/// A word in so few files is found without others of its stem. Its abbreviation may still be what the code calls it.
const RARE: u32 = 3;
/// Shares of the weight of the word that they come from: two words written as one, an abbreviation or its long form, a
/// word of the same stem.
const COMPOUND: f64 = 0.6;
const ABBREVIATION: f64 = 0.35;
const SAME_STEM: f64 = 0.2;

/// The words of this workspace that the task's words stand for, best first, none of them a word of the task.
pub fn carry_over(intent: &QueryIntent, vocabulary: &dyn Vocabulary) -> Vec<Keyword> {
    let mut derived = Derived {
        own: intent.keywords.iter().map(|k| normalize(&k.word).to_owned()).collect(),
        words: Vec::new(),
    };
    for compound in &intent.compounds {
        if vocabulary.document_frequency(&compound.word) > 0 {
            derived.add(&compound.word, compound.weight * COMPOUND);
        }
    }
    for keyword in intent.keywords.iter().take(CARRIED_KEYWORDS) {
        if !keyword.word.bytes().all(|b| b.is_ascii_lowercase()) {
            continue;
        }
        let frequency = vocabulary.document_frequency(&keyword.word);
        if frequency > 0 && intent.keywords.len() > FEW_KEYWORDS {
            continue;
        }
        let share = |word: &str| share(vocabulary.document_frequency(word), frequency);
        for word in kin(&keyword.word) {
            derived.add(word, keyword.weight * ABBREVIATION * share(word));
        }
        if (1..=RARE).contains(&frequency) {
            continue;
        }
        for word in same_stem(&keyword.word, vocabulary) {
            derived.add(&word, keyword.weight * SAME_STEM * share(&word));
        }
    }
    derived.finish()
}

/// What a derived word in so many files counts for one of the task in so many: nothing where the workspace does not have
/// it, and less where it is the rarer one. A search counts rare words high, and what is rare here may well be chance.
fn share(derived: u32, own: u32) -> f64 {
    if derived == 0 {
        return 0.0;
    }
    let magnitude = |files: u32| f64::from(files.saturating_add(1)).ln();
    if own == 0 { 1.0 } else { (magnitude(derived) / magnitude(own)).min(1.0) }
}

struct Derived {
    /// The task's own words, normalized.
    own: Vec<String>,
    words: Vec<Keyword>,
}

impl Derived {
    fn add(&mut self, word: &str, weight: f64) {
        let form = normalize(word);
        if weight <= 0.0 || self.own.iter().any(|own| own == form) {
            return;
        }
        match self.words.iter_mut().find(|known| normalize(&known.word) == form) {
            Some(known) => known.weight = known.weight.max(weight),
            None => self.words.push(Keyword { word: word.to_owned(), weight }),
        }
    }

    fn finish(mut self) -> Vec<Keyword> {
        self.words.sort_by(|a, b| b.weight.total_cmp(&a.weight).then_with(|| a.word.cmp(&b.word)));
        self.words.truncate(MOST_DERIVED);
        self.words
    }
}

/// Endings that make a noun or an adjective of a verb, longest first.
const ENDINGS: [&str; 26] = [
    "izations", "ization", "ations", "ation", "ators", "ator", "ating", "ated", "ates", "ate", "ments",
    "ment", "ances", "ance", "ences", "ence", "ions", "ion", "able", "ible", "ers", "er", "ors", "or", "ive",
    "al",
];
/// Bytes that two words must share to be of one stem.
const SHORTEST_STEM: usize = 4;
/// Words looked at with one stem.
const LOOKED_AT: usize = 64;
/// What may follow the stem of a word of the same stem, in bytes: `parser`, not `parserdatabase`.
const LONGEST_ENDING: usize = 6;

/// Words of the workspace with the stem of this one, most used first: `serialization` → `serializ`, `serializer`.
fn same_stem(word: &str, vocabulary: &dyn Vocabulary) -> Vec<String> {
    let Some(stem) = stem(word) else { return Vec::new() };
    let mut found: Vec<(String, u32)> = vocabulary.with_prefix(stem, LOOKED_AT);
    found.retain(|(word, _)| is_inflected(word.get(stem.len()..).unwrap_or("")));
    found.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    found.into_iter().take(MOST_OF_ONE).map(|(word, _)| word).collect()
}

fn stem(word: &str) -> Option<&str> {
    let stem = ENDINGS.iter().find_map(|ending| word.strip_suffix(ending)).unwrap_or_else(|| normalize(word));
    (stem.len() >= SHORTEST_STEM).then_some(stem)
}

/// What stands behind a stem in a word of the same stem.
fn is_inflected(ending: &str) -> bool {
    ending.len() <= LONGEST_ENDING
        && (ending.len() <= 1
            || ENDINGS.iter().any(|known| known.starts_with(ending) || ending.ends_with(known)))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::analyze;
    use super::*;

    /// Words by hand, each in so many files.
    struct Words(BTreeMap<String, u32>);

    impl Words {
        fn new(words: &[(&str, u32)]) -> Words {
            Words(words.iter().map(|(word, files)| (normalize(word).to_owned(), *files)).collect())
        }
    }

    impl Vocabulary for Words {
        fn document_frequency(&self, word: &str) -> u32 {
            self.0.get(normalize(word)).copied().unwrap_or(0)
        }

        fn with_prefix(&self, prefix: &str, limit: usize) -> Vec<(String, u32)> {
            let words = self.0.iter().filter(|(word, _)| word.starts_with(prefix));
            words.take(limit).map(|(word, files)| (word.clone(), *files)).collect()
        }
    }

    fn carried(query: &str, words: &[(&str, u32)]) -> Vec<String> {
        carry_over(&analyze(query), &Words::new(words)).into_iter().map(|keyword| keyword.word).collect()
    }

    #[test]
    fn abbreviations_that_the_workspace_uses() {
        assert_eq!(carried("Implement authentication", &[("auth", 5), ("authz", 2)]), ["auth"]);
        let words = [("config", 9), ("cfg", 9), ("repo", 9), ("msg", 9), ("db", 9)];
        assert_eq!(carried("configuration", &words), ["cfg", "config"]);
        assert_eq!(carried("repository", &words), ["repo"]);
        assert_eq!(carried("message", &words), ["msg"]);
        assert_eq!(carried("database", &words), ["db"]);
    }

    #[test]
    fn words_of_the_same_stem() {
        assert_eq!(carried("authentication", &[("authenticator", 5)]), ["authenticator"]);
        assert_eq!(carried("serialization", &[("serializer", 5), ("serial", 5)]), ["serial", "serializer"]);
        assert!(carried("parser", &[("parserdatabase", 5)]).is_empty());
    }

    #[test]
    fn neighbours_that_the_workspace_writes_as_one() {
        assert_eq!(carried("Sort the hash map", &[("hashmap", 5)]), ["hashmap"]);
    }

    #[test]
    fn what_the_workspace_does_not_have_is_not_derived() {
        assert!(carried("Implement authentication in the hash map", &[]).is_empty());
    }

    #[test]
    fn rare_words_of_the_task_need_no_others_of_their_stem() {
        assert!(carried("serialization", &[("serialization", 2), ("serializer", 50)]).is_empty());
        assert_eq!(carried("configuration", &[("configuration", 2), ("config", 50)]), ["config"]);
    }

    #[test]
    fn derived_words_weigh_less_and_rare_ones_least() {
        let intent = analyze("configuration");
        let words = Words::new(&[("configuration", 50), ("config", 50), ("cfg", 1)]);
        let carried = carry_over(&intent, &words);
        let weight = |word: &str| carried.iter().find(|k| k.word == word).map_or(0.0, |k| k.weight);
        assert!(weight("config") < intent.keywords[0].weight);
        assert!(0.0 < weight("cfg") && weight("cfg") < weight("config"));
    }

    #[test]
    fn derived_words_are_bounded() {
        let query: String = (0..400).map(|n| format!("configur{} message{n} ", "a".repeat(n % 30))).collect();
        let words: Vec<(String, u32)> = (0..400).map(|n| (format!("configur{}", "e".repeat(n)), 9)).collect();
        let words: Vec<(&str, u32)> = words.iter().map(|(word, n)| (word.as_str(), *n)).collect();
        assert!(carried(&query, &words).len() <= MOST_DERIVED);
    }
}
