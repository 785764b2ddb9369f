//! Of each row a bit a dimension: on which side of the middle of all rows it lies. Rows that point where a query points have most bits
//! in common with it, so that few rows are left to be compared exactly.
//!
//! No graph (HNSW): this one needs no building (a row costs its own bits), forgets rows as easily, gives the same answer
//! whatever the order in which rows came, and takes an eighth of what the rows do. What it costs in recall is in
//! benches/README.md.

use std::sync::Arc;

use rayon::prelude::*;

use super::block::{Block, ROWS};
use super::dots::distances;

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

/// The bits of a query, and how far they are from those of each row.
pub(super) struct Distances {
    /// By row: how many bits differ.
    pub by_row: Vec<u16>,
    /// Rows by distance.
    counts: Vec<u32>,
}

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
        let query: Vec<u64> = bits(&self.middle, |at| query[at]).collect();
        let mut by_row = vec![0; rows];
        let work = (&self.blocks, by_row.par_chunks_mut(ROWS));
        let counts = work.into_par_iter().fold(
            || vec![0; self.middle.len() + 1],
            |mut counts, (bits, by_row)| {
                distances(bits, &query, by_row);
                by_row.iter().for_each(|distance| counts[usize::from(*distance)] += 1);
                counts
            },
        );
        let sum = |a: Vec<u32>, b: Vec<u32>| a.iter().zip(&b).map(|(a, b)| a + b).collect();
        Distances { counts: counts.reduce(Vec::new, |a, b| if a.is_empty() { b } else { sum(a, b) }), by_row }
    }
}

impl Distances {
    /// The distance within which at least so many rows are.
    pub fn within(&self, wanted: usize) -> u16 {
        let mut rows = 0;
        let reached = self.counts.iter().position(|count| {
            rows += *count as usize;
            rows >= wanted
        });
        reached.map_or(u16::MAX, |distance| distance as u16)
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
    middle.chunks(WORD).enumerate().map(move |(word, middle)| {
        let first = word * WORD;
        let bit = |(at, middle): (usize, &f32)| u64::from(value(first + at) > *middle) << at;
        middle.iter().enumerate().map(bit).fold(0, |word, bit| word | bit)
    })
}
