//! The answer on standard output, as it comes.

use std::io::Write;

use anyhow::Context;

use crate::client::Sink;
use crate::render::harmless;

/// Standard output, piece by piece.
#[derive(Default)]
pub(super) struct Printer {
    is_begun: bool,
    ends_line: bool,
    error: Option<std::io::Error>,
}

impl Sink for Printer {
    /// Prints a piece at once, without what a terminal would obey.
    fn piece(&mut self, piece: &str) -> bool {
        if piece.is_empty() || self.error.is_some() {
            return self.error.is_none();
        }
        let mut stdout = std::io::stdout().lock();
        let printed = stdout.write_all(harmless(piece).as_bytes()).and_then(|()| stdout.flush());
        (self.is_begun, self.ends_line, self.error) = (true, piece.ends_with('\n'), printed.err());
        self.error.is_none()
    }

    /// Ends the last line. A closed pipe is an error that `is_closed_pipe` knows.
    fn end(&mut self) -> anyhow::Result<()> {
        if self.is_begun && !self.ends_line {
            _ = self.piece("\n");
        }
        match self.error.take() {
            Some(error) => Err(error).context("cannot write to standard output"),
            None => Ok(()),
        }
    }
}
