//! The text of a file: read at once, or when it is first asked for, where its digest is known already.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};

use crate::text::{self, Digest, LineIndex, Redacted};

use super::read::read_text;

/// Whether files of a snapshot were found changed when they were read at last.
pub(super) type Torn = Arc<AtomicBool>;

/// A file by its path and its text: the same as long as both are. Half a digest: nobody gains by making two of them alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FileKey([u8; FileKey::LEN]);

impl FileKey {
    const LEN: usize = 16;

    pub(super) fn of(path: &str, text: Digest) -> FileKey {
        let digest = Digest::of_all([path.as_bytes(), text.as_bytes()]);
        let mut key = [0; FileKey::LEN];
        key.copy_from_slice(&digest.as_bytes()[..FileKey::LEN]);
        FileKey(key)
    }

    /// The key that `as_bytes` gave; `None` for bytes of another length.
    pub fn from_bytes(bytes: &[u8]) -> Option<FileKey> {
        bytes.try_into().ok().map(FileKey)
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

/// Valid UTF-8; line ends as they are on disk. Clones share what was read.
#[derive(Clone)]
pub struct Text {
    digest: Digest,
    source: Arc<Source>,
}

struct Source {
    text: OnceLock<Box<str>>,
    lines: OnceLock<LineIndex>,
    /// With its secrets masked, where it has any: a process that answers often looks for them once.
    masked: OnceLock<Option<Masked>>,
    /// Where it stands, and whom to tell where that is another text by now.
    file: Option<(PathBuf, Torn)>,
}

struct Masked {
    text: Box<str>,
    lines: LineIndex,
    count: u32,
}

impl Source {
    fn new(text: OnceLock<Box<str>>, file: Option<(PathBuf, Torn)>) -> Arc<Source> {
        Arc::new(Source { text, lines: OnceLock::new(), masked: OnceLock::new(), file })
    }
}

impl Text {
    pub(super) fn read(text: &str) -> Text {
        Text::known(text, Digest::of(text.as_bytes()))
    }

    /// A text whose digest is known.
    pub(super) fn known(text: &str, digest: Digest) -> Text {
        let text = OnceLock::from(Box::from(text));
        Text { digest, source: Source::new(text, None) }
    }

    /// The text of the file at `path`, which had this digest when it was read last.
    pub(super) fn on_disk(path: PathBuf, digest: Digest, torn: Torn) -> Text {
        Text { digest, source: Source::new(OnceLock::new(), Some((path, torn))) }
    }

    /// Where its lines begin.
    pub fn line_index(&self) -> &LineIndex {
        self.source.lines.get_or_init(|| LineIndex::new(self))
    }

    /// The text with its secrets masked, where its lines begin then, and how many secrets there are.
    pub fn masked(&self) -> (&str, &LineIndex, u32) {
        let look = || {
            let Redacted { text, masked: count } = text::redact(self);
            let Cow::Owned(text) = text else { return None };
            Some(Masked { lines: LineIndex::new(&text), text: text.into_boxed_str(), count })
        };
        match self.source.masked.get_or_init(look) {
            Some(Masked { text, lines, count }) => (text, lines, *count),
            None => (self, self.line_index(), 0),
        }
    }

    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// Whether it is in memory.
    pub fn is_read(&self) -> bool {
        self.source.text.get().is_some()
    }
}

/// Reads the file where that was not done yet. Empty where it is not the known text any more.
impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        self.source.text.get_or_init(|| self.source.load(self.digest))
    }
}

impl Source {
    fn load(&self, digest: Digest) -> Box<str> {
        let Some((path, torn)) = &self.file else { return Box::default() };
        let text = read_text(path).ok().filter(|text| Digest::of(text.as_bytes()) == digest);
        if text.is_none() {
            torn.store(true, Ordering::Relaxed);
        }
        text.map(String::into_boxed_str).unwrap_or_default()
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}
