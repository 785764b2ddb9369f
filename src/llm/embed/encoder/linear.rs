//! Products of rows with a layer's weights: in whole numbers of eight bits where the processor multiplies them without losing any,
//! else in floating point.
//!
//! Weights are scaled by column, once; rows as they come, each by its own least and largest number, which costs next to nothing
//! beside the product and needs no samples to be measured beforehand.

use std::mem::MaybeUninit;

use rten_gemm::{BiasVector, GemmExecutor, GemmInputA, GemmInputB, GemmOptions, PackedBMatrix};
use rten_simd::SimdOp;
use rten_tensor::NdTensorView;
use rten_vecmath::{ExtendInit, MinMax, Quantize};

use super::Broken;
use super::simd::Scaled;
use super::weights::Numbers;

/// In which numbers a model computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    /// Of eight bits: four times as fast where the processor has instructions for it.
    Int8,
    Float,
}

impl Precision {
    /// Eight bits where this processor sums their products without overflow (VNNI on x86-64, and on ARM), else floating point.
    pub fn best() -> Precision {
        if GemmExecutor::<u8, i8, i32>::new().may_saturate() { Precision::Float } else { Precision::Int8 }
    }

    pub(in crate::llm::embed) fn name(self) -> &'static str {
        match self {
            Precision::Int8 => "int8",
            Precision::Float => "f32",
        }
    }
}

/// What multiplies. It cannot go from thread to thread, and costs nothing to make: each pass has its own.
pub(super) struct Engine {
    pub float: GemmExecutor<f32>,
    int8: Option<GemmExecutor<u8, i8, i32>>,
}

impl Engine {
    pub(super) fn new(precision: Precision) -> Engine {
        let int8 = (precision == Precision::Int8).then(GemmExecutor::new);
        Engine { float: GemmExecutor::new(), int8 }
    }
}

/// A layer `rows × weights + bias`.
pub(super) struct Linear {
    weights: Weights,
    bias: Vec<f32>,
    inputs: usize,
}

enum Weights {
    /// `sums` are those of the numbers of each column.
    Int8 {
        packed: PackedBMatrix<i8>,
        scales: Vec<f32>,
        sums: Vec<i32>,
    },
    Float(PackedBMatrix<f32>),
}

/// Room for what is made on the way to a product.
#[derive(Default)]
pub(super) struct Scratch {
    bytes: Vec<u8>,
    zeros: Vec<u8>,
    scales: Vec<f32>,
    sums: Vec<i32>,
}

impl Linear {
    /// The layers of `parts`, each its weights by output and its bias, side by side as one. All have as many inputs.
    pub(super) fn new(parts: &[(Numbers<'_>, Vec<f32>)], engine: &Engine) -> Linear {
        let inputs = parts.first().map_or(0, |(weights, _)| weights.width);
        let bias: Vec<f32> = parts.iter().flat_map(|(_, bias)| bias.iter().copied()).collect();
        let mut row = Vec::with_capacity(inputs);
        let rows =
            parts.iter().flat_map(|(weights, _)| (0..weights.rows()).map(move |index| (weights, index)));
        let weights = match &engine.int8 {
            None => {
                let mut all = Vec::with_capacity(inputs * bias.len());
                rows.for_each(|(weights, index)| weights.row(index, &mut all));
                let view = NdTensorView::from_data([bias.len(), inputs], all.as_slice());
                Weights::Float(engine.float.prepack_b(view.transposed()))
            }
            Some(int8) => {
                let mut all = Vec::with_capacity(inputs * bias.len());
                let (mut scales, mut sums) = (Vec::new(), Vec::new());
                for (weights, index) in rows {
                    row.clear();
                    weights.row(index, &mut row);
                    let start = all.len();
                    scales.push(put_weights(&row, &mut all));
                    sums.push(all[start..].iter().map(|&byte| i32::from(byte) - i32::from(MIDDLE)).sum());
                }
                let all: Vec<i8> =
                    all.into_iter().map(|byte: u8| byte.wrapping_sub(MIDDLE).cast_signed()).collect();
                let view = NdTensorView::from_data([bias.len(), inputs], all.as_slice());
                Weights::Int8 { packed: int8.prepack_b(view.transposed()), scales, sums }
            }
        };
        Linear { weights, bias, inputs }
    }

    /// In bytes.
    pub(super) fn size(&self) -> usize {
        let each = if matches!(self.weights, Weights::Int8 { .. }) { 1 } else { 4 };
        self.inputs * self.bias.len() * each
    }

    /// The product of the rows, in place of what `to` holds; `each` row of it is done to while the processor still has it at hand.
    pub(super) fn run(
        &self,
        engine: &Engine,
        rows: &[f32],
        scratch: &mut Scratch,
        to: &mut Vec<f32>,
        each: impl Fn(&mut [f32]),
    ) -> Result<(), Broken> {
        let (count, outputs) = (rows.len() / self.inputs, self.bias.len());
        match (&self.weights, &engine.int8) {
            (Weights::Float(packed), _) => {
                to.resize(count * outputs, 0.0);
                let a = GemmInputA::Unpacked(NdTensorView::from_data([count, self.inputs], rows));
                let options =
                    GemmOptions { bias: Some(BiasVector::Row(&self.bias)), ..GemmOptions::default() };
                engine.float.gemm(to, a, GemmInputB::Packed(packed), options)?;
                to.chunks_exact_mut(outputs).for_each(each);
            }
            (Weights::Int8 { packed, scales, sums: columns }, Some(int8)) => {
                scratch.take(rows, self.inputs);
                scratch.sums.resize(count * outputs, 0);
                let bytes = NdTensorView::from_data([count, self.inputs], scratch.bytes.as_slice());
                let (a, b) = (GemmInputA::Unpacked(bytes), GemmInputB::Packed(packed));
                // Zeros are taken out below: the library takes each row's for that of another (0.27.0, `pack_a`).
                int8.gemm(&mut scratch.sums, a, b, GemmOptions::default())?;
                to.clear();
                to.reserve(count * outputs);
                let rows = scratch.sums.chunks_exact(outputs).zip(scratch.zeros.iter().zip(&scratch.scales));
                for (sums, (&zero, &scale)) in rows {
                    let start = to.len();
                    to.extend_init(|to: &mut [MaybeUninit<f32>]| {
                        let to = &mut to[..outputs];
                        Scaled { sums, zero, scale, columns, scales, bias: &self.bias, to }.dispatch()
                    });
                    each(&mut to[start..]);
                }
            }
            (Weights::Int8 { .. }, None) => return Err(Broken::Engine),
        }
        Ok(())
    }
}

impl Scratch {
    /// Puts rows into whole numbers: each by `number = (byte - zero) × scale`, with zero itself among the numbers.
    fn take(&mut self, rows: &[f32], width: usize) {
        self.bytes.clear();
        self.zeros.clear();
        self.scales.clear();
        self.bytes.reserve(rows.len());
        for row in rows.chunks_exact(width) {
            let (least, most) = MinMax::new(row).dispatch();
            let (least, most) = (least.min(0.0), most.max(0.0));
            let scale = ((most - least) / 255.0).max(f32::MIN_POSITIVE);
            let zero = (-least / scale).round() as u8;
            put(row, 1.0 / scale, zero, &mut self.bytes);
            self.zeros.push(zero);
            self.scales.push(scale);
        }
    }
}

/// Where the zero of weights is while they are bytes without a sign.
const MIDDLE: u8 = 128;

/// Puts weights behind what is there, from 1 to 255 around the middle; gives their scale.
fn put_weights(row: &[f32], to: &mut Vec<u8>) -> f32 {
    let (least, most) = MinMax::new(row).dispatch();
    let scale = (most.max(-least) / 127.0).max(f32::MIN_POSITIVE);
    put(row, 1.0 / scale, MIDDLE, to);
    scale
}

fn put(row: &[f32], factor: f32, zero: u8, to: &mut Vec<u8>) {
    to.reserve(row.len());
    to.extend_init(|to: &mut [MaybeUninit<u8>]| {
        Quantize::new(row, &mut to[..row.len()], factor, zero).dispatch()
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers from -1 to 1 without an order.
    fn numbers(count: usize, seed: u32) -> Vec<f32> {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1 << 23) as f32 - 1.0
        };
        (0..count).map(|_| next()).collect()
    }

    #[test]
    fn both_precisions_multiply() {
        for (rows, inputs, outputs) in [(1, 8, 3), (5, 48, 20), (70, 1536, 70)] {
            let weights = numbers(inputs * outputs, 1);
            let bytes: Vec<u8> = weights.iter().flat_map(|weight| weight.to_le_bytes()).collect();
            let bias = numbers(outputs, 2);
            let input = numbers(rows * inputs, 3);
            let expected = |row: usize, output: usize| {
                let products = (0..inputs).map(|i| input[row * inputs + i] * weights[output * inputs + i]);
                products.sum::<f32>() + bias[output]
            };
            for precision in [Precision::Float, Precision::best()] {
                let engine = Engine::new(precision);
                let linear = Linear::new(&[(Numbers::of_f32(&bytes, inputs), bias.clone())], &engine);
                let (mut scratch, mut found) = (Scratch::default(), Vec::new());
                for _ in 0..2 {
                    linear.run(&engine, &input, &mut scratch, &mut found, |_| {}).unwrap();
                    for row in 0..rows {
                        for output in 0..outputs {
                            let (found, expected) = (found[row * outputs + output], expected(row, output));
                            let off = (found - expected).abs() / (inputs as f32).sqrt();
                            assert!(off < 0.01, "{precision:?} {row} {output}: {found} for {expected}");
                        }
                    }
                }
            }
        }
    }
}
