//! What pieces of texts cost that were counted before. Whoever answers often counts the same lines again and again.
//!
//! A table of fixed size, without locks: each place holds the count of the last piece that belongs there, beside enough of the piece's hash
//! to know it again. What is overwritten is counted anew.

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

/// Places, as a power of two: 1 MB, for some twice the different lines that the answers about a workspace of 250,000 lines are made of.
const PLACE_BITS: u32 = 17;
/// Bits of a place that hold the count. The others are of the hash: with those that choose the place 61 of 64, so that a piece is
/// mistaken for another once in 2^44 times.
const COUNT_BITS: u32 = 20;
const COUNT: u64 = (1 << COUNT_BITS) - 1;

pub(super) struct Counted {
    places: Box<[AtomicU64]>,
    keys: RandomState,
}

impl Counted {
    pub fn new() -> Counted {
        let places = (0..1 << PLACE_BITS).map(|_| AtomicU64::new(0)).collect();
        Counted { places, keys: RandomState::new() }
    }

    /// The count of a piece: as it is known, else by `count`.
    pub fn of(&self, piece: &str, count: impl FnOnce(&str) -> usize) -> usize {
        let hash = self.keys.hash_one(piece);
        let Some(place) = self.places.get(hash as usize & ((1 << PLACE_BITS) - 1)) else {
            return count(piece);
        };
        let known = place.load(Ordering::Relaxed);
        // An empty place has no count: those that are kept are one more than what they say.
        if known & COUNT != 0 && (known ^ hash) & !COUNT == 0 {
            return (known & COUNT) as usize - 1;
        }
        let count = count(piece);
        if (count as u64) < COUNT {
            place.store(hash & !COUNT | (count as u64 + 1), Ordering::Relaxed);
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_is_not_counted_again_and_nothing_is_mistaken() {
        let counted = Counted::new();
        let pieces: Vec<String> = (0..1000).map(|piece| "x".repeat(piece)).collect();
        let all = || pieces.iter().map(|piece| counted.of(piece, str::len)).collect::<Vec<_>>();
        assert_eq!(all(), (0..1000).collect::<Vec<_>>());
        assert_eq!(all(), (0..1000).collect::<Vec<_>>());
        // Any piece counted in between may have taken its place: which one does is chance.
        assert_eq!(counted.of(&pieces[7], str::len), 7);
        assert_eq!(counted.of(&pieces[7], |_| panic!("it is known")), 7);
        assert_eq!(counted.of("large", |_| 1 << 30), 1 << 30);
        assert_eq!(counted.of("large", |_| 5), 5);
    }

    #[test]
    fn more_pieces_than_places_are_counted_right() {
        let counted = Counted::new();
        for piece in 0..300_000usize {
            let text = (piece % 200_000).to_string();
            assert_eq!(counted.of(&text, |text| text.parse().unwrap()), piece % 200_000);
        }
    }
}
