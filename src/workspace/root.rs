//! Where the workspace begins, from any folder inside it, by Cargo's rules.
//!
//! `cargo locate-project` would know, but cargo obeys what a repository's `.cargo/config.toml` and `rust-toolchain.toml` say.

use std::path::{Path, PathBuf};

use crate::model::Note;

use super::manifest::Manifest;
use super::members;
use super::read::read_small;

/// The root of a workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    /// Canonical, where the folder exists.
    pub path: PathBuf,
    /// What the user should know of how it was found.
    pub notes: Vec<Note>,
}

/// The root of the Cargo workspace that `start` (a folder, or a file in it) lies in: the nearest `Cargo.toml` upwards, or the one above it
/// that has it as a member. Without any the folder itself, with a note. Never fails: a manifest that cannot be read is a note.
pub fn find_root(start: &Path) -> Root {
    let start = start.canonicalize().unwrap_or_else(|_| start.to_owned());
    let start = if start.is_file() { start.parent().map(Path::to_owned).unwrap_or(start) } else { start };
    let mut notes = Vec::new();
    let Some(home) = start.ancestors().find(|folder| manifest_path(folder).is_file()) else {
        let text = format!(
            "no Cargo.toml in {} or above it: its files are taken as they lie; is another folder meant, name it with --workspace",
            start.display()
        );
        return Root { path: start, notes: vec![Note::warning(text)] };
    };
    // What is wrong with it the snapshot tells, which has it as a file.
    let manifest = load(home, &mut Vec::new()).unwrap_or_default();
    let path = if manifest.workspace.is_some() {
        home.to_owned()
    } else {
        workspace_above(home, &manifest, &mut notes).unwrap_or_else(|| home.to_owned())
    };
    Root { path, notes }
}

/// The folder above `home` whose workspace has the package in `home` as a member.
fn workspace_above(home: &Path, manifest: &Manifest, notes: &mut Vec<Note>) -> Option<PathBuf> {
    if let Some(pointer) = manifest.package.as_ref().and_then(|package| package.workspace.as_deref()) {
        return pointed(home, pointer, notes);
    }
    home.ancestors().skip(1).find(|folder| has_member(folder, home, notes)).map(Path::to_owned)
}

/// Where `package.workspace` points to. Only a folder above counts: a repository must not lead to another one's code.
fn pointed(home: &Path, pointer: &str, notes: &mut Vec<Note>) -> Option<PathBuf> {
    let target = home.join(pointer).canonicalize().ok().filter(|target| home.starts_with(target));
    let target =
        target.filter(|target| load(target, notes).is_some_and(|manifest| manifest.workspace.is_some()));
    if target.is_none() {
        notes.push(Note::warning(format!(
            "`package.workspace = \"{pointer}\"` in {} names no workspace above it: taken by itself",
            manifest_path(home).display()
        )));
    }
    target
}

fn has_member(folder: &Path, home: &Path, notes: &mut Vec<Note>) -> bool {
    if !manifest_path(folder).is_file() {
        return false;
    }
    let Some(relative) = home.strip_prefix(folder).ok().and_then(Path::to_str) else { return false };
    let relative = relative.replace(std::path::MAIN_SEPARATOR, "/");
    load(folder, notes).is_some_and(|manifest| members::has(folder, &manifest, &relative))
}

pub(super) fn manifest_path(folder: &Path) -> PathBuf {
    folder.join("Cargo.toml")
}

/// The manifest of a folder; a note where it is broken.
fn load(folder: &Path, notes: &mut Vec<Note>) -> Option<Manifest> {
    let path = manifest_path(folder);
    let parsed = read_small(&path).map_err(|error| error.kind().to_string());
    match parsed.and_then(|text| Manifest::parse(&text)) {
        Ok(manifest) => Some(manifest),
        Err(error) => {
            notes.push(unreadable(folder, &error));
            None
        }
    }
}

fn unreadable(folder: &Path, cause: &str) -> Note {
    let path = manifest_path(folder);
    Note::warning(format!(
        "{} cannot be read ({cause}): as if it were empty until that is mended",
        path.display()
    ))
}

#[cfg(test)]
mod tests {
    use super::super::fixture::Folder;
    use super::*;

    const PACKAGE: &str = "[package]\nname = \"a\"";

    /// From `start`, the root is `expected` (both relative to the fixture), with so many notes.
    fn check(files: &[(&str, &str)], start: &str, expected: &str, notes: usize) {
        let folder = Folder::new(files);
        std::fs::create_dir_all(folder.join(start)).ok();
        let root = find_root(&folder.join(start));
        assert_eq!(root.path, if expected.is_empty() { folder.path() } else { folder.join(expected) });
        assert_eq!(root.notes.len(), notes, "{:?}", root.notes);
    }

    #[test]
    fn a_package_is_found_from_any_folder_and_file_inside() {
        for start in ["", "src", "src/deep/er", "src/lib.rs"] {
            check(&[("Cargo.toml", PACKAGE), ("src/lib.rs", "")], start, "", 0);
        }
    }

    #[test]
    fn members_belong_to_the_workspace_above() {
        let listed = "[workspace]\nmembers = [\"crates/*\", \"./tools/x/\"]\nexclude = [\"crates/out\"]";
        let check = |start, expected| {
            let files = [
                ("Cargo.toml", listed),
                ("crates/a/Cargo.toml", PACKAGE),
                ("crates/out/Cargo.toml", PACKAGE),
                ("crates/deep/er/Cargo.toml", PACKAGE),
                ("tools/x/Cargo.toml", PACKAGE),
            ];
            check(&files, start, expected, 0);
        };
        check("crates/a/src", "");
        check("tools/x", "");
        check("crates/out", "crates/out");
        check("crates/deep/er", "crates/deep/er");
    }

    #[test]
    fn path_dependencies_are_members() {
        let root = "[workspace]\nmembers = [\"m*\"]\nexclude = [\"off\"]\n[package]\nname = \"r\"\n[dependencies]\nx = { path = \"x\" }";
        let dependent = "[package]\nname = \"m\"\n[dev-dependencies]\ny = { path = \"../y\" }\noff = { path = \"../off\" }";
        let files = [
            ("Cargo.toml", root),
            ("m1/Cargo.toml", dependent),
            ("x/Cargo.toml", PACKAGE),
            ("y/Cargo.toml", PACKAGE),
            ("off/Cargo.toml", PACKAGE),
            ("z/Cargo.toml", PACKAGE),
        ];
        check(&files, "x", "", 0);
        check(&files, "y", "", 0);
        check(&files, "off", "off", 0);
        check(&files, "z", "z", 0);
    }

    #[test]
    fn an_inner_workspace_stands_for_itself() {
        let files = [
            ("Cargo.toml", "[workspace]\nmembers = [\"*\"]"),
            ("a/Cargo.toml", "[workspace]\n[package]\nname = \"a\""),
        ];
        check(&files, "a", "a", 0);
    }

    #[test]
    fn a_pointer_to_a_workspace_above_is_followed() {
        let pointing = |to: &str| format!("[package]\nname = \"a\"\nworkspace = \"{to}\"");
        let root = ("Cargo.toml", "[workspace]");
        check(&[root, ("x/y/Cargo.toml", &pointing("../.."))], "x/y", "", 0);
        check(
            &[root, ("x/y/Cargo.toml", &pointing("../z")), ("x/z/Cargo.toml", "[workspace]")],
            "x/y",
            "x/y",
            1,
        );
        check(&[root, ("x/y/Cargo.toml", &pointing("gone"))], "x/y", "x/y", 1);
    }

    #[test]
    fn a_broken_manifest_above_is_a_note_and_ones_own_is_left_to_the_snapshot() {
        check(&[("Cargo.toml", "[package"), ("src/lib.rs", "")], "src", "", 0);
        check(&[("Cargo.toml", "[workspace]\nmembers = [\"a\"]"), ("a/Cargo.toml", "=")], "a", "", 0);
        check(&[("Cargo.toml", "= ="), ("a/Cargo.toml", PACKAGE)], "a", "a", 1);
        let folder = Folder::new(&[]);
        folder.write("Cargo.toml", b"[package]\nname = \"\xff\"");
        assert_eq!(find_root(&folder.path()).path, folder.path());
    }

    #[test]
    fn without_a_manifest_the_folder_itself_is_the_root() {
        check(&[("a/b.rs", "")], "a", "a", 1);
        let gone = Folder::new(&[]).join("gone");
        assert_eq!(find_root(&gone).path, gone);
    }
}
