//! The editor's settings: those that every face has, under their groups, and the few that are an editor's alone.

use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use serde_json::Value as Json;

use super::Server;
use super::editor::CONFIGURATION_TIME;

use crate::config::{Name, Origin, Typed, Value, value_of};
use crate::model::{Deadline, Note};
use crate::rpc::lock;

/// How the editor calls what every face can be told.
const NAMES: [(&str, Name); 18] = [
    ("dossier.context.budget", Name::Budget),
    ("dossier.context.maxFiles", Name::MaxFiles),
    ("dossier.context.depth", Name::Depth),
    ("dossier.context.tests", Name::Tests),
    ("dossier.context.fill", Name::Fill),
    ("dossier.context.lineNumbers", Name::LineNumbers),
    ("dossier.context.maskSecrets", Name::Mask),
    ("dossier.context.format", Name::Format),
    ("dossier.context.include", Name::Include),
    ("dossier.context.exclude", Name::Exclude),
    ("dossier.model.provider", Name::Provider),
    ("dossier.model.name", Name::Model),
    ("dossier.model.baseUrl", Name::BaseUrl),
    ("dossier.model.ollamaHost", Name::OllamaHost),
    ("dossier.model.planner", Name::Planner),
    ("dossier.languageServer.enabled", Name::Lsp),
    ("dossier.languageServer.waitSeconds", Name::WaitLsp),
    ("dossier.daemon.enabled", Name::Daemon),
];

/// How often a wait looks whether it was cancelled.
const SLICE: Duration = Duration::from_millis(20);

/// Seconds: what a slow machine takes for a long answer.
const DEFAULT_TIMEOUT: u64 = 600;
const LONGEST_TIMEOUT: u64 = 86_400;

#[derive(Debug, Clone)]
pub(super) struct Configuration {
    /// What is set of what every face has; it goes before the environment and files.
    pub typed: Vec<Typed>,
    /// Whether a dossier may leave this machine.
    pub allows_remote: bool,
    pub has_lenses: bool,
    /// Of an answer, in seconds.
    pub timeout: u64,
    /// What could not be used.
    pub notes: Vec<Note>,
}

impl Default for Configuration {
    fn default() -> Configuration {
        Configuration {
            typed: Vec::new(),
            allows_remote: false,
            has_lenses: false,
            timeout: DEFAULT_TIMEOUT,
            notes: Vec::new(),
        }
    }
}

impl Configuration {
    /// Out of the editor's section `dossier`.
    pub fn read(section: &Json) -> Configuration {
        let mut own = Configuration::default();
        for (key, name) in NAMES {
            let Some(json) = found(section, key) else { continue };
            match typed(name, json) {
                Ok(Some(value)) => own.typed.push(Typed { name, value, origin: Origin::Flag(key) }),
                Ok(None) => {}
                Err(problem) => own.notes.push(Note::warning(format!("{key}: {problem}: ignored"))),
            }
        }
        let switch = |key| found(section, key).and_then(Json::as_bool).unwrap_or(false);
        own.allows_remote = switch("dossier.model.allowRemote");
        own.has_lenses = switch("dossier.codeLens.enabled");
        let timeout = found(section, "dossier.model.timeoutSeconds").and_then(Json::as_u64);
        own.timeout = timeout.unwrap_or(DEFAULT_TIMEOUT).clamp(1, LONGEST_TIMEOUT);
        own
    }

    /// With one setting more, for one request.
    pub fn with(&self, key: &'static str, name: Name, value: Value) -> Configuration {
        let mut own = self.clone();
        own.typed.retain(|typed| typed.name != name);
        own.typed.push(Typed { name, value, origin: Origin::Flag(key) });
        own
    }
}

/// Counts the settings that are being asked for, so that a request that comes after them goes by them.
#[derive(Debug, Default)]
pub(super) struct Pulls {
    under_way: Mutex<u32>,
    ended: Condvar,
}

/// One of them; it is over when this is dropped.
pub(super) struct Pull(Arc<Server>);

impl Pulls {
    pub fn begin(server: &Arc<Server>) -> Pull {
        *lock(&server.pulls.under_way) += 1;
        Pull(Arc::clone(server))
    }

    /// Waits until none is under way, for as long as an editor may take to answer.
    pub fn wait(&self, cancel: &Deadline) {
        let until = cancel.within(CONFIGURATION_TIME);
        let mut under_way = lock(&self.under_way);
        while *under_way > 0 && !until.is_over() {
            under_way = match self.ended.wait_timeout(under_way, SLICE) {
                Ok((under_way, _)) => under_way,
                Err(poisoned) => poisoned.into_inner().0,
            };
        }
    }
}

impl Drop for Pull {
    fn drop(&mut self) {
        *lock(&self.0.pulls.under_way) -= 1;
        self.0.pulls.ended.notify_all();
    }
}

/// `dossier.a.b` in the section, nested or with dots in its keys, as editors differ.
fn found<'j>(section: &'j Json, key: &str) -> Option<&'j Json> {
    let key = key.strip_prefix("dossier.")?;
    let (group, name) = key.split_once('.')?;
    let section = section.get("dossier").unwrap_or(section);
    section.get(group).and_then(|group| group.get(name)).or_else(|| section.get(key))
}

/// `None`: not set.
fn typed(name: Name, json: &Json) -> Result<Option<Value>, String> {
    let text = match json {
        Json::Null => return Ok(None),
        Json::Array(items) if items.is_empty() => return Ok(None),
        Json::Array(items) => {
            let words = items.iter().map(|item| item.as_str().map(str::to_owned));
            return words
                .collect::<Option<Vec<_>>>()
                .map(|list| Some(Value::List(list)))
                .ok_or_else(|| "expected a list of texts".to_owned());
        }
        Json::String(text) if text.trim().is_empty() => return Ok(None),
        Json::String(text) => text.clone(),
        other => other.to_string(),
    };
    value_of(name, &text).map(Some)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_set_counts_and_what_is_wrong_is_told() {
        let section = json!({
            "context": { "budget": 4096, "tests": "no", "depth": null, "include": ["src/{a,b}/**"], "format": "" },
            "model.name": "qwen",
            "model": { "allowRemote": true, "timeoutSeconds": 0 },
            "languageServer": { "waitSeconds": "many" },
        });
        let read = Configuration::read(&section);
        let names: Vec<Name> = read.typed.iter().map(|typed| typed.name).collect();
        assert_eq!(names, [Name::Budget, Name::Tests, Name::Include, Name::Model]);
        assert_eq!(read.typed[2].value, Value::List(vec!["src/{a,b}/**".to_owned()]));
        assert!(read.allows_remote && !read.has_lenses);
        assert_eq!(read.timeout, 1);
        let told: Vec<&str> = read.notes.iter().map(|note| note.text.as_str()).collect();
        assert_eq!(told, ["dossier.languageServer.waitSeconds: `many` is not a whole number: ignored"]);
        assert!(Configuration::read(&Json::Null).typed.is_empty());
    }
}
