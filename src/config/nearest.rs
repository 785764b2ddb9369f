//! The known name that a misspelt one most likely means.

/// Of `known`, the one whose name takes the fewest edits, where these are few for its length.
pub(super) fn nearest<T>(word: &str, known: impl Iterator<Item = (String, T)>) -> Option<T> {
    let distances = known.map(|(name, item)| (distance(word, &name), name.chars().count(), item));
    let best = distances.min_by_key(|(distance, ..)| *distance);
    best.filter(|(distance, length, _)| distance * LONGEST_PER_EDIT <= *length).map(|(.., item)| item)
}

/// A name may differ by one edit for each of so many characters.
const LONGEST_PER_EDIT: usize = 3;

/// Levenshtein's distance in characters, by its usual table, one row at a time.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut next = vec![i + 1];
        for ((y, above), diagonal) in b.iter().zip(row.iter().skip(1)).zip(&row) {
            let left = next.last().copied().unwrap_or(0);
            next.push((diagonal + usize::from(x != *y)).min(above + 1).min(left + 1));
        }
        row = next;
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_edits() {
        for (a, b, expected) in
            [("", "", 0), ("abc", "", 3), ("", "ab", 2), ("kitten", "sitting", 3), ("é", "e", 1)]
        {
            assert_eq!(distance(a, b), expected, "{a} {b}");
        }
    }
}
