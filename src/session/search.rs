//! What a query is about, without its code: files as the ranking has them, modules by their files, items and sections by themselves;
//! or all of these by nothing but their closeness in meaning.

use std::collections::BTreeMap;
use std::time::Instant;

use super::answer::request;
use super::preview;
use super::protocol::{Hit, Reason, SearchAnswer, SearchLevel, SearchMode, SearchParams, Task};
use super::related::full_name;
use crate::expand::Facts;
use crate::index::CommitVotes;
use crate::meaning::{Close, EmbedderSource, MeaningError};
use crate::model::{Deadline, FileId, FileKind, LineRange, Note, Signal, Symbol, SymbolKind};
use crate::pipeline::{Choice, LanguageServer, Planner, Request, Workspace};
use crate::rank::{self, Grain, Piece};
use crate::workspace::SourceFile;

/// Items named beside a file, and files beside a module.
const NAMED: usize = 5;
/// The file that is a folder's module.
const MODULE_FILE: &str = "mod.rs";

/// Why nothing can be searched for.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    #[error(
        "a search by meaning needs an embedder, and they are switched off: choose one with `dossier embedder use FOLDER`, or search with `--mode structural`"
    )]
    Off,
    #[error(
        "a search by meaning needs an embedder: {0}: choose one with `dossier embedder use FOLDER`, or search with `--mode structural`"
    )]
    NoEmbedder(String),
    #[error(
        "nothing is embedded of this workspace yet: `dossier index --embed` does it now, a daemon while nobody asks"
    )]
    NothingEmbedded,
    #[error("the query's own meaning cannot be found out: {0}")]
    Query(#[from] MeaningError),
}

/// What the query is about, at the level that is asked for.
///
/// # Errors
/// Where it is to go by the meaning alone, and nothing is known of that.
pub fn search(
    workspace: &Workspace,
    embedder: &EmbedderSource,
    params: &SearchParams,
    deadline: &Deadline,
) -> Result<SearchAnswer, SearchError> {
    let (found, notes) = match params.mode {
        SearchMode::Semantic => by_meaning(workspace, embedder, params, deadline)?,
        SearchMode::Structural | SearchMode::Hybrid => by_all(workspace, params, deadline),
    };
    let hit = |(rank, found)| hit(workspace, params.level, rank, found);
    let hits = (1..).zip(found).map(hit).collect();
    Ok(SearchAnswer { hits, freshness: workspace.freshness(), notes })
}

/// What becomes a hit.
struct Found {
    file: FileId,
    /// Its unit of the index; `None` of a whole file.
    unit: Option<usize>,
    score: f64,
    signals: Vec<Signal>,
    items: Vec<String>,
    /// Of a module.
    files: Vec<FileId>,
}

impl Found {
    fn of_piece(piece: Piece, grain: Grain) -> Found {
        let Piece { file, unit, score, signals } = piece;
        let unit = (grain != Grain::File).then_some(unit);
        Found { file, unit, score, signals, items: Vec::new(), files: Vec::new() }
    }
}

fn by_all(workspace: &Workspace, params: &SearchParams, deadline: &Deadline) -> (Vec<Found>, Vec<Note>) {
    let most = params.limit as usize;
    let request = Request {
        meaning: params.mode == SearchMode::Hybrid,
        ..request(&Task { tests: params.tests, ..Task::new(params.place.clone(), &params.query) })
    };
    let server = LanguageServer::absent(&workspace.snapshot.root);
    let choice = workspace.choose(&request, &server, &Planner::rules(), deadline);
    let facts = Facts { close: choice.close.as_ref(), ..workspace.facts(&choice.votes, &workspace.graph) };
    let pieces = |grain| {
        let pieces = rank::pieces(&facts, &choice.candidates, grain, most);
        pieces.into_iter().map(|piece| Found::of_piece(piece, grain)).collect()
    };
    let found = match params.level {
        SearchLevel::Symbol => pieces(Grain::Item),
        SearchLevel::Doc => pieces(Grain::Section),
        SearchLevel::File => files(&facts, &choice).take(most).collect(),
        SearchLevel::Module => modules(workspace, files(&facts, &choice), most),
    };
    (found, choice.notes().to_vec())
}

fn files<'a>(facts: &'a Facts<'_>, choice: &'a Choice) -> impl Iterator<Item = Found> + 'a {
    choice.ranked.iter().map(|ranked| Found {
        file: ranked.file,
        unit: None,
        score: ranked.score,
        signals: ranked.signals.clone(),
        items: rank::item_names(facts, &choice.candidates, ranked.file, NAMED),
        files: Vec::new(),
    })
}

fn by_meaning(
    workspace: &Workspace,
    embedder: &EmbedderSource,
    params: &SearchParams,
    deadline: &Deadline,
) -> Result<(Vec<Found>, Vec<Note>), SearchError> {
    let since = Instant::now();
    let meaning = workspace.open_meaning(embedder).ok_or(SearchError::Off)?;
    let meaning = meaning.map_err(|note| SearchError::NoEmbedder(note.text))?;
    let embedded = workspace.embedded().unwrap_or(0.0);
    if embedded == 0.0 {
        return Err(SearchError::NothingEmbedded);
    }
    meaning.prepare()?;
    // Who asks for nothing but the meaning waits for the model.
    let deadline = &deadline.later(since.elapsed());
    let request = request(&Task::new(params.place.clone(), &params.query));
    let close = workspace.close(&request, deadline).transpose()?.unwrap_or_default();
    let votes = CommitVotes::default();
    let facts = Facts { close: Some(&close), ..workspace.facts(&votes, &workspace.graph) };
    let most = params.limit as usize;
    let pieces = |grain, most| {
        let pieces = rank::pieces_by_meaning(&facts, &close, params.tests == Some(false), grain, most);
        pieces.into_iter().map(move |piece| Found::of_piece(piece, grain))
    };
    let files = |most| {
        pieces(Grain::File, most)
            .map(|found| Found { items: closest_items(&facts, &close, found.file), ..found })
    };
    let found = match params.level {
        SearchLevel::Symbol => pieces(Grain::Item, most).collect(),
        SearchLevel::Doc => pieces(Grain::Section, most).collect(),
        SearchLevel::File => files(most).collect(),
        SearchLevel::Module => modules(workspace, files(usize::MAX), most),
    };
    let mut notes = workspace.notes();
    notes.extend(workspace.meaning().and_then(|meaning| meaning.trouble()));
    notes.extend(partly(embedded));
    Ok((found, notes))
}

/// What is to be told where a part is embedded.
fn partly(embedded: f64) -> Option<Note> {
    let percent = (embedded * 100.0).floor().max(1.0);
    (embedded < 1.0).then(|| {
        Note::warning(format!(
            "{percent} % of the workspace is embedded so far, and the rest is not found: `dossier index --embed` does it now"
        ))
    })
}

/// The names of the items of a file that are closest in meaning.
fn closest_items(facts: &Facts<'_>, close: &Close, file: FileId) -> Vec<String> {
    let units = facts.lexical.units_of(file);
    let known = units.filter_map(|unit| Some((unit, (*close.units.get(unit)?)?)));
    let mut known: Vec<(usize, f32)> = known.collect();
    known.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let mut names: Vec<String> = Vec::new();
    let items = known.iter().filter_map(|(unit, _)| facts.lexical.units[*unit].item);
    for item in items.filter_map(|item| facts.items(file).get(item as usize)) {
        if names.len() < NAMED && !names.contains(&item.name) {
            names.push(item.name.clone());
        }
    }
    names
}

/// Modules by their best files, which come best first.
fn modules(workspace: &Workspace, files: impl Iterator<Item = Found>, most: usize) -> Vec<Found> {
    let mut modules: Vec<Found> = Vec::new();
    let mut places: BTreeMap<FileId, usize> = BTreeMap::new();
    for found in files {
        let Some(module) = module_of(workspace, found.file) else { continue };
        let file = found.file;
        let place = *places.entry(module).or_insert(modules.len());
        if place == modules.len() {
            modules.push(Found { file: module, ..found });
        }
        let named = &mut modules[place].files;
        if named.len() < NAMED {
            named.push(file);
        }
    }
    modules.truncate(most);
    modules
}

/// The file of the module that a Rust file belongs to: that of the folder that it is in, `auth/mod.rs` or `auth.rs`; without one, or
/// where others are in its own folder, itself.
fn module_of(workspace: &Workspace, file: FileId) -> Option<FileId> {
    let snapshot = &workspace.snapshot;
    let known = snapshot.file(file);
    if known.kind != FileKind::Rust {
        return None;
    }
    let (folder, name) = known.path.rsplit_once('/').unwrap_or(("", &known.path));
    let has_folder = || {
        let own = format!("{}/", known.path.trim_end_matches(".rs"));
        let first = snapshot.files.partition_point(|other| other.path < own);
        snapshot.files[first..].iter().take_while(|other| other.path.starts_with(&own)).any(is_rust)
    };
    if name == MODULE_FILE || has_folder() {
        return Some(file);
    }
    let around = [format!("{folder}/{MODULE_FILE}"), format!("{folder}.rs")];
    Some(around.iter().find_map(|path| snapshot.find(path)).unwrap_or(file))
}

fn is_rust(file: &SourceFile) -> bool {
    file.kind == FileKind::Rust
}

fn hit(workspace: &Workspace, level: SearchLevel, rank: u32, found: Found) -> Hit {
    let Found { file, unit, score, signals, items, files } = found;
    let source = workspace.snapshot.file(file);
    let lines = source.text.line_index();
    let unit = unit.and_then(|unit| workspace.lexical.units.get(unit));
    let syntax = workspace.syntax.get(file.index()).and_then(Option::as_ref);
    let all: &[Symbol] = syntax.map_or(&[], |syntax| &syntax.items);
    let number = unit.and_then(|unit| unit.item).filter(|_| level == SearchLevel::Symbol);
    let item = number.and_then(|item| all.get(item as usize));
    let (range, preview) = match (item, unit) {
        (Some(item), _) => (lines.lines(item.span), preview::of_item(source, item)),
        (None, Some(unit)) => (unit.lines, preview::of_section(source, unit.lines)),
        (None, None) => {
            let whole = LineRange::new(1, lines.count().max(1));
            (whole, preview::of_file(source, all))
        }
    };
    let name = match level {
        SearchLevel::Symbol => number.map(|item| full_name(all, item)),
        SearchLevel::Module => Some(workspace.graph.module_of(file).to_owned()),
        SearchLevel::File | SearchLevel::Doc => None,
    };
    Hit {
        path: source.path.clone(),
        lines: [range.first, range.last],
        name: name.filter(|name| !name.is_empty()),
        kind: match level {
            SearchLevel::Module => Some(SymbolKind::Module),
            _ => item.map(|item| item.kind),
        },
        rank,
        score,
        reasons: signals.iter().map(Reason::of).collect(),
        items,
        files: files.iter().map(|file| workspace.snapshot.file(*file).path.clone()).collect(),
        preview,
    }
}
