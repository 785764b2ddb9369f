//! Around a named item: its definition, its type, what it calls, what calls it, its tests, its table.

use std::collections::BTreeSet;

use super::{Candidates, Evidence, Facts};
use crate::lsp::{Fact, Relation};
use crate::model::{Certainty, Deadline, FileKind, SignalKind, Source, SymbolId, SymbolKind};
use crate::plan::{Entity, QueryIntent};
use crate::text::{normalize, split_identifier};

/// Facts of one kind about one item that become candidates, the surest first.
const MOST_NEIGHBOURS: usize = 12;
/// An item with more definitions than this is not one item.
const MOST_PINNED: usize = 2;
/// Guessed facts count for this much of resolved ones.
const GUESSED: f64 = 0.5;

/// What is asked about an item that the task names.
const AROUND: [Relation; 6] = [
    Relation::TypeDefinition,
    Relation::Callees,
    Relation::Callers,
    Relation::Implementations,
    Relation::Declarations,
    Relation::Tests,
];

pub fn expand(
    facts: &Facts<'_>,
    intent: &QueryIntent,
    symbols: &[String],
    max_depth: u32,
    candidates: &mut Candidates,
    deadline: &Deadline,
) {
    let defined: Vec<Vec<Fact>> =
        symbols.iter().map(|name| facts.provider.definition(name, deadline)).collect();
    let meant = defined.iter().flat_map(|found| found.iter().take(MOST_PINNED));
    let meant: Vec<SymbolId> = meant.map(|fact| fact.symbol).collect();
    facts.provider.prepare(&meant, &AROUND, deadline);
    for (name, found) in symbols.iter().zip(defined) {
        let entity = intent.entities.iter().find(|entity| entity.path.join("::") == *name);
        let one_item = !found.is_empty() && found.len() <= MOST_PINNED;
        candidates.pinned |= one_item && entity.is_some_and(|entity| says_all(entity, intent));
        for fact in found.iter().take(MOST_PINNED) {
            around(facts, fact.symbol, candidates, deadline);
            beyond(facts, fact.symbol, max_depth, candidates, deadline);
        }
    }
}

/// Whether a task says nothing beside a qualified name: then what hangs together with it is the whole answer. Where it says
/// more, files that only the other words find are needed too (pack_lines −1 on the commit tasks otherwise).
fn says_all(entity: &Entity, intent: &QueryIntent) -> bool {
    let own: Vec<String> = entity.path.iter().flat_map(|part| split_identifier(part)).collect();
    entity.path.len() > 1 && intent.keywords.iter().all(|keyword| own.contains(&keyword.word))
}

/// What hangs together with one item.
fn around(facts: &Facts<'_>, symbol: SymbolId, candidates: &mut Candidates, deadline: &Deadline) {
    let provider = facts.provider;
    let name = facts.symbol(symbol).map(|item| item.name.clone()).unwrap_or_default();
    let mut types = owner(facts, symbol, deadline);
    add(facts, candidates, &types, 1, SignalKind::Definition, |_| format!("defines the type of {name}"));
    let named = provider.type_definition(symbol, deadline);
    add(facts, candidates, &named, 1, SignalKind::Definition, |other| {
        format!("defines {other}, which {name} names")
    });
    types.extend(named);
    let callees = provider.callees(symbol, deadline);
    add(facts, candidates, &callees, 1, SignalKind::Calls, |other| format!("{name} calls {other}"));
    let callers = provider.callers(symbol, deadline);
    add(facts, candidates, &callers, 1, SignalKind::Calls, |other| format!("{other} calls {name}"));
    for fact in nearest(facts, candidates, provider.implementations(symbol, deadline)) {
        let told = told_impl(facts, fact.symbol);
        add(facts, candidates, &[fact], 1, SignalKind::Implements, |_| told.clone());
    }
    let declarations = provider.declarations(symbol, deadline);
    add(facts, candidates, &declarations, 1, SignalKind::Implements, |other| {
        format!("declares {other}, which {name} implements")
    });
    let tests = provider.tests(symbol, deadline);
    add(facts, candidates, &tests, 1, SignalKind::Tests, |other| format!("{other} tests {name}"));
    tables(facts, &types, candidates);
}

/// Along calls, both ways, from the second step to the last: of each step the surest.
fn beyond(
    facts: &Facts<'_>,
    symbol: SymbolId,
    max_depth: u32,
    candidates: &mut Candidates,
    deadline: &Deadline,
) {
    let mut seen = BTreeSet::from([symbol]);
    let mut layer = vec![symbol];
    for distance in 1..=max_depth {
        let mut next: Vec<(Fact, SymbolId)> = Vec::new();
        facts.provider.prepare(&layer, &[Relation::Callees, Relation::Callers], deadline);
        for &from in &layer {
            let found = facts.provider.callees(from, deadline).into_iter();
            let found = found.chain(facts.provider.callers(from, deadline));
            next.extend(found.filter(|fact| seen.insert(fact.symbol)).map(|fact| (fact, from)));
        }
        let kept = nearest(facts, candidates, next.iter().map(|(fact, _)| *fact).collect());
        next.retain(|(fact, _)| kept.contains(fact));
        for (fact, from) in next.iter().filter(|_| distance > 1) {
            let by = facts.symbol(*from).map(|item| item.name.clone()).unwrap_or_default();
            let told = |other: &str| format!("{other} and {by} call one another, {distance} steps away");
            add(facts, candidates, std::slice::from_ref(fact), distance, SignalKind::Calls, told);
        }
        layer = next.into_iter().map(|(fact, _)| fact.symbol).collect();
        if deadline.is_over() {
            return;
        }
    }
}

/// `impl Display for Router`, `methods of Router`, or the name of a method that implements a trait's.
fn told_impl(facts: &Facts<'_>, symbol: SymbolId) -> String {
    let Some(item) = facts.symbol(symbol) else { return String::new() };
    match item.header.as_ref().map(|header| &header.trait_path) {
        Some(Some(path)) => format!("impl {path} for {}", item.name),
        Some(None) => format!("methods of {}", item.name),
        None => format!("implements {}", item.name),
    }
}

/// The type that a method belongs to.
fn owner(facts: &Facts<'_>, symbol: SymbolId, deadline: &Deadline) -> Vec<Fact> {
    let items = facts.items(symbol.file);
    let parent = items.get(symbol.item as usize).and_then(|item| items.get(item.parent? as usize));
    match parent.filter(|parent| parent.kind == SymbolKind::Impl) {
        Some(block) => {
            let is_type = |fact: &Fact| {
                facts.symbol(fact.symbol).is_some_and(|item| {
                    matches!(
                        item.kind,
                        SymbolKind::Struct | SymbolKind::Enum | SymbolKind::Union | SymbolKind::TypeAlias
                    )
                })
            };
            facts.provider.definition(&block.name, deadline).into_iter().filter(is_type).take(1).collect()
        }
        None => Vec::new(),
    }
}

fn add(
    facts: &Facts<'_>,
    candidates: &mut Candidates,
    found: &[Fact],
    distance: u32,
    kind: SignalKind,
    detail: impl Fn(&str) -> String,
) {
    for fact in nearest(facts, candidates, found.to_vec()) {
        let Some(item) = facts.symbol(fact.symbol) else { continue };
        let sure = if fact.certainty == Certainty::Resolved { 1.0 } else { GUESSED };
        let strength = sure / f64::from(distance);
        let evidence = Evidence { kind, strength, detail: detail(&item.name), source: fact.source };
        candidates.add_item(fact.symbol, distance, evidence);
    }
}

/// The first of these: the surest, among equals those that say most of the task's words. A name that stands everywhere has more
/// neighbours than anybody reads.
fn nearest(facts: &Facts<'_>, candidates: &Candidates, mut found: Vec<Fact>) -> Vec<Fact> {
    if found.len() > MOST_NEIGHBOURS {
        let words = |symbol: SymbolId| {
            let units = facts.lexical.units_of(symbol.file);
            let own = units.filter(|unit| facts.lexical.units[*unit].item == Some(symbol.item));
            own.map(|unit| candidates.text.units[unit]).fold(0.0, f64::max)
        };
        found.sort_by(|a, b| {
            let by_words = || words(b.symbol).total_cmp(&words(a.symbol));
            b.certainty.cmp(&a.certainty).then_with(by_words).then(a.symbol.cmp(&b.symbol))
        });
        found.truncate(MOST_NEIGHBOURS);
    }
    found
}

/// SQL that creates the table of one of the types: `users` for `User`.
fn tables(facts: &Facts<'_>, types: &[Fact], candidates: &mut Candidates) {
    let names: Vec<String> = types
        .iter()
        .filter_map(|fact| facts.symbol(fact.symbol))
        .map(|item| normalize(&item.name.to_lowercase()).to_string())
        .collect();
    for id in facts.snapshot.ids() {
        let file = facts.snapshot.file(id);
        if file.kind != FileKind::Sql {
            continue;
        }
        if let Some(table) = created_tables(&file.text)
            .find(|table| names.iter().any(|name| name == normalize(&table.to_lowercase())))
        {
            let detail = format!("creates the table {table}");
            let evidence =
                Evidence { kind: SignalKind::References, strength: 1.0, detail, source: Source::Index };
            candidates.add(id, evidence);
        }
    }
}

/// The names behind `CREATE TABLE [IF NOT EXISTS]`.
fn created_tables(sql: &str) -> impl Iterator<Item = &str> {
    let mut tokens =
        sql.split(|c: char| c.is_whitespace() || c == '(' || c == ';').filter(|token| !token.is_empty());
    std::iter::from_fn(move || {
        loop {
            let token = tokens.next()?;
            if !token.eq_ignore_ascii_case("table") {
                continue;
            }
            let skip = ["if", "not", "exists"];
            let name =
                tokens.by_ref().find(|token| !skip.iter().any(|word| token.eq_ignore_ascii_case(word)))?;
            return Some(name.rsplit('.').next().unwrap_or(name).trim_matches(['"', '`', '[', ']']));
        }
    })
}
