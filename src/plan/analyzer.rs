//! Reads a task: a sentence, a commit message, or a whole issue with its templates, code blocks and logs.
//!
//! The text is cut into lines, each with its origin (title, prose, code, log); words, names and paths of a line then
//! count by their origin. Rules, no model: the same task gives the same intent, in a few milliseconds.

use std::borrow::Cow;

use super::action::Title;
use super::backtrace::{self, Backtrace};
use super::entities::Entities;
use super::keywords::Keywords;
use super::places::Places;
use super::{QueryIntent, action, chunks, sections};
use crate::model::Note;

/// What is read of the beginning of a task, in bytes: the longest of 186 real issues has 40 KB.
const READ_OF_HEAD: usize = 96 * 1024;
/// What is read of the end of a longer one, where a log has its panic.
const READ_OF_TAIL: usize = 32 * 1024;

/// What the task says. Never fails: a task without a word gives an intent without keywords.
pub fn analyze(query: &str) -> QueryIntent {
    let mut notes = Vec::new();
    let text = cut(query, &mut notes);
    let text = sections::without_tags(&text);
    let lines = sections::lines(&text);

    let mut places = Places::default();
    let mut entities = Entities::default();
    let mut keywords = Keywords::default();
    for line in &lines {
        for chunk in chunks::chunks(line) {
            places.take(&chunk);
            entities.take(&chunk);
            keywords.take(&chunk);
        }
        keywords.end_line();
    }
    let Backtrace { frames, packaged } = backtrace::read(&text);
    let (keywords, compounds) = keywords.finish();
    let entities = entities.finish();
    let (places, packaged) = places.finish(packaged);

    let title = Title::of(&lines);
    let action = action::action(&title, &lines, !frames.is_empty() || !packaged.is_empty());
    let scope = action::scope(&lines, &entities, &places, &frames);
    QueryIntent {
        action,
        complexity: action::complexity(action, scope, &keywords, &entities),
        wants_tests: action::wants_tests(&title, &lines, &places),
        wants_manifests: action::wants_manifests(&lines),
        wants_docs: action::wants_docs(&lines),
        scope,
        keywords,
        compounds,
        entities,
        places,
        packaged,
        backtrace: frames,
        notes,
    }
}

/// Head and tail of a text that is too long, in whole characters.
fn cut<'q>(query: &'q str, notes: &mut Vec<Note>) -> Cow<'q, str> {
    if query.len() <= READ_OF_HEAD + READ_OF_TAIL {
        return Cow::Borrowed(query);
    }
    let head = query.floor_char_boundary(READ_OF_HEAD);
    let tail = query.ceil_char_boundary(query.len() - READ_OF_TAIL);
    notes.push(Note::warning(format!(
        "The task has {} KB: only its first {} KB and its last {} KB were read.",
        query.len() / 1024,
        READ_OF_HEAD / 1024,
        READ_OF_TAIL / 1024,
    )));
    let (head, tail) = (query.get(..head).unwrap_or(""), query.get(tail..).unwrap_or(""));
    Cow::Owned(format!("{head}\n{tail}"))
}
