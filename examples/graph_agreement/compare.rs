//! What the graph says beside what rust-analyzer says.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use dossier::model::{Certainty, FileId, SymbolId};
use dossier::syntax::{Receiver, ReferenceKind};
use serde::Serialize;

use crate::answers::{Answers, Place, Question, Target};
use crate::code::Code;

/// `of` things, `hits` of which are as they should be.
#[derive(Debug, Default, Clone, Copy, Serialize)]
pub struct Share {
    pub hits: usize,
    pub of: usize,
}

impl Share {
    pub fn percent(self) -> f64 {
        if self.of == 0 { 100.0 } else { 100.0 * self.hits as f64 / self.of as f64 }
    }

    fn count(&mut self, hit: bool) {
        self.add(Share { hits: usize::from(hit), of: 1 });
    }

    fn add(&mut self, other: Share) {
        self.hits += other.hits;
        self.of += other.of;
    }
}

/// One place where the two differ.
#[derive(Debug, Serialize)]
pub struct Difference {
    pub at: String,
    /// What kind of reference it is and what the text shows of its receiver.
    pub class: String,
    pub what: String,
    pub wrong: bool,
}

#[derive(Debug, Default, Serialize)]
pub struct SiteReport {
    pub asked: usize,
    /// rust-analyzer gave no answer: left out of all that follows.
    pub unanswered: usize,
    pub outside: usize,
    /// Inside the workspace but no item: a local variable, a derive, what a macro makes.
    pub no_item: usize,
    /// Of the sites whose answer lies inside, those for which the graph has a resolved target.
    pub coverage: Share,
    /// The same without the sites whose answer is no item.
    pub item_coverage: Share,
    /// Of the graph's resolved targets, those that rust-analyzer gives too.
    pub agreement: Share,
    /// Coverage and agreement by class.
    pub classes: BTreeMap<String, (Share, Share)>,
    pub differences: Vec<Difference>,
}

#[derive(Debug, Default, Serialize)]
pub struct SymbolReport {
    pub asked: usize,
    pub without_references: usize,
    /// Lines on which the graph has a resolved reference and rust-analyzer knows nothing, as in code that is not compiled.
    pub unanswered: usize,
    /// Of the lines on which rust-analyzer finds a reference, those on which the graph has a resolved one.
    pub coverage: Share,
    /// Of the lines on which the graph has a resolved reference, those on which rust-analyzer finds one, or names the
    /// symbol as the definition when it is asked there.
    pub agreement: Share,
    /// Coverage and agreement by symbol.
    pub symbols: BTreeMap<String, (Share, Share)>,
    pub differences: Vec<Difference>,
}

pub fn sites(code: &Code<'_>, sites: &[(FileId, usize)], answers: &mut Answers<'_>) -> Result<SiteReport> {
    let mut report = SiteReport { asked: sites.len(), ..SiteReport::default() };
    for site in sites {
        let place = code.place(site.0, code.reference(*site).at.start);
        match answers.ask(Question::Definition, &place)?.as_slice() {
            [] => report.unanswered += 1,
            truth => report.add(code, *site, &place, truth),
        }
    }
    Ok(report)
}

impl SiteReport {
    fn add(&mut self, code: &Code<'_>, site: (FileId, usize), place: &Place, truth: &[Target]) {
        let inside = truth.iter().any(|target| target.path.is_some());
        let is_item = truth.iter().any(|target| code.is_item(target));
        self.outside += usize::from(!inside);
        self.no_item += usize::from(inside && !is_item);

        let class = class(code, site);
        let (coverage, agreement) = self.classes.entry(class.clone()).or_default();
        let named: Vec<(SymbolId, Certainty)> = code.named_at(site).collect();
        let covered = named.iter().any(|(_, certainty)| *certainty == Certainty::Resolved);
        if inside {
            self.coverage.count(covered);
            coverage.count(covered);
        }
        if is_item {
            self.item_coverage.count(covered);
        }
        let mut wrong = false;
        for (symbol, _) in named.iter().filter(|(_, certainty)| *certainty == Certainty::Resolved) {
            let agrees = truth.contains(&target(code.symbol_place(*symbol)));
            self.agreement.count(agrees);
            agreement.count(agrees);
            wrong |= !agrees;
        }
        if wrong || (inside && !covered) {
            let what = format!("graph {}; rust-analyzer {}", told(code, &named), listed(truth));
            self.differences.push(Difference { at: written(place), class, what, wrong });
        }
    }
}

pub fn symbols(code: &Code<'_>, symbols: &[SymbolId], answers: &mut Answers<'_>) -> Result<SymbolReport> {
    let mut report = SymbolReport { asked: symbols.len(), ..SymbolReport::default() };
    for symbol in symbols {
        report.add(code, *symbol, answers)?;
    }
    Ok(report)
}

impl SymbolReport {
    fn add(&mut self, code: &Code<'_>, symbol: SymbolId, answers: &mut Answers<'_>) -> Result<()> {
        let defined = code.symbol_place(symbol);
        let name = format!("{} ({})", code.symbol(symbol).name, written(&defined));
        let references = answers.ask(Question::References, &defined)?;
        let truth: BTreeSet<Target> = references.into_iter().filter(|it| it.path.is_some()).collect();
        let ours: BTreeMap<Target, Place> =
            code.resolved_places(symbol).map(|place| (target(place.clone()), place)).collect();

        let found = truth.iter().filter(|line| ours.contains_key(line)).count();
        let coverage = Share { hits: found, of: truth.len() };
        self.differ(truth.iter().filter(|line| !ours.contains_key(line)), &name, false);

        // Its list of references leaves out many that stand in macros; asked at such a place, it gives the definition.
        let mut agreement = Share { hits: found, of: found };
        let definition = target(defined);
        for (line, place) in ours.iter().filter(|(line, _)| !truth.contains(line)) {
            match answers.ask(Question::Definition, place)?.as_slice() {
                [] => self.unanswered += 1,
                definitions => {
                    let agrees = definitions.contains(&definition);
                    agreement.count(agrees);
                    self.differ((!agrees).then_some(line), &name, true);
                }
            }
        }
        self.without_references += usize::from(truth.is_empty());
        self.coverage.add(coverage);
        self.agreement.add(agreement);
        self.symbols.insert(name, (coverage, agreement));
        Ok(())
    }

    fn differ<'a>(&mut self, targets: impl IntoIterator<Item = &'a Target>, name: &str, wrong: bool) {
        let finder = if wrong { "the graph" } else { "rust-analyzer" };
        self.differences.extend(targets.into_iter().map(|target| Difference {
            at: listed(std::slice::from_ref(target)),
            class: "reference".to_string(),
            what: format!("only {finder} finds {name}"),
            wrong,
        }));
    }
}

fn class(code: &Code<'_>, site: (FileId, usize)) -> String {
    let reference = code.reference(site);
    match (reference.kind, &reference.receiver) {
        (ReferenceKind::MethodCall, receiver) => format!("method of {}", receiver_class(receiver)),
        (_, _) if reference.path.len() == 1 => "call of a name".to_string(),
        (_, _) => "call of a path".to_string(),
    }
}

fn receiver_class(receiver: &Receiver) -> &'static str {
    match receiver {
        Receiver::Unknown => "an unknown",
        Receiver::SelfValue => "self",
        Receiver::Typed(_) => "a written type",
        Receiver::Field(_) => "a field",
        Receiver::CallOf(_) => "a call's result",
        Receiver::MethodOf(_) => "a method's result",
    }
}

fn target(place: Place) -> Target {
    Target { path: Some(place.path), line: place.line }
}

fn told(code: &Code<'_>, named: &[(SymbolId, Certainty)]) -> String {
    let told = named.iter().map(|(symbol, certainty)| {
        let word = if *certainty == Certainty::Resolved { "resolved" } else { "guessed" };
        format!("{word} {}", written(&code.symbol_place(*symbol)))
    });
    let told: Vec<String> = told.collect();
    if told.is_empty() { "nothing".to_string() } else { told.join(", ") }
}

fn listed(targets: &[Target]) -> String {
    let listed = targets.iter().map(|target| match &target.path {
        Some(path) => format!("{path}:{}", target.line),
        None => "outside".to_string(),
    });
    listed.collect::<Vec<_>>().join(", ")
}

fn written(place: &Place) -> String {
    format!("{}:{}", place.path, place.line)
}
