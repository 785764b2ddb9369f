//! The packages of a snapshot, and which of them may import which: from the texts of its manifests alone.

use std::collections::HashMap;

use rayon::prelude::*;

use crate::model::{FileId, FileKind, Note};

use super::manifest::{Dependency, Edition, Manifest, WorkspaceTable};
use super::skipped::NAMES_IN_NOTE;
use super::targets::{PackageFiles, crate_name, targets};
use super::{Package, SourceFile, Target, TargetKind, path};

/// The edition where neither the package nor its workspace names one.
const DEFAULT_EDITION: u16 = 2015;

/// What the manifests say.
#[derive(Debug, Default)]
pub(super) struct Packages {
    /// In the order of their folders.
    pub packages: Vec<Package>,
    pub notes: Vec<Note>,
}

/// A manifest that could be read.
struct Parsed<'a> {
    id: FileId,
    folder: &'a str,
    manifest: Manifest,
}

/// Reads all packages of `files`, which stand in the order of their paths.
pub(super) fn packages(files: &[SourceFile]) -> Packages {
    let (parsed, notes) = parse_all(files);
    let workspaces: HashMap<&str, &Manifest> = parsed
        .iter()
        .filter(|parsed| parsed.manifest.workspace.is_some())
        .map(|parsed| (parsed.folder, &parsed.manifest))
        .collect();
    let mut sources: Vec<&Parsed<'_>> =
        parsed.iter().filter(|parsed| parsed.manifest.package.is_some()).collect();
    sources.sort_by_key(|parsed| parsed.folder);
    let mut packages: Vec<Package> =
        sources.iter().filter_map(|parsed| package(parsed, &workspaces, files)).collect();
    let linked = link(&sources, &packages, &workspaces);
    for (package, dependencies) in packages.iter_mut().zip(linked) {
        package.dependencies = dependencies;
    }
    Packages { packages, notes }
}

/// The innermost package that each file lies in.
pub(super) fn package_of_files(files: &[SourceFile], packages: &[Package]) -> Vec<Option<u32>> {
    let by_folder: HashMap<&str, u32> = (0..).zip(packages).map(|(i, p)| (p.folder.as_str(), i)).collect();
    files
        .iter()
        .map(|file| {
            path::ancestors(path::parent(&file.path)).find_map(|folder| by_folder.get(folder).copied())
        })
        .collect()
}

fn parse_all(files: &[SourceFile]) -> (Vec<Parsed<'_>>, Vec<Note>) {
    let manifests: Vec<(FileId, &SourceFile)> =
        (0..).map(FileId).zip(files).filter(|(_, file)| file.kind == FileKind::Manifest).collect();
    let results: Vec<_> = manifests.par_iter().map(|(_, file)| Manifest::parse(&file.text)).collect();
    let mut parsed = Vec::new();
    let mut broken = Vec::new();
    for ((id, file), result) in manifests.into_iter().zip(results) {
        match result {
            Ok(manifest) => parsed.push(Parsed { id, folder: path::parent(&file.path), manifest }),
            Err(error) => broken.push(format!("{} ({error})", file.path)),
        }
    }
    (parsed, broken_note(&broken).into_iter().collect())
}

fn broken_note(broken: &[String]) -> Option<Note> {
    let first = broken.iter().take(NAMES_IN_NOTE).cloned().collect::<Vec<_>>().join(", ");
    match broken.len() {
        0 => None,
        count if count <= NAMES_IN_NOTE => Some(Note::warning(format!(
            "manifest not readable: {first}: its package is not known until that is mended"
        ))),
        count => Some(Note::warning(format!(
            "{count} manifests not readable, among them {first}: their packages are not known until that is mended"
        ))),
    }
}

fn package(
    parsed: &Parsed<'_>,
    workspaces: &HashMap<&str, &Manifest>,
    files: &[SourceFile],
) -> Option<Package> {
    let table = parsed.manifest.package.as_ref()?;
    let name = table.name.clone().unwrap_or_else(|| path::name(parsed.folder).to_owned());
    let place = PackageFiles { files, folder: parsed.folder, name: &name };
    let targets = targets(&parsed.manifest, table, &place);
    let edition = match table.edition {
        Edition::Year(year) => year,
        Edition::Inherited => workspace_of(parsed, workspaces)
            .and_then(|(_, _, workspace)| workspace.edition)
            .unwrap_or(DEFAULT_EDITION),
    };
    Some(Package {
        name,
        folder: parsed.folder.to_owned(),
        manifest: parsed.id,
        edition,
        targets,
        dependencies: Vec::new(),
    })
}

/// The folder and tables of the workspace that a package inherits from.
fn workspace_of<'w>(
    parsed: &Parsed<'w>,
    workspaces: &HashMap<&'w str, &'w Manifest>,
) -> Option<(&'w str, &'w Manifest, &'w WorkspaceTable)> {
    let pointed = parsed.manifest.package.as_ref().and_then(|package| package.workspace.as_deref());
    let (folder, manifest) = match pointed {
        Some(pointer) => workspaces.get_key_value(path::join(parsed.folder, pointer)?.as_str())?,
        None => path::ancestors(parsed.folder).find_map(|folder| workspaces.get_key_value(folder))?,
    };
    Some((folder, manifest, manifest.workspace.as_ref()?))
}

/// For each package, in order, what it may import.
fn link(
    sources: &[&Parsed<'_>],
    packages: &[Package],
    workspaces: &HashMap<&str, &Manifest>,
) -> Vec<Vec<(String, u32)>> {
    let by_folder: HashMap<&str, u32> = (0..).zip(packages).map(|(i, p)| (p.folder.as_str(), i)).collect();
    let index_at =
        |folder: &str, relative: &str| by_folder.get(path::join(folder, relative)?.as_str()).copied();
    let link_one = |parsed: &&Parsed<'_>| {
        let workspace = workspace_of(parsed, workspaces);
        let resolve = |dependency: &Dependency| {
            let (folder, dependency_source) = match workspace {
                Some((folder, _, tables)) if dependency.inherited => {
                    (folder, tables.dependencies.iter().find(|shared| shared.name == dependency.name)?)
                }
                _ => (parsed.folder, dependency),
            };
            let index = match &dependency_source.path {
                Some(relative) => index_at(folder, relative)?,
                None => patched(dependency_source, parsed, workspace, &index_at)?,
            };
            let package = packages.get(index as usize)?;
            Some((imported_as(dependency_source, package), index))
        };
        let mut dependencies: Vec<_> = parsed.manifest.dependencies.iter().filter_map(resolve).collect();
        dependencies.sort();
        dependencies.dedup();
        dependencies
    };
    sources.iter().map(link_one).collect()
}

/// A dependency on a registry that `[patch]` of the workspace (or of the package alone) turns to a folder.
fn patched(
    dependency: &Dependency,
    parsed: &Parsed<'_>,
    workspace: Option<(&str, &Manifest, &WorkspaceTable)>,
    index_at: &impl Fn(&str, &str) -> Option<u32>,
) -> Option<u32> {
    let real_name = |d: &Dependency| d.package.clone().unwrap_or_else(|| d.name.clone());
    let (folder, manifest) = match workspace {
        Some((folder, manifest, _)) => (folder, manifest),
        None => (parsed.folder, &parsed.manifest),
    };
    let wanted = real_name(dependency);
    let patch = manifest.patches.iter().find(|patch| real_name(patch) == wanted)?;
    index_at(folder, patch.path.as_deref()?)
}

/// The key where it renames the package, else the name of the package's library.
fn imported_as(dependency: &Dependency, package: &Package) -> String {
    if dependency.package.is_some() {
        return crate_name(&dependency.name);
    }
    let is_library = |target: &&Target| matches!(target.kind, TargetKind::Lib | TargetKind::ProcMacro);
    match package.targets.iter().find(is_library) {
        Some(library) => library.name.clone(),
        None => crate_name(&package.name),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::super::fixture::{notes, snapshot};

    /// Packages with targets and dependencies, one a line.
    fn check(files: &[(&str, &str)], expected: Expect) {
        let snapshot = snapshot(files);
        let mut shown = String::new();
        for package in &snapshot.packages {
            shown += &format!("{} in {:?}, {}\n", package.name, package.folder, package.edition);
            for target in &package.targets {
                shown +=
                    &format!("  {:?} {}: {}\n", target.kind, target.name, snapshot.file(target.root).path);
            }
            for (name, index) in &package.dependencies {
                shown += &format!("  -> {name} = {:?}\n", snapshot.packages[*index as usize].folder);
            }
        }
        expected.assert_eq(&shown);
    }

    #[test]
    fn targets_are_found_as_cargo_finds_them() {
        check(
            &[
                ("Cargo.toml", "[package]\nname = \"my-app\"\nedition = \"2021\""),
                ("build.rs", ""),
                ("src/lib.rs", ""),
                ("src/main.rs", ""),
                ("src/bin/one.rs", ""),
                ("src/bin/two/main.rs", ""),
                ("src/bin/two/other.rs", ""),
                ("src/bin/not/a/main.rs", ""),
                ("tests/it.rs", ""),
                ("tests/dir/main.rs", ""),
                ("tests/common/mod.rs", ""),
                ("benches/b-1.rs", ""),
                ("examples/e.rs", ""),
                ("examples/notes.md", ""),
            ],
            expect![[r#"
                my-app in "", 2021
                  Lib my_app: src/lib.rs
                  Bin one: src/bin/one.rs
                  Bin two: src/bin/two/main.rs
                  Bin my_app: src/main.rs
                  Test dir: tests/dir/main.rs
                  Test it: tests/it.rs
                  Bench b_1: benches/b-1.rs
                  Example e: examples/e.rs
                  BuildScript build_script_build: build.rs
            "#]],
        );
    }

    #[test]
    fn explicit_targets_and_switches_are_followed() {
        check(
            &[
                (
                    "Cargo.toml",
                    r#"
                    [package]
                    name = "a"
                    edition = "2024"
                    autotests = false
                    autobins = false
                    build = false
                    [lib]
                    name = "core"
                    path = "core/root.rs"
                    proc-macro = true
                    [[bin]]
                    name = "tool"
                    [[bin]]
                    name = "gone"
                    path = "nowhere.rs"
                    [[test]]
                    name = "runner"
                    "#,
                ),
                ("build.rs", ""),
                ("core/root.rs", ""),
                ("src/lib.rs", ""),
                ("src/bin/tool.rs", ""),
                ("src/bin/unlisted.rs", ""),
                ("tests/runner.rs", ""),
                ("tests/part.rs", ""),
                ("examples/e.rs", ""),
            ],
            expect![[r#"
                a in "", 2024
                  ProcMacro core: core/root.rs
                  Bin tool: src/bin/tool.rs
                  Test runner: tests/runner.rs
                  Example e: examples/e.rs
            "#]],
        );
    }

    #[test]
    fn in_edition_2015_listed_targets_are_all() {
        let manifest = "[package]\nname = \"a\"\n[[bin]]\nname = \"a\"\npath = \"src/main.rs\"";
        check(
            &[("Cargo.toml", manifest), ("src/main.rs", ""), ("src/bin/b.rs", ""), ("tests/t.rs", "")],
            expect![[r#"
                a in "", 2015
                  Bin a: src/main.rs
                  Test t: tests/t.rs
            "#]],
        );
    }

    #[test]
    fn dependencies_of_every_table_are_linked_under_the_name_that_code_uses() {
        let lib = |name: &str| format!("[package]\nname = \"{name}\"\nedition = \"2021\"");
        check(
            &[
                (
                    "app/Cargo.toml",
                    r#"
                    [package]
                    name = "app"
                    edition = "2021"
                    [dependencies]
                    plain-name = { path = "../plain" }
                    renamed = { path = "../real", package = "real-name" }
                    serde = "1"
                    outside = { path = "../../elsewhere" }
                    [dev-dependencies]
                    dev = { path = "../dev" }
                    [build-dependencies.build-dep]
                    path = "../build-dep"
                    [target.'cfg(unix)'.dependencies]
                    unix-only = { path = "../unix" }
                    "#,
                ),
                ("build-dep/Cargo.toml", &lib("build-dep")),
                ("dev/Cargo.toml", &(lib("dev") + "\n[lib]\nname = \"dev_lib\"")),
                ("dev/src/lib.rs", ""),
                ("plain/Cargo.toml", &lib("plain-name")),
                ("real/Cargo.toml", &lib("real-name")),
                ("unix/Cargo.toml", &lib("unix-only")),
            ],
            expect![[r#"
                app in "app", 2021
                  -> build_dep = "build-dep"
                  -> dev_lib = "dev"
                  -> plain_name = "plain"
                  -> renamed = "real"
                  -> unix_only = "unix"
                build-dep in "build-dep", 2021
                dev in "dev", 2021
                  Lib dev_lib: dev/src/lib.rs
                plain-name in "plain", 2021
                real-name in "real", 2021
                unix-only in "unix", 2021
            "#]],
        );
    }

    #[test]
    fn a_virtual_workspace_hands_down_edition_dependencies_and_patches() {
        check(
            &[
                (
                    "Cargo.toml",
                    r#"
                    [workspace]
                    members = ["crates/*"]
                    [workspace.package]
                    edition = "2024"
                    [workspace.dependencies]
                    b = { path = "crates/b" }
                    alias = { path = "crates/c", package = "c" }
                    [patch.crates-io]
                    d = { path = "d" }
                    "#,
                ),
                (
                    "crates/a/Cargo.toml",
                    "[package]\nname = \"a\"\nedition.workspace = true\n[dependencies]\nb.workspace = true\nalias = { workspace = true }\nd = \"1\"",
                ),
                ("crates/b/Cargo.toml", "[package]\nname = \"b\"\nedition = { workspace = true }"),
                ("crates/c/Cargo.toml", "[package]\nname = \"c\"\nedition = \"2021\""),
                ("d/Cargo.toml", "[package]\nname = \"d\"\nedition = \"2018\""),
            ],
            expect![[r#"
                a in "crates/a", 2024
                  -> alias = "crates/c"
                  -> b = "crates/b"
                  -> d = "d"
                b in "crates/b", 2024
                c in "crates/c", 2021
                d in "d", 2018
            "#]],
        );
    }

    #[test]
    fn a_package_that_is_no_member_is_still_a_package() {
        let snapshot = snapshot(&[
            ("Cargo.toml", "[workspace]\nexclude = [\"demo\"]"),
            ("demo/Cargo.toml", "[package]\nname = \"demo\""),
            ("demo/src/main.rs", ""),
            ("README.md", ""),
        ]);
        assert_eq!(snapshot.packages.len(), 1);
        let of =
            |path| snapshot.package_of(snapshot.find(path).unwrap()).map(|package| package.name.as_str());
        assert_eq!(of("demo/src/main.rs"), Some("demo"));
        assert_eq!(of("README.md"), None);
    }

    #[test]
    fn broken_manifests_are_one_note() {
        let files =
            ["a", "b", "c", "d"].map(|name| (format!("{name}/Cargo.toml"), "[package\nname = 1".to_owned()));
        let files: Vec<(&str, &str)> =
            files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        let snapshot = snapshot(&files);
        assert_eq!(snapshot.packages, []);
        assert_eq!(notes(&snapshot).len(), 1);
        assert!(
            notes(&snapshot)[0].starts_with("4 manifests not readable, among them a/Cargo.toml (line 1: ")
        );
    }

    #[test]
    fn odd_manifests_break_nothing() {
        check(
            &[
                (
                    "Cargo.toml",
                    "package = 3\nlib = []\nbin = {}\ndependencies = \"x\"\n[workspace]\nmembers = 1",
                ),
                (
                    "a/Cargo.toml",
                    "\u{feff}[package]\nedition = \"new\"\nbuild = 7\n[dependencies]\na = { path = \".\" }\n[lib]\npath = \"/etc/x.rs\"",
                ),
                ("b/Cargo.toml", "[project]\nname = \"old\"\n[dependencies]\nc = { workspace = true }"),
            ],
            expect![[r#"
                a in "a", 2015
                  -> a = "a"
                old in "b", 2015
            "#]],
        );
    }
}
