//! A TOML document as its values, each with the path of keys that leads to it and its line.

use toml::de::{DeTable, DeValue};

use crate::text::LineIndex;

/// Characters of a value that are shown.
const SHOWN: usize = 80;

/// A value that is no table.
#[derive(Debug)]
pub(super) struct Leaf<'a> {
    pub path: Vec<&'a str>,
    pub value: &'a DeValue<'a>,
    /// 1-based, of its last key.
    pub line: usize,
}

/// What a check says of a document: the line, and what it could run.
pub(super) type Said = Vec<(Option<usize>, String)>;

/// What `of_leaf` says of each value of `text`; that it cannot be read, where it is no TOML.
pub(super) fn check(text: &str, of_leaf: impl Fn(&Leaf<'_>) -> Option<String>) -> Said {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let table = match DeTable::parse(text) {
        Ok(table) => table.into_inner(),
        Err(error) => {
            let line = error.span().map(|span| line(&LineIndex::new(text), span.start));
            return vec![(line, "it cannot be parsed, so what it could run is not known".to_owned())];
        }
    };
    let mut leaves = Vec::new();
    collect(&table, &LineIndex::new(text), &mut Vec::new(), &mut leaves);
    leaves.iter().filter_map(|leaf| Some((Some(leaf.line), of_leaf(leaf)?))).collect()
}

/// The parser bounds how deep tables nest.
fn collect<'a>(
    table: &'a DeTable<'a>,
    lines: &LineIndex,
    path: &mut Vec<&'a str>,
    leaves: &mut Vec<Leaf<'a>>,
) {
    for (key, value) in table {
        path.push(key.get_ref());
        match value.get_ref() {
            DeValue::Table(inner) => collect(inner, lines, path, leaves),
            value => leaves.push(Leaf { path: path.clone(), value, line: line(lines, key.span().start) }),
        }
        path.pop();
    }
}

impl Leaf<'_> {
    /// `build.rustc-wrapper`.
    pub fn name(&self) -> String {
        self.path.join(".")
    }

    /// The value for a person: `"./x" "--flag"`.
    pub fn shown(&self) -> String {
        let shown = match self.texts() {
            Some(texts) => texts.iter().map(|text| format!("{text:?}")).collect::<Vec<_>>().join(" "),
            None => format!("a value of the type {}", self.value.type_str()),
        };
        match shown.char_indices().nth(SHOWN) {
            Some((end, _)) => format!("{}…", shown.get(..end).unwrap_or_default()),
            None => shown,
        }
    }

    /// A text, or a list of texts.
    pub fn texts(&self) -> Option<Vec<&str>> {
        match self.value {
            DeValue::String(text) => Some(vec![text]),
            DeValue::Array(items) => items.iter().map(|item| item.get_ref().as_str()).collect(),
            _ => None,
        }
    }

    /// The arguments that Cargo reads in it: a list as it is, a text parted at its spaces.
    pub fn arguments(&self) -> Option<Vec<&str>> {
        match self.value {
            DeValue::String(text) => Some(text.split_whitespace().collect()),
            _ => self.texts(),
        }
    }
}

fn line(lines: &LineIndex, offset: usize) -> usize {
    lines.line(u32::try_from(offset).unwrap_or(u32::MAX)) as usize
}
