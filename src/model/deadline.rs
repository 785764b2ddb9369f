//! Every wait ends: a point in time and a flag that a caller may raise before it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// When to stop, and whether to stop now. Clones share the flag.
#[derive(Clone, Debug)]
pub struct Deadline {
    at: Option<Instant>,
    cancelled: Arc<AtomicBool>,
}

impl Deadline {
    /// Ends when `time` has passed from now.
    pub fn after(time: Duration) -> Deadline {
        Deadline { at: Instant::now().checked_add(time), cancelled: Arc::default() }
    }

    /// Ends only when cancelled.
    pub fn never() -> Deadline {
        Deadline { at: None, cancelled: Arc::default() }
    }

    /// A deadline that ends when `time` has passed from now, and with this one at the latest; cancelled with it.
    pub fn within(&self, time: Duration) -> Deadline {
        let end = Instant::now().checked_add(time);
        let at = match (self.at, end) {
            (Some(at), Some(end)) => Some(at.min(end)),
            (at, end) => at.or(end),
        };
        Deadline { at, cancelled: Arc::clone(&self.cancelled) }
    }

    /// A deadline that ends so much earlier; cancelled with this one.
    pub fn before(&self, time: Duration) -> Deadline {
        let at = self.at.map(|at| at.checked_sub(time).unwrap_or(at));
        Deadline { at, cancelled: Arc::clone(&self.cancelled) }
    }

    /// A deadline that ends so much later; cancelled with this one.
    pub fn later(&self, time: Duration) -> Deadline {
        let at = self.at.and_then(|at| at.checked_add(time));
        Deadline { at, cancelled: Arc::clone(&self.cancelled) }
    }

    /// Ends this deadline and all its clones.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether somebody asked to stop, whatever the time.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// Whether to stop, by time or by cancellation.
    pub fn is_over(&self) -> bool {
        self.is_cancelled() || self.at.is_some_and(|at| Instant::now() >= at)
    }

    /// What is left; `None` where there is no end in time. Zero once over.
    pub fn remaining(&self) -> Option<Duration> {
        if self.is_cancelled() {
            return Some(Duration::ZERO);
        }
        self.at.map(|at| at.saturating_duration_since(Instant::now()))
    }
}
