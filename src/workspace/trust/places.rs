//! Where cargo, rustup and rust-analyzer look for their files: in a workspace's root, above it, and in its packages.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use ignore::{DirEntry, WalkBuilder, WalkState};

use super::document::Said;
use super::plain::{self, Plain};
use super::{Finding, cargo_config, server_config, toolchain_file};
use crate::workspace::manifest::Manifest;
use crate::workspace::walk::{self, MAX_ENTRIES};

const MANIFEST: &str = "Cargo.toml";
const CARGO_FOLDER: &str = ".cargo";
/// The one without an ending wins in Cargo; both are looked at.
const CARGO_FILES: [&str; 2] = ["config", "config.toml"];
const SERVER_FILES: [&str; 2] = ["rust-analyzer.toml", ".rust-analyzer.toml"];
/// Folders without packages that are long to walk.
const PASSED_OVER: [&str; 2] = [".git", "node_modules"];

/// What is found in all the places; `root` is canonical.
pub(super) fn look(root: &Path, cargo_home: Option<&Path>) -> Vec<Finding> {
    let mut search = Search { root, own: own_folder(root, cargo_home), findings: Vec::new() };
    for folder in root.ancestors() {
        search.cargo(folder);
        for name in toolchain_file::NAMES {
            let file = folder.join(name);
            search.file(&file, |text| toolchain_file::check(text, &file));
        }
        if folder == root || folder.join(MANIFEST).exists() {
            search.server(folder);
        }
    }
    search.pointer();
    let inner = inner_folders(root);
    for folder in &inner.folders {
        search.cargo(folder);
        search.server(folder);
    }
    if inner.endless {
        let what = "it has too many files to look through";
        search.findings.push(Finding { file: root.display().to_string(), line: None, what: what.to_owned() });
    }
    search.findings
}

/// The user's own `.cargo`. One inside the workspace is the workspace's, whatever the environment says.
fn own_folder(root: &Path, cargo_home: Option<&Path>) -> Option<PathBuf> {
    cargo_home?.canonicalize().ok().filter(|home| !home.starts_with(root))
}

struct Search<'a> {
    root: &'a Path,
    own: Option<PathBuf>,
    findings: Vec<Finding>,
}

impl Search<'_> {
    fn cargo(&mut self, folder: &Path) {
        let cargo = folder.join(CARGO_FOLDER);
        if self.own.is_some() && cargo.canonicalize().ok() == self.own {
            return;
        }
        let is_link = cargo.symlink_metadata().is_ok_and(|found| found.is_symlink());
        for file in CARGO_FILES.map(|name| cargo.join(name)) {
            if is_link && file.symlink_metadata().is_ok() {
                self.found(&file, None, format!("{CARGO_FOLDER} is a link that leads elsewhere"));
            } else {
                self.file(&file, cargo_config::check);
            }
        }
    }

    fn server(&mut self, folder: &Path) {
        for name in SERVER_FILES {
            self.file(&folder.join(name), server_config::check);
        }
    }

    /// Cargo follows `package.workspace` wherever it leads, and obeys the files there; `find_root` follows it upwards only.
    fn pointer(&mut self) {
        let manifest = self.root.join(MANIFEST);
        let Plain::Text(text) = plain::read(&manifest) else { return };
        let package = Manifest::parse(&text).ok().and_then(|manifest| manifest.package);
        let Some(pointer) = package.and_then(|package| package.workspace) else { return };
        if self.root.join(&pointer).canonicalize().ok().as_deref() != Some(self.root) {
            let what = format!("package.workspace leads cargo to another workspace, {pointer:?}");
            self.found(&manifest, None, what);
        }
    }

    fn file(&mut self, file: &Path, check: impl Fn(&str) -> Said) {
        match plain::read(file) {
            Plain::Missing => {}
            Plain::Odd(why) => self.found(file, None, format!("it {why}, so what it could run is not known")),
            Plain::Text(text) => {
                for (line, what) in check(&text) {
                    self.found(file, line, what);
                }
            }
        }
    }

    fn found(&mut self, file: &Path, line: Option<usize>, what: String) {
        let shown = walk::relative(self.root, file).unwrap_or_else(|| file.display().to_string());
        self.findings.push(Finding { file: shown, line, what });
    }
}

/// The folders below the root that hold a manifest, or lie on the way to one.
struct Inner {
    folders: BTreeSet<PathBuf>,
    /// Whether there was more than is walked.
    endless: bool,
}

/// Ignored and hidden folders too: cargo asks nobody what is ignored.
fn inner_folders(root: &Path) -> Inner {
    let folders = Mutex::new(BTreeSet::new());
    let seen = AtomicUsize::new(0);
    let mut builder = WalkBuilder::new(root);
    builder.standard_filters(false).follow_links(false).filter_entry(may_hold_packages);
    builder.build_parallel().run(|| {
        Box::new(|entry| {
            if let Some(folder) = entry.ok().and_then(|entry| package_folder(&entry)) {
                let on_the_way = folder.ancestors().take_while(|folder| *folder != root).map(Path::to_owned);
                if let Ok(mut folders) = folders.lock() {
                    folders.extend(on_the_way);
                }
            }
            let over = seen.fetch_add(1, Ordering::Relaxed) >= MAX_ENTRIES;
            if over { WalkState::Quit } else { WalkState::Continue }
        })
    });
    let folders = folders.into_inner().unwrap_or_default();
    Inner { folders, endless: seen.into_inner() > MAX_ENTRIES }
}

fn may_hold_packages(entry: &DirEntry) -> bool {
    entry.depth() == 0 || !is_folder(entry) || {
        let is_target = entry.file_name() == "target" && entry.path().join("CACHEDIR.TAG").exists();
        !is_target && !PASSED_OVER.iter().any(|name| entry.file_name() == *name)
    }
}

/// The folder that `entry` is the manifest of. Some systems do not tell `cargo.toml` from `Cargo.toml`.
fn package_folder(entry: &DirEntry) -> Option<PathBuf> {
    let is_manifest = |name: &OsStr| name.eq_ignore_ascii_case(MANIFEST);
    let folder = entry.path().parent().filter(|_| is_manifest(entry.file_name()) && entry.depth() > 1)?;
    Some(folder.to_owned())
}

fn is_folder(entry: &DirEntry) -> bool {
    entry.file_type().is_some_and(|kind| kind.is_dir())
}
