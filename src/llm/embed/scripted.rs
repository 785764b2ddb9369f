//! An embedder without a model, for tests: texts with words in common lie close. The twin of the others.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::model::Deadline;
use crate::text::{Digest, for_each_word};

use super::{EmbedError, Embedder, EmbeddingModel};

/// Numbers of a vector where nobody says otherwise.
const DIMENSION: usize = 64;

/// Gives each text the sum of its words' directions, which follow from the words' digests: the same for the same text everywhere,
/// and the closer the more words two texts share. Faults come in their order before the first vectors.
#[derive(Debug)]
pub struct ScriptedEmbedder {
    model: EmbeddingModel,
    faults: Mutex<VecDeque<EmbedError>>,
    asked: Mutex<Vec<String>>,
}

impl Default for ScriptedEmbedder {
    fn default() -> ScriptedEmbedder {
        ScriptedEmbedder::new()
    }
}

impl ScriptedEmbedder {
    pub fn new() -> ScriptedEmbedder {
        ScriptedEmbedder::of(EmbeddingModel {
            name: "scripted".to_owned(),
            key: "scripted-1".to_owned(),
            dimension: DIMENSION,
            window: 256,
            query_prefix: String::new(),
            document_prefix: String::new(),
            is_for_code: false,
            is_local: true,
            batch: 16,
        })
    }

    /// One with these data; its vectors have the model's dimension, and follow from its key.
    pub fn of(model: EmbeddingModel) -> ScriptedEmbedder {
        ScriptedEmbedder { model, faults: Mutex::default(), asked: Mutex::default() }
    }

    /// The same, whose next calls fail of these.
    pub fn failing(self, faults: impl IntoIterator<Item = EmbedError>) -> ScriptedEmbedder {
        ScriptedEmbedder { faults: Mutex::new(faults.into_iter().collect()), ..self }
    }

    /// The texts it was asked about so far, whatever came of it.
    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn vector(&self, text: &str) -> Vec<f32> {
        let mut sum = vec![0.0; self.model.dimension];
        for_each_word(text, |word| self.add(&mut sum, word));
        let length = sum.iter().map(|x| x * x).sum::<f32>().sqrt();
        if length == 0.0 {
            // A text without words has a direction of its own.
            sum.iter_mut().take(1).for_each(|x| *x = 1.0);
            return sum;
        }
        sum.iter().map(|x| x / length).collect()
    }

    /// Adds a word's direction: each number of it is a byte of a digest, around zero.
    fn add(&self, sum: &mut [f32], word: &str) {
        for (block, numbers) in sum.chunks_mut(32).enumerate() {
            let digest = Digest::of_all([self.model.key.as_bytes(), word.as_bytes(), &block.to_le_bytes()]);
            for (number, byte) in numbers.iter_mut().zip(digest.as_bytes()) {
                *number += f32::from(*byte) - 127.5;
            }
        }
    }
}

impl Embedder for ScriptedEmbedder {
    fn model(&self) -> &EmbeddingModel {
        &self.model
    }

    fn embed(&self, texts: &[String], deadline: &Deadline) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(texts);
        if deadline.is_cancelled() {
            return Err(EmbedError::Cancelled);
        }
        if deadline.is_over() {
            let (model, count) = (self.model.name.clone(), texts.len());
            return Err(EmbedError::Deadline { model, done: 0, count, waited: Duration::ZERO });
        }
        match self.faults.lock().unwrap_or_else(PoisonError::into_inner).pop_front() {
            Some(fault) => Err(fault),
            None => Ok(texts.iter().map(|text| self.vector(text)).collect()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cosine(a: &[f32], b: &[f32]) -> f32 {
        a.iter().zip(b).map(|(a, b)| a * b).sum()
    }

    #[test]
    fn common_words_bring_texts_together() {
        let embedder = ScriptedEmbedder::new();
        let texts = ["log a user in", "fn login_user(user: &str)", "draw a circle", ""].map(str::to_owned);
        let vectors = embedder.embed(&texts, &Deadline::never()).unwrap();
        for vector in &vectors {
            assert_eq!(vector.len(), DIMENSION);
            assert!((cosine(vector, vector) - 1.0).abs() < 1e-5);
        }
        assert!(cosine(&vectors[0], &vectors[1]) > 0.3 + cosine(&vectors[1], &vectors[2]));
        assert_eq!(embedder.embed(&texts, &Deadline::never()).unwrap(), vectors);
        assert_eq!(embedder.asked().len(), 8);
    }

    #[test]
    fn faults_come_first_and_a_deadline_before_them() {
        let fault = EmbedError::Vectors { model: "scripted".to_owned(), why: "test".to_owned() };
        let embedder = ScriptedEmbedder::new().failing([fault.clone()]);
        let over = Deadline::after(Duration::ZERO);
        assert!(matches!(embedder.embed(&[String::new()], &over), Err(EmbedError::Deadline { .. })));
        over.cancel();
        assert_eq!(embedder.embed(&[], &over), Err(EmbedError::Cancelled));
        assert_eq!(embedder.embed(&[], &Deadline::never()), Err(fault));
        assert_eq!(embedder.embed(&[], &Deadline::never()), Ok(Vec::new()));
    }
}
