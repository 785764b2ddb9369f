//! Files and items that are asked for by name, outside of any ranking.

use std::collections::BTreeSet;

use super::sheet::Sheet;
use super::{Entry, Level};
use crate::expand::Facts;
use crate::model::{FileId, Signal};
use crate::text::TokenCounter;

pub use super::fit::MOST_REASONS;

/// What limits an entry that is asked for.
pub struct Room<'a> {
    /// Tokens for the entry.
    pub tokens: u32,
    pub mask: bool,
    pub counter: &'a TokenCounter,
    /// The tokens of an entry as it will be rendered.
    pub price: &'a dyn Fn(&Entry) -> u32,
}

/// A file, as deep as there is room: whole, else its skeleton. `None` where neither fits.
pub fn file(facts: &Facts<'_>, file: FileId, reason: Signal, room: &Room<'_>) -> Option<Entry> {
    let sheet = Sheet::new(facts, file, room.mask, room.counter);
    let ladder = [(Level::Full, sheet.all()), (Level::Skeleton, sheet.skeleton())];
    ladder
        .into_iter()
        .filter(|(level, lines)| *level == Level::Full || !lines.is_empty())
        .map(|(level, lines)| entry(&sheet, level, &lines, vec![reason.clone()], room))
        .find(|entry| entry.tokens <= room.tokens)
}

/// A file at a level: whole, as its skeleton, or by its path alone. `None` where it does not fit, or there are no ranges to choose from.
pub fn file_at(
    facts: &Facts<'_>,
    file: FileId,
    level: Level,
    reasons: Vec<Signal>,
    room: &Room<'_>,
) -> Option<Entry> {
    let sheet = Sheet::new(facts, file, room.mask, room.counter);
    let lines = match level {
        Level::Full => sheet.all(),
        Level::Skeleton => sheet.skeleton(),
        Level::Mention => BTreeSet::new(),
        Level::Ranges => return None,
    };
    let entry = entry(&sheet, level, &lines, reasons, room);
    (entry.tokens <= room.tokens).then_some(entry)
}

/// Items of a file with the signatures of what encloses them; `None` where they do not fit.
pub fn items(
    facts: &Facts<'_>,
    file: FileId,
    items: &[u32],
    reason: Signal,
    room: &Room<'_>,
) -> Option<Entry> {
    let sheet = Sheet::new(facts, file, room.mask, room.counter);
    let lines: BTreeSet<u32> = items.iter().flat_map(|item| sheet.lines_of_item(*item)).collect();
    let entry = entry(&sheet, Level::Ranges, &lines, vec![reason], room);
    (entry.tokens <= room.tokens).then_some(entry)
}

fn entry(
    sheet: &Sheet<'_>,
    level: Level,
    lines: &BTreeSet<u32>,
    reasons: Vec<Signal>,
    room: &Room<'_>,
) -> Entry {
    let chunks = sheet.chunks(lines, level);
    let mut entry = Entry {
        path: sheet.path().to_owned(),
        rank: 0,
        score: 0.0,
        level,
        ranges: chunks.iter().filter_map(|chunk| chunk.range()).collect(),
        tokens: 0,
        reasons,
        chunks,
    };
    entry.tokens = (room.price)(&entry);
    entry
}
