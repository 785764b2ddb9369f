//! Of each row a bit a dimension: on which side of the middle of all rows it lies. Rows that point where a query points lie on its side
//! in most dimensions, above all in those in which its values are large; so few rows are left to be compared exactly.
//!
//! No graph (HNSW): this one needs no building (a row costs its own bits), forgets rows as easily, gives the same answer
//! whatever the order in which rows came, and takes an eighth of what the rows do. What it costs in recall is in
//! benches/README.md.

use std::sync::Arc;

use rayon::prelude::*;

use super::block::{Block, ROWS};
use super::dots::{Bits, distances};

/// Every how many rows one is looked at to learn how near the nearest are.
const SAMPLE: usize = 16;

/// Distances that are looked at at once.
const RUN: usize = 32;

/// What one step of a query's count is, in the root of the mean square of its values: three steps are twice that. Among 1,000,000
/// vectors of code, for questions about code, 99.97 % of the 20 nearest are among the 8,000 likely rows; 98.9 % where all
/// dimensions count the same, and no more with three or four bits for the count.
const STEP: f32 = 2.0 / 3.0;

/// Bits of a word.
const WORD: usize = u64::BITS as usize;

/// The bits of all rows, by block.
#[derive(Debug, Clone)]
pub(super) struct Sketches {
    /// The mean of the rows: vectors of one model all point somewhat the same way, and bits on the sides of nought would be the same in
    /// most of them.
    middle: Arc<[f32]>,
    /// Rows of which it is the mean.
    rows: usize,
    blocks: Vec<Arc<Vec<u64>>>,
}

/// How far the bits of each row are from a query.
pub(super) struct Distances(Vec<u16>);

impl Sketches {
    pub fn new(blocks: &[Arc<Block>], dimension: usize) -> Sketches {
        let rows = blocks.iter().map(|block| block.len()).sum();
        let middle = middle(blocks, dimension, rows);
        let blocks = blocks.par_iter().map(|block| Arc::new(bits_of_all(block, &middle))).collect();
        Sketches { middle, rows, blocks }
    }

    /// Whether there are so many rows by now that their mean may be elsewhere.
    pub fn is_old(&self, rows: usize) -> bool {
        rows >= self.rows * 2
    }

    /// Bytes of memory.
    pub fn bytes(&self) -> usize {
        self.blocks.iter().map(|bits| bits.capacity() * size_of::<u64>()).sum()
    }

    /// Enters a row behind the last one, which is there already: `row` is its number.
    pub fn push(&mut self, row: usize, scale: f32, values: &[i8]) {
        if row.is_multiple_of(ROWS) {
            self.blocks.push(Arc::default());
        }
        if let Some(last) = self.blocks.last_mut() {
            Arc::make_mut(last).extend(bits(&self.middle, |at| scale * f32::from(values[at])));
        }
    }

    /// As `Vectors::swap_remove`.
    pub fn swap_remove(&mut self, row: usize) {
        let words = self.middle.len().div_ceil(WORD);
        let Some(last) = self.blocks.last_mut().map(Arc::make_mut) else { return };
        let moved = last.split_off(last.len() - words);
        if last.is_empty() {
            self.blocks.pop();
        }
        let start = row % ROWS * words;
        // Where it was the last one it is gone.
        if let Some(block) = self.blocks.get_mut(row / ROWS)
            && let Some(place) = Arc::make_mut(block).get_mut(start..start + words)
        {
            place.copy_from_slice(&moved);
        }
    }

    /// Whether the bits are those of these rows.
    #[cfg(test)]
    pub fn are_of(&self, blocks: &[Arc<Block>]) -> bool {
        let wanted: Vec<Vec<u64>> = blocks.iter().map(|block| bits_of_all(block, &self.middle)).collect();
        self.blocks.len() == wanted.len()
            && self.blocks.iter().zip(&wanted).all(|(own, wanted)| **own == *wanted)
    }

    /// How far each of so many rows is from a query.
    pub fn distances(&self, query: &[f32], rows: usize) -> Distances {
        let query = Bits::of(query);
        let mut by_row = vec![0; rows];
        let work = self.blocks.par_iter().zip(by_row.par_chunks_mut(ROWS));
        work.for_each(|(bits, by_row)| distances(bits, &query, by_row));
        Distances(by_row)
    }
}

impl Bits {
    /// What is compared is the query with what a row has beyond the middle: what the query has of the middle is the same for all
    /// rows, and is not taken off.
    fn of(query: &[f32]) -> Bits {
        let mean_square = query.iter().map(|value| value * value).sum::<f32>() / query.len().max(1) as f32;
        let step = mean_square.sqrt() * STEP;
        let counts: Vec<u8> = query.iter().map(|value| ((value.abs() / step).round() as u8).min(3)).collect();
        Bits {
            sides: words(query.len(), |at| query[at] > 0.0).collect(),
            ones: words(query.len(), |at| counts[at] & 1 != 0).collect(),
            twos: words(query.len(), |at| counts[at] & 2 != 0).collect(),
        }
    }
}

impl Distances {
    /// The distance within which so many rows are, or about as many: one row of `SAMPLE` is looked at for each of them.
    pub fn within(&self, wanted: usize) -> u16 {
        let mut sample: Vec<u16> = self.0.iter().step_by(SAMPLE).copied().collect();
        let wanted = wanted / SAMPLE;
        if wanted < sample.len() { *sample.select_nth_unstable(wanted).1 } else { u16::MAX }
    }

    /// The rows within a distance, block by block, as numbers within the block.
    pub fn rows_within(&self, distance: u16) -> impl IndexedParallelIterator<Item = Vec<usize>> {
        self.0.par_chunks(ROWS).map(move |block| {
            let mut rows = Vec::new();
            for (first, some) in (0..).step_by(RUN).zip(block.chunks(RUN)) {
                // Hardly ever is there one: all are looked at by a few instructions.
                if some.iter().fold(false, |found, row| found | (*row <= distance)) {
                    let found = (first..).zip(some).filter(|(_, row)| **row <= distance);
                    rows.extend(found.map(|(row, _)| row));
                }
            }
            rows
        })
    }
}

fn middle(blocks: &[Arc<Block>], dimension: usize, rows: usize) -> Arc<[f32]> {
    let sums = blocks.par_iter().map(|block| {
        let mut sums = vec![0.0; dimension];
        for (values, scale) in block.values.chunks_exact(dimension).zip(&block.scales) {
            sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += scale * f32::from(*value));
        }
        sums
    });
    // In their order, so that the sum is the same each time.
    let mut sums = sums.collect::<Vec<Vec<f32>>>().into_iter();
    let mut middle: Vec<f32> = sums.next().unwrap_or_default();
    for block in sums {
        middle.iter_mut().zip(block).for_each(|(sum, block)| *sum += block);
    }
    middle.iter().map(|sum| sum / rows.max(1) as f32).collect()
}

fn bits_of_all(block: &Block, middle: &[f32]) -> Vec<u64> {
    let rows = block.values.chunks_exact(middle.len()).zip(&block.scales);
    let mut all = Vec::with_capacity(block.len() * middle.len().div_ceil(WORD));
    rows.for_each(|(values, scale)| all.extend(bits(middle, |at| scale * f32::from(values[at]))));
    all
}

/// The words of a row: a bit for each value above the middle.
fn bits(middle: &[f32], value: impl Fn(usize) -> f32) -> impl Iterator<Item = u64> {
    words(middle.len(), move |at| value(at) > middle[at])
}

/// So many bits, as words.
fn words(len: usize, bit: impl Fn(usize) -> bool) -> impl Iterator<Item = u64> {
    (0..len).step_by(WORD).map(move |first| {
        let bits = (first..len.min(first + WORD)).map(|at| u64::from(bit(at)) << (at - first));
        bits.fold(0, |word, bit| word | bit)
    })
}
