//! A vector of an embedding model as it is kept, on disk and in memory: a whole number from -127 to 127 for each dimension, and one
//! scale for all of them.
//!
//! A byte a dimension, because an item may cost 1,000 bytes on disk, and half floats of 768 dimensions are 1,536. What that
//! loses is measured (benches/README.md): the products of real vectors are wrong by 0.0003 on average, 0.0024 at the most.

/// The largest whole number: symmetric, so that no value has a side that is longer.
const LARGEST: f32 = 127.0;

/// More dimensions than any model has (4,096 by now); sums over so many still fit where they are counted.
const MOST_DIMENSIONS: usize = 1 << 14;

/// Bytes of the scale, which stands first.
const SCALE_BYTES: usize = 4;

/// Never empty, never zero; its values are finite.
#[derive(Debug, Clone, PartialEq)]
pub struct PackedVector {
    scale: f32,
    values: Box<[i8]>,
}

/// Why some numbers are no vector that could be kept or compared.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VectorError {
    #[error("a vector of no dimensions")]
    Empty,
    #[error("a vector of {0} dimensions, which are more than any model has")]
    Long(usize),
    #[error("a vector that is zero, or nearly so, says nothing")]
    Zero,
    #[error("a vector with a value that is no number, or is infinite, at {0}")]
    NotFinite(usize),
    #[error("a vector of {found} dimensions among those of {expected}: they are of different models")]
    Dimension { expected: usize, found: usize },
}

impl PackedVector {
    /// Packs the values of a vector, which should have the length 1.
    ///
    /// # Errors
    /// Where they are none, too many, not finite, or all zero.
    pub fn new(values: &[f32]) -> Result<PackedVector, VectorError> {
        match values.len() {
            0 => return Err(VectorError::Empty),
            len if len > MOST_DIMENSIONS => return Err(VectorError::Long(len)),
            _ => {}
        }
        let largest = largest(values)?;
        let scale = largest / LARGEST;
        if !scale.is_normal() {
            return Err(VectorError::Zero);
        }
        let values = values.iter().map(|value| (value / scale).round() as i8).collect();
        Ok(PackedVector { scale, values })
    }

    pub fn dimension(&self) -> usize {
        self.values.len()
    }

    /// What each of `values` is to be multiplied with.
    pub fn scale(&self) -> f32 {
        self.scale
    }

    pub fn values(&self) -> &[i8] {
        &self.values
    }

    /// The vector again, as far as it was kept.
    pub fn unpack(&self) -> Vec<f32> {
        self.values.iter().map(|value| f32::from(*value) * self.scale).collect()
    }

    /// What `to_bytes` gives of a vector of so many dimensions.
    pub fn bytes_of(dimension: usize) -> usize {
        SCALE_BYTES + dimension
    }

    /// The scale, little-endian, then a byte a dimension.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(PackedVector::bytes_of(self.dimension()));
        bytes.extend(self.scale.to_le_bytes());
        bytes.extend(self.values.iter().map(|value| value.cast_unsigned()));
        bytes
    }

    /// The vector that `to_bytes` gave; `None` where they are not those of one.
    pub fn from_bytes(bytes: &[u8]) -> Option<PackedVector> {
        let (scale, values) = bytes.split_first_chunk::<SCALE_BYTES>()?;
        let values: Box<[i8]> = values.iter().map(|value| value.cast_signed()).collect();
        PackedVector::from_parts(f32::from_le_bytes(*scale), values)
    }

    pub(crate) fn from_parts(scale: f32, values: Box<[i8]>) -> Option<PackedVector> {
        let fits = (1..=MOST_DIMENSIONS).contains(&values.len()) && scale.is_normal() && scale > 0.0;
        let is_vector = fits && values.iter().any(|value| *value != 0) && !values.contains(&i8::MIN);
        is_vector.then_some(PackedVector { scale, values })
    }
}

/// The largest value without its sign.
///
/// # Errors
/// Where one is not finite.
pub(crate) fn largest(values: &[f32]) -> Result<f32, VectorError> {
    match values.iter().position(|value| !value.is_finite()) {
        Some(at) => Err(VectorError::NotFinite(at)),
        None => Ok(values.iter().fold(0.0, |largest, value| largest.max(value.abs()))),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_no_vector_is_refused() {
        let refused = |values: &[f32]| PackedVector::new(values).unwrap_err();
        assert_eq!(refused(&[]), VectorError::Empty);
        assert_eq!(refused(&[0.0, -0.0]), VectorError::Zero);
        assert_eq!(refused(&[f32::MIN_POSITIVE; 3]), VectorError::Zero);
        assert_eq!(refused(&[0.5, f32::NAN]), VectorError::NotFinite(1));
        assert_eq!(refused(&[f32::NEG_INFINITY]), VectorError::NotFinite(0));
        assert_eq!(refused(&vec![0.1; MOST_DIMENSIONS + 1]), VectorError::Long(MOST_DIMENSIONS + 1));
        assert!(PackedVector::new(&[f32::MAX, f32::MIN]).is_ok());
    }

    #[test]
    fn bytes_that_are_none_of_ours_are_no_vector() {
        let bytes = PackedVector::new(&[0.6, -0.8]).unwrap().to_bytes();
        assert_eq!(bytes.len(), 6);
        for len in 0..=SCALE_BYTES {
            assert_eq!(PackedVector::from_bytes(&bytes[..len]), None);
        }
        let with = |scale: f32, values: [u8; 2]| {
            PackedVector::from_bytes(&[&scale.to_le_bytes()[..], &values].concat())
        };
        assert!(with(0.1, [1, 2]).is_some());
        for (scale, values) in [
            (f32::NAN, [1, 2]),
            (0.0, [1, 2]),
            (-0.1, [1, 2]),
            (f32::INFINITY, [1, 2]),
            (0.1, [0, 0]),
            (0.1, [0x80, 1]),
        ] {
            assert_eq!(with(scale, values), None, "{scale} {values:?}");
        }
    }

    proptest! {
        #[test]
        fn a_vector_comes_back_within_half_a_step(values in prop::collection::vec(-1.0f32..1.0, 1..64)) {
            prop_assume!(values.iter().any(|value| value.abs() > 1e-6));
            let packed = PackedVector::new(&values).unwrap();
            for (value, unpacked) in values.iter().zip(packed.unpack()) {
                prop_assert!((value - unpacked).abs() <= packed.scale() * 0.501);
            }
            prop_assert_eq!(PackedVector::from_bytes(&packed.to_bytes()), Some(packed));
        }
    }
}
