//! One form for `parse`, `parses`, `parsed`, `parsing`: what index and query look words up by.
//!
//! Endings are taken off, never rewritten, so that the result is a prefix of the word and nothing is
//! allocated: `repositories` and `repository` both become `repositor`. Not for eyes.
//!
//! Why not Snowball: on the 263 tasks for tuning it ranks as well (mean reciprocal rank +1.0 on commits, −1.3 on issues), takes
//! twelve times as long (157 ms for the 1.2 million words of jj, against 13), and is not idempotent. Taking nothing off costs
//! 3.5 points on issues.

/// Words up to this many bytes stay as they are.
const SHORTEST_STEMMED: usize = 3;

/// The form of a lower-case word that is compared: a prefix of it. Words that are not ASCII letters throughout
/// stay as they are (`sha256`, `größe`). Idempotent.
pub fn normalize(word: &str) -> &str {
    if word.len() <= SHORTEST_STEMMED || !word.bytes().all(|b| b.is_ascii_lowercase()) {
        return word;
    }
    let mut bytes = word.as_bytes();
    while let Some(shorter) = strip_once(bytes) {
        bytes = shorter;
    }
    word.get(..bytes.len()).unwrap_or(word)
}

/// The word without its last ending; `None` where it has none. Applied until nothing is left to take off, so that
/// `embed` and `embedded` end alike.
fn strip_once(word: &[u8]) -> Option<&[u8]> {
    if word.len() <= SHORTEST_STEMMED {
        return None;
    }
    match word {
        [.., b's'] => strip_plural(word),
        [stem @ .., b'i', b'n', b'g'] => strip_verbal(stem),
        [.., b'e', b'e', b'd'] => None,
        [stem @ .., b'e', b'd'] => strip_verbal(stem),
        [stem @ .., b'e'] => has_vowel(stem).then_some(stem),
        [stem @ .., b'y'] if !ends_in_vowel(stem) && has_vowel(stem) => Some(stem),
        _ => None,
    }
}

fn strip_plural(word: &[u8]) -> Option<&[u8]> {
    match word {
        [.., b's' | b'u' | b'i', b's'] => None,
        [stem @ .., b'i', b'e', b's'] if stem.len() >= SHORTEST_STEMMED => Some(stem),
        [stem @ .., b's' | b'x' | b'h', b'e', b's'] => word.get(..stem.len() + 1),
        [stem @ .., b's'] if has_vowel(stem) => Some(stem),
        _ => None,
    }
}

/// What stands before `ing` or `ed`, its last consonant single: `runn` → `run`.
fn strip_verbal(stem: &[u8]) -> Option<&[u8]> {
    if stem.len() < SHORTEST_STEMMED || !has_vowel(stem) {
        return None;
    }
    match stem {
        [single @ .., a, b] if a == b && !matches!(b, b'l' | b's' | b'z' | b'e' | b'o') => {
            stem.get(..single.len() + 1)
        }
        _ => Some(stem),
    }
}

fn is_vowel(byte: u8) -> bool {
    matches!(byte, b'a' | b'e' | b'i' | b'o' | b'u' | b'y')
}

fn has_vowel(word: &[u8]) -> bool {
    word.iter().any(|b| is_vowel(*b))
}

fn ends_in_vowel(word: &[u8]) -> bool {
    word.last().is_some_and(|b| is_vowel(*b))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::normalize;

    fn meet(words: &[&str]) {
        let forms: Vec<&str> = words.iter().map(|w| normalize(w)).collect();
        assert!(forms.windows(2).all(|pair| pair[0] == pair[1]), "{words:?} became {forms:?}");
    }

    fn stay(words: &[&str]) {
        for word in words {
            assert_eq!(normalize(word), *word);
        }
    }

    #[test]
    fn forms_of_one_word_meet() {
        meet(&["parse", "parses", "parsed", "parsing"]);
        meet(&["repository", "repositories"]);
        meet(&["run", "runs", "running"]);
        meet(&["embed", "embeds", "embedded", "embedding"]);
        meet(&["match", "matches", "matched", "matching"]);
        meet(&["process", "processes", "processed", "processing"]);
        meet(&["index", "indexes", "indexed", "indexing"]);
        meet(&["call", "calls", "called", "calling"]);
        meet(&["file", "files"]);
    }

    #[test]
    fn words_that_only_look_inflected_stay() {
        stay(&["string", "need", "speed", "status", "class", "thing", "bus", "this", "spring"]);
    }

    #[test]
    fn words_with_digits_or_other_letters_stay() {
        stay(&["sha256", "größe", "исправление", "utf8s"]);
    }

    proptest! {
        #[test]
        fn idempotent(word in "[a-z]{0,12}") {
            let once = normalize(&word);
            prop_assert_eq!(normalize(once), once);
        }
    }
}
