//! Vectors in memory, and which of them point where a query points.

use std::sync::Arc;

use rayon::prelude::*;

use super::best::Best;
use super::block::{Block, ROWS};
use super::query::Query;
use super::sketch::Sketches;
use crate::model::{PackedVector, VectorError};

/// From so many rows on the cores share the work: below it is done in less time than it takes to wake them.
const SHARED_ROWS: usize = 16 * ROWS;

/// From so many rows on the likely ones are found first, by their sketches.
const EXACT_ROWS: usize = 300_000;

/// How many likely rows are compared exactly, at the least, and for each that is wanted.
const LIKELY: usize = 8_000;
const LIKELY_FOR_EACH: usize = 100;

/// The vectors of one model, by row. A clone shares what neither changes: of a state that follows another, an edit costs the
/// blocks of its own rows.
#[derive(Debug, Clone)]
pub struct Vectors {
    dimension: usize,
    len: usize,
    /// All of them full but the last, and none empty.
    blocks: Vec<Arc<Block>>,
    /// From `exact_rows` rows on.
    sketches: Option<Sketches>,
    exact_rows: usize,
}

impl Vectors {
    /// None yet, to be of so many dimensions.
    pub fn new(dimension: usize) -> Vectors {
        Vectors { dimension, len: 0, blocks: Vec::new(), sketches: None, exact_rows: EXACT_ROWS }
    }

    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// Rows.
    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Bytes of memory that the rows take up.
    pub fn bytes(&self) -> usize {
        let sketches = self.sketches.as_ref().map_or(0, Sketches::bytes);
        self.blocks.iter().map(|block| block.bytes()).sum::<usize>() + sketches
    }

    /// Puts a vector behind the last one; its row.
    ///
    /// # Errors
    /// Where it is none, or one of another number of dimensions.
    pub fn push(&mut self, vector: &[f32]) -> Result<usize, VectorError> {
        self.push_packed(&PackedVector::new(vector)?)
    }

    /// As `push`, of one that is packed already.
    ///
    /// # Errors
    /// Where it is one of another number of dimensions.
    pub fn push_packed(&mut self, vector: &PackedVector) -> Result<usize, VectorError> {
        self.check(vector.dimension())?;
        let row = self.len;
        if row.is_multiple_of(ROWS) {
            self.blocks.push(Arc::default());
        }
        if let Some(last) = self.blocks.last_mut() {
            Arc::make_mut(last).push(vector);
            self.len += 1;
        }
        match &mut self.sketches {
            Some(sketches) if !sketches.is_old(self.len) => {
                sketches.push(row, vector.scale(), vector.values());
            }
            None if self.len <= self.exact_rows => {}
            _ => self.sketches = Some(Sketches::new(&self.blocks, self.dimension)),
        }
        Ok(row)
    }

    /// The vector of a row, as far as it was kept; `None` where there is no such row.
    pub fn get(&self, row: usize) -> Option<PackedVector> {
        self.blocks.get(row / ROWS)?.row(row % ROWS)
    }

    /// Takes a row out: the last one gets its number. As `Vec::swap_remove` does, so that a list beside this one can follow. `None`,
    /// and nothing is done, where there is no such row.
    pub fn swap_remove(&mut self, row: usize) -> Option<PackedVector> {
        let removed = self.get(row)?;
        let last = self.blocks.last_mut()?;
        let moved = Arc::make_mut(last).pop()?;
        if last.len() == 0 {
            self.blocks.pop();
        }
        self.len -= 1;
        if let Some(sketches) = &mut self.sketches {
            sketches.swap_remove(row);
        }
        if row < self.len {
            Arc::make_mut(&mut self.blocks[row / ROWS]).set(row % ROWS, &moved);
        }
        Some(removed)
    }

    /// The product of a query with each row, by row: for vectors of length 1 the cosine of the angle between them.
    ///
    /// # Errors
    /// Where the query has another number of dimensions, or a value that is not finite.
    pub fn dots(&self, query: &[f32]) -> Result<Vec<f32>, VectorError> {
        self.check(query.len())?;
        let query = Query::new(query)?;
        let mut scores = vec![0.0; self.len];
        let work = |(block, scores): (&Arc<Block>, &mut [f32])| query.dots(block, scores);
        if self.len < SHARED_ROWS {
            self.blocks.iter().zip(scores.chunks_mut(ROWS)).for_each(work);
        } else {
            self.blocks.par_iter().zip(scores.par_chunks_mut(ROWS)).for_each(work);
        }
        Ok(scores)
    }

    /// The rows with the highest products, the best first, and those that are as good as one another in their order. Of more than
    /// 300,000 rows nearly all of these (how many: benches/README.md), each with its exact product.
    ///
    /// # Errors
    /// As `dots`.
    pub fn search(&self, query: &[f32], top: usize) -> Result<Vec<(usize, f32)>, VectorError> {
        let mut best = Best::new(top);
        match &self.sketches {
            None => (0..).zip(self.dots(query)?).for_each(|(row, score)| best.offer(row, score)),
            Some(sketches) => {
                let likely = self.likely(sketches, query, top)?;
                likely.into_iter().for_each(|(row, score)| best.offer(row, score));
            }
        }
        Ok(best.into_sorted())
    }

    /// The rows whose sketches are nearest to that of a query, with their products.
    fn likely(&self, sketches: &Sketches, query: &[f32], top: usize) -> Result<Vec<(u32, f32)>, VectorError> {
        self.check(query.len())?;
        let exact = Query::new(query)?;
        let distances = sketches.distances(query, self.len);
        let within = distances.within(top.saturating_mul(LIKELY_FOR_EACH).max(LIKELY));
        let work = self.blocks.par_iter().zip(distances.rows_within(within)).enumerate();
        let likely = work.flat_map_iter(|(number, (block, rows))| {
            let (first, scores) = (number * ROWS, exact.dots_of(block, &rows));
            rows.into_iter().zip(scores).map(move |(row, score)| ((first + row) as u32, score))
        });
        Ok(likely.collect())
    }

    fn check(&self, found: usize) -> Result<(), VectorError> {
        let expected = self.dimension;
        if found == expected { Ok(()) } else { Err(VectorError::Dimension { expected, found }) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A vector of length 1 that is another one for each seed.
    fn vector(dimension: usize, seed: u64) -> Vec<f32> {
        let mut state = seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let values = (0..dimension).map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 40) as f32 / (1u64 << 23) as f32 - 1.0
        });
        unit(values.collect())
    }

    fn unit(values: Vec<f32>) -> Vec<f32> {
        let length = product(&values, &values).sqrt();
        values.into_iter().map(|value| value / length).collect()
    }

    fn product(a: &[f32], b: &[f32]) -> f32 {
        a.iter().zip(b).map(|(a, b)| a * b).sum()
    }

    /// As they are beyond so many rows.
    fn sketched(dimension: usize, exact_rows: usize) -> Vectors {
        Vectors { exact_rows, ..Vectors::new(dimension) }
    }

    fn of(dimension: usize, seeds: impl IntoIterator<Item = u64>) -> Vectors {
        let mut vectors = Vectors::new(dimension);
        for seed in seeds {
            vectors.push(&vector(dimension, seed)).unwrap();
        }
        vectors
    }

    #[test]
    fn a_vector_is_its_own_nearest() {
        for dimension in [1, 3, 64, 384, 768, 4096] {
            let vectors = of(dimension, 0..40);
            for row in [0, 17, 39] {
                let found = vectors.search(&vector(dimension, row), 2).unwrap();
                assert!((found[0].1 - 1.0).abs() < 0.01, "{dimension} {found:?}");
                assert!(dimension == 1 || found[0].0 == row as usize, "{dimension} {found:?}");
            }
        }
    }

    #[test]
    fn scores_are_products_in_the_order_of_rows() {
        // More than one block, and so many that the cores share them.
        let rows = SHARED_ROWS as u64 + 100;
        let (vectors, query) = (of(32, 0..rows), vector(32, 7_777_777));
        let dots = vectors.dots(&query).unwrap();
        for (seed, dot) in (0..rows).zip(&dots) {
            assert!((product(&vector(32, seed), &query) - dot).abs() < 0.01, "{seed}");
        }
        let mut sorted: Vec<(usize, f32)> = dots.into_iter().enumerate().collect();
        sorted.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        sorted.truncate(50);
        assert_eq!(vectors.search(&query, 50).unwrap(), sorted);
    }

    #[test]
    fn ties_come_in_the_order_of_rows() {
        let vectors = of(8, [3, 5, 3, 5, 3, 3]);
        let rows: Vec<usize> = vectors.search(&vector(8, 3), 9).unwrap().into_iter().map(|it| it.0).collect();
        assert_eq!(rows, [0, 2, 4, 5, 1, 3]);
        let zero = vectors.search(&[0.0; 8], 3).unwrap();
        assert_eq!(zero, [(0, 0.0), (1, 0.0), (2, 0.0)]);
    }

    #[test]
    fn none_one_and_what_does_not_fit() {
        let mut vectors = Vectors::new(2);
        assert_eq!(vectors.search(&[1.0, 0.0], 5).unwrap(), []);
        assert_eq!((vectors.get(0), vectors.swap_remove(0)), (None, None));
        assert_eq!(vectors.push(&[0.0, 2.0]), Ok(0));
        assert_eq!(vectors.search(&[0.0, 1.0], 0).unwrap(), []);
        assert_eq!(vectors.search(&[0.0, 1.0], usize::MAX).unwrap(), [(0, 2.0)]);
        let mismatch = |found| VectorError::Dimension { expected: 2, found };
        assert_eq!(vectors.push(&[1.0]), Err(mismatch(1)));
        assert_eq!(vectors.dots(&[1.0; 3]), Err(mismatch(3)));
        assert_eq!(vectors.dots(&[1.0, f32::NAN]), Err(VectorError::NotFinite(1)));
        assert_eq!(vectors.push(&[0.0, 0.0]), Err(VectorError::Zero));
        assert_eq!(vectors.len(), 1);
        let mut nothing = Vectors::new(0);
        assert_eq!((nothing.push(&[]), nothing.dots(&[])), (Err(VectorError::Empty), Ok(Vec::new())));
    }

    #[test]
    fn a_clone_keeps_what_it_had() {
        let rows = ROWS + 3;
        let before = of(4, 0..rows as u64);
        let mut after = before.clone();
        after.swap_remove(1).unwrap();
        after.push(&vector(4, 99_999)).unwrap();
        assert!((0..rows).all(|row| before.get(row) == of(4, [row as u64]).get(0)));
        assert_eq!(after.get(1), before.get(rows - 1));
        assert!(std::ptr::eq(&*before.blocks[0], &*before.clone().blocks[0]));
    }

    #[test]
    fn sketches_leave_the_nearest() {
        // Some have words of their own number (384), one has none that is full.
        for (dimension, rows) in [(384, 12_000), (40, 30_000)] {
            let mut vectors = sketched(dimension, 3_000);
            let (group, all) = (vector(dimension, 1), 2..rows + 2);
            for seed in all {
                // All point somewhat the same way, as those of a model do.
                let mixed =
                    vector(dimension, seed).iter().zip(&group).map(|(own, group)| own + group).collect();
                vectors.push(&unit(mixed)).unwrap();
            }
            let sketches = vectors.sketches.as_ref().unwrap();
            assert!(sketches.are_of(&vectors.blocks));
            for row in [0, 2_999, 3_000, 11_999] {
                let mut query = vectors.get(row).unwrap().unpack();
                query[3] += 0.2;
                let mut exact: Vec<(usize, f32)> =
                    vectors.dots(&query).unwrap().into_iter().enumerate().collect();
                exact.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
                let found = vectors.search(&query, 20).unwrap();
                assert_eq!((found.len(), found[0]), (20, exact[0]), "{dimension}");
                let hits = found.iter().filter(|hit| exact[..20].contains(hit)).count();
                assert!(hits >= 18, "{hits} of 20, {dimension} dimensions");
                assert!(vectors.likely(sketches, &query, 20).unwrap().len() < rows as usize * 3 / 4);
            }
            assert_eq!(vectors.search(&vec![0.0; dimension], 2).unwrap(), [(0, 0.0), (1, 0.0)]);
            assert_eq!(vectors.search(&vector(dimension, 5), usize::MAX).unwrap().len(), rows as usize);
            assert!(vectors.search(&[0.0; 3], 2).is_err());
        }
    }

    #[test]
    fn equal_rows_are_found_in_their_order_by_sketches_too() {
        let mut vectors = sketched(8, 100);
        (0..20_000).for_each(|row| assert_eq!(vectors.push(&vector(8, 3)), Ok(row)));
        let rows = vectors.search(&vector(8, 3), 5).unwrap();
        assert_eq!(rows.into_iter().map(|it| it.0).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
        while vectors.swap_remove(0).is_some() {}
        assert_eq!(vectors.search(&vector(8, 3), 5).unwrap(), []);
        vectors.push(&vector(8, 4)).unwrap();
        assert_eq!(vectors.search(&vector(8, 4), 5).unwrap().len(), 1);
    }

    proptest! {
        #[test]
        fn it_follows_a_list(steps in prop::collection::vec((any::<bool>(), 0usize..3000), 0..60), start in 1000u64..1100) {
            let mut list: Vec<u64> = (0..start).collect();
            let mut vectors = sketched(3, 1050);
            for seed in 0..start {
                vectors.push(&vector(3, seed)).unwrap();
            }
            for (seed, (grows, at)) in (5000..).zip(steps) {
                if grows {
                    list.push(seed);
                    vectors.push(&vector(3, seed)).unwrap();
                } else if at < list.len() {
                    list.swap_remove(at);
                    prop_assert!(vectors.swap_remove(at).is_some());
                } else {
                    prop_assert!(vectors.swap_remove(at).is_none());
                }
            }
            prop_assert_eq!(vectors.len(), list.len());
            prop_assert!(vectors.sketches.as_ref().is_none_or(|sketches| sketches.are_of(&vectors.blocks)));
            for (row, seed) in list.iter().enumerate() {
                prop_assert_eq!(vectors.get(row), Some(PackedVector::new(&vector(3, *seed)).unwrap()));
            }
        }
    }
}
