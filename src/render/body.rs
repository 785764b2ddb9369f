//! The code of one entry as lines: chunks in order, gaps as comments, numbers on demand.

use std::fmt::Write as _;

use super::language::comment_style;
use crate::budget::{Chunk, Entry};

/// How deep a gap stands below a line that opens a block.
const INDENT: &str = "    ";
const BYTE_ORDER_MARK: char = '\u{feff}';

/// The text of the entry: every line ends with `\n` (a `\r` before it is dropped), hidden characters as they are.
/// Empty where no code is shown.
pub(super) fn text(entry: &Entry, line_numbers: bool) -> String {
    let width = line_numbers.then(|| number_width(entry));
    let mut body = String::new();
    let mut last_line = "";
    for chunk in &entry.chunks {
        match chunk {
            Chunk::Lines { range, text } => {
                for (number, line) in (range.first..).zip(lines(text, range.first)) {
                    push_line(&mut body, number, line, width);
                    last_line = line;
                }
            }
            Chunk::Gap { count } => push_gap(&mut body, &entry.path, *count, last_line),
        }
    }
    body
}

fn lines(text: &str, first: u32) -> impl Iterator<Item = &str> {
    let at_start = first == 1;
    let text = if at_start { text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text) } else { text };
    text.split_terminator('\n').map(|line| line.strip_suffix('\r').unwrap_or(line))
}

fn push_line(body: &mut String, number: u32, line: &str, width: Option<usize>) {
    match width {
        Some(width) if line.is_empty() => {
            let _ = write!(body, "{number:>width$} |");
        }
        Some(width) => {
            let _ = write!(body, "{number:>width$} | {line}");
        }
        None => body.push_str(line),
    }
    body.push('\n');
}

/// `// … 12 lines`, as deep as the code around it: a reader takes it for part of the block that it stands for.
fn push_gap(body: &mut String, path: &str, count: u32, before: &str) {
    if count == 0 {
        return;
    }
    let style = comment_style(path);
    let indent = &before[..before.len() - before.trim_start().len()];
    let deeper = match before.trim_end().ends_with('{') {
        true if indent.starts_with('\t') => "\t",
        true => INDENT,
        false => "",
    };
    let noun = if count == 1 { "line" } else { "lines" };
    let _ = writeln!(body, "{indent}{deeper}{}… {count} {noun}{}", style.open, style.close);
}

/// Digits of the largest line number.
fn number_width(entry: &Entry) -> usize {
    let last = entry.chunks.iter().filter_map(|chunk| match chunk {
        Chunk::Lines { range, .. } => Some(range.last),
        Chunk::Gap { .. } => None,
    });
    last.max().unwrap_or(1).to_string().len()
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::super::testing::{entry, gap, lines};
    use super::*;

    fn check(entry: Entry, line_numbers: bool, expect: Expect) {
        expect.assert_eq(&text(&entry, line_numbers));
    }

    #[test]
    fn gaps_are_comments_inside_the_block() {
        let chunks = vec![
            lines(9, "impl A {\n    fn f() {\n"),
            gap(12),
            lines(24, "    }\n"),
            gap(1),
            lines(26, "}\n"),
        ];
        check(
            entry("src/a.rs", chunks),
            false,
            expect![[r#"
                impl A {
                    fn f() {
                        // … 12 lines
                    }
                    // … 1 line
                }
            "#]],
        );
    }

    #[test]
    fn numbers_are_those_of_the_file() {
        let chunks = vec![gap(8), lines(9, "a\n\nb\n"), gap(88), lines(100, "c")];
        check(
            entry("x.toml", chunks),
            true,
            expect![[r#"
                # … 8 lines
                  9 | a
                 10 |
                 11 | b
                # … 88 lines
                100 | c
            "#]],
        );
    }

    #[test]
    fn line_ends_are_one_kind_and_the_last_is_there() {
        check(entry("a.rs", vec![lines(1, "\u{feff}a\r\nb\r\n\r\nc")]), false, expect!["a\nb\n\nc\n"]);
        check(entry("a.rs", vec![lines(1, "")]), false, expect![""]);
    }
}
