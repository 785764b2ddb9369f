//! One line that says what a hit is: an item's signature, a section's heading, what a file says of itself. Secrets are masked in the
//! whole file first, as a part does not always show that it is of one.

use crate::model::{FileKind, LineRange, Symbol, SymbolKind};
use crate::text::{self, LineIndex};
use crate::workspace::SourceFile;

/// Characters of a preview: a line of a wide terminal.
const WIDTH: usize = 120;
/// Stands where it was cut.
const ELLIPSIS: char = '…';
/// What begins the docs of a whole Rust file.
const FILE_DOCS: [&str; 2] = ["//!", "/*!"];
/// What stands in front of a heading, a comment, a point of a list.
const MARKS: [char; 3] = ['#', '-', ' '];
/// What begins and ends code in Markdown.
const FENCES: [&str; 2] = ["```", "~~~"];

/// An item's signature on one line.
pub(super) fn of_item(file: &SourceFile, item: &Symbol) -> String {
    let signature = text::redact(item.signature.of(&file.text)).text;
    one_line(&signature)
}

/// The heading of some lines of what is not code, or their first line with words.
pub(super) fn of_section(file: &SourceFile, range: LineRange) -> String {
    let (text, lines, _) = file.text.masked();
    let line = |number: u32| lines.line_text(text, number);
    let heading = heading(file.kind, text, lines, range).map(line);
    let own = || (range.first..=range.last).map(line).find(|line| has_words(line));
    one_line(heading.or_else(own).unwrap_or_default().trim_start_matches(MARKS))
}

/// The first line of a file's own docs that has words, else the signature of its first item, else the first line of the file.
pub(super) fn of_file(file: &SourceFile, items: &[Symbol]) -> String {
    let (text, lines, _) = file.text.masked();
    if file.kind != FileKind::Rust {
        return of_section(file, LineRange::new(1, lines.count()));
    }
    let docs =
        text.lines().map(str::trim).skip_while(|line| !FILE_DOCS.iter().any(|it| line.starts_with(it)));
    let mut bare = docs.map(|line| line.trim_start_matches(['/', '*', '!']));
    if let Some(first) = bare.find(|line| has_words(line)) {
        return one_line(first);
    }
    // A licence stands before many.
    match items.iter().find(|item| item.kind != SymbolKind::Module && !item.is_test) {
        Some(item) => of_item(file, item),
        None => one_line(text.lines().find(|line| has_words(line)).unwrap_or_default()),
    }
}

/// The line of the first heading in `range`, or of the last one before it.
fn heading(kind: FileKind, text: &str, lines: &LineIndex, range: LineRange) -> Option<u32> {
    let mut is_code = false;
    let mut last = None;
    for number in 1..=range.last.min(lines.count()) {
        let line = lines.line_text(text, number);
        let is_heading = match kind {
            FileKind::Docs => {
                is_code ^= FENCES.iter().any(|fence| line.trim_start().starts_with(fence));
                !is_code && line.starts_with('#') && line.trim_start_matches('#').starts_with(' ')
            }
            FileKind::Manifest => line.starts_with('['),
            _ => false,
        };
        if is_heading && has_words(line) {
            last = Some(number);
            if number >= range.first {
                break;
            }
        }
    }
    last
}

fn has_words(line: &str) -> bool {
    line.chars().any(char::is_alphanumeric)
}

/// A text with single spaces, or its beginning.
fn one_line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<&str>>().join(" ");
    match line.char_indices().nth(WIDTH) {
        Some(_) => line.chars().take(WIDTH - 1).chain([ELLIPSIS]).collect(),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::Snapshot;

    fn file(path: &str, text: &str) -> SourceFile {
        Snapshot::from_files("/w", vec![(path.to_owned(), text.to_owned())]).files.remove(0)
    }

    fn section(path: &str, text: &str, first: u32, last: u32) -> String {
        of_section(&file(path, text), LineRange::new(first, last))
    }

    #[test]
    fn a_section_is_told_by_its_heading() {
        let text = "Intro\n\n```sh\n# no heading\n```\n## Tokens  and keys\ntext\n\n---\nlast words\n";
        assert_eq!(section("a.md", text, 1, 10), "Tokens and keys");
        assert_eq!(section("a.md", text, 9, 10), "Tokens and keys");
        assert_eq!(section("a.md", text, 1, 5), "Intro");
        assert_eq!(
            section("Cargo.toml", "[package]\nname = \"a\"\n\n[dependencies]\n", 4, 4),
            "[dependencies]"
        );
        assert_eq!(section("a.sql", "\n\nCREATE TABLE users (\n", 1, 3), "CREATE TABLE users (");
        assert_eq!(section("a.md", "---\n\n", 1, 2), "");
    }

    #[test]
    fn a_file_is_told_by_its_own_docs() {
        let of = |text: &str| of_file(&file("src/a.rs", text), &crate::syntax::parse(text).syntax.items);
        assert_eq!(of("// License.\n#![allow(x)]\n\n//!\n//! # Signing in.\n//! More.\n"), "# Signing in.");
        assert_eq!(of("/*!\n * Signing in.\n */\n"), "Signing in.");
        assert_eq!(of("\nuse a::b;\n"), "use a::b;");
        assert_eq!(
            of("// License.\nuse a::b;\nmod c;\n/// Docs.\npub fn sign(\n    name: &str,\n) {}\n"),
            "pub fn sign( name: &str, )"
        );
        assert_eq!(of(""), "");
        assert_eq!(of_file(&file("README.md", "![x](y)\n# Shop\n"), &[]), "Shop");
    }

    #[test]
    fn what_is_long_is_cut_and_secrets_are_masked() {
        let long = "é".repeat(WIDTH + 1);
        assert_eq!(one_line(&long).chars().count(), WIDTH);
        assert_eq!(one_line(&long[..WIDTH * 2]), &long[..WIDTH * 2]);
        let key = format!("AKIA{}", "Q7ZN4KPW2VXC6TRM");
        assert_eq!(section("a.md", &format!("key {key}\n"), 1, 1), "key [masked]");
    }
}
