//! The model that answers, out of the settings.

use std::time::Duration;

use anyhow::bail;

use super::Tell;
use crate::config::{ModelProvider, ModelSettings, Origin};
use crate::llm::{ChatModel, Ollama};
use crate::model::Deadline;

/// A server that is there tells a model's window in milliseconds; one that is just starting takes seconds.
const WINDOW_TIME: Duration = Duration::from_secs(10);

/// A model and what must be known of it.
pub(crate) struct Model {
    pub chat: Box<dyn ChatModel>,
    /// The tokens that prompt and answer may have together, where the server tells it.
    pub window: Option<u32>,
}

impl Model {
    /// How the model is called that the settings name, and whether it is elsewhere. Asks nobody, and needs no key.
    pub fn named(settings: &ModelSettings) -> anyhow::Result<(String, bool)> {
        let provider = settings.provider.value;
        if provider == ModelProvider::Ollama {
            let (chat, is_remote) = chat(settings)?;
            return Ok((chat.name().to_owned(), is_remote));
        }
        let model = settings.model.value.as_deref().unwrap_or("without a model's name");
        Ok((format!("{provider} {model}"), true))
    }

    /// The model that the settings name, asked for its window. Of a dry run nothing is to be sent, so that a server that is not
    /// there is no error then.
    pub fn choose(settings: &ModelSettings, is_dry_run: bool, tell: &dyn Tell) -> anyhow::Result<Model> {
        let (chat, _) = chat(settings)?;
        let window = match chat.window(&Deadline::after(WINDOW_TIME)) {
            Ok(window) => window,
            Err(error) if is_dry_run => {
                tell.warn(&format!("{error}; its window is not known"));
                None
            }
            Err(error) => return Err(error.into()),
        };
        Ok(Model { chat, window })
    }
}

/// The model, and whether it is elsewhere.
fn chat(settings: &ModelSettings) -> anyhow::Result<(Box<dyn ChatModel>, bool)> {
    let provider = settings.provider.value;
    if provider != ModelProvider::Ollama {
        return Ok((remote(provider, settings)?, true));
    }
    if matches!(settings.base_url.origin, Origin::Flag(_)) {
        bail!("--base-url is for remote providers: name one with --provider, or set OLLAMA_HOST for Ollama");
    }
    let host = settings.ollama_host.value.as_ref().map_or("", |host| host.expose());
    let model = settings.model.value.as_deref().unwrap_or(&settings.ollama_model.value);
    let ollama = Ollama::new(host, model)?;
    let is_remote = !ollama.is_local();
    Ok((Box::new(ollama), is_remote))
}

#[cfg(feature = "remote")]
fn remote(provider: ModelProvider, settings: &ModelSettings) -> anyhow::Result<Box<dyn ChatModel>> {
    use crate::llm::{Provider, Remote};
    let Some(model) = settings.model.value.as_deref() else {
        bail!("no model of {provider} is named: give its name with --model");
    };
    let Some(known) = Provider::ALL.into_iter().find(|known| known.name() == provider.word()) else {
        bail!("{provider} is not known: name another with --provider");
    };
    let base_url = settings.base_url.value.as_ref().map(|address| address.expose());
    Ok(Box::new(Remote::new(known, model, base_url, settings.key(provider).cloned())?))
}

#[cfg(not(feature = "remote"))]
fn remote(provider: ModelProvider, _: &ModelSettings) -> anyhow::Result<Box<dyn ChatModel>> {
    bail!("this build of dossier knows Ollama alone, not {provider}: build it with the feature `remote`")
}
