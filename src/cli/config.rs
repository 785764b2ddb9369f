//! `dossier config show`: each setting as a line of TOML, with where its value comes from.

use super::Outcome;
use super::args::Place;
use super::messages::Messages;
use super::output::Output;
use crate::client::settings::{self, Loaded};
use crate::render::printable;

pub(super) fn show(place: &Place, messages: &Messages) -> anyhow::Result<Outcome> {
    let (root, notes) = settings::root(place.folder())?;
    let loaded = settings::load(&root, Vec::new());
    messages.notes(&notes);
    messages.notes(&loaded.notes);
    Output::stdout().write(&page(&loaded))?;
    Ok(Outcome::Done)
}

fn page(loaded: &Loaded) -> String {
    let mut page = String::new();
    for (file, is_there) in &loaded.files {
        let state = if *is_there { "" } else { " (not there)" };
        page.push_str(&format!("# {}{state}\n", printable(&file.display().to_string())));
    }
    page.push('\n');
    let lines: Vec<(String, String)> = loaded
        .settings
        .list()
        .into_iter()
        .map(|(name, value, origin)| match value {
            Some(value) => (format!("{} = {}", name.key(), printable(&value)), origin.to_string()),
            None => (format!("# {} is not set", name.key()), origin.to_string()),
        })
        .collect();
    let width = lines.iter().map(|(line, _)| line.chars().count()).max().unwrap_or(0);
    for (line, origin) in lines {
        page.push_str(&format!("{line:<width$}  # {}\n", printable(&origin)));
    }
    page
}
