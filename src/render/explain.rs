//! Why the pack is as it is, for a person: the plan in words, every file with its reasons, what was left out,
//! where the time went. It prints the pack's own data, nothing that is worked out a second time.

use super::visible::{one_line, sentence};
use super::why::line_list;
use crate::budget::{ContextPack, Dropped, Entry, Level};
use crate::model::{NoteLevel, Signal};
use crate::plan::{ContextPlan, Strategy};

/// How wide the table may be, and whether the terminal shows colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExplainOptions {
    /// Columns.
    pub width: usize,
    pub color: bool,
}

impl Default for ExplainOptions {
    fn default() -> ExplainOptions {
        ExplainOptions { width: 100, color: false }
    }
}

/// Left-out candidates that are listed before the rest is counted.
const DROPPED: usize = 15;
/// Keywords, names and ranges that a line lists.
const LISTED: usize = 12;
/// Narrower than this nothing fits; text then runs over.
const LEAST_WIDTH: usize = 60;
/// The width of the labels on the left.
const LABEL: usize = 11;
/// Columns of a row beside the path: rank, score, level, lines, tokens, and the spaces between.
const FIXED: usize = 4 + 1 + 6 + 2 + 2 + 8 + 2 + LINES + 2 + 6;
const LINES: usize = 16;
const LEAST_PATH: usize = 16;

/// The explanation as text; ends with a line end.
pub fn explain(pack: &ContextPack, options: &ExplainOptions) -> String {
    let mut page = Page { text: String::new(), width: options.width.max(LEAST_WIDTH), color: options.color };
    summary(&mut page, pack);
    files(&mut page, &pack.files);
    dropped(&mut page, &pack.dropped);
    timings(&mut page, &pack.timings);
    notes(&mut page, pack);
    page.text
}

struct Page {
    text: String,
    width: usize,
    color: bool,
}

impl Page {
    fn line(&mut self, line: &str) {
        self.text.push_str(line.trim_end());
        self.text.push('\n');
    }

    fn heading(&mut self, heading: &str) {
        self.text.push('\n');
        let styled = self.styled("1", heading);
        self.line(&styled);
    }

    /// `Label      value`, the value on more lines where it is long.
    fn field(&mut self, label: &str, value: &str) {
        let room = self.width - LABEL;
        for (n, part) in wrapped(value, room).into_iter().enumerate() {
            let label = format!("{:<LABEL$}", if n == 0 { label } else { "" });
            let line = format!("{}{part}", self.styled("1", &label));
            self.line(&line);
        }
    }

    /// `text` between the terminal's codes for a style, where there is colour.
    fn styled(&self, code: &str, text: &str) -> String {
        if self.color { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}

fn summary(page: &mut Page, pack: &ContextPack) {
    let task = sentence(&pack.query, page.width * 2);
    page.field("Task", &task);
    page.field("Plan", &in_words(&pack.plan));
    if !pack.plan.reasoning.is_empty() {
        page.field("", &sentence(&pack.plan.reasoning, page.width * 3));
    }
    let words: Vec<String> =
        pack.plan.keywords.iter().map(|k| format!("{} {:.2}", one_line(&k.word), k.weight)).collect();
    if !words.is_empty() {
        page.field("Words", &listed(&words));
    }
    page.field("Confidence", &format!("{:.2}", pack.confidence));
    let (budget, files, all) = (&pack.budget, pack.files.len(), pack.ranking.len());
    let used = format!("{} of {} tokens ({})", budget.used, budget.limit, one_line(&budget.tokenizer));
    page.field("Budget", &format!("{used}, {files} of {all} candidates"));
}

/// A plan in sentences: where is looked, for which words, and why.
pub fn plan_in_words(plan: &ContextPlan) -> Vec<String> {
    let words: Vec<String> = plan.keywords.iter().map(|keyword| one_line(&keyword.word)).collect();
    let mut sentences = vec![in_words(plan)];
    if !words.is_empty() {
        sentences.push(format!("words: {}", listed(&words)));
    }
    if !plan.reasoning.is_empty() {
        sentences.push(one_line(&plan.reasoning));
    }
    sentences
}

/// `focused on Auth::login; depth 2, without tests (heuristic)`.
fn in_words(plan: &ContextPlan) -> String {
    let (what, names) = match &plan.strategy {
        Strategy::Focused { symbols } => ("focused on", symbols.clone()),
        Strategy::Broad { patterns } => ("broad, over", patterns.clone()),
        Strategy::EntryPointBased { entry_files } => ("from the entry points", entry_files.clone()),
        Strategy::Semantic { top_k, .. } => ("by likeness, the best", vec![format!("{top_k} items")]),
    };
    let names: Vec<String> = names.iter().map(|name| one_line(name)).collect();
    let tests = if plan.include_tests { "with" } else { "without" };
    let mut words = format!("{what} {}; depth {}, {tests} tests", listed(&names), plan.max_depth);
    if !plan.file_patterns.is_empty() {
        let patterns: Vec<String> = plan.file_patterns.iter().map(|pattern| one_line(pattern)).collect();
        words.push_str(&format!(", files {}", listed(&patterns)));
    }
    format!("{words} ({})", one_line(&plan.source))
}

fn listed(names: &[String]) -> String {
    let mut list = names.iter().take(LISTED).cloned().collect::<Vec<_>>().join(", ");
    if let Some(rest) = names.len().checked_sub(LISTED).filter(|rest| *rest > 0) {
        list.push_str(&format!(" and {rest} more"));
    }
    list
}

fn files(page: &mut Page, files: &[Entry]) {
    if files.is_empty() {
        page.heading("No file is in the pack");
        return;
    }
    let longest = files.iter().map(|entry| one_line(&entry.path).chars().count()).max().unwrap_or(0);
    let room = page.width.saturating_sub(FIXED).max(LEAST_PATH);
    let path = longest.clamp("file".len(), room);
    let head = format!(
        "{:>4} {:>6}  {:<path$}  {:<8}  {:<LINES$}  {:>6}",
        "rank", "score", "file", "level", "lines", "tokens"
    );
    page.heading(&head);
    for entry in files {
        page.line(&row(entry, path));
        for reason in &entry.reasons {
            reason_line(page, reason);
        }
    }
}

fn row(entry: &Entry, path: usize) -> String {
    let lines = match entry.level {
        Level::Full => "all".to_owned(),
        Level::Mention => String::new(),
        Level::Ranges | Level::Skeleton => ranges_within(entry, LINES),
    };
    let name = tail(&one_line(&entry.path), path);
    format!(
        "{:>4} {:>6.3}  {name:<path$}  {:<8}  {:<LINES$}  {:>6}",
        entry.rank,
        entry.score,
        level(entry.level),
        lines,
        entry.tokens
    )
}

/// As many ranges as stand in `width` columns, and how many more there are.
fn ranges_within(entry: &Entry, width: usize) -> String {
    let lists = (1..=entry.ranges.len().min(LISTED)).rev().map(|most| line_list(&entry.ranges, most));
    let fitting = lists.into_iter().find(|list| list.len() <= width);
    fitting.unwrap_or_else(|| format!("{} ranges", entry.ranges.len()))
}

fn reason_line(page: &mut Page, reason: &Signal) {
    let detail = sentence(&reason.detail, page.width);
    let source = reason.source.name();
    let line = format!("     {:>+6.3}  {}: {detail} ({source})", reason.weight, reason.kind);
    let line = page.styled("2", &head(&line, page.width));
    page.line(&line);
}

fn dropped(page: &mut Page, dropped: &[Dropped]) {
    if dropped.is_empty() {
        return;
    }
    page.heading(&format!("Left out: {}", dropped.len()));
    for candidate in dropped.iter().take(DROPPED) {
        let (path, why) = (one_line(&candidate.path), sentence(&candidate.why, page.width));
        let line = format!("{:>4} {:>6.3}  {path}: {why}", candidate.rank, candidate.score);
        page.line(&head(&line, page.width));
    }
    if let Some(rest) = dropped.len().checked_sub(DROPPED).filter(|rest| *rest > 0) {
        page.line(&format!("     and {rest} more"));
    }
}

fn timings(page: &mut Page, timings: &[(&'static str, f64)]) {
    if timings.is_empty() {
        return;
    }
    page.text.push('\n');
    let stages: Vec<String> = timings.iter().map(|(stage, ms)| format!("{stage} {ms:.0} ms")).collect();
    page.field("Time", &stages.join(", "));
}

fn notes(page: &mut Page, pack: &ContextPack) {
    for note in &pack.notes {
        let label = match note.level {
            NoteLevel::Info => "Note",
            NoteLevel::Warning => "Warning",
        };
        page.field(label, &one_line(&note.text));
    }
}

fn level(level: Level) -> &'static str {
    match level {
        Level::Full => "full",
        Level::Ranges => "ranges",
        Level::Skeleton => "skeleton",
        Level::Mention => "mention",
    }
}

/// At most `max` characters of `text`, from its beginning.
fn head(text: &str, max: usize) -> String {
    if text.chars().count() <= max {
        return text.to_owned();
    }
    text.chars().take(max.saturating_sub(1)).chain(['…']).collect()
}

/// At most `max` characters of `text`, from its end: the end of a path tells most.
fn tail(text: &str, max: usize) -> String {
    let count = text.chars().count();
    if count <= max {
        return text.to_owned();
    }
    ['…'].into_iter().chain(text.chars().skip(count + 1 - max.max(1))).collect()
}

/// `text` in lines of at most `width` characters, broken at spaces where there are any. At least one line.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut used = 0;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if used > 0 && used + 1 + length > width {
            lines.push(String::new());
            used = 0;
        }
        if let Some(line) = lines.last_mut() {
            if used > 0 {
                line.push(' ');
                used += 1;
            }
            line.push_str(word);
            used += length;
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::super::testing::{entry, lines, pack, reason};
    use super::*;
    use crate::model::{LineRange, Note};
    use crate::plan::Keyword;

    fn check(pack: &ContextPack, width: usize, expect: Expect) {
        expect.assert_eq(&explain(pack, &ExplainOptions { width, color: false }));
    }

    fn full_pack() -> ContextPack {
        let mut first =
            entry("crates/authentication/src/providers/database/login.rs", vec![lines(10, "x\n")]);
        first.ranges = vec![LineRange::new(10, 42), LineRange::new(60, 61), LineRange::new(100, 140)];
        first.reasons = vec![reason(0.4, "defines Auth::login"), reason(-0.05, "a\u{1b}[2Jtest")];
        let mut second = entry("src/main.rs", vec![]);
        (second.rank, second.level) = (2, Level::Mention);
        let mut pack = pack("Fix the login", vec![first, second]);
        pack.plan.keywords = vec![Keyword { word: "login".to_owned(), weight: 1.0 }];
        pack.dropped = (3..20)
            .map(|rank| Dropped {
                path: format!("src/f{rank}.rs"),
                rank,
                score: 0.01,
                why: "over budget".to_owned(),
            })
            .collect();
        pack.notes = vec![Note::warning("history: the clone is shallow"), Note::info("1 file skipped")];
        pack
    }

    #[test]
    fn tells_plan_files_left_out_time_and_notes() {
        check(
            &full_pack(),
            90,
            expect![[r#"
                Task       Fix the login
                Plan       focused on Auth::login; depth 2, without tests (heuristic)
                           The task names a function.
                Words      login 1.00
                Confidence 0.82
                Budget     7990 of 8192 tokens (o200k_base), 2 of 2 candidates

                rank  score  file                                       level     lines             tokens
                   1  0.500  …tication/src/providers/database/login.rs  ranges    10-42, +2 more         7
                     +0.400  definition: defines Auth::login (graph)
                     -0.050  definition: a\u{1b}[2Jtest (graph)
                   2  0.500  src/main.rs                                mention                          7

                Left out: 17
                   3  0.010  src/f3.rs: over budget
                   4  0.010  src/f4.rs: over budget
                   5  0.010  src/f5.rs: over budget
                   6  0.010  src/f6.rs: over budget
                   7  0.010  src/f7.rs: over budget
                   8  0.010  src/f8.rs: over budget
                   9  0.010  src/f9.rs: over budget
                  10  0.010  src/f10.rs: over budget
                  11  0.010  src/f11.rs: over budget
                  12  0.010  src/f12.rs: over budget
                  13  0.010  src/f13.rs: over budget
                  14  0.010  src/f14.rs: over budget
                  15  0.010  src/f15.rs: over budget
                  16  0.010  src/f16.rs: over budget
                  17  0.010  src/f17.rs: over budget
                     and 2 more

                Time       plan 3 ms, total 350 ms
                Warning    history: the clone is shallow
                Note       1 file skipped
            "#]],
        );
    }

    #[test]
    fn an_empty_pack_says_so() {
        check(
            &pack("", vec![]),
            80,
            expect![[r#"
            Task
            Plan       focused on Auth::login; depth 2, without tests (heuristic)
                       The task names a function.
            Confidence 0.82
            Budget     7990 of 8192 tokens (o200k_base), 0 of 0 candidates

            No file is in the pack

            Time       plan 3 ms, total 350 ms
        "#]],
        );
    }

    #[test]
    fn stays_within_the_width() {
        for width in [60, 80, 120, 200] {
            let text = explain(&full_pack(), &ExplainOptions { width, color: false });
            let widest = text.lines().map(|line| line.chars().count()).max().unwrap_or(0);
            assert!(widest <= width.max(FIXED + LEAST_PATH), "{width}: {widest}\n{text}");
        }
    }

    #[test]
    fn colour_adds_codes_and_nothing_else() {
        let plain = explain(&full_pack(), &ExplainOptions { width: 90, color: false });
        let colored = explain(&full_pack(), &ExplainOptions { width: 90, color: true });
        let mut stripped = colored;
        for code in ["\u{1b}[1m", "\u{1b}[2m", "\u{1b}[0m"] {
            stripped = stripped.replace(code, "");
        }
        let trimmed: Vec<&str> = stripped.lines().map(str::trim_end).collect();
        assert_eq!(trimmed.join("\n"), plain.trim_end());
    }
}
