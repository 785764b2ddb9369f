//! What an attribute says that matters here. Attributes come as the text between their brackets.

/// Attributes that make a function a test, beside all whose last segment is `test` or ends in `_test`.
const TEST_ATTRIBUTES: [&str; 5] = ["rstest", "test_case", "test_matrix", "quickcheck", "proptest"];

/// `#[test]`, `#[tokio::test(…)]`, `#[rstest]` and their kin.
pub(super) fn is_test(attribute: &str) -> bool {
    let last = last_segment(attribute);
    last == "test" || last.ends_with("_test") || TEST_ATTRIBUTES.contains(&last)
}

/// `#[cfg(test)]`, also among other conditions; not `#[cfg(not(test))]`.
pub(super) fn is_cfg_test(attribute: &str) -> bool {
    let Some(condition) = argument(attribute, "cfg") else { return false };
    let mut words =
        condition.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty());
    let mut previous = "";
    words.any(|word| {
        let found = word == "test" && previous != "not";
        previous = word;
        found
    })
}

/// Whether it is `name`, with or without arguments.
pub(super) fn is_named(attribute: &str, name: &str) -> bool {
    last_segment(attribute) == name
}

/// The text of `#[path = "…"]`.
pub(super) fn path(attribute: &str) -> Option<&str> {
    let value = attribute.strip_prefix("path")?.trim_start().strip_prefix('=')?.trim();
    value.strip_prefix('"')?.strip_suffix('"')
}

fn last_segment(attribute: &str) -> &str {
    let path = attribute.split(['(', '=', '[', '{']).next().unwrap_or("").trim();
    path.rsplit("::").next().unwrap_or(path).trim()
}

fn argument<'a>(attribute: &'a str, name: &str) -> Option<&'a str> {
    attribute.trim().strip_prefix(name)?.trim_start().strip_prefix('(')
}
