//! The words of a task that carry meaning, with how much each counts.
//!
//! Measured by BM25 of whole files on the 163 issues for tuning: mean reciprocal rank 65.6 with the text's words without stop
//! words, 73.5 with these keywords counted alike, 77.8 with these weights (100 commits: 72.1, 71.5, 73.3). It is flat around
//! them: each constant half or double changes it by less than two points.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::Keyword;
use super::chunks::Chunk;
use super::names::{is_camel, is_everyones, is_placeholder, is_snake};
use super::places;
use super::sections::Origin;
use crate::text::{is_issue_talk, is_stop_word, normalize, split_identifier};

/// Keywords kept of one task.
const MOST_KEYWORDS: usize = 48;
const MOST_COMPOUNDS: usize = 48;
/// Each further mention adds this share of its weight, up to [`MOST_MENTIONS`] of them.
const REPEATED: f64 = 0.15;
const MOST_MENTIONS: u32 = 4;
/// An identifier or a back-ticked word, against a word of prose.
const IDENTIFIER: f64 = 1.5;
/// A part of an identifier, against the whole.
const PART: f64 = 0.6;
const NUMBER: f64 = 0.3;
/// A word that issues are written with, against one of the subject.
pub(super) const TALK: f64 = 0.25;

/// How much a word counts by where it stands.
fn weight_of(origin: Origin) -> f64 {
    match origin {
        Origin::Title => 1.0,
        Origin::Message => 0.6,
        Origin::Prose => 0.5,
        Origin::Code => 0.3,
        Origin::Log => 0.1,
        Origin::Environment => 0.05,
    }
}

#[derive(Default)]
pub(super) struct Keywords {
    /// By normalized word, so that `parse` and `parsing` count as one.
    found: BTreeMap<String, Found>,
    compounds: BTreeMap<String, Found>,
    /// The plain word just before, and its weight.
    before: Option<(String, f64)>,
    taken: usize,
}

struct Found {
    /// As it was spelt first.
    word: String,
    weight: f64,
    mentions: u32,
    order: usize,
}

impl Keywords {
    pub(super) fn take(&mut self, chunk: &Chunk) {
        if is_noise(chunk.text) {
            self.before = None;
            return;
        }
        let base = weight_of(chunk.origin);
        let path = places::path(chunk);
        let is_code = chunk.alone || is_flag(chunk.text) || chunk.text.contains("::") || path.is_some();
        let text = path.as_deref().unwrap_or(chunk.text);
        let mut joined = Joined::default();
        for piece in text.split(|c: char| !(c.is_alphanumeric() || c == '_')) {
            if piece.is_empty() || (path.is_some() && is_everywhere(piece)) {
                continue;
            }
            joined.push(piece);
            self.take_piece(piece, chunk.origin, is_code);
        }
        if chunk.origin >= Origin::Code || text.contains([':', '.', '/', '\\']) {
            self.before = None;
            return;
        }
        if !chunk.spaced {
            self.before = None;
        }
        if let Some(whole) = joined.compound() {
            add(&mut self.compounds, &whole, base, self.taken);
        }
        self.pair(&joined, base);
    }

    /// Words of different lines are no neighbours.
    pub(super) fn end_line(&mut self) {
        self.before = None;
    }

    fn take_piece(&mut self, piece: &str, origin: Origin, is_code: bool) {
        let words = split_identifier(piece);
        let (base, in_block) = (weight_of(origin), origin >= Origin::Code);
        let spelt = is_code || is_camel(piece) || is_snake(piece);
        let whole = if spelt { base * IDENTIFIER } else { base };
        let several = is_joined(&words);
        let everyones = is_placeholder(piece) || (in_block && is_everyones(piece));
        for (at, word) in words.iter().enumerate() {
            self.taken += 1;
            let is_whole = at + 1 == words.len();
            let skip =
                if several { is_function_part(word) } else { everyones || (!is_code && is_stop_word(word)) };
            if skip || word.len() < 2 {
                continue;
            }
            let weight = match word {
                number if number.bytes().all(|b| b.is_ascii_digit()) => base * NUMBER,
                _ if several && !is_whole => whole * PART,
                talk if !is_code && is_issue_talk(talk) => whole * TALK,
                _ => whole,
            };
            add(&mut self.found, word, weight, self.taken);
        }
    }

    /// The word and the one before it, written together.
    fn pair(&mut self, joined: &Joined, base: f64) {
        let Some(word) = joined.single() else {
            self.before = None;
            return;
        };
        if let Some((before, weight)) = self.before.take()
            && !is_stop_word(&before)
            && !is_stop_word(&word)
        {
            add(&mut self.compounds, &format!("{before}{word}"), weight.min(base), self.taken);
        }
        self.before = Some((word, base));
    }

    /// Keywords and compounds, best first.
    pub(super) fn finish(self) -> (Vec<Keyword>, Vec<Keyword>) {
        (ranked(self.found, MOST_KEYWORDS), ranked(self.compounds, MOST_COMPOUNDS))
    }
}

/// The pieces of a chunk such as `top-level`, `--max-files`.
#[derive(Default)]
struct Joined {
    words: Vec<String>,
}

/// Pieces of the longest chunk that is taken for one name.
const MOST_JOINED: usize = 4;

impl Joined {
    fn push(&mut self, piece: &str) {
        self.words.push(piece.to_lowercase());
    }

    fn compound(&self) -> Option<String> {
        let name = (2..=MOST_JOINED).contains(&self.words.len()) && self.words.iter().all(|w| w.len() > 1);
        name.then(|| self.words.concat())
    }

    fn single(&self) -> Option<String> {
        match self.words.as_slice() {
            [word] if word.len() > 1 && word.chars().all(char::is_alphabetic) => Some(word.clone()),
            _ => None,
        }
    }
}

fn add(found: &mut BTreeMap<String, Found>, word: &str, weight: f64, order: usize) {
    match found.entry(normalize(word).to_owned()) {
        Entry::Vacant(slot) => {
            slot.insert(Found { word: word.to_owned(), weight, mentions: 1, order });
        }
        Entry::Occupied(mut slot) => {
            let known = slot.get_mut();
            if known.mentions < MOST_MENTIONS {
                known.mentions += 1;
                known.weight = known.weight.max(weight) + known.weight.min(weight) * REPEATED;
            }
        }
    }
}

fn ranked(found: BTreeMap<String, Found>, most: usize) -> Vec<Keyword> {
    let mut found: Vec<Found> = found.into_values().collect();
    found.sort_by(|a, b| b.weight.total_cmp(&a.weight).then(a.order.cmp(&b.order)));
    found.truncate(most);
    found.into_iter().map(|found| Keyword { word: found.word, weight: found.weight }).collect()
}

/// `--max-files`.
fn is_flag(text: &str) -> bool {
    text.strip_prefix("--").is_some_and(|name| name.starts_with(|c: char| c.is_ascii_lowercase()))
}

/// Parts of nearly every path.
fn is_everywhere(piece: &str) -> bool {
    matches!(piece, "src" | "rs" | "lib" | "mod" | "main" | "crates" | "toml" | "md")
}

/// Whether the last of an identifier's words is the whole of the others: not so for neighbours in scripts without spaces,
/// and for `server2`, `server`.
fn is_joined(words: &[String]) -> bool {
    matches!(words, [first, .., whole] if whole.len() > first.len() && whole.starts_with(first.as_str()))
}

/// `by` in `find_by_email`.
fn is_function_part(word: &str) -> bool {
    word.len() < 3 && is_stop_word(word)
}

/// Links, versions, hashes, dates, references to issues.
fn is_noise(text: &str) -> bool {
    text.contains("://") && !text.contains("/blob/")
        || is_version_or_date(text)
        || is_hash(text)
        || is_reference(text)
        || is_error_code(text)
}

fn is_version_or_date(text: &str) -> bool {
    let text = text.strip_prefix(['v', 'V']).unwrap_or(text);
    text.starts_with(|c: char| c.is_ascii_digit())
        && text.contains(['.', '-', ':', '/'])
        && text.bytes().filter(u8::is_ascii_alphabetic).count() <= LETTERS_OF_VERSIONS
}

/// `1.0.0-beta.1`, `2024-01-01T00:00:00Z`.
const LETTERS_OF_VERSIONS: usize = 6;

fn is_hash(text: &str) -> bool {
    text.len() >= 7 && text.bytes().all(|b| b.is_ascii_hexdigit()) && text.bytes().any(|b| b.is_ascii_digit())
}

/// `E0507` of rustc.
pub(super) fn is_error_code(text: &str) -> bool {
    text.len() == 5 && text.strip_prefix('E').is_some_and(|code| code.bytes().all(|b| b.is_ascii_digit()))
}

fn is_reference(text: &str) -> bool {
    text.starts_with('@')
        || text.rsplit_once('#').is_some_and(|(_, n)| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}
