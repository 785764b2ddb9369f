//! One file or item that somebody asks for by name, after the dossier: a model that lacks it, a person who previews.
//!
//! The word of either is checked like any plan: what is not in the snapshot is not there, so nothing outside the root, nothing
//! ignored and no file of secrets can be named.

use std::collections::BTreeMap;

use super::{Request, Workspace};
use crate::budget::Entry;
use crate::budget::asked::{self, Room};
use crate::index::CommitVotes;
use crate::model::{FileId, Signal, SignalKind, Source, SymbolId};
use crate::render::render_entry;

/// A name that more items than this bear says too little.
const MOST_DEFINITIONS: usize = 5;

/// Why something is not given.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("it is outside the workspace")]
    Outside,
    #[error("the workspace has no such file or item, or leaves it out")]
    Unknown,
    #[error("{count} items bear this name; give more of its path")]
    Ambiguous { count: usize },
    #[error("it does not fit into what is left of the budget ({left} tokens)")]
    TooLarge { left: u32 },
}

impl Workspace {
    /// The files and items that `name` means: a path from the root, or the name or path of an item. Within `room` tokens,
    /// counted on the rendered text; secrets are masked as `request` says. `reason` says why it is there.
    ///
    /// # Errors
    /// Nothing is given, and why.
    pub fn lookup(
        &self,
        name: &str,
        reason: &str,
        room: u32,
        request: &Request,
    ) -> Result<Vec<Entry>, Refusal> {
        let path = relative(name)?;
        let votes = CommitVotes::default();
        let facts = self.facts(&votes, &self.graph);
        let counted = request.render.counted();
        let price = |entry: &Entry| self.counter.count(&render_entry(entry, &counted));
        let within = |tokens: u32| Room { tokens, mask: request.mask, counter: &self.counter, price: &price };
        if let Some(file) = self.snapshot.find(path) {
            let entry = asked::file(&facts, file, signal(SignalKind::QuotedPath, reason), &within(room));
            return entry.map(|entry| vec![entry]).ok_or(Refusal::TooLarge { left: room });
        }
        let mut entries = Vec::new();
        let mut left = room;
        for (file, items) in self.definitions(name)? {
            let reason = signal(SignalKind::Definition, reason);
            let entry = asked::items(&facts, file, &items, reason, &within(left));
            let entry = entry.ok_or(Refusal::TooLarge { left: room })?;
            left -= entry.tokens;
            entries.push(entry);
        }
        Ok(entries)
    }

    /// The items that bear a name, by file.
    fn definitions(&self, name: &str) -> Result<BTreeMap<FileId, Vec<u32>>, Refusal> {
        let found = self.graph.definitions(name);
        match found.len() {
            0 => return Err(Refusal::Unknown),
            count if count > MOST_DEFINITIONS => return Err(Refusal::Ambiguous { count }),
            _ => {}
        }
        let mut files: BTreeMap<FileId, Vec<u32>> = BTreeMap::new();
        for SymbolId { file, item } in found {
            files.entry(file).or_default().push(item);
        }
        Ok(files)
    }
}

/// The name as a path from the root, without a `./` before it.
fn relative(name: &str) -> Result<&str, Refusal> {
    let has_drive = name.get(1..2) == Some(":") && name.get(2..3) != Some(":");
    let leaves = name.split(['/', '\\']).any(|part| part == "..");
    if name.starts_with(['/', '\\', '~']) || has_drive || leaves {
        return Err(Refusal::Outside);
    }
    Ok(name.strip_prefix("./").unwrap_or(name))
}

fn signal(kind: SignalKind, reason: &str) -> Signal {
    Signal { kind, weight: 1.0, detail: reason.to_owned(), source: Source::Index }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_leaves_the_root_is_refused_before_it_is_looked_up() {
        for outside in
            ["/etc/passwd", "../x", "src/../../x", "..\\x", "C:\\x", "C:/x", "~/.ssh/id_rsa", "\\\\host\\x"]
        {
            assert_eq!(relative(outside), Err(Refusal::Outside), "{outside}");
        }
        assert_eq!(relative("./src/lib.rs"), Ok("src/lib.rs"));
        assert_eq!(relative("T::new"), Ok("T::new"));
        assert_eq!(relative("a..b"), Ok("a..b"));
    }
}
