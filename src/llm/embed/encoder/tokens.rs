//! From a text to the numbers of its tokens.

use tokenizers::{Tokenizer, TruncationParams};

use super::Broken;
use super::files::read;
use super::folder::{ModelFolder, Shape};
use crate::llm::embed::error::{EmbedError, GET_ANEW};

/// The largest tokenizers in use (250,000 words in many languages) have 17 MB.
pub(super) const LARGEST: u64 = 256 << 20;

/// Bytes of text that a token has room for: four times what code and prose have on average. What stands behind a window of these is
/// cut before the tokenizer sees it, which would take a second for ten million characters.
const BYTES_PER_TOKEN: usize = 16;

pub(super) struct Tokens {
    tokenizer: Tokenizer,
    window: usize,
    is_lowercased: bool,
    /// What an empty text is, where the tokenizer puts nothing around it.
    pad: u32,
}

impl Tokens {
    /// The tokenizer of a model, and the bytes of its file. It must know no word that the model has no numbers for.
    pub(super) fn read(folder: &ModelFolder) -> Result<(Tokens, Vec<u8>), EmbedError> {
        let file = folder.tokenizer();
        let bytes = read(&file, LARGEST)?;
        let wrong = |why: String| EmbedError::folder(&file, why, GET_ANEW);
        let mut tokenizer = Tokenizer::from_bytes(&bytes)
            .map_err(|error| wrong(format!("it is no tokenizer that is understood ({error})")))?;
        let words = folder.shape.words;
        let largest = tokenizer.get_vocab(true).into_values().max();
        if let Some(largest) = largest.filter(|&largest| largest as usize >= words) {
            return Err(wrong(format!(
                "it does not match the model: it has a word number {largest}, and the model has {words} words"
            )));
        }
        // Its own settings are those of whoever saved it: a length to fill up to, and to cut at.
        let cut = TruncationParams { max_length: folder.window, ..TruncationParams::default() };
        tokenizer.with_padding(None);
        tokenizer
            .with_truncation(Some(cut))
            .map_err(|error| wrong(format!("it cannot be told to cut ({error})")))?;
        let Shape { pad, .. } = folder.shape;
        let tokens = Tokens { tokenizer, window: folder.window, is_lowercased: folder.is_lowercased, pad };
        Ok((tokens, bytes))
    }

    /// The tokens of a text: one at least, at most a window.
    pub(super) fn of(&self, text: &str) -> Result<Vec<u32>, Broken> {
        let text = text.trim_start();
        let text = &text[..text.floor_char_boundary(self.window * BYTES_PER_TOKEN)];
        let encoded = match self.is_lowercased {
            true => self.tokenizer.encode_fast(text.to_lowercase(), true),
            false => self.tokenizer.encode_fast(text, true),
        };
        let encoded = encoded.map_err(|error| Broken::Text(error.to_string()))?;
        let tokens = encoded.get_ids();
        Ok(if tokens.is_empty() { vec![self.pad] } else { tokens.to_vec() })
    }
}
