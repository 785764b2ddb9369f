//! What `.gitattributes` says of files that nobody here wrote: `linguist-vendored`, `linguist-generated`.

use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// Where the patterns of the root's `.gitattributes` apply.
#[derive(Debug)]
pub(super) struct Attributes {
    vendored: Gitignore,
    generated: Gitignore,
}

impl Attributes {
    /// Reads the text of a `.gitattributes`. Lines that make no sense are passed over, as git does.
    pub(super) fn parse(text: &str) -> Attributes {
        Attributes {
            vendored: matcher(text, "linguist-vendored"),
            generated: matcher(text, "linguist-generated"),
        }
    }

    pub(super) fn is_vendored(&self, path: &str) -> bool {
        self.vendored.matched_path_or_any_parents(path, false).is_ignore()
    }

    pub(super) fn is_generated(&self, path: &str) -> bool {
        self.generated.matched_path_or_any_parents(path, false).is_ignore()
    }
}

/// The patterns with `attribute` set; those with it unset count as exceptions, the last one wins. The patterns of both
/// files are the same language but for `!`, which `.gitattributes` does not have.
fn matcher(text: &str, attribute: &str) -> Gitignore {
    let mut builder = GitignoreBuilder::new("");
    for line in text.lines() {
        let mut words = line.split_whitespace();
        let Some(pattern) = words.next().filter(|word| !word.starts_with(['#', '!', '['])) else { continue };
        let Some(set) = words.filter_map(|word| setting(word, attribute)).next_back() else { continue };
        let rule = if set { pattern.to_owned() } else { format!("!{pattern}") };
        let _unreadable_patterns_match_nothing = builder.add_line(None, &rule);
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

/// Whether the word sets the attribute (`a`, `a=true`) or unsets it (`-a`, `a=false`, `!a`); `None` for another one.
fn setting(word: &str, attribute: &str) -> Option<bool> {
    if let Some(rest) = word.strip_prefix(['-', '!']) {
        return (rest == attribute).then_some(false);
    }
    match word.strip_prefix(attribute)? {
        "" => Some(true),
        value => Some(!matches!(value.strip_prefix('=')?, "false" | "0")),
    }
}
