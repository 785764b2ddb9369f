//! `--preview`: shows the explanation, and asks on the terminal what to do with it.

use std::io::{BufRead, IsTerminal};

use anyhow::{Context, ensure};

use crate::cli::messages::Messages;
use crate::client::{Compiler, Dossier, Model};

const HELP: &str = "  s            send it\n  b TOKENS     another budget\n  d PATH…      drop files\n  \
                    a NAME…      add files or items\n  q            quit; nothing is sent\n";

/// What was typed.
#[derive(Debug, PartialEq, Eq)]
enum Choice {
    Send,
    Budget(u32),
    Drop(Vec<String>),
    Add(Vec<String>),
    Quit,
    Help,
}

/// Fails where nobody could answer.
pub(super) fn ensure_terminal() -> anyhow::Result<()> {
    ensure!(
        std::io::stdin().is_terminal() && std::io::stderr().is_terminal(),
        "--preview asks on a terminal, and standard input or standard error is none: give --dry-run to see what would be sent"
    );
    Ok(())
}

/// The dossier as the user wants it sent; `None` to send nothing.
pub(super) fn ask(
    compiler: &mut Compiler<'_>,
    mut dossier: Dossier,
    model: &Model,
    messages: &Messages,
) -> anyhow::Result<Option<Dossier>> {
    loop {
        messages.write(dossier.answer.explanation.as_deref().unwrap_or_default());
        messages.write(&format!(
            "\n{} tokens would go to {}. [s]end, [b]udget, [d]rop, [a]dd, [q]uit? ",
            dossier.prompt_tokens,
            model.chat.name()
        ));
        let Some(line) = line()? else { return Ok(None) };
        match choice(&line) {
            Choice::Send => match compiler.ensure_fits(&dossier) {
                Ok(()) => return Ok(Some(dossier)),
                Err(error) => {
                    messages.warn(&error.to_string());
                    continue;
                }
            },
            Choice::Quit => return Ok(None),
            Choice::Help => {
                messages.write(HELP);
                continue;
            }
            Choice::Budget(tokens) => compiler.set_budget(tokens),
            Choice::Drop(paths) => paths.iter().for_each(|path| {
                if !dossier.answer.files.iter().any(|entry| entry.path == *path) {
                    messages.warn(&format!("{path} is not in the dossier"));
                }
                compiler.drop_file(path);
            }),
            Choice::Add(names) => names.iter().for_each(|name| compiler.add(name)),
        }
        let before = compiler.budget();
        match compiler.compile() {
            Ok(compiled) => dossier = compiled,
            Err(error) => messages.warn(&format!("{error:#} (the budget is {before})")),
        }
    }
}

/// A line of standard input; `None` at its end.
fn line() -> anyhow::Result<Option<String>> {
    let mut line = String::new();
    let read = std::io::stdin().lock().read_line(&mut line).context("cannot read from the terminal")?;
    Ok((read > 0).then_some(line))
}

fn choice(line: &str) -> Choice {
    let mut words = line.split_whitespace();
    let word = words.next().unwrap_or_default().to_lowercase();
    let rest: Vec<String> = words.map(str::to_owned).collect();
    match (word.as_str(), rest.first()) {
        ("s" | "send", None) => Choice::Send,
        ("q" | "quit", None) => Choice::Quit,
        ("b" | "budget", Some(tokens)) => match tokens.parse() {
            Ok(tokens) if tokens > 0 => Choice::Budget(tokens),
            _ => Choice::Help,
        },
        ("d" | "drop", Some(_)) => Choice::Drop(rest),
        ("a" | "add", Some(_)) => Choice::Add(rest),
        _ => Choice::Help,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_is_understood_or_explained() {
        assert_eq!(choice("s\n"), Choice::Send);
        assert_eq!(choice(" QUIT "), Choice::Quit);
        assert_eq!(choice("b 4096"), Choice::Budget(4_096));
        assert_eq!(choice("d a b\n"), Choice::Drop(vec!["a".to_owned(), "b".to_owned()]));
        assert_eq!(choice("add A::b"), Choice::Add(vec!["A::b".to_owned()]));
        for other in ["", "b", "b 0", "b x", "d", "s now", "yes"] {
            assert_eq!(choice(other), Choice::Help, "{other}");
        }
    }
}
