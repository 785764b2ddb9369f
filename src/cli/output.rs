//! Where data goes: standard output, a file, or the clipboard.

use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::clipboard;
use super::messages::Messages;

/// Where the data goes. Both a file and the clipboard may be asked for; then nothing is printed.
#[derive(Debug, Default)]
pub(super) struct Output {
    file: Option<PathBuf>,
    clipboard: bool,
}

impl Output {
    pub fn stdout() -> Output {
        Output::default()
    }

    pub fn new(file: Option<PathBuf>, clipboard: bool) -> Output {
        Output { file, clipboard }
    }

    /// Whether the data goes to standard output.
    pub fn is_stdout(&self) -> bool {
        self.file.is_none() && !self.clipboard
    }

    /// Writes all of `text`. A closed pipe is an error that `is_closed_pipe` knows.
    pub fn write(&self, text: &str) -> anyhow::Result<()> {
        if let Some(file) = &self.file {
            write_file(file, text)?;
        }
        if self.clipboard {
            clipboard::copy(text)?;
        }
        if self.is_stdout() {
            let mut stdout = std::io::stdout().lock();
            stdout
                .write_all(text.as_bytes())
                .and_then(|()| stdout.flush())
                .context("cannot write to standard output")?;
        }
        Ok(())
    }

    /// Says where the data went, where that is not plain to see; `what` is for example `7990 tokens`.
    pub fn tell(&self, what: &str, messages: &Messages) {
        if let Some(file) = &self.file {
            messages.say(&format!("wrote {what} to {}", file.display()));
        }
        if self.clipboard {
            messages.say(&format!("copied {what} to the clipboard"));
        }
    }
}

pub(super) fn write_file(file: &Path, text: &str) -> anyhow::Result<()> {
    std::fs::write(file, text).with_context(|| match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() && !folder.is_dir() => {
            format!("cannot write {}: make the folder {} first", file.display(), folder.display())
        }
        _ => format!("cannot write {}", file.display()),
    })
}

pub(super) fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<std::io::Error>())
        .any(|io| io.kind() == ErrorKind::BrokenPipe)
}
