//! What `context` and `prompt` have in common: reading the task with its settings, and saying that there is nothing.

use std::path::Path;

use super::args::Place;
use super::messages::Messages;
use super::{Outcome, query};
use crate::client::Task;
use crate::client::settings::{self, Loaded};
use crate::config::Typed;

/// The task of a command.
pub(super) fn read(
    words: &[String],
    place: &Place,
    flags: Vec<Typed>,
    messages: &Messages,
) -> anyhow::Result<Task> {
    let query = query::read(words, messages)?;
    let (root, notes) = settings::root(place.folder())?;
    let Loaded { settings, notes: told, .. } = settings::load(&root, flags);
    tracing::info!(root = %root.display(), ?settings, "asked");
    messages.notes(&told);
    Ok(Task { query, root, settings, notes })
}

/// Says that there is nothing to show.
pub(super) fn nothing_found(workspace: &Path, messages: &Messages) -> Outcome {
    messages.say(&format!(
        "nothing relevant found in {}: name a type, a function or a path of this workspace, or look elsewhere with --workspace",
        workspace.display()
    ));
    Outcome::NothingFound
}
