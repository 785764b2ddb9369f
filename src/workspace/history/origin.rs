//! Where a workspace's repository keeps its objects, for those who work on a copy of its own.

use std::path::{Path, PathBuf};

use super::repository;

/// The repository that a folder lies in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The git directory with the objects and references: of a linked worktree, that of the repository that it is linked to.
    pub git: PathBuf,
    /// Where the folder lies in the repository, with `/` between the parts; empty at its root.
    pub folder: String,
    /// The name of the repository: that of the folder that it was cloned into.
    pub name: String,
}

/// The repository that `root` lies in; `None` where there is none with a commit, or it cannot be read.
pub fn origin(root: &Path) -> Option<Origin> {
    let opened = repository::open(root).ok()?;
    let git = opened.repository.to_thread_local().common_dir().to_owned();
    let git = git.canonicalize().unwrap_or(git);
    let name = name_of(&git);
    Some(Origin { git, folder: opened.prefix.join("/"), name })
}

/// `shop` of `/srv/shop/.git`, `/srv/shop.git` and `/srv/.git/modules/shop`.
fn name_of(git: &Path) -> String {
    let named = if git.ends_with(".git") { git.parent().unwrap_or(git) } else { git };
    let name = named.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    name.strip_suffix(".git").map(str::to_owned).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repository_is_called_as_its_folder() {
        for git in ["/srv/shop/.git", "/srv/shop.git", "/srv/.git/modules/shop", "/srv/shop"] {
            assert_eq!(name_of(Path::new(git)), "shop");
        }
    }
}
