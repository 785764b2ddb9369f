//! The numbers of a model, as `safetensors` holds them: found by name, of the shape that the settings say, and finite.

use std::path::Path;

use rten_simd::{SimdOp, f16};
use rten_vecmath::SumAbs;
use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};

use crate::llm::embed::error::{CHOOSE_ANOTHER, EmbedError, GET_ANEW};

/// What stands before the names of an encoder that was saved as a part of a larger model.
const PREFIXES: [&str; 4] = ["", "bert.", "roberta.", "model."];
/// Every encoder has it, and nothing else has.
const LANDMARK: &str = "embeddings.word_embeddings.weight";

pub(super) struct Weights<'b> {
    file: &'b Path,
    tensors: SafeTensors<'b>,
    prefix: &'static str,
}

/// Numbers as they stand in the file.
#[derive(Clone, Copy)]
pub(super) struct Numbers<'b> {
    kind: Kind,
    bytes: &'b [u8],
    /// Numbers of a row.
    pub width: usize,
}

/// The same, kept.
pub(super) struct Table {
    kind: Kind,
    bytes: Vec<u8>,
    width: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    F32,
    F16,
    Bf16,
}

impl<'b> Weights<'b> {
    pub(super) fn parse(file: &'b Path, bytes: &'b [u8]) -> Result<Weights<'b>, EmbedError> {
        let tensors = SafeTensors::deserialize(bytes).map_err(|error| {
            EmbedError::folder(file, format!("it is no whole file of weights ({error:?})"), GET_ANEW)
        })?;
        let has = |prefix: &&str| tensors.tensor(&format!("{prefix}{LANDMARK}")).is_ok();
        let Some(prefix) = PREFIXES.into_iter().find(has) else {
            let why = format!("it holds no {LANDMARK}, as an encoder has");
            return Err(EmbedError::folder(file, why, CHOOSE_ANOTHER));
        };
        Ok(Weights { file, tensors, prefix })
    }

    /// A table of `rows` rows of `width` numbers each.
    pub(super) fn table(&self, name: &str, rows: usize, width: usize) -> Result<Numbers<'b>, EmbedError> {
        self.numbers(name, &[rows, width], width)
    }

    /// So many numbers.
    pub(super) fn vector(&self, name: &str, length: usize) -> Result<Vec<f32>, EmbedError> {
        let numbers = self.numbers(name, &[length], length)?;
        let mut vector = Vec::with_capacity(length);
        numbers.row(0, &mut vector);
        Ok(vector)
    }

    fn numbers(&self, name: &str, shape: &[usize], width: usize) -> Result<Numbers<'b>, EmbedError> {
        let name = format!("{}{name}", self.prefix);
        let wrong = |why: String, remedy| EmbedError::folder(self.file, why, remedy);
        let found: TensorView<'b> =
            self.tensors.tensor(&name).map_err(|_| wrong(format!("it holds no {name}"), GET_ANEW))?;
        if found.shape() != shape {
            let why = format!("{name} has the shape {:?}; by config.json it is {shape:?}", found.shape());
            return Err(wrong(why, GET_ANEW));
        }
        let kind = match found.dtype() {
            Dtype::F32 => Kind::F32,
            Dtype::F16 => Kind::F16,
            Dtype::BF16 => Kind::Bf16,
            other => {
                let why = format!("{name} is of the type {other:?}; known are F32, F16 and BF16");
                return Err(wrong(why, CHOOSE_ANOTHER));
            }
        };
        let numbers = Numbers { kind, bytes: found.data(), width };
        if !numbers.are_finite() {
            return Err(wrong(format!("{name} holds what is no number (NaN, or infinite)"), GET_ANEW));
        }
        Ok(numbers)
    }
}

#[cfg(test)]
impl<'b> Numbers<'b> {
    pub(super) fn of_f32(bytes: &'b [u8], width: usize) -> Numbers<'b> {
        Numbers { kind: Kind::F32, bytes, width }
    }
}

impl Numbers<'_> {
    pub(super) fn rows(self) -> usize {
        self.bytes.len() / (self.width * self.kind.size())
    }

    /// Puts a row behind what is there; nothing where there is no such row.
    pub(super) fn row(self, index: usize, to: &mut Vec<f32>) {
        let size = self.width * self.kind.size();
        let row = index.checked_mul(size).and_then(|start| self.bytes.get(start..start + size));
        self.kind.put(row.unwrap_or_default(), to);
    }

    pub(super) fn keep(self) -> Table {
        Table { kind: self.kind, bytes: self.bytes.to_vec(), width: self.width }
    }

    /// A sum of sizes is finite where all are: weights are far below the largest numbers.
    fn are_finite(self) -> bool {
        let mut row = Vec::with_capacity(self.width);
        (0..self.rows()).all(|index| {
            row.clear();
            self.row(index, &mut row);
            SumAbs::new(&row).dispatch().is_finite()
        })
    }
}

impl Table {
    /// Puts a row behind what is there; says whether there is such a row.
    #[must_use]
    pub(super) fn row(&self, index: usize, to: &mut Vec<f32>) -> bool {
        let numbers = Numbers { kind: self.kind, bytes: &self.bytes, width: self.width };
        let is_there = index < numbers.rows();
        numbers.row(index, to);
        is_there
    }

    /// In bytes.
    pub(super) fn size(&self) -> usize {
        self.bytes.len()
    }
}

impl Kind {
    fn size(self) -> usize {
        match self {
            Kind::F32 => 4,
            Kind::F16 | Kind::Bf16 => 2,
        }
    }

    fn put(self, bytes: &[u8], to: &mut Vec<f32>) {
        match self {
            Kind::F32 => to.extend(bytes.as_chunks().0.iter().map(|four| f32::from_le_bytes(*four))),
            Kind::F16 => to.extend(halves(bytes).map(|bits| f16::from_bits(bits).to_f32())),
            Kind::Bf16 => to.extend(halves(bytes).map(|bits| f32::from_bits(u32::from(bits) << 16))),
        }
    }
}

fn halves(bytes: &[u8]) -> impl Iterator<Item = u16> {
    bytes.as_chunks().0.iter().map(|two| u16::from_le_bytes(*two))
}
