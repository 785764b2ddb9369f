//! Models that come from a folder, or from a hub.

use std::path::Path;

use anyhow::{Context, bail, ensure};

use super::models;
use crate::cli::Outcome;
use crate::cli::messages::Messages;
use crate::cli::progress::{Download, Progress};
use crate::client::settings::variable;
use crate::config::ModelName;
use crate::llm::embed::{self, Chosen, HUB, HubModel, KNOWN, Shelf};
use crate::model::Deadline;

/// Ours, and the one that other programs read; the first wins.
const HUB_VARIABLES: [&str; 2] = ["DOSSIER_HUB", "HF_ENDPOINT"];

/// Installs the model in a folder; gives the name that it has then.
pub(super) fn install(
    shelf: &Shelf,
    folder: &str,
    name: Option<&ModelName>,
    messages: &Messages,
) -> anyhow::Result<ModelName> {
    let path = Path::new(folder);
    ensure!(
        path.exists(),
        "{folder} is no installed model and no folder: `dossier embedder list` names those that are installed, and those that \
         `dossier embedder pull` fetches"
    );
    let name = match name.cloned().or_else(|| embed::name_of(path)) {
        Some(name) => name,
        None => bail!("the folder's name is no name for a model: give one with --name"),
    };
    let busy = Progress::spinner("checking and copying the model", messages);
    let card = shelf.install(path, &name)?;
    drop(busy);
    let place = shelf.folder().join(name.as_str());
    messages.say(&format!(
        "installed in {}: vectors of {} numbers, texts of {} tokens",
        place.display(),
        card.dimension,
        card.window
    ));
    Ok(name)
}

/// Fetches a model that is known by its name, or any by its place on the hub; the first one is chosen at once.
pub(super) fn pull(model: &str, name: Option<&ModelName>, messages: &Messages) -> anyhow::Result<Outcome> {
    let repository = match HubModel::find(model) {
        Some(known) => known.repository,
        None if is_repository(model) => model,
        None => {
            let known: Vec<&str> = KNOWN.iter().map(|known| known.name).collect();
            bail!(
                "{model} is not known: one of {}, or ORGANISATION/NAME of a model on the hub",
                known.join(", ")
            )
        }
    };
    let own = repository.rsplit('/').next().unwrap_or(repository);
    let name = name.cloned().map_or_else(|| own.parse(), Ok).context("give it another with --name")?;
    let hub = HUB_VARIABLES.into_iter().find_map(variable).unwrap_or_else(|| HUB.to_owned());
    let shelf = models()?;
    let bar = Download::new(messages);
    embed::pull(&shelf, &hub, repository, &name, &bar, &Deadline::never())?;
    drop(bar);
    messages.say(&format!("installed in {}", shelf.folder().join(name.as_str()).display()));
    if shelf.chosen() == Chosen::Nothing {
        shelf.choose(Some(&name))?;
        messages.say(&format!("{name} turns texts into vectors from now on"));
    } else {
        messages.say(&format!("`dossier embedder use {name}` chooses it"));
    }
    Ok(Outcome::Done)
}

/// Whether it can be a place on the hub: two names.
fn is_repository(place: &str) -> bool {
    let mut parts = place.split('/');
    let mut is_name = || parts.next().is_some_and(|part| part.parse::<ModelName>().is_ok());
    is_name() && is_name() && parts.next().is_none()
}
