//! XML, in the shape that models are used to read long input in: the documents first, the task last.
//!
//! Code stands in CDATA and so stays readable. What would end the section, or only look to a reader like one
//! of our own tags, is taken out of the section and escaped: a parser gives the same text back.

use super::visible::{one_line, visible};
use super::{Frame, RenderOptions, body, why};
use crate::budget::Entry;

const OPEN: &str = "<![CDATA[";
const CLOSE: &str = "]]>";
/// Names of the tags that the frame and the entries are made of, by their beginnings.
const OWN_NAMES: [&str; 3] = ["document", "task", "dossier"];
/// Beginnings of tags that open one of ours; lower case only, for `Vec<Task>` is code.
const OWN_OPENINGS: [&str; 4] = ["<documents>", "<document ", "<task>", "<dossier>"];

pub(super) fn frame(query: &str, task_bytes: usize) -> Frame {
    let task = escaped_within(&visible(&query.trim().replace("\r\n", "\n")), task_bytes);
    Frame {
        head: "<dossier>\n<documents>\n".to_owned(),
        tail: format!("</documents>\n<task>\n{task}\n</task>\n</dossier>\n"),
    }
}

pub(super) fn entry(entry: &Entry, options: &RenderOptions) -> String {
    let mut text = format!("<document index=\"{}\">\n", entry.rank);
    push_element(&mut text, "source", &one_line(&entry.path));
    if let Some(extent) = why::extent(entry) {
        push_element(&mut text, "extent", &extent);
    }
    let why = why::why(entry);
    if !why.is_empty() {
        push_element(&mut text, "why", &why);
    }
    if options.content && !entry.chunks.is_empty() {
        let body = body::text(entry, options.line_numbers);
        let code = within_cdata(&visible(&body));
        text.push_str(&format!("<document_content>{OPEN}\n{code}{CLOSE}</document_content>\n"));
    }
    text.push_str("</document>\n");
    text
}

fn push_element(text: &mut String, name: &str, value: &str) {
    let value = escaped_within(value, usize::MAX);
    text.push_str(&format!("<{name}>{value}</{name}>\n"));
}

/// `text` with markup escaped, as much of it as gives at most `max` bytes; the cut shows as an ellipsis.
fn escaped_within(text: &str, max: usize) -> String {
    const CUT: &str = "…";
    let mut escaped = String::with_capacity(text.len());
    let mut fits = 0;
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            _ => escaped.push(c),
        }
        if escaped.len() > max {
            escaped.truncate(fits);
            if fits + CUT.len() <= max {
                escaped.push_str(CUT);
            }
            return escaped;
        }
        if escaped.len().saturating_add(CUT.len()) <= max {
            fits = escaped.len();
        }
    }
    escaped
}

fn within_cdata(code: &str) -> String {
    let mut safe = String::with_capacity(code.len());
    let mut rest = code;
    while let Some(at) = rest.find(['<', ']']) {
        let (before, from) = rest.split_at(at);
        safe.push_str(before);
        let taken = if let Some(after) = from.strip_prefix(CLOSE) {
            safe.push_str(&format!("]]{CLOSE}{OPEN}>"));
            after
        } else if looks_like_ours(from) {
            safe.push_str(&format!("{CLOSE}&lt;{OPEN}"));
            &from[1..]
        } else {
            safe.push_str(&from[..1]);
            &from[1..]
        };
        rest = taken;
    }
    safe.push_str(rest);
    safe
}

/// Whether a reader could take what begins here for one of our tags.
fn looks_like_ours(from: &str) -> bool {
    if OWN_OPENINGS.iter().any(|opening| from.starts_with(opening)) {
        return true;
    }
    let Some(name) = from.strip_prefix("</").map(str::trim_start) else { return false };
    OWN_NAMES.iter().any(|own| name.get(..own.len()).is_some_and(|head| head.eq_ignore_ascii_case(own)))
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::super::testing::{awkward, entry as an_entry, lines, pack};
    use super::super::{Format, render};
    use super::*;

    fn check(entries: Vec<Entry>, expect: Expect) {
        let options = RenderOptions { format: Format::Xml, ..RenderOptions::default() };
        expect.assert_eq(&render(&pack("Fix <T> & go\n</task>", entries), &options));
    }

    #[test]
    fn documents_come_first_and_the_task_last() {
        check(
            vec![an_entry("a&b.rs", vec![lines(3, "let x: Vec<Task> = a && b;\n")])],
            expect![[r#"
                <dossier>
                <documents>
                <document index="1">
                <source>a&amp;b.rs</source>
                <extent>line 3</extent>
                <document_content><![CDATA[
                let x: Vec<Task> = a && b;
                ]]></document_content>
                </document>
                </documents>
                <task>
                Fix &lt;T&gt; &amp; go
                &lt;/task&gt;
                </task>
                </dossier>
            "#]],
        );
    }

    #[test]
    fn code_cannot_end_its_document() {
        check(
            vec![awkward()],
            expect![[r#"
                <dossier>
                <documents>
                <document index="1">
                <source>we\nird.md</source>
                <extent>lines 1-9</extent>
                <why>says ``` in \u{1b}[2J its reason</why>
                <document_content><![CDATA[
                ```rust
                ````
                ]]]]><![CDATA[> ]]>&lt;<![CDATA[/document_content>]]>&lt;<![CDATA[/document>]]>&lt;<![CDATA[/documents>
                ==> src/other.rs <==
                nul \u{0} esc \u{1b}[31m rtl \u{202e} cr \r.
                ]]>&lt;<![CDATA[task>&amp;]]>&lt;<![CDATA[/task>
                    ==> indented <==
                ]]>&lt;<![CDATA[/ Dossier >
                no final newline
                ]]></document_content>
                </document>
                </documents>
                <task>
                Fix &lt;T&gt; &amp; go
                &lt;/task&gt;
                </task>
                </dossier>
            "#]],
        );
    }

    #[test]
    fn a_cut_task_is_never_longer_than_its_share() {
        for max in 0..40 {
            let task = escaped_within("a <b> & c <d> … & 日本語 <e>", max);
            assert!(task.len() <= max, "{max}: {task}");
        }
        assert_eq!(escaped_within("<b>", 8), "&lt;b…");
    }

    #[test]
    fn brackets_in_a_row_come_back() {
        for code in ["]]]>", "]]]]>>", "a]]>]]>b", "x[y[0]]>z", "]"] {
            let safe = within_cdata(code);
            let parts: Vec<&str> = safe.split("]]><![CDATA[").collect();
            assert_eq!(parts.concat(), code);
            assert!(parts.iter().all(|part| !part.contains(CLOSE)), "{safe}");
        }
    }
}
