//! What planning asks about a workspace, answered by its index, its graph and its packages.

use crate::graph::Graph;
use crate::index::Lexical;
use crate::lsp::LanguageProvider;
use crate::model::{Deadline, Role};
use crate::plan::{PlanFacts, Vocabulary};
use crate::text::normalize;
use crate::workspace::{Snapshot, TargetKind};

/// A workspace, as planning sees it.
pub struct Known<'a> {
    pub snapshot: &'a Snapshot,
    pub graph: &'a Graph,
    pub lexical: &'a Lexical,
    pub provider: &'a dyn LanguageProvider,
    pub deadline: &'a Deadline,
}

impl Vocabulary for Known<'_> {
    fn document_frequency(&self, word: &str) -> u32 {
        self.lexical.document_frequency(normalize(word))
    }

    fn with_prefix(&self, prefix: &str, limit: usize) -> Vec<(String, u32)> {
        self.lexical.with_prefix(prefix, limit)
    }
}

impl PlanFacts for Known<'_> {
    fn definitions(&self, path: &[String]) -> u32 {
        let path = path.join("::");
        // What the text defines is enough to plan by; a server knows of what macros make besides.
        match self.graph.definitions(&path).len() {
            0 => self.provider.definition(&path, self.deadline).len() as u32,
            found => found as u32,
        }
    }

    fn paths_with_word(&self, word: &str, limit: usize) -> Vec<String> {
        let files = self.lexical.files_with_path_word(normalize(word));
        files.take(limit).map(|file| self.snapshot.file(file).path.clone()).collect()
    }

    fn entry_files(&self) -> Vec<String> {
        let targets = self.snapshot.packages.iter().flat_map(|package| &package.targets);
        let mut roots: Vec<_> = targets
            .filter(|target| matches!(target.kind, TargetKind::Bin | TargetKind::Lib | TargetKind::ProcMacro))
            .filter(|target| self.snapshot.file(target.root).role == Role::Source)
            .map(|target| (target.kind, self.snapshot.file(target.root).path.as_str()))
            .collect();
        // Programs first; the shallow before the deep.
        roots.sort_by_key(|&(kind, path)| (kind != TargetKind::Bin, path.matches('/').count(), path));
        roots.into_iter().map(|(_, path)| path.to_string()).collect()
    }
}
