//! Fills the budget: depth in the files that matter before breadth over files.
//!
//! The objective: as many of the lines that the task is about as the budget holds. A unit that a change touches holds some
//! of them, about the root of its own number of lines (measured on the tuning tasks: 1.3 of 1.7, 2.9 of 4, 4.3 of 8, 6.8 of 17, 8.8 of 34,
//! 12 of 72); how likely it is touched says `worth`. Units go in greedily, by what they may be expected to hold for what they cost: the units are small against
//! the budget, so that this is near the best that the guesses allow.

use std::collections::{BTreeMap, BTreeSet};

use super::sheet::Sheet;
use super::worth::{self, Offer};
use super::{Dropped, Entry, Level};
use crate::expand::{Candidates, Facts};
use crate::model::FileId;
use crate::rank::Ranked;
use crate::text::TokenCounter;
use crate::workspace::TargetKind;

/// Files whose code may go in.
const MOST_FILES: usize = 40;
/// Units that are less likely than this to be touched are noise.
const LEAST_UNIT: f64 = 0.004;
/// So are files that are touched with less than this share of the best one's chance. .12, .15, .2 on all commit tasks: 40, 43 and 47 %
/// of the files of a pack are useful, 28 % with `--fill`, for 4, 5 and 8 points of pack_touch and 3, 3 and 5 of pack_lines.
const LEAST_OF_BEST: f64 = 0.13;
/// Bytes that a unit costs beside its own text: 20 and 80 are within .3 of all measures.
const AROUND_BYTES: u32 = 40;
/// A file of which at least this share is chosen is shown whole, where there is room.
const WHOLE: f64 = 0.8;
/// Reasons kept with an entry.
pub const MOST_REASONS: usize = 6;
/// Files that are named with what is left when no more code fits.
const MENTIONS: usize = 10;
/// Tokens of a gap's marker.
const GAP_TOKENS: u32 = 7;
/// A program's main file that is not among the first wires the others together: its skeleton shows how.
const WIRING_FROM: usize = 3;

/// What must hold of the result.
#[derive(Debug, Clone, Copy)]
pub struct Limits<'a> {
    /// Tokens for all entries together.
    pub tokens: u32,
    pub max_files: Option<usize>,
    pub mask: bool,
    /// Whether the whole room is used, where a pack else ends with what is likely to matter.
    pub fill: bool,
    /// Whether the task is about this workspace; nothing goes in where it is not.
    pub is_relevant: bool,
    /// Files that are not to be shown whole because much of them is.
    pub narrow: &'a BTreeSet<FileId>,
}

/// What was chosen.
#[derive(Debug, Default)]
pub struct Fitted {
    pub files: Vec<Entry>,
    pub dropped: Vec<Dropped>,
    /// Number of secrets masked in the files that are shown.
    pub masked: u32,
}

/// Chooses what fits into `limits`; `price` counts the tokens of an entry as it will be rendered.
/// The best file always goes in, by its path alone where nothing else fits.
pub fn fit(
    facts: &Facts<'_>,
    ranked: &[Ranked],
    candidates: &Candidates,
    limits: Limits<'_>,
    counter: &TokenCounter,
    price: &dyn Fn(&Entry) -> u32,
) -> Fitted {
    if !limits.is_relevant {
        return Fitted {
            dropped: dropped(facts, ranked, &BTreeMap::new(), |_| "the task is likely about something else"),
            ..Fitted::default()
        };
    }
    let tied = |file: &&Ranked| candidates.files.get(&file.file).is_some_and(|candidate| candidate.is_tied());
    let offered = if candidates.pinned { ranked.iter().take_while(tied).count() } else { ranked.len() };
    let most = limits.max_files.unwrap_or(usize::MAX).min(MOST_FILES);
    let considered = &ranked[..offered.min(most)];
    let packer = Packer {
        sheets: considered.iter().map(|file| Sheet::new(facts, file.file, limits.mask, counter)).collect(),
        ranked: considered,
        limit: limits.tokens,
        widen: !candidates.pinned,
        narrow: limits.narrow,
        price,
    };
    let mut offers = worth::offers(facts, considered, candidates);
    if !limits.fill && !candidates.pinned {
        leave_noise_out(&mut offers);
    }
    let likely: BTreeSet<usize> = offers.iter().map(|offer| offer.place).collect();
    by_bargain(facts, &mut offers);
    let chosen = packer.choose(&offers);
    let entries = packer.entries(facts, &chosen);
    let masked = entries.keys().map(|&place| packer.sheets[place].masked).sum();
    Fitted {
        dropped: dropped(facts, ranked, &entries, |place| match place {
            place if place >= offered => "not tied to what the task names",
            place if place >= MOST_FILES => "behind the files that may fill the budget",
            place if place < considered.len() && !likely.contains(&place) => "hardly likely to matter",
            _ => "over budget",
        }),
        files: entries.into_values().collect(),
        masked,
    }
}

/// Leaves what is likely noise: files that the task is hardly about, and single units.
fn leave_noise_out(offers: &mut Vec<Offer>) {
    let mut missed: BTreeMap<usize, f64> = BTreeMap::new();
    for offer in &*offers {
        *missed.entry(offer.place).or_insert(1.0) *= 1.0 - offer.chance;
    }
    let chance = |missed: f64| 1.0 - missed;
    let least = LEAST_OF_BEST * missed.values().map(|missed| chance(*missed)).fold(0.0, f64::max);
    offers.retain(|offer| {
        let file = missed.get(&offer.place).map_or(0.0, |missed| chance(*missed));
        offer.chance >= LEAST_UNIT && (file >= least || offer.place == 0)
    });
}

/// The best bargain first: the lines that may be expected, the chance times the root of the length, for the cost, which is the
/// length. The length to the power of .6 instead: pack_lines −.2 and 0; of .7: −1.7 and −.9.
fn by_bargain(facts: &Facts<'_>, offers: &mut [Offer]) {
    let density = |offer: &Offer| {
        let spans = &facts.lexical.units[offer.unit].spans;
        let bytes: u32 = spans.iter().map(|span| span.len()).sum();
        offer.chance / f64::from(bytes + AROUND_BYTES).sqrt()
    };
    offers.sort_by(|a, b| density(b).total_cmp(&density(a)).then((a.place, a.unit).cmp(&(b.place, b.unit))));
}

/// Lines to show, by place in the ranking.
type Chosen = BTreeMap<usize, BTreeSet<u32>>;

struct Packer<'a> {
    ranked: &'a [Ranked],
    sheets: Vec<Sheet<'a>>,
    /// Tokens for all entries.
    limit: u32,
    /// Whether a file that is mostly shown is shown whole.
    widen: bool,
    narrow: &'a BTreeSet<FileId>,
    price: &'a dyn Fn(&Entry) -> u32,
}

impl Packer<'_> {
    /// Takes the best bargains as long as they fit.
    fn choose(&self, offers: &[Offer]) -> Chosen {
        let mut chosen = Chosen::new();
        let mut used = 0;
        for offer in offers {
            let lines = self.sheets[offer.place].lines_of(offer.unit);
            let room = self.limit - used;
            if let Some(cost) = self.cost_of_adding(offer.place, &lines, &chosen, room) {
                used += cost;
                chosen.entry(offer.place).or_default().extend(lines);
            }
        }
        chosen
    }

    /// Tokens that lines add, where they fit into `room`; a little more than they do in the end. Ends where the room does:
    /// once the budget is filled, nearly all offers are too large by far.
    fn cost_of_adding(&self, place: usize, lines: &BTreeSet<u32>, chosen: &Chosen, room: u32) -> Option<u32> {
        let known = chosen.get(&place);
        let mut new = lines.iter().filter(|line| known.is_none_or(|known| !known.contains(line)));
        let fitting = |cost: u32| (cost <= room).then_some(cost);
        let text = new.try_fold(GAP_TOKENS, |cost, &line| fitting(cost + self.sheets[place].cost(line)))?;
        let head = if known.is_none() { self.mention(place).tokens } else { 0 };
        fitting(text + head)
    }

    /// The ladder: what was chosen, whole files where nearly all was, the skeleton of what wires the rest, and the next
    /// files by name.
    fn entries(&self, facts: &Facts<'_>, chosen: &Chosen) -> BTreeMap<usize, Entry> {
        let ranges = |(&place, lines)| (place, self.entry(place, Level::Ranges, lines));
        let mut entries: BTreeMap<usize, Entry> = chosen.iter().map(ranges).collect();
        let mut used: u32 = entries.values().map(|entry| entry.tokens).sum();
        while used > self.limit {
            let Some((_, last)) = entries.pop_last() else { break };
            used -= last.tokens;
        }
        for (&place, entry) in &mut entries {
            let better = self.better(facts, place, entry);
            if let Some(better) = better.filter(|better| used - entry.tokens + better.tokens <= self.limit) {
                used = used - entry.tokens + better.tokens;
                *entry = better;
            }
        }
        let named = (chosen.len() + MENTIONS).min(self.ranked.len());
        for place in 0..named {
            if entries.contains_key(&place) {
                continue;
            }
            let entry = if place == 0 { self.narrowed(used) } else { self.mention(place) };
            if place == 0 || used + entry.tokens <= self.limit {
                used += entry.tokens;
                entries.insert(place, entry);
            }
        }
        entries
    }

    /// Another level that suits a file better than the ranges that were chosen.
    fn better(&self, facts: &Facts<'_>, place: usize, entry: &Entry) -> Option<Entry> {
        if !self.widen || self.narrow.contains(&self.ranked[place].file) {
            return None;
        }
        let sheet = &self.sheets[place];
        if place >= WIRING_FROM && is_main(facts, self.ranked[place].file) {
            return Some(self.entry(place, Level::Skeleton, &sheet.skeleton()));
        }
        let shown: u32 = entry.ranges.iter().map(|range| range.count()).sum();
        let mostly = f64::from(shown) >= WHOLE * f64::from(sheet.line_count());
        mostly.then(|| self.entry(place, Level::Full, &sheet.all()))
    }

    /// The best file where none of its units fits: its skeleton, else the first lines of it that fit, else its path.
    fn narrowed(&self, used: u32) -> Entry {
        let room = self.limit.saturating_sub(used);
        let skeleton = self.sheets[0].skeleton();
        let candidates =
            [(Level::Skeleton, skeleton.clone()), (Level::Ranges, self.first_lines(&skeleton, room))];
        let fitting = candidates.into_iter().filter(|(_, lines)| !lines.is_empty());
        let mut entries = fitting.map(|(level, lines)| self.entry(0, level, &lines));
        entries.find(|entry| entry.tokens <= room).unwrap_or_else(|| self.mention(0))
    }

    /// As many of the first of `lines` as fit into `room` tokens, the entry's head counted.
    fn first_lines(&self, lines: &BTreeSet<u32>, room: u32) -> BTreeSet<u32> {
        let mut left = room.saturating_sub(self.mention(0).tokens + GAP_TOKENS);
        let fits = |line: &&u32| {
            let cost = self.sheets[0].cost(**line) + GAP_TOKENS;
            let fits = cost <= left;
            left = left.saturating_sub(cost);
            fits
        };
        lines.iter().take_while(fits).copied().collect()
    }

    fn mention(&self, place: usize) -> Entry {
        self.entry(place, Level::Mention, &BTreeSet::new())
    }

    fn entry(&self, place: usize, level: Level, lines: &BTreeSet<u32>) -> Entry {
        let ranked = &self.ranked[place];
        let sheet = &self.sheets[place];
        let chunks = sheet.chunks(lines, level);
        let ranges = chunks.iter().filter_map(|chunk| chunk.range()).collect();
        let mut entry = Entry {
            path: sheet.path().to_string(),
            rank: place as u32 + 1,
            score: ranked.score,
            level,
            ranges,
            tokens: 0,
            reasons: ranked.signals.iter().take(MOST_REASONS).cloned().collect(),
            chunks,
        };
        entry.tokens = (self.price)(&entry);
        entry
    }
}

/// Whether a file is where a program begins.
fn is_main(facts: &Facts<'_>, file: FileId) -> bool {
    let package = facts.snapshot.package_of(file);
    package.is_some_and(|package| {
        package.targets.iter().any(|target| target.kind == TargetKind::Bin && target.root == file)
    })
}

/// What did not go in, each with the reason.
fn dropped(
    facts: &Facts<'_>,
    all: &[Ranked],
    entries: &BTreeMap<usize, Entry>,
    why: impl Fn(usize) -> &'static str,
) -> Vec<Dropped> {
    all.iter()
        .enumerate()
        .filter(|(place, _)| !entries.contains_key(place))
        .map(|(place, ranked)| Dropped {
            path: facts.snapshot.file(ranked.file).path.clone(),
            rank: place as u32 + 1,
            score: ranked.score,
            why: why(place).into(),
        })
        .collect()
}
