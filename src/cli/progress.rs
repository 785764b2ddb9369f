//! Progress, where somebody watches standard error.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use super::messages::Messages;

const TICK: Duration = Duration::from_millis(100);

/// A turning sign with what is being done; gone when dropped.
pub(super) struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// Of something whose end is not known.
    pub fn spinner(what: &'static str, messages: &Messages) -> Progress {
        if !messages.is_watched() {
            return Progress { bar: ProgressBar::hidden() };
        }
        let bar = ProgressBar::new_spinner().with_message(what);
        bar.enable_steady_tick(TICK);
        Progress { bar }
    }

    /// What is being done by now.
    pub fn say(&self, what: String) {
        self.bar.set_message(what);
    }

    /// Of `count` steps.
    pub fn steps(count: usize, messages: &Messages) -> Progress {
        if !messages.is_watched() {
            return Progress { bar: ProgressBar::hidden() };
        }
        let bar = ProgressBar::new(count as u64);
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos} of {len}, {eta} left  {msg}") {
            bar.set_style(style);
        }
        Progress { bar }
    }

    /// Of files whose number is told later.
    pub fn files(messages: &Messages) -> Progress {
        if !messages.is_watched() {
            return Progress { bar: ProgressBar::hidden() };
        }
        let bar = ProgressBar::new_spinner().with_message("reading the workspace");
        bar.enable_steady_tick(TICK);
        Progress { bar }
    }

    /// There are so many.
    pub fn length(&self, count: usize) {
        self.bar.set_length(count as u64);
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos} of {len} files, {msg}, {eta} left") {
            self.bar.set_style(style);
        }
    }

    /// One step is done; `what` was it.
    pub fn step(&self, what: String) {
        self.bar.set_message(what);
        self.bar.inc(1);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
