//! What is done to whole rows besides the products, by the processor's vector instructions; the rest is in `rten-vecmath`.

use std::mem::MaybeUninit;

use rten_simd::functional::simd_map;
use rten_simd::ops::{BitOps, NumOps, ToFloat};
use rten_simd::span::SrcDest;
use rten_simd::{Isa, SimdIterable, SimdOp, SliceWriter};

/// `(sum - zero × its column's sum) × scale × its column's scale + its column's bias` for each sum of a row: what a product of whole
/// numbers means.
pub(super) struct Scaled<'s, 'd> {
    pub sums: &'s [i32],
    pub zero: u8,
    pub scale: f32,
    pub columns: &'s [i32],
    pub scales: &'s [f32],
    pub bias: &'s [f32],
    pub to: &'d mut [MaybeUninit<f32>],
}

impl<'d> SimdOp for Scaled<'_, 'd> {
    type Output = &'d mut [f32];

    #[inline(always)]
    fn eval<I: Isa>(self, isa: I) -> &'d mut [f32] {
        let (ints, floats) = (isa.i32(), isa.f32());
        let (zero, scale) = (i32::from(self.zero), floats.splat(self.scale));
        let (width, zeros) = (floats.len(), ints.splat(zero));
        let mut to = SliceWriter::new(self.to);
        let (sums, last_sums) = halves(self.sums, width);
        let (columns, last_columns) = halves(self.columns, width);
        let (scales, last_scales) = halves(self.scales, width);
        let (bias, last_bias) = halves(self.bias, width);
        let vectors = sums.chunks_exact(width).zip(columns.chunks_exact(width));
        let factors = scales.chunks_exact(width).zip(bias.chunks_exact(width));
        for ((sums, columns), (scales, bias)) in vectors.zip(factors) {
            let sum = ints.sub(ints.load(sums), ints.mul(ints.load(columns), zeros));
            let factor = floats.mul(floats.load(scales), scale);
            to.write_vec(floats, floats.mul_add(ints.to_float(sum), factor, floats.load(bias)));
        }
        let last = last_sums.iter().zip(last_columns).zip(last_scales.iter().zip(last_bias));
        for ((sum, column), (scale, bias)) in last {
            to.write_scalar((sum - column * zero) as f32 * scale * self.scale + bias);
        }
        to.into_mut_slice()
    }
}

/// What fills whole vectors, and the rest.
fn halves<T>(row: &[T], width: usize) -> (&[T], &[T]) {
    row.split_at(row.len() - row.len() % width)
}

/// Adds `what`, as long, to a row.
pub(super) struct Added<'s, 'd> {
    pub to: &'d mut [f32],
    pub what: &'s [f32],
}

impl<'d> SimdOp for Added<'_, 'd> {
    type Output = &'d mut [f32];

    #[inline(always)]
    fn eval<I: Isa>(self, isa: I) -> &'d mut [f32] {
        let floats = isa.f32();
        let mut what = self.what.simd_iter_pad(floats);
        let to: SrcDest<'_, 'd, f32> = self.to.into();
        simd_map(
            floats,
            to,
            #[inline(always)]
            |x| what.next().map_or(x, |y| floats.add(x, y)),
        )
    }
}

#[cfg(test)]
mod tests {
    use rten_vecmath::ExtendInit;

    use super::*;

    #[test]
    fn rows_of_any_length_are_done_to_their_end() {
        for length in [0, 1, 15, 16, 17, 40] {
            let sums: Vec<i32> = (0..length).collect();
            let scales: Vec<f32> = sums.iter().map(|n| *n as f32 + 0.5).collect();
            let mut row = Vec::with_capacity(sums.len());
            row.extend_init(|to: &mut [MaybeUninit<f32>]| {
                let to = &mut to[..sums.len()];
                let columns = sums.as_slice();
                Scaled { sums: &sums, zero: 3, scale: 2.0, columns, scales: &scales, bias: &scales, to }
                    .dispatch()
            });
            let expected: Vec<f32> = sums
                .iter()
                .zip(&scales)
                .map(|(sum, scale)| -2.0 * *sum as f32 * 2.0 * scale + scale)
                .collect();
            assert_eq!(row, expected);
            Added { to: &mut row, what: &scales }.dispatch();
            let added: Vec<f32> = expected.iter().zip(&scales).map(|(x, y)| x + y).collect();
            assert_eq!(row, added);
        }
    }
}
