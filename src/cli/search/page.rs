//! Hits as lines, the way compilers and ripgrep point at places.
//!
//! ```text
//! src/login.rs:3-6: login (function): pub fn login(name: &str) -> bool [1.00: words: login; the task names it]
//! ```

use crate::model::SymbolKind;
use crate::render::printable;
use crate::session::protocol::{Hit, Reason};

/// Reasons that are told of a hit: the heaviest say the most. All of them are in the JSON.
const MOST_REASONS: usize = 3;
/// Narrower than this nothing fits; text then runs over.
const LEAST_WIDTH: usize = 40;
/// In front of a hit's second line.
const INDENT: &str = "    ";
const ELLIPSIS: char = '…';

/// The terminal's codes: as ripgrep colours paths and lines.
const PATH: &str = "35";
const LINES: &str = "32";
const NAME: &str = "1";

/// How hits are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Look {
    /// Columns of the terminal; `None` where the reader is none, and each hit is one line.
    pub width: Option<usize>,
    pub color: bool,
}

pub(super) fn page(hits: &[Hit], look: &Look) -> String {
    hits.iter().map(|hit| look.hit(hit)).collect()
}

impl Look {
    fn hit(&self, hit: &Hit) -> String {
        let path = printable(&hit.path);
        let [first, last] = hit.lines;
        let name = hit.name.as_ref().map(|name| {
            let kind = hit.kind.map_or_else(String::new, |kind| format!(" ({})", kind_name(kind)));
            (printable(name), kind)
        });
        let preview = printable(&hit.preview);
        let reasons = printable(&reasons(&hit.reasons));
        let score = format!("{:.2}", hit.score);
        let Some(width) = self.width else {
            let name = name.map_or_else(String::new, |(name, kind)| format!(" {name}{kind}:"));
            return format!("{path}:{first}-{last}:{name} {preview} [{score}: {reasons}]\n");
        };
        let name =
            name.map_or_else(String::new, |(name, kind)| format!("  {}{kind}", self.styled(NAME, &name)));
        let place =
            format!("{}:{}", self.styled(PATH, &path), self.styled(LINES, &format!("{first}-{last}")));
        let below = below(&preview, &reasons, width.max(LEAST_WIDTH) - INDENT.len());
        format!("{place}{name}  {score}\n{INDENT}{below}\n")
    }

    /// `text` between the terminal's codes for a style, where there is colour.
    fn styled(&self, code: &str, text: &str) -> String {
        if self.color { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}

/// The line below a hit. Where not all of it fits the preview leaves a third of it to the reasons.
fn below(preview: &str, reasons: &str, width: usize) -> String {
    let most = width.saturating_sub(reasons.chars().count() + " []".len()).max(width - width / 3);
    cut(&format!("{} [{reasons}]", cut(preview, most)), width)
}

fn reasons(reasons: &[Reason]) -> String {
    let told = |reason: &Reason| match reason.detail.is_empty() {
        true => reason.signal.clone(),
        false => reason.detail.clone(),
    };
    reasons.iter().take(MOST_REASONS).map(told).collect::<Vec<String>>().join("; ")
}

/// A text in at most `width` characters.
fn cut(text: &str, width: usize) -> String {
    match text.char_indices().nth(width) {
        Some(_) => text.chars().take(width - 1).chain([ELLIPSIS]).collect(),
        None => text.to_owned(),
    }
}

fn kind_name(kind: SymbolKind) -> &'static str {
    match kind {
        SymbolKind::Function => "function",
        SymbolKind::Method => "method",
        SymbolKind::Struct => "struct",
        SymbolKind::Enum => "enum",
        SymbolKind::Union => "union",
        SymbolKind::Variant => "variant",
        SymbolKind::Field => "field",
        SymbolKind::Trait => "trait",
        SymbolKind::Impl => "impl",
        SymbolKind::TypeAlias => "type alias",
        SymbolKind::Const => "const",
        SymbolKind::Static => "static",
        SymbolKind::Macro => "macro",
        SymbolKind::Module => "module",
        SymbolKind::MacroCall => "macro call",
        SymbolKind::ExternBlock => "extern block",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hit() -> Hit {
        let reason = |detail: &str| Reason {
            signal: "text".to_owned(),
            weight: 0.5,
            detail: detail.to_owned(),
            source: "index".to_owned(),
        };
        Hit {
            path: "src/login\u{1b}.rs".to_owned(),
            lines: [3, 6],
            name: Some("Auth::login".to_owned()),
            kind: Some(SymbolKind::Method),
            rank: 1,
            score: 1.0,
            reasons: ["words: login", "", "c", "d"].map(reason).to_vec(),
            items: Vec::new(),
            files: Vec::new(),
            preview: "pub fn login(name: &str) -> bool".to_owned(),
        }
    }

    #[test]
    fn a_program_reads_one_line_a_hit() {
        let look = Look { width: None, color: false };
        let expected = "src/login\\u{1b}.rs:3-6: Auth::login (method): pub fn login(name: &str) -> bool [1.00: words: login; text; c]\n";
        assert_eq!(page(&[hit()], &look), expected);
        let plain = Hit { name: None, kind: None, ..hit() };
        assert!(page(&[plain], &look).starts_with("src/login\\u{1b}.rs:3-6: pub fn login"));
    }

    #[test]
    fn a_person_reads_two_that_fit_the_terminal() {
        let narrow = page(&[hit()], &Look { width: Some(44), color: false });
        let expected = "src/login\\u{1b}.rs:3-6  Auth::login (method)  1.00\n    pub fn login(name: &str) -… [words: log…\n";
        assert_eq!(narrow, expected);
        let colored = page(&[hit()], &Look { width: Some(100), color: true });
        assert!(
            colored.contains("\u{1b}[1mAuth::login\u{1b}[0m (method)  1.00\n    pub fn login"),
            "{colored}"
        );
    }
}
