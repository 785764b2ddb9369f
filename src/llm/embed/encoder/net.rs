//! The pass through a BERT: from the tokens of texts to one vector for each.
//!
//! Texts of different lengths stand one behind the other, without any padding between them: products are over all their rows at
//! once, attention is within each.

use rten_gemm::{GemmInputA, GemmInputB, GemmOptions};
use rten_simd::{SimdOp, SimdUnaryOp};
use rten_tensor::NdTensorView;
use rten_vecmath::{ApproxGelu, Gelu, Normalize, NormalizeOptions, Softmax, Sum, SumSquare, SumSquareSub};

use super::Broken;
use super::folder::{Activation, Pooling, Shape};
use super::linear::{Engine, Linear, Precision, Scratch};
use super::simd::Added;
use super::weights::{Table, Weights};
use crate::llm::embed::EmbedError;
use crate::model::Deadline;

pub(super) struct Net {
    shape: Shape,
    pooling: Pooling,
    precision: Precision,
    words: Table,
    /// What is added by a token's position, for each of a window.
    positions: Vec<f32>,
    norm: Norm,
    layers: Vec<Layer>,
}

struct Layer {
    /// Queries, keys and values side by side.
    attend: Linear,
    attended: Linear,
    attended_norm: Norm,
    up: Linear,
    down: Linear,
    norm: Norm,
}

/// Brings rows to mean 0 and variance 1, then scales and moves each number.
struct Norm {
    scale: Vec<f32>,
    bias: Vec<f32>,
    epsilon: f32,
}

/// What multiplies, and room for what is made on the way, for all layers and for one pass after the other.
pub(super) struct Room {
    engine: Engine,
    scratch: Scratch,
    attend: Vec<f32>,
    scores: Vec<f32>,
    head: Vec<f32>,
    context: Vec<f32>,
    inner: Vec<f32>,
    more: Vec<f32>,
}

impl Room {
    fn new(precision: Precision) -> Room {
        Room {
            engine: Engine::new(precision),
            scratch: Scratch::default(),
            attend: Vec::new(),
            scores: Vec::new(),
            head: Vec::new(),
            context: Vec::new(),
            inner: Vec::new(),
            more: Vec::new(),
        }
    }
}

impl Net {
    pub(super) fn new(
        weights: &Weights<'_>,
        shape: Shape,
        pooling: Pooling,
        window: usize,
        precision: Precision,
    ) -> Result<Net, EmbedError> {
        let engine = Engine::new(precision);
        let Shape { hidden, inner, .. } = shape;
        let norm = |name: &str| -> Result<Norm, EmbedError> {
            Ok(Norm {
                scale: weights.vector(&format!("{name}.weight"), hidden)?,
                bias: weights.vector(&format!("{name}.bias"), hidden)?,
                epsilon: shape.epsilon,
            })
        };
        let linear = |names: &[String], inputs: usize, outputs: usize| -> Result<Linear, EmbedError> {
            let part = |name: &String| {
                let table = weights.table(&format!("{name}.weight"), outputs, inputs)?;
                Ok((table, weights.vector(&format!("{name}.bias"), outputs)?))
            };
            let parts: Vec<_> = names.iter().map(part).collect::<Result<_, EmbedError>>()?;
            Ok(Linear::new(&parts, &engine))
        };
        let layer = |index: usize| -> Result<Layer, EmbedError> {
            let own = |name: &str| format!("encoder.layer.{index}.{name}");
            let attention = ["query", "key", "value"].map(|name| own(&format!("attention.self.{name}")));
            Ok(Layer {
                attend: linear(&attention, hidden, hidden)?,
                attended: linear(&[own("attention.output.dense")], hidden, hidden)?,
                attended_norm: norm(&own("attention.output.LayerNorm"))?,
                up: linear(&[own("intermediate.dense")], hidden, inner)?,
                down: linear(&[own("output.dense")], inner, hidden)?,
                norm: norm(&own("output.LayerNorm"))?,
            })
        };
        let words = weights.table("embeddings.word_embeddings.weight", shape.words, hidden)?.keep();
        let positions = positions(weights, shape, window)?;
        let layers = (0..shape.layers).map(layer).collect::<Result<_, EmbedError>>()?;
        let norm = norm("embeddings.LayerNorm")?;
        Ok(Net { shape, pooling, precision, words, positions, norm, layers })
    }

    /// Room for passes on one thread.
    pub(super) fn room(&self) -> Room {
        Room::new(self.precision)
    }

    /// In bytes, of the numbers that are kept.
    pub(super) fn size(&self) -> usize {
        let layers =
            self.layers.iter().flat_map(|layer| [&layer.attend, &layer.attended, &layer.up, &layer.down]);
        self.words.size() + self.positions.len() * 4 + layers.map(Linear::size).sum::<usize>()
    }

    /// A unit vector for each text, which is its tokens: one at least, at most a window.
    pub(super) fn run(
        &self,
        texts: &[&[u32]],
        room: &mut Room,
        deadline: &Deadline,
    ) -> Result<Vec<Vec<f32>>, Broken> {
        let mut rows = self.rows(texts)?;
        for layer in &self.layers {
            if deadline.is_over() {
                return Err(Broken::Late);
            }
            layer.run(self, texts, &mut rows, room)?;
        }
        let mut start = 0;
        let pooled = texts.iter().map(|text| {
            let end = start + text.len() * self.shape.hidden;
            let own = rows.get(start..end).unwrap_or_default();
            start = end;
            self.pool(own)
        });
        pooled.collect()
    }

    /// A row for each token of all texts: its word and its position.
    fn rows(&self, texts: &[&[u32]]) -> Result<Vec<f32>, Broken> {
        let hidden = self.shape.hidden;
        let count: usize = texts.iter().map(|text| text.len()).sum();
        let mut rows = Vec::with_capacity(count * hidden);
        for text in texts {
            let start = rows.len();
            for &token in *text {
                if !self.words.row(token as usize, &mut rows) {
                    return Err(Broken::Token(token));
                }
            }
            let own = &mut rows[start..];
            let what = self.positions.get(..own.len()).ok_or(Broken::Window(text.len()))?;
            Added { to: own, what }.dispatch();
        }
        rows.chunks_exact_mut(hidden).for_each(|row| self.norm.run(row));
        Ok(rows)
    }

    fn pool(&self, rows: &[f32]) -> Result<Vec<f32>, Broken> {
        let hidden = self.shape.hidden;
        let mut vector = match self.pooling {
            Pooling::First => rows.get(..hidden).unwrap_or_default().to_vec(),
            Pooling::Mean => {
                let mut sum = vec![0.0; hidden];
                for what in rows.chunks_exact(hidden) {
                    Added { to: &mut sum, what }.dispatch();
                }
                sum
            }
        };
        let length = SumSquare::new(&vector).dispatch().sqrt();
        if !(length.is_finite() && length > 0.0) {
            return Err(Broken::Length(length));
        }
        vector.iter_mut().for_each(|number| *number /= length);
        Ok(vector)
    }
}

/// What a token's position and its kind (there is one kind) add to its word.
fn positions(weights: &Weights<'_>, shape: Shape, window: usize) -> Result<Vec<f32>, EmbedError> {
    let Shape { hidden, first_position, .. } = shape;
    let table = weights.table("embeddings.position_embeddings.weight", shape.positions, hidden)?;
    let kinds = weights.table("embeddings.token_type_embeddings.weight", shape.kinds, hidden)?;
    let (mut positions, mut kind) = (Vec::with_capacity(window * hidden), Vec::with_capacity(hidden));
    (first_position..first_position + window).for_each(|index| table.row(index, &mut positions));
    kinds.row(0, &mut kind);
    for row in positions.chunks_exact_mut(hidden) {
        Added { to: row, what: &kind }.dispatch();
    }
    Ok(positions)
}

impl Layer {
    fn run(&self, net: &Net, texts: &[&[u32]], rows: &mut [f32], room: &mut Room) -> Result<(), Broken> {
        let nothing = |_: &mut [f32]| {};
        self.attend.run(&room.engine, rows, &mut room.scratch, &mut room.attend, nothing)?;
        attention(net, texts, room)?;
        self.attended.run(&room.engine, &room.context, &mut room.scratch, &mut room.more, nothing)?;
        self.attended_norm.run_sum(rows, &room.more);
        let activate = |row: &mut [f32]| net.shape.activation.run(row);
        self.up.run(&room.engine, rows, &mut room.scratch, &mut room.inner, activate)?;
        self.down.run(&room.engine, &room.inner, &mut room.scratch, &mut room.more, nothing)?;
        self.norm.run_sum(rows, &room.more);
        Ok(())
    }
}

impl Activation {
    fn run(self, row: &mut [f32]) {
        match self {
            Activation::Gelu => Gelu {}.map_mut(row),
            Activation::GeluNew => ApproxGelu {}.map_mut(row),
            Activation::Relu => row.iter_mut().for_each(|x| *x = x.max(0.0)),
        }
    }
}

/// Each token's mean of the values of its text's tokens, by how its query meets their keys: for each head by itself.
fn attention(net: &Net, texts: &[&[u32]], room: &mut Room) -> Result<(), Broken> {
    let Shape { hidden, heads, .. } = net.shape;
    let width = hidden / heads;
    let alpha = 1.0 / (width as f32).sqrt();
    let count = room.attend.len() / (3 * hidden);
    let all = NdTensorView::from_data([count, 3 * hidden], room.attend.as_slice());
    room.context.resize(count * hidden, 0.0);
    let mut start = 0;
    for text in texts {
        let tokens = start..start + text.len();
        start = tokens.end;
        room.scores.resize(text.len() * text.len(), 0.0);
        room.head.resize(text.len() * width, 0.0);
        for head in 0..heads {
            let part = |which: usize| {
                let column = which * hidden + head * width;
                all.slice((tokens.clone(), column..column + width))
            };
            let (query, key, value) = (part(0), part(1), part(2));
            let (a, b) = (GemmInputA::Unpacked(query), GemmInputB::Unpacked(key.transposed()));
            room.engine.float.gemm(
                &mut room.scores,
                a,
                b,
                GemmOptions { alpha, ..GemmOptions::default() },
            )?;
            for row in room.scores.chunks_exact_mut(text.len()) {
                Softmax::new_mut(row).dispatch();
            }
            let scores = NdTensorView::from_data([text.len(), text.len()], room.scores.as_slice());
            let (a, b) = (GemmInputA::Unpacked(scores), GemmInputB::Unpacked(value));
            room.engine.float.gemm(&mut room.head, a, b, GemmOptions::default())?;
            let places = room.context.chunks_exact_mut(hidden).skip(tokens.start);
            for (place, row) in places.zip(room.head.chunks_exact(width)) {
                place[head * width..(head + 1) * width].copy_from_slice(row);
            }
        }
    }
    Ok(())
}

impl Norm {
    fn run(&self, row: &mut [f32]) {
        let count = row.len() as f32;
        let mean = Sum::new(row).dispatch() / count;
        let variance = SumSquareSub::new(row, mean).dispatch() / count;
        let options = NormalizeOptions {
            pre_scale_bias: mean,
            scale: 1.0 / (variance + self.epsilon).sqrt(),
            element_scale: Some(&self.scale),
            bias: 0.0,
            element_bias: Some(&self.bias),
        };
        Normalize::new_mut(row, options).dispatch();
    }

    /// Of the rows with what is to be added to them.
    fn run_sum(&self, rows: &mut [f32], more: &[f32]) {
        let width = self.scale.len();
        for (row, what) in rows.chunks_exact_mut(width).zip(more.chunks_exact(width)) {
            self.run(Added { to: row, what }.dispatch());
        }
    }
}
