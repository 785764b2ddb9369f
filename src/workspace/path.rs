//! Paths inside the workspace as text: relative to the root, `/` between the parts, no `.` and no `..`.

/// `relative` seen from `folder`; `None` where it leaves the root.
pub(super) fn join(folder: &str, relative: &str) -> Option<String> {
    let relative = relative.replace('\\', "/");
    if relative.starts_with('/') || has_drive(&relative) {
        return None;
    }
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in relative.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The folder of a path; empty for the root.
pub(super) fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The last part of a path.
pub(super) fn name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// The last part of a path without its last extension: `lib` of `src/lib.rs`.
pub(super) fn stem(path: &str) -> &str {
    let name = name(path);
    match name.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => name,
    }
}

/// The path from `folder` on, where it lies below; the empty folder holds everything.
pub(super) fn below<'p>(path: &'p str, folder: &str) -> Option<&'p str> {
    if folder.is_empty() { Some(path) } else { path.strip_prefix(folder)?.strip_prefix('/') }
}

/// The folder itself, then each folder above it, the root (empty) last.
pub(super) fn ancestors(folder: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(folder), |folder| (!folder.is_empty()).then(|| parent(folder)))
}

fn has_drive(path: &str) -> bool {
    let mut chars = path.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic()) && chars.next() == Some(':')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn join_resolves_dots_and_stays_inside() {
        assert_eq!(join("crates/a", "../b/./src").as_deref(), Some("crates/b/src"));
        assert_eq!(join("", "src\\lib.rs").as_deref(), Some("src/lib.rs"));
        assert_eq!(join("a", "..").as_deref(), Some(""));
        assert_eq!(join("a", "../.."), None);
        assert_eq!(join("a", "/etc/passwd"), None);
        assert_eq!(join("a", "C:/x"), None);
    }

    #[test]
    fn ancestors_end_at_the_root() {
        assert_eq!(ancestors("a/b").collect::<Vec<_>>(), ["a/b", "a", ""]);
        assert_eq!(ancestors("").collect::<Vec<_>>(), [""]);
    }

    #[test]
    fn below_needs_a_whole_part() {
        assert_eq!(below("a/b/c", "a/b"), Some("c"));
        assert_eq!(below("a/bc", "a/b"), None);
        assert_eq!(below("a", ""), Some("a"));
    }
}
