//! Small workspaces for the tests of this module: in memory, in a temporary folder, with a git repository.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Snapshot, WalkOptions};

/// A snapshot in memory.
pub(super) fn snapshot(files: &[(&str, &str)]) -> Snapshot {
    Snapshot::from_files(
        "/w",
        files.iter().map(|(path, text)| (path.to_string(), text.to_string())).collect(),
    )
}

/// A folder that goes away with the value.
pub(super) struct Folder(tempfile::TempDir);

impl Folder {
    pub(super) fn new(files: &[(&str, &str)]) -> Folder {
        let folder = Folder(tempfile::tempdir().unwrap());
        for (path, text) in files {
            folder.write(path, text);
        }
        folder
    }

    pub(super) fn path(&self) -> PathBuf {
        self.0.path().canonicalize().unwrap()
    }

    pub(super) fn join(&self, path: &str) -> PathBuf {
        self.path().join(path)
    }

    pub(super) fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub(super) fn read(&self) -> Snapshot {
        self.read_with(&WalkOptions::default())
    }

    pub(super) fn read_with(&self, options: &WalkOptions) -> Snapshot {
        Snapshot::read(&self.path(), options).unwrap()
    }

    /// Runs git with no settings but its own.
    pub(super) fn git(&self, arguments: &[&str]) -> String {
        git(&self.path(), arguments)
    }

    /// Adds everything and commits it.
    pub(super) fn commit(&self, message: &str) {
        self.git(&["add", "--all", "--force"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message", message]);
    }
}

pub(super) fn git(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .current_dir(folder)
        .args(arguments)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .envs([("GIT_AUTHOR_NAME", "a"), ("GIT_AUTHOR_EMAIL", "a@example.org")])
        .envs([("GIT_COMMITTER_NAME", "c"), ("GIT_COMMITTER_EMAIL", "c@example.org")])
        .envs([("GIT_AUTHOR_DATE", "2024-01-02T03:04:05Z"), ("GIT_COMMITTER_DATE", "2024-01-02T03:04:06Z")])
        .output()
        .unwrap();
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// The paths of a snapshot, in order.
pub(super) fn paths(snapshot: &Snapshot) -> Vec<&str> {
    snapshot.files.iter().map(|file| file.path.as_str()).collect()
}

/// The texts of all notes.
pub(super) fn notes(snapshot: &Snapshot) -> Vec<&str> {
    snapshot.notes.iter().map(|note| note.text.as_str()).collect()
}
