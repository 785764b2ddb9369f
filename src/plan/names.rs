//! What names look like, and names that say nothing about a workspace.

use std::collections::HashSet;
use std::sync::LazyLock;

/// Letters, digits and underscores, not beginning with a digit.
pub(super) fn is_identifier(text: &str) -> bool {
    text.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_alphanumeric() || c == '_')
        && text.chars().any(char::is_alphanumeric)
}

/// Words joined by underscores.
pub(super) fn is_snake(text: &str) -> bool {
    is_identifier(text) && text.trim_matches('_').contains('_')
}

/// A capital after a small letter, or several capitals and then a small letter: `LruHashMap`, `HTTPServer`.
pub(super) fn is_camel(text: &str) -> bool {
    let after_small = |pair: &[u8]| {
        pair.first().is_some_and(u8::is_ascii_lowercase) && pair.last().is_some_and(u8::is_ascii_uppercase)
    };
    is_identifier(text)
        && !text.contains('_')
        && (text.as_bytes().windows(2).any(after_small) || is_initialed(text))
}

/// `IOError`, not `PRs`, `IDs`.
fn is_initialed(text: &str) -> bool {
    let capitals = text.bytes().take_while(u8::is_ascii_uppercase).count();
    capitals >= 2 && text.len() >= capitals + 3 && text.bytes().skip(capitals).all(|b| b.is_ascii_lowercase())
}

/// One capital and then small letters: `Router`; a type, or the first word of a sentence.
pub(super) fn is_capitalized(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next().is_some_and(char::is_uppercase)
        && text.chars().count() >= SHORTEST_TYPE
        && letters.all(|c| c.is_lowercase() || c.is_ascii_digit())
}

/// Letters of the shortest type's name that prose is trusted with: `Map`.
const SHORTEST_TYPE: usize = 3;

/// Names of the language, of its prelude and of every example: never what a task is about.
pub(super) fn is_everyones(name: &str) -> bool {
    static NAMES: LazyLock<HashSet<&str>> = LazyLock::new(|| EVERYONES.split_whitespace().collect());
    NAMES.contains(name)
}

/// What stands for any name in examples.
pub(super) fn is_placeholder(name: &str) -> bool {
    ["foo", "bar", "baz", "blah", "bleh", "my_crate"].iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// Products, systems and formats that are spelt like types, and words that sentences capitalise.
pub(super) fn is_proper_noun(name: &str) -> bool {
    static NAMES: LazyLock<HashSet<&str>> = LazyLock::new(|| PROPER_NOUNS.split_whitespace().collect());
    NAMES.contains(name)
}

const EVERYONES: &str = "
    Bar Baz Box Err RUST_BACKTRACE RUST_LOG Foo None Ok Option Result Self Some String Vec alloc as assert assert_eq assert_ne
    async await bar baz bool break cfg char clone const continue core crate dbg dead_code default derive
    do dyn else enum eprintln expect extern f32 f64 false feature features fn foo for format i128 i16 i32
    i64 i8 if impl in isize let loop main match mod move mut my_crate new panic print println pub ref
    return self static std str struct super test todo trait true type u128 u16 u32 u64 u8 unimplemented
    union unreachable unsafe unwrap unwrap_or use usize vec where while
";

const PROPER_NOUNS: &str = "
    Actual Additional Also Alternatively And Android Apple April Arch Are August Azure BSD Bash But Can
    Cargo CentOS ChatGPT Chinese Chrome Clippy Cloudflare Could Debian December Discord Docker DockerHub
    Does Edge English Expected FFmpeg February Fedora Firefox For FreeBSD French Friday From GCC German
    Git GitHub GitLab Google GraphQL HTML HTTP Has Have Hello Here Homebrew How However Its January
    Japanese Java JavaScript JetBrains July June Just Kubernetes LLVM LaTeX LibreSSL Linux MSRV Mac MacOS
    March Markdown May Maybe Microsoft Monday MongoDB Mozilla MySQL NetBSD Nightly NixOS Node NodeJS Not
    Note November Now NumPy October OpenBSD OpenSSL Our Please PostgreSQL PowerShell PyPI PyTorch Python
    QuickCheck README Reddit Redis RocksDB Ruby Russian Rust RustUp Rustc Rustfmt Rustup SQLite Safari
    Saturday September Should Since Spanish StackExchange StackOverflow Steps Sunday Swift Thanks That The
    Then There These They This Thursday Tuesday TypeScript Ubuntu Unix VSCode Version WSL WebAssembly
    WebKit Wednesday What When Where While Why Wikipedia Windows With Would Yes You YouTube Your Zulip iOS
    iPad iPhone macOS
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings() {
        assert!(is_camel("LruHashMap") && is_camel("IOError") && is_camel("findByEmail"));
        assert!(!is_camel("Router") && !is_camel("PRs") && !is_camel("URL") && !is_camel("A_B"));
        assert!(is_snake("find_by_email") && is_snake("MAX_LEN") && !is_snake("_private"));
        assert!(is_capitalized("Router") && !is_capitalized("URL") && !is_capitalized("It"));
    }
}
