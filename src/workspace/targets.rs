//! The targets of one package: what its manifest says, and what Cargo finds by itself.

use crate::model::FileId;

use super::manifest::{BuildScripts, Edition, Manifest, PackageTable, TargetTable};
use super::{SourceFile, Target, TargetKind, path};

/// The package whose targets are wanted.
pub(super) struct PackageFiles<'a> {
    pub files: &'a [SourceFile],
    /// Relative to the root.
    pub folder: &'a str,
    pub name: &'a str,
}

/// A kind of target that has a folder of its own, in which Cargo looks for more.
struct Section<'a> {
    kind: TargetKind,
    folder: &'a str,
    tables: &'a [TargetTable],
    auto: Option<bool>,
}

/// All targets whose root file is in the snapshot, by kind, then by root file.
pub(super) fn targets(manifest: &Manifest, package: &PackageTable, place: &PackageFiles<'_>) -> Vec<Target> {
    let mut targets: Vec<Target> = library(manifest, package, place).into_iter().collect();
    for section in sections(manifest, package) {
        targets.extend(section_targets(&section, package, place));
    }
    targets.extend(build_scripts(package, place));
    targets.sort_by(|a, b| (a.kind, a.root, &a.name).cmp(&(b.kind, b.root, &b.name)));
    targets.dedup_by(|a, b| a.kind == b.kind && a.root == b.root);
    targets
}

/// A name as code spells it.
pub(super) fn crate_name(name: &str) -> String {
    name.replace('-', "_")
}

fn sections<'a>(manifest: &'a Manifest, package: &PackageTable) -> [Section<'a>; 4] {
    let section = |kind, folder, tables, auto| Section { kind, folder, tables, auto };
    [
        section(TargetKind::Bin, "src/bin", &manifest.bins[..], package.autobins),
        section(TargetKind::Test, "tests", &manifest.tests[..], package.autotests),
        section(TargetKind::Bench, "benches", &manifest.benches[..], package.autobenches),
        section(TargetKind::Example, "examples", &manifest.examples[..], package.autoexamples),
    ]
}

fn library(manifest: &Manifest, package: &PackageTable, place: &PackageFiles<'_>) -> Option<Target> {
    let table = manifest.lib.as_ref();
    if table.is_none() && package.autolib == Some(false) {
        return None;
    }
    let root = place.file(table.and_then(|lib| lib.path.as_deref()).unwrap_or("src/lib.rs"))?;
    let name = table.and_then(|lib| lib.name.as_deref()).unwrap_or(place.name);
    let kind = match table {
        Some(lib) if lib.proc_macro => TargetKind::ProcMacro,
        _ => TargetKind::Lib,
    };
    Some(Target { kind, name: crate_name(name), root })
}

fn section_targets(section: &Section<'_>, package: &PackageTable, place: &PackageFiles<'_>) -> Vec<Target> {
    let found = discover(section, place);
    let explicit = section.tables.iter().filter_map(|table| explicit(section.kind, table, &found, place));
    let mut targets: Vec<Target> = explicit.collect();
    if section.auto.unwrap_or_else(|| looks_by_itself(section, package)) {
        targets.extend(found.into_iter().filter(|target| !section.tables.iter().any(|t| names(t, target))));
    }
    targets
}

/// Cargo looks for targets by itself since 2018; in 2015 only where the manifest lists none.
fn looks_by_itself(section: &Section<'_>, package: &PackageTable) -> bool {
    package.edition != Edition::default() || section.tables.is_empty()
}

fn names(table: &TargetTable, target: &Target) -> bool {
    table.name.as_deref().is_some_and(|name| crate_name(name) == target.name)
}

/// A target of the manifest: at its path, or where Cargo would look for its name.
fn explicit(
    kind: TargetKind,
    table: &TargetTable,
    found: &[Target],
    place: &PackageFiles<'_>,
) -> Option<Target> {
    if let Some(path) = &table.path {
        let name = table.name.as_deref().unwrap_or_else(|| path::stem(path));
        return Some(Target { kind, name: crate_name(name), root: place.file(path)? });
    }
    found.iter().find(|target| names(table, target)).cloned()
}

/// `FOLDER/*.rs` and `FOLDER/*/main.rs`, for programs `src/main.rs` too.
fn discover(section: &Section<'_>, place: &PackageFiles<'_>) -> Vec<Target> {
    let mut found = Vec::new();
    if section.kind == TargetKind::Bin
        && let Some(root) = place.file("src/main.rs")
    {
        found.push(Target { kind: section.kind, name: crate_name(place.name), root });
    }
    for (id, rest) in place.files_in(section.folder) {
        let name = match rest.split_once('/') {
            Some((name, "main.rs")) => Some(name),
            Some(_) => None,
            None => rest.strip_suffix(".rs"),
        };
        if let Some(name) = name {
            found.push(Target { kind: section.kind, name: crate_name(name), root: id });
        }
    }
    found
}

fn build_scripts(package: &PackageTable, place: &PackageFiles<'_>) -> Vec<Target> {
    let default = ["build.rs".to_owned()];
    let paths = match &package.build {
        BuildScripts::Default => &default[..],
        BuildScripts::Off => &[],
        BuildScripts::Paths(paths) => paths,
    };
    paths
        .iter()
        .filter_map(|path| place.file(path))
        .map(|root| Target { kind: TargetKind::BuildScript, name: "build_script_build".to_owned(), root })
        .collect()
}

impl PackageFiles<'_> {
    /// The file at a path relative to the package.
    fn file(&self, relative: &str) -> Option<FileId> {
        let path = path::join(self.folder, relative)?;
        let index = self.files.binary_search_by(|file| file.path.as_str().cmp(&path)).ok()?;
        Some(FileId(u32::try_from(index).ok()?))
    }

    /// The files below a folder of the package, each with its path from there.
    fn files_in(&self, relative: &str) -> impl Iterator<Item = (FileId, &str)> {
        let prefix = path::join(self.folder, relative).unwrap_or_default() + "/";
        let first = self.files.partition_point(|file| file.path < prefix);
        let ids = (0..).map(FileId);
        let files = ids.zip(self.files).skip(first);
        files.map_while(move |(id, file)| Some((id, file.path.strip_prefix(&prefix)?)))
    }
}
