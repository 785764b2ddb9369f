//! `dossier embedder`: who turns texts into vectors; models for that are listed, installed, fetched, chosen.

#[cfg(feature = "embedded")]
mod install;
mod status;

pub(super) use self::status::REMEDY;

#[cfg(not(feature = "embedded"))]
use anyhow::bail;
use anyhow::{Context, ensure};

use super::Outcome;
use super::args::EmbedderCommand;
use super::messages::Messages;
use super::output::Output;
use crate::client::embedder::shelf;
use crate::config::ModelName;
use crate::llm::embed::{Chosen, Installed, Shelf};
use crate::render::printable;

/// Bytes in what is shown as a MB.
const MB: f64 = 1e6;

pub(super) fn run(command: &EmbedderCommand, messages: &Messages) -> anyhow::Result<Outcome> {
    match command {
        EmbedderCommand::List => list(messages),
        EmbedderCommand::Use { what, name } => choose(what, name.as_ref(), messages),
        EmbedderCommand::Pull { model, name } => pull(model, name.as_ref(), messages),
        EmbedderCommand::Status(args) => status::run(args, messages),
    }
}

fn models() -> anyhow::Result<Shelf> {
    shelf().context("there is no home folder to keep models in: set HOME or XDG_DATA_HOME")
}

fn list(messages: &Messages) -> anyhow::Result<Outcome> {
    let shelf = models()?;
    let installed = shelf.list();
    if installed.is_empty() {
        messages.say(&format!("no model is installed in {}", shelf.folder().display()));
    }
    Output::stdout().write(&page(&installed, &shelf.chosen()))?;
    Ok(Outcome::Done)
}

fn page(installed: &[Installed], chosen: &Chosen) -> String {
    let mut rows: Vec<(String, String)> = Vec::new();
    for model in installed {
        let is_chosen = *chosen == Chosen::Model(model.name.clone());
        let told = match &model.card {
            Some(card) => {
                let (size, numbers, tokens) = (model.bytes as f64 / MB, card.dimension, card.window);
                format!("installed, {size:.0} MB, vectors of {numbers} numbers, texts of {tokens} tokens")
            }
            None => "broken: install it anew with `dossier embedder use FOLDER` or `pull`".to_owned(),
        };
        rows.push((format!("{} {}", if is_chosen { '*' } else { ' ' }, model.name), told));
    }
    #[cfg(feature = "embedded")]
    for known in crate::llm::embed::KNOWN {
        if installed.iter().all(|model| model.name.as_str() != known.name) {
            rows.push((format!("  {}", known.name), format!("dossier embedder pull: {}", known.about)));
        }
    }
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    rows.iter().map(|(name, told)| format!("{name:<width$}  {}\n", printable(told))).collect()
}

/// A folder's model, or an installed one, or none.
fn choose(what: &str, name: Option<&ModelName>, messages: &Messages) -> anyhow::Result<Outcome> {
    let shelf = models()?;
    if ["off", "none"].contains(&what) {
        shelf.choose(None)?;
        messages.say("no installed model is used from now on; `embedder = \"ollama\"` in your settings, or --embedder, still names one");
        return Ok(Outcome::Done);
    }
    let installed = what.parse().ok().and_then(|name: ModelName| shelf.find(&name));
    let chosen = match installed {
        Some(model) => {
            ensure!(name.is_none(), "{what} is installed already: --name is for a folder");
            model.name
        }
        None => install(&shelf, what, name, messages)?,
    };
    shelf.choose(Some(&chosen))?;
    messages.say(&format!(
        "{chosen} turns texts into vectors from now on; `dossier embedder status` measures it"
    ));
    Ok(Outcome::Done)
}

#[cfg(feature = "embedded")]
use self::install::{install, pull};

#[cfg(not(feature = "embedded"))]
fn install(_: &Shelf, _: &str, _: Option<&ModelName>, _: &Messages) -> anyhow::Result<ModelName> {
    bail!(
        "this build of dossier runs no models itself: build it with the feature `embedded`, or use Ollama's"
    )
}

#[cfg(not(feature = "embedded"))]
fn pull(_: &str, _: Option<&ModelName>, _: &Messages) -> anyhow::Result<Outcome> {
    bail!(
        "this build of dossier runs no models itself: build it with the feature `embedded`, or use Ollama's"
    )
}
