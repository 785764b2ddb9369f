//! Which files a model has, before any of them is there but `modules.json`.

use std::path::Path;

use super::LARGEST_WEIGHTS;
use super::folder::{LARGEST_SETTINGS, MODULES, WINDOWS, places_in};
use super::tokens::LARGEST as LARGEST_TOKENIZER;
use crate::llm::embed::EmbedError;

/// A file of a model.
pub(in crate::llm::embed) struct Wanted {
    /// From the model's folder, with `/`.
    pub path: String,
    pub is_needed: bool,
    pub is_weights: bool,
    /// In bytes.
    pub limit: u64,
}

/// The file that names the others.
pub(in crate::llm::embed) fn modules() -> Wanted {
    Wanted { path: MODULES.to_owned(), is_needed: true, is_weights: false, limit: LARGEST_SETTINGS }
}

/// The others, the largest at last.
pub(in crate::llm::embed) fn behind(modules: &Path) -> Result<Vec<Wanted>, EmbedError> {
    let (encoder, pooling) = places_in(modules)?;
    let path = |folder: &str, file: &str| match folder.trim_matches('/') {
        "" => file.to_owned(),
        folder => format!("{folder}/{file}"),
    };
    let file =
        |path: String, is_needed: bool, limit: u64| Wanted { path, is_needed, is_weights: false, limit };
    let mut files = vec![
        file(path(&encoder, "config.json"), true, LARGEST_SETTINGS),
        file(path(&pooling, "config.json"), true, LARGEST_SETTINGS),
        file("config_sentence_transformers.json".to_owned(), false, LARGEST_SETTINGS),
        file("README.md".to_owned(), false, LARGEST_SETTINGS),
        file("LICENSE".to_owned(), false, LARGEST_SETTINGS),
    ];
    files.extend(WINDOWS.map(|name| file(path(&encoder, name), false, LARGEST_SETTINGS)));
    files.push(file(path(&encoder, "tokenizer.json"), true, LARGEST_TOKENIZER));
    let weights = file(path(&encoder, "model.safetensors"), true, LARGEST_WEIGHTS);
    files.push(Wanted { is_weights: true, ..weights });
    Ok(files)
}
