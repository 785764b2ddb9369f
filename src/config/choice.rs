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

/// Who plans. `Auto`: a model of Ollama where a server with it answers at once, else the rules alone.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Planner {
    #[default]
    Auto,
    Heuristic,
    Ollama,
}

/// Who answers: Ollama, or a remote provider.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ModelProvider {
    #[default]
    Ollama,
    OpenAi,
    Anthropic,
    Gemini,
    Groq,
}

/// A word that is none of those that a setting knows.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected one of {}", choices.join(", "))]
pub struct UnknownWord {
    pub choices: &'static [&'static str],
}

/// The word of each choice, and back.
macro_rules! words {
    ($choice:ident { $($variant:ident = $word:literal),+ $(,)? }) => {
        impl $choice {
            pub const WORDS: &'static [&'static str] = &[$($word),+];

            pub fn word(self) -> &'static str {
                match self {
                    $($choice::$variant => $word),+
                }
            }
        }

        impl FromStr for $choice {
            type Err = UnknownWord;

            fn from_str(word: &str) -> Result<$choice, UnknownWord> {
                match word {
                    $($word => Ok($choice::$variant),)+
                    _ => Err(UnknownWord { choices: $choice::WORDS }),
                }
            }
        }

        impl fmt::Display for $choice {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.word())
            }
        }
    };
}

words!(Format { Markdown = "markdown", Xml = "xml", Json = "json", Plain = "plain" });
words!(Tests { Auto = "auto", Yes = "yes", No = "no" });
words!(ModelProvider {
    Ollama = "ollama",
    OpenAi = "openai",
    Anthropic = "anthropic",
    Gemini = "gemini",
    Groq = "groq",
});
words!(Planner { Auto = "auto", Heuristic = "heuristic", Ollama = "ollama" });

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_means_the_choice_that_prints_it() {
        for word in Format::WORDS {
            assert_eq!(word.parse::<Format>().unwrap().to_string(), *word);
        }
        for word in Tests::WORDS {
            assert_eq!(word.parse::<Tests>().unwrap().to_string(), *word);
        }
        for word in ModelProvider::WORDS {
            assert_eq!(word.parse::<ModelProvider>().unwrap().to_string(), *word);
        }
        for word in Planner::WORDS {
            assert_eq!(word.parse::<Planner>().unwrap().to_string(), *word);
        }
        assert_eq!(
            "html".parse::<Format>().unwrap_err().to_string(),
            "expected one of markdown, xml, json, plain"
        );
    }
}
