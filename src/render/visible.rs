//! Repository text made safe to look at: what a terminal, a parser or a reader would obey or not see
//! (controls, direction overrides, invisible characters) is shown as the escape that Rust writes for it.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Stands where text was cut.
const ELLIPSIS: &str = "…";

/// `text` with everything hidden shown as `\u{…}`; line ends and tabs stay.
pub(super) fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_hidden(c) {
            push_escape(&mut shown, c);
        } else {
            shown.push(c);
        }
    }
    Cow::Owned(shown)
}

/// `text` on one line: hidden characters, line ends and tabs shown as escapes.
pub(super) fn one_line(text: &str) -> String {
    visible(text).replace('\n', "\\n").replace('\t', "\\t")
}

/// The words of `text` on one line, with single spaces, in at most `max` bytes.
pub(super) fn sentence(text: &str, max: usize) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    cut(&visible(&words), max).into_owned()
}

/// `text`, or its beginning with an ellipsis: at most `max` bytes.
pub(super) fn cut(text: &str, max: usize) -> Cow<'_, str> {
    if text.len() <= max {
        return Cow::Borrowed(text);
    }
    let Some(room) = max.checked_sub(ELLIPSIS.len()) else { return Cow::Borrowed("") };
    let kept = text.get(..text.floor_char_boundary(room)).unwrap_or("");
    Cow::Owned(format!("{}{ELLIPSIS}", kept.trim_end()))
}

/// JSON text with hidden characters as `\uXXXX`: the same value to a parser. They occur only inside strings.
pub(super) fn json_escaped(json: &str) -> Cow<'_, str> {
    if !json.chars().any(is_hidden) {
        return Cow::Borrowed(json);
    }
    let mut escaped = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        if is_hidden(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(escaped, "\\u{unit:04x}");
            }
        } else {
            escaped.push(c);
        }
    }
    Cow::Owned(escaped)
}

fn push_escape(shown: &mut String, c: char) {
    match c {
        '\r' => shown.push_str("\\r"),
        _ => {
            let _ = write!(shown, "\\u{{{:x}}}", c as u32);
        }
    }
}

/// Characters that act instead of showing. The joiners U+200C and U+200D and the emoji selectors stay: writing needs them.
fn is_hidden(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        _ if c.is_ascii() => c.is_ascii_control(),
        // C1 controls (NEL ends a line, CSI starts a terminal sequence).
        '\u{80}'..='\u{9f}' => true,
        // Zero width, direction marks, line and paragraph separators, embeddings and overrides, invisible operators, isolates.
        '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' => true,
        '\u{61c}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}' => true,
        // Tags and the second block of selectors: whole hidden messages can be written in them.
        '\u{e0000}'..='\u{e0fff}' => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn controls_and_overrides_are_shown_as_escapes() {
        assert_eq!(visible("a\0b\u{1b}[31mc\u{202e}d\re"), "a\\u{0}b\\u{1b}[31mc\\u{202e}d\\re");
        assert_eq!(visible("tab\tand\nline"), "tab\tand\nline");
        assert_eq!(visible("\u{2028}\u{85}\u{feff}\u{e0041}"), "\\u{2028}\\u{85}\\u{feff}\\u{e0041}");
    }

    #[test]
    fn ordinary_writing_stays() {
        for text in ["naïve — “quoted” … 日本語", "👩\u{200d}👩\u{fe0f}", "שלום"] {
            assert_eq!(visible(text), text);
        }
    }

    #[test]
    fn cuts_at_a_character_and_never_above_the_limit() {
        for max in 0..30 {
            let text = cut("ein Täschchen für 日本", max).into_owned();
            assert!(text.len() <= max, "{max}: {text}");
        }
        assert_eq!(cut("abcdefgh", 6), "abc…");
        assert_eq!(cut("abc", 3), "abc");
    }

    #[test]
    fn json_keeps_its_value() {
        let value = "x\u{202e}\u{7f}\u{e0041}y";
        let json = serde_json::to_string(value).unwrap();
        let escaped = json_escaped(&json);
        assert!(escaped.is_ascii());
        assert_eq!(serde_json::from_str::<String>(&escaped).unwrap(), value);
    }
}
