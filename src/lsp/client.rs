//! One initialized server: requests by their types, asked again where the server says so, cancelled when their time is over.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use lsp_server::{ErrorCode, ResponseError};
use lsp_types::notification::{DidCloseTextDocument, DidOpenTextDocument, Exit, Initialized, Notification};
use lsp_types::request::{Request, Shutdown};
use lsp_types::{
    DidCloseTextDocumentParams, DidOpenTextDocumentParams, TextDocumentIdentifier, TextDocumentItem, Uri,
};
use serde_json::{Value, json};

use crate::model::Deadline;

use super::convert;
use super::kinds::{Encoding, ServerKind};
use super::process::Streams;
use super::questions::Unanswered;
use super::requests::Initialize;
use crate::rpc::{Listener, Lost, Reply, Transport, Wire, lock};

/// How long the server has to get over what made it say «ask again».
const PAUSE: Duration = Duration::from_millis(50);

/// What a lent server is taken to be able to: where it is not, it says so when it is asked.
const LENT: [&str; 8] = [
    "workspaceSymbolProvider",
    "documentSymbolProvider",
    "definitionProvider",
    "declarationProvider",
    "typeDefinitionProvider",
    "implementationProvider",
    "referencesProvider",
    "callHierarchyProvider",
];

/// A server that let a question's time go by is taken to be busy for so long, or until it answers; questions of that time wait for it
/// briefly. rust-analyzer, where it had much to find out anew, was seen to leave all unanswered for 21 s, and each answer waited 2.7 s.
const BUSY: Duration = Duration::from_secs(10);
const BRIEF: Duration = Duration::from_millis(150);
/// Whoever has more time than a person waits for an answer is not in a hurry.
const PATIENT: Duration = Duration::from_secs(4);

pub(super) struct Client {
    wire: Box<dyn Wire>,
    kind: ServerKind,
    capabilities: Value,
    encoding: Encoding,
    version: Option<String>,
    /// When a question was last given up because its time was over; `None` once one was answered since.
    overdue: Mutex<Option<Instant>>,
    /// The documents that the server was told the texts of.
    opened: Mutex<BTreeSet<Uri>>,
}

impl Client {
    /// Initializes the server at the other end of two streams.
    ///
    /// # Errors
    /// Where it does not answer, answers with an error, or counts columns in units that were not offered.
    pub(super) fn open(
        kind: ServerKind,
        root: &Path,
        options: Value,
        streams: Streams,
        listener: Arc<dyn Listener>,
        deadline: &Deadline,
    ) -> Result<Client, Unanswered> {
        let transport = Transport::open(streams.stdin, streams.stdout, listener);
        let params = initialize_params(&kind, root, options)?;
        let mut client = Client {
            wire: Box::new(transport),
            kind,
            capabilities: Value::Null,
            encoding: Encoding::Utf16,
            version: None,
            overdue: Mutex::default(),
            opened: Mutex::default(),
        };
        let mut answer = client.request::<Initialize>(params, deadline)?;
        client.capabilities = answer.get_mut("capabilities").map(Value::take).unwrap_or_default();
        client.encoding = encoding(&client.capabilities, &kind)?;
        client.version = answer["serverInfo"]["version"].as_str().map(str::to_owned);
        client.notify::<Initialized>(lsp_types::InitializedParams {});
        Ok(client)
    }

    /// A server that runs already, and is asked by somebody who initialized it.
    pub(super) fn lent(kind: ServerKind, wire: Box<dyn Wire>, encoding: Encoding) -> Client {
        let capabilities = LENT.iter().map(|name| ((*name).to_owned(), Value::Bool(true)));
        Client {
            wire,
            kind,
            capabilities: Value::Object(capabilities.collect()),
            encoding,
            version: None,
            overdue: Mutex::default(),
            opened: Mutex::default(),
        }
    }

    /// Asks, and waits for the answer.
    ///
    /// # Errors
    /// Why there is none; an answer of another shape than the protocol's is refused.
    pub(super) fn request<R: Request>(
        &self,
        params: R::Params,
        deadline: &Deadline,
    ) -> Result<R::Result, Unanswered> {
        let params = serde_json::to_value(params).map_err(|error| Unanswered::Refused(error.to_string()))?;
        loop {
            match self.reply(R::METHOD, params.clone(), deadline)? {
                Ok(answer) => return decode::<R>(answer),
                Err(error) if is_to_ask_again(&error) => pause(deadline)?,
                Err(error) if error.code == ErrorCode::MethodNotFound as i32 => {
                    return Err(Unanswered::Unsupported);
                }
                Err(error) => return Err(Unanswered::Refused(error.message)),
            }
        }
    }

    /// How long a question that may go without an answer is waited for: not long while the server is busy with those of before.
    pub(super) fn patience(&self, deadline: &Deadline) -> Deadline {
        let is_busy = lock(&self.overdue).is_some_and(|since| since.elapsed() < BUSY);
        let is_patient = deadline.remaining().is_none_or(|left| left > PATIENT);
        if is_busy && !is_patient { deadline.within(BRIEF) } else { deadline.clone() }
    }

    pub(super) fn notify<N: Notification>(&self, params: N::Params) {
        if let Ok(params) = serde_json::to_value(params) {
            // A server that has ended or does not read learns nothing; the next question finds that out.
            let _ = self.wire.tell(N::METHOD, params);
        }
    }

    /// Whether the server said that it can do this (`referencesProvider`).
    pub(super) fn can(&self, capability: &str) -> bool {
        !matches!(self.capabilities.get(capability), None | Some(Value::Null | Value::Bool(false)))
    }

    pub(super) fn kind(&self) -> &ServerKind {
        &self.kind
    }

    pub(super) fn encoding(&self) -> Encoding {
        self.encoding
    }

    pub(super) fn version(&self) -> Option<&str> {
        self.version.as_deref()
    }

    /// Tells the server the text of a document, once.
    pub(super) fn open_document(&self, uri: &Uri, text: &str) {
        let mut opened = lock(&self.opened);
        if opened.insert(uri.clone()) {
            let (language_id, text) = (self.kind.language.to_owned(), text.to_owned());
            let text_document = TextDocumentItem { uri: uri.clone(), language_id, version: 1, text };
            self.notify::<DidOpenTextDocument>(DidOpenTextDocumentParams { text_document });
        }
    }

    /// The disk counts again, until the document is opened again.
    pub(super) fn close_document(&self, uri: &Uri) {
        let mut opened = lock(&self.opened);
        if opened.remove(uri) {
            let text_document = TextDocumentIdentifier { uri: uri.clone() };
            self.notify::<DidCloseTextDocument>(DidCloseTextDocumentParams { text_document });
        }
    }

    /// Asks the server to end.
    pub(super) fn shut_down(&self, deadline: &Deadline) {
        let _ = self.request::<Shutdown>((), deadline);
        self.notify::<Exit>(());
    }

    fn reply(&self, method: &str, params: Value, deadline: &Deadline) -> Result<Reply, Unanswered> {
        if deadline.is_over() {
            return Err(Unanswered::Deadline);
        }
        let reply = self.wire.ask(method, params, deadline);
        match &reply {
            Ok(_) => *lock(&self.overdue) = None,
            Err(Lost::Deadline) if !deadline.is_cancelled() => *lock(&self.overdue) = Some(Instant::now()),
            Err(_) => {}
        }
        Ok(reply?)
    }
}

impl From<Lost> for Unanswered {
    fn from(lost: Lost) -> Unanswered {
        match lost {
            Lost::Deadline => Unanswered::Deadline,
            Lost::Ended => Unanswered::Ended,
            Lost::Full => Unanswered::Refused("it does not read what it is asked".to_owned()),
        }
    }
}

fn decode<R: Request>(answer: Value) -> Result<R::Result, Unanswered> {
    serde_json::from_value(answer)
        .map_err(|error| Unanswered::Refused(format!("the answer to {} makes no sense: {error}", R::METHOD)))
}

/// The server was about to change its mind: the question stands.
fn is_to_ask_again(error: &ResponseError) -> bool {
    [ErrorCode::ContentModified, ErrorCode::ServerCancelled].iter().any(|code| *code as i32 == error.code)
}

fn pause(deadline: &Deadline) -> Result<(), Unanswered> {
    std::thread::park_timeout(deadline.remaining().map_or(PAUSE, |left| left.min(PAUSE)));
    if deadline.is_over() { Err(Unanswered::Deadline) } else { Ok(()) }
}

/// The encoding that the server chose: UTF-16 where it says nothing.
fn encoding(capabilities: &Value, kind: &ServerKind) -> Result<Encoding, Unanswered> {
    let chosen = capabilities["positionEncoding"].as_str().unwrap_or(Encoding::Utf16.name());
    [Encoding::Utf8, Encoding::Utf16]
        .into_iter()
        .find(|encoding| encoding.name() == chosen)
        .filter(|encoding| kind.encodings.contains(encoding) || *encoding == Encoding::Utf16)
        .ok_or_else(|| Unanswered::Refused(format!("it counts columns in {chosen}")))
}

fn initialize_params(kind: &ServerKind, root: &Path, options: Value) -> Result<Value, Unanswered> {
    let root =
        convert::uri(root).ok_or_else(|| Unanswered::Refused(format!("{} makes no URI", root.display())))?;
    Ok(json!({
        "processId": std::process::id(),
        "clientInfo": { "name": env!("CARGO_PKG_NAME"), "version": env!("CARGO_PKG_VERSION") },
        "rootUri": root,
        "workspaceFolders": [{ "uri": root, "name": "workspace" }],
        "initializationOptions": options,
        "capabilities": capabilities(kind),
    }))
}

/// What this client does. No synchronisation of texts: see [`super::Documents`].
fn capabilities(kind: &ServerKind) -> Value {
    let encodings: Vec<&str> = kind.encodings.iter().map(|encoding| encoding.name()).collect();
    let links = json!({ "linkSupport": true });
    json!({
        "general": { "positionEncodings": encodings },
        "window": { "workDoneProgress": true },
        "workspace": {
            "configuration": true,
            "workspaceFolders": true,
            "didChangeWatchedFiles": { "dynamicRegistration": true },
        },
        "textDocument": {
            "definition": links,
            "declaration": links,
            "typeDefinition": links,
            "implementation": links,
            "callHierarchy": {},
            "documentSymbol": { "hierarchicalDocumentSymbolSupport": true },
        },
        "experimental": { "serverStatusNotification": true },
    })
}
