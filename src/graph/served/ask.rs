//! Many questions at once, a few in flight.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use petgraph::Direction;

use super::heard::Heard;
use crate::lsp::{At, Call, Place, Questions, Relation, Target, Unanswered};
use crate::model::{Deadline, EdgeKind, SymbolId};

/// Questions in flight. rust-analyzer answers on as many threads as there are cores; more only wait there.
const IN_FLIGHT: usize = 8;

/// One question about an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Question {
    pub about: SymbolId,
    pub what: What,
    pub at: At,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum What {
    Definition,
    Declaration,
    TypeDefinition,
    References,
    Implementations,
    IncomingCalls,
    OutgoingCalls,
    RelatedTests,
}

impl What {
    /// What answers a question about an item.
    pub fn of(relation: Relation) -> &'static [What] {
        match relation {
            Relation::TypeDefinition => &[What::TypeDefinition],
            Relation::Callers => &[What::IncomingCalls],
            Relation::Callees => &[What::OutgoingCalls],
            Relation::References => &[What::IncomingCalls, What::References],
            Relation::Methods | Relation::Implementations => &[What::Implementations],
            Relation::Declarations => &[What::Declaration],
            Relation::Tests => &[What::IncomingCalls, What::RelatedTests],
        }
    }

    /// The edges of the text at an item that an answer to this would judge; `None` where it judges none by their places.
    pub fn edges(self) -> Option<(Direction, &'static [EdgeKind])> {
        match self {
            What::IncomingCalls => Some((Direction::Incoming, &[EdgeKind::Calls])),
            What::OutgoingCalls => Some((Direction::Outgoing, &[EdgeKind::Calls])),
            What::References => Some((Direction::Incoming, &[EdgeKind::Calls, EdgeKind::Uses])),
            What::TypeDefinition => Some((Direction::Outgoing, &[EdgeKind::Uses])),
            _ => None,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Said {
    Targets(Vec<Target>),
    Places(Vec<Place>),
    Incoming(Vec<Call>),
    Outgoing(Vec<Call<Target>>),
}

impl Said {
    /// The places in it.
    pub fn count(&self) -> usize {
        match self {
            Said::Targets(targets) => targets.len(),
            Said::Places(places) => places.len(),
            Said::Incoming(calls) => calls.iter().map(|call| 1 + call.sites.len()).sum(),
            Said::Outgoing(calls) => calls.iter().map(|call| 1 + call.sites.len()).sum(),
        }
    }
}

/// The answers, in the order of the questions.
pub(super) fn ask_all(
    questions: &Questions<'_>,
    heard: &Heard,
    asked: &[Question],
    deadline: &Deadline,
) -> Vec<Result<Said, Unanswered>> {
    let next = AtomicUsize::new(0);
    let answers: Vec<Mutex<Result<Said, Unanswered>>> =
        asked.iter().map(|_| Mutex::new(Err(Unanswered::Deadline))).collect();
    let work = || {
        while let Some((question, answer)) = {
            let index = next.fetch_add(1, Ordering::Relaxed);
            asked.get(index).zip(answers.get(index))
        } {
            let said = ask_once(questions, heard, question, deadline);
            if let Ok(mut answer) = answer.lock() {
                *answer = said;
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..asked.len().min(IN_FLIGHT) {
            scope.spawn(work);
        }
        work();
    });
    answers.into_iter().map(|answer| answer.into_inner().unwrap_or(Err(Unanswered::Ended))).collect()
}

/// What was answered before is not asked again.
fn ask_once(
    questions: &Questions<'_>,
    heard: &Heard,
    question: &Question,
    deadline: &Deadline,
) -> Result<Said, Unanswered> {
    let answerer = questions.answerer();
    if let Some(said) = heard.get(answerer, question) {
        return Ok(said);
    }
    let said = ask(questions, question, deadline)?;
    heard.put(answerer, question, &said);
    Ok(said)
}

fn ask(questions: &Questions<'_>, question: &Question, deadline: &Deadline) -> Result<Said, Unanswered> {
    let at = question.at;
    if deadline.is_over() {
        return Err(Unanswered::Deadline);
    }
    match question.what {
        What::Definition => questions.definition(at, deadline).map(Said::Targets),
        What::Declaration => questions.declaration(at, deadline).map(Said::Targets),
        What::TypeDefinition => questions.type_definition(at, deadline).map(Said::Targets),
        What::References => questions.references(at, deadline).map(Said::Places),
        What::Implementations => questions.implementations(at, deadline).map(Said::Places),
        What::IncomingCalls => questions.incoming_calls(at, deadline).map(Said::Incoming),
        What::OutgoingCalls => questions.outgoing_calls(at, deadline).map(Said::Outgoing),
        What::RelatedTests => questions.related_tests(at, deadline).map(Said::Places),
    }
}
