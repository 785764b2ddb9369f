//! The language server of a workspace, whatever became of it: started where it may be, and always able to say how it stands.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::config;
use crate::lsp::find::{self, Places};
use crate::lsp::toolchain::environment;
use crate::lsp::{Encoding, FileChange, Launch, Probe, Server, ServerKind, ServerState, ServerStatus};
use crate::model::{Deadline, FileKind, Note, Role, Symbol, SymbolKind};
use crate::rpc::Wire;
use crate::workspace::Snapshot;
use crate::workspace::trust::{self, Finding, Own, Trust};

use super::Workspace;

/// Names that a server is asked for to see that it has loaded: of so many packages, so many files of each. A file may be
/// compiled for another system alone, and a package may not belong to the workspace that the server loads.
const PROBED_PACKAGES: usize = 8;
const PROBES_OF_A_PACKAGE: usize = 2;
/// A few programs are asked for their versions, each for 5 seconds at most.
const FIND_TIME: Duration = Duration::from_secs(15);
/// The folder in the cache where servers may keep what they build.
const BUILDS: &str = "builds";
/// What makes a workspace need trust is named so often in a note; `dossier trust` names all.
const MOST_FINDINGS: usize = 3;

/// What starting a server needs to know of the user and of this machine.
#[derive(Debug, Clone, Default)]
pub struct ServerOptions {
    pub own: Own,
    pub places: Places,
    /// Where servers may keep what they build.
    pub cache: Option<PathBuf>,
    /// Whether the user has said in an editor that the workspace is to be trusted.
    pub is_trusted: bool,
}

/// A server that runs, or the reason why none does.
pub struct LanguageServer {
    kind: ServerKind,
    running: Option<Server>,
    /// Where none runs.
    status: ServerStatus,
    notes: Vec<Note>,
    is_lent: bool,
}

impl ServerOptions {
    /// What the environment says: `variable` gives a variable's value where it has one, `command` is what the user configured.
    pub fn of_user(
        variable: impl Fn(&str) -> Option<String> + Copy,
        home: Option<PathBuf>,
        command: Option<Vec<String>>,
    ) -> ServerOptions {
        let folder = |name: &str, default: &str| {
            let set = variable(name).map(PathBuf::from).filter(|folder| folder.is_absolute());
            set.or_else(|| Some(home.as_ref()?.join(default)))
        };
        let cargo_home = folder("CARGO_HOME", ".cargo");
        let own = Own {
            cargo_home: cargo_home.clone(),
            trusted_file: config::trusted_file(variable, home.clone()),
        };
        let cache = config::cache_folder(variable, home.clone()).map(|cache| cache.join(BUILDS));
        let places = Places {
            configured: command,
            path: variable("PATH").map(Into::into),
            cargo_home,
            rustup_home: folder("RUSTUP_HOME", ".rustup"),
            rustup_toolchain: variable("RUSTUP_TOOLCHAIN"),
            data_home: folder("XDG_DATA_HOME", ".local/share"),
            home,
        };
        ServerOptions { own, places, cache, is_trusted: false }
    }
}

impl LanguageServer {
    /// None was asked for in the workspace at `root`.
    pub fn absent(root: &Path) -> LanguageServer {
        LanguageServer::without(ServerKind::of(root), ServerState::Absent, Vec::new())
    }

    /// One that a client of ours runs and lends, of the workspace at `root` (canonical). `None` where it is not known, or counts columns
    /// in another way than we do.
    pub(crate) fn lent(
        root: &Path,
        server: &str,
        encoding: &str,
        wire: Box<dyn Wire>,
    ) -> Option<LanguageServer> {
        let (kind, encoding) = (ServerKind::named(server)?, Encoding::of_name(encoding)?);
        let running = Some(Server::lent(kind, root.to_owned(), wire, encoding));
        Some(LanguageServer {
            running,
            is_lent: true,
            ..LanguageServer::without(kind, ServerState::Loading, Vec::new())
        })
    }

    fn without(kind: ServerKind, state: ServerState, notes: Vec<Note>) -> LanguageServer {
        LanguageServer { kind, running: None, status: status(&kind, state), notes, is_lent: false }
    }

    /// Starts one in the workspace at `root` (canonical), unless the workspace needs trust that it does not have or there is
    /// no server: then nothing of the kind runs, and a note says why. Returns before it has loaded.
    pub fn start(root: &Path, options: &ServerOptions) -> LanguageServer {
        let kind = ServerKind::of(root);
        let mut decision = trust::decide(root, &options.own);
        if options.is_trusted {
            decision.trust = Trust::Trusted;
        }
        let mut notes = decision.notes;
        if let Trust::Needed(findings) = decision.trust {
            notes.push(Note::warning(untrusted(&kind, &findings)));
            return LanguageServer::without(kind, ServerState::Untrusted, notes);
        }
        if !root.join(kind.manifest).is_file() {
            let (name, manifest) = (kind.name, kind.manifest);
            let text = format!("{name} is not started: there is no {manifest} in {}", root.display());
            notes.push(Note::warning(text));
            return LanguageServer::without(kind, ServerState::Absent, notes);
        }
        let found = match find::find(&kind.program, &options.places, root, &Deadline::after(FIND_TIME)) {
            Ok(found) => found,
            Err(missing) => {
                notes.push(Note::warning(format!("{missing}: {}", missing.remedy)));
                return LanguageServer::without(kind, ServerState::Absent, notes);
            }
        };
        notes.extend(found.notes);
        let environment = environment(root, &options.places);
        notes.extend(environment.notes);
        let launch = Launch {
            kind,
            command: found.command,
            version: Some(found.version),
            root: root.to_owned(),
            cache: options.cache.clone(),
            environment: environment.variables,
        };
        let running = Some(Server::start(launch));
        LanguageServer { running, ..LanguageServer::without(kind, ServerState::Loading, notes) }
    }

    /// Waits until it has proved that it knows the workspace, the deadline is over, or waiting is of no use; says whether it
    /// has. `told` is given what it is busy with whenever that changes.
    pub fn wait(&self, workspace: &Workspace, deadline: &Deadline, told: &mut dyn FnMut(String)) -> bool {
        let Some(server) = &self.running else { return false };
        let mut tell = |server: &Server| {
            if let Some(progress) = server.progress() {
                told(progress);
            }
        };
        server.wait_until_ready(&probes(workspace), deadline, &mut tell)
    }

    /// Tells it which files differ between what it may have read and `now`.
    pub fn files_changed(&self, before: &Snapshot, now: &Snapshot) {
        let changes = changes(before, now);
        if let Some(server) = self.running.as_ref().filter(|_| !changes.is_empty()) {
            server.files_changed(&changes);
        }
    }

    /// The server, where one runs; whether it is ready it says itself.
    pub fn server(&self) -> Option<&Server> {
        self.running.as_ref()
    }

    pub fn name(&self) -> &'static str {
        self.kind.name
    }

    pub fn status(&self) -> ServerStatus {
        let status = self.running.as_ref().map_or_else(|| self.status.clone(), Server::status);
        ServerStatus { is_lent: self.is_lent, ..status }
    }

    /// Whether a client runs it, which tells it of unsaved texts too.
    pub fn is_lent(&self) -> bool {
        self.is_lent
    }

    /// What a user must know of it.
    pub fn notes(&self) -> Vec<Note> {
        let mut notes = self.notes.clone();
        notes.extend(self.running.iter().flat_map(Server::notes));
        notes
    }

    /// The same for a user who did not ask for one: why none runs is no warning then. `None` where one runs.
    pub fn unasked(&self) -> Option<LanguageServer> {
        let notes = self.notes.iter().map(|note| Note::info(&note.text)).collect();
        let without = || LanguageServer {
            kind: self.kind,
            running: None,
            status: self.status.clone(),
            notes,
            is_lent: false,
        };
        self.running.is_none().then(without)
    }

    /// What a user must know who waited for it in vain.
    pub fn still_loading(&self) -> Option<Note> {
        let status = self.status();
        let part = status.loaded_percent.map(|percent| format!(" ({percent} %)")).unwrap_or_default();
        (status.state == ServerState::Loading).then(|| {
            Note::warning(format!(
                "{} is still loading{part}: the text's own graph answers; --wait-lsp gives it more seconds",
                status.name
            ))
        })
    }
}

fn status(kind: &ServerKind, state: ServerState) -> ServerStatus {
    ServerStatus { name: kind.name.to_owned(), state, version: None, loaded_percent: None, is_lent: false }
}

fn untrusted(kind: &ServerKind, findings: &[Finding]) -> String {
    let named: Vec<String> = findings.iter().take(MOST_FINDINGS).map(Finding::to_string).collect();
    let more = match findings.len().saturating_sub(MOST_FINDINGS) {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    format!(
        "{} is not started, as this workspace could have it run programs ({}{more}): `dossier trust` allows it",
        kind.name,
        named.join("; ")
    )
}

/// Names that the text of the workspace's roots defines.
fn probes(workspace: &Workspace) -> Vec<Probe> {
    let snapshot = &workspace.snapshot;
    let mut probes = Vec::new();
    for package in snapshot.packages.iter().take(PROBED_PACKAGES) {
        let roots = package.targets.iter().map(|target| target.root);
        let roots = roots.filter(|root| snapshot.file(*root).role == Role::Source);
        for root in roots.take(PROBES_OF_A_PACKAGE) {
            let items = workspace.syntax[root.index()].iter().flat_map(|syntax| &syntax.items);
            let path = &snapshot.file(root).path;
            let named = items.filter(|item| is_probe(item)).take(PROBES_OF_A_PACKAGE);
            probes.extend(named.map(|item| Probe { name: item.name.clone(), path: path.clone() }));
        }
    }
    probes
}

fn is_probe(item: &Symbol) -> bool {
    let kinds =
        [SymbolKind::Function, SymbolKind::Struct, SymbolKind::Enum, SymbolKind::Trait, SymbolKind::Module];
    item.parent.is_none() && !item.is_test && kinds.contains(&item.kind)
}

/// Files that matter to a server, by their absolute paths.
fn changes(before: &Snapshot, now: &Snapshot) -> Vec<(PathBuf, FileChange)> {
    let matters = |kind| matches!(kind, FileKind::Rust | FileKind::Manifest);
    let at = |path: &str| now.root.join(path);
    let mut changes = Vec::new();
    for file in now.files.iter().filter(|file| matters(file.kind)) {
        match before.find(&file.path).map(|id| before.file(id)) {
            None => changes.push((at(&file.path), FileChange::Created)),
            Some(old) if old.text.digest() != file.text.digest() => {
                changes.push((at(&file.path), FileChange::Changed))
            }
            Some(_) => {}
        }
    }
    let gone = before.files.iter().filter(|file| matters(file.kind) && now.find(&file.path).is_none());
    changes.extend(gone.map(|file| (at(&file.path), FileChange::Deleted)));
    changes
}
