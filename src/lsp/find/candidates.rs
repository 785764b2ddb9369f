//! The files that may be a server's program, place by place, best first. Looked up, never started.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::{Places, file_name};

/// Homes of VS Code and of what is made from it.
const EDITORS: [&str; 6] =
    [".vscode", ".vscode-server", ".vscode-oss", ".vscode-insiders", ".vscode-server-insiders", ".cursor"];
const MASON: &str = "nvim/mason/bin";

/// Programs called `name` on `PATH`, in its order, each once. Folders that are relative or lie in the workspace are passed over:
/// they would run what a workspace holds.
pub(super) fn on_path(name: &str, path: Option<&OsStr>, root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for folder in path.into_iter().flat_map(std::env::split_paths).filter(|folder| is_own(folder, root)) {
        let file = folder.join(file_name(name));
        if is_program(&file) && !found.contains(&file) {
            found.push(file);
        }
    }
    found
}

/// Whether a folder of `PATH` is the user's rather than a workspace's.
pub(in crate::lsp) fn is_own(folder: &Path, root: &Path) -> bool {
    let real = folder.canonicalize();
    folder.is_absolute() && !folder.starts_with(root) && !real.is_ok_and(|real| real.starts_with(root))
}

/// Whether `file` is rustup's stand-in for a component, which is there without the component too: a link to rustup, or
/// another name of the same file.
pub(in crate::lsp) fn is_rustup_proxy(file: &Path) -> bool {
    let rustup = file_name("rustup");
    let target = file.canonicalize().unwrap_or_else(|_| file.to_owned());
    if target.file_name() == Some(rustup.as_os_str()) {
        return true;
    }
    let length = |file: &Path| file.metadata().ok().map(|found| found.len());
    let beside = file.with_file_name(rustup);
    beside.is_file() && length(&beside) == length(file)
}

/// rustup itself: on `PATH`, or where its installer puts it.
pub(super) fn rustup(places: &Places, root: &Path) -> Option<PathBuf> {
    let installed = places.cargo_home.as_ref().map(|home| home.join("bin").join(file_name("rustup")));
    let mut all = on_path("rustup", places.path.as_deref(), root).into_iter();
    all.next().or_else(|| installed.filter(|file| is_program(file)))
}

/// The component's programs in rustup's toolchains: `stable` first, then the newest release, then the rest.
pub(super) fn in_toolchains(name: &str, rustup_home: Option<&Path>) -> Vec<PathBuf> {
    let Some(home) = rustup_home else { return Vec::new() };
    let mut toolchains = folders(&home.join("toolchains"));
    toolchains
        .sort_by_key(|toolchain| std::cmp::Reverse((toolchain.starts_with("stable"), numbers(toolchain))));
    let file = |toolchain: &String| home.join("toolchains").join(toolchain).join("bin").join(file_name(name));
    toolchains.iter().map(file).filter(|file| is_program(file)).collect()
}

/// The programs that editors' extensions brought, the newest version first.
pub(super) fn in_extensions(name: &str, prefix: &str, home: Option<&Path>) -> Vec<PathBuf> {
    let mut found: Vec<(Vec<u64>, PathBuf)> = Vec::new();
    for editor in EDITORS {
        let Some(extensions) = home.map(|home| home.join(editor).join("extensions")) else { continue };
        for folder in folders(&extensions) {
            let Some(version) = folder.strip_prefix(prefix) else { continue };
            let file = extensions.join(&folder).join("server").join(file_name(name));
            if is_program(&file) {
                found.push((numbers(version), file));
            }
        }
    }
    found.sort_by(|a, b| b.0.cmp(&a.0));
    found.into_iter().map(|(_, file)| file).collect()
}

pub(super) fn in_mason(name: &str, data_home: Option<&Path>) -> Option<PathBuf> {
    let file = data_home?.join(MASON).join(file_name(name));
    is_program(&file).then_some(file)
}

/// Names of what lies in a folder, sorted; none where it is not there.
fn folders(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    names
}

/// The numbers at the beginning of a version or a toolchain's name: of `0.3.2563-linux-x64` 0, 3 and 2563.
fn numbers(version: &str) -> Vec<u64> {
    let end = version.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(version.len());
    version.get(..end).unwrap_or_default().split('.').map_while(|part| part.parse().ok()).collect()
}

#[cfg(unix)]
pub(super) fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    const EXECUTABLE: u32 = 0o111;
    file.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & EXECUTABLE != 0)
}

#[cfg(not(unix))]
pub(super) fn is_program(file: &Path) -> bool {
    file.is_file()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_numbers_and_not_text() {
        assert_eq!(numbers("0.3.2563-linux-x64"), [0, 3, 2563]);
        assert!(numbers("0.4.1000") > numbers("0.3.2563"));
        assert!(numbers("0.3.10") > numbers("0.3.9-x"));
        assert_eq!(numbers("1.95.0-x86_64-unknown-linux-gnu"), [1, 95, 0]);
        assert_eq!(numbers("nightly-x86_64"), [] as [u64; 0]);
    }
}
