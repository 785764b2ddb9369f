//! What the examples that measure on tasks with known answers share: which tasks, and how one is asked.

use std::path::PathBuf;
#[cfg(feature = "embedded")]
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use clap::Args;
use dossier::config::DEFAULT_BUDGET;
use dossier::eval::{self, Embedding, Task};
#[cfg(feature = "embedded")]
use dossier::llm::embed::{Embedded, Precision};
use dossier::model::Deadline;
use dossier::pipeline::{Choice, LanguageServer, Planner, Request, Workspace};

#[derive(Args)]
pub struct Source {
    #[arg(long, required = true)]
    pub tasks: Vec<PathBuf>,
    #[arg(long)]
    pub repos: PathBuf,
    #[arg(long)]
    pub work: PathBuf,
    /// Embed each workspace first, with the model in this folder
    #[cfg(feature = "embedded")]
    #[arg(long)]
    pub embed: Option<PathBuf>,
}

impl Source {
    /// The tasks of all files, in their order.
    pub fn read(&self) -> Result<Vec<Task>> {
        let mut tasks = Vec::new();
        for file in &self.tasks {
            let text = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
            tasks.extend(eval::read(&text).0);
        }
        ensure!(!tasks.is_empty(), "no task is in these files");
        Ok(tasks)
    }

    /// What says what is close in meaning, where that is wanted.
    pub fn embedding(&self) -> Result<Option<Embedding>> {
        #[cfg(feature = "embedded")]
        if let Some(folder) = &self.embed {
            let embedder = Arc::new(Embedded::open(folder, Precision::best())?);
            return Ok(Some(Embedding::open(embedder, &self.work)?));
        }
        Ok(None)
    }
}

/// The files of a task, ranked by rules alone.
pub fn choose(task: &Task, workspace: &Workspace) -> Choice {
    let request = Request::new(&task.query, DEFAULT_BUDGET);
    let server = LanguageServer::absent(&workspace.snapshot.root);
    workspace.choose(&request, &server, &Planner::rules(), &Deadline::never())
}
