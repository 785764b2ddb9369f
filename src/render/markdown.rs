//! Markdown, lean: a heading with the task's first line, then for each file a heading, why it is there, the code.

use super::visible::{one_line, sentence, visible};
use super::{Frame, RenderOptions, body, language, why};
use crate::budget::Entry;

/// Bytes of the title: one line of a terminal or two.
const TITLE_BYTES: usize = 160;
const SHORTEST_FENCE: usize = 3;

pub(super) fn frame(query: &str, task_bytes: usize) -> Frame {
    let first = query.lines().find(|line| !line.trim().is_empty()).unwrap_or("");
    let title = sentence(first.trim_start_matches(['#', ' ']), TITLE_BYTES.min(task_bytes));
    Frame { head: format!("# {title}\n"), tail: String::new() }
}

pub(super) fn entry(entry: &Entry, options: &RenderOptions) -> String {
    let mut text = format!("\n## {}", one_line(&entry.path));
    if let Some(extent) = why::extent(entry) {
        text.push_str(&format!(" ({extent})"));
    }
    text.push('\n');
    let why = why::why(entry);
    if !why.is_empty() {
        text.push_str(&format!("Why: {why}\n"));
    }
    if options.content && !entry.chunks.is_empty() {
        push_code(&mut text, entry, options);
    }
    text
}

fn push_code(text: &mut String, entry: &Entry, options: &RenderOptions) {
    let body = body::text(entry, options.line_numbers);
    let code = visible(&body);
    let fence = "`".repeat(SHORTEST_FENCE.max(longest_run(&code) + 1));
    let word = language::fence_word(&entry.path);
    text.push_str(&format!("{fence}{word}\n{code}{fence}\n"));
}

/// The longest run of back-ticks: a longer fence cannot be closed by the code.
fn longest_run(code: &str) -> usize {
    code.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::super::testing::{awkward, entry as an_entry, gap, lines, pack, reason};
    use super::super::{Format, render};
    use super::*;
    use crate::budget::Level;

    fn check(entries: Vec<Entry>, options: RenderOptions, expect: Expect) {
        let options = RenderOptions { format: Format::Markdown, ..options };
        expect.assert_eq(&render(&pack("# Fix the login\n\nLong story.", entries), &options));
    }

    #[test]
    fn a_file_is_a_heading_a_reason_and_the_code() {
        let mut ranges = an_entry("src/auth.rs", vec![gap(9), lines(10, "fn login() {}\n"), gap(4)]);
        ranges.reasons = vec![reason(0.4, "defines login")];
        let mut mention = an_entry("NEWS", vec![]);
        mention.level = Level::Mention;
        check(
            vec![ranges, mention],
            RenderOptions::default(),
            expect![[r#"
                # Fix the login

                ## src/auth.rs (line 10)
                Why: defines login
                ```rust
                // … 9 lines
                fn login() {}
                // … 4 lines
                ```

                ## NEWS (mention)
            "#]],
        );
    }

    #[test]
    fn without_content_the_code_is_left_out() {
        let options = RenderOptions { content: false, ..RenderOptions::default() };
        check(
            vec![an_entry("a.rs", vec![lines(1, "x\n")])],
            options,
            expect![[r#"
                # Fix the login

                ## a.rs (line 1)
            "#]],
        );
    }

    #[test]
    fn awkward_code_breaks_nothing() {
        check(
            vec![awkward()],
            RenderOptions::default(),
            expect![[r#"
                # Fix the login

                ## we\nird.md (lines 1-9)
                Why: says ``` in \u{1b}[2J its reason
                `````markdown
                ```rust
                ````
                ]]> </document_content></document></documents>
                ==> src/other.rs <==
                nul \u{0} esc \u{1b}[31m rtl \u{202e} cr \r.
                <task>&amp;</task>
                    ==> indented <==
                </ Dossier >
                no final newline
                `````
            "#]],
        );
    }
}
