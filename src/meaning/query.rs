//! A query, ready to be compared with many rows.

use super::block::{Block, ROWS};
use super::dots::{dots, dots_of};
use crate::model::{VectorError, largest};

/// Finer than rows: the products are of 16 bits anyway.
pub(super) struct Query {
    scale: f32,
    values: Vec<i16>,
}

impl Query {
    /// # Errors
    /// Where a value is not finite.
    pub fn new(query: &[f32]) -> Result<Query, VectorError> {
        let largest = largest(query)?;
        // A sum of as many products, each with 127 at the most, still fits in 32 bits.
        let most = i32::MAX / i32::from(i8::MAX) / query.len().max(1) as i32;
        let most = most.clamp(1, i32::from(i16::MAX)) as f32;
        let scale = largest / most;
        if !scale.is_normal() {
            return Ok(Query { scale: 0.0, values: vec![0; query.len()] });
        }
        Ok(Query { scale, values: query.iter().map(|value| (value / scale).round() as i16).collect() })
    }

    /// The product with each row of a block.
    pub fn dots(&self, block: &Block, scores: &mut [f32]) {
        let mut sums = [0; ROWS];
        dots(&block.values, &self.values, &mut sums);
        for ((score, sum), scale) in scores.iter_mut().zip(sums).zip(&block.scales) {
            *score = sum as f32 * scale * self.scale;
        }
    }

    /// The product with each of some rows of a block.
    pub fn dots_of(&self, block: &Block, rows: &[usize]) -> Vec<f32> {
        let mut sums = vec![0; rows.len()];
        dots_of(rows, &block.values, &self.values, &mut sums);
        let scores = sums.into_iter().zip(rows);
        scores.map(|(sum, row)| sum as f32 * block.scales[*row] * self.scale).collect()
    }
}
