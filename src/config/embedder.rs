//! The setting of who turns texts into vectors.

use std::fmt;
use std::str::FromStr;

/// The longest name of a model, in bytes: it is a folder's name too.
const LONGEST: usize = 100;

/// Who turns texts into vectors. `Auto`: the model that `dossier embedder use` chose, else Ollama's where a server on this machine has
/// it, else nobody.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum EmbedderChoice {
    #[default]
    Auto,
    Off,
    Ollama,
    /// An installed model.
    Model(ModelName),
}

/// What an installed model may be called: letters, digits, `.`, `_` and `-`, and none of the other choices.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ModelName(String);

/// What is no name of a model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no name of a model: letters, digits, `.`, `_` and `-` make one, from a letter or a digit on"
)]
pub struct NoModelName(String);

impl ModelName {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for ModelName {
    type Err = NoModelName;

    fn from_str(name: &str) -> Result<ModelName, NoModelName> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
        let is_name = name.len() <= LONGEST
            && name.starts_with(|c: char| c.is_ascii_alphanumeric())
            && name.chars().all(is_plain)
            && !["auto", "off", "none", "ollama"].contains(&name);
        if is_name { Ok(ModelName(name.to_owned())) } else { Err(NoModelName(name.to_owned())) }
    }
}

impl fmt::Display for ModelName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl FromStr for EmbedderChoice {
    type Err = String;

    fn from_str(word: &str) -> Result<EmbedderChoice, String> {
        match word.trim() {
            "auto" => Ok(EmbedderChoice::Auto),
            "off" | "none" => Ok(EmbedderChoice::Off),
            "ollama" => Ok(EmbedderChoice::Ollama),
            name => name
                .parse()
                .map(EmbedderChoice::Model)
                .map_err(|_| "expected auto, off, ollama or the name of an installed model".to_owned()),
        }
    }
}

impl fmt::Display for EmbedderChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EmbedderChoice::Auto => f.pad("auto"),
            EmbedderChoice::Off => f.pad("off"),
            EmbedderChoice::Ollama => f.pad("ollama"),
            EmbedderChoice::Model(name) => name.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_choice_is_read_as_it_is_shown() {
        for word in ["auto", "off", "ollama", "all-MiniLM-L6-v2", "e5_small.v2"] {
            assert_eq!(word.parse::<EmbedderChoice>().unwrap().to_string(), word);
        }
        assert_eq!("none".parse(), Ok(EmbedderChoice::Off));
    }

    #[test]
    fn a_name_is_no_path() {
        for name in ["", "..", ".hidden", "-x", "a/b", "a\\b", "a b", "ä", "ollama", "none", &"a".repeat(101)]
        {
            assert!(name.parse::<ModelName>().is_err(), "{name}");
        }
    }
}
