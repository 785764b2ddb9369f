//! `dossier feedback` and `dossier stats`: what the user thinks of dossiers, and what the journal knows of them.

use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{bail, ensure};

use super::Outcome;
use super::args::{FeedbackArgs, StatsArgs, Verdict};
use super::messages::Messages;
use super::output::Output;
use crate::client::Kept;
use crate::client::settings;
use crate::render::printable;
use crate::store::{self, Record, Tally, last_dossier, tally};

/// What is kept of one word of feedback: paths, and bytes of each.
const MOST_PATHS: usize = 50;
const LONGEST_PATH: usize = 500;
/// What was missing is named so often.
const NAMED: usize = 5;

pub(super) fn give(args: &FeedbackArgs, messages: &Messages) -> anyhow::Result<Outcome> {
    let (root, _) = settings::root(args.place.folder())?;
    ensure!(
        args.verdict == Verdict::Missing || args.paths.is_empty(),
        "paths are for what was missing: `dossier feedback missing {}`",
        args.paths.join(" ")
    );
    ensure!(
        args.paths.len() <= MOST_PATHS && args.paths.iter().all(|path| path.len() <= LONGEST_PATH),
        "too much at once: name at most {MOST_PATHS} paths of {LONGEST_PATH} bytes"
    );
    let kept = Kept::open(&root, messages);
    let records = kept.records();
    let Some(last) = last_dossier(&records, &kept.workspace()) else {
        bail!("no dossier of {} is known: `dossier prompt` gives one first", root.display());
    };
    let verdict = match args.verdict {
        Verdict::Good => store::Verdict::Good,
        Verdict::Missing => store::Verdict::Missing,
    };
    let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let paths = args.paths.iter().map(|path| path.trim_start_matches("./").to_owned()).collect();
    let record = Record::Feedback { dossier: last.id.clone(), time, verdict, paths };
    if !kept.append(&[record]) {
        return Ok(Outcome::Troubled);
    }
    messages.say("kept, on this machine alone");
    Ok(Outcome::Done)
}

pub(super) fn stats(args: &StatsArgs, messages: &Messages) -> anyhow::Result<Outcome> {
    let (root, _) = settings::root(args.place.folder())?;
    let kept = Kept::open(&root, messages);
    let workspace = kept.workspace();
    let counted = tally(&kept.records(), (!args.all).then_some(&workspace));
    let of = if args.all { "all workspaces" } else { &workspace };
    Output::stdout().write(&page(&counted, of))?;
    Ok(Outcome::Done)
}

fn page(tally: &Tally, of: &str) -> String {
    let missed: Vec<String> = tally
        .missed
        .iter()
        .take(NAMED)
        .map(|(path, count)| format!("{} ({count})", printable(path)))
        .collect();
    let missed = if missed.is_empty() { String::new() } else { format!(": {}", missed.join(", ")) };
    format!(
        "# {}\n\
         dossiers given to models  {}, {} answered\n\
         the model asked for more  {} times, {} things, {} of them given\n\
         feedback                  {} good, {} missing{missed}\n\
         files given               {}, {} of them changed afterwards\n",
        printable(of),
        tally.dossiers,
        tally.answered,
        tally.asking,
        tally.asked,
        tally.granted,
        tally.good,
        tally.missing,
        tally.given,
        tally.changed,
    )
}
