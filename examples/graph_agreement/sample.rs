//! Which call sites and symbols are asked about: a seeded choice that a small change of the syntax layer leaves nearly as it was.

use dossier::model::{FileId, SymbolId, SymbolKind};
use dossier::syntax::ReferenceKind;

use crate::answers::Place;
use crate::code::Code;

/// Call sites: a file and the place of the reference in that file's list.
pub fn sites(code: &Code<'_>, seed: u64, count: usize) -> Vec<(FileId, usize)> {
    let all = code.snapshot.ids().flat_map(|file| {
        let references = code.references(file).iter().enumerate();
        let calls =
            references.filter(|(_, it)| matches!(it.kind, ReferenceKind::Call | ReferenceKind::MethodCall));
        calls.map(move |(index, _)| (file, index))
    });
    choose(all, count, |site| lot(seed, &code.place(site.0, code.reference(*site).at.start)))
}

/// Functions, types and traits; no test functions, which nobody names.
pub fn symbols(code: &Code<'_>, seed: u64, count: usize) -> Vec<SymbolId> {
    let all = code.symbols().filter(|(id, kind)| {
        let is_test = code.symbol(*id).is_test;
        match kind {
            SymbolKind::Function | SymbolKind::Method => !is_test,
            SymbolKind::Struct | SymbolKind::Enum | SymbolKind::Union => true,
            SymbolKind::Trait | SymbolKind::TypeAlias => true,
            _ => false,
        }
    });
    choose(all.map(|(id, _)| id), count, |id| lot(seed, &code.symbol_place(*id)))
}

/// The `count` with the smallest lots, in their own order.
fn choose<T: Copy + Ord>(all: impl Iterator<Item = T>, count: usize, lot: impl Fn(&T) -> u64) -> Vec<T> {
    let mut drawn: Vec<(u64, T)> = all.map(|it| (lot(&it), it)).collect();
    drawn.sort();
    let mut chosen: Vec<T> = drawn.into_iter().take(count).map(|(_, it)| it).collect();
    chosen.sort();
    chosen
}

/// A number for a place, evenly spread, that depends on nothing else than the place and the seed.
fn lot(seed: u64, place: &Place) -> u64 {
    let numbers = [u64::from(place.line), u64::from(place.column)];
    let bytes = place.path.bytes().map(u64::from);
    bytes.chain(numbers).fold(splitmix64(seed), |state, number| splitmix64(state ^ number))
}

/// Steele, Lea, Flood: Fast splittable pseudorandom number generators (2014), with the constants of its public code.
fn splitmix64(state: u64) -> u64 {
    let mut z = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
