//! How a workspace is opened: with nothing known, with what is kept on disk, or from one that is open already. It is one way: what
//! is known of a text holds as long as the text is the same, and only the rest is read, parsed and tied.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::SystemTime;

use rayon::prelude::*;

use super::before::{Before, Facts, Moves};
use super::saving::{News, Saving, Shared};
use super::{Clock, HISTORY_TIME, PipelineError, Workspace};
use crate::graph::{self, Graph, Heard};
use crate::index::{Earlier, Lexical, Links};
use crate::lsp::ServerKind;
use crate::meaning::Meaning;
use crate::model::{Deadline, FileKind, Source};
use crate::store::{IndexFolder, Packed};
use crate::syntax::{self, Body, ByFile, FileSyntax, KeptBody};
use crate::text::{Digest, TokenCounter};
use crate::workspace::history::{self, Commits, History, HistoryOptions};
use crate::workspace::{Seen, Snapshot, SourceFile, WalkOptions};

/// What helps to open a workspace.
#[derive(Default, Clone, Copy)]
pub struct OpenOptions<'a> {
    /// Where what is known is kept; `None` to read everything and keep nothing.
    pub index: Option<&'a IndexFolder>,
    /// Who is told how it goes on.
    pub watch: Option<&'a dyn Watch>,
}

/// Somebody who waits. Called from several threads.
pub trait Watch: Sync {
    /// So many files are to be parsed.
    fn begins(&self, files: usize);
    /// One of them was, with so many lines.
    fn parsed(&self, lines: usize);
}

impl Workspace {
    /// Reads and analyses a workspace. Only a root that cannot be read at all is an error; all other trouble is a
    /// note in the snapshot. Where `deadline` ends in time, git's history is read for a part of it at most.
    pub fn open(root: &Path, options: &WalkOptions, deadline: &Deadline) -> Result<Workspace, PipelineError> {
        Workspace::open_with(root, options, OpenOptions::default(), deadline)
    }

    /// The same with an index: what it has is not read again, and what it does not have is put down while the workspace is
    /// in use already (see `Workspace::settle`).
    pub fn open_with(
        root: &Path,
        options: &WalkOptions,
        open: OpenOptions<'_>,
        deadline: &Deadline,
    ) -> Result<Workspace, PipelineError> {
        let counter = TokenCounter::start();
        let clock = Clock::start();
        let mut opening = Opening {
            root,
            options,
            watch: open.watch,
            counter,
            clock,
            meaning: OnceLock::new(),
            index: None,
            base: None,
        };
        let Some(folder) = open.index else {
            return opening.run(Before::default(), Past::Known(Vec::new()), deadline);
        };
        let canonical = root.canonicalize().unwrap_or_else(|_| root.to_owned());
        let (index, mut kept, notes) = Shared::open(folder, canonical, options.view());
        opening.index = Some(index);
        let commits = std::mem::take(&mut kept.commits);
        let before = Before::of_kept(kept);
        opening.base = Some(before.generation);
        let workspace = opening.run(before, Past::Known(commits), deadline)?;
        workspace.put_down();
        Ok(workspace.with_notes(notes))
    }

    /// The workspace as it would be with these texts in place of what is on disk, by path: an editor's, which are not saved. Paths that
    /// the workspace does not have are passed over. Nothing of it is put down.
    ///
    /// # Errors
    /// None that the workspace itself did not have.
    pub fn with_texts(&self, texts: &BTreeMap<String, Arc<str>>) -> Result<Workspace, PipelineError> {
        let before = Before::of_workspace(self);
        let known = State { generation: before.generation, time: before.time, seen: before.seen };
        let facts = before.facts.read(&known.seen);
        let snapshot = self.snapshot.with_texts(texts);
        let history = || (Arc::clone(&self.history), Commits::default());
        let mut with = self.opening().finish(snapshot, known, facts, history)?;
        with.messages = Arc::clone(&self.messages);
        let _is_of_no_disk = with.saving().take();
        Ok(with)
    }

    /// The workspace as it is now; what has not changed is shared with this one. What is new is put down when `put_down` says so.
    ///
    /// # Errors
    /// Where the root cannot be read any more.
    pub fn renewed(&self, deadline: &Deadline) -> Result<Workspace, PipelineError> {
        let mut now = self.opening().run(Before::of_workspace(self), Past::Read(&self.history), deadline)?;
        let earlier = self.saving().take();
        let saving = now.saving.get_mut().unwrap_or_else(PoisonError::into_inner);
        *saving = Saving::of(saving.take().and(earlier));
        if Arc::ptr_eq(&now.history, &self.history) {
            now.messages = Arc::clone(&self.messages);
        }
        Ok(now)
    }

    /// The way to a next state.
    fn opening(&self) -> Opening<'_> {
        Opening {
            root: &self.snapshot.root,
            options: &self.options,
            watch: None,
            counter: self.counter,
            clock: Clock::start(),
            meaning: self.meaning.clone(),
            index: self.index.clone(),
            base: None,
        }
    }
}

/// Which state it was that is known.
struct State {
    generation: u64,
    time: Option<SystemTime>,
    seen: Seen,
}

/// What is known of the history.
enum Past<'a> {
    /// Packed, because it is opened on the thread that needs it.
    Known(Vec<Packed>),
    /// All of it, as long as HEAD is where it was.
    Read(&'a Arc<History>),
}

impl Past<'_> {
    /// The history, and what of it was not known.
    fn read(self, root: &Path, deadline: &Deadline) -> (Arc<History>, Commits) {
        let known = match self {
            Past::Read(history) if history.is_at(history::head(root).as_deref()) => {
                return (Arc::clone(history), Commits::default());
            }
            Past::Read(_) => Vec::new(),
            Past::Known(commits) => commits.iter().filter_map(Packed::open).collect(),
        };
        let (history, new) = History::read_knowing(root, &HistoryOptions::default(), known, deadline);
        (Arc::new(history), new)
    }
}

struct Opening<'a> {
    root: &'a Path,
    options: &'a WalkOptions,
    watch: Option<&'a dyn Watch>,
    counter: TokenCounter,
    clock: Clock,
    /// Of the state before.
    meaning: OnceLock<Arc<Meaning>>,
    /// `None` where nothing is kept.
    index: Option<Arc<Shared>>,
    /// The state that was found on disk; `None` where what is known comes from memory.
    base: Option<u64>,
}

/// What the Rust files say, by file.
struct Code {
    syntax: ByFile<FileSyntax>,
    /// Of the files that were parsed now.
    bodies: ByFile<Body>,
}

impl Opening<'_> {
    fn run(
        mut self,
        before: Before,
        past: Past<'_>,
        deadline: &Deadline,
    ) -> Result<Workspace, PipelineError> {
        let history_time = deadline.remaining().map(|left| left.min(HISTORY_TIME));
        let history_deadline = history_time.map_or_else(Deadline::never, Deadline::after);
        std::thread::scope(|scope| {
            let root = self.root;
            let history = scope.spawn(move || past.read(root, &history_deadline));
            let Before { generation, time, seen, facts } = before;
            let known = State { generation, time, seen };
            let (snapshot, facts) = rayon::join(
                || Snapshot::read_knowing(self.root, self.options, &known.seen),
                || facts.read(&known.seen),
            );
            self.clock.stage("walk");
            self.finish(snapshot?, known, facts, || history.join().unwrap_or_default())
        })
    }

    /// What follows from the files.
    fn finish(
        mut self,
        snapshot: Snapshot,
        known: State,
        mut facts: Facts,
        history: impl FnOnce() -> (Arc<History>, Commits),
    ) -> Result<Workspace, PipelineError> {
        let read = SystemTime::now();
        let State { generation, time, seen } = known;
        let said = std::mem::take(&mut facts.said);
        let moves = Moves::of(&seen, &snapshot);
        let code = self.parse(&snapshot, &facts);
        self.clock.stage("syntax");
        let (graph, lexical) = rayon::join(
            || self.graph(&snapshot, &code, &facts, &moves),
            || lexical(&snapshot, &code, &facts, &moves),
        );
        let links = match facts.links.take().filter(|_| moves.changed == 0) {
            Some(links) => links,
            None => Arc::new(Links::build(&graph, &lexical, &code.syntax)),
        };
        let server = ServerKind::of(&snapshot.root).name;
        let told = said.of(&snapshot, &moves, server);
        let graph = match &told {
            Some(told) => graph.with_answers(&told.answers, Source::Server(server)),
            None => graph,
        };
        self.clock.stage("index");
        let (history, commits) = history();
        self.clock.stage("history");
        let files = snapshot.files.iter().zip(&code.syntax).zip(code.bodies);
        let parsed = files.filter_map(|((file, syntax), body)| {
            Some((file.text.digest(), Arc::clone(syntax.as_ref()?), body?))
        });
        let is_new = moves.changed > 0 || facts.lexical.is_none() || facts.graph.is_none();
        let seen = snapshot.seen != seen;
        let news = News { base: self.base, is_new, seen, code: parsed.collect(), commits };
        Ok(Workspace {
            generation: generation + u64::from(is_new),
            changed: if generation > 0 { moves.changed } else { 0 },
            known: time,
            read,
            snapshot,
            syntax: code.syntax,
            graph,
            lexical,
            links,
            history,
            messages: Arc::default(),
            options: self.options.clone(),
            counter: self.counter,
            timings: Mutex::new(self.clock.stages),
            speaker: told.as_ref().map(|told| told.answers.speaker().clone()),
            told: Mutex::new(told),
            index: self.index,
            heard: Heard::default(),
            meaning: self.meaning,
            passages: OnceLock::new(),
            saving: Mutex::new(Saving::of(news)),
        })
    }

    /// Parses the files whose texts are not known.
    fn parse(&self, snapshot: &Snapshot, facts: &Facts) -> Code {
        let known = |file: &SourceFile| facts.syntax.get(&file.text.digest()).cloned();
        let is_rust = |file: &SourceFile| file.kind == FileKind::Rust;
        if let Some(watch) = self.watch {
            watch.begins(snapshot.files.iter().filter(|file| is_rust(file) && known(file).is_none()).count());
        }
        let parse = |file: &SourceFile| {
            if !is_rust(file) {
                return (None, None);
            }
            if let Some(syntax) = known(file) {
                return (Some(syntax), None);
            }
            let parsed = syntax::parse(&file.text);
            if let Some(watch) = self.watch {
                watch.parsed(file.text.lines().count());
            }
            (Some(Arc::new(parsed.syntax)), Some(Arc::new(parsed.body)))
        };
        let (syntax, bodies) = snapshot.files.par_iter().map(parse).unzip();
        Code { syntax, bodies }
    }

    fn graph(&self, snapshot: &Snapshot, code: &Code, facts: &Facts, moves: &Moves) -> Graph {
        let environment = graph::environment(snapshot, &code.syntax);
        let earlier = facts.graph.as_ref().filter(|graph| graph.environment() == environment);
        if let Some(graph) = earlier.filter(|_| moves.changed == 0) {
            return graph.clone();
        }
        // In the same environment files have the same ids, and only those need a body whose text is another.
        let is_known = |place: usize| earlier.is_some() && moves.same[place].is_some();
        let bodies = self.bodies(snapshot, code, &is_known);
        match earlier {
            Some(earlier) => Graph::update(earlier, snapshot, &code.syntax, &bodies),
            None => Graph::build(snapshot, &code.syntax, &bodies),
        }
    }

    /// The bodies of all Rust files but those of which enough `is_known`: parsed just now, kept, or parsed again.
    fn bodies(
        &self,
        snapshot: &Snapshot,
        code: &Code,
        is_known: &dyn Fn(usize) -> bool,
    ) -> Vec<Option<Arc<Body>>> {
        let mut bodies = code.bodies.clone();
        let is_missing =
            |place: &usize| code.syntax[*place].is_some() && bodies[*place].is_none() && !is_known(*place);
        let missing: Vec<usize> = (0..bodies.len()).filter(is_missing).collect();
        let digests: Vec<Digest> = missing.iter().map(|place| snapshot.files[*place].text.digest()).collect();
        let kept = self.index.as_ref().map(|index| index.bodies(&digests)).unwrap_or_default();
        let kept = kept.into_iter().chain(std::iter::repeat_with(|| None));
        let found: Vec<(usize, Option<KeptBody>)> = missing.into_iter().zip(kept).collect();
        let found: Vec<(usize, Body)> = found
            .into_par_iter()
            .map(|(place, kept)| {
                let parse = || syntax::parse(&snapshot.files[place].text).body;
                (place, kept.and_then(KeptBody::open).unwrap_or_else(parse))
            })
            .collect();
        for (place, body) in found {
            bodies[place] = Some(Arc::new(body));
        }
        bodies
    }
}

fn lexical(snapshot: &Snapshot, code: &Code, facts: &Facts, moves: &Moves) -> Arc<Lexical> {
    match &facts.lexical {
        Some(lexical) if moves.changed == 0 => Arc::clone(lexical),
        Some(lexical) => {
            let earlier = Earlier { lexical, same: &moves.same };
            Arc::new(Lexical::update(&earlier, snapshot, &code.syntax))
        }
        None => Arc::new(Lexical::build(snapshot, &code.syntax)),
    }
}
