//! What of the chosen files goes into one pack, counted on the text as it will be printed.

use std::sync::PoisonError;

use super::{Answer, Choice, LanguageServer, PipelineError, Request, Workspace};
use crate::budget::asked::Room;
use crate::budget::{self, BudgetUse, ContextPack, Freshness, Limits};
use crate::expand::Facts;
use crate::model::Note;
use crate::plan::Strategy;
use crate::rank::confidence::{confidence, says_little};
use crate::render::{self, RenderOptions};
use crate::text::TokenCounter;

const NOTHING_TO_LOOK_FOR: &str = "the task names nothing to look for: this is where the programs and libraries begin; \
     name a type, a function or a path";

const TORN: &str = "files were changed while the answer was made, and are left empty in it; ask again";

impl Workspace {
    /// The dossier of a choice, within the request's budget.
    pub fn pack(
        &self,
        request: &Request,
        choice: Choice,
        server: &LanguageServer,
    ) -> Result<Answer, PipelineError> {
        let Choice { intent, plan, candidates, ranked, query, secrets, notes, votes, close, mut clock } =
            choice;
        let facts = Facts { close: close.as_ref(), ..self.facts(&votes, &self.graph) };
        let counter = self.counter;
        let counted = request.render.counted();
        let frame = render::frame(&query, request.budget, &counted);
        let around = counter.count(&frame.head) + counter.count(&frame.tail);
        let mut room = request.budget.saturating_sub(around);
        let price = |entry: &budget::Entry| counter.count(&render::render_entry(entry, &counted));
        let by_hand = &request.by_hand;
        let most = request.budget.max(by_hand.room).saturating_sub(around);
        let within = Room { tokens: most, mask: request.mask, counter: &counter, price: &price };
        let settled = self.settle_by_hand(&facts, request, &ranked, &within);
        let open = by_hand.open(&facts, &ranked, &settled);
        let sure = confidence(&facts, &intent, &candidates, &ranked);
        // Few words that name a part of the workspace ask for all of it; more of them, for a place in it.
        let is_wide = match plan.strategy {
            Strategy::EntryPointBased { .. } => true,
            Strategy::Broad { .. } => says_little(&candidates),
            Strategy::Focused { .. } | Strategy::Semantic { .. } => false,
        };
        // Who asks for a full budget wants to see what comes nearest; who names nothing gets where the programs begin.
        let is_asked = request.fill || plan.shortlist_beliefs.iter().any(|belief| *belief > 0.0);
        let is_relevant =
            is_asked || matches!(plan.strategy, Strategy::EntryPointBased { .. }) || !sure.is_nothing();
        loop {
            let limits = Limits {
                tokens: room.min(most.saturating_sub(settled.tokens())),
                max_files: request.max_files,
                mask: request.mask,
                fill: request.fill || is_wide,
                is_relevant,
                narrow: &settled.narrow,
            };
            let mut fitted = budget::fit(&facts, &open, &candidates, limits, &counter, &price);
            if !by_hand.is_empty() {
                by_hand.merge(&facts, &ranked, &settled, (&mut fitted.files, &mut fitted.dropped));
            }
            let mut pack = ContextPack {
                query: query.clone(),
                workspace: self.snapshot.root.display().to_string(),
                intent: intent.clone(),
                plan: plan.clone(),
                confidence: sure.first,
                files: fitted.files,
                dropped: fitted.dropped,
                ranking: ranked.iter().map(|file| self.snapshot.file(file.file).path.clone()).collect(),
                budget: BudgetUse { limit: request.budget, used: 0, tokenizer: crate::text::ENCODING.into() },
                language_server: self.server_status(server),
                freshness: self.freshness(),
                notes: self.all_notes(&plan.strategy, &notes, fitted.masked + secrets),
                timings: Vec::new(),
            };
            let text = render::render(&pack, &counted);
            pack.budget.used = counter.count(&text);
            let limit =
                if settled.entries.is_empty() { request.budget } else { request.budget.max(by_hand.room) };
            if pack.budget.used > limit {
                let over = pack.budget.used - limit;
                if room == 0 {
                    let least = least_budget(&mut pack, &counted, counter);
                    return Err(PipelineError::Budget { budget: request.budget, least });
                }
                room = room.saturating_sub(over);
                continue;
            }
            clock.stage("budget");
            let mut reading = self.timings.lock().unwrap_or_else(PoisonError::into_inner);
            pack.timings = std::mem::take(&mut *reading);
            pack.timings.extend(clock.stages);
            let rendered =
                if counted == request.render { text } else { render::render(&pack, &request.render) };
            return Ok(Answer { pack, rendered, ranked, refused: settled.refused });
        }
    }

    /// How old what is known is.
    pub fn freshness(&self) -> Freshness {
        let age = self.known.unwrap_or(self.read).elapsed().unwrap_or_default();
        Freshness {
            generation: self.generation,
            index_age_ms: age.as_millis() as u64,
            changed_since: self.changed,
            embedded: self.embedded(),
        }
    }

    /// What is to be known of the workspace, of the task and of the text, in this order.
    fn all_notes(&self, strategy: &Strategy, of_task: &[Note], masked: u32) -> Vec<Note> {
        let mut notes = self.notes();
        notes.extend(self.history.notes.iter().cloned());
        notes.extend(of_task.iter().cloned());
        if matches!(strategy, Strategy::EntryPointBased { .. }) {
            notes.push(Note::warning(NOTHING_TO_LOOK_FOR));
        }
        if self.snapshot.is_torn() {
            notes.push(Note::warning(TORN));
        }
        if masked > 0 {
            notes.push(Note::warning(format!(
                "{masked} {} masked in the text; --no-mask or the setting mask shows them",
                if masked == 1 { "secret is" } else { "secrets are" }
            )));
        }
        notes
    }
}

/// The least budget that holds what `pack`, which is over its own, has come down to. More room makes more of the task
/// fit into the frame, so that it is sought from below.
fn least_budget(pack: &mut ContextPack, options: &RenderOptions, counter: TokenCounter) -> u32 {
    loop {
        let used = counter.count(&render::render(pack, options));
        if used <= pack.budget.limit {
            return pack.budget.limit;
        }
        pack.budget.limit = used;
    }
}
