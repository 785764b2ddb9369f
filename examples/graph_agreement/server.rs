//! rust-analyzer, asked for definitions and references. It runs nothing of the workspace: no build scripts, no procedural
//! macros, no check on save, no wrapper of the compiler, no toolchain of the repository's choice.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use lsp_server::{Message, Response};
use lsp_types::{GotoDefinitionResponse, InitializeResult, Location, PositionEncodingKind};
use serde_json::{Value, json};

use crate::answers::{Place, Question, Target};
use crate::transport::Transport;

const INITIALIZE_LIMIT: Duration = Duration::from_secs(60);
/// The first request after loading infers much of the workspace.
const REQUEST_LIMIT: Duration = Duration::from_secs(300);
const RETRY_PAUSE: Duration = Duration::from_millis(500);
/// `ContentModified` and `ServerCancelled`: ask again.
const ASK_AGAIN: [i32; 2] = [-32801, -32802];
const MAX_ATTEMPTS: u32 = 50;

pub struct Server {
    transport: Transport,
    root: PathBuf,
    config: Value,
    state: LoadState,
    /// Where cargo may write what it builds; removed with the server.
    _target: tempfile::TempDir,
}

/// What the server has told about its loading.
#[derive(Default)]
struct LoadState {
    quiescent: bool,
    trouble: Option<String>,
}

impl Server {
    /// A server for the workspace at `root`, initialized but still loading.
    pub fn start(root: &Path) -> Result<Server> {
        let target = tempfile::tempdir()?;
        let mut command = Command::new(find()?);
        command.current_dir(root).env("RUSTC_WRAPPER", "").env("RUSTUP_TOOLCHAIN", "stable");
        let config = config(target.path());
        let transport = Transport::start(command)?;
        let root = root.to_path_buf();
        let mut server = Server { transport, root, config, state: LoadState::default(), _target: target };
        server.initialize()?;
        Ok(server)
    }

    /// Waits until everything is loaded and a name that is known to exist is found.
    pub fn wait_until_ready(&mut self, known_name: &str, limit: Duration) -> Result<()> {
        let end = Instant::now() + limit;
        while !self.state.quiescent {
            self.serve(end)?;
            if Instant::now() >= end {
                bail!("rust-analyzer was still loading after {limit:?}");
            }
        }
        if let Some(trouble) = &self.state.trouble {
            bail!("rust-analyzer cannot load the workspace: {trouble}");
        }
        let params = json!({ "query": known_name, "searchScope": "workspace", "searchKind": "allSymbols" });
        while Instant::now() < end {
            let found = self.request("workspace/symbol", &params)?;
            if found.as_array().is_some_and(|symbols| symbols.iter().any(|it| it["name"] == known_name)) {
                return Ok(());
            }
            self.serve(Instant::now() + RETRY_PAUSE)?;
        }
        bail!("rust-analyzer did not find `{known_name}` within {limit:?}")
    }

    /// The places that answer a question, sorted; empty where the server knows none.
    pub fn ask(&mut self, question: Question, place: &Place) -> Result<Vec<Target>> {
        let mut params = json!({
            "textDocument": { "uri": file_uri(&self.root.join(&place.path)) },
            "position": { "line": place.line - 1, "character": place.column },
        });
        let locations = match question {
            Question::Definition => {
                let answer = self.request("textDocument/definition", &params)?;
                serde_json::from_value::<Option<GotoDefinitionResponse>>(answer)?.map_or(vec![], locations)
            }
            Question::References => {
                params["context"] = json!({ "includeDeclaration": false });
                let answer = self.request("textDocument/references", &params)?;
                serde_json::from_value::<Option<Vec<Location>>>(answer)?.unwrap_or_default()
            }
        };
        let mut targets: Vec<Target> = locations.iter().map(|location| self.target(location)).collect();
        targets.sort();
        targets.dedup();
        Ok(targets)
    }

    fn initialize(&mut self) -> Result<()> {
        let root = file_uri(&self.root);
        let params = json!({
            "processId": std::process::id(),
            "rootUri": root,
            "workspaceFolders": [{ "uri": root, "name": "workspace" }],
            "initializationOptions": self.config,
            "capabilities": {
                "general": { "positionEncodings": ["utf-8"] },
                "window": { "workDoneProgress": true },
                "workspace": { "configuration": true, "workspaceFolders": true },
                "textDocument": { "definition": { "linkSupport": true } },
                "experimental": { "serverStatusNotification": true },
            },
        });
        let Server { transport, config, state, .. } = self;
        let answer =
            transport.request("initialize", params, INITIALIZE_LIMIT, |it| state.take(it, config))?;
        let result: InitializeResult =
            serde_json::from_value(answer.map_err(|it| anyhow::anyhow!(it.message))?)?;
        if result.capabilities.position_encoding != Some(PositionEncodingKind::UTF8) {
            bail!("rust-analyzer does not count columns in bytes");
        }
        self.transport.notify("initialized", json!({}))
    }

    fn request(&mut self, method: &str, params: &Value) -> Result<Value> {
        for _ in 0..MAX_ATTEMPTS {
            let Server { transport, config, state, .. } = self;
            match transport.request(method, params.clone(), REQUEST_LIMIT, |it| state.take(it, config))? {
                Ok(answer) => return Ok(answer),
                Err(error) if ASK_AGAIN.contains(&error.code) => self.serve(Instant::now() + RETRY_PAUSE)?,
                Err(error) => bail!("{method}: {}", error.message),
            }
        }
        bail!("{method}: cancelled {MAX_ATTEMPTS} times")
    }

    /// Serves the server's own messages until `end`, or until it has said that everything is loaded.
    fn serve(&mut self, end: Instant) -> Result<()> {
        let Server { transport, config, state, .. } = self;
        transport.serve(end, |it| state.take(it, config), is_status)
    }

    fn target(&self, location: &Location) -> Target {
        let line = location.range.start.line + 1;
        let path = file_path(location.uri.as_str());
        let inside = path.as_ref().and_then(|path| path.strip_prefix(&self.root).ok()?.to_str());
        Target { path: inside.map(str::to_string), line }
    }
}

impl LoadState {
    /// Takes note of a message of the server; gives the response if it is a request.
    fn take(&mut self, message: &Message, config: &Value) -> Option<Response> {
        match message {
            Message::Request(request) => {
                let result = match request.method.as_str() {
                    "workspace/configuration" => {
                        let asked = request.params["items"].as_array().map_or(0, Vec::len);
                        json!(vec![config; asked])
                    }
                    _ => Value::Null,
                };
                Some(Response::new_ok(request.id.clone(), result))
            }
            Message::Notification(status) if is_status(message) => {
                self.quiescent = status.params["quiescent"] == true;
                let trouble =
                    status.params["message"].as_str().filter(|_| status.params["health"] == "error");
                self.trouble = trouble.map(str::to_string);
                None
            }
            _ => None,
        }
    }
}

fn is_status(message: &Message) -> bool {
    matches!(message, Message::Notification(it) if it.method == "experimental/serverStatus")
}

fn config(target: &Path) -> Value {
    json!({
        "cargo": { "targetDir": target, "buildScripts": { "enable": false } },
        "procMacro": { "enable": false },
        "checkOnSave": false,
        "cachePriming": { "enable": false },
    })
}

/// rustup's proxy exists even where the component does not, so rustup is asked first.
fn find() -> Result<PathBuf> {
    let asked = Command::new("rustup").args(["which", "--toolchain", "stable", "rust-analyzer"]).output();
    if let Some(output) = asked.ok().filter(|output| output.status.success()) {
        return Ok(PathBuf::from(String::from_utf8(output.stdout)?.trim()));
    }
    let on_path = Command::new("rust-analyzer").arg("--version").output();
    on_path
        .ok()
        .filter(|output| output.status.success())
        .map(|_| PathBuf::from("rust-analyzer"))
        .context("there is no rust-analyzer: rustup component add rust-analyzer rust-src")
}

fn locations(response: GotoDefinitionResponse) -> Vec<Location> {
    match response {
        GotoDefinitionResponse::Scalar(location) => vec![location],
        GotoDefinitionResponse::Array(locations) => locations,
        GotoDefinitionResponse::Link(links) => links
            .into_iter()
            .map(|link| Location { uri: link.target_uri, range: link.target_selection_range })
            .collect(),
    }
}

fn file_uri(path: &Path) -> String {
    let mut uri = String::from("file://");
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'-' | b'_' | b'.' | b'~' => uri.push(char::from(*byte)),
            byte if byte.is_ascii_alphanumeric() => uri.push(char::from(*byte)),
            byte => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

fn file_path(uri: &str) -> Option<PathBuf> {
    let mut bytes = Vec::new();
    let mut rest = uri.strip_prefix("file://")?.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digits = [rest.next()?, rest.next()?];
            bytes.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok().map(PathBuf::from)
}
