//! Building the snapshot: from the disk, or from texts in memory by the same rules.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::model::{FileId, FileKind, Note, Role};

use super::attributes::Attributes;
use super::read::{MAX_FILE_BYTES, MAX_TOTAL_BYTES, Reader, read_small};
use super::roles::Marks;
use super::seen::Seen;
use super::skipped::Skipped;
use super::source::{FileKey, Text, Torn};
use super::walk::{WalkOptions, walk};
use super::{Package, Snapshot, SourceFile, classify, packages, path, roles};

const ATTRIBUTES_FILE: &str = ".gitattributes";

/// Why there is no snapshot at all.
#[derive(Debug, thiserror::Error)]
pub enum WorkspaceError {
    #[error("cannot open the workspace {}", path.display())]
    Root { path: PathBuf, source: std::io::Error },
    #[error("the workspace {} is not a folder: name the folder that holds its Cargo.toml", .0.display())]
    NotAFolder(PathBuf),
    #[error("the pattern `{pattern}` is not a glob")]
    Pattern { pattern: String, source: ignore::Error },
}

impl Snapshot {
    /// Reads the workspace at `root`. What cannot be read is left out, with a note.
    ///
    /// # Errors
    /// Where the root is not a folder that can be opened, or a pattern of the options is not a glob.
    pub fn read(root: &Path, options: &WalkOptions) -> Result<Snapshot, WorkspaceError> {
        Snapshot::read_knowing(root, options, &Seen::default())
    }

    /// The same, where some files are known from before: those that did not change are read when their text is asked for.
    ///
    /// # Errors
    /// As those of `read`.
    pub fn read_knowing(
        root: &Path,
        options: &WalkOptions,
        known: &Seen,
    ) -> Result<Snapshot, WorkspaceError> {
        let failed = |source| WorkspaceError::Root { path: root.to_owned(), source };
        let root = root.canonicalize().map_err(failed)?;
        if !root.is_dir() {
            return Err(WorkspaceError::NotAFolder(root));
        }
        std::fs::read_dir(&root).map_err(failed)?;
        let mut walk = walk(&root, options)?;
        let found = std::mem::take(&mut walk.files);
        let folders = std::mem::take(&mut walk.folders);
        let torn = Torn::default();
        let taken = Reader { root: &root, seen: known, torn: &torn }.read_all(&found, MAX_TOTAL_BYTES);
        let mut skipped = Skipped::from_walk(walk);
        let mut files = Vec::with_capacity(found.len());
        let mut seen = Seen::default();
        for (found, taken) in found.into_iter().zip(taken) {
            if let Some(file) = taken.seen {
                seen.insert(found.path.clone(), file);
            }
            match taken.text {
                Ok((text, marks)) => files.push(source_file(found.path, found.kind, text, marks)),
                Err(skip) => skipped.add(found.path, skip),
            }
        }
        let attributes = read_small(&root.join(ATTRIBUTES_FILE)).unwrap_or_default();
        let snapshot = build(root, files, &attributes, skipped.notes());
        Ok(Snapshot { seen, torn, folders, ..snapshot })
    }

    /// The same workspace with other texts in some of its files, by path. What the file is goes by its text, too.
    pub fn with_texts(&self, texts: &BTreeMap<String, Arc<str>>) -> Snapshot {
        let files = self.files.iter().map(|file| match texts.get(&file.path) {
            Some(text) => SourceFile::new(file.path.clone(), file.kind, text),
            None => file.clone(),
        });
        let attributes = read_small(&self.root.join(ATTRIBUTES_FILE)).unwrap_or_default();
        let snapshot = build(self.root.clone(), files.collect(), &attributes, Vec::new());
        let (notes, folders) = (self.notes.clone(), self.folders.clone());
        Snapshot { notes, folders, seen: self.seen.clone(), torn: Arc::clone(&self.torn), ..snapshot }
    }

    /// The twin in memory, for tests: paths relative to the root, with `/` between the parts. What could not be a candidate on disk is left
    /// out here too; of several texts for one path the first counts.
    pub fn from_files(root: impl Into<PathBuf>, files: Vec<(String, String)>) -> Snapshot {
        let attributes = files
            .iter()
            .find(|(path, _)| path == ATTRIBUTES_FILE)
            .map(|(_, text)| text.clone())
            .unwrap_or_default();
        let mut files: Vec<SourceFile> = files
            .into_iter()
            .filter_map(|(path, text)| {
                let path = path::join("", &path)?;
                let kind = classify::kind_of(&path)?;
                let taken = !classify::is_data(&path, kind, text.len() as u64)
                    && !classify::has_minified_line(kind, &text)
                    && text.len() as u64 <= MAX_FILE_BYTES;
                taken.then(|| SourceFile::new(path, kind, &text))
            })
            .collect();
        files.sort_by(|a, b| a.path.cmp(&b.path));
        files.dedup_by(|later, first| later.path == first.path);
        build(root.into(), files, &attributes, Vec::new())
    }

    /// The file with this id; ids come from this snapshot alone.
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.index()]
    }

    /// The file at a path relative to the root.
    pub fn find(&self, path: &str) -> Option<FileId> {
        self.files
            .binary_search_by(|file| file.path.as_str().cmp(path))
            .ok()
            .map(|index| FileId(index as u32))
    }

    pub fn ids(&self) -> impl Iterator<Item = FileId> + use<> {
        (0..self.files.len() as u32).map(FileId)
    }

    /// Whether a file that was not read at once was found changed, or gone, when its text was asked for: that text is empty.
    pub fn is_torn(&self) -> bool {
        self.torn.load(Ordering::Relaxed)
    }

    /// The package that a file belongs to.
    pub fn package_of(&self, id: FileId) -> Option<&Package> {
        self.packages.get(self.file(id).package? as usize)
    }
}

impl SourceFile {
    /// A file of no package, in memory.
    pub fn new(path: String, kind: FileKind, text: &str) -> SourceFile {
        source_file(path, kind, Text::read(text), Marks::of(kind, text))
    }

    /// What it is known by as long as its path and its text are the same.
    pub fn key(&self) -> FileKey {
        FileKey::of(&self.path, self.text.digest())
    }
}

fn source_file(path: String, kind: FileKind, text: Text, marks: Marks) -> SourceFile {
    SourceFile { path, kind, role: Role::Source, text, package: None, marks }
}

/// Packages and roles, once the texts stand in order.
fn build(root: PathBuf, mut files: Vec<SourceFile>, attributes: &str, mut notes: Vec<Note>) -> Snapshot {
    let read = packages::packages(&files);
    notes.extend(read.notes);
    let owners = packages::package_of_files(&files, &read.packages);
    for (file, owner) in files.iter_mut().zip(owners) {
        file.package = owner;
    }
    let roles = roles::roles(&files, &read.packages, &Attributes::parse(attributes));
    for (file, role) in files.iter_mut().zip(roles) {
        file.role = role;
    }
    Snapshot { root, files, packages: read.packages, notes, ..Snapshot::default() }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{Folder, notes, paths};
    use super::*;

    /// What of `files`, written to a folder, is in the snapshot.
    fn check(files: &[(&str, &str)], expected: &[&str]) {
        assert_eq!(paths(&Folder::new(files).read()), expected);
    }

    fn options(include: &[&str], exclude: &[&str]) -> WalkOptions {
        let owned = |globs: &[&str]| globs.iter().map(|glob| glob.to_string()).collect();
        WalkOptions { include: owned(include), exclude: owned(exclude) }
    }

    #[test]
    fn files_stand_in_the_order_of_their_paths_with_kind_and_text() {
        let folder = Folder::new(&[
            ("src/b.rs", "b\r\n"),
            ("src/a/c.rs", ""),
            ("src/a.rs", "ä"),
            ("q.sql", "select 1"),
        ]);
        let snapshot = folder.read();
        assert_eq!(paths(&snapshot), ["q.sql", "src/a.rs", "src/a/c.rs", "src/b.rs"]);
        for (index, file) in (0..).zip(&snapshot.files) {
            assert_eq!(snapshot.find(&file.path), Some(FileId(index)));
        }
        assert_eq!(snapshot.files[0].kind, FileKind::Sql);
        assert_eq!(&*snapshot.files[3].text, "b\r\n");
        assert_eq!(snapshot.root, folder.path());
        assert_eq!(notes(&snapshot), [""; 0]);
    }

    #[test]
    fn memory_and_disk_give_the_same() {
        let files = [
            ("Cargo.toml", "[package]\nname = \"a\""),
            ("src/lib.rs", "#[cfg(test)] mod t;"),
            ("src/t.rs", ""),
            ("gen/a.rs", ""),
            ("key.pem", "k"),
            ("Cargo.lock", ""),
            ("data.json", &"1,".repeat(100_000)),
            (".gitattributes", "gen/* linguist-generated"),
        ];
        let folder = Folder::new(&files);
        let read = folder.read();
        let owned = files.iter().map(|(path, text)| (path.to_string(), text.to_string())).collect();
        let made = Snapshot::from_files(folder.path(), owned);
        assert_eq!(paths(&read), ["Cargo.toml", "gen/a.rs", "src/lib.rs", "src/t.rs"]);
        assert_eq!(format!("{:?}", read.files), format!("{:?}", made.files));
        assert_eq!((read.packages, read.notes), (made.packages, made.notes));
    }

    #[test]
    fn ignored_and_hidden_files_stay_out() {
        check(
            &[
                (".gitignore", "/out\n*.txt\n"),
                (".ignore", "docs/draft.md\n"),
                (".dossierignore", "legacy/\n"),
                ("sub/.gitignore", "here.rs\n"),
                ("out/a.rs", ""),
                ("notes.txt", ""),
                ("docs/draft.md", ""),
                ("docs/done.md", ""),
                ("legacy/a.rs", ""),
                ("sub/here.rs", ""),
                ("sub/there.rs", ""),
                (".github/ci.yml", ""),
                (".hidden.rs", ""),
                (".env", "KEY=1"),
                ("prod.env", "KEY=1"),
                ("id_rsa", "x"),
                ("a.key", "x"),
                ("node_modules/x/a.json", "{}"),
                ("target/CACHEDIR.TAG", ""),
                ("target/debug/a.rs", ""),
                ("src/target/mod.rs", ""),
            ],
            &["docs/done.md", "src/target/mod.rs", "sub/there.rs"],
        );
    }

    #[test]
    fn ignore_files_above_count_inside_a_git_repository_only() {
        let files = [(".gitignore", "*.sql\n"), ("ws/a.sql", ""), ("ws/a.rs", "")];
        let read = |folder: &Folder| Snapshot::read(&folder.join("ws"), &WalkOptions::default()).unwrap();
        let folder = Folder::new(&files);
        assert_eq!(paths(&read(&folder)), ["a.rs", "a.sql"]);
        folder.git(&["init", "--quiet"]);
        assert_eq!(paths(&read(&folder)), ["a.rs"]);
    }

    #[test]
    fn include_narrows_and_exclude_removes() {
        let folder = Folder::new(&[
            ("Cargo.toml", ""),
            ("a/Cargo.toml", ""),
            ("a/src/auth/mod.rs", ""),
            ("a/src/lib.rs", ""),
            ("b/Cargo.toml", ""),
            ("b/auth.rs", ""),
            ("b/x.md", ""),
            (".gitignore", "skipped.rs"),
            ("skipped.rs", ""),
        ]);
        let check = |include: &[&str], exclude: &[&str], expected: &[&str]| {
            assert_eq!(
                paths(&folder.read_with(&options(include, exclude))),
                expected,
                "{include:?} {exclude:?}"
            );
        };
        check(&["a/src/auth"], &[], &["Cargo.toml", "a/Cargo.toml", "a/src/auth/mod.rs"]);
        check(&["./b/**"], &[], &["Cargo.toml", "b/Cargo.toml", "b/auth.rs", "b/x.md"]);
        check(&["*.md"], &["Cargo.toml"], &["b/x.md"]);
        check(&["skipped.rs"], &[], &[]);
        check(&[], &["b", "a/src/auth/**"], &["Cargo.toml", "a/Cargo.toml", "a/src/lib.rs"]);
        check(&["*.rs"], &["*.rs"], &[]);
    }

    #[test]
    fn a_pattern_that_is_no_glob_is_an_error() {
        let folder = Folder::new(&[]);
        let error = Snapshot::read(&folder.path(), &options(&["src/{a"], &[])).unwrap_err();
        assert_eq!(error.to_string(), "the pattern `src/{a` is not a glob");
    }

    #[test]
    fn what_cannot_be_shown_is_counted_in_one_note_a_cause() {
        let folder = Folder::new(&[("src/lib.rs", "")]);
        folder.write("big.rs", vec![b'x'; 5 << 20]);
        for name in ["b1.rs", "b2.rs", "b3.rs", "b4.md"] {
            folder.write(name, b"a\0b");
        }
        folder.write("latin.sql", b"-- caf\xe9");
        let snapshot = folder.read();
        assert_eq!(paths(&snapshot), ["src/lib.rs"]);
        assert_eq!(
            notes(&snapshot),
            [
                "1 path left out, larger than 1 MB: big.rs",
                "4 paths left out, binary: b1.rs, b2.rs, b3.rs, …",
                "1 path left out, not UTF-8: latin.sql",
            ]
        );
    }

    #[test]
    #[cfg(unix)]
    fn links_are_not_followed() {
        let outside = Folder::new(&[("secret.rs", "")]);
        let folder = Folder::new(&[("src/lib.rs", ""), ("src/deep/a.rs", "")]);
        let link =
            |target: PathBuf, name: &str| std::os::unix::fs::symlink(target, folder.join(name)).unwrap();
        link(folder.path(), "src/deep/loop");
        link(folder.join("self"), "self");
        link(folder.join("src/lib.rs"), "again.rs");
        link(folder.join("gone.rs"), "dangling.rs");
        link(outside.path(), "out");
        link(outside.join("secret.rs"), "secret.rs");
        let snapshot = folder.read();
        assert_eq!(paths(&snapshot), ["src/deep/a.rs", "src/lib.rs"]);
        assert_eq!(notes(&snapshot), ["2 paths not followed, the link leaves the workspace: out, secret.rs"]);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn paths_that_are_not_utf8_are_noted() {
        use std::os::unix::ffi::OsStrExt;
        let folder = Folder::new(&[("a.rs", "")]);
        let odd = folder.path().join(std::ffi::OsStr::from_bytes(b"b\xff"));
        std::fs::create_dir(&odd).unwrap();
        std::fs::write(odd.join("c.rs"), "").unwrap();
        let snapshot = folder.read();
        assert_eq!(paths(&snapshot), ["a.rs"]);
        assert_eq!(notes(&snapshot), ["1 path left out, the path is not UTF-8: b\u{fffd}/c.rs"]);
    }

    #[test]
    #[cfg(unix)]
    fn unreadable_places_are_noted() {
        use std::os::unix::fs::PermissionsExt;
        let folder = Folder::new(&[("a.rs", ""), ("locked.rs", ""), ("shut/b.rs", "")]);
        let set = |name: &str, mode| {
            std::fs::set_permissions(folder.join(name), std::fs::Permissions::from_mode(mode)).unwrap();
        };
        set("locked.rs", 0o000);
        set("shut", 0o000);
        if std::fs::read(folder.join("locked.rs")).is_ok() {
            return; // root reads everything
        }
        let snapshot = folder.read();
        set("shut", 0o755);
        assert_eq!(paths(&snapshot), ["a.rs"]);
        assert_eq!(
            notes(&snapshot),
            ["2 paths cannot be read: shut (permission denied), locked.rs (permission denied)"]
        );
    }

    #[test]
    fn ten_thousand_files_are_read() {
        let folder = Folder::new(&[]);
        folder.write("one.rs", "fn a() {}\n");
        let path = folder.path();
        for index in 1..10_000 {
            if index % 100 == 1 {
                std::fs::create_dir(path.join(format!("d{}", (index - 1) / 100))).unwrap();
            }
            // A hard link is a file like any other, and made much faster than one.
            std::fs::hard_link(path.join("one.rs"), path.join(format!("d{}/f{index}.rs", (index - 1) / 100)))
                .unwrap();
        }
        assert_eq!(folder.read().files.len(), 10_000);
    }

    #[test]
    fn an_empty_workspace_is_a_snapshot() {
        let snapshot = Folder::new(&[]).read();
        assert!(snapshot.files.is_empty() && snapshot.packages.is_empty() && snapshot.notes.is_empty());
    }

    #[test]
    fn a_root_that_is_no_folder_is_an_error() {
        let folder = Folder::new(&[("a.rs", "")]);
        let read = |path: &str| Snapshot::read(&folder.join(path), &WalkOptions::default());
        assert!(matches!(read("gone"), Err(WorkspaceError::Root { .. })));
        assert!(matches!(read("a.rs"), Err(WorkspaceError::NotAFolder(_))));
    }

    #[test]
    fn a_pipe_is_not_opened() {
        let folder = Folder::new(&[("a.rs", "")]);
        let made = std::process::Command::new("mkfifo").arg(folder.join("pipe.rs")).status();
        if made.is_ok_and(|status| status.success()) {
            assert_eq!(paths(&folder.read()), ["a.rs"]);
        }
    }

    proptest::proptest! {
        #[test]
        fn any_paths_and_texts_make_a_snapshot(files in proptest::collection::vec(("[a-c./\\\\C:]{0,9}(\\.rs|\\.toml|\\.md|Cargo\\.toml)?", ".{0,40}"), 0..9)) {
            let snapshot = Snapshot::from_files("/w", files);
            for (id, file) in snapshot.ids().zip(&snapshot.files) {
                assert_eq!(snapshot.find(&file.path), Some(id));
            }
        }

        #[test]
        fn any_text_is_a_manifest_or_an_error(text in "(\\[(package|workspace|lib|dependencies)\\]\n|(name|path|members|a) = (1|\"x\"|\\[\"\\.\\.\"\\]|\\{path = \"/\"\\})\n|.){0,12}") {
            Snapshot::from_files("/w", vec![("Cargo.toml".to_owned(), text)]);
        }
    }
}
