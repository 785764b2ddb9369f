//! How the items of a workspace hang together: one question about one item, followed over several steps.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::protocol::{GraphParams, OutlineAnswer, OutlineItem, OutlineParams};
use crate::lsp::{Fact, LanguageProvider, Relation};
use crate::model::{Certainty, Deadline, Symbol, SymbolId, SymbolKind};
use crate::pipeline::Workspace;
use crate::text;

/// The version of the report as JSON: fields may be added, and never change their meaning.
const VERSION: u32 = 1;

/// What is asked about an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Question {
    /// What calls it.
    Callers,
    /// What it calls.
    Callees,
    /// What implements a trait or its method; the impls of a type.
    Implementations,
    /// The methods of a type or a trait.
    Methods,
    /// What names it in any way.
    Usages,
    /// The tests that reach it.
    Tests,
}

impl Question {
    /// Its word in a report.
    pub fn name(self) -> &'static str {
        match self {
            Question::Callers => "callers",
            Question::Callees => "callees",
            Question::Implementations => "implementations",
            Question::Methods => "methods",
            Question::Usages => "usages",
            Question::Tests => "tests",
        }
    }
}

/// The question with all that answers it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    pub version: u32,
    pub question: Question,
    pub symbol: String,
    /// The items that the symbol may mean: the answers are for all of them.
    pub definitions: Vec<Item>,
    /// By distance, then by place.
    pub answers: Vec<Found>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Found {
    #[serde(flatten)]
    pub item: Item,
    pub certainty: Certainty,
    /// Who says so.
    pub source: String,
    /// Steps from the symbol.
    pub distance: u32,
}

/// An item with its place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Item {
    pub path: String,
    /// 1-based.
    pub line: u32,
    pub name: String,
    pub kind: SymbolKind,
    /// On one line, secrets masked.
    pub signature: String,
}

/// The answers of `provider`, which knows the workspace.
pub(super) fn report(
    params: &GraphParams,
    workspace: &Workspace,
    provider: &dyn LanguageProvider,
    deadline: &Deadline,
) -> Report {
    let definitions = provider.definition(&params.symbol, deadline);
    let relation = relation(params.question);
    let prepare = |symbols: &[SymbolId]| provider.prepare(symbols, &[relation], deadline);
    let ask = |symbol| provider.related(symbol, relation, deadline);
    let found = follow(&definitions, params.depth, prepare, ask);
    let told = |(distance, fact): (u32, Fact)| {
        let (certainty, source) = (fact.certainty, fact.source.name().to_owned());
        Some(Found { item: item(workspace, fact.symbol)?, certainty, source, distance })
    };
    let mut answers: Vec<Found> = found.into_iter().filter_map(told).collect();
    answers.sort_by_key(|found| found.distance);
    Report {
        version: VERSION,
        question: params.question,
        symbol: params.symbol.clone(),
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
    let signature = symbol.signature.of(&file.text).split_whitespace().collect::<Vec<_>>().join(" ");
    Some(Item {
        path: file.path.clone(),
        line: file.text.line_index().line(symbol.name_span.start),
        name: full_name(items, id.item),
        kind: symbol.kind,
        signature: text::redact(&signature).text.into_owned(),
    })
}

/// The items of a file.
pub fn outline(workspace: &Workspace, params: &OutlineParams) -> OutlineAnswer {
    let found = workspace.snapshot.find(&params.path);
    let syntax = found.and_then(|file| Some((file, workspace.syntax.get(file.index())?.as_ref()?)));
    let Some((file, syntax)) = syntax else { return OutlineAnswer::default() };
    let lines = workspace.snapshot.file(file).text.line_index();
    let item = |(number, symbol): (u32, &Symbol)| {
        let whole = lines.lines(symbol.span);
        OutlineItem {
            name: full_name(&syntax.items, number),
            kind: symbol.kind,
            lines: [whole.first, whole.last],
            name_line: lines.line(symbol.name_span.start),
            is_test: symbol.is_test,
        }
    };
    OutlineAnswer { items: (0..).zip(&syntax.items).map(item).collect() }
}

/// The name of an item with those of what it stands in: `Type::method`.
pub(super) fn full_name(items: &[Symbol], item: u32) -> String {
    let mut names = Vec::new();
    let mut next = items.get(item as usize);
    while let Some(symbol) = next {
        names.push(symbol.name.as_str());
        next = symbol.parent.and_then(|parent| items.get(parent as usize));
    }
    names.reverse();
    names.join("::")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{FileId, Source};

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
