//! The language server of a command: started where the user waits for it, watched while it loads.

use std::path::Path;
use std::time::{Duration, Instant};

use super::messages::Messages;
use super::progress::Progress;
use crate::client::settings::{cache_folder, server_options};
use crate::client::{ANSWER_TIME, walk_options};
use crate::config::Settings;
use crate::model::{Deadline, Note};
use crate::pipeline::{LanguageServer, OpenOptions, PipelineError, Workspace};
use crate::store::IndexFolder;

/// However long reading took: what was read serves for an answer, and is not thrown away.
const LEAST_TIME: Duration = Duration::from_secs(1);
/// After a longer wait the workspace is read again: whoever waits may have gone on writing.
const FRESH: Duration = Duration::from_secs(1);

/// A workspace that was read, and what is known of its language server.
pub(super) struct Opened {
    pub workspace: Workspace,
    pub server: LanguageServer,
    /// When the answer is due.
    pub deadline: Deadline,
}

/// Reads the workspace; starts a server first and waits for it, where the settings say so.
pub(super) fn open(root: &Path, settings: &Settings, messages: &Messages) -> Result<Opened, PipelineError> {
    let wait = Duration::from_secs(settings.wait_lsp.value.into());
    let deadline = Deadline::after(ANSWER_TIME + wait);
    let (walk, folder) = (walk_options(settings), index_folder(settings));
    let read = || {
        let _progress = Progress::spinner("reading the workspace", messages);
        let open = OpenOptions { index: folder.as_ref(), watch: None };
        Workspace::open_with(root, &walk, open, &deadline)
    };
    if wait.is_zero() || !settings.lsp.value {
        return Ok(opened(read()?, LanguageServer::absent(root), deadline));
    }
    let waited = Deadline::after(wait);
    let server = LanguageServer::start(root, &server_options(settings));
    let workspace = read()?;
    let since = Instant::now();
    {
        let progress = Progress::spinner("the language server loads", messages);
        server
            .wait(&workspace, &waited, &mut |busy| progress.say(format!("{} loads: {busy}", server.name())));
    }
    let notes: Vec<Note> = server.still_loading().into_iter().collect();
    if since.elapsed() < FRESH {
        return Ok(opened(workspace.with_notes(notes), server, deadline));
    }
    let now = workspace.renewed(&deadline)?;
    server.files_changed(&workspace.snapshot, &now.snapshot);
    Ok(opened(now.with_notes(notes), server, deadline))
}

/// Where what is known is kept; without a home it is not.
fn index_folder(settings: &Settings) -> Option<IndexFolder> {
    settings.index.value.then(cache_folder).flatten().map(|cache| IndexFolder::in_cache(&cache))
}

fn opened(workspace: Workspace, server: LanguageServer, deadline: Deadline) -> Opened {
    let is_short = deadline.remaining().is_some_and(|left| left < LEAST_TIME);
    let deadline = if is_short { Deadline::after(LEAST_TIME) } else { deadline };
    Opened { workspace, server, deadline }
}
