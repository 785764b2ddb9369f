//! `dossier context`: a task in, the code that it needs out.

use std::time::Duration;

use super::Outcome;
use super::args::ContextArgs;
use super::messages::{Messages, has_color};
use super::output::Output;
use super::source::Source;
use super::task::{self, nothing_found};
use crate::client::Asker;
use crate::config::Format;
use crate::session::protocol::{Dossier, ExplainWish};

/// A model that plans may take so long where the settings do not say.
const PLANNING: Duration = Duration::from_secs(3);

pub(super) fn run(args: &ContextArgs, messages: &Messages) -> anyhow::Result<Outcome> {
    let task = task::read(&args.query, &args.place, args.settings.typed(), messages)?;
    let output = Output::new(args.output.clone(), args.copy);
    let explained = args.explain_context && task.settings.format.value != Format::Json;
    let mut asked = task.asked(!args.no_content);
    asked.fresh = args.settings.daemon.fresh;
    asked.explain = explained.then(|| explain_wish(&output));
    let source = Source::find(&task.root, &task.settings, messages)?;
    let dossier = Asker::new(&task, PLANNING, Box::new(source), messages).dossier(asked)?;
    messages.notes(&dossier.notes);
    print(&dossier, &output, task.settings.format.value, messages)
}

fn print(dossier: &Dossier, output: &Output, format: Format, messages: &Messages) -> anyhow::Result<Outcome> {
    let found = !dossier.files.is_empty();
    if let Some(explanation) = &dossier.explanation {
        output.write(explanation)?;
    } else if found || format == Format::Json {
        output.write(&dossier.text)?;
    }
    if !found {
        return Ok(nothing_found(&dossier.workspace, messages));
    }
    let what = match &dossier.explanation {
        Some(_) => "the explanation".to_owned(),
        None => format!("{} tokens", dossier.budget.used),
    };
    output.tell(&what, messages);
    Ok(Outcome::Done)
}

/// As wide as the terminal, where the explanation goes to one.
fn explain_wish(output: &Output) -> ExplainWish {
    let stdout = std::io::stdout();
    let width = terminal_size::terminal_size_of(&stdout).filter(|_| output.is_stdout());
    let fallback = ExplainWish::default();
    ExplainWish {
        width: width.map_or(fallback.width, |(width, _)| width.0.into()),
        color: output.is_stdout() && has_color(&stdout),
    }
}
