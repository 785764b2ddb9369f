//! What rust-analyzer says, asked once and kept in a file: the graph can then be worked on without a server.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::server::Server;

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

/// Answers from the file first, then from a server that is started for the first question that needs it.
pub struct Answers {
    kept: Kept,
    file: Option<PathBuf>,
    start: Start,
    server: Option<Server>,
}

/// What it takes to start the server.
pub struct Start {
    pub root: PathBuf,
    /// Proves the server ready.
    pub known_name: String,
    pub limit: Duration,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Kept {
    definitions: BTreeMap<String, Vec<Target>>,
    references: BTreeMap<String, Vec<Target>>,
}

impl Answers {
    pub fn open(file: Option<PathBuf>, start: Start) -> Result<Answers> {
        let kept = match file.as_ref().filter(|path| path.exists()) {
            Some(path) => serde_json::from_str(&std::fs::read_to_string(path)?)
                .with_context(|| format!("{} holds no answers", path.display()))?,
            None => Kept::default(),
        };
        Ok(Answers { kept, file, start, server: None })
    }

    /// The places that answer a question, sorted; empty where rust-analyzer has no answer.
    pub fn ask(&mut self, question: Question, place: &Place) -> Result<Vec<Target>> {
        let key = format!("{}:{}:{}", place.path, place.line, place.column);
        if let Some(targets) = self.kept.of(question).get(&key) {
            return Ok(targets.clone());
        }
        let targets = self.server()?.ask(question, place)?;
        self.kept.of(question).insert(key, targets.clone());
        Ok(targets)
    }

    pub fn save(&self) -> Result<()> {
        match &self.file {
            Some(path) => Ok(std::fs::write(path, serde_json::to_string_pretty(&self.kept)?)?),
            None => Ok(()),
        }
    }

    fn server(&mut self) -> Result<&mut Server> {
        let server = match self.server.take() {
            Some(server) => server,
            None => {
                eprintln!("rust-analyzer loads the workspace");
                let mut server = Server::start(&self.start.root)?;
                server.wait_until_ready(&self.start.known_name, self.start.limit)?;
                server
            }
        };
        Ok(self.server.insert(server))
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
