//! `dossier context`: a task in, the code that it needs out.

use std::time::Duration;

use super::Outcome;
use super::args::ContextArgs;
use super::messages::{Messages, has_color};
use super::output::Output;
use super::task::{Task, nothing_found};
use crate::config::Format;
use crate::pipeline::Answer;
use crate::render::{ExplainOptions, explain};

/// A model that plans may take so long where the settings do not say.
const PLANNING: Duration = Duration::from_secs(3);

pub(super) fn run(args: &ContextArgs, messages: &Messages) -> anyhow::Result<Outcome> {
    let task = Task::read(&args.query, &args.place, args.settings.typed(), messages)?;
    let ready = task.open(PLANNING, messages)?;
    let answer = ready.answer(&task.request(!args.no_content), &ready.deadline, messages)?;
    messages.notes(&answer.pack.notes);
    print(&answer, args, task.settings.format.value, messages)
}

fn print(
    answer: &Answer,
    args: &ContextArgs,
    format: Format,
    messages: &Messages,
) -> anyhow::Result<Outcome> {
    let output = Output::new(args.output.clone(), args.copy);
    let found = !answer.pack.files.is_empty();
    let explained = args.explain_context && format != Format::Json;
    if explained {
        output.write(&explain(&answer.pack, &explain_options(&output)))?;
    } else if found || format == Format::Json {
        output.write(&answer.rendered)?;
    }
    if !found {
        return Ok(nothing_found(answer, messages));
    }
    let what =
        if explained { "the explanation".to_owned() } else { format!("{} tokens", answer.pack.budget.used) };
    output.tell(&what, messages);
    Ok(Outcome::Done)
}

/// As wide as the terminal, where the explanation goes to one.
fn explain_options(output: &Output) -> ExplainOptions {
    let stdout = std::io::stdout();
    let width = terminal_size::terminal_size_of(&stdout).filter(|_| output.is_stdout());
    let fallback = ExplainOptions::default();
    ExplainOptions {
        width: width.map_or(fallback.width, |(width, _)| width.0.into()),
        color: output.is_stdout() && has_color(&stdout),
    }
}
