//! What is told beside the data: notes, errors, the log. All of it on standard error, and a standard error that
//! is closed is no reason to stop.

use std::any::Any;
use std::io::{IsTerminal, Write};

use tracing_subscriber::EnvFilter;

use super::progress::Progress;
use crate::client::Tell;
use crate::model::{Note, NoteLevel};
use crate::render::printable;

/// Which parts of the program log, and how much: `dossier=debug`.
const LOG_VARIABLE: &str = "DOSSIER_LOG";

/// How much is told.
#[derive(Debug, Clone, Copy)]
pub(super) struct Messages {
    quiet: bool,
    verbose: u8,
}

impl Messages {
    pub fn new(quiet: bool, verbose: u8) -> Messages {
        Messages { quiet, verbose }
    }

    /// Starts the log where `DOSSIER_LOG` or `--verbose` asks for one.
    pub fn start_log(self) {
        let asked = std::env::var(LOG_VARIABLE).ok().filter(|filter| !filter.trim().is_empty());
        let by_flag = match self.verbose {
            0 => None,
            1 => Some("dossier=info"),
            2 => Some("dossier=debug"),
            _ => Some("dossier=trace"),
        };
        let Some(filter) = asked.as_deref().or(by_flag) else { return };
        let filter = EnvFilter::try_new(filter).unwrap_or_else(|error| {
            self.warn(&format!("{LOG_VARIABLE}: {error}; give for example `dossier=debug`"));
            EnvFilter::new("dossier=info")
        });
        let log =
            tracing_subscriber::fmt().with_env_filter(filter).with_writer(|| Unfailing(std::io::stderr()));
        let _ = log.with_ansi(has_color(&std::io::stderr())).try_init();
    }

    /// Warnings always, the rest with `--verbose`; each once.
    pub fn notes(self, notes: &[Note]) {
        let mut told: Vec<&Note> = Vec::new();
        for note in notes {
            let wanted = note.level == NoteLevel::Warning || self.verbose > 0;
            if wanted && !told.contains(&note) {
                match note.level {
                    NoteLevel::Warning => self.warn(&note.text),
                    NoteLevel::Info => self.say(&note.text),
                }
                told.push(note);
            }
        }
    }

    pub fn warn(self, text: &str) {
        self.line("warning: ", text);
    }

    pub fn say(self, text: &str) {
        self.line("", text);
    }

    /// A text that was asked for, as it is, in spite of `--quiet`.
    pub fn write(self, text: &str) {
        let mut stderr = std::io::stderr();
        let _ = stderr.write_all(text.as_bytes()).and_then(|()| stderr.flush());
    }

    /// The cause chain of what ended the program, in spite of `--quiet`.
    pub fn failure(self, error: &anyhow::Error) {
        write_line("", &format!("{error:#}"));
    }

    /// Whether somebody watches: progress makes sense.
    pub fn is_watched(self) -> bool {
        !self.quiet && std::io::stderr().is_terminal()
    }

    fn line(self, kind: &str, text: &str) {
        if !self.quiet {
            write_line(kind, text);
        }
    }
}

impl Tell for Messages {
    fn say(&self, text: &str) {
        Messages::say(*self, text);
    }

    fn warn(&self, text: &str) {
        Messages::warn(*self, text);
    }

    fn busy(&self, what: &'static str) -> Box<dyn Any> {
        Box::new(Progress::spinner(what, self))
    }
}

/// A log that cannot be written is no reason to stop, and would be one: the subscriber panics when it cannot say so.
struct Unfailing<W>(W);

impl<W: Write> Write for Unfailing<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let _ = self.0.write_all(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        let _ = self.0.flush();
        Ok(())
    }
}

fn write_line(kind: &str, text: &str) {
    for (n, line) in text.lines().enumerate() {
        let lead = if n == 0 { format!("dossier: {kind}") } else { "  ".to_owned() };
        let _ = writeln!(std::io::stderr(), "{lead}{}", printable(line));
    }
}

/// Whether `stream` is a terminal that is to be coloured.
pub(super) fn has_color(stream: &impl IsTerminal) -> bool {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    stream.is_terminal() && set("NO_COLOR").is_none() && set("TERM").is_none_or(|term| term != "dumb")
}
