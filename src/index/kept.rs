//! The index as it is kept: without what follows from the rest, and with the usual posting as one small number.

use serde::{Deserialize, Serialize};

use super::lexical::{Counts, Lexical, Posting};
use super::units::Unit;
use super::words::Words;

/// A word that stands once in a body and nowhere else, as most do.
const USUAL: Counts = Counts { body: 1, name: 0, docs: 0, outer: 0 };

/// What a `Lexical` is made from again.
#[derive(Serialize, Deserialize)]
pub struct KeptLexical {
    units: Vec<Unit>,
    unit_len: Vec<u32>,
    file_units: Vec<(u32, u32)>,
    words: Words,
    /// Postings of each word.
    lists: Vec<u32>,
    /// Of each posting the steps from the unit of the one before, doubled; one more where its counts are not the usual.
    steps: Vec<u32>,
    /// The counts of those.
    unusual: Vec<Counts>,
}

impl Lexical {
    pub fn to_kept(&self) -> KeptLexical {
        let mut lists = Vec::with_capacity(self.words.len());
        let mut steps = Vec::with_capacity(self.postings.len());
        let mut unusual = Vec::new();
        for place in 0..self.words.len() {
            let list = self.list(place);
            lists.push(list.len() as u32);
            let mut before = 0;
            for posting in list {
                let is_unusual = posting.counts != USUAL;
                steps.push((posting.unit - before) * 2 + u32::from(is_unusual));
                unusual.extend(is_unusual.then_some(posting.counts));
                before = posting.unit;
            }
        }
        let Lexical { units, unit_len, file_units, words, .. } = self.clone_frame();
        KeptLexical { units, unit_len, file_units, words, lists, steps, unusual }
    }

    /// Without the postings.
    fn clone_frame(&self) -> Lexical {
        Lexical {
            units: self.units.clone(),
            unit_len: self.unit_len.clone(),
            file_units: self.file_units.clone(),
            words: self.words.clone(),
            ..Lexical::default()
        }
    }
}

impl KeptLexical {
    /// The index again; `paths` are those of its files, in their order. `None` where it cannot be one.
    pub fn open<'p>(self, paths: impl ExactSizeIterator<Item = &'p str>) -> Option<Lexical> {
        let KeptLexical { units, unit_len, file_units, words, lists, steps, unusual } = self;
        let is_whole = words.is_sound()
            && words.len() == lists.len()
            && unit_len.len() == units.len()
            && file_units.len() == paths.len()
            && file_units.iter().all(|(first, last)| first <= last && *last as usize <= units.len());
        if !is_whole {
            return None;
        }
        let (mut steps, mut unusual) = (steps.into_iter(), unusual.into_iter());
        let mut postings = Vec::with_capacity(steps.len());
        let mut list_ends = Vec::with_capacity(lists.len());
        for count in lists {
            let mut unit = 0u32;
            for step in steps.by_ref().take(count as usize) {
                unit = unit.checked_add(step / 2)?;
                let counts = if step % 2 == 0 { USUAL } else { unusual.next()? };
                postings.push(Posting { unit, counts });
            }
            list_ends.push(postings.len() as u32);
        }
        if postings.iter().any(|posting| posting.unit as usize >= units.len()) {
            return None;
        }
        let mut lexical =
            Lexical { units, unit_len, file_units, words, list_ends, postings, ..Lexical::default() };
        lexical.count();
        lexical.add_paths(paths);
        Some(lexical)
    }
}
