//! The dossier on its way to a model: compiled for its window, changed by hand, counted as it will be sent.

use std::collections::BTreeSet;

use anyhow::bail;

use super::outgoing::Cleaner;
use super::system_for;
use crate::cli::messages::{Messages, has_color};
use crate::cli::task::{Asker, Task};
use crate::config::Origin;
use crate::llm::{ChatRequest, Message};
use crate::prompt::room::{self, Over};
use crate::prompt::task_message;
use crate::session::protocol::{
    self, Edits, ExplainWish, LookupAnswer, LookupParams, Refused, Task as Asked,
};
use crate::text::TokenCounter;

/// Makes dossiers of one task.
pub(super) struct Compiler<'a> {
    task: &'a Task,
    asker: &'a Asker<'a>,
    pub cleaner: &'a Cleaner,
    pub messages: &'a Messages,
    pub counter: TokenCounter,
    /// Whether every file is to be looked at again.
    pub is_fresh: bool,
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
    pub answer: protocol::Dossier,
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
        asker: &'a Asker<'a>,
        cleaner: &'a Cleaner,
        messages: &'a Messages,
        window: Option<u32>,
    ) -> Compiler<'a> {
        let set = &task.settings.budget;
        let is_users = !matches!(set.origin, Origin::Default | Origin::Workspace { .. });
        let budget = room::budget(set.value, is_users, window);
        let counter = TokenCounter::start();
        let (dropped, added) = (BTreeSet::new(), Vec::new());
        Compiler {
            task,
            asker,
            counter,
            is_fresh: false,
            cleaner,
            messages,
            system: None,
            budget,
            is_users,
            window,
            dropped,
            added,
        }
    }

    pub fn compile(&self) -> anyhow::Result<Dossier> {
        let mut asked = self.task.asked(true);
        asked.budget = room::for_dossier(self.budget);
        asked.fresh = self.is_fresh;
        asked.explain = Some(explain_wish());
        let (drop, add) = (self.dropped.iter().cloned().collect(), self.added.clone());
        asked.edits = Edits { drop, add, room: self.budget };
        let answer = self.asker.dossier(asked)?;
        for Refused { name, why } in &answer.refused {
            self.messages.warn(&format!("{name} is not added: {why}"));
        }
        let system = self.cleaner.clean(&system_for(self.system.as_deref(), answer.action));
        let message = task_message(&answer.query, &answer.text);
        let message = self.cleaner.clean(&message);
        let prompt_tokens = self.counter.count(&system) + self.counter.count(&message);
        let left = self.budget.saturating_sub(answer.budget.used);
        Ok(Dossier { answer, system, message, prompt_tokens, left })
    }

    /// What the model asks for by its name, within so many tokens.
    pub fn lookup(&self, name: &str, room: u32) -> anyhow::Result<LookupAnswer> {
        let Asked { place, mask, format, line_numbers, .. } = self.task.asked(true);
        let (name, reason) = (name.to_owned(), "you asked for it".to_owned());
        self.asker.lookup(&LookupParams { place, name, reason, room, mask, format, line_numbers })
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

/// As wide as standard error.
fn explain_wish() -> ExplainWish {
    let stderr = std::io::stderr();
    let width = terminal_size::terminal_size_of(&stderr).map(|(width, _)| width.0.into());
    let fallback = ExplainWish::default();
    ExplainWish { width: width.unwrap_or(fallback.width), color: has_color(&stderr) }
}
