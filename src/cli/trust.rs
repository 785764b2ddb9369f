//! `dossier trust`: the user's word that programs which obey a workspace's own files may be started in it.

use std::path::{Path, PathBuf};

use anyhow::Context;

use super::Outcome;
use super::args::{Place, TrustArgs};
use super::messages::Messages;
use super::output::Output;
use crate::client::settings::{self, own, trusted_file};
use crate::render::printable;
use crate::workspace::trust::{Finding, Trusted, needs_trust};

pub(super) fn run(args: &TrustArgs, messages: &Messages) -> anyhow::Result<Outcome> {
    let file =
        trusted_file().context("there is no home folder to keep trust in: set HOME or XDG_CONFIG_HOME")?;
    let trusted = Trusted::new(&file);
    match (args.list, args.revoke) {
        (true, _) => list(&trusted, messages),
        (false, true) => revoke(&trusted, &args.place, messages),
        (false, false) => give(&trusted, &args.place, messages),
    }
}

fn list(trusted: &Trusted, messages: &Messages) -> anyhow::Result<Outcome> {
    let workspaces = trusted.list()?;
    if workspaces.is_empty() {
        messages.say("no workspace is trusted");
    }
    let lines: String = workspaces.iter().map(|workspace| format!("{}\n", printable(workspace))).collect();
    Output::stdout().write(&lines)?;
    Ok(Outcome::Done)
}

fn give(trusted: &Trusted, place: &Place, messages: &Messages) -> anyhow::Result<Outcome> {
    let (root, notes) = settings::root(place.folder())?;
    messages.notes(&notes);
    let findings = needs_trust(&root, own().cargo_home.as_deref());
    let is_new = trusted.add(&root)?;
    Output::stdout().write(&page(&findings))?;
    if findings.is_empty() {
        messages.say("nothing in this workspace needs trust today");
    }
    let shown = root.display();
    messages.say(&match is_new {
        true => format!(
            "trusted from now on, whatever changes in it: {shown}; `dossier trust --revoke` takes it back"
        ),
        false => format!("trusted already: {shown}"),
    });
    Ok(Outcome::Done)
}

fn page(findings: &[Finding]) -> String {
    findings.iter().map(|finding| format!("{}\n", printable(&finding.to_string()))).collect()
}

fn revoke(trusted: &Trusted, place: &Place, messages: &Messages) -> anyhow::Result<Outcome> {
    let root = match &place.workspace {
        // Trust in a folder that is gone can be taken back too: another may come in its place.
        Some(folder) if !folder.exists() => absolute(folder)?,
        _ => settings::root(place.folder())?.0,
    };
    let shown = root.display();
    if trusted.remove(&root)? {
        messages.say(&format!("no longer trusted: {shown}"));
        return Ok(Outcome::Done);
    }
    messages.say(&format!("{shown} was not trusted; `dossier trust --list` prints those that are"));
    Ok(Outcome::NothingFound)
}

fn absolute(folder: &Path) -> anyhow::Result<PathBuf> {
    std::path::absolute(folder).with_context(|| format!("cannot tell where {} is", folder.display()))
}
