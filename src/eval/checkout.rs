//! A repository at a snapshot, in a folder of its own, with nothing in it that shows what came later.
//!
//! The checkout borrows the objects of the repository (`objects/info/alternates`) and has no ref but a detached
//! HEAD, so that its history is what stood before the snapshot.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::EvalError;

/// The git directory of `owner/name` below `folder`: `owner+name`, `owner/name` or `name`, bare, with `.git`, or in a
/// folder `repo` inside.
pub fn find_repository(folder: &Path, repo: &str) -> Option<PathBuf> {
    let name = repo.rsplit('/').next().unwrap_or(repo);
    let places = [repo.replace('/', "+"), repo.to_string(), repo.replace('/', "__"), name.to_string()];
    let forms = ["", ".git", "repo", "repo.git"];
    places
        .iter()
        .flat_map(|place| forms.iter().map(move |form| folder.join(place).join(form)))
        .chain(places.iter().map(|place| folder.join(format!("{place}.git"))))
        .find(|path| path.join("objects").is_dir() && path.join("HEAD").is_file())
}

/// The checkout of a snapshot under `work`, made where it is not there yet.
pub fn prepare(repository: &Path, repo: &str, snapshot: &str, work: &Path) -> Result<PathBuf, EvalError> {
    let target = work.join(repo.replace('/', "+")).join(snapshot);
    if target.join(".git").join("dossier-complete").is_file() {
        return Ok(target);
    }
    let fail = |what: String| EvalError::Checkout { repo: repo.into(), snapshot: snapshot.into(), what };
    if target.exists() {
        std::fs::remove_dir_all(&target).map_err(|error| fail(error.to_string()))?;
    }
    make(repository, snapshot, &target).map_err(|what| {
        // Half a checkout is of no use, and the next run makes it anew.
        let _ = std::fs::remove_dir_all(&target);
        fail(what)
    })?;
    Ok(target)
}

fn make(repository: &Path, snapshot: &str, target: &Path) -> Result<(), String> {
    let info = target.join(".git").join("objects").join("info");
    let text = |error: std::io::Error| error.to_string();
    std::fs::create_dir_all(target).map_err(text)?;
    git(target, &["init", "--quiet", "--template="])?;
    let objects = std::fs::canonicalize(repository.join("objects")).map_err(text)?;
    std::fs::create_dir_all(&info).map_err(text)?;
    std::fs::write(info.join("alternates"), format!("{}\n", objects.display())).map_err(text)?;
    git(target, &["checkout", "--quiet", "--detach", snapshot])
        .map_err(|error| format!("{error}; fetch the commit into the repository, if it is not there"))?;
    std::fs::write(target.join(".git").join("dossier-complete"), "").map_err(text)
}

/// Runs git without the user's or the system's configuration: no hooks, no filters. Nor with variables of git's own,
/// which a hook that we run in has set: they would lead it to another repository.
fn git(folder: &Path, arguments: &[&str]) -> Result<(), String> {
    let mut command = Command::new("git");
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("GIT_")) {
        command.env_remove(name);
    }
    let output = command
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", null_device())
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .args(["-c", "core.hooksPath=", "-c", "core.symlinks=false", "-c", "advice.detachedHead=false"])
        .args(arguments)
        .output()
        .map_err(|error| format!("git could not be started: {error}; install git"))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&output.stderr).trim().to_string()),
    }
}

fn null_device() -> &'static str {
    if cfg!(windows) { "NUL" } else { "/dev/null" }
}
