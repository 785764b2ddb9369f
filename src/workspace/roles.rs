//! What each file is used for: by its target, its folder, and what its text says.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::model::{FileKind, Role};

use super::attributes::Attributes;
use super::markers::{self, TestMarks, TestModule};
use super::{Package, SourceFile, Target, TargetKind, path};

/// Folders of other people's code.
const VENDOR_FOLDERS: [&str; 5] = ["vendor", "vendored", "third_party", "third-party", "thirdparty"];

/// Folders of a package that Cargo itself reserves.
const TARGET_FOLDERS: [(&str, Role); 3] =
    [("tests", Role::Test), ("benches", Role::Bench), ("examples", Role::Example)];

/// What a file's text says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Marks {
    generated: bool,
    tests: TestMarks,
}

impl Marks {
    pub(super) fn of(kind: FileKind, text: &str) -> Marks {
        let tests = if kind == FileKind::Rust { markers::test_marks(text) } else { TestMarks::default() };
        Marks { generated: markers::is_generated(kind, text), tests }
    }
}

/// One role a file, in order. `packages` is complete; `SourceFile::package` is set.
pub(super) fn roles(files: &[SourceFile], packages: &[Package], attributes: &Attributes) -> Vec<Role> {
    let by_targets = TargetRoles::new(files, packages);
    let test_modules = TestModules::new(files, packages);
    files
        .iter()
        .map(|file| {
            if in_vendor_folder(&file.path) || attributes.is_vendored(&file.path) {
                Role::Vendored
            } else if file.marks.generated || attributes.is_generated(&file.path) {
                Role::Generated
            } else if file.marks.tests.whole_file || test_modules.contains(&file.path) {
                Role::Test
            } else {
                by_targets.of(file, packages)
            }
        })
        .collect()
}

fn in_vendor_folder(path: &str) -> bool {
    path::parent(path).split('/').any(|part| VENDOR_FOLDERS.contains(&part))
}

/// Which files and folders belong to targets other than libraries and programs.
struct TargetRoles {
    files: Vec<(String, Role)>,
    folders: Vec<(String, Role)>,
}

impl TargetRoles {
    fn new(files: &[SourceFile], packages: &[Package]) -> TargetRoles {
        let mut roles = TargetRoles { files: Vec::new(), folders: Vec::new() };
        for package in packages {
            let code: Vec<&str> = package
                .targets
                .iter()
                .filter(|target| role_of(target).is_none())
                .filter_map(|target| path_of(files, target))
                .collect();
            for target in &package.targets {
                let (Some(role), Some(root)) = (role_of(target), path_of(files, target)) else { continue };
                roles.files.push((root.to_owned(), role));
                let folder = path::parent(root);
                let own =
                    folder != package.folder && code.iter().all(|code| path::below(code, folder).is_none());
                if own && path::name(root) == "main.rs" {
                    roles.folders.push((folder.to_owned(), role));
                }
            }
        }
        roles.files.sort();
        roles.folders.sort();
        roles
    }

    fn of(&self, file: &SourceFile, packages: &[Package]) -> Role {
        if let Some(role) = find(&self.files, &file.path) {
            return role;
        }
        let package = file.package.and_then(|package| packages.get(package as usize));
        let in_package =
            package.and_then(|package| path::below(&file.path, &package.folder)).unwrap_or(&file.path);
        reserved(in_package)
            .or_else(|| {
                path::ancestors(path::parent(&file.path)).find_map(|folder| find(&self.folders, folder))
            })
            .or_else(|| package.and_then(role_of_package))
            .unwrap_or(Role::Source)
    }
}

fn find(roles: &[(String, Role)], path: &str) -> Option<Role> {
    let index = roles.binary_search_by(|(key, _)| key.as_str().cmp(path)).ok()?;
    roles.get(index).map(|(_, role)| *role)
}

fn role_of(target: &Target) -> Option<Role> {
    match target.kind {
        TargetKind::Lib | TargetKind::ProcMacro | TargetKind::Bin => None,
        TargetKind::Test => Some(Role::Test),
        TargetKind::Bench => Some(Role::Bench),
        TargetKind::Example => Some(Role::Example),
        TargetKind::BuildScript => Some(Role::BuildScript),
    }
}

fn path_of<'f>(files: &'f [SourceFile], target: &Target) -> Option<&'f str> {
    files.get(target.root.index()).map(|file| file.path.as_str())
}

/// The role of a folder at the top of a package, whether or not a target lies in it: what tests need lies beside them.
fn reserved(in_package: &str) -> Option<Role> {
    let (first, _) = in_package.split_once('/')?;
    TARGET_FOLDERS.iter().find(|(folder, _)| *folder == first).map(|(_, role)| *role)
}

/// A whole package that lies in a folder for tests, benches or examples (a fixture, an example crate) is that; so is one whose name says
/// that it holds only tests, and what `cargo fuzz init` makes.
fn role_of_package(package: &Package) -> Option<Role> {
    let of_folder = |part: &str| match part {
        "test" => Some(Role::Test),
        part => TARGET_FOLDERS.iter().find(|(folder, _)| *folder == part).map(|(_, role)| *role),
    };
    package.folder.split('/').find_map(of_folder).or_else(|| {
        let name = package.name.replace('_', "-");
        let is_fuzz = path::name(&package.folder) == "fuzz" && name.ends_with("fuzz");
        (name == "tests" || name.ends_with("-tests") || is_fuzz).then_some(Role::Test)
    })
}

/// The files of modules that are compiled for tests alone.
struct TestModules {
    files: HashSet<String>,
    folders: HashSet<String>,
}

impl TestModules {
    fn new(files: &[SourceFile], packages: &[Package]) -> TestModules {
        let roots: HashSet<u32> =
            packages.iter().flat_map(|package| &package.targets).map(|target| target.root.0).collect();
        let mut modules = TestModules { files: HashSet::new(), folders: HashSet::new() };
        for (index, file) in (0..).zip(files) {
            for module in &file.marks.tests.modules {
                modules.add(&file.path, module, roots.contains(&index));
            }
        }
        modules
    }

    /// The places where the compiler looks for a module that is declared in `declared_in`.
    fn add(&mut self, declared_in: &str, module: &TestModule, is_root: bool) {
        let folder = path::parent(declared_in);
        let has_children_beside =
            is_root || matches!(path::name(declared_in), "mod.rs" | "lib.rs" | "main.rs");
        if let Some(path) = module.path.as_deref() {
            self.files.extend(path::join(folder, path));
            return;
        }
        let children = if has_children_beside {
            Some(folder.to_owned())
        } else {
            path::join(folder, path::stem(declared_in))
        };
        if let Some(module_folder) = children.and_then(|children| path::join(&children, &module.name)) {
            self.files.insert(format!("{module_folder}.rs"));
            self.folders.insert(module_folder);
        }
    }

    fn contains(&self, file: &str) -> bool {
        self.files.contains(file)
            || path::ancestors(path::parent(file)).any(|folder| self.folders.contains(folder))
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::snapshot;
    use super::*;

    const PACKAGE: &str = "[package]\nname = \"a\"\nedition = \"2021\"\n";

    /// `expected`: path and role of every file that matters.
    fn check(files: &[(&str, &str)], expected: &[(&str, Role)]) {
        let snapshot = snapshot(files);
        for (path, role) in expected {
            let id = snapshot.find(path).unwrap_or_else(|| panic!("{path} is not in the snapshot"));
            assert_eq!(snapshot.file(id).role, *role, "{path}");
        }
    }

    #[test]
    fn cargos_folders_give_the_role() {
        check(
            &[
                ("Cargo.toml", PACKAGE),
                ("README.md", ""),
                ("build.rs", ""),
                ("src/lib.rs", ""),
                ("src/bin/tool.rs", ""),
                ("src/examples/mod.rs", ""),
                ("tests/it.rs", ""),
                ("tests/common/mod.rs", ""),
                ("tests/input/a.toml", ""),
                ("benches/b.rs", ""),
                ("examples/e/main.rs", ""),
                ("examples/e/README.md", ""),
            ],
            &[
                ("Cargo.toml", Role::Source),
                ("README.md", Role::Source),
                ("build.rs", Role::BuildScript),
                ("src/lib.rs", Role::Source),
                ("src/bin/tool.rs", Role::Source),
                ("src/examples/mod.rs", Role::Source),
                ("tests/it.rs", Role::Test),
                ("tests/common/mod.rs", Role::Test),
                ("tests/input/a.toml", Role::Test),
                ("benches/b.rs", Role::Bench),
                ("examples/e/main.rs", Role::Example),
                ("examples/e/README.md", Role::Example),
            ],
        );
    }

    #[test]
    fn targets_with_a_path_of_their_own_give_the_role() {
        let manifest = format!(
            "{PACKAGE}build = \"build/main.rs\"\n[[test]]\nname = \"suite\"\npath = \"suite/main.rs\"\n[[test]]\nname = \"one\"\npath = \"src/one.rs\"\n\
             [[bin]]\nname = \"fake\"\npath = \"testing/fake.rs\"\n"
        );
        check(
            &[
                ("Cargo.toml", &manifest),
                ("build/main.rs", ""),
                ("build/parts.rs", ""),
                ("src/lib.rs", ""),
                ("src/one.rs", ""),
                ("suite/main.rs", ""),
                ("suite/deep/a.rs", ""),
                ("testing/fake.rs", ""),
            ],
            &[
                ("build/main.rs", Role::BuildScript),
                ("build/parts.rs", Role::BuildScript),
                ("src/lib.rs", Role::Source),
                ("src/one.rs", Role::Test),
                ("suite/main.rs", Role::Test),
                ("suite/deep/a.rs", Role::Test),
                ("testing/fake.rs", Role::Source),
            ],
        );
    }

    #[test]
    fn modules_for_tests_alone_are_tests() {
        check(
            &[
                ("Cargo.toml", PACKAGE),
                ("src/lib.rs", "mod a;\n#[cfg(test)]\nmod tests;\nmod test_support;"),
                ("src/tests.rs", "mod deep;"),
                ("src/tests/deep.rs", ""),
                ("src/test_support.rs", ""),
                ("src/a.rs", "#[cfg(test)] mod checks;\n#[cfg(test)]\n#[path = \"a_test.rs\"]\nmod t;"),
                ("src/a/checks/mod.rs", ""),
                ("src/a/checks/more.rs", ""),
                ("src/checks.rs", ""),
                ("src/a_test.rs", ""),
                ("src/whole.rs", "#![cfg(test)]"),
            ],
            &[
                ("src/tests.rs", Role::Test),
                ("src/tests/deep.rs", Role::Test),
                ("src/test_support.rs", Role::Source),
                ("src/a/checks/mod.rs", Role::Test),
                ("src/a/checks/more.rs", Role::Test),
                ("src/checks.rs", Role::Source),
                ("src/a_test.rs", Role::Test),
                ("src/whole.rs", Role::Test),
            ],
        );
    }

    #[test]
    fn whole_packages_have_the_role_of_their_folder_or_name() {
        check(
            &[
                ("Cargo.toml", "[workspace]"),
                ("examples/chat/Cargo.toml", PACKAGE),
                ("examples/chat/src/main.rs", ""),
                ("examples/chat/tests/it.rs", ""),
                ("tests/fixtures/one/Cargo.toml", PACKAGE),
                ("tests/fixtures/one/src/lib.rs", ""),
                ("it/Cargo.toml", "[package]\nname = \"my-tests\""),
                ("it/src/lib.rs", ""),
                ("fuzz/Cargo.toml", "[package]\nname = \"a-fuzz\""),
                ("fuzz/fuzz_targets/one.rs", ""),
                ("testing/Cargo.toml", "[package]\nname = \"testing\""),
                ("testing/src/lib.rs", ""),
            ],
            &[
                ("examples/chat/src/main.rs", Role::Example),
                ("examples/chat/tests/it.rs", Role::Test),
                ("tests/fixtures/one/src/lib.rs", Role::Test),
                ("it/src/lib.rs", Role::Test),
                ("fuzz/fuzz_targets/one.rs", Role::Test),
                ("testing/src/lib.rs", Role::Source),
            ],
        );
    }

    #[test]
    fn markers_and_attributes_come_first() {
        check(
            &[
                ("Cargo.toml", PACKAGE),
                (
                    ".gitattributes",
                    "src/gen/** linguist-generated=true\nlib/ linguist-vendored\nsrc/gen/hand.rs -linguist-generated\n",
                ),
                ("src/gen/a.rs", ""),
                ("src/gen/hand.rs", ""),
                ("src/pb.rs", "// @generated"),
                ("lib/x/a.rs", ""),
                ("vendor/y/src/lib.rs", "// @generated"),
                ("tests/third_party/z.rs", ""),
            ],
            &[
                ("src/gen/a.rs", Role::Generated),
                ("src/gen/hand.rs", Role::Source),
                ("src/pb.rs", Role::Generated),
                ("lib/x/a.rs", Role::Vendored),
                ("vendor/y/src/lib.rs", Role::Vendored),
                ("tests/third_party/z.rs", Role::Vendored),
            ],
        );
    }

    #[test]
    fn without_a_manifest_the_folders_still_count() {
        check(
            &[("tests/a.rs", ""), ("src/main.rs", "")],
            &[("tests/a.rs", Role::Test), ("src/main.rs", Role::Source)],
        );
    }
}
