//! A task with the settings that it is asked by, in the words of the protocol.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::config::{Settings, Tests};
use crate::model::Note;
use crate::session::protocol::{Lsp, Place, Task as Asked};
use crate::workspace::WalkOptions;

/// An answer is due within this time of the question, or of the end of the wait for a language server.
pub(crate) const ANSWER_TIME: Duration = Duration::from_secs(3);

/// What was asked, and where.
#[derive(Debug, Clone)]
pub(crate) struct Task {
    pub query: String,
    pub root: PathBuf,
    pub settings: Settings,
    /// Of how the workspace was found.
    pub notes: Vec<Note>,
}

impl Task {
    /// What is asked, in the words of the protocol; `content` says whether code is shown.
    pub fn asked(&self, content: bool) -> Asked {
        let settings = &self.settings;
        Asked {
            budget: settings.budget.value,
            max_files: settings.max_files.value,
            fill: settings.fill.value,
            depth: settings.depth.value,
            tests: match settings.tests.value {
                Tests::Auto => None,
                Tests::Yes => Some(true),
                Tests::No => Some(false),
            },
            mask: settings.mask.value,
            format: settings.format.value,
            line_numbers: settings.line_numbers.value,
            content,
            lsp: wish(settings),
            ..Asked::new(protocol_place(&self.root, settings), &self.query)
        }
    }
}

/// How far the settings want the language server asked.
pub(crate) fn wish(settings: &Settings) -> Lsp {
    let wait_ms = u64::from(settings.wait_lsp.value) * 1000;
    Lsp { ask: settings.lsp.value, wait_ms, command: settings.lsp_command.value.clone(), ..Lsp::default() }
}

/// Which files of which workspace.
pub(crate) fn protocol_place(root: &Path, settings: &Settings) -> Place {
    Place {
        workspace: root.to_owned(),
        include: settings.include.value.clone(),
        exclude: settings.exclude.value.clone(),
        index: settings.index.value,
    }
}

/// Which files are looked at.
pub(crate) fn walk_options(settings: &Settings) -> WalkOptions {
    WalkOptions { include: settings.include.value.clone(), exclude: settings.exclude.value.clone() }
}
