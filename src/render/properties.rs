//! What holds for any code: it can be read back whole, and it ends nothing.

use proptest::prelude::*;

use super::testing::{entry, lines, pack};
use super::visible::visible;
use super::{Format, RenderOptions, body, render, render_entry};
use crate::budget::Entry;

/// Pieces of which code is made that tries to be something else.
const PIECES: [&str; 20] = [
    "`",
    "```",
    "````rust",
    "\n",
    "\n",
    "\r\n",
    "]]>",
    "]",
    ">",
    "<",
    "<![CDATA[",
    "</document>",
    "</document_content",
    "<task>",
    "==> ",
    " <==",
    "&lt;",
    "fn f() {}",
    "\u{1b}[2J",
    "\u{202e}",
];

fn code() -> impl Strategy<Value = String> {
    let piece =
        prop_oneof![4 => proptest::sample::select(&PIECES[..]).prop_map(str::to_owned), 1 => any::<String>()];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

fn entry_of(code: &str) -> Entry {
    entry("src/a.rs", vec![lines(5, code)])
}

fn rendered(code: &str, format: Format) -> String {
    render_entry(&entry_of(code), &RenderOptions { format, ..RenderOptions::default() })
}

/// The text of a `document_content` as a parser reads it.
fn parsed(xml: &str) -> String {
    let (_, inside) = xml.split_once("<document_content>").unwrap_or_default();
    let mut text = String::new();
    let mut rest = inside;
    while let Some(section) = rest.strip_prefix("<![CDATA[") {
        let (cdata, after) = section.split_once("]]>").unwrap();
        text.push_str(cdata);
        rest = after;
        if let Some(after) = rest.strip_prefix("&lt;") {
            text.push('<');
            rest = after;
        }
    }
    assert_eq!(rest, "</document_content>\n</document>\n");
    text
}

proptest! {
    #[test]
    fn xml_gives_the_code_back(code in code()) {
        let shown = body::text(&entry_of(&code), false);
        prop_assert_eq!(parsed(&rendered(&code, Format::Xml)), format!("\n{}", visible(&shown)));
    }

    #[test]
    fn markdown_has_one_block_and_nothing_behind_it(code in code()) {
        let text = rendered(&code, Format::Markdown);
        let fence = text.lines().last().unwrap();
        prop_assert!(fence.len() >= 3 && fence.chars().all(|c| c == '`'));
        prop_assert_eq!(text.lines().filter(|line| line.starts_with(fence)).count(), 2);
    }

    #[test]
    fn plain_text_has_one_head_for_each_file(code in code()) {
        let text = rendered(&code, Format::Plain);
        prop_assert_eq!(text.lines().filter(|line| line.starts_with("==>")).count(), 1);
    }

    #[test]
    fn json_gives_the_code_back(code in code()) {
        let json: serde_json::Value = serde_json::from_str(&rendered(&code, Format::Json)).unwrap();
        prop_assert_eq!(json["content"].as_str().unwrap(), body::text(&entry_of(&code), false));
    }

    #[test]
    fn no_task_breaks_a_frame(query in code(), limit in 0..10_000_u32) {
        let mut pack = pack(&query, vec![]);
        pack.budget.limit = limit;
        for format in [Format::Markdown, Format::Xml, Format::Plain, Format::Json] {
            let text = render(&pack, &RenderOptions { format, ..RenderOptions::default() });
            prop_assert!(text.ends_with('\n'));
            prop_assert!(!text.chars().any(|c| c.is_control() && c != '\n' && c != '\t'));
        }
        let xml = render(&pack, &RenderOptions { format: Format::Xml, ..RenderOptions::default() });
        prop_assert_eq!(xml.matches("</task>").count(), 1);
    }
}
