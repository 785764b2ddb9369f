//! What a ready language server is asked ahead of need, while nobody asks: who calls and implements the items that the next task is
//! likely about. What it says is kept (`Workspace::keep`), so that a task finds it whether the server runs by then or not.

use std::collections::BTreeSet;
use std::sync::{Mutex, Weak};
use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;

use super::live::Session;
use crate::lsp::{LanguageProvider, Relation, ServerState};
use crate::model::{Deadline, FileId, SymbolId, SymbolKind};
use crate::pipeline::{LanguageServer, Workspace};
use crate::rpc::lock;

/// Nobody has asked for so long.
const QUIET: Duration = Duration::from_secs(2);
const LOOK: Duration = Duration::from_millis(500);
/// One item; a hub's references take longest.
const ITEM_TIME: Duration = Duration::from_secs(5);
/// Items in all: at 30 to 100 ms each this is a minute of a core.
const MOST_ITEMS: usize = 600;
/// Commits whose files come first, and items of one file.
const RECENT_COMMITS: usize = 30;
const OF_ONE_FILE: usize = 6;
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
    fn until_next(&self) -> Option<Deadline> {
        let mut state = lock(&self.state);
        if state.under_way > 0 || state.since.elapsed() < QUIET {
            return None;
        }
        state.until_next = Deadline::never();
        Some(state.until_next.clone())
    }
}

/// Asks whenever it is quiet, one item at a time, until all is asked that is worth it; ends with the server or the session.
pub(super) fn ask(server: &Weak<LanguageServer>, session: &Weak<Session>, quiet: &Quiet) {
    let mut asked: BTreeSet<(String, String)> = BTreeSet::new();
    while asked.len() < MOST_ITEMS {
        std::thread::park_timeout(LOOK);
        let (Some(server), Some(session)) = (server.upgrade(), session.upgrade()) else { return };
        if server.status().state == ServerState::Failed {
            return;
        }
        let Some(until_next) = quiet.until_next() else { continue };
        let workspace = session.present();
        let mut new = wanted(&workspace);
        new.retain(|id| !asked.contains(&name(&workspace, *id)));
        if new.is_empty() {
            // An edit may bring new items; the server of a workspace that is not edited has said enough.
            std::thread::park_timeout(QUIET);
            continue;
        }
        for id in new {
            let Some(served) = workspace.served(&server) else { break };
            let deadline = until_next.within(ITEM_TIME);
            served.prepare(&[id], &RELATIONS, &deadline);
            workspace.keep(&served);
            if until_next.is_over() || asked.len() >= MOST_ITEMS {
                break;
            }
            asked.insert(name(&workspace, id));
        }
        tracing::info!(items = asked.len(), "asked ahead");
    }
}

/// By path and name: what an item is known by over edits.
fn name(workspace: &Workspace, id: SymbolId) -> (String, String) {
    let file = workspace.snapshot.file(id.file);
    let items = workspace.syntax.get(id.file.index()).and_then(Option::as_ref);
    let item = items.and_then(|syntax| syntax.items.get(id.item as usize));
    (file.path.clone(), item.map(|item| item.name.clone()).unwrap_or_default())
}

/// The most used items of the files that recent commits changed, then those of all files.
fn wanted(workspace: &Workspace) -> Vec<SymbolId> {
    let mut items: Vec<(usize, SymbolId)> = Vec::new();
    for (file, syntax) in (0..).zip(&workspace.syntax) {
        for (item, symbol) in (0..).zip(syntax.iter().flat_map(|syntax| &syntax.items)) {
            let kinds = [SymbolKind::Function, SymbolKind::Struct, SymbolKind::Enum, SymbolKind::Trait];
            if kinds.contains(&symbol.kind) && !symbol.is_test {
                let id = SymbolId { file: FileId(file), item };
                items.push((workspace.graph.usages_of(id).len(), id));
            }
        }
    }
    items.sort_by_key(|(used, id)| (std::cmp::Reverse(*used), *id));
    let recent = recent_files(workspace);
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
