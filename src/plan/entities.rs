//! Types, functions and paths that a task names. Whether they exist, the graph decides.

use super::Entity;
use super::chunks::Chunk;
use super::keywords::is_error_code;
use super::names::{is_camel, is_capitalized, is_everyones, is_identifier, is_proper_noun, is_snake};
use super::places;
use super::sections::Origin;

/// Entities kept of one task.
const MOST_ENTITIES: usize = 40;
/// Parts of the longest path that is taken for a name.
const MOST_PARTS: usize = 8;

#[derive(Default)]
pub(super) struct Entities {
    found: Vec<(Rank, Entity)>,
}

/// What puts one entity before another: where it stands, and how sure it is to be a name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    origin: Origin,
    certainty: Certainty,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Certainty {
    /// Marked as code, or a path.
    Marked,
    /// Spelt as only code is.
    Spelt,
    /// A capital inside a sentence; or a name that a code block defines for itself.
    Likely,
}

impl Entities {
    pub(super) fn take(&mut self, chunk: &Chunk) {
        if chunk.origin == Origin::Environment || places::path(chunk).is_some() || is_error_code(chunk.text) {
            return;
        }
        let Some(path) = path(chunk) else { return };
        let Some(certainty) = certainty(chunk, &path) else { return };
        let quoted = certainty == Certainty::Marked;
        let entity = Entity { text: chunk.text.to_owned(), path, quoted };
        self.found.push((Rank { origin: chunk.origin, certainty }, entity));
    }

    /// Best first, one for each path.
    pub(super) fn finish(mut self) -> Vec<Entity> {
        self.found.sort_by_key(|(rank, _)| *rank);
        let mut entities: Vec<Entity> = Vec::new();
        for (_, entity) in self.found {
            if entities.len() < MOST_ENTITIES && !entities.iter().any(|known| known.path == entity.path) {
                entities.push(entity);
            }
        }
        entities
    }
}

/// The names of `a::b::C`, `UserService.find_by_email`, `name`; `None` for what is no path, and for the standard
/// library's.
fn path(chunk: &Chunk) -> Option<Vec<String>> {
    let text = chunk.text.trim_end_matches("::");
    let separator = if text.contains("::") { "::" } else { "." };
    let parts: Vec<&str> =
        text.split(separator).flat_map(|part| part.split('.')).filter(|part| !part.is_empty()).collect();
    if parts.len() > MOST_PARTS || !parts.iter().all(|part| is_identifier(part)) {
        return None;
    }
    if matches!(parts.first(), Some(&("std" | "core" | "alloc"))) {
        return None;
    }
    let names: Vec<String> = parts
        .iter()
        .filter(|part| !matches!(**part, "self" | "Self" | "crate" | "super"))
        .map(|part| (*part).to_owned())
        .collect();
    let worth = names.iter().any(|name| names.len() > 1 || name.len() > 1)
        && !matches!(names.as_slice(), [only] if is_everyones(only));
    worth.then_some(names)
}

/// How sure it is that a chunk is a name of code; `None` where it is more likely a word.
fn certainty(chunk: &Chunk, path: &[String]) -> Option<Certainty> {
    let [first, ..] = path else { return None };
    let only = path.len() == 1;
    if only && (is_proper_noun(first) || chunk.banged && is_everyones(first)) {
        return None;
    }
    let in_block = chunk.origin >= Origin::Code;
    let code_like = is_camel(first) || is_snake(first);
    let defined = chunk.defined && (in_block || chunk.ticked || chunk.called || code_like);
    if in_block && defined {
        return Some(Certainty::Likely);
    }
    if chunk.text.contains("::") || defined || (chunk.alone && !in_block) {
        return Some(Certainty::Marked);
    }
    if path.len() > 1 {
        // `Type.method`, `value.method()`; in prose `file.ext` and `github.com` look the same as a field.
        let typed = is_camel(first) || is_capitalized(first) || path.iter().any(|part| is_snake(part));
        return (typed || chunk.called).then_some(if chunk.called {
            Certainty::Marked
        } else {
            Certainty::Spelt
        });
    }
    if chunk.called && !in_block && first.len() > 2 {
        return Some(Certainty::Marked);
    }
    if code_like {
        return Some(Certainty::Spelt);
    }
    let capital = is_capitalized(first) && (in_block || !(chunk.leading || chunk.headline));
    (capital || in_block && chunk.called && first.len() > 2).then_some(Certainty::Likely)
}
