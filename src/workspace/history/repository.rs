//! Opening the repository around a workspace, so that none of its settings can run anything.

use std::path::{Path, PathBuf};

use gix::ObjectId;

use crate::model::Note;

use super::HistoryState;

/// A repository with a commit to start from.
pub(super) struct Opened {
    pub repository: gix::ThreadSafeRepository,
    pub head: ObjectId,
    /// Where the workspace lies in it: the folders from the git root down.
    pub prefix: Vec<String>,
}

/// Why there is no history.
pub(super) struct Empty {
    pub state: HistoryState,
    pub note: Note,
}

/// Opens the repository that `root` lies in.
pub(super) fn open(root: &Path) -> Result<Opened, Empty> {
    let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    let Some(place) = place_of(&root) else {
        return Err(empty(HistoryState::Absent, "no git repository: past commits do not count".to_owned()));
    };
    let unreadable = |error: String| {
        let text = format!("the git repository at {} cannot be read ({error})", place.git_root.display());
        Err(empty(HistoryState::Unreadable, text))
    };
    let Some(prefix) = prefix(&place.git_root, &root) else {
        return unreadable("the path is not UTF-8".to_owned());
    };
    // Isolated: no user, system or environment settings, no includes. Reading objects runs nothing whatever the
    // repository's own configuration says.
    let options = gix::open::Options::isolated().open_path_as_is(place.bare).strict_config(false);
    let repository = match options.open(&place.git_dir) {
        Ok(repository) => repository,
        Err(error) => return unreadable(error.to_string()),
    };
    match head(&repository) {
        Ok(Some(head)) => Ok(Opened { repository, head, prefix }),
        Ok(None) => Err(empty(
            HistoryState::Unborn,
            "the git repository has no commit yet: past commits do not count".into(),
        )),
        Err(error) => unreadable(error),
    }
}

/// Where a repository is.
struct Place {
    git_dir: PathBuf,
    /// The folder that its trees describe.
    git_root: PathBuf,
    bare: bool,
}

/// The nearest folder upwards with a `.git`; a bare repository counts only where it is the given folder itself.
fn place_of(root: &Path) -> Option<Place> {
    let is_bare = ["HEAD", "objects", "refs"].iter().all(|name| root.join(name).exists());
    let with_git = root.ancestors().find(|folder| folder.join(".git").exists());
    match with_git {
        Some(folder) if folder == root || !is_bare => {
            Some(Place { git_dir: folder.join(".git"), git_root: folder.to_owned(), bare: false })
        }
        _ if is_bare => Some(Place { git_dir: root.to_owned(), git_root: root.to_owned(), bare: true }),
        _ => None,
    }
}

fn prefix(git_root: &Path, root: &Path) -> Option<Vec<String>> {
    let relative = root.strip_prefix(git_root).ok()?;
    relative.components().map(|part| part.as_os_str().to_str().map(str::to_owned)).collect()
}

fn head(repository: &gix::ThreadSafeRepository) -> Result<Option<ObjectId>, String> {
    let repository = repository.to_thread_local();
    let mut head = repository.head().map_err(|error| error.to_string())?;
    let id = head.try_peel_to_id().map_err(|error| error.to_string())?;
    Ok(id.map(|id| id.detach()))
}

fn empty(state: HistoryState, text: String) -> Empty {
    Empty { state, note: Note::info(text) }
}
