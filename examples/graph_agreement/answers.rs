//! What rust-analyzer says, asked once and kept in a file: the graph can then be worked on without a server.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use dossier::lsp::{At, Place as Stretch, Questions, Target as Said};
use dossier::model::{Deadline, FileId, SymbolKind};
use dossier::pipeline::{LanguageServer, Workspace};
use dossier::text::LineIndex;
use serde::{Deserialize, Serialize};

use crate::code::Code;

/// How long one answer may take: the first about a name that stands everywhere takes seconds.
const ANSWER: Duration = Duration::from_secs(120);

/// A place in a file of the workspace: line from 1, column in bytes from 0.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub path: String,
    pub line: u32,
    pub column: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Question {
    Definition,
    References,
}

/// One place of an answer. No path: outside the workspace.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Target {
    pub path: Option<String>,
    pub line: u32,
}

/// Answers from the file first, then from the server, which must be ready for the first question that needs it.
pub struct Answers<'a> {
    kept: Kept,
    file: Option<PathBuf>,
    workspace: &'a Workspace,
    server: &'a LanguageServer,
    wait: Duration,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Kept {
    definitions: BTreeMap<String, Vec<Target>>,
    references: BTreeMap<String, Vec<Target>>,
}

impl<'a> Answers<'a> {
    pub fn open(
        file: Option<PathBuf>,
        workspace: &'a Workspace,
        server: &'a LanguageServer,
        wait: Duration,
    ) -> Result<Answers<'a>> {
        let kept = match file.as_ref().filter(|path| path.exists()) {
            Some(path) => serde_json::from_str(&std::fs::read_to_string(path)?)
                .with_context(|| format!("{} holds no answers", path.display()))?,
            None => Kept::default(),
        };
        Ok(Answers { kept, file, workspace, server, wait })
    }

    /// The places that answer a question, sorted; empty where rust-analyzer has no answer.
    pub fn ask(&mut self, question: Question, place: &Place) -> Result<Vec<Target>> {
        let key = format!("{}:{}:{}", place.path, place.line, place.column);
        if let Some(targets) = self.kept.of(question).get(&key) {
            return Ok(targets.clone());
        }
        let at = self.at(place).context("the place is not in the workspace")?;
        let (questions, deadline) = (self.questions()?, Deadline::after(ANSWER));
        let said: Vec<Said> = match question {
            Question::Definition => questions.definition(at, &deadline)?,
            Question::References => {
                let places = questions.references(at, &deadline)?;
                // The other definitions of a trait's item are told as references of each.
                places.into_iter().filter(|place| !self.is_name(*place)).map(Said::Inside).collect()
            }
        };
        let mut targets: Vec<Target> = said.into_iter().map(|said| self.target(said)).collect();
        targets.sort();
        targets.dedup();
        self.kept.of(question).insert(key, targets.clone());
        Ok(targets)
    }

    /// A server that has proved itself.
    pub fn questions(&self) -> Result<Questions<'a>> {
        let mut last = String::new();
        let told = &mut |progress: String| {
            if progress != last {
                eprintln!("{progress}");
                last = progress;
            }
        };
        let ready = self.server.wait(self.workspace, &Deadline::after(self.wait), told);
        let notes: Vec<String> = self.server.notes().into_iter().map(|note| note.text).collect();
        ensure!(ready, "rust-analyzer is not ready: {}", notes.join("; "));
        let server = self.server.server().context("rust-analyzer is gone")?;
        server.on(&self.workspace.snapshot).context("rust-analyzer is not ready any more")
    }

    pub fn save(&self) -> Result<()> {
        match &self.file {
            Some(path) => Ok(std::fs::write(path, serde_json::to_string_pretty(&self.kept)?)?),
            None => Ok(()),
        }
    }

    fn at(&self, place: &Place) -> Option<At> {
        let file = self.workspace.snapshot.find(&place.path)?;
        let line = LineIndex::new(&self.workspace.snapshot.file(file).text).start(place.line);
        Some((file, line + place.column))
    }

    fn target(&self, said: Said) -> Target {
        match said {
            Said::Inside(place) => {
                let Place { path, line, .. } = self.place(place.file, place.span.start);
                Target { path: Some(path), line }
            }
            Said::Outside => Target { path: None, line: 0 },
        }
    }

    fn is_name(&self, place: Stretch) -> bool {
        let items = self.workspace.syntax[place.file.index()].iter().flat_map(|syntax| &syntax.items);
        items
            .filter(|item| item.kind != SymbolKind::Impl)
            .any(|item| item.name_span.start == place.span.start)
    }

    fn place(&self, file: FileId, offset: u32) -> Place {
        Code::place_in(&self.workspace.snapshot, file, offset)
    }
}

impl Kept {
    fn of(&mut self, question: Question) -> &mut BTreeMap<String, Vec<Target>> {
        match question {
            Question::Definition => &mut self.definitions,
            Question::References => &mut self.references,
        }
    }
}
