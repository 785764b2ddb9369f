//! The table of servers: what has to be known of one beforehand. Nothing else here names a server.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

/// What is known of a kind of server before one is started.
#[derive(Debug, Clone, Copy)]
pub struct ServerKind {
    /// The language that it answers about, as the protocol names it (`rust`, `cpp`).
    pub language: &'static str,
    /// Its name in reasons, notes and the status.
    pub name: &'static str,
    /// The file in a workspace's root that says that its code is in that language.
    pub manifest: &'static str,
    pub program: Program,
    /// Arguments that make it speak the protocol on its standard streams.
    pub arguments: &'static [&'static str],
    /// Its `initializationOptions`, from the workspace's root and a folder where it may keep what it builds; the answers to
    /// `workspace/configuration` are the same.
    pub options: fn(root: &Path, cache: Option<&Path>) -> Value,
    /// The name under which it asks for its options (`workspace/configuration`).
    pub section: &'static str,
    pub readiness: Readiness,
    pub documents: Documents,
    /// Units of columns to offer, the wished one first; every server may fall back to UTF-16.
    pub encodings: &'static [Encoding],
    /// How long it may take to answer `initialize`.
    pub initialize_limit: Duration,
}

/// A language server's program and the places that only it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Program {
    /// Without the ending that Windows gives programs.
    pub name: &'static str,
    /// Whether rustup has it as a component.
    pub is_rustup_component: bool,
    /// The folders of VS Code's extension that brings it begin so: `rust-lang.rust-analyzer-`.
    pub extension: Option<&'static str>,
    /// How old it may be, where it tells its date.
    pub age: Option<Age>,
    /// The command that installs it.
    pub remedy: &'static str,
}

/// Days as `2024-04-15`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Age {
    /// Older ones do not understand the switches that keep a workspace's code from being run: they are not started.
    pub obeys_since: &'static str,
    /// Older ones lack something that is asked for: a note says so.
    pub complete_since: &'static str,
}

/// What must have happened before it is worth asking a server whether it knows a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readiness {
    /// It tells by `experimental/serverStatus` when it has loaded everything.
    ServerStatus,
    /// It tells nothing: it is asked as soon as it is initialized.
    Asked,
}

/// Where a server has the texts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Documents {
    /// It reads the disk. Nothing is opened: a client that opens a document becomes the authority on its text.
    OnDisk,
    /// It answers about opened documents alone.
    Opened,
}

/// What a column counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    Utf8,
    Utf16,
}

impl Encoding {
    pub fn of_name(name: &str) -> Option<Encoding> {
        [Encoding::Utf8, Encoding::Utf16].into_iter().find(|encoding| encoding.name() == name)
    }

    /// As the protocol names it.
    pub fn name(self) -> &'static str {
        match self {
            Encoding::Utf8 => "utf-8",
            Encoding::Utf16 => "utf-16",
        }
    }
}

/// rust-analyzer loads in seconds, answers `initialize` in 0.04 s; a machine under load may take long to start a program.
const INITIALIZE_LIMIT: Duration = Duration::from_secs(60);

/// Answers of `workspace/symbol` are cut at this many, near matches among them; rust-analyzer's own 128 hides common names.
const SYMBOL_LIMIT: u32 = 1024;

pub const RUST_ANALYZER: ServerKind = ServerKind {
    language: "rust",
    name: "rust-analyzer",
    manifest: "Cargo.toml",
    program: RUST_ANALYZER_PROGRAM,
    arguments: &[],
    options: rust_analyzer_options,
    section: "rust-analyzer",
    readiness: Readiness::ServerStatus,
    documents: Documents::OnDisk,
    encodings: &[Encoding::Utf8, Encoding::Utf16],
    initialize_limit: INITIALIZE_LIMIT,
};

/// By its own history: `checkOnSave` as a switch came on 2023-01-09, and was in Rust's releases at the latest in 1.71 (2023-07);
/// `cargo.targetDir` came on 2024-03-01, in 1.78 (2024-04-29). What else is asked (`searchKind`, `serverStatus`,
/// `relatedTests`, `positionEncodings`) is older than both.
const RUST_ANALYZER_PROGRAM: Program = Program {
    name: "rust-analyzer",
    is_rustup_component: true,
    extension: Some("rust-lang.rust-analyzer-"),
    age: Some(Age { obeys_since: "2023-06-15", complete_since: "2024-04-15" }),
    remedy: "rustup component add rust-analyzer rust-src",
};

/// Every server that Dossier can ask.
const KINDS: [ServerKind; 1] = [RUST_ANALYZER];

impl ServerKind {
    /// The server of this name.
    pub fn named(name: &str) -> Option<ServerKind> {
        KINDS.into_iter().find(|kind| kind.name == name)
    }

    /// The server for the workspace at `root`, by its manifest; the table's first row where there is none.
    pub fn of(root: &Path) -> ServerKind {
        let fits = |kind: &&ServerKind| root.join(kind.manifest).is_file();
        *KINDS.iter().find(fits).unwrap_or(&RUST_ANALYZER)
    }
}

/// Nothing of the workspace is run: no build scripts, no procedural macros, no check on save.
fn rust_analyzer_options(root: &Path, cache: Option<&Path>) -> Value {
    let mut cargo = json!({ "buildScripts": { "enable": false } });
    if let Some(cache) = cache {
        // Else it waits for the user's own cargo, and the user's cargo for it.
        cargo["targetDir"] = json!(cache);
    }
    let mut options = json!({
        "cargo": cargo,
        "procMacro": { "enable": false },
        "checkOnSave": false,
        "cachePriming": { "enable": true },
        "files": { "watcher": "client" },
        "notifications": { "cargoTomlNotFound": false, "unindexedProject": false },
        "workspace": { "symbol": { "search": { "limit": SYMBOL_LIMIT } } },
    });
    let manifest = root.join(RUST_ANALYZER.manifest);
    if manifest.is_file() {
        options["linkedProjects"] = json!([manifest]);
    }
    options
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_the_workspace_is_run() {
        let options = rust_analyzer_options(Path::new("/w"), Some(Path::new("/c")));
        assert_eq!(options["cargo"]["buildScripts"]["enable"], false);
        assert_eq!(options["procMacro"]["enable"], false);
        assert_eq!(options["checkOnSave"], false);
        assert_eq!(options["cargo"]["targetDir"], "/c");
    }
}
