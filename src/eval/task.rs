//! A task with a known answer, one JSON object a line.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use crate::model::LineRange;

/// What a change that really happened tells: what was asked, and which files and lines were changed for it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Task {
    pub id: String,
    /// `owner/name`.
    pub repo: String,
    /// The commit that is checked out: the state before the change.
    pub snapshot: String,
    pub query: String,
    /// Source files that the change modified: the gold.
    pub modified: Vec<String>,
    #[serde(default)]
    pub tests: Vec<String>,
    /// Files that define what the changed lines name.
    #[serde(default)]
    pub used: Vec<String>,
    /// Lines of the snapshot that the change touched, by file.
    #[serde(default)]
    pub regions: BTreeMap<String, Vec<LineRange>>,
}

/// The tasks of a file, and a line for each that could not be read.
pub fn read(text: &str) -> (Vec<Task>, Vec<String>) {
    let (mut tasks, mut troubles) = (Vec::<Task>::new(), Vec::new());
    let mut ids = BTreeSet::new();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let number = index + 1;
        let read = serde_json::from_str::<Task>(line).map_err(|error| format!("not a task: {error}"));
        let sound = read.and_then(|task| match trouble(&task) {
            Some(what) => Err(format!("{}: {what}", task.id)),
            None if !ids.insert(task.id.clone()) => {
                Err(format!("{}: this id stands twice, the first counts", task.id))
            }
            None => Ok(task),
        });
        match sound {
            Ok(task) => tasks.push(task),
            Err(what) => troubles.push(format!("line {number}: {what}")),
        }
    }
    (tasks, troubles)
}

/// What makes a task one that cannot run. Repository and snapshot become names of folders, so that they are names and
/// nothing else.
fn trouble(task: &Task) -> Option<String> {
    if task.modified.is_empty() {
        return Some("`modified` is empty, nothing to find".into());
    }
    if !is_commit_id(&task.snapshot) {
        return Some(format!("`snapshot`: `{}` is no commit id", task.snapshot));
    }
    if !task.repo.split('/').all(is_folder_name) {
        return Some(format!("`repo`: `{}` is no repository's name: give it as `owner/name`", task.repo));
    }
    let last = task.regions.values().flatten().map(|region| region.last).max();
    last.filter(|&last| last > LAST_LINE).map(|last| format!("`regions`: no file has a line {last}"))
}

/// As many lines as the largest file that is read has bytes.
const LAST_LINE: u32 = 1 << 20;
/// Hexadecimal digits: the fewest that git takes, and those of SHA-256.
const ID_DIGITS: std::ops::RangeInclusive<usize> = 4..=64;

fn is_commit_id(text: &str) -> bool {
    ID_DIGITS.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn is_folder_name(part: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-+".contains(&byte);
    !part.is_empty() && !part.starts_with(['.', '-']) && part.bytes().all(is_plain)
}
