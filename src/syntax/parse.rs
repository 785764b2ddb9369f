//! From text to facts: the text is bounded in depth, parsed, read, and its tree dropped.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;

use ra_ap_syntax::Edition;
use rayon::prelude::*;

use super::extract::Extractor;
use super::fragments;
use super::nesting::{self, Bounded};
use super::tree::tree;
use super::{Body, FileSyntax, Parsed};

/// The parser reads every edition; this one keeps `gen` a plain name, as most code means it.
pub(super) const EDITION: Edition = Edition::Edition2021;

/// What is nested deeper is not read. No code that a person wrote comes near it.
const DEPTH_LIMIT: u32 = 2_000;

/// Up to this depth the stack of the calling thread is enough, whichever it is.
const INLINE_DEPTH: u32 = 200;

/// For `DEPTH_LIMIT`, with room for unoptimised builds; only what is touched is ever allocated.
const DEEP_STACK_BYTES: usize = 256 << 20;

/// What one Rust file says. Never fails: what cannot be read is counted in `errors`.
pub fn parse(text: &str) -> Parsed {
    let bounded = nesting::bound(text, DEPTH_LIMIT);
    if bounded.depth <= INLINE_DEPTH {
        return read(&bounded);
    }
    thread::scope(|scope| {
        thread::Builder::new()
            .stack_size(DEEP_STACK_BYTES)
            .spawn_scoped(scope, || read(&bounded))
            .ok()
            .and_then(|thread| thread.join().ok())
    })
    .unwrap_or_else(unreadable)
}

/// One of each file, for everybody who looks at it; `None` for what is not Rust.
pub type ByFile<T> = Vec<Option<Arc<T>>>;

/// `parse` of every text, in their order, on all cores; `None` stands for what is not Rust.
pub fn parse_all(texts: &[Option<&str>]) -> (ByFile<FileSyntax>, ByFile<Body>) {
    let shared = |parsed: Parsed| (Arc::new(parsed.syntax), Arc::new(parsed.body));
    texts.par_iter().map(|text| text.map(parse).map(shared).unzip()).unzip()
}

fn read(bounded: &Bounded<'_>) -> Parsed {
    // The parser gives up on some broken texts by a panic; for us that is one more syntax error.
    catch_unwind(AssertUnwindSafe(|| {
        let tree = tree(&bounded.text)?;
        let fragments = fragments::parse_all(&bounded.text, &bounded.macros);
        let mut parsed = Extractor::new(&bounded.text, fragments).file(&tree.file);
        parsed.syntax.errors = u32::try_from(tree.errors.len()).unwrap_or(u32::MAX);
        Some(parsed)
    }))
    .ok()
    .flatten()
    .unwrap_or_else(unreadable)
}

fn unreadable() -> Parsed {
    Parsed { syntax: FileSyntax { errors: 1, ..FileSyntax::default() }, body: Body::default() }
}
