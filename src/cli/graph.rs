//! `dossier graph`: one question about one item, the answers as lines that editors can jump to, or as JSON.

use anyhow::ensure;

use super::Outcome;
use super::args::{GraphArgs, Question as Typed};
use super::messages::Messages;
use super::output::Output;
use super::source::Source;
use crate::client::{self, settings};
use crate::model::Certainty;
use crate::render::printable;
use crate::session::protocol::{Graph, GraphAnswer, GraphParams};
use crate::session::{Found, Question, Report};

/// Characters of a signature on a line.
const SIGNATURE: usize = 120;

pub(super) fn run(args: &GraphArgs, messages: &Messages) -> anyhow::Result<Outcome> {
    ensure!(
        !args.symbol.trim().is_empty(),
        "the symbol is empty: name an item of the workspace, as in `dossier graph callers Auth::login`"
    );
    let (root, notes) = settings::root(args.place.folder())?;
    messages.notes(&notes);
    let typed = args.server.typed().into_iter().chain(args.index.typed()).chain(args.daemon.typed());
    let loaded = settings::load(&root, typed.collect());
    messages.notes(&loaded.notes);
    let params = GraphParams {
        place: client::protocol_place(&root, &loaded.settings),
        question: question(args.question),
        symbol: args.symbol.clone(),
        depth: args.depth,
        lsp: client::wish(&loaded.settings),
        fresh: args.daemon.fresh,
        time_ms: client::ANSWER_TIME.as_millis() as u64,
    };
    let GraphAnswer { report, notes, .. } =
        Source::find(&root, &loaded.settings, messages)?.ask::<Graph>(&params)?;
    messages.notes(&notes);
    Output::stdout().write(&if args.json { json(&report)? } else { lines(&report) })?;
    Ok(outcome(&report, messages))
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
