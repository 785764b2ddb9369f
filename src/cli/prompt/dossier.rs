//! The dossier on its way to a model: compiled for its window, changed by hand, counted as it will be sent.

use std::collections::BTreeSet;

use anyhow::bail;

use super::outgoing::Cleaner;
use super::system_for;
use crate::budget::Entry;
use crate::cli::messages::{Messages, has_color};
use crate::cli::server::ANSWER_TIME;
use crate::cli::task::{Ready, Task};
use crate::config::Origin;
use crate::llm::{ChatRequest, Message};
use crate::model::Deadline;
use crate::pipeline::{Answer, Request};
use crate::prompt::room::{self, Over};
use crate::prompt::task_message;
use crate::render::{ExplainOptions, explain, render};

/// Makes dossiers of one task.
pub(super) struct Compiler<'a> {
    pub task: &'a Task,
    pub ready: &'a Ready,
    pub cleaner: &'a Cleaner,
    pub messages: &'a Messages,
    /// The user's own instructions.
    pub system: Option<String>,
    /// Tokens for the dossier and for all that is asked for besides.
    budget: u32,
    /// Whether the user set it: then it is kept, or refused.
    is_users: bool,
    window: Option<u32>,
    dropped: BTreeSet<String>,
    added: Vec<String>,
}

/// One dossier with the messages that carry it.
pub(super) struct Dossier {
    pub answer: Answer,
    pub system: String,
    pub message: String,
    /// Of system and message, by our count.
    pub prompt_tokens: u32,
    /// Tokens that are left for what the model asks for.
    pub left: u32,
}

impl<'a> Compiler<'a> {
    pub fn new(
        task: &'a Task,
        ready: &'a Ready,
        cleaner: &'a Cleaner,
        messages: &'a Messages,
        window: Option<u32>,
    ) -> Compiler<'a> {
        let set = &task.settings.budget;
        let is_users = !matches!(set.origin, Origin::Default | Origin::Workspace { .. });
        let budget = room::budget(set.value, is_users, window);
        let (dropped, added) = (BTreeSet::new(), Vec::new());
        Compiler { task, ready, cleaner, messages, system: None, budget, is_users, window, dropped, added }
    }

    pub fn request(&self) -> Request {
        Request { budget: room::for_dossier(self.budget), ..self.task.request(true) }
    }

    pub fn compile(&self) -> anyhow::Result<Dossier> {
        let request = self.request();
        let deadline = if self.ready.deadline.is_over() {
            Deadline::after(ANSWER_TIME)
        } else {
            self.ready.deadline.clone()
        };
        let mut answer = self.ready.answer(&request, &deadline, self.messages)?;
        self.edit(&mut answer, &request);
        let counter = self.ready.workspace.counter();
        let system = self.cleaner.clean(&system_for(self.system.as_deref(), &answer.pack));
        let message = task_message(&answer.pack.query, &answer.rendered);
        let message = self.cleaner.clean(&message);
        let prompt_tokens = counter.count(&system) + counter.count(&message);
        let left = self.budget.saturating_sub(answer.pack.budget.used);
        Ok(Dossier { answer, system, message, prompt_tokens, left })
    }

    /// Puts what the user dropped and added into effect.
    fn edit(&self, answer: &mut Answer, request: &Request) {
        if self.dropped.is_empty() && self.added.is_empty() {
            return;
        }
        let pack = &mut answer.pack;
        pack.files.retain(|entry| !self.dropped.contains(&entry.path));
        let workspace = &self.ready.workspace;
        let mut used = workspace.counter().count(&render(pack, &request.render));
        for name in &self.added {
            match workspace.lookup(name, "added by hand", self.budget.saturating_sub(used), request) {
                Ok(entries) => {
                    used += entries.iter().map(|entry| entry.tokens).sum::<u32>();
                    put(entries, &mut pack.files);
                }
                Err(refusal) => self.messages.warn(&format!("{name} is not added: {refusal}")),
            }
        }
        answer.rendered = render(pack, &request.render);
        pack.budget.used = workspace.counter().count(&answer.rendered);
    }

    pub fn set_budget(&mut self, tokens: u32) {
        (self.budget, self.is_users) = (tokens, true);
    }

    pub fn budget(&self) -> u32 {
        self.budget
    }

    pub fn drop_file(&mut self, path: &str) {
        self.added.retain(|added| added != path);
        self.dropped.insert(path.to_owned());
    }

    pub fn add(&mut self, name: &str) {
        self.dropped.remove(name);
        if !self.added.iter().any(|added| added == name) {
            self.added.push(name.to_owned());
        }
    }

    /// By how many tokens the whole is too large for the window.
    pub fn over(&self, dossier: &Dossier) -> Option<u32> {
        let most = self.window?;
        room::window(dossier.prompt_tokens, dossier.left, most).err().map(|Over(over)| over)
    }

    /// Lowers a budget that nobody set; says whether that was of use.
    pub fn lower_budget(&mut self, over: u32) -> bool {
        let is_lower = !self.is_users && over < self.budget;
        if is_lower {
            self.budget -= over;
        }
        is_lower
    }

    pub fn ensure_fits(&self, dossier: &Dossier) -> anyhow::Result<()> {
        let (Some(over), Some(window)) = (self.over(dossier), self.window) else { return Ok(()) };
        match self.budget.checked_sub(over).filter(|least| *least > 0) {
            Some(most) => bail!(
                "a budget of {} tokens does not fit into the model's window of {window} with the task and room for an answer: \
                 give at most {most} with --token-budget, or a model with a larger window",
                self.budget
            ),
            None => bail!(
                "the task alone does not fit into the model's window of {window} tokens with room for an answer: \
                 shorten it, or name a model with a larger window with --model"
            ),
        }
    }

    /// What is sent first.
    pub fn conversation(&self, dossier: &Dossier) -> anyhow::Result<ChatRequest> {
        self.ensure_fits(dossier)?;
        let window =
            self.window.and_then(|most| room::window(dossier.prompt_tokens, dossier.left, most).ok());
        Ok(ChatRequest {
            system: dossier.system.clone(),
            messages: vec![Message::user(dossier.message.clone())],
            window,
            answer_limit: window.map(|window| room::answer_limit(window, dossier.prompt_tokens)),
            ..ChatRequest::default()
        })
    }
}

impl Dossier {
    /// Why each file is there, for standard error.
    pub fn explained(&self) -> String {
        let stderr = std::io::stderr();
        let width = terminal_size::terminal_size_of(&stderr).map(|(width, _)| width.0.into());
        let fallback = ExplainOptions::default();
        let options = ExplainOptions { width: width.unwrap_or(fallback.width), color: has_color(&stderr) };
        explain(&self.answer.pack, &options)
    }
}

/// Puts entries behind the others; one that is there for the same file makes way.
fn put(entries: Vec<Entry>, files: &mut Vec<Entry>) {
    for mut entry in entries {
        files.retain(|known| known.path != entry.path);
        entry.rank = files.len() as u32 + 1;
        files.push(entry);
    }
}
