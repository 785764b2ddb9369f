//! `dossier graph`: one question about one item, the answers as lines that editors can jump to, or as JSON.

use std::collections::BTreeMap;

use anyhow::ensure;
use serde::Serialize;

use super::Outcome;
use super::args::{GraphArgs, Question};
use super::messages::Messages;
use super::output::Output;
use super::progress::Progress;
use super::settings;
use crate::lsp::{Fact, LanguageProvider};
use crate::model::{Certainty, Deadline, SymbolId, SymbolKind};
use crate::pipeline::Workspace;
use crate::render::printable;
use crate::text::{self, LineIndex};
use crate::workspace::WalkOptions;

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
    let loaded = settings::load(&root, Vec::new());
    messages.notes(&loaded.notes);
    let (include, exclude) = (loaded.settings.include.value, loaded.settings.exclude.value);
    let progress = Progress::spinner("reading the workspace", messages);
    let workspace = Workspace::open(&root, &WalkOptions { include, exclude }, &Deadline::never())?;
    drop(progress);
    messages.notes(&workspace.snapshot.notes);
    let report = report(args, &workspace);
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

fn report(args: &GraphArgs, workspace: &Workspace) -> Report {
    let deadline = Deadline::never();
    let definitions = workspace.graph.definition(&args.symbol, &deadline);
    let found = follow(&definitions, args.depth, |symbol| ask(args.question, symbol, workspace, &deadline));
    let mut answers: Vec<Found> = found
        .into_iter()
        .filter_map(|(symbol, (distance, certainty))| {
            Some(Found { item: item(workspace, symbol)?, certainty, distance })
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

/// Breadth first from `start`: each item once, at its least distance, with the weakest certainty on the way there.
fn follow(
    start: &[Fact],
    depth: u32,
    ask: impl Fn(SymbolId) -> Vec<Fact>,
) -> BTreeMap<SymbolId, (u32, Certainty)> {
    let mut found = BTreeMap::new();
    let mut front: Vec<Fact> = start.to_vec();
    for distance in 1..=depth {
        let mut next: BTreeMap<SymbolId, Certainty> = BTreeMap::new();
        for from in &front {
            for fact in ask(from.symbol) {
                let certainty =
                    if distance == 1 { fact.certainty } else { fact.certainty.min(from.certainty) };
                let best = next.entry(fact.symbol).or_insert(certainty);
                *best = certainty.max(*best);
            }
        }
        next.retain(|symbol, _| !found.contains_key(symbol));
        front =
            next.iter().map(|(symbol, certainty)| Fact { symbol: *symbol, certainty: *certainty }).collect();
        found.extend(next.into_iter().map(|(symbol, certainty)| (symbol, (distance, certainty))));
    }
    found
}

fn ask(question: Question, symbol: SymbolId, workspace: &Workspace, deadline: &Deadline) -> Vec<Fact> {
    let provider: &dyn LanguageProvider = &workspace.graph;
    match question {
        Question::Callers => provider.callers(symbol, deadline),
        Question::Callees => provider.callees(symbol, deadline),
        Question::Implementations => provider.implementations(symbol, deadline),
        Question::Methods => workspace.graph.methods(symbol),
        Question::Usages => provider.references(symbol, deadline),
        Question::Tests => provider.tests(symbol, deadline),
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
    for Found { item, certainty, distance } in &report.answers {
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
        Fact { symbol: SymbolId { file: FileId(0), item }, certainty }
    }

    #[test]
    fn follows_steps_once_and_keeps_the_weakest_link() {
        let ask = |symbol: SymbolId| match symbol.item {
            0 => vec![fact(1, Certainty::Guessed), fact(2, Certainty::Resolved)],
            1 => vec![fact(0, Certainty::Resolved), fact(3, Certainty::Resolved)],
            2 => vec![fact(2, Certainty::Resolved), fact(3, Certainty::Guessed)],
            _ => vec![fact(1, Certainty::Resolved)],
        };
        let found = follow(&[fact(0, Certainty::Resolved)], 3, ask);
        let shown: Vec<(u32, u32, Certainty)> =
            found.into_iter().map(|(symbol, (d, c))| (symbol.item, d, c)).collect();
        let expected = [
            (0, 2, Certainty::Guessed),
            (1, 1, Certainty::Guessed),
            (2, 1, Certainty::Resolved),
            (3, 2, Certainty::Guessed),
        ];
        assert_eq!(shown, expected);
    }
}
