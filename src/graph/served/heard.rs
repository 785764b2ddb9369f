//! What a ready server answered about one state of the code: it is asked each question once, whoever wants to know.

use std::sync::{Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;

use super::ask::{Question, Said};

/// Places that are kept in all, of 12 to 20 bytes; then all is forgotten. The references of all types of jj are 60,000.
const MOST_PLACES: usize = 400_000;

/// The answers, by question.
#[derive(Debug, Default)]
pub struct Heard(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// Who said it: what another server says, or this one after it has loaded anew, may be another thing.
    answerer: (u64, u64),
    answers: FxHashMap<Question, Said>,
    places: usize,
}

impl Heard {
    pub(super) fn get(&self, answerer: (u64, u64), question: &Question) -> Option<Said> {
        let state = self.lock();
        (state.answerer == answerer).then(|| state.answers.get(question).cloned()).flatten()
    }

    pub(super) fn put(&self, answerer: (u64, u64), question: &Question, said: &Said) {
        let mut state = self.lock();
        if state.answerer != answerer || state.places > MOST_PLACES {
            *state = State { answerer, ..State::default() };
        }
        state.places += 1 + said.count();
        state.answers.insert(*question, said.clone());
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
