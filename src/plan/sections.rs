//! A task's lines and where each comes from: what the author says counts more than what a tool printed.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;

use super::backtrace::{self, OLD_PANIC, PANIC};
use crate::text::pattern;

/// Where a line comes from, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Origin {
    /// The first line.
    Title,
    /// What a program said went wrong: a panic's message, `error: …`.
    Message,
    Prose,
    /// A code block.
    Code,
    /// Printed by a tool.
    Log,
    /// Below a heading such as `Environment`.
    Environment,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Line<'t> {
    pub origin: Origin,
    pub text: &'t str,
}

static TAGS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?s)<!--.*?-->|</?(?:details|summary|br|p|pre|code|kbd|sub|sup|img|a|b|i|em|strong|h[1-6])(?:[ \t][^<>\n]*)?/?>",
    )
});

/// The text without HTML comments (templates' advice) and the tags that issues are written with.
pub(super) fn without_tags(text: &str) -> Cow<'_, str> {
    TAGS.replace_all(text, " ")
}

/// The lines that say something, each with its origin. Left out: templates' headings, checkboxes, trailers of
/// commits, a build tool's progress.
pub(super) fn lines(text: &str) -> Vec<Line<'_>> {
    let mut reader = Reader::default();
    text.lines().filter_map(|line| reader.read(line)).collect()
}

/// Where the reader stands between two lines.
#[derive(Default)]
struct Reader<'t> {
    /// The mark that ends the code block, and what stands in it.
    fence: Option<(&'t str, Origin)>,
    titled: bool,
    in_environment: bool,
    /// The line before was empty, or a line of an indented code block.
    may_indent: bool,
    /// The line before said where a panic was: this one says what.
    is_message: bool,
}

impl<'t> Reader<'t> {
    fn read(&mut self, text: &'t str) -> Option<Line<'t>> {
        let trimmed = text.trim();
        if let Some((mark, origin)) = self.fence {
            if trimmed.starts_with(mark) && trimmed.trim_start_matches(['`', '~']).is_empty() {
                self.fence = None;
                return None;
            }
            return self.line(origin, text);
        }
        if let Some(fence) = opening_fence(trimmed) {
            self.fence = Some(fence);
            return None;
        }
        let indented = self.may_indent && text.starts_with("    ") && !trimmed.starts_with(['-', '*']);
        self.may_indent = trimmed.is_empty() || indented;
        if indented {
            return self.line(Origin::Code, text);
        }
        if let Some(heading) = heading(trimmed) {
            self.in_environment = is_environment(heading);
            if self.in_environment || is_template_heading(heading) {
                return None;
            }
        }
        if CHECKBOX.is_match(trimmed) || is_trailer(trimmed) {
            return None;
        }
        self.line(if self.in_environment { Origin::Environment } else { Origin::Prose }, text)
    }

    fn line(&mut self, origin: Origin, text: &'t str) -> Option<Line<'t>> {
        if text.trim().is_empty() {
            return None;
        }
        let was_panic = std::mem::replace(&mut self.is_message, PANIC.is_match(text));
        let (origin, text) = match printed(text) {
            _ if was_panic => (Origin::Message, text),
            Some(Printed::Progress) => return None,
            Some(Printed::Message(message)) if origin != Origin::Environment => (Origin::Message, message),
            Some(Printed::Log) => (Origin::Log, text),
            _ => (origin, text),
        };
        if !self.titled && matches!(origin, Origin::Prose | Origin::Message) {
            self.titled = true;
            return Some(Line { origin: Origin::Title, text });
        }
        Some(Line { origin, text })
    }
}

/// The mark of a fence and what its language says about the lines inside.
fn opening_fence(line: &str) -> Option<(&str, Origin)> {
    let mark = ["```", "~~~"].into_iter().find(|mark| line.starts_with(mark))?;
    let language = line.trim_start_matches(['`', '~']).trim().to_ascii_lowercase();
    if line.ends_with(mark) && !language.is_empty() {
        return None; // ```code``` in one line
    }
    let origin = match language.split([' ', ',']).next().unwrap_or("") {
        "text" | "txt" | "log" | "logs" | "console" | "output" | "plain" => Origin::Log,
        _ => Origin::Code,
    };
    Some((mark, origin))
}

/// `## Title`, `**Title**`, `Title:` alone on its line.
fn heading(line: &str) -> Option<&str> {
    let inner = match line.strip_prefix('#') {
        Some(rest) => rest.trim_start_matches('#'),
        None => line
            .strip_prefix("**")
            .and_then(|rest| rest.trim_end_matches(':').strip_suffix("**"))
            .or_else(|| line.strip_suffix(':'))?,
    };
    Some(inner.trim().trim_matches(['*', ':', '_', '?', '#']).trim())
}

static ENVIRONMENT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:(?:your |my |system |additional )?(?:environment|specifications?|system|versions?|version information|platforms?|setup|meta|info|context)(?: info(?:rmation)?)?|(?:operating system|os|rust|rustc|cargo|crate|software|toolchain) ?(?:/.*|and .*)?versions?.*|checklist|desktop.*|smartphone.*|what version .*|which version .*)$",
    )
});

fn is_environment(heading: &str) -> bool {
    ENVIRONMENT.is_match(heading)
}

static TEMPLATE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:(?:steps? )?(?:to )?repro(?:duce|duction|duction steps)?(?: the (?:problem|behaviou?r|bug|issue))?|(?:minimal|code) .*(?:repro.*|example|sample|snippet)|steps to reproduce.*|how to reproduce.*|(?:expected|actual|current|observed|desired|unexpected)(?: (?:behaviou?r|results?|output|outcome))?|(?:what|which) .*(?:happen(?:ed|s|ing)?|expect(?:ed)?|see|did|do|trying|problem|behaviou?r).*|(?:bug |feature |issue |problem )?(?:description|report|request|summary|overview)|(?:describe|is) (?:the|your) .*|(?:a clear and concise|additional|other|further|relevant) .*|motivation|proposal|solution|alternatives?.*|(?:error|log|debug)s?(?: (?:message|output|log)s?)?|logs?|notes?|screenshots?.*|(?:possible|suggested|proposed) .*|bug|problem|issue|feature|background|references?|related issues?|prior art|drawbacks|example|examples|output|code|tasks?|todo|confirmation|prerequisites?|preliminary checks)$",
    )
});

fn is_template_heading(heading: &str) -> bool {
    TEMPLATE.is_match(heading)
}

static CHECKBOX: LazyLock<Regex> = LazyLock::new(|| pattern(r"^[-*+] \[[ xX]?\] "));

static TRAILER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:(?:signed-off|co-authored|reviewed|acked|tested|reported|suggested)-by|change-id|cc|(?:close|fixe?|resolve|refs?|see|part of|related to|issue|pr)[sd]?):?\s+(?:https?://\S+|\S+@\S+|#\d+|.*<\S+@\S+>|I[0-9a-f]{10,})[.,]?$",
    )
});

fn is_trailer(line: &str) -> bool {
    line.starts_with("---") || TRAILER.is_match(line)
}

/// What a line looks like that a program printed.
enum Printed<'t> {
    Message(&'t str),
    Log,
    /// Nothing to learn: a build's progress, advice on backtraces.
    Progress,
}

static PROGRESS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^\s*(?:(?:Compiling|Download(?:ed|ing)|Finished|Running|Checking|Updating|Fresh|Blocking|Installing|Installed|Locking|Documenting|Packaging|Verifying) `?\S+ ?.*(?:v\d|target|index|lock|\(s\)|crates|`)|note: (?:run with|Some details are omitted|this error originates)|stack backtrace:|For more information about this error|= note: this (?:error|warning) originates|(?:error: aborting|error: could not compile|Caused by:\s*$)|-{3,}|\[\.\.\.\]|\.\.\.$)",
    )
});

static MESSAGE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^\s*(?:[Ee]rror|ERROR|fatal|panic|warning)(?:\[E[0-9]+\])?: \S"));

static LOG: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^\s*(?:-->|::: |\|(?:\s|$)|= (?:note|help)|\d+ ?\| |\.\.\. ?\||\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?(?:TRACE|DEBUG|INFO|WARN|ERROR|FATAL)\b\]?|(?:note|help): )",
    )
});

fn printed(line: &str) -> Option<Printed<'_>> {
    if let Some(message) = OLD_PANIC.captures(line).and_then(|panic| panic.get(1)) {
        let message = message.as_str();
        Some(Printed::Message(message.split_once("panicked at '").map_or(message, |(_, message)| message)))
    } else if PANIC.is_match(line) || backtrace::is_frame(line) || PROGRESS.is_match(line) {
        Some(Printed::Progress)
    } else if MESSAGE.is_match(line) {
        Some(Printed::Message(line))
    } else if LOG.is_match(line) {
        Some(Printed::Log)
    } else {
        None
    }
}
