//! The best of many, in one pass.

use std::cmp::Ordering;

/// Rows with the highest scores so far. Rows come in any order.
pub(super) struct Best {
    top: usize,
    /// At most twice `top`: what is beyond it is thrown out at once for all.
    found: Vec<(u32, f32)>,
    /// What a row needs to be among them, as far as that is known.
    bar: f32,
}

impl Best {
    pub fn new(top: usize) -> Best {
        Best { top, found: Vec::new(), bar: f32::NEG_INFINITY }
    }

    pub fn offer(&mut self, row: u32, score: f32) {
        // A row that is as good as the last one may stand before it.
        if score >= self.bar && self.top > 0 {
            self.found.push((row, score));
            if self.found.len() >= self.top.saturating_mul(2) {
                self.cut();
            }
        }
    }

    fn cut(&mut self) {
        if self.found.len() > self.top {
            let (_, last, _) = self.found.select_nth_unstable_by(self.top - 1, better);
            self.bar = last.1;
            self.found.truncate(self.top);
        }
    }

    /// The best first; those that are as good as one another in the order of rows.
    pub fn into_sorted(mut self) -> Vec<(usize, f32)> {
        self.found.sort_unstable_by(better);
        self.found.truncate(self.top);
        self.found.into_iter().map(|(row, score)| (row as usize, score)).collect()
    }
}

fn better(a: &(u32, f32), b: &(u32, f32)) -> Ordering {
    b.1.total_cmp(&a.1).then(a.0.cmp(&b.0))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_is_what_sorting_all_gives(scores in prop::collection::vec(0u8..20, 0..200), top in 0usize..40) {
            let mut best = Best::new(top);
            let mut all: Vec<(u32, f32)> = (0..).zip(scores.iter().map(|score| f32::from(*score))).collect();
            all.iter().rev().for_each(|(row, score)| best.offer(*row, *score));
            all.sort_by(better);
            let wanted: Vec<(usize, f32)> = all.into_iter().take(top).map(|(row, score)| (row as usize, score)).collect();
            prop_assert_eq!(best.into_sorted(), wanted);
        }
    }
}
