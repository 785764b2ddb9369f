//! Settings that are one word out of a few. `Format` stands here, above `render`, because it is a setting.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// In which form the pack is printed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    #[default]
    Markdown,
    Xml,
    Json,
    Plain,
}

/// Whether tests may be in the pack. `Auto`: where the task is about tests, or they test what it names.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tests {
    #[default]
    Auto,
    Yes,
    No,
}

/// A word that is none of those that a setting knows.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected one of {}", choices.join(", "))]
pub struct UnknownWord {
    pub choices: &'static [&'static str],
}

impl Format {
    pub const WORDS: [&str; 4] = ["markdown", "xml", "json", "plain"];

    pub fn word(self) -> &'static str {
        match self {
            Format::Markdown => "markdown",
            Format::Xml => "xml",
            Format::Json => "json",
            Format::Plain => "plain",
        }
    }
}

impl FromStr for Format {
    type Err = UnknownWord;

    fn from_str(word: &str) -> Result<Format, UnknownWord> {
        let known = [Format::Markdown, Format::Xml, Format::Json, Format::Plain];
        known.into_iter().find(|format| format.word() == word).ok_or(UnknownWord { choices: &Format::WORDS })
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

impl Tests {
    pub const WORDS: [&str; 3] = ["auto", "yes", "no"];

    pub fn word(self) -> &'static str {
        match self {
            Tests::Auto => "auto",
            Tests::Yes => "yes",
            Tests::No => "no",
        }
    }
}

impl FromStr for Tests {
    type Err = UnknownWord;

    fn from_str(word: &str) -> Result<Tests, UnknownWord> {
        let known = [Tests::Auto, Tests::Yes, Tests::No];
        known.into_iter().find(|tests| tests.word() == word).ok_or(UnknownWord { choices: &Tests::WORDS })
    }
}

impl fmt::Display for Tests {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_means_the_choice_that_prints_it() {
        for word in Format::WORDS {
            assert_eq!(word.parse::<Format>().unwrap().to_string(), word);
        }
        for word in Tests::WORDS {
            assert_eq!(word.parse::<Tests>().unwrap().to_string(), word);
        }
        assert_eq!(
            "html".parse::<Format>().unwrap_err().to_string(),
            "expected one of markdown, xml, json, plain"
        );
    }
}
