//! Who turns texts into vectors, out of the settings.
//!
//! Finding out is cheap: of an installed model its card is read, and an Ollama server is asked what it has. Models are loaded when
//! the first text comes.

use std::sync::Arc;
use std::time::Duration;

use super::settings::data_folder;
use crate::config::{EmbedderChoice, ModelName, Settings};
use crate::llm::ModelError;
use crate::llm::embed::{Chosen, EmbedError, Embedder, OllamaEmbedder, Shelf};
use crate::meaning::EmbedderSource;
use crate::model::{Deadline, Note};

/// A server on this machine answers within milliseconds; nobody waits longer for one that may not be there.
const LOOK_TIME: Duration = Duration::from_millis(200);
/// One that the user named may be elsewhere, and may have to embed a word first.
const NAMED_LOOK_TIME: Duration = Duration::from_secs(10);

/// What comes of looking for an embedder.
pub(crate) struct Found {
    pub embedder: Option<Arc<dyn Embedder>>,
    /// By what it was chosen, or why there is none: for a person.
    pub why: String,
    /// What is to be told beside an answer: that the user's choice cannot be had.
    pub note: Option<Note>,
    /// Whether the user wants none.
    pub is_off: bool,
}

impl Found {
    fn nobody(why: impl Into<String>) -> Found {
        Found { embedder: None, why: why.into(), note: None, is_off: false }
    }

    fn off(by: &str) -> Found {
        Found { is_off: true, ..Found::nobody(format!("switched off ({by})")) }
    }

    fn one(embedder: impl Embedder + 'static, why: impl Into<String>) -> Found {
        Found { embedder: Some(Arc::new(embedder)), ..Found::nobody(why) }
    }

    /// The user wants one, and it cannot be had.
    fn lost(error: &EmbedError) -> Found {
        let note = Note::warning(format!("without an embedder: {error}"));
        Found { note: Some(note), ..Found::nobody(error.to_string()) }
    }
}

/// Who turns texts into vectors, if anybody does. Unless the user asked for Ollama by name, only a server on this machine is asked, and
/// gets texts.
pub(crate) fn find(settings: &Settings) -> Found {
    let chosen_by = settings.embedder.origin.to_string();
    match &settings.embedder.value {
        EmbedderChoice::Off => Found::off(&chosen_by),
        EmbedderChoice::Ollama => match ollama(settings, NAMED_LOOK_TIME) {
            Ok(embedder) => Found::one(embedder, format!("by {chosen_by}")),
            Err(error) => Found::lost(&error),
        },
        EmbedderChoice::Model(name) => installed(name, format!("by {chosen_by}")),
        EmbedderChoice::Auto => match shelf().map_or(Chosen::Nothing, |shelf| shelf.chosen()) {
            Chosen::Off => Found::off("`dossier embedder use off`"),
            Chosen::Model(name) => installed(&name, "by `dossier embedder use`".to_owned()),
            Chosen::Nothing => by_itself(settings),
        },
    }
}

/// The same, for who asks when it is needed, and again where there was none: a server may have come since.
pub(crate) fn source(settings: &Settings) -> EmbedderSource {
    if settings.embedder.value == EmbedderChoice::Off {
        return EmbedderSource::none();
    }
    let settings = settings.clone();
    EmbedderSource::new(move || {
        let Found { embedder, why, note, .. } = find(&settings);
        embedder.ok_or_else(|| note.unwrap_or_else(|| Note::info(why)))
    })
}

/// The models that are installed; `None` where there is no home.
pub(crate) fn shelf() -> Option<Shelf> {
    data_folder().map(|data| Shelf::in_data(&data))
}

#[cfg(feature = "embedded")]
fn installed(name: &ModelName, why: String) -> Found {
    let Some(shelf) = shelf() else {
        return Found::nobody("there is no home folder: set HOME or XDG_DATA_HOME");
    };
    match shelf.open(name) {
        Ok(embedder) => Found::one(embedder, why),
        Err(error) => Found::lost(&error),
    }
}

#[cfg(not(feature = "embedded"))]
fn installed(name: &ModelName, _: String) -> Found {
    let why = format!(
        "this build of dossier runs no models itself, {name} neither: build it with the feature `embedded`"
    );
    Found { note: Some(Note::warning(format!("without an embedder: {why}"))), ..Found::nobody(why) }
}

/// Ollama's, where a server on this machine has it at once.
fn by_itself(settings: &Settings) -> Found {
    let nothing = || Found::nobody("none is chosen, and no Ollama on this machine has one");
    if !OllamaEmbedder::is_local(host(settings)).is_ok_and(|is_local| is_local) {
        return nothing();
    }
    match ollama(settings, LOOK_TIME) {
        Ok(embedder) => Found::one(embedder, "Ollama on this machine has it"),
        Err(error @ EmbedError::Server(ModelError::NoModel { .. })) => Found::nobody(error.to_string()),
        Err(_) => nothing(),
    }
}

fn ollama(settings: &Settings, time: Duration) -> Result<OllamaEmbedder, EmbedError> {
    let model = &settings.models.ollama_embed_model.value;
    OllamaEmbedder::open(host(settings), model, &Deadline::after(time))
}

fn host(settings: &Settings) -> &str {
    settings.models.ollama_host.value.as_ref().map_or("", |host| host.expose())
}
