//! What a ready language server is asked ahead of need, while nobody asks: who calls and implements the items that the next task is
//! likely about. What it says is kept (`Workspace::keep`), so that a task finds it whether the server runs by then or not.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;

use super::live::Session;
use crate::lsp::{LanguageProvider, Relation, ServerState};
use crate::model::{Deadline, FileId, SymbolId, SymbolKind};
use crate::pipeline::{LanguageServer, Workspace};
use crate::rpc::lock;
use crate::text::Digest;

/// Nobody has asked for so long.
const QUIET: Duration = Duration::from_secs(2);
const LOOK: Duration = Duration::from_millis(500);
/// One item; a hub's references take longest.
const ITEM_TIME: Duration = Duration::from_secs(5);
/// Items of one state: at 30 to 100 ms each this is a minute of a core.
const MOST_ITEMS: usize = 600;
/// Commits whose files come first, files of tasks that do, and items of one file.
const RECENT_COMMITS: usize = 30;
const MOST_TOUCHED: usize = 50;
const OF_ONE_TASK: usize = 5;
const OF_ONE_FILE: usize = 6;
/// What tasks name.
const KINDS: [SymbolKind; 5] =
    [SymbolKind::Function, SymbolKind::Method, SymbolKind::Struct, SymbolKind::Enum, SymbolKind::Trait];
const RELATIONS: [Relation; 2] = [Relation::References, Relation::Implementations];

/// Whether requests are under way, and a deadline that ends when the next one comes.
pub(super) struct Quiet {
    state: Mutex<QuietState>,
}

struct QuietState {
    under_way: usize,
    since: Instant,
    until_next: Deadline,
}

impl Default for Quiet {
    fn default() -> Quiet {
        let state = QuietState { under_way: 0, since: Instant::now(), until_next: Deadline::never() };
        Quiet { state: Mutex::new(state) }
    }
}

impl Quiet {
    /// A request begins: what goes on in the background stops.
    pub fn begin(&self) {
        let mut state = lock(&self.state);
        state.under_way += 1;
        state.until_next.cancel();
    }

    pub fn end(&self) {
        let mut state = lock(&self.state);
        state.under_way -= 1;
        state.since = Instant::now();
    }

    /// Requests that have begun and not ended.
    pub fn under_way(&self) -> usize {
        lock(&self.state).under_way
    }

    /// A deadline that ends with the next request, where nobody has asked for a while.
    pub fn until_next(&self) -> Option<Deadline> {
        let mut state = lock(&self.state);
        if state.under_way > 0 || state.since.elapsed() < QUIET {
            return None;
        }
        // Several wait for the same request.
        if state.until_next.is_cancelled() {
            state.until_next = Deadline::never();
        }
        Some(state.until_next.clone())
    }
}

/// The files that tasks were about, the last one first.
#[derive(Default)]
pub(super) struct Touched(Mutex<Vec<String>>);

impl Touched {
    /// A task was about these, best first.
    pub fn add<'p>(&self, paths: impl Iterator<Item = &'p str>) {
        let new: Vec<String> = paths.take(OF_ONE_TASK).map(str::to_owned).collect();
        let mut touched = lock(&self.0);
        touched.retain(|path| !new.contains(path));
        touched.splice(0..0, new);
        touched.truncate(MOST_TOUCHED);
    }

    pub fn paths(&self) -> Vec<String> {
        lock(&self.0).clone()
    }
}

/// Asks whenever it is quiet, one item at a time, until all is asked that is worth it, and again what an edit made another; ends with the
/// server or the session.
pub(super) fn ask(server: &Weak<LanguageServer>, session: &Weak<Session>, quiet: &Quiet) {
    let mut asked = Asked::default();
    loop {
        std::thread::park_timeout(LOOK);
        let (Some(server), Some(session)) = (server.upgrade(), session.upgrade()) else { return };
        if server.status().state == ServerState::Failed {
            return;
        }
        let Some(until_next) = quiet.until_next() else { continue };
        let (workspace, touched) = (session.present(), session.touched.paths());
        let count = asked.all(&workspace, touched, &server, &until_next);
        if count > 0 {
            tracing::info!(items = count, "asked ahead");
        }
    }
}

/// What was asked.
#[derive(Default)]
struct Asked {
    items: BTreeSet<Name>,
    /// The last state of which all was, and the files that tasks were about by then.
    whole: (Weak<Workspace>, Vec<String>),
}

/// What an item is known by over edits of other files: the text that it stands in, and its place there.
type Name = (Digest, u32);

impl Asked {
    /// Asks what is worth it and was not asked yet, as long as it is quiet; how many items.
    fn all(
        &mut self,
        workspace: &Arc<Workspace>,
        touched: Vec<String>,
        server: &LanguageServer,
        until_next: &Deadline,
    ) -> usize {
        if self.whole.0.ptr_eq(&Arc::downgrade(workspace)) && self.whole.1 == touched {
            return 0;
        }
        let name = |id: SymbolId| (workspace.snapshot.file(id.file).text.digest(), id.item);
        let wanted: Vec<(SymbolId, Name)> =
            wanted(workspace, &touched).into_iter().map(|id| (id, name(id))).collect();
        let worth: BTreeSet<&Name> = wanted.iter().map(|(_, name)| name).collect();
        self.items.retain(|name| worth.contains(name));
        let mut count = 0;
        for (id, name) in wanted {
            if self.items.contains(&name) {
                continue;
            }
            let Some(served) = workspace.served(server) else { return count };
            served.prepare(&[id], &RELATIONS, &until_next.within(ITEM_TIME));
            workspace.keep(&served);
            if until_next.is_over() {
                return count;
            }
            self.items.insert(name);
            count += 1;
        }
        self.whole = (Arc::downgrade(workspace), touched);
        count
    }
}

/// The most used items of the files that tasks were about or recent commits changed, then those of all files.
fn wanted(workspace: &Workspace, touched: &[String]) -> Vec<SymbolId> {
    let mut items: Vec<(usize, SymbolId)> = Vec::new();
    for (file, syntax) in (0..).zip(&workspace.syntax) {
        for (item, symbol) in (0..).zip(syntax.iter().flat_map(|syntax| &syntax.items)) {
            if KINDS.contains(&symbol.kind) && !symbol.is_test {
                let id = SymbolId { file: FileId(file), item };
                items.push((workspace.graph.usages_of(id).len(), id));
            }
        }
    }
    items.sort_by_key(|(used, id)| (std::cmp::Reverse(*used), *id));
    let mut recent = recent_files(workspace);
    recent.extend(touched.iter().filter_map(|path| workspace.snapshot.find(path)));
    let mut of_file: FxHashMap<FileId, usize> = FxHashMap::default();
    let is_recent = |id: &SymbolId| recent.contains(&id.file);
    let mut first: Vec<SymbolId> = items.iter().map(|(_, id)| *id).filter(is_recent).collect();
    first.retain(|id| {
        let count = of_file.entry(id.file).or_default();
        *count += 1;
        *count <= OF_ONE_FILE
    });
    let known: BTreeSet<SymbolId> = first.iter().copied().collect();
    first.extend(items.into_iter().map(|(_, id)| id).filter(|id| !known.contains(id)));
    first.truncate(MOST_ITEMS);
    first
}

fn recent_files(workspace: &Workspace) -> BTreeSet<FileId> {
    let history = &workspace.history;
    let paths = history.commits.iter().take(RECENT_COMMITS).flat_map(|commit| commit.paths.iter());
    let paths = paths.filter_map(|path| history.paths.get(*path as usize));
    paths.filter_map(|path| workspace.snapshot.find(path)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_the_last_tasks_are_known() {
        let touched = Touched::default();
        for task in 0..100 {
            let paths: Vec<String> = (0..9).map(|file| format!("{}", (task + file) % 20)).collect();
            touched.add(paths.iter().map(String::as_str));
        }
        assert_eq!(touched.paths()[..6], ["19", "0", "1", "2", "3", "18"]);
        assert_eq!(touched.paths().len(), 20);
        let many: Vec<String> = (0..99).map(|file| file.to_string()).collect();
        many.iter().for_each(|path| touched.add(std::iter::once(path.as_str())));
        assert_eq!((touched.paths().len(), &*touched.paths()[0]), (MOST_TOUCHED, "98"));
    }
}
