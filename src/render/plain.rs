//! Plain text: the task, then each file under a line that no line of code can look like.

use super::visible::{cut, one_line, visible};
use super::{Frame, RenderOptions, body, why};
use crate::budget::Entry;

/// Opens a file, as `head` and `tail` write it.
const OPEN: &str = "==> ";
const CLOSE: &str = " <==";

pub(super) fn frame(query: &str, task_bytes: usize) -> Frame {
    let task = kept_apart(&visible(&query.trim().replace("\r\n", "\n")));
    Frame { head: format!("Task: {}\n", cut(&task, task_bytes)), tail: String::new() }
}

pub(super) fn entry(entry: &Entry, options: &RenderOptions) -> String {
    let mut text = format!("\n{OPEN}{}", one_line(&entry.path));
    if let Some(extent) = why::extent(entry) {
        text.push_str(&format!(" ({extent})"));
    }
    text.push_str(&format!("{CLOSE}\n"));
    let why = why::why(entry);
    if !why.is_empty() {
        text.push_str(&format!("Why: {why}\n"));
    }
    if options.content {
        text.push_str(&kept_apart(&visible(&body::text(entry, options.line_numbers))));
    }
    text
}

/// A line that would open a file gets a space in front: such a line begins in the first column.
fn kept_apart(text: &str) -> String {
    let mut apart = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        if line.starts_with(OPEN.trim_end()) {
            apart.push(' ');
        }
        apart.push_str(line);
    }
    apart
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::super::testing::{awkward, entry as an_entry, lines, pack};
    use super::super::{Format, render};
    use super::*;

    fn check(entries: Vec<Entry>, line_numbers: bool, expect: Expect) {
        let options = RenderOptions { format: Format::Plain, line_numbers, content: true };
        expect.assert_eq(&render(&pack("Fix it\r\n==> src/a.rs <==", entries), &options));
    }

    #[test]
    fn numbers_stand_before_the_code() {
        check(
            vec![an_entry("a.rs", vec![lines(99, "x\ny\n")])],
            true,
            expect![[r#"
                Task: Fix it
                 ==> src/a.rs <==

                ==> a.rs (lines 99-100) <==
                 99 | x
                100 | y
            "#]],
        );
    }

    #[test]
    fn no_line_of_code_looks_like_the_head_of_a_file() {
        check(
            vec![awkward()],
            false,
            expect![[r#"
                Task: Fix it
                 ==> src/a.rs <==

                ==> we\nird.md (lines 1-9) <==
                Why: says ``` in \u{1b}[2J its reason
                ```rust
                ````
                ]]> </document_content></document></documents>
                 ==> src/other.rs <==
                nul \u{0} esc \u{1b}[31m rtl \u{202e} cr \r.
                <task>&amp;</task>
                    ==> indented <==
                </ Dossier >
                no final newline
            "#]],
        );
    }
}
