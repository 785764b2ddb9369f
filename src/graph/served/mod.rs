//! The graph with a ready language server behind it: what is asked about an item is asked of the server once, and answered
//! from the graph as the server corrects it.
//!
//! The server is asked at the item's name for what stands around it, all questions at once. Then the edges of the text that
//! it has not spoken of are put to it one by one: what does this name mean? What it does not answer in time stays as the text
//! has it, so that an answer never gets worse by waiting too short.

mod ask;
mod code;
mod heard;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use petgraph::Direction;

use self::ask::{Question, Said, What, ask_all};
use self::code::Code;
pub use self::heard::Heard;
use super::answers::{Answers, Made, Speaker, is_held_by};
use super::build::Graph;
use super::learned::Lesson;
use crate::lsp::{At, Fact, LanguageProvider, Questions, Relation, Unanswered};
use crate::model::{Certainty, Deadline, EdgeKind, FileId, Note, Source, Span, SymbolId, SymbolKind};
use crate::syntax::FileSyntax;

/// Names whose meaning is asked one by one, for all the items of one preparation: the guessed ones first. At 1 to 5 ms each
/// a hub's remaining edges would take seconds.
const MOST_CHECKS: usize = 128;
/// Fields of a type that are asked for their types.
const MOST_FIELDS: usize = 16;

/// A graph that asks before it answers.
pub struct Served<'a> {
    questions: Questions<'a>,
    heard: &'a Heard,
    code: Code<'a>,
    source: Source,
    speaker: Speaker,
    known: Mutex<Known>,
}

/// What is known by now.
#[derive(Clone)]
struct Known {
    graph: Graph,
    asked: BTreeSet<(SymbolId, What)>,
    /// Where a server can be asked about what a macro makes, by the macro's call.
    made: Vec<(SymbolId, At)>,
    questions: usize,
    unanswered: usize,
}

impl<'a> Served<'a> {
    /// `server` names it in reasons; `syntax` is that of the snapshot that `graph` and `questions` are of. Of what was said before
    /// nothing counts but what `heard` holds of it: the server is there to be asked.
    pub fn new(
        graph: &Graph,
        syntax: &'a [Option<Arc<FileSyntax>>],
        (questions, heard): (Questions<'a>, &'a Heard),
        (server, version): (&'static str, Option<String>),
    ) -> Served<'a> {
        let known = Known {
            graph: graph.text_alone(),
            asked: BTreeSet::new(),
            made: Vec::new(),
            questions: 0,
            unanswered: 0,
        };
        let speaker = Speaker { name: server.to_owned(), version };
        let source = Source::Server(server);
        Served { questions, heard, code: Code { syntax }, source, speaker, known: Mutex::new(known) }
    }

    /// What it said by now that may be kept.
    pub fn answers(&self) -> Answers {
        Answers::of(self.speaker.clone(), &self.lock().graph.learned)
    }

    /// The graph as it is corrected by now.
    pub fn graph(&self) -> Graph {
        self.lock().graph.clone()
    }

    /// What is to be told of the server's answers.
    pub fn notes(&self) -> Vec<Note> {
        let (Known { questions, unanswered, .. }, name) = (self.lock().clone(), self.source.name());
        match unanswered {
            0 => Vec::new(),
            _ => vec![Note::warning(format!(
                "{name} left {unanswered} of {questions} questions without an answer: there the text's own graph serves"
            ))],
        }
    }

    /// Asks what the names at these places mean.
    pub fn learn_places(&self, places: &[(SymbolId, Span)], deadline: &Deadline) {
        let question = |(from, at): &(SymbolId, Span)| Question {
            about: *from,
            what: What::Definition,
            at: (from.file, at.start),
        };
        let asked: Vec<Question> = places.iter().map(question).collect();
        let answers = ask_all(&self.questions, self.heard, &asked, deadline);
        self.learn(&asked, &answers);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Known> {
        // What was learned is whole at any moment: a panic elsewhere does not spoil it.
        self.known.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Asks what was not asked about these items before.
    fn learn_symbols(&self, symbols: &[SymbolId], relations: &[Relation], deadline: &Deadline) {
        let (new, made) = {
            let mut known = self.lock();
            let whats = || relations.iter().flat_map(|relation| What::of(*relation));
            let pairs = symbols.iter().flat_map(|symbol| whats().map(|what| (*symbol, *what)));
            let new: BTreeSet<(SymbolId, What)> = pairs.filter(|pair| known.asked.insert(*pair)).collect();
            (new, known.made.clone())
        };
        let about: BTreeSet<SymbolId> = new.iter().map(|(symbol, _)| *symbol).collect();
        let asked = about.into_iter().flat_map(|symbol| {
            let all = self.questions_about(symbol, &made).into_iter();
            all.filter(|question| new.contains(&(symbol, question.what))).collect::<Vec<_>>()
        });
        let asked: Vec<Question> = asked.collect();
        if !asked.is_empty() {
            let answers = ask_all(&self.questions, self.heard, &asked, deadline);
            self.learn(&asked, &answers);
        }
        let doubtful = self.doubtful(&new);
        self.learn_places(&doubtful, deadline);
    }

    fn questions_about(&self, symbol: SymbolId, made: &[(SymbolId, At)]) -> Vec<Question> {
        let Some(item) = self.code.symbol(symbol) else { return Vec::new() };
        let whats: &[What] = match item.kind {
            SymbolKind::Function | SymbolKind::Method => {
                &[What::IncomingCalls, What::OutgoingCalls, What::References, What::RelatedTests]
            }
            SymbolKind::Struct | SymbolKind::Enum | SymbolKind::Union | SymbolKind::Trait => {
                &[What::References, What::Implementations, What::RelatedTests]
            }
            SymbolKind::Variant
            | SymbolKind::Field
            | SymbolKind::TypeAlias
            | SymbolKind::Const
            | SymbolKind::Static
            | SymbolKind::Macro => &[What::References],
            SymbolKind::MacroCall => &[What::IncomingCalls, What::References, What::Implementations],
            SymbolKind::Impl | SymbolKind::Module | SymbolKind::ExternBlock => &[],
        };
        let places: Vec<At> = match item.kind {
            SymbolKind::MacroCall => {
                made.iter().filter(|(call, _)| *call == symbol).map(|(_, at)| *at).collect()
            }
            _ => self.code.name_of(symbol).into_iter().collect(),
        };
        let ask = |what, at| Question { about: symbol, what, at };
        let mut asked: Vec<Question> =
            places.iter().flat_map(|at| whats.iter().map(|what| ask(*what, *at))).collect();
        let of_method = match self.code.owner(symbol) {
            Some(owner) if owner.kind == SymbolKind::Trait => Some(What::Implementations),
            // Asked for its implementations, it would tell its siblings in other `impl`s.
            Some(owner) if owner.header.as_ref().is_some_and(|header| header.trait_path.is_some()) => {
                Some(What::Declaration)
            }
            _ => None,
        };
        asked.extend(of_method.iter().flat_map(|what| places.iter().map(|at| ask(*what, *at))));
        let fields = self.code.children(symbol, SymbolKind::Field).take(MOST_FIELDS);
        asked.extend(fields.filter_map(|field| {
            let at = self.code.name_of(field)?;
            Some(Question { about: field, what: What::TypeDefinition, at })
        }));
        asked
    }

    fn learn(&self, asked: &[Question], answers: &[Result<Said, Unanswered>]) {
        let mut known = self.lock();
        known.questions += asked.len();
        known.unanswered += answers.iter().filter(|answer| is_missing(answer)).count();
        let mut lesson = known.graph.lesson(self.source);
        for (question, said) in asked.iter().zip(answers) {
            if let Ok(said) = said {
                self.take(&mut lesson, question, said);
            }
        }
    }

    /// What one answer teaches.
    fn take(&self, lesson: &mut Lesson<'_>, question: &Question, said: &Said) {
        let about = question.about;
        match (question.what, said) {
            (What::IncomingCalls, Said::Incoming(calls)) => {
                for site in calls.iter().flat_map(|call| &call.sites) {
                    lesson.names(self.code.around(*site), about, EdgeKind::Calls, site.span);
                }
            }
            (What::OutgoingCalls, Said::Outgoing(calls)) => {
                for call in calls {
                    let meant = self.code.meant(&[call.item]).unwrap_or_default();
                    for site in &call.sites {
                        for to in &meant {
                            lesson.names(self.code.around(*site), *to, EdgeKind::Calls, site.span);
                        }
                        lesson.is_all((site.file, site.span.start));
                    }
                }
            }
            (What::References, Said::Places(places)) => {
                // The places where implementations of a trait's method are defined are told too.
                for place in places.iter().filter(|place| !self.code.is_name(**place)) {
                    lesson.names(self.code.around(*place), about, EdgeKind::Uses, place.span);
                }
            }
            (What::Implementations, Said::Places(places)) => {
                for place in places {
                    if let Some(from) = self.code.named(*place) {
                        lesson.pair(from, about, EdgeKind::Implements, place.span);
                    }
                }
            }
            (What::RelatedTests, Said::Places(places)) => {
                for place in places {
                    if let Some(from) = self.code.named(*place) {
                        lesson.pair(from, about, EdgeKind::Tests, place.span);
                    }
                }
            }
            (What::Declaration, Said::Targets(targets)) => {
                for to in self.code.meant(targets).unwrap_or_default() {
                    lesson.pair(about, to, EdgeKind::Implements, self.name_span(about));
                }
            }
            (What::TypeDefinition, Said::Targets(targets)) => {
                for to in self.code.meant(targets).unwrap_or_default() {
                    lesson.pair(about, to, EdgeKind::Uses, self.name_span(about));
                }
            }
            (What::Definition, Said::Targets(targets)) if !targets.is_empty() => {
                let Some(meant) = self.code.meant(targets) else { return };
                let at = Span::new(question.at.1, question.at.1);
                for to in meant {
                    lesson.names(about, to, self.kind_of_use(to), at);
                }
                lesson.is_all((question.at.0, question.at.1));
            }
            _ => {}
        }
    }

    fn name_span(&self, symbol: SymbolId) -> Span {
        self.code.symbol(symbol).map(|symbol| symbol.name_span).unwrap_or_default()
    }

    fn kind_of_use(&self, to: SymbolId) -> EdgeKind {
        match self.code.symbol(to).map(|symbol| symbol.kind) {
            Some(SymbolKind::Function | SymbolKind::Method | SymbolKind::Macro) => EdgeKind::Calls,
            _ => EdgeKind::Uses,
        }
    }

    /// The names in what was asked whose meaning the server has not told yet, guessed ones first.
    fn doubtful(&self, asked: &BTreeSet<(SymbolId, What)>) -> Vec<(SymbolId, Span)> {
        let graph = self.graph();
        let mut doubtful: BTreeSet<(Certainty, FileId, u32, SymbolId)> = BTreeSet::new();
        for (symbol, what) in asked {
            let Some((node, (direction, kinds))) = graph.base.node(*symbol).zip(what.edges()) else {
                continue;
            };
            for (other, weight, source) in graph.edges_of(node, direction) {
                let from = graph.base.id(if direction == Direction::Outgoing { node } else { other });
                let is_told = source == self.source || graph.is_learned((from.file, weight.at.start));
                if kinds.contains(&weight.kind) && !is_told {
                    doubtful.insert((weight.certainty, from.file, weight.at.start, from));
                }
            }
        }
        let places = doubtful.into_iter().take(MOST_CHECKS);
        places.map(|(_, _, start, from)| (from, Span::new(start, start))).collect()
    }

    /// The items that the server knows by a path's last name, in what the path's part before it names.
    fn served_definitions(&self, path: &str, deadline: &Deadline) -> Vec<SymbolId> {
        let parts: Vec<&str> = path.trim().trim_end_matches("()").split("::").map(str::trim).collect();
        let Some((last, qualifier)) = parts.split_last() else { return Vec::new() };
        let answer = self.questions.symbols(last, deadline);
        let mut known = self.lock();
        known.questions += 1;
        known.unanswered += usize::from(is_missing(&answer));
        let fits = |container: &str| is_held_by(container, qualifier);
        let mut found = Vec::new();
        for (container, place) in answer.unwrap_or_default().into_iter().filter(|(holder, _)| fits(holder)) {
            let Some(symbol) = self.code.named(place) else { continue };
            let is_made = self.code.symbol(symbol).is_some_and(|item| item.kind == SymbolKind::MacroCall);
            if is_made && place.span.len() as usize == last.len() {
                known.made.push((symbol, (place.file, place.span.start)));
            }
            if is_made {
                let name = (*last).to_owned();
                known.graph.lesson(self.source).makes(Made { by: symbol, name, container });
            }
            found.push(symbol);
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    fn learned(&self, symbol: SymbolId, relation: Relation, deadline: &Deadline) -> Graph {
        self.learn_symbols(&[symbol], &[relation], deadline);
        self.graph()
    }
}

/// Not every server knows every question: that is no answer that is missing.
fn is_missing<T>(answer: &Result<T, Unanswered>) -> bool {
    matches!(answer, Err(reason) if *reason != Unanswered::Unsupported)
}

impl LanguageProvider for Served<'_> {
    fn prepare(&self, symbols: &[SymbolId], relations: &[Relation], deadline: &Deadline) {
        self.learn_symbols(symbols, relations, deadline);
    }

    /// What the text defines by this name, and what the server knows besides: what macros make.
    fn definition(&self, path: &str, deadline: &Deadline) -> Vec<Fact> {
        let mut facts = self.graph().definition(path, deadline);
        for symbol in self.served_definitions(path, deadline) {
            match facts.iter_mut().find(|fact| fact.symbol == symbol) {
                Some(fact) => fact.source = self.source,
                None => facts.push(Fact { symbol, certainty: Certainty::Resolved, source: self.source }),
            }
        }
        let certainty = if facts.len() == 1 { Certainty::Resolved } else { Certainty::Guessed };
        facts.iter_mut().for_each(|fact| fact.certainty = certainty);
        facts.sort_unstable();
        facts
    }

    fn type_definition(&self, symbol: SymbolId, deadline: &Deadline) -> Vec<Fact> {
        self.learned(symbol, Relation::TypeDefinition, deadline).type_definition(symbol, deadline)
    }

    fn callers(&self, symbol: SymbolId, deadline: &Deadline) -> Vec<Fact> {
        self.learned(symbol, Relation::Callers, deadline).callers(symbol, deadline)
    }

    fn callees(&self, symbol: SymbolId, deadline: &Deadline) -> Vec<Fact> {
        self.learned(symbol, Relation::Callees, deadline).callees(symbol, deadline)
    }

    fn references(&self, symbol: SymbolId, deadline: &Deadline) -> Vec<Fact> {
        self.learned(symbol, Relation::References, deadline).references(symbol, deadline)
    }

    fn methods(&self, symbol: SymbolId, deadline: &Deadline) -> Vec<Fact> {
        self.learned(symbol, Relation::Methods, deadline).methods(symbol, deadline)
    }

    fn implementations(&self, symbol: SymbolId, deadline: &Deadline) -> Vec<Fact> {
        self.learned(symbol, Relation::Implementations, deadline).implementations(symbol, deadline)
    }

    fn declarations(&self, symbol: SymbolId, deadline: &Deadline) -> Vec<Fact> {
        self.learned(symbol, Relation::Declarations, deadline).declarations(symbol, deadline)
    }

    fn tests(&self, symbol: SymbolId, deadline: &Deadline) -> Vec<Fact> {
        self.learned(symbol, Relation::Tests, deadline).tests(symbol, deadline)
    }
}
