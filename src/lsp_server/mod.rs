//! The face in an editor: a language server over standard input and output, `docs/lsp.md`.
//!
//! ```text
//! editor ─▶ messages (in order) ─▶ texts, folders, settings
//!                  │ a thread for each request, with the texts of that moment
//!                  ▼
//!                work ─▶ explain, prompt, related ─▶ link ─▶ session (daemon, or this process)
//!                                                     │
//!                 editor's own language server ◀─ forward
//! ```
//!
//! It holds no index and decides nothing: it is a client of the session. Messages are taken in one after the other on one thread, which
//! never waits; so edits and requests keep their order, and a request that waits for the editor holds nothing up.

mod configuration;
mod document;
mod editor;
mod explain;
mod folders;
mod forward;
mod lifecycle;
mod link;
mod messages;
mod prompt;
mod related;
mod requests;
mod texts;
mod trouble;
mod work;

use std::path::Path;
use std::process::ExitCode;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};

use lsp_server::RequestId;
use rustc_hash::FxHashMap;
use serde_json::{Value, json};

use self::configuration::{Configuration, Pulls};
use self::document::Columns;
use self::editor::Editor;
use self::folders::{Folder, Folders};
use self::forward::Forward;
use self::link::Link;
use self::messages::Messages;
use self::requests::Lending;
use self::texts::Documents;
use crate::config::{Name, Origin, Typed, Value as Setting};
use crate::model::Deadline;
use crate::rpc::{Transport, lock};

/// What all requests share.
pub(crate) struct Server {
    editor: Arc<Editor>,
    forward: Arc<Forward>,
    link: Link,
    documents: Mutex<Documents>,
    folders: Mutex<Folders>,
    configuration: Mutex<Configuration>,
    /// Whether settings are being asked for.
    pulls: Pulls,
    /// Of the command line.
    typed: Vec<Typed>,
    lent: Mutex<Vec<Lending>>,
    trusted: Mutex<Option<bool>>,
    phase: Mutex<Phase>,
    under_way: Mutex<FxHashMap<RequestId, UnderWay>>,
    /// Where pages are that the editor is asked to open.
    pages: Mutex<Option<tempfile::TempDir>>,
}

/// A request that is not answered yet.
struct UnderWay {
    cancel: Deadline,
    /// Under which the editor is shown how far it is, and may take it back.
    token: Option<Value>,
}

/// Where the protocol stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    New,
    Running,
    ShutDown,
}

/// Serves until the editor says `exit` or goes. `is_alone`: no daemon is asked.
pub fn main(is_alone: bool) -> ExitCode {
    let (ended, end) = channel();
    let server = Server::new(is_alone);
    let listener = Arc::new(Messages::new(Arc::clone(&server), ended));
    let transport = Transport::open(std::io::stdout(), std::io::stdin(), listener);
    server.editor.connect(transport);
    let _nobody_else_says_so = end.recv();
    server.cancel(|_, _| true);
    server.link.close();
    drop(lock(&server.pages).take());
    match *lock(&server.phase) {
        Phase::ShutDown => ExitCode::SUCCESS,
        Phase::New | Phase::Running => ExitCode::FAILURE,
    }
}

/// Says that the editor is gone.
type Ended = Sender<()>;

impl Server {
    fn new(is_alone: bool) -> Arc<Server> {
        let editor = Arc::<Editor>::default();
        let forward = Forward::new(&editor);
        let alone = || Typed {
            name: Name::Daemon,
            value: Setting::Switch(false),
            origin: Origin::Flag("--no-daemon"),
        };
        Arc::new(Server {
            editor,
            link: Link::new(Arc::clone(&forward)),
            forward,
            documents: Mutex::new(Documents::new(Columns::Utf16)),
            folders: Mutex::default(),
            configuration: Mutex::default(),
            pulls: Pulls::default(),
            typed: is_alone.then(alone).into_iter().collect(),
            lent: Mutex::default(),
            trusted: Mutex::default(),
            phase: Mutex::new(Phase::New),
            under_way: Mutex::default(),
            pages: Mutex::default(),
        })
    }

    /// Takes back the requests that are meant.
    fn cancel(&self, is_meant: impl Fn(&RequestId, &UnderWay) -> bool) {
        let under_way = lock(&self.under_way);
        under_way.iter().filter(|(id, request)| is_meant(id, request)).for_each(|(_, it)| it.cancel.cancel());
    }

    /// The workspaces that are open.
    fn roots(&self) -> Vec<std::path::PathBuf> {
        let mut roots: Vec<_> = lock(&self.folders).all().iter().map(|folder| folder.root.clone()).collect();
        roots.sort();
        roots.dedup();
        roots
    }

    /// Tells the editor how a folder stands.
    fn tell_changed(&self, folder: &Folder, files: Option<u32>, index_age_ms: u64, server: Value) {
        let mut params =
            json!({ "folder": folder.uri, "indexAgeMs": index_age_ms, "languageServer": server });
        if let Some(files) = files {
            params["files"] = json!(files);
        }
        self.editor.tell("dossier/changed", params);
    }

    /// Has the editor open a page of ours.
    fn show_page(&self, name: &str, text: &str) -> std::io::Result<bool> {
        let folder = {
            let mut pages = lock(&self.pages);
            if pages.is_none() {
                *pages = Some(tempfile::TempDir::with_prefix("dossier-")?);
            }
            pages.as_ref().map(|pages| pages.path().to_owned()).unwrap_or_default()
        };
        let path: &Path = &folder.join(name);
        std::fs::write(path, text)?;
        Ok(crate::lsp::uri_of(path).is_some_and(|uri| self.editor.show(uri.as_str())))
    }
}
