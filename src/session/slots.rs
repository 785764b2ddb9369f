//! So many requests at once as there are cores; the others wait in the order in which they came.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::model::Deadline;

/// How often somebody who waits looks whether his request was cancelled.
const SLICE: Duration = Duration::from_millis(20);

pub(super) struct Slots {
    state: Mutex<State>,
    changed: Condvar,
    most: usize,
}

#[derive(Default)]
struct State {
    taken: usize,
    /// The number of the next who comes, and those who wait.
    next: u64,
    waiting: Vec<u64>,
}

/// A place that is given back when dropped.
pub(super) struct Slot<'a>(&'a Slots);

impl Slots {
    pub fn new(most: usize) -> Slots {
        Slots { state: Mutex::default(), changed: Condvar::new(), most: most.max(1) }
    }

    /// Waits for a place; `None` where the deadline is over before.
    pub fn take(&self, deadline: &Deadline) -> Option<Slot<'_>> {
        let mut state = self.lock();
        let number = state.next;
        state.next += 1;
        state.waiting.push(number);
        loop {
            let is_first = state.waiting.first() == Some(&number);
            if is_first && state.taken < self.most {
                state.waiting.remove(0);
                state.taken += 1;
                self.changed.notify_all();
                return Some(Slot(self));
            }
            if deadline.is_over() {
                state.waiting.retain(|other| *other != number);
                self.changed.notify_all();
                return None;
            }
            state = self.changed.wait_timeout(state, SLICE).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// How many wait.
    pub fn waiting(&self) -> usize {
        self.lock().waiting.len()
    }

    /// Whether nobody has a place, nor waits for one.
    pub fn are_free(&self) -> bool {
        let state = self.lock();
        state.taken == 0 && state.waiting.is_empty()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        self.0.lock().taken -= 1;
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn never_more_at_once_and_nobody_is_forgotten() {
        let slots = Slots::new(2);
        let (inside, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..16 {
                scope.spawn(|| {
                    let slot = slots.take(&Deadline::never()).unwrap();
                    most.fetch_max(inside.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    std::thread::park_timeout(Duration::from_millis(2));
                    inside.fetch_sub(1, Ordering::SeqCst);
                    drop(slot);
                });
            }
        });
        assert_eq!(most.into_inner(), 2);
        assert!(slots.are_free());
    }

    #[test]
    fn who_gives_up_waits_no_longer() {
        let slots = Slots::new(1);
        let held = slots.take(&Deadline::never()).unwrap();
        assert!(slots.take(&Deadline::after(Duration::from_millis(30))).is_none());
        assert_eq!(slots.waiting(), 0);
        drop(held);
        assert!(slots.take(&Deadline::never()).is_some());
    }
}
