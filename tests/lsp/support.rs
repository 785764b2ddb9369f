//! What the tests of the language-server client share: workspaces on disk, places in words, rust-analyzer.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use dossier::lsp::{At, Launch, Place, Probe, Server, ServerKind};
use dossier::model::Deadline;
use dossier::text::LineIndex;
use dossier::workspace::{Snapshot, WalkOptions};

#[cfg(target_os = "linux")]
use super::double;

/// Enough for a machine that does other things too.
pub const LONG: Duration = Duration::from_secs(120);

/// A workspace in a folder that goes away with the value.
pub struct Workspace {
    folder: tempfile::TempDir,
    pub snapshot: Snapshot,
}

impl Workspace {
    pub fn new(files: &[(&str, &str)]) -> Workspace {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let snapshot = Snapshot::read(folder.path(), &WalkOptions::default()).unwrap();
        Workspace { folder, snapshot }
    }

    /// The snapshot of what is on disk now.
    pub fn read_again(&mut self) {
        self.snapshot = Snapshot::read(&self.root(), &WalkOptions::default()).unwrap();
    }

    pub fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    /// The processes that stand in this folder and run.
    #[cfg(target_os = "linux")]
    pub fn processes(&self) -> Vec<u32> {
        let root = self.root();
        let stands_here =
            |pid: &u32| std::fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|at| at == root);
        double::processes().into_iter().filter(stands_here).collect()
    }

    /// How to start a server here that keeps what it builds beside the workspace.
    pub fn launch(&self, kind: ServerKind, command: Vec<OsString>) -> Launch {
        let cache = Some(self.root().join("target"));
        Launch { kind, command, version: None, root: self.root(), cache, environment: Vec::new() }
    }

    /// The place of `$0` in a piece of a file's text: `basket.$0sum`.
    pub fn at(&self, path: &str, piece: &str) -> At {
        let file = self.snapshot.find(path).unwrap_or_else(|| panic!("no {path}"));
        let (before, after) = piece.split_once("$0").expect("the piece has its `$0`");
        let text = &self.snapshot.file(file).text;
        let start = text.find(&format!("{before}{after}")).unwrap_or_else(|| panic!("no {piece} in {path}"));
        (file, u32::try_from(start + before.len()).unwrap())
    }

    /// `path:line text`
    pub fn show(&self, place: Place) -> String {
        let file = self.snapshot.file(place.file);
        let line = LineIndex::new(&file.text).line(place.span.start);
        format!("{}:{line} {}", file.path, place.span.of(&file.text))
    }

    pub fn show_all(&self, places: impl IntoIterator<Item = Place>) -> Vec<String> {
        places.into_iter().map(|place| self.show(place)).collect()
    }
}

pub fn probe(name: &str, path: &str) -> Probe {
    Probe { name: name.to_owned(), path: path.to_owned() }
}

/// Waits, and fails with what the server said.
pub fn wait(server: &Server, probe: Probe) {
    let is_ready = server.wait_until_ready(&[probe], &Deadline::after(LONG), &mut |_| {});
    assert!(is_ready, "{:?} {:?}", server.status(), server.notes());
}

/// The rust-analyzer of the toolchain, installed if it is missing.
pub fn rust_analyzer() -> Vec<OsString> {
    let which = || {
        let output = Command::new("rustup").args(["which", "rust-analyzer"]).output().ok()?;
        let path = PathBuf::from(String::from_utf8(output.stdout).ok()?.trim());
        (output.status.success() && Path::is_file(&path)).then_some(path)
    };
    let path = which().or_else(|| {
        let installed =
            Command::new("rustup").args(["component", "add", "rust-analyzer", "rust-src"]).status();
        assert!(installed.is_ok_and(|status| status.success()), "rustup has no rust-analyzer");
        which()
    });
    vec![path.expect("rustup says where rust-analyzer is").into_os_string()]
}
