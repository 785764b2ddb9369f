//! Embeds what has no vector yet, while nobody asks: on one core, what the next task is likely about first, until the next request
//! comes.

use std::sync::{Arc, Weak};
use std::thread;
use std::time::{Duration, Instant};

use rayon::{ThreadPool, ThreadPoolBuilder};

use super::ahead::Quiet;
use super::live::Session;
use crate::meaning::Meaning;
use crate::pipeline::Workspace;

/// How often is looked whether there is something to do.
const LOOK: Duration = Duration::from_millis(500);
/// After so long an embedder that was not there, or failed, is tried again.
const RETRY: Duration = Duration::from_mins(1);
/// Passages between two looks at what is likely: some seconds of a core.
const AT_ONCE: usize = 256;

/// Goes on as long as the session is there.
pub(super) fn run(session: &Weak<Session>, quiet: &Quiet) {
    let Ok(core) = ThreadPoolBuilder::new().num_threads(1).thread_name(|_| "embed".to_owned()).build() else {
        return tracing::warn!("no thread embeds");
    };
    let mut work = Work { core, meaning: None, tried: None, whole: Weak::new() };
    while let Some(session) = session.upgrade() {
        work.go_on(&session, quiet);
        drop(session);
        thread::park_timeout(LOOK);
    }
}

struct Work {
    /// A pool of one thread.
    core: ThreadPool,
    meaning: Option<Arc<Meaning>>,
    /// When an embedder failed last.
    tried: Option<Instant>,
    /// The last state of which all is embedded.
    whole: Weak<Workspace>,
}

impl Work {
    fn go_on(&mut self, session: &Session, quiet: &Quiet) {
        if self.tried.is_some_and(|tried| tried.elapsed() < RETRY) {
            return;
        }
        let workspace = session.present();
        // A state that was begun before does not know of it.
        self.meaning.iter().for_each(|meaning| workspace.understand(Arc::clone(meaning)));
        match workspace.open_meaning(session.embedder()) {
            Some(Ok(meaning)) => self.meaning = Some(Arc::clone(meaning)),
            Some(Err(note)) => {
                tracing::info!("{}", note.text);
                self.tried = Some(Instant::now());
                return;
            }
            None => return,
        }
        while !self.whole.ptr_eq(&Arc::downgrade(&workspace)) {
            let Some(until_next) = quiet.until_next() else { return };
            let missing = workspace.missing(&session.touched.paths());
            let Some(first) = missing.get(..missing.len().min(AT_ONCE)).filter(|first| !first.is_empty())
            else {
                workspace.keep_passages();
                self.whole = Arc::downgrade(&workspace);
                return;
            };
            let since = Instant::now();
            if let Err(error) = self.core.install(|| workspace.embed(first, &until_next, &|_| ())) {
                tracing::warn!(%error, "embedding");
                self.tried = Some(Instant::now());
                return;
            }
            tracing::debug!(passages = first.len(), took = ?since.elapsed(), left = missing.len(), "embedded");
            if !Arc::ptr_eq(&workspace, &session.present()) {
                return;
            }
        }
    }
}
