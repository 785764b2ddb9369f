//! Where the session is: in the daemon, or in this process. Each question brings the texts that it goes by.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;

use super::forward::Forward;
use super::texts::Texts;
use crate::client;
use crate::config::Settings;
use crate::daemon::{Connection, Lost, build};
use crate::model::Deadline;
use crate::rpc::{Wire, lock};
use crate::session::protocol::{Method, Overlay, OverlayParams};
use crate::session::{Caller, Dispatch, Failure, Lender, Overlays, Sessions};

/// A daemon that has not answered by then has lost the request: a workspace of the largest size is read in less.
const DAEMON_TIME: Duration = Duration::from_secs(60);

/// The way to the session, made when it is first needed.
pub(super) struct Link {
    forward: Arc<Forward>,
    way: Mutex<Option<Arc<Way>>>,
}

enum Way {
    Daemon { connection: Connection, told: Mutex<Told> },
    Own(Box<Own>),
}

/// The session's texts, by root and path from there.
type Told = BTreeMap<(String, String), Arc<str>>;

struct Own {
    dispatch: Dispatch,
    sessions: Arc<Sessions>,
    lender: Arc<Lender>,
    overlays: Mutex<(Told, Arc<Overlays>)>,
    /// Of our own, for as long as the process lives.
    _folder: Option<tempfile::TempDir>,
}

/// What a question goes by.
pub(super) struct Scene<'a> {
    pub settings: &'a Settings,
    pub texts: &'a Texts,
    /// The workspaces whose texts these may be.
    pub roots: &'a [PathBuf],
    pub cancel: &'a Deadline,
}

/// Why a question has no answer.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unanswered {
    #[error("cancelled")]
    Cancelled,
    /// In the session's words.
    #[error("{0}")]
    Refused(String),
}

impl Link {
    pub fn new(forward: Arc<Forward>) -> Link {
        Link { forward, way: Mutex::default() }
    }

    /// Asks. A daemon that goes away is no trouble: another is started, or this process answers.
    pub fn ask<M: Method>(&self, scene: &Scene<'_>, params: &M::Params) -> Result<M::Answer, Unanswered> {
        let refused = |error: serde_json::Error| Unanswered::Refused(error.to_string());
        let params = serde_json::to_value(params).map_err(refused)?;
        let answer = self.answer(scene, M::NAME, params)?;
        serde_json::from_value(answer).map_err(refused)
    }

    fn answer(&self, scene: &Scene<'_>, method: &str, params: Value) -> Result<Value, Unanswered> {
        for _ in 0..2 {
            let way = self.way(scene.settings, true);
            match ask_over(&way, scene, method, params.clone()) {
                Err(Failed::Lost(error)) => {
                    tracing::info!(%error, "the daemon is gone");
                    self.forget(&way);
                }
                Err(Failed::Unanswered(why)) => return Err(why),
                Ok(answer) => return Ok(answer),
            }
        }
        match ask_over(&self.way(scene.settings, false), scene, method, params) {
            Ok(answer) => Ok(answer),
            Err(Failed::Unanswered(why)) => Err(why),
            Err(Failed::Lost(error)) => Err(Unanswered::Refused(error.to_string())),
        }
    }

    /// Whether a daemon answers, where that is known.
    pub fn is_daemon(&self) -> Option<bool> {
        lock(&self.way).as_ref().map(|way| matches!(**way, Way::Daemon { .. }))
    }

    /// Puts down what was learnt, and ends what runs in this process.
    pub fn close(&self) {
        let way = lock(&self.way).take();
        if let Some(Way::Own(own)) = way.as_deref() {
            own.sessions.close();
        }
    }

    fn way(&self, settings: &Settings, may_be_daemon: bool) -> Arc<Way> {
        let mut way = lock(&self.way);
        if let Some(way) = way.as_ref().filter(|way| may_be_daemon || matches!(***way, Way::Own(_))) {
            return Arc::clone(way);
        }
        let listener = Arc::clone(&self.forward);
        let connection = may_be_daemon.then(|| client::reach_or_start_with(settings, listener)).flatten();
        let new = match connection {
            Some(connection) => Way::Daemon { connection, told: Mutex::default() },
            None => Way::Own(Box::new(Own::start(settings, &self.forward))),
        };
        Arc::clone(way.insert(Arc::new(new)))
    }

    fn forget(&self, gone: &Arc<Way>) {
        let mut way = lock(&self.way);
        if way.as_ref().is_some_and(|way| Arc::ptr_eq(way, gone)) {
            *way = None;
        }
    }
}

enum Failed {
    Lost(Lost),
    Unanswered(Unanswered),
}

impl From<Lost> for Failed {
    fn from(lost: Lost) -> Failed {
        match lost {
            Lost::Refused(why) => Failed::Unanswered(Unanswered::Refused(why)),
            lost => Failed::Lost(lost),
        }
    }
}

fn ask_over(way: &Way, scene: &Scene<'_>, method: &str, params: Value) -> Result<Value, Failed> {
    let texts = told(scene);
    let answer = match way {
        Way::Daemon { connection, told } => {
            // Texts and question go together: another request may go by others.
            let mut told = lock(told);
            for change in differences(&told, &texts) {
                let params = serde_json::to_value(&change).unwrap_or_default();
                connection.tell(Overlay::NAME, params)?;
            }
            *told = texts;
            let waiting = connection.begin(method, params)?;
            drop(told);
            let wait = Duration::from_secs(scene.settings.wait_lsp.value.into());
            connection.wait(&waiting, &scene.cancel.within(DAEMON_TIME + wait)).map_err(Failed::from)
        }
        Way::Own(own) => own.answer(scene, texts, method, params).map_err(Failed::Unanswered),
    };
    if scene.cancel.is_cancelled() { Err(Failed::Unanswered(Unanswered::Cancelled)) } else { answer }
}

/// The scene's texts as the session knows them.
fn told(scene: &Scene<'_>) -> Told {
    let mut told = Told::new();
    for (path, text) in scene.texts {
        for root in scene.roots {
            if let (Some(inside), Some(root)) =
                (path.strip_prefix(root).ok().and_then(Path::to_str), root.to_str())
            {
                let inside = inside.replace(std::path::MAIN_SEPARATOR, "/");
                told.insert((root.to_owned(), inside), Arc::clone(text));
            }
        }
    }
    told
}

/// What has to be told for the session to know `now`.
fn differences(before: &Told, now: &Told) -> Vec<OverlayParams> {
    let overlay = |(workspace, path): &(String, String), text: Option<&Arc<str>>| OverlayParams {
        workspace: workspace.into(),
        path: path.clone(),
        text: text.map(|text| text.to_string()),
    };
    let gone = before.keys().filter(|key| !now.contains_key(*key)).map(|key| overlay(key, None));
    let is_new = |(key, text): &(&(String, String), &Arc<str>)| {
        before.get(*key).is_none_or(|known| !Arc::ptr_eq(known, text) && known != *text)
    };
    gone.chain(now.iter().filter(is_new).map(|(key, text)| overlay(key, Some(text)))).collect()
}

impl Own {
    fn start(settings: &Settings, forward: &Arc<Forward>) -> Own {
        let folder = tempfile::TempDir::with_prefix("dossier-").ok();
        let place = folder.as_ref().map_or_else(std::env::temp_dir, |folder| folder.path().to_owned());
        let sessions = Sessions::new(client::host(settings, &place));
        let wire: std::sync::Weak<dyn Wire> = Arc::<Forward>::downgrade(forward);
        Own {
            dispatch: Dispatch::new(Arc::clone(&sessions), build()),
            sessions,
            lender: Arc::new(Lender::new(wire)),
            overlays: Mutex::default(),
            _folder: folder,
        }
    }

    fn answer(
        &self,
        scene: &Scene<'_>,
        texts: Told,
        method: &str,
        params: Value,
    ) -> Result<Value, Unanswered> {
        let unsaved = {
            let mut known = lock(&self.overlays);
            let (told, overlays) = &mut *known;
            let changes = differences(told, &texts);
            if !changes.is_empty() {
                let new = changes.into_iter().fold(None, |last: Option<Overlays>, change| {
                    Some(last.as_ref().unwrap_or(overlays).with(change))
                });
                *overlays = new.map_or_else(|| Arc::clone(overlays), Arc::new);
            }
            *told = texts;
            Arc::clone(overlays)
        };
        let caller = Caller { unsaved, lender: Some(Arc::clone(&self.lender)) };
        let answer = self.dispatch.answer(&caller, method, params, scene.cancel);
        answer.map_err(|failure| match failure {
            Failure::Cancelled => Unanswered::Cancelled,
            other => Unanswered::Refused(other.to_error().message),
        })
    }
}
