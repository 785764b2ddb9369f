//! `dossier search`: what a query is about, without its code: files, items, modules or sections, each with its lines and reasons.

mod args;
mod page;

pub(super) use self::args::SearchArgs;

use self::page::{Look, page};
use super::Outcome;
use super::messages::{Messages, has_color};
use super::output::Output;
use super::source::Source;
use super::task::{self, nothing_found};
use crate::client;
use crate::session::protocol::{Search, SearchParams};

pub(super) fn run(args: &SearchArgs, messages: &Messages) -> anyhow::Result<Outcome> {
    let task = task::read(&args.query, &args.place, args.typed(), messages)?;
    messages.notes(&task.notes);
    let asked = task.asked(false);
    let params = SearchParams {
        place: asked.place,
        query: asked.query,
        mode: args.mode.into(),
        level: args.level.into(),
        limit: args.limit,
        tests: asked.tests,
        fresh: args.daemon.fresh,
        time_ms: client::ANSWER_TIME.as_millis() as u64,
    };
    let answer = Source::find(&task.root, &task.settings, messages)?.ask::<Search>(&params)?;
    messages.notes(&answer.notes);
    let text = if args.json { serde_json::to_string(&answer)? + "\n" } else { page(&answer.hits, &look()) };
    Output::stdout().write(&text)?;
    Ok(if answer.hits.is_empty() { nothing_found(&task.root, messages) } else { Outcome::Done })
}

/// For a person two lines a hit, as wide as the terminal; for a program one.
fn look() -> Look {
    let stdout = std::io::stdout();
    let width = terminal_size::terminal_size_of(&stdout).map(|(width, _)| width.0.into());
    Look { width, color: has_color(&stdout) }
}
