//! A task with a known answer, one JSON object a line.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Deserializer, Serialize};

use crate::model::LineRange;
use crate::workspace::{Snapshot, blob_id};

/// What a change that really happened tells: what was asked, and which files and lines were changed for it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Task {
    pub id: String,
    /// `owner/name`.
    pub repo: String,
    /// The commit that is checked out: the state before the change.
    pub snapshot: String,
    /// Where the workspace lies in the repository, with `/` between the parts; empty at its root.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub folder: String,
    pub query: String,
    /// Source files that the change modified: the gold. From the workspace's root, as all paths here.
    pub modified: Vec<String>,
    #[serde(default)]
    pub tests: Vec<String>,
    /// Files that define what the changed lines name.
    #[serde(default)]
    pub used: Vec<String>,
    /// Lines of the snapshot that the change touched, by file.
    #[serde(default, deserialize_with = "regions")]
    pub regions: BTreeMap<String, Vec<LineRange>>,
    /// For checking, never for tuning.
    #[serde(default, skip_serializing_if = "is_false")]
    pub checking: bool,
}

impl Task {
    /// The same for the same task, whatever it is used for.
    pub fn digest(&self) -> String {
        let task = Task { checking: false, ..self.clone() };
        blob_id(&serde_json::to_vec(&task).unwrap_or_default())
    }

    /// The task with those of its lines that the snapshot has, and what it says of others.
    pub(super) fn within(&self, snapshot: &Snapshot) -> (Cow<'_, Task>, Vec<String>) {
        let mut beyond = Vec::new();
        let mut task = Cow::Borrowed(self);
        for (path, regions) in &self.regions {
            let Some(file) = snapshot.find(path) else { continue };
            let lines = snapshot.file(file).text.lines().count() as u32;
            if regions.iter().all(|region| region.last <= lines.max(1)) {
                continue;
            }
            beyond.push(format!("{path} has {lines} lines at the snapshot, and `regions` goes beyond them"));
            let there = regions.iter().filter(|region| region.first <= lines);
            let there = there.map(|region| LineRange::new(region.first, region.last.min(lines)));
            task.to_mut().regions.insert(path.clone(), there.collect());
        }
        (task, beyond)
    }
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

/// What makes a task one that cannot run. Repository, folder and snapshot become names of folders, so that they are names
/// and nothing else.
fn trouble(task: &Task) -> Option<String> {
    if task.modified.is_empty() {
        return Some("`modified` is empty, nothing to find".into());
    }
    if task.query.trim().is_empty() {
        return Some("`query` is empty, nothing is asked".into());
    }
    if !is_commit_id(&task.snapshot) {
        return Some(format!("`snapshot`: `{}` is no commit id", task.snapshot));
    }
    if !task.repo.split('/').all(is_folder_name) {
        return Some(format!("`repo`: `{}` is no repository's name: give it as `owner/name`", task.repo));
    }
    let leads_out = |part: &str| matches!(part, "" | "." | ".." | ".git") || part.contains(['\\', ':']);
    if !task.folder.is_empty() && task.folder.split('/').any(leads_out) {
        return Some(format!("`folder`: `{}` is no folder of a repository", task.folder));
    }
    None
}

/// As many lines as the largest file that is read has bytes.
const LAST_LINE: i64 = 1 << 20;
/// Hexadecimal digits: the fewest that git takes, and those of SHA-256.
const ID_DIGITS: std::ops::RangeInclusive<usize> = 4..=64;

/// Ranges of lines, each of which a file may have.
fn regions<'de, D: Deserializer<'de>>(given: D) -> Result<BTreeMap<String, Vec<LineRange>>, D::Error> {
    let given = BTreeMap::<String, Vec<(i64, i64)>>::deserialize(given)?;
    let range = |path: &str, (first, last): (i64, i64)| {
        let is_range = 1 <= first && first <= last && last <= LAST_LINE;
        is_range.then(|| LineRange::new(first as u32, last as u32)).ok_or_else(|| {
            serde::de::Error::custom(format!(
                "`regions`: no lines {first} to {last} can be in {path}: give the first and the last, from 1"
            ))
        })
    };
    given
        .into_iter()
        .map(|(path, ranges)| {
            let ranges = ranges.into_iter().map(|lines| range(&path, lines)).collect::<Result<_, _>>()?;
            Ok((path, ranges))
        })
        .collect()
}

fn is_false(flag: &bool) -> bool {
    !flag
}

fn is_commit_id(text: &str) -> bool {
    ID_DIGITS.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

pub(super) fn is_folder_name(part: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-+".contains(&byte);
    !part.is_empty() && !part.starts_with(['.', '-']) && part.bytes().all(is_plain)
}
