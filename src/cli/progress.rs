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

    /// So many steps are done; `what` is to be told beside them.
    pub fn advance(&self, steps: usize, what: String) {
        self.bar.set_message(what);
        self.bar.inc(steps as u64);
    }

    /// One step is done; `what` was it.
    pub fn step(&self, what: String) {
        self.bar.set_message(what);
        self.bar.inc(1);
    }
}

/// Files as they come over the network.
#[cfg(feature = "embedded")]
pub(super) struct Download {
    bar: ProgressBar,
}

#[cfg(feature = "embedded")]
impl Download {
    pub fn new(messages: &Messages) -> Download {
        let bar = if messages.is_watched() { ProgressBar::no_length() } else { ProgressBar::hidden() };
        const FORM: &str = "{bar:30} {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left  {msg}";
        if let Ok(style) = ProgressStyle::with_template(FORM) {
            bar.set_style(style);
        }
        Download { bar }
    }
}

#[cfg(feature = "embedded")]
impl crate::llm::embed::Progress for Download {
    fn begins(&self, file: &str, bytes: Option<u64>, had: u64) {
        self.bar.reset();
        match bytes {
            Some(bytes) => self.bar.set_length(bytes),
            None => self.bar.unset_length(),
        }
        self.bar.set_position(had);
        self.bar.set_message(file.to_owned());
    }

    fn comes(&self, bytes: u64) {
        self.bar.inc(bytes);
    }
}

#[cfg(feature = "embedded")]
impl Drop for Download {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
