//! Whether a workspace has a package as its member: listed, by a glob, or because a member depends on its path.

use std::collections::HashSet;
use std::path::Path;

use globset::GlobBuilder;

use super::manifest::{Manifest, WorkspaceTable};
use super::path;
use super::read::read_small;
use super::root::manifest_path;

/// Manifests that are read at most to follow path dependencies.
const MAX_MANIFESTS: usize = 2_000;

/// Whether the package in `package` (relative to `folder`) is a member of the workspace of `folder`.
pub(super) fn has(folder: &Path, manifest: &Manifest, package: &str) -> bool {
    let Some(workspace) = &manifest.workspace else { return false };
    if excludes(workspace, package) {
        return false;
    }
    folders(&workspace.members).any(|member| matches(&member, package))
        || depends_on(folder, manifest, workspace, package)
}

/// What lies below an excluded folder is excluded, unless a member's path (not a glob) names it: Cargo's rule, but for a member `.`,
/// which names the root package alone.
fn excludes(workspace: &WorkspaceTable, package: &str) -> bool {
    let named = folders(&workspace.members)
        .any(|member| path::ancestors(package).any(|folder| !folder.is_empty() && folder == member));
    let excluded: Vec<String> = folders(&workspace.exclude).collect();
    !named && path::ancestors(package).any(|folder| excluded.iter().any(|excluded| matches(excluded, folder)))
}

/// Entries of `members` and `exclude` as paths from the workspace's folder.
fn folders(entries: &[String]) -> impl Iterator<Item = String> {
    entries.iter().filter_map(|entry| path::join("", entry))
}

/// A glob over folders: `*` stays within one.
fn matches(glob: &str, folder: &str) -> bool {
    glob == folder
        || GlobBuilder::new(glob)
            .literal_separator(true)
            .build()
            .is_ok_and(|g| g.compile_matcher().is_match(folder))
}

/// Follows path dependencies from the root package and the listed members.
fn depends_on(folder: &Path, root: &Manifest, workspace: &WorkspaceTable, package: &str) -> bool {
    let mut queue: Vec<String> = paths(root, "").collect();
    queue.extend(workspace.dependencies.iter().filter_map(|shared| path::join("", shared.path.as_deref()?)));
    for member in folders(&workspace.members) {
        expand(folder, "", &member, &mut queue);
    }
    let mut seen = HashSet::new();
    while let Some(next) = queue.pop() {
        if next == package {
            return true;
        }
        if excludes(workspace, &next) || seen.len() >= MAX_MANIFESTS || !seen.insert(next.clone()) {
            continue;
        }
        if let Some(manifest) = load(&folder.join(&next)) {
            queue.extend(paths(&manifest, &next));
        }
    }
    false
}

/// The folders that a manifest's path dependencies name, where they lie in the workspace.
fn paths(manifest: &Manifest, folder: &str) -> impl Iterator<Item = String> {
    manifest.dependencies.iter().filter_map(move |dependency| path::join(folder, dependency.path.as_deref()?))
}

fn load(folder: &Path) -> Option<Manifest> {
    Manifest::parse(&read_small(&manifest_path(folder)).ok()?).ok()
}

/// The folders with a manifest that a glob names, part by part. `**` stands for one folder here: members that only it
/// reaches, and that are not asked for themselves, are not followed.
fn expand(root: &Path, prefix: &str, rest: &str, found: &mut Vec<String>) {
    if found.len() >= MAX_MANIFESTS {
        return;
    }
    let (part, rest) = rest.split_once('/').unwrap_or((rest, ""));
    if part.is_empty() {
        if manifest_path(&root.join(prefix)).is_file() {
            found.push(prefix.to_owned());
        }
        return;
    }
    if !part.contains(['*', '?', '[', '{']) {
        return expand(root, &format!("{prefix}{}{part}", slash(prefix)), rest, found);
    }
    let Ok(entries) = std::fs::read_dir(root.join(prefix)) else { return };
    let mut names: Vec<String> =
        entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    names.sort();
    for name in names.iter().filter(|name| matches(part, name)) {
        expand(root, &format!("{prefix}{}{name}", slash(prefix)), rest, found);
    }
}

fn slash(prefix: &str) -> &'static str {
    if prefix.is_empty() { "" } else { "/" }
}
