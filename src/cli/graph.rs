//! `dossier graph`: one question about one item, the answers as lines that editors can jump to, or as JSON.

use std::time::Duration;

use anyhow::ensure;

use super::args::{GraphArgs, Question as Typed};
use super::messages::Messages;
use super::output::Output;
use super::server::{self, Opened};
use super::{Outcome, daemon, settings};
use crate::config::Settings;
use crate::daemon::Lost;
use crate::model::{Certainty, Deadline};
use crate::render::printable;
use crate::session::protocol::{Graph, GraphAnswer, GraphParams};
use crate::session::{self, Found, Question, Report};

/// Characters of a signature on a line.
const SIGNATURE: usize = 120;
/// The daemon answers from what it has, or reads the workspace first.
const DAEMON_TIME: Duration = Duration::from_secs(60);

pub(super) fn run(args: &GraphArgs, messages: &Messages) -> anyhow::Result<Outcome> {
    ensure!(
        !args.symbol.trim().is_empty(),
        "the symbol is empty: name an item of the workspace, as in `dossier graph callers Auth::login`"
    );
    let (root, notes) = settings::root(&args.place)?;
    messages.notes(&notes);
    let typed = args.server.typed().into_iter().chain(args.index.typed()).chain(args.daemon.typed());
    let loaded = settings::load(&root, typed.collect());
    messages.notes(&loaded.notes);
    let params = GraphParams {
        place: server::protocol_place(&root, &loaded.settings),
        question: question(args.question),
        symbol: args.symbol.clone(),
        depth: args.depth,
        lsp: server::wish(&loaded.settings),
        fresh: args.daemon.fresh,
        time_ms: server::ANSWER_TIME.as_millis() as u64,
    };
    let GraphAnswer { report, notes, .. } = answer(&params, &loaded.settings, messages)?;
    messages.notes(&notes);
    Output::stdout().write(&if args.json { json(&report)? } else { lines(&report) })?;
    Ok(outcome(&report, messages))
}

/// Of the daemon where one runs, else worked out here.
fn answer(params: &GraphParams, settings: &Settings, messages: &Messages) -> anyhow::Result<GraphAnswer> {
    let is_awaited = params.lsp.wait_ms > 0;
    let connection = if is_awaited { daemon::reach_or_start(settings) } else { daemon::reach(settings) };
    if let Some(connection) = connection {
        let deadline = Deadline::after(DAEMON_TIME + Duration::from_millis(params.lsp.wait_ms));
        match connection.ask::<Graph>(params, &deadline) {
            Ok(answer) => return Ok(answer),
            Err(Lost::Refused(why)) => anyhow::bail!("{why}"),
            Err(error) => tracing::warn!(%error, "the work is done here"),
        }
    }
    let root = &params.place.workspace;
    let Opened { mut workspace, server, deadline } = server::open(root, settings, messages)?;
    let mut answer = session::graph(&workspace, &server, params, &deadline);
    answer.notes.extend(workspace.settle());
    daemon::start_for_next(settings, root);
    Ok(answer)
}

fn question(typed: Typed) -> Question {
    match typed {
        Typed::Callers => Question::Callers,
        Typed::Callees => Question::Callees,
        Typed::Implementations => Question::Implementations,
        Typed::Methods => Question::Methods,
        Typed::Usages => Question::Usages,
        Typed::Tests => Question::Tests,
    }
}

fn json(report: &Report) -> anyhow::Result<String> {
    Ok(serde_json::to_string(report)? + "\n")
}

/// `path:line: name: signature`, the way compilers point at places.
fn lines(report: &Report) -> String {
    let mut text = String::new();
    for Found { item, certainty, distance, .. } in &report.answers {
        let steps = if *distance > 1 { format!(" ({distance} steps)") } else { String::new() };
        let guessed = if *certainty == Certainty::Guessed { " (guessed)" } else { "" };
        let signature: String = item.signature.chars().take(SIGNATURE).collect();
        let line = format!("{}:{}: {}: {signature}{steps}{guessed}", item.path, item.line, item.name);
        text.push_str(&printable(&line));
        text.push('\n');
    }
    text
}

fn outcome(report: &Report, messages: &Messages) -> Outcome {
    match report.definitions.len() {
        0 => {
            messages.say(&format!(
                "no item is called `{}` here: give its name, or its path as `Type::method`",
                report.symbol
            ));
            return Outcome::NothingFound;
        }
        1 => {}
        several => messages
            .say(&format!("{several} items are called `{}`: the answers are for all of them", report.symbol)),
    }
    if report.answers.is_empty() {
        let wider = match report.question {
            Question::Usages => "look for its text: macros and other files may name it",
            _ => "`dossier graph usages` asks for whatever names it",
        };
        messages.say(&format!(
            "nothing is known of {} of `{}`: {wider}",
            report.question.name(),
            report.symbol
        ));
        return Outcome::NothingFound;
    }
    Outcome::Done
}
