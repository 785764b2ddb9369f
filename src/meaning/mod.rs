//! What is close in meaning: the vectors of an embedding model, and those of them that point where a query points.
//!
//! ```text
//! query ─▶ all rows, exactly (dots) ─────────────────────────▶ the best
//!      └─▶ beyond 300,000: a bit a dimension (sketch) ─▶ the likely ones, exactly ─▶ the best
//! ```
//!
//! Vectors come from `llm`, and are kept by `store::VectorStore`.

mod best;
mod block;
mod dots;
mod query;
mod sketch;
mod vectors;

pub use vectors::Vectors;
