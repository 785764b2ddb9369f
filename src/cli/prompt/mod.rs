//! `dossier prompt`: a task in, a model's answer out.
//!
//! ```text
//! task ─▶ model (its window) ─▶ dossier ◀─▶ preview ─▶ talk ─▶ standard output
//!                                  └────────────▶ journal ◀──┘
//! ```

mod preview;
mod printer;

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, bail, ensure};

use self::printer::Printer;
use super::Outcome;
use super::args::PromptArgs;
use super::messages::{Messages, has_color};
use super::output::Output;
use super::source::Source;
use super::task::{self, nothing_found};
use crate::client::{Asker, Cleaner, Compiler, Dossier, Kept, Model, Talk};
use crate::config::{Format, Origin};
use crate::llm::ChatRequest;
use crate::model::Deadline;
use crate::session::protocol::ExplainWish;
use crate::store::Answered;

/// A model that plans may take so long where the settings do not say: the answer takes longer.
const PLANNING: Duration = Duration::from_secs(20);
/// What is read of a file of instructions, in bytes: more than any window holds.
const LARGEST_SYSTEM: u64 = 256 * 1024;

pub(super) fn run(args: &PromptArgs, messages: &Messages) -> anyhow::Result<Outcome> {
    if args.preview {
        preview::ensure_terminal()?;
    }
    let flags = args.settings.typed().into_iter().chain(args.model.typed()).collect();
    let mut task = task::read(&args.task, &args.place, flags, messages)?;
    if task.settings.format.value == Format::Json {
        if matches!(task.settings.format.origin, Origin::Flag(_)) {
            bail!("a model reads no JSON here: give --format markdown, xml or plain");
        }
        task.settings.format.value = Format::Markdown;
    }
    let cleaner = Cleaner::new(&task.settings);
    let system = args.system.as_deref().map(own_system).transpose()?;
    let model = Model::choose(&task.settings.models, args.dry_run, messages)?;
    let source = Source::find(&task.root, &task.settings, messages)?;
    let asker = Asker::new(&task, PLANNING, Box::new(source), messages);
    let mut compiler = Compiler::new(&task, &asker, &cleaner, messages, model.window);
    compiler.is_fresh = args.settings.daemon.fresh;
    compiler.system = system;
    compiler.explain = explain_wish();
    let mut dossier = compiler.fitting()?;
    messages.notes(&dossier.answer.notes);
    if dossier.answer.files.is_empty() {
        return Ok(nothing_found(&task.root, messages));
    }
    if args.preview {
        match preview::ask(&mut compiler, dossier, &model, messages)? {
            Some(chosen) => dossier = chosen,
            None => return Ok(Outcome::Done),
        }
    }
    if args.explain_context {
        messages.write(dossier.answer.explanation.as_deref().unwrap_or_default());
    }
    let request = compiler.conversation(&dossier)?;
    if args.dry_run {
        return dry_run(&request, &dossier, &model, messages);
    }
    let kept = Kept::open(&task.root, messages);
    let id = kept.given(&task, &dossier.answer, model.chat.name());
    let deadline = Deadline::after(Duration::from_secs(args.timeout.into()));
    let mut talk = Talk::new(&model, &compiler, &dossier, &deadline);
    let outcome = talk.run(request, &mut Printer::default());
    kept.answered(Answered { dossier: id, is_complete: outcome.is_ok(), ..talk.counts() });
    Ok(if outcome? { Outcome::Done } else { Outcome::Troubled })
}

/// As wide as standard error.
fn explain_wish() -> ExplainWish {
    let stderr = std::io::stderr();
    let width = terminal_size::terminal_size_of(&stderr).map(|(width, _)| width.0.into());
    let fallback = ExplainWish::default();
    ExplainWish { width: width.unwrap_or(fallback.width), color: has_color(&stderr) }
}

/// Exactly what would be sent. A model that plans is asked, as it decides what that is.
fn dry_run(
    request: &ChatRequest,
    dossier: &Dossier,
    model: &Model,
    messages: &Messages,
) -> anyhow::Result<Outcome> {
    let mut page = format!("=== system ===\n{}\n", request.system);
    for message in &request.messages {
        page.push_str(&format!("=== user ===\n{}\n", message.text));
    }
    Output::stdout().write(&page)?;
    let window = request.window.map(|window| format!(", window {window}")).unwrap_or_default();
    messages.say(&format!(
        "not sent; it would go to {}: about {} tokens{window}, {} files",
        model.chat.name(),
        dossier.prompt_tokens,
        dossier.answer.files.len()
    ));
    Ok(Outcome::Done)
}

fn own_system(file: &Path) -> anyhow::Result<String> {
    let mut text = String::new();
    let opened = File::open(file).with_context(|| {
        format!("cannot open {}: name a file of instructions with --system", file.display())
    })?;
    opened
        .take(LARGEST_SYSTEM + 1)
        .read_to_string(&mut text)
        .with_context(|| format!("cannot read {}: instructions are a text in UTF-8", file.display()))?;
    ensure!(
        text.len() as u64 <= LARGEST_SYSTEM,
        "{} is larger than {LARGEST_SYSTEM} bytes: instructions are a page or two",
        file.display()
    );
    ensure!(
        !text.trim().is_empty(),
        "{} is empty: leave --system out, or write instructions",
        file.display()
    );
    Ok(text)
}
