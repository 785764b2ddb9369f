//! The dossier on its way to a model: compiled for its window, changed by hand, counted as it will be sent.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::bail;

use super::{Asker, Cleaner, Task, Tell};
use crate::budget::Level;
use crate::config::Origin;
use crate::llm::{ChatRequest, Message};
use crate::plan::Action;
use crate::prompt::room::{self, Over};
use crate::prompt::{self, task_message};
use crate::session::protocol::{
    self, Edits, ExplainWish, LookupAnswer, LookupParams, Refused, Task as Asked,
};
use crate::text::TokenCounter;

/// How often a budget that nobody set is lowered until all fits: the first time gives what is missing, later ones what is lost
/// between whole files.
const TRIES: usize = 3;

/// Makes dossiers of one task.
pub(crate) struct Compiler<'a> {
    task: &'a Task,
    asker: &'a Asker<'a>,
    pub cleaner: &'a Cleaner,
    pub tell: &'a dyn Tell,
    /// How the explanation is wanted.
    pub explain: ExplainWish,
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
    /// How deep files are shown, by path.
    levels: BTreeMap<String, Level>,
}

/// One dossier with the messages that carry it.
pub(crate) struct Dossier {
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
        tell: &'a dyn Tell,
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
            tell,
            explain: ExplainWish::default(),
            system: None,
            budget,
            is_users,
            window,
            dropped,
            added,
            levels: BTreeMap::new(),
        }
    }

    pub fn compile(&self) -> anyhow::Result<Dossier> {
        let mut asked = self.task.asked(true);
        asked.budget = room::for_dossier(self.budget);
        asked.fresh = self.is_fresh;
        asked.explain = Some(self.explain);
        let (drop, add) = (self.dropped.iter().cloned().collect(), self.added.clone());
        asked.edits = Edits { drop, add, levels: self.levels.clone(), room: self.budget };
        let answer = self.asker.dossier(asked)?;
        for Refused { name, why } in &answer.refused {
            self.tell.warn(&format!("{name} is not added: {why}"));
        }
        let system = self.cleaner.clean(&system_for(self.system.as_deref(), answer.action));
        let message = task_message(&answer.query, &answer.text);
        let message = self.cleaner.clean(&message);
        let prompt_tokens = self.counter.count(&system) + self.counter.count(&message);
        let left = self.budget.saturating_sub(answer.budget.used);
        Ok(Dossier { answer, system, message, prompt_tokens, left })
    }

    /// A dossier for which there is room. Where nobody set the budget, it is lowered until there is.
    pub fn fitting(&mut self) -> anyhow::Result<Dossier> {
        let mut tries = TRIES;
        loop {
            let dossier = self.compile()?;
            tries -= 1;
            let is_lower = self.over(&dossier).is_some_and(|over| tries > 0 && self.lower_budget(over));
            if !is_lower {
                self.ensure_fits(&dossier)?;
                return Ok(dossier);
            }
        }
    }

    /// What was changed by hand: paths that stay out, names that go in, levels by path.
    pub fn edit(&mut self, dropped: &BTreeSet<String>, added: &[String], levels: &BTreeMap<String, Level>) {
        self.dropped.clone_from(dropped);
        self.added = added.to_vec();
        self.levels.clone_from(levels);
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

/// The instructions for a kind of task, where the user has none of their own.
fn system_for(own: Option<&str>, action: Action) -> String {
    own.map_or_else(|| prompt::system(action), str::to_owned)
}
