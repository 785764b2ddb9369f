//! The workspaces of tasks, for who wants to look into them.

use std::collections::BTreeMap;
use std::path::Path;

use super::checkout::{Checkouts, Keep};
use super::run::open;
use super::{Embedding, EvalError, Task};
use crate::pipeline::Workspace;

/// Opens each workspace that the tasks are about, with its tasks, one after the other; `repos`, `work` and `embedding` as in `Options`.
///
/// # Errors
/// The first workspace that cannot be had.
pub fn visit(
    tasks: &[Task],
    repos: &Path,
    work: &Path,
    embedding: Option<&Embedding>,
    mut each: impl FnMut(&Workspace, &[&Task]),
) -> Result<(), EvalError> {
    let mut groups: BTreeMap<(&str, &str, &str), Vec<&Task>> = BTreeMap::new();
    for task in tasks {
        groups.entry((&task.repo, &task.snapshot, &task.folder)).or_default().push(task);
    }
    let checkouts = Checkouts::new(repos, work, Keep::Snapshots);
    for tasks in groups.into_values() {
        let Some(first) = tasks.first() else { continue };
        let checkout = checkouts.take(&first.repo, &first.snapshot)?;
        let workspace = open(&checkout, first)?;
        embedding.map_or(Ok(()), |embedding| embedding.understand(&workspace))?;
        each(&workspace, &tasks);
        checkouts.give_back(checkout);
    }
    Ok(())
}
