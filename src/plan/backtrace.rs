//! Where a program broke, as it says itself: the place of a panic and the frames of a backtrace.

use std::sync::LazyLock;

use regex::Regex;

use super::places::{Read, read_path};
use super::{Frame, PackagedPlace};
use crate::text::pattern;

/// What a text has of panics and backtraces.
#[derive(Default)]
pub(super) struct Backtrace {
    /// Places of panics, then frames, innermost first; without those of the standard library.
    pub frames: Vec<Frame>,
    /// Those of the places that lie in copies of packages.
    pub packaged: Vec<PackagedPlace>,
}

/// Frames kept of one task.
const MOST_FRAMES: usize = 40;

/// `thread 'main' panicked at src/a.rs:1:2:` with the message on the next line.
pub(super) static PANIC: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"panicked at ([^\s',]+?\.rs:[0-9]+)(?::[0-9]+)?:?\s*`?$"));
/// `thread 'main' panicked at 'message', src/a.rs:1:2`, as it was before Rust 1.73; or the last line of such a message.
pub(super) static OLD_PANIC: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?:panicked at ')?(.*)', ([^\s',]+?\.rs:[0-9]+)(?::[0-9]+)?"));
/// `  12: crate::module::function`, with an address in between or not.
static FUNCTION: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^\s*#?[0-9]+:?\s+(?:0x[0-9a-f]+\s+(?:-|in)\s+)?(<?[A-Za-z_&][^\n]*::[^\n]*|[a-z_][a-z0-9_]*)\s*$",
    )
});
/// `             at ./src/a.rs:10:5`.
static AT: LazyLock<Regex> = LazyLock::new(|| pattern(r"^\s*at (\S+?:[0-9]+)(?::[0-9]+)?\s*$"));

/// Whether a line belongs to a backtrace.
pub(super) fn is_frame(line: &str) -> bool {
    AT.is_match(line) || (line.contains("::") && FUNCTION.is_match(line))
}

pub(super) fn read(text: &str) -> Backtrace {
    let mut found = Backtrace::default();
    let mut panics = Vec::new();
    let mut in_frame = false;
    for line in text.lines() {
        if found.frames.len() >= MOST_FRAMES {
            break;
        }
        let panic = || {
            PANIC
                .captures(line)
                .and_then(|c| c.get(1))
                .or_else(|| OLD_PANIC.captures(line).and_then(|c| c.get(2)))
        };
        if let Some(place) = AT.captures(line).and_then(|c| c.get(1)) {
            let place = found.place(place.as_str());
            if in_frame && let (Some(last), Some(place)) = (found.frames.last_mut(), place) {
                (last.path, last.line) = (place.path, place.line);
            }
            in_frame = false;
        } else if let Some(name) = FUNCTION.captures(line).and_then(|c| c.get(1)) {
            let function = function(name.as_str());
            in_frame = is_of_workspace(&function);
            if in_frame {
                found.frames.push(Frame { function, path: None, line: None });
            }
        } else {
            in_frame = false;
            panics.extend(panic().and_then(|place| found.place(place.as_str())));
        }
    }
    found.frames.splice(0..0, panics);
    found.frames.dedup();
    found
}

impl Backtrace {
    /// A frame of which only the place is known; `None` for places outside every workspace, and in a package's copy.
    fn place(&mut self, text: &str) -> Option<Frame> {
        match read_path(text)? {
            Read::Place(place) => {
                Some(Frame { function: String::new(), path: Some(place.path), line: place.line })
            }
            Read::Packaged(place) => {
                if self.packaged.len() < MOST_FRAMES && !self.packaged.contains(&place) {
                    self.packaged.push(place);
                }
                None
            }
        }
    }
}

/// `mycrate::module::function` of `<mycrate::module::Type<T> as core::Trait>::function::{{closure}}::h0123456789abcdef`.
fn function(text: &str) -> String {
    let text = text.replace("$LT$", "<").replace("$GT$", ">").replace("$u20$", " ").replace("..", "::");
    let text = text.trim_start_matches('_').trim_start_matches("impl ");
    let mut plain = String::new();
    push_path(text, &mut plain);
    let mut parts: Vec<&str> = plain.split("::").filter(|part| !part.is_empty()).collect();
    parts.retain(|part| !part.starts_with('{') && !is_hash(part));
    parts.join("::")
}

/// Appends a path without its generic arguments; of `<Type as Trait>` at its beginning, the type.
fn push_path(text: &str, out: &mut String) {
    let mut depth = 0usize;
    let mut skipping = false;
    let qualified = text.starts_with('<');
    let mut rest = text.strip_prefix('<').unwrap_or(text);
    let inner = usize::from(qualified);
    while let Some(c) = rest.chars().next() {
        if qualified && depth == 0 && rest.starts_with(" as ") {
            skipping = true;
        }
        match c {
            '<' => depth += 1,
            '>' if depth == 0 && inner == 1 => skipping = false,
            '>' => depth = depth.saturating_sub(1),
            '&' | ' ' => {}
            _ if depth == 0 && !skipping => out.push(c),
            _ => {}
        }
        rest = rest.get(c.len_utf8()..).unwrap_or("");
    }
}

/// `h` and sixteen hexadecimal digits, the mark of a symbol.
fn is_hash(part: &str) -> bool {
    part.len() == 17 && part.starts_with('h') && part.bytes().skip(1).all(|b| b.is_ascii_hexdigit())
}

/// Not the standard library's, nor the system's.
fn is_of_workspace(function: &str) -> bool {
    let crate_name = function.split("::").next().unwrap_or("");
    function.contains("::")
        && !matches!(
            crate_name,
            "std"
                | "core"
                | "alloc"
                | "test"
                | "backtrace"
                | "rustc_driver"
                | "__rust_begin_short_backtrace"
                | ""
        )
}
