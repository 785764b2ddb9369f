//! What `git diff-tree --stdin -p -U0 --pretty=tformat:'%H %P'` prints: for each commit its parent, the files that it changes,
//! and where.

use std::collections::BTreeMap;

use crate::model::LineRange;

/// One commit against its parent.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Patch {
    /// The parent's id.
    pub parent: String,
    pub changes: Vec<Change>,
}

/// One file.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Change {
    /// `None` for a file that is new.
    pub old: Option<String>,
    /// `None` for a file that is removed.
    pub new: Option<String>,
    pub is_renamed: bool,
    /// The lines of the old file that are changed; where lines only come in, the one before them.
    pub lines: Vec<LineRange>,
    removed: String,
    added: String,
}

impl Patch {
    /// Whether all that it changes are blanks, line ends and commas: what a formatter does.
    pub fn is_formatting(&self) -> bool {
        let bare =
            |text: &str| -> String { text.chars().filter(|c| !c.is_whitespace() && *c != ',').collect() };
        self.changes.iter().all(|change| bare(&change.removed) == bare(&change.added))
    }

    /// The names of all files that it touches, without their folders.
    pub fn names(&self) -> Vec<&str> {
        let paths = self.changes.iter().flat_map(|change| [change.old.as_deref(), change.new.as_deref()]);
        paths.flatten().map(|path| path.rsplit('/').next().unwrap_or(path)).collect()
    }
}

/// The patches by the ids of their commits.
pub(super) fn read(text: &str) -> BTreeMap<String, Patch> {
    let mut patches: BTreeMap<String, Patch> = BTreeMap::new();
    let mut commit = String::new();
    let mut lines = text.split('\n');
    while let Some(line) = lines.next() {
        if let Some((id, parent)) = line.split_once(' ').filter(|(id, parent)| is_id(id) && is_id(parent)) {
            commit = id.to_owned();
            patches.insert(commit.clone(), Patch { parent: parent.to_owned(), changes: Vec::new() });
            continue;
        }
        let Some(Patch { changes, .. }) = patches.get_mut(&commit) else { continue };
        if line.starts_with("diff --git ") {
            changes.push(Change::default());
            continue;
        }
        let Some(change) = changes.last_mut() else { continue };
        if let Some(path) = line.strip_prefix("rename from ") {
            (change.old, change.is_renamed) = (Some(path.to_owned()), true);
        } else if let Some(path) = line.strip_prefix("rename to ") {
            change.new = Some(path.to_owned());
        } else if let Some(path) = line.strip_prefix("--- ") {
            change.old = named(path, "a/");
        } else if let Some(path) = line.strip_prefix("+++ ") {
            change.new = named(path, "b/");
        } else if let Some((old, new)) = hunk(line) {
            change.take(old, new, &mut lines);
        }
    }
    patches
}

impl Change {
    /// The lines of a hunk: as many as its head says, so that none of them is taken for something else.
    fn take<'t>(&mut self, old: (u32, u32), new: (u32, u32), lines: &mut impl Iterator<Item = &'t str>) {
        let (first, count) = old;
        self.lines.push(LineRange::new(first.max(1), (first + count).saturating_sub(1).max(1)));
        for _ in 0..count + new.1 {
            let Some(line) = lines.next() else { return };
            if let Some(line) = line.strip_prefix('-') {
                self.removed.push_str(line);
            } else if let Some(line) = line.strip_prefix('+') {
                self.added.push_str(line);
            }
        }
    }
}

/// The path behind `--- ` or `+++ `; `None` for a file that is not there, and for a name that git writes in quotes.
fn named(path: &str, prefix: &str) -> Option<String> {
    path.strip_prefix(prefix).map(|path| path.trim_end_matches('\t').to_owned())
}

/// First line and count of both sides of `@@ -3,2 +5 @@ fn main() {`.
fn hunk(line: &str) -> Option<((u32, u32), (u32, u32))> {
    let (sides, _) = line.strip_prefix("@@ -")?.split_once(" @@")?;
    let (old, new) = sides.split_once(" +")?;
    let side = |side: &str| match side.split_once(',') {
        Some((first, count)) => Some((first.parse().ok()?, count.parse().ok()?)),
        None => Some((side.parse().ok()?, 1)),
    };
    Some((side(old)?, side(new)?))
}

fn is_id(line: &str) -> bool {
    matches!(line.len(), 40 | 64) && line.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: &str = "0123456789012345678901234567890123456789";
    const SECOND: &str = "abcdefabcdabcdefabcdabcdefabcdabcdefabcd";

    #[test]
    fn files_and_lines_are_told() {
        let text = format!(
            "{FIRST} {SECOND}\n\n\
             diff --git a/src/a.rs b/src/a.rs\nindex 1..2 100644\n--- a/src/a.rs\n+++ b/src/a.rs\n\
             @@ -3,2 +3 @@ fn main() {{\n--- a/x\n-@@ -1 +1 @@\n+++ b/y\n\
             @@ -9,0 +9,2 @@\n+one\n+{SECOND} {FIRST}\n\\ No newline at end of file\n\
             diff --git a/new b.rs b/new b.rs\nnew file mode 100644\n--- /dev/null\n+++ b/new b.rs\t\n@@ -0,0 +1 @@\n+x\n\
             diff --git a/gone.rs b/gone.rs\ndeleted file mode 100644\n--- a/gone.rs\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n\
             \n{SECOND} {FIRST}\n\n\
             diff --git a/c.rs b/d/c.rs\nsimilarity index 100%\nrename from c.rs\nrename to d/c.rs\n"
        );
        let patches = read(&text);
        assert_eq!(patches[FIRST].parent, SECOND);
        let [a, new, gone] = &patches[FIRST].changes[..] else { panic!("{patches:?}") };
        assert_eq!((a.old.as_deref(), a.new.as_deref()), (Some("src/a.rs"), Some("src/a.rs")));
        assert_eq!(a.lines, [LineRange::new(3, 4), LineRange::new(9, 9)]);
        assert_eq!(
            (a.removed.as_str(), a.added.as_str()),
            ("-- a/x@@ -1 +1 @@", &*format!("++ b/yone{SECOND} {FIRST}"))
        );
        assert_eq!((new.old.as_deref(), new.new.as_deref()), (None, Some("new b.rs")));
        assert_eq!((gone.old.as_deref(), gone.new.as_deref()), (Some("gone.rs"), None));
        assert_eq!(patches[FIRST].names(), ["a.rs", "a.rs", "new b.rs", "gone.rs"]);
        let [moved] = &patches[SECOND].changes[..] else { panic!("{patches:?}") };
        assert!(moved.is_renamed && moved.lines.is_empty(), "{moved:?}");
        assert_eq!(moved.new.as_deref(), Some("d/c.rs"));
    }

    #[test]
    fn what_a_formatter_does_is_known() {
        let patch = |removed: &str, added: &str| {
            let change = Change { removed: removed.to_owned(), added: added.to_owned(), ..Change::default() };
            Patch { parent: String::new(), changes: vec![change] }
        };
        assert!(patch("f(a, b)", "f(   a,   b,)").is_formatting());
        assert!(!patch("f(a, b)", "f(b, a)").is_formatting());
        assert!(read("").is_empty() && read("garbage\n@@ -x +y @@\n").is_empty());
    }
}
