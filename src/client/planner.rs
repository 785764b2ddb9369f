//! Who plans: rules, or a model of an Ollama server where one is wanted and there.

use std::time::Duration;

use crate::config::{Planner, Settings};
use crate::llm::{ModelError, Ollama};
use crate::model::{Deadline, Note};
use crate::plan::{ContextAgent, ModelAgent};

/// A server on this machine answers within milliseconds; nobody waits longer for one that may not be there.
const PROBE_TIME: Duration = Duration::from_millis(200);
/// One that the user named may be elsewhere.
const NAMED_PROBE_TIME: Duration = Duration::from_secs(2);

/// The agent, where its server answers and has the model; else what is to be told. Unless the user asked for it, only a
/// server on this machine is asked, and where none is, nothing is told.
pub(crate) fn agent(settings: &Settings) -> (Option<Box<dyn ContextAgent>>, Option<Note>) {
    let is_named = match settings.planner.value {
        Planner::Heuristic => return (None, None),
        Planner::Auto => false,
        Planner::Ollama => true,
    };
    let told = |error: ModelError| format!("planned by rules alone: {error}");
    match found(settings, is_named) {
        Ok(model) => (model.map(|model| Box::new(ModelAgent::new(Box::new(model))) as _), None),
        Err(error) if is_named => (None, Some(Note::warning(told(error)))),
        // A server is there: its user may want to know what it lacks.
        Err(error @ ModelError::NoModel { .. }) => (None, Some(Note::info(told(error)))),
        Err(_) => (None, None),
    }
}

fn found(settings: &Settings, is_named: bool) -> Result<Option<Ollama>, ModelError> {
    let models = &settings.models;
    let host = models.ollama_host.value.as_ref().map_or("", |host| host.expose());
    let model = Ollama::new(host, &models.ollama_model.value)?;
    if !is_named && !model.is_local() {
        return Ok(None);
    }
    model.probe(&Deadline::after(if is_named { NAMED_PROBE_TIME } else { PROBE_TIME }))?;
    Ok(Some(model))
}
