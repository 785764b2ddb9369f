//! The pack as text.
//!
//! A rendering is a frame around its entries, and nothing else: `head + entries + tail`. So the packer can
//! count the entries one by one and knows that the sum is what will be printed. What stands in code, paths
//! and reasons is a repository's text: it is shown so that it cannot end a block, open another, or steer a
//! terminal.

mod body;
mod explain;
mod json;
mod language;
mod markdown;
mod plain;
mod visible;
mod why;
mod xml;

use std::borrow::Cow;

pub use explain::{ExplainOptions, explain, plan_in_words};

use crate::budget::{ContextPack, Entry};
pub use crate::config::Format;

/// How the pack is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RenderOptions {
    pub format: Format,
    /// Each line of code with its number in the file.
    pub line_numbers: bool,
    /// Whether the code is shown, or only which files and lines it is.
    pub content: bool,
}

impl Default for RenderOptions {
    fn default() -> RenderOptions {
        RenderOptions { format: Format::Markdown, line_numbers: false, content: true }
    }
}

impl RenderOptions {
    /// The options under which tokens are counted. A budget is for what a model reads: JSON is data for a
    /// program, which takes the contents out of it, so it is counted as the markdown of the same pack and a
    /// budget chooses the same files in both.
    pub fn counted(self) -> RenderOptions {
        match self.format {
            Format::Json => RenderOptions { format: Format::Markdown, ..self },
            _ => self,
        }
    }
}

/// What stands before the first entry and behind the last.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Frame {
    pub head: String,
    pub tail: String,
}

/// The whole pack. Ends with a line end; the same pack gives the same bytes.
pub fn render(pack: &ContextPack, options: &RenderOptions) -> String {
    if options.format == Format::Json {
        return json::pack(pack, options);
    }
    let Frame { mut head, tail } = frame(&pack.query, pack.budget.limit, options);
    for entry in &pack.files {
        head.push_str(&render_entry(entry, options));
    }
    head.push_str(&tail);
    head
}

/// What `render` puts around the entries: the task, cut to what `limit` (tokens) leaves room for.
/// Empty for JSON, which is counted as markdown.
pub fn frame(query: &str, limit: u32, options: &RenderOptions) -> Frame {
    match options.format {
        Format::Markdown => markdown::frame(query, task_bytes(limit)),
        Format::Xml => xml::frame(query, task_bytes(limit)),
        Format::Plain => plain::frame(query, task_bytes(limit)),
        Format::Json => Frame::default(),
    }
}

/// One entry as `render` prints it; in JSON the object that stands for it.
pub fn render_entry(entry: &Entry, options: &RenderOptions) -> String {
    match options.format {
        Format::Markdown => markdown::entry(entry, options),
        Format::Xml => xml::entry(entry, options),
        Format::Plain => plain::entry(entry, options),
        Format::Json => json::entry(entry, options),
    }
}

/// `text` on one line of a terminal, with nothing in it that the terminal would obey.
pub fn printable(text: &str) -> String {
    visible::one_line(text)
}

/// `text` with nothing in it that a terminal obeys or a reader does not see; line ends and tabs stay. Character by character,
/// so that a text may come in pieces.
pub fn harmless(text: &str) -> Cow<'_, str> {
    visible::visible(text)
}

/// The longest task that is repeated in the output. The reader has the task already: this much tells which it was.
const TASK_BYTES: u32 = 2_000;
/// A task gets at most this part of the budget. No token is shorter than a byte, so counting bytes as tokens is safe.
const TASK_SHARE: u32 = 4;

fn task_bytes(limit: u32) -> usize {
    (limit / TASK_SHARE).min(TASK_BYTES) as usize
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod testing;

#[cfg(test)]
mod tests {
    use super::testing::{awkward, entry, gap, lines, pack};
    use super::*;

    const FORMATS: [Format; 4] = [Format::Markdown, Format::Xml, Format::Json, Format::Plain];

    #[test]
    fn a_rendering_is_its_frame_and_its_entries() {
        let pack = pack("Do it", vec![awkward(), entry("b.rs", vec![lines(1, "x\n"), gap(3)])]);
        for format in [Format::Markdown, Format::Xml, Format::Plain] {
            let options = RenderOptions { format, ..RenderOptions::default() };
            let Frame { head, tail } = frame(&pack.query, pack.budget.limit, &options);
            let entries: String = pack.files.iter().map(|entry| render_entry(entry, &options)).collect();
            assert_eq!(render(&pack, &options), format!("{head}{entries}{tail}"));
        }
    }

    #[test]
    fn a_small_budget_gets_a_small_frame() {
        let task = "word & <tag> ".repeat(10_000);
        for format in FORMATS {
            let options = RenderOptions { format, ..RenderOptions::default() };
            let bare = frame("", 0, &options);
            for limit in [0, 1, 50, 8_192, u32::MAX] {
                let frame = frame(&task, limit, &options);
                let task = frame.head.len() + frame.tail.len() - bare.head.len() - bare.tail.len();
                assert!(task <= (limit / TASK_SHARE).min(TASK_BYTES) as usize, "{format} {limit}: {task}");
            }
        }
    }

    #[test]
    fn ten_thousand_columns_stay_one_line() {
        let long = format!("let x = \"{}\";\n", "`<]]>é".repeat(2_000));
        for format in FORMATS {
            let options = RenderOptions { format, ..RenderOptions::default() };
            let text = render_entry(&entry("a.rs", vec![lines(1, &long)]), &options);
            assert!(text.lines().any(|line| line.len() >= long.len() - 1), "{format}");
        }
    }

    #[test]
    fn nothing_that_a_terminal_obeys_is_printed() {
        for format in FORMATS {
            for line_numbers in [false, true] {
                let options = RenderOptions { format, line_numbers, content: true };
                let text = render(&pack("a\u{1b}[2Jb\u{202e}c\0", vec![awkward()]), &options);
                assert!(text.ends_with('\n'));
                assert!(
                    !text.chars().any(|c| (c.is_control() && c != '\n') || c == '\u{202e}'),
                    "{format}: {text:?}"
                );
            }
        }
    }
}
