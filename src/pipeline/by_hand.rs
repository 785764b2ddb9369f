//! What a person changes by hand in a pack: files that stay out, files and items that go in before all others, how deep a file is
//! shown. The packer fills what room is left.

use std::collections::{BTreeMap, BTreeSet};

use super::{Refusal, Request, Workspace};
use crate::budget::asked::{self, Room};
use crate::budget::{Dropped, Entry, Level};
use crate::expand::Facts;
use crate::model::{FileId, Signal, SignalKind, Source};
use crate::rank::Ranked;

const BY_HAND: &str = "added by hand";
const LEFT_OUT: &str = "left out by hand";

/// What is wanted otherwise than the ranking and the budget have it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ByHand {
    /// Paths.
    pub without: BTreeSet<String>,
    /// Files or items by their names.
    pub with: Vec<String>,
    /// By path.
    pub levels: BTreeMap<String, Level>,
    /// Tokens that all of it may take where something is added; the request's budget where it is more.
    pub room: u32,
}

/// What was settled before the packer chooses.
#[derive(Debug, Default)]
pub(super) struct Settled {
    pub entries: Vec<Entry>,
    /// Names with the reason why they are not among the entries.
    pub refused: Vec<(String, Refusal)>,
    /// Files of whom the packer is to show ranges.
    pub narrow: BTreeSet<FileId>,
}

impl Settled {
    /// Of the entries together.
    pub fn tokens(&self) -> u32 {
        self.entries.iter().map(|entry| entry.tokens).sum()
    }

    fn has(&self, path: &str) -> bool {
        self.entries.iter().any(|entry| entry.path == path)
    }
}

impl ByHand {
    pub fn is_empty(&self) -> bool {
        self.without.is_empty() && self.with.is_empty() && self.levels.is_empty()
    }

    /// The candidates that the packer chooses from.
    pub(super) fn open(&self, facts: &Facts<'_>, ranked: &[Ranked], settled: &Settled) -> Vec<Ranked> {
        let is_open = |ranked: &&Ranked| {
            let path = &facts.snapshot.file(ranked.file).path;
            !self.without.contains(path) && !settled.has(path)
        };
        ranked.iter().filter(is_open).cloned().collect()
    }

    /// Puts what was settled among what the packer chose; all get their places in the whole ranking.
    pub(super) fn merge(
        &self,
        facts: &Facts<'_>,
        ranked: &[Ranked],
        settled: &Settled,
        (files, dropped): (&mut Vec<Entry>, &mut Vec<Dropped>),
    ) {
        let path = |ranked: &Ranked| facts.snapshot.file(ranked.file).path.as_str();
        let places: BTreeMap<&str, u32> = ranked.iter().map(path).zip(1..).collect();
        files.extend(settled.entries.iter().cloned());
        let mut next = ranked.len() as u32;
        for entry in &mut *files {
            entry.rank = places.get(entry.path.as_str()).copied().unwrap_or_else(|| {
                next += 1;
                next
            });
        }
        files.sort_by_key(|entry| entry.rank);
        for dropped in &mut *dropped {
            dropped.rank = places.get(dropped.path.as_str()).copied().unwrap_or(dropped.rank);
        }
        let left_out = ranked.iter().filter(|ranked| self.without.contains(path(ranked)));
        dropped.extend(left_out.map(|ranked| Dropped {
            path: path(ranked).to_owned(),
            rank: places[path(ranked)],
            score: ranked.score,
            why: LEFT_OUT.into(),
        }));
        dropped.sort_by_key(|dropped| dropped.rank);
    }
}

impl Workspace {
    /// Settles what was asked for by hand, within `room` tokens.
    pub(super) fn settle_by_hand(
        &self,
        facts: &Facts<'_>,
        request: &Request,
        ranked: &[Ranked],
        room: &Room<'_>,
    ) -> Settled {
        let ByHand { without, with, levels, .. } = &request.by_hand;
        let mut settled = Settled::default();
        for (path, level) in levels.iter().filter(|(path, _)| !without.contains(*path)) {
            let Some(file) = self.snapshot.find(path) else {
                settled.refused.push((path.clone(), Refusal::Unknown));
                continue;
            };
            if *level == Level::Ranges {
                settled.narrow.insert(file);
                continue;
            }
            let known = ranked.iter().find(|ranked| ranked.file == file);
            let reasons = known.map_or_else(
                || vec![asked_for()],
                |ranked| ranked.signals.iter().take(asked::MOST_REASONS).cloned().collect(),
            );
            let left = room.tokens.saturating_sub(settled.tokens());
            match asked::file_at(facts, file, *level, reasons, &Room { tokens: left, ..*room }) {
                Some(mut entry) => {
                    entry.score = known.map_or(0.0, |ranked| ranked.score);
                    settled.entries.push(entry);
                }
                None => settled.refused.push((path.clone(), Refusal::TooLarge { left })),
            }
        }
        for name in with.iter().filter(|name| !without.contains(*name)) {
            if settled.has(name) {
                continue;
            }
            let left = room.tokens.saturating_sub(settled.tokens());
            match self.lookup(name, BY_HAND, left, request) {
                Ok(entries) => {
                    let new: Vec<Entry> = entries.into_iter().filter(|it| !settled.has(&it.path)).collect();
                    settled.entries.extend(new);
                }
                Err(refusal) => settled.refused.push((name.clone(), refusal)),
            }
        }
        settled
    }
}

fn asked_for() -> Signal {
    Signal { kind: SignalKind::QuotedPath, weight: 1.0, detail: BY_HAND.to_owned(), source: Source::Index }
}
