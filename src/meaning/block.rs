//! Some rows, one behind the other: what is worked on at once, and what is copied where one of them changes.

use crate::model::PackedVector;

/// Rows of a full block: 0.4 MB of 384 dimensions, so that a change of one row copies little, and a thread has work for 10 µs.
pub(super) const ROWS: usize = 1024;

/// All rows have the same number of values, above zero.
#[derive(Debug, Clone, Default)]
pub(super) struct Block {
    pub scales: Vec<f32>,
    pub values: Vec<i8>,
}

impl Block {
    pub fn len(&self) -> usize {
        self.scales.len()
    }

    /// Bytes of memory.
    pub fn bytes(&self) -> usize {
        self.scales.capacity() * size_of::<f32>() + self.values.capacity()
    }

    fn dimension(&self) -> usize {
        self.values.len().checked_div(self.scales.len()).unwrap_or(0)
    }

    pub fn push(&mut self, vector: &PackedVector) {
        self.scales.push(vector.scale());
        self.values.extend_from_slice(vector.values());
    }

    /// The last row, taken off.
    pub fn pop(&mut self) -> Option<PackedVector> {
        let start = self.values.len() - self.dimension();
        let scale = self.scales.pop()?;
        let values = self.values.split_off(start);
        PackedVector::from_parts(scale, values.into())
    }

    pub fn set(&mut self, row: usize, vector: &PackedVector) {
        let dimension = self.dimension();
        self.scales[row] = vector.scale();
        self.values[row * dimension..(row + 1) * dimension].copy_from_slice(vector.values());
    }

    pub fn row(&self, row: usize) -> Option<PackedVector> {
        let dimension = self.dimension();
        let values = self.values.get(row * dimension..(row + 1) * dimension)?;
        PackedVector::from_parts(*self.scales.get(row)?, values.into())
    }
}
