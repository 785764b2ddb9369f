//! `dossier graph`: one question about one item, the answers as lines that editors can jump to, or as JSON.

use std::collections::BTreeMap;

use anyhow::ensure;
use serde::Serialize;

use super::Outcome;
use super::args::{GraphArgs, Question};
use super::messages::Messages;
use super::output::Output;
use super::server::{self, Opened};
use super::settings;
use crate::graph::Served;
use crate::lsp::{Fact, LanguageProvider, Relation};
use crate::model::{Certainty, Deadline, Source, SymbolId, SymbolKind};
use crate::pipeline::Workspace;
use crate::render::printable;
use crate::text::{self, LineIndex};

const VERSION: u32 = 1;
/// Characters of a signature on a line.
const SIGNATURE: usize = 120;

pub(super) fn run(args: &GraphArgs, messages: &Messages) -> anyhow::Result<Outcome> {
    ensure!(
        !args.symbol.trim().is_empty(),
        "the symbol is empty: name an item of the workspace, as in `dossier graph callers Auth::login`"
    );
    let (root, notes) = settings::root(&args.place)?;
    messages.notes(&notes);
    let flags = args.server.typed().into_iter().chain(args.index.typed()).collect();
    let loaded = settings::load(&root, flags);
    messages.notes(&loaded.notes);
    let Opened { mut workspace, server, deadline } = server::open(&root, &loaded.settings, messages)?;
    messages.notes(&workspace.snapshot.notes);
    let served = workspace.served(&server);
    let provider: &dyn LanguageProvider = served.as_ref().map_or(&workspace.graph, |served| served as _);
    let report = report(args, &workspace, provider, &deadline);
    messages.notes(&server.notes());
    messages.notes(&served.iter().flat_map(Served::notes).collect::<Vec<_>>());
    served.iter().for_each(|served| workspace.keep(served));
    messages.notes(workspace.settle().as_slice());
    Output::stdout().write(&if args.json { json(&report)? } else { lines(&report) })?;
    Ok(outcome(&report, messages))
}

/// The question with all that answers it.
#[derive(Debug, Serialize)]
struct Report {
    version: u32,
    question: String,
    symbol: String,
    /// The items that the symbol may mean: the answers are for all of them.
    definitions: Vec<Item>,
    /// By distance, then by place.
    answers: Vec<Found>,
}

#[derive(Debug, Serialize)]
struct Found {
    #[serde(flatten)]
    item: Item,
    certainty: Certainty,
    source: Source,
    /// Steps from the symbol.
    distance: u32,
}

/// An item with its place.
#[derive(Debug, Serialize)]
struct Item {
    path: String,
    /// 1-based.
    line: u32,
    name: String,
    kind: SymbolKind,
    /// On one line, secrets masked.
    signature: String,
}

fn report(
    args: &GraphArgs,
    workspace: &Workspace,
    provider: &dyn LanguageProvider,
    deadline: &Deadline,
) -> Report {
    let definitions = provider.definition(&args.symbol, deadline);
    let relation = relation(args.question);
    let prepare = |symbols: &[SymbolId]| provider.prepare(symbols, &[relation], deadline);
    let ask = |symbol| provider.related(symbol, relation, deadline);
    let found = follow(&definitions, args.depth, prepare, ask);
    let mut answers: Vec<Found> = found
        .into_iter()
        .filter_map(|(distance, fact)| {
            let (certainty, source) = (fact.certainty, fact.source);
            Some(Found { item: item(workspace, fact.symbol)?, certainty, source, distance })
        })
        .collect();
    answers.sort_by_key(|found| found.distance);
    Report {
        version: VERSION,
        question: format!("{:?}", args.question).to_ascii_lowercase(),
        symbol: args.symbol.clone(),
        definitions: definitions.iter().filter_map(|fact| item(workspace, fact.symbol)).collect(),
        answers,
    }
}

/// Breadth first from `start`: each item once, at its least distance, with the weakest certainty on the way there; in the order
/// of the items.
fn follow(
    start: &[Fact],
    depth: u32,
    prepare: impl Fn(&[SymbolId]),
    ask: impl Fn(SymbolId) -> Vec<Fact>,
) -> Vec<(u32, Fact)> {
    let mut found: BTreeMap<SymbolId, (u32, Fact)> = BTreeMap::new();
    let mut front: Vec<Fact> = start.to_vec();
    for distance in 1..=depth {
        let mut next: BTreeMap<SymbolId, Fact> = BTreeMap::new();
        prepare(&front.iter().map(|fact| fact.symbol).collect::<Vec<_>>());
        for from in &front {
            for mut fact in ask(from.symbol) {
                if distance > 1 {
                    fact.certainty = fact.certainty.min(from.certainty);
                }
                let best = next.entry(fact.symbol).or_insert(fact);
                *best = fact.max(*best);
            }
        }
        next.retain(|symbol, _| !found.contains_key(symbol));
        front = next.values().copied().collect();
        found.extend(next.into_iter().map(|(symbol, fact)| (symbol, (distance, fact))));
    }
    found.into_values().collect()
}

fn relation(question: Question) -> Relation {
    match question {
        Question::Callers => Relation::Callers,
        Question::Callees => Relation::Callees,
        Question::Implementations => Relation::Implementations,
        Question::Methods => Relation::Methods,
        Question::Usages => Relation::References,
        Question::Tests => Relation::Tests,
    }
}

fn item(workspace: &Workspace, id: SymbolId) -> Option<Item> {
    let file = workspace.snapshot.files.get(id.file.index())?;
    let items = &workspace.syntax.get(id.file.index())?.as_ref()?.items;
    let symbol = items.get(id.item as usize)?;
    let mut names = vec![symbol.name.as_str()];
    let mut parent = symbol.parent;
    while let Some(outer) = parent.and_then(|parent| items.get(parent as usize)) {
        names.push(&outer.name);
        parent = outer.parent;
    }
    names.reverse();
    let signature = symbol.signature.of(&file.text).split_whitespace().collect::<Vec<_>>().join(" ");
    Some(Item {
        path: file.path.clone(),
        line: LineIndex::new(&file.text).line(symbol.name_span.start),
        name: names.join("::"),
        kind: symbol.kind,
        signature: text::redact(&signature).text.into_owned(),
    })
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
        let wider = match report.question.as_str() {
            "usages" => "look for its text: macros and other files may name it",
            _ => "`dossier graph usages` asks for whatever names it",
        };
        messages.say(&format!("nothing is known of {} of `{}`: {wider}", report.question, report.symbol));
        return Outcome::NothingFound;
    }
    Outcome::Done
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::FileId;

    fn fact(item: u32, certainty: Certainty) -> Fact {
        Fact { symbol: SymbolId { file: FileId(0), item }, certainty, source: Source::Graph }
    }

    #[test]
    fn follows_steps_once_and_keeps_the_weakest_link() {
        let ask = |symbol: SymbolId| match symbol.item {
            0 => vec![fact(1, Certainty::Guessed), fact(2, Certainty::Resolved)],
            1 => vec![fact(0, Certainty::Resolved), fact(3, Certainty::Resolved)],
            2 => vec![fact(2, Certainty::Resolved), fact(3, Certainty::Guessed)],
            _ => vec![fact(1, Certainty::Resolved)],
        };
        let found = follow(&[fact(0, Certainty::Resolved)], 3, |_| {}, ask);
        let shown: Vec<(u32, u32, Certainty)> =
            found.into_iter().map(|(distance, it)| (it.symbol.item, distance, it.certainty)).collect();
        let expected = [
            (0, 2, Certainty::Guessed),
            (1, 1, Certainty::Guessed),
            (2, 1, Certainty::Resolved),
            (3, 2, Certainty::Guessed),
        ];
        assert_eq!(shown, expected);
    }
}
