//! The task, from the command line or from standard input.

use std::io::{IsTerminal, Read};

use anyhow::{Context, bail};

use super::messages::Messages;

/// What is read from standard input, in bytes: far more than any task, and no more than memory holds lightly.
const LONGEST: u64 = 8 * 1024 * 1024;
const STDIN: &str = "-";

/// The task as text; never blank.
pub(super) fn read(words: &[String], messages: &Messages) -> anyhow::Result<String> {
    let from_stdin = words == [STDIN];
    let query = if from_stdin { from_standard_input(messages)? } else { words.join(" ") };
    if !query.trim().is_empty() {
        return Ok(query);
    }
    match from_stdin {
        true => bail!(
            "standard input is empty: pipe a task into it, as in `git log -1 --format=%B | dossier context -`"
        ),
        false => bail!(
            "the task is empty: say in a few words what is to be done, as in `dossier context \"Fix the login\"`"
        ),
    }
}

fn from_standard_input(messages: &Messages) -> anyhow::Result<String> {
    let stdin = std::io::stdin();
    if stdin.is_terminal() {
        messages.say("type or paste the task, then press Ctrl-D (Ctrl-Z and Return on Windows)");
    }
    let mut bytes = Vec::new();
    stdin
        .lock()
        .take(LONGEST + 1)
        .read_to_end(&mut bytes)
        .context("cannot read the task from standard input")?;
    if bytes.len() as u64 > LONGEST {
        bytes.truncate(LONGEST as usize);
        messages.warn(
            "only the first 8 MB of standard input are read: give the task itself, or the end of a log",
        );
    }
    Ok(decoded(&bytes, messages))
}

/// The text, whichever way a shell wrote it: PowerShell pipes UTF-16.
fn decoded(bytes: &[u8], messages: &Messages) -> String {
    let text = match bytes {
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        _ => String::from_utf8_lossy(bytes).into_owned(),
    };
    if text.contains(char::REPLACEMENT_CHARACTER) {
        messages.warn("the task is not all UTF-8: what could not be read is passed over");
    }
    text
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units: Vec<u16> = bytes.as_chunks().0.iter().map(|pair| unit(*pair)).collect();
    String::from_utf16_lossy(&units)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_shells_write() {
        let read = |bytes: &[u8]| decoded(bytes, &Messages::new(true, 0));
        assert_eq!(read(b"fix it"), "fix it");
        assert_eq!(read(b"\xef\xbb\xbffix"), "fix");
        assert_eq!(read(&[0xff, 0xfe, b'f', 0, b'x', 0, 7]), "fx");
        assert_eq!(read(b"a\xffb"), "a\u{fffd}b");
        assert_eq!(read(b""), "");
    }
}
