//! What is to be known of a model in a folder without loading it: `embedder.json`, written when the model was checked.

use serde::{Deserialize, Serialize};

#[cfg(feature = "embedded")]
use super::encoder::Facts;
#[cfg(feature = "embedded")]
use super::family::Family;

/// Digits of a digest that tell models apart: 64 bits.
const SHORT: usize = 16;

/// A model's card. Whoever finds a field missing has the model checked anew.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Card {
    pub name: String,
    /// Of all files that decide on the vectors, in hexadecimal digits.
    pub digest: String,
    pub dimension: usize,
    pub window: usize,
    /// Whether the prefixes are the model's own word.
    pub has_prefixes: bool,
    pub query_prefix: String,
    pub document_prefix: String,
    pub is_for_code: bool,
}

impl Card {
    /// Prefixes are the model's own where its folder tells them, else those of its family.
    #[cfg(feature = "embedded")]
    pub(super) fn of(facts: &Facts) -> Card {
        let (query_prefix, document_prefix) = facts.prompts.clone().unwrap_or_default();
        let card = Card {
            name: String::new(),
            digest: facts.digest.to_string(),
            dimension: facts.dimension,
            window: facts.window,
            has_prefixes: facts.prompts.is_some(),
            query_prefix,
            document_prefix,
            is_for_code: false,
        };
        card.called(&facts.name)
    }

    /// The same model by another name: what its family tells follows from that.
    #[cfg(feature = "embedded")]
    pub fn called(&self, name: &str) -> Card {
        let family = Family::of(name);
        let mut card = Card { name: name.to_owned(), is_for_code: family.is_for_code, ..self.clone() };
        if !card.has_prefixes {
            card.query_prefix = family.query_prefix.to_owned();
            card.document_prefix = family.document_prefix.to_owned();
        }
        card
    }

    /// The beginning of the digest.
    pub fn short_digest(&self) -> &str {
        self.digest.get(..SHORT).unwrap_or(&self.digest)
    }
}
