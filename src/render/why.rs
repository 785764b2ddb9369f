//! In a few words: which lines of a file are shown, and why it is there.

use super::visible::sentence;
use crate::budget::{Entry, Level};
use crate::model::{LineRange, Signal};

/// Reasons that an entry tells; all of them stand in the explanation and in JSON. Three of 80 bytes took 6 to 13 % of
/// a pack's text from the code, two of 64 take 5 to 11 %.
const REASONS: usize = 2;
/// A reason weaker than this part of the strongest says nothing.
const LEAST_SHARE: f64 = 0.1;
/// Bytes of one reason: a symbol's path fits, a commit message's first words.
const REASON_BYTES: usize = 64;
/// Ranges that are listed before the rest is only counted.
const RANGES: usize = 8;

/// `defines Auth::login; words of the task in its path: auth`. Empty where nothing speaks for it.
pub(super) fn why(entry: &Entry) -> String {
    let mut told: Vec<String> = Vec::new();
    for reason in strongest(&entry.reasons) {
        let words = words(reason);
        if told.len() < REASONS && !told.contains(&words) {
            told.push(words);
        }
    }
    told.join("; ")
}

/// The reasons that speak for the entry: what ties it to the task before what its words say, the strongest first.
fn strongest(reasons: &[Signal]) -> impl Iterator<Item = &Signal> {
    let mut sorted: Vec<&Signal> = reasons.iter().filter(|reason| reason.weight > 0.0).collect();
    let least = sorted.iter().map(|reason| reason.weight).fold(0.0, f64::max) * LEAST_SHARE;
    sorted.retain(|reason| reason.kind.is_tie() || reason.weight >= least);
    sorted.sort_by(|a, b| {
        let tie = b.kind.is_tie().cmp(&a.kind.is_tie());
        tie.then(b.weight.total_cmp(&a.weight)).then(a.kind.cmp(&b.kind))
    });
    sorted.into_iter()
}

fn words(reason: &Signal) -> String {
    if reason.detail.trim().is_empty() {
        return reason.kind.to_string().replace('_', " ");
    }
    sentence(&reason.detail, REASON_BYTES)
}

/// What of the file is shown: `lines 10-42, 60-80`, `skeleton`, `mention`; `None` where it is the whole file.
pub(super) fn extent(entry: &Entry) -> Option<String> {
    match entry.level {
        Level::Full => None,
        Level::Ranges => {
            let one = entry.ranges.iter().map(|range| range.count()).sum::<u32>() == 1;
            let noun = if one { "line" } else { "lines" };
            Some(format!("{noun} {}", line_list(&entry.ranges, RANGES)))
        }
        Level::Skeleton => Some("skeleton".to_owned()),
        Level::Mention => Some("mention".to_owned()),
    }
}

/// `10-42, 60, +3 more`: at most `most` ranges.
pub(super) fn line_list(ranges: &[LineRange], most: usize) -> String {
    let mut list: Vec<String> = ranges.iter().take(most).map(one_range).collect();
    if let Some(rest) = ranges.len().checked_sub(most).filter(|rest| *rest > 0) {
        list.push(format!("+{rest} more"));
    }
    list.join(", ")
}

fn one_range(range: &LineRange) -> String {
    if range.first == range.last {
        range.first.to_string()
    } else {
        format!("{}-{}", range.first, range.last)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{entry, reason};
    use super::*;

    #[test]
    fn tells_the_strongest_once() {
        let mut entry = entry("a.rs", vec![]);
        entry.reasons = vec![
            reason(0.1, "weak"),
            reason(0.4, "defines A"),
            reason(-0.3, "is a test"),
            reason(0.3, "defines A"),
            reason(0.2, "calls\n  B"),
            reason(0.01, "faint"),
        ];
        assert_eq!(why(&entry), "defines A; calls B");
        entry.reasons.clear();
        assert_eq!(why(&entry), "");
    }

    #[test]
    fn long_lists_of_ranges_are_counted() {
        let ranges: Vec<LineRange> = (1..=11).map(|n| LineRange::new(n * 10, n * 10 + n % 2)).collect();
        assert_eq!(line_list(&ranges, RANGES), "10-11, 20, 30-31, 40, 50-51, 60, 70-71, 80, +3 more");
    }
}
