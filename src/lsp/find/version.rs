//! What a program says with `--version`: `rust-analyzer 1.95.0 (5980761 2026-04-14)`, `rust-analyzer 0.3.2563-standalone (…)`,
//! `Ubuntu clangd version 18.1.3 (1ubuntu1)`, `4.3.3`.

/// Characters of a version; what is longer is none.
const LONGEST: usize = 64;

/// What was told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Told {
    pub version: String,
    /// Of its sources, as `2026-04-14`, where it tells one.
    pub date: Option<String>,
}

/// The first line's first word that is a version, and its date. `None` where there is no version.
pub(super) fn read(stdout: &str) -> Option<Told> {
    let line = stdout.lines().find(|line| !line.trim().is_empty())?;
    let words = || line.split([' ', '\t', '(', ')', ',']).filter(|word| !word.is_empty());
    let version = words().find_map(version)?;
    let date = words().find(|word| is_date(word)).map(str::to_owned).or_else(|| day(version));
    Some(Told { version: version.to_owned(), date })
}

/// Two numbers at least (`18.1`, `2021-06-28`), or a day (`20250106`, as Arch Linux has it).
fn version(word: &str) -> Option<&str> {
    let word = word.strip_prefix('v').unwrap_or(word);
    if day(word).is_some() {
        return Some(word);
    }
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '+' | '~');
    let mut numbers = word.split(['.', '-']);
    let mut is_number =
        || numbers.next().is_some_and(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()));
    (is_number() && is_number() && word.len() <= LONGEST && word.chars().all(is_plain)).then_some(word)
}

/// Of `20250106` the date `2025-01-06`.
fn day(word: &str) -> Option<String> {
    let is_day =
        word.len() == "20250106".len() && word.starts_with("20") && word.bytes().all(|b| b.is_ascii_digit());
    is_day.then(|| Some(format!("{}-{}-{}", word.get(..4)?, word.get(4..6)?, word.get(6..)?))).flatten()
}

fn is_date(word: &str) -> bool {
    const SHAPE: &[u8] = b"dddd-dd-dd";
    let fits = |(byte, shape): (u8, &u8)| if *shape == b'd' { byte.is_ascii_digit() } else { byte == *shape };
    word.len() == SHAPE.len() && word.bytes().zip(SHAPE).all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(stdout: &str, version: &str, date: Option<&str>) {
        let told = Told { version: version.to_owned(), date: date.map(str::to_owned) };
        assert_eq!(read(stdout), Some(told), "{stdout}");
    }

    #[test]
    fn versions_are_read_in_every_form() {
        check("rust-analyzer 1.95.0 (5980761 2026-04-14)\n", "1.95.0", Some("2026-04-14"));
        check("rust-analyzer 0.3.2563-standalone (f1 2025-07-28)", "0.3.2563-standalone", Some("2025-07-28"));
        check("rust-analyzer 1.98.0-nightly (5980761 2026-06-01)", "1.98.0-nightly", Some("2026-06-01"));
        check("rust-analyzer 2021-06-28", "2021-06-28", Some("2021-06-28"));
        check("\nUbuntu clangd version 18.1.3 (1ubuntu1)\nFeatures: linux", "18.1.3", None);
        check("rust-analyzer 20250106", "20250106", Some("2025-01-06"));
        check("4.3.3", "4.3.3", None);
        check("tool v1.2", "1.2", None);
    }

    #[test]
    fn what_is_no_version_is_none() {
        for text in [
            "",
            "  \n",
            "error: unknown option",
            "rust-analyzer 3e1fb1fc",
            "1",
            "Do you want to install it? [y/N]",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
