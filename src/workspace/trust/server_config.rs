//! What of `rust-analyzer.toml` has rust-analyzer run programs. It wins over what a client asks for, the switches of build
//! scripts and of checks among it, so whole sections count but for what is listed as harmless here.

use super::document::{self, Leaf, Said};

/// Sections that only change what is shown, offered or kept in memory.
const SECTIONS: [&str; 26] = [
    "assist",
    "cachePriming",
    "callInfo",
    "cfg",
    "completion",
    "diagnostics",
    "disableFixtureSupport",
    "document",
    "files",
    "gotoImplementations",
    "highlightRelated",
    "highlighting",
    "hover",
    "hoverActions",
    "imports",
    "inlayHints",
    "interpret",
    "joinLines",
    "lens",
    "lru",
    "notifications",
    "numThreads",
    "references",
    "rename",
    "semanticHighlighting",
    "signatureInfo",
];
/// Keys of sections that hold harm too: which features and configurations code is read with, which names are found.
const KEYS: [(&str, &str); 14] = [
    ("cargo", "allFeatures"),
    ("cargo", "allTargets"),
    ("cargo", "autoreload"),
    ("cargo", "cfgs"),
    ("cargo", "features"),
    ("cargo", "noDefaultFeatures"),
    ("cargo", "noDeps"),
    ("check", "allTargets"),
    ("check", "features"),
    ("check", "ignore"),
    ("check", "noDefaultFeatures"),
    ("procMacro", "ignored"),
    ("typing", "triggerChars"),
    ("workspace", "symbol"),
];

/// What in this text could run a program.
pub(super) fn check(text: &str) -> Said {
    document::check(text, of_leaf)
}

fn of_leaf(leaf: &Leaf<'_>) -> Option<String> {
    let section = *leaf.path.first()?;
    let key = leaf.path.get(1).copied().unwrap_or_default();
    let is_harmless = SECTIONS.contains(&section) || KEYS.contains(&(section, key));
    (!is_harmless).then(|| format!("{} can have rust-analyzer run programs", leaf.name()))
}
