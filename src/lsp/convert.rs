//! Between the protocol's URIs, lines and columns, and the snapshot's files and byte offsets. Whatever a server says, a place that comes
//! out lies inside the text of a file of the snapshot, between characters.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use lsp_types::{Position, Range, Uri};

use crate::model::{FileId, Span};
use crate::text::LineIndex;
use crate::workspace::Snapshot;

use super::kinds::Encoding;
use super::questions::{Place, Target};

/// A snapshot as one server counts it.
pub(super) struct Converter<'a> {
    snapshot: &'a Snapshot,
    encoding: Encoding,
    /// Made when first needed, by file.
    lines: Vec<OnceLock<LineIndex>>,
}

impl<'a> Converter<'a> {
    pub(super) fn new(snapshot: &'a Snapshot, encoding: Encoding) -> Converter<'a> {
        let lines = snapshot.files.iter().map(|_| OnceLock::new()).collect();
        Converter { snapshot, encoding, lines }
    }

    /// The URI of a file; `None` for a file that is not of this snapshot.
    pub(crate) fn uri(&self, file: FileId) -> Option<Uri> {
        uri(&self.snapshot.root.join(&self.snapshot.files.get(file.index())?.path))
    }

    pub(super) fn text(&self, file: FileId) -> Option<&'a str> {
        Some(&self.snapshot.files.get(file.index())?.text)
    }

    pub(super) fn file(&self, uri: &Uri) -> Option<FileId> {
        let path = path(uri)?;
        let inside = path.strip_prefix(&self.snapshot.root).ok()?.to_str()?;
        if cfg!(windows) {
            self.snapshot.find(&inside.replace('\\', "/"))
        } else {
            self.snapshot.find(inside)
        }
    }

    /// Where a byte offset is, in the server's words; `None` where it is not between two characters of the file.
    pub(super) fn position(&self, file: FileId, offset: u32) -> Option<Position> {
        let lines = self.lines(file)?;
        // What follows the last line's end is a line to the protocol.
        let text = self.text(file)?;
        let before = text.get(..offset as usize)?;
        let is_behind = before.len() == text.len() && (text.is_empty() || text.ends_with('\n'));
        let line = if is_behind { lines.count() } else { lines.line(offset) - 1 };
        let start = lines.start(line + 1) as usize;
        Some(Position { line, character: self.columns(before.get(start..)?) })
    }

    /// The place that a server names; `None` where the file or the text does not have it.
    pub(super) fn place(&self, uri: &Uri, range: Range) -> Option<Place> {
        let file = self.file(uri)?;
        Some(Place { file, span: self.span(file, range)? })
    }

    pub(super) fn target(&self, uri: &Uri, range: Range) -> Target {
        self.place(uri, range).map_or(Target::Outside, Target::Inside)
    }

    /// The bytes of a range; `None` where it is inverted, or not of the text.
    pub(super) fn span(&self, file: FileId, range: Range) -> Option<Span> {
        let (start, end) = (self.offset(file, range.start)?, self.offset(file, range.end)?);
        (start <= end).then(|| Span::new(start, end))
    }

    fn offset(&self, file: FileId, position: Position) -> Option<u32> {
        let lines = self.lines(file)?;
        let text = self.text(file)?;
        if position.line >= lines.count() {
            let is_end = position.line == lines.count() && position.character == 0;
            return (is_end && (text.is_empty() || text.ends_with('\n'))).then_some(text.len() as u32);
        }
        let number = position.line.checked_add(1)?;
        let within = self.bytes(lines.line_text(text, number), position.character)?;
        Some(lines.start(number) + within)
    }

    fn lines(&self, file: FileId) -> Option<&LineIndex> {
        let text = self.text(file)?;
        Some(self.lines.get(file.index())?.get_or_init(|| LineIndex::new(text)))
    }

    fn columns(&self, text: &str) -> u32 {
        let columns = match self.encoding {
            Encoding::Utf8 => text.len(),
            Encoding::Utf16 => text.encode_utf16().count(),
        };
        u32::try_from(columns).unwrap_or(u32::MAX)
    }

    /// The bytes before a column of a line; `None` inside a character, or behind the line.
    fn bytes(&self, line: &str, column: u32) -> Option<u32> {
        let width = |c: char| match self.encoding {
            Encoding::Utf8 => c.len_utf8(),
            Encoding::Utf16 => c.len_utf16(),
        } as u32;
        let mut columns = 0;
        for (offset, c) in line.char_indices() {
            if columns >= column {
                return (columns == column).then_some(offset as u32);
            }
            columns += width(c);
        }
        (columns == column).then_some(line.len() as u32)
    }
}

/// The `file:` URI of an absolute path.
pub(crate) fn uri(path: &Path) -> Option<Uri> {
    let mut uri = String::from("file://");
    let text = path.as_os_str().as_encoded_bytes();
    if !text.starts_with(b"/") {
        uri.push('/');
    }
    for byte in text {
        match byte {
            b'\\' if cfg!(windows) => uri.push('/'),
            b'/' | b'-' | b'_' | b'.' | b'~' => uri.push(char::from(*byte)),
            byte if byte.is_ascii_alphanumeric() => uri.push(char::from(*byte)),
            byte => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri.parse().ok()
}

/// The path of a `file:` URI of this machine.
pub(crate) fn path(uri: &Uri) -> Option<PathBuf> {
    let rest = uri.as_str().strip_prefix("file://")?;
    let rest = rest.strip_prefix("localhost").unwrap_or(rest);
    let rest = rest.split(['?', '#']).next()?;
    let mut bytes = Vec::with_capacity(rest.len());
    let mut encoded = rest.bytes();
    while let Some(byte) = encoded.next() {
        if byte == b'%' {
            let digits = [encoded.next()?, encoded.next()?];
            bytes.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    // Files of a snapshot have UTF-8 names: another one is outside.
    let path = String::from_utf8(bytes).ok()?;
    let path = if cfg!(windows) { path.trim_start_matches('/') } else { &path };
    Some(PathBuf::from(path))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const FILE: FileId = FileId(0);

    fn snapshot(text: &str) -> Snapshot {
        Snapshot::from_files("/w/a b", vec![("src/lib.rs".to_owned(), text.to_owned())])
    }

    fn check(text: &str, encoding: Encoding, line: u32, character: u32, expected: Option<u32>) {
        let snapshot = snapshot(text);
        let converter = Converter::new(&snapshot, encoding);
        assert_eq!(
            converter.offset(FILE, Position { line, character }),
            expected,
            "{text:?} {line}:{character}"
        );
    }

    #[test]
    fn columns_are_counted_in_the_servers_units() {
        let text = "a\n/* ä𝒳 */ b\r\n";
        check(text, Encoding::Utf8, 1, 3, Some(5));
        check(text, Encoding::Utf8, 1, 9, Some(11));
        check(text, Encoding::Utf16, 1, 4, Some(7));
        check(text, Encoding::Utf16, 1, 6, Some(11));
    }

    #[test]
    fn a_place_that_the_text_does_not_have_is_none() {
        let text = "a\n/* ä𝒳 */ b\r\n";
        check(text, Encoding::Utf8, 1, 4, None);
        check(text, Encoding::Utf16, 1, 5, None);
        check(text, Encoding::Utf8, 0, 2, None);
        check(text, Encoding::Utf8, 2, 0, Some(18));
        check(text, Encoding::Utf8, 2, 1, None);
        check(text, Encoding::Utf8, 3, 0, None);
        check(text, Encoding::Utf16, u32::MAX, u32::MAX, None);
        check("a", Encoding::Utf8, 1, 0, None);
        check("", Encoding::Utf8, 0, 0, Some(0));
    }

    #[test]
    fn an_inverted_range_is_no_place() {
        let snapshot = snapshot("abc");
        let converter = Converter::new(&snapshot, Encoding::Utf8);
        let at = |character| Position { line: 0, character };
        assert_eq!(converter.span(FILE, Range { start: at(2), end: at(1) }), None);
        assert_eq!(converter.span(FILE, Range { start: at(1), end: at(2) }), Some(Span::new(1, 2)));
    }

    #[test]
    fn a_file_is_known_by_its_uri_in_any_spelling() {
        let snapshot = snapshot("a");
        let converter = Converter::new(&snapshot, Encoding::Utf8);
        let file = |uri: &str| converter.file(&uri.parse().unwrap());
        assert_eq!(converter.uri(FILE).unwrap().as_str(), "file:///w/a%20b/src/lib.rs");
        assert_eq!(converter.uri(FileId(7)), None);
        for uri in [
            "file:///w/a%20b/src/lib.rs",
            "file:///w/a%20b/%73rc/lib.rs",
            "file://localhost/w/a%20b/src/lib.rs",
        ] {
            assert_eq!(file(uri), Some(FILE), "{uri}");
        }
        for uri in [
            "file:///w/a%20b/src/other.rs",
            "file:///etc/passwd",
            "untitled:lib.rs",
            "http://w/a%20b/src/lib.rs",
            "file:///w/a%20b/src/lib.rs%FF",
            "file:",
        ] {
            assert_eq!(file(uri), None, "{uri}");
        }
    }

    proptest! {
        #[test]
        fn positions_come_back(text in "[a\r\nß𝒳 ]{0,30}", is_utf8: bool) {
            let snapshot = snapshot(&text);
            let encoding = if is_utf8 { Encoding::Utf8 } else { Encoding::Utf16 };
            let converter = Converter::new(&snapshot, encoding);
            for offset in (0..=text.len()).filter(|offset| text.is_char_boundary(*offset)) {
                let position = converter.position(FILE, offset as u32).unwrap();
                // The end of a line `\r\n` is one place; a `\r` at the end of the text is an end too.
                let (before, after) = text.split_at(offset);
                let inside_an_end = before.ends_with('\r') && (after.is_empty() || after.starts_with('\n'));
                prop_assert!(inside_an_end || converter.offset(FILE, position) == Some(offset as u32));
            }
        }

        #[test]
        fn any_range_is_inside_the_text_or_none(text in "[a\r\nß𝒳]{0,20}", range: (u32, u32, u32, u32), small: (u8, u8, u8, u8)) {
            let snapshot = snapshot(&text);
            let converter = Converter::new(&snapshot, Encoding::Utf16);
            let small = (u32::from(small.0 % 8), u32::from(small.1 % 8), u32::from(small.2 % 8), u32::from(small.3 % 8));
            for (line, column, end_line, end_column) in [range, small] {
                let range = Range { start: Position { line, character: column }, end: Position { line: end_line, character: end_column } };
                if let Some(span) = converter.span(FILE, range) {
                    prop_assert!(text.get(span.start as usize..span.end as usize).is_some());
                }
            }
        }
    }
}
