//! The clipboard, through the system's own program for it: the text stays there when we have ended, which no
//! library that is linked in can promise on Wayland and X11. Where there is none, the terminal is asked (OSC 52),
//! which works over ssh.

use std::fs::OpenOptions;
use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, bail, ensure};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;

use crate::client::settings::{on_path, variable};

/// What a terminal takes in one OSC 52 sequence, in bytes before encoding: xterm and others stop at 100,000 encoded.
const TERMINAL_BYTES: usize = 74_994;

/// A program that reads standard input into the clipboard.
#[derive(Debug, PartialEq, Eq)]
struct Tool {
    name: &'static str,
    arguments: &'static [&'static str],
    /// The variable without which it has nothing to talk to.
    needs: Option<&'static str>,
    /// Windows' own program takes text for the console's code page unless it is UTF-16.
    utf16: bool,
}

const fn tool(name: &'static str, arguments: &'static [&'static str], needs: Option<&'static str>) -> Tool {
    Tool { name, arguments, needs, utf16: false }
}

/// In the order in which they are tried.
const TOOLS: [Tool; 6] = [
    tool("pbcopy", &[], None),
    tool("wl-copy", &[], Some("WAYLAND_DISPLAY")),
    tool("xclip", &["-selection", "clipboard", "-in"], Some("DISPLAY")),
    tool("xsel", &["--clipboard", "--input"], Some("DISPLAY")),
    tool("termux-clipboard-set", &[], None),
    Tool { utf16: true, ..tool("clip.exe", &[], None) },
];

/// Puts `text` into the clipboard.
pub(super) fn copy(text: &str) -> anyhow::Result<()> {
    match choose(variable, on_path) {
        Some((tool, path)) => {
            run(tool, path, text).with_context(|| format!("cannot copy with {}", tool.name))
        }
        None if std::io::stderr().is_terminal() => ask_terminal(text),
        None => bail!(
            "cannot copy: no clipboard program is there; install wl-clipboard (Wayland) or xclip (X11), or write to a file with -o"
        ),
    }
}

fn choose(
    variable: impl Fn(&str) -> Option<String>,
    on_path: impl Fn(&str) -> Option<PathBuf>,
) -> Option<(&'static Tool, PathBuf)> {
    TOOLS
        .iter()
        .filter(|tool| tool.needs.is_none_or(|name| variable(name).is_some()))
        .find_map(|tool| Some((tool, on_path(tool.name)?)))
}

/// Its outputs are closed: xclip stays behind to serve the text, and would hold a pipe of ours open.
fn run(tool: &Tool, path: PathBuf, text: &str) -> anyhow::Result<()> {
    let mut command = Command::new(path);
    command.args(tool.arguments).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn()?;
    let written = match child.stdin.take() {
        Some(mut stdin) => stdin.write_all(&encoded(tool, text)),
        None => Ok(()),
    };
    let status = child.wait()?;
    ensure!(status.success(), "it ended with {status}; write to a file with -o instead");
    written.context("it did not read the text")
}

fn encoded(tool: &Tool, text: &str) -> Vec<u8> {
    if !tool.utf16 {
        return text.as_bytes().to_vec();
    }
    const MARK: u16 = 0xfeff;
    std::iter::once(MARK).chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
}

fn ask_terminal(text: &str) -> anyhow::Result<()> {
    ensure!(
        text.len() <= TERMINAL_BYTES,
        "cannot copy: the terminal takes at most {TERMINAL_BYTES} bytes and this is {}; install wl-clipboard or xclip, or write to a file with -o",
        text.len()
    );
    let sequence = format!("\u{1b}]52;c;{}\u{7}", BASE64_STANDARD.encode(text));
    let terminal = OpenOptions::new().write(true).open("/dev/tty");
    match terminal {
        Ok(mut terminal) => terminal.write_all(sequence.as_bytes()),
        Err(_) => std::io::stderr().write_all(sequence.as_bytes()),
    }
    .context("cannot reach the terminal; write to a file with -o")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(variables: &[&str], programs: &[&str], expected: Option<&str>) {
        let variable = |name: &str| variables.contains(&name).then(|| ":0".to_owned());
        let on_path = |name: &str| programs.contains(&name).then(|| PathBuf::from("/bin").join(name));
        assert_eq!(choose(variable, on_path).map(|(tool, _)| tool.name), expected);
    }

    #[test]
    fn takes_the_program_that_has_a_display_to_talk_to() {
        check(&["DISPLAY"], &["wl-copy", "xclip"], Some("xclip"));
        check(&["DISPLAY", "WAYLAND_DISPLAY"], &["wl-copy", "xclip"], Some("wl-copy"));
        check(&["DISPLAY"], &["xsel"], Some("xsel"));
        check(&[], &["wl-copy", "xclip"], None);
        check(&[], &["pbcopy"], Some("pbcopy"));
        check(&["DISPLAY"], &[], None);
    }

    #[test]
    fn windows_gets_utf16_with_its_mark() {
        let clip = TOOLS.iter().find(|tool| tool.utf16).unwrap();
        assert_eq!(encoded(clip, "é"), [0xff, 0xfe, 0xe9, 0x00]);
    }
}
