//! Many words in one text, in their order: found by halving, without an allocation for each.

use serde::{Deserialize, Serialize};

/// Each word once.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Words {
    text: String,
    ends: Vec<u32>,
}

impl Words {
    /// Adds a word that comes after all those that are there.
    pub fn push(&mut self, word: &str) {
        self.text.push_str(word);
        self.ends.push(self.text.len() as u32);
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether all words are there; `false` only for what was read from a damaged index.
    pub fn is_sound(&self) -> bool {
        let ends_hold = self.ends.iter().all(|end| self.text.is_char_boundary(*end as usize));
        ends_hold
            && self.ends.is_sorted()
            && self.ends.last().map_or(0, |end| *end as usize) == self.text.len()
    }

    fn get(&self, place: usize) -> &str {
        let start = place.checked_sub(1).map_or(0, |before| self.ends[before]);
        self.text.get(start as usize..self.ends[place] as usize).unwrap_or("")
    }

    /// Its place among the words.
    pub fn find(&self, word: &str) -> Option<usize> {
        let place = self.place_of(word);
        (place < self.len() && self.get(place) == word).then_some(place)
    }

    /// All words from `first` on, with their places.
    pub fn from(&self, first: &str) -> impl Iterator<Item = (usize, &str)> {
        (self.place_of(first)..self.len()).map(|place| (place, self.get(place)))
    }

    /// The number of words before it.
    fn place_of(&self, word: &str) -> usize {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.get(middle) < word { low = middle + 1 } else { high = middle }
        }
        low
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_where_they_stand() {
        let mut words = Words::default();
        assert_eq!((words.find("a"), words.from("").count()), (None, 0));
        ["add", "added", "größe", "zoo"].iter().for_each(|word| words.push(word));
        assert_eq!(words.find("added"), Some(1));
        assert_eq!([words.find("ad"), words.find("zz"), words.find("")], [None; 3]);
        assert_eq!(words.from("b").collect::<Vec<_>>(), [(2, "größe"), (3, "zoo")]);
        assert!(words.is_sound());
        words.ends.push(99);
        assert!(!words.is_sound());
    }
}
