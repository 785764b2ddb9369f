//! Git's own command, in repositories that were made here: without the user's and the system's configuration, and without that
//! of the repository whose objects they borrow, which could run programs.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// Runs git in `folder`; gives what it prints. No hooks, no filters, no log of references. Nor variables of git's own, which a
/// hook that we run in has set: they would lead it to another repository.
///
/// # Errors
/// It could not be started, or what it said when it failed.
pub(super) fn git(folder: &Path, arguments: &[&str], input: &[u8]) -> Result<Vec<u8>, String> {
    let mut command = Command::new("git");
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("GIT_")) {
        command.env_remove(name);
    }
    let mut process = command
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", null_device())
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_TERMINAL_PROMPT", "0")
        .args(["-c", "core.hooksPath=", "-c", "core.symlinks=false", "-c", "core.logAllRefUpdates=false"])
        .args(["-c", "core.quotePath=false", "-c", "advice.detachedHead=false", "-c", "gc.auto=0"])
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("git could not be started: {error}; install git"))?;
    if let Some(mut stdin) = process.stdin.take() {
        // Git that ends before it has read all says itself why.
        let _ = stdin.write_all(input);
    }
    let output =
        process.wait_with_output().map_err(|error| format!("git could not be waited for: {error}"))?;
    match output.status.success() {
        true => Ok(output.stdout),
        false => Err(String::from_utf8_lossy(&output.stderr).trim().to_string()),
    }
}

/// Makes a repository in `folder` without commits of its own, which has the objects of `repository` (a git directory), and
/// knows where those of a shallow clone end.
pub(super) fn borrow(repository: &Path, folder: &Path) -> Result<(), String> {
    let text = |error: std::io::Error| error.to_string();
    let own = folder.join(".git");
    let info = own.join("objects").join("info");
    std::fs::create_dir_all(folder).map_err(text)?;
    git(folder, &["init", "--quiet", "--template="], &[])?;
    let objects = std::fs::canonicalize(repository.join("objects")).map_err(text)?;
    std::fs::create_dir_all(&info).map_err(text)?;
    std::fs::write(info.join("alternates"), format!("{}\n", objects.display())).map_err(text)?;
    let edge = repository.join("shallow");
    if edge.is_file() {
        std::fs::copy(edge, own.join("shallow")).map_err(text)?;
    }
    Ok(())
}

fn null_device() -> &'static str {
    if cfg!(windows) { "NUL" } else { "/dev/null" }
}
