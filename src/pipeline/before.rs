//! What is known of a workspace before it is looked at: from an index on disk, or from the workspace as it was a moment ago.

use std::sync::Arc;
use std::time::SystemTime;

use rustc_hash::FxHashMap;

use super::Workspace;
use super::answers::Said;
use crate::graph::{Graph, KeptGraph};
use crate::index::{KeptLexical, Lexical, Links};
use crate::model::{FileId, FileKind};
use crate::store::{Kept, Part};
use crate::syntax::FileSyntax;
use crate::text::Digest;
use crate::workspace::{Seen, Snapshot};

/// A state of the workspace.
#[derive(Default)]
pub(super) struct Before {
    /// Grows with each change; 0 where nothing is known.
    pub generation: u64,
    /// When it was that.
    pub time: Option<SystemTime>,
    pub seen: Seen,
    pub facts: Source,
}

/// Facts, read or still to be read.
pub(super) enum Source {
    Kept(Kept),
    Read(Facts),
}

/// What its files say, alone and together. What is damaged or missing is not there, and is found out again.
#[derive(Default)]
pub(super) struct Facts {
    pub syntax: FxHashMap<Digest, Arc<FileSyntax>>,
    pub lexical: Option<Arc<Lexical>>,
    pub graph: Option<Graph>,
    pub links: Option<Arc<Links>>,
    /// What a language server said.
    pub said: Said,
}

impl Default for Source {
    fn default() -> Source {
        Source::Read(Facts::default())
    }
}

impl Before {
    pub fn of_kept(kept: Kept) -> Before {
        let seen = kept.part(Part::Seen).unwrap_or_default();
        Before { generation: kept.generation, time: kept.saved, seen, facts: Source::Kept(kept) }
    }

    pub fn of_workspace(workspace: &Workspace) -> Before {
        let Workspace { snapshot, syntax, graph, lexical, links, .. } = workspace;
        let digests = snapshot.files.iter().map(|file| file.text.digest());
        let known = digests.zip(syntax).filter_map(|(digest, syntax)| Some((digest, syntax.clone()?)));
        let facts = Facts {
            syntax: known.collect(),
            lexical: Some(Arc::clone(lexical)),
            graph: Some(graph.clone()),
            links: Some(Arc::clone(links)),
            said: workspace.said(),
        };
        Before {
            generation: workspace.generation,
            time: Some(workspace.read),
            seen: snapshot.seen.clone(),
            facts: Source::Read(facts),
        }
    }
}

impl Source {
    /// Reads them; `seen` is of the same state.
    pub fn read(self, seen: &Seen) -> Facts {
        let kept = match self {
            Source::Read(facts) => return facts,
            Source::Kept(kept) => kept,
        };
        let paths: Vec<&str> = seen.texts().map(|(path, ..)| path).collect();
        let lexical = || kept.part::<KeptLexical>(Part::Lexical)?.open(paths.iter().copied());
        let code = || {
            let (syntax, graph) = rayon::join(
                || kept.syntax().into_iter().map(|(digest, syntax)| (digest, Arc::new(syntax))).collect(),
                || kept.part::<KeptGraph>(Part::Graph),
            );
            let syntax: FxHashMap<Digest, Arc<FileSyntax>> = syntax;
            let of_file = |(_, kind, digest)| match kind {
                FileKind::Rust => syntax.get(&digest).cloned(),
                _ => None,
            };
            let files: Vec<Option<Arc<FileSyntax>>> = seen.texts().map(of_file).collect();
            (graph.and_then(|graph| graph.open(&files)), syntax)
        };
        let (lexical, (graph, syntax)) = rayon::join(lexical, code);
        let said = Said::Kept(kept.answers());
        Facts { syntax, lexical: lexical.map(Arc::new), graph, links: None, said }
    }
}

/// What became of the files.
pub(super) struct Moves {
    /// By file: which one it was before, with the same path and text.
    pub same: Vec<Option<FileId>>,
    /// Files that were changed, added or removed.
    pub changed: u32,
}

impl Moves {
    pub fn of(before: &Seen, snapshot: &Snapshot) -> Moves {
        let known: FxHashMap<&str, (u32, Digest)> =
            (0..).zip(before.texts()).map(|(id, (path, _, digest))| (path, (id, digest))).collect();
        let mut gone = known.len();
        let same = snapshot.files.iter().map(|file| {
            let (id, digest) = known.get(file.path.as_str())?;
            gone -= 1;
            (*digest == file.text.digest()).then_some(FileId(*id))
        });
        let same: Vec<Option<FileId>> = same.collect();
        let other = same.iter().filter(|same| same.is_none()).count();
        Moves { same, changed: (gone + other) as u32 }
    }
}
