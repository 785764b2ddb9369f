//! The pieces between spaces and brackets of one line, each with how it is marked: the smallest thing that can be a
//! word, a name, a path, a flag, a version or a link.

use super::sections::{Line, Origin};

/// One piece of a line, without the punctuation around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Chunk<'t> {
    pub text: &'t str,
    pub origin: Origin,
    /// Between back-ticks.
    pub ticked: bool,
    /// All that stands between its back-ticks, but for punctuation: `` `Router::nest` ``, not a command.
    pub alone: bool,
    /// `(` follows at once.
    pub called: bool,
    /// `!` follows at once, and then a bracket or the end of the back-ticks: a macro.
    pub banged: bool,
    /// Only a space stands between it and the piece before.
    pub spaced: bool,
    /// Nothing but spaces and opening marks stands before it in its sentence.
    pub leading: bool,
    /// Most words of the line begin with a capital, as in some headlines: capitals say nothing.
    pub headline: bool,
    /// `struct`, `fn` … stands before it: the name is defined here.
    pub defined: bool,
}

const KEYWORDS_OF_DEFINITIONS: [&str; 9] =
    ["fn", "struct", "enum", "trait", "type", "mod", "union", "const", "static"];

pub(super) fn chunks<'t>(line: &Line<'t>) -> impl Iterator<Item = Chunk<'t>> {
    let headline = is_headline(line.text);
    Chunks { headline, rest: line.text, origin: line.origin, span: None, leading: true, before: "", gap: 0 }
}

struct Chunks<'t> {
    rest: &'t str,
    origin: Origin,
    headline: bool,
    /// What stands between the back-ticks that were opened.
    span: Option<&'t str>,
    leading: bool,
    before: &'t str,
    /// Characters since the piece before; more than one space counts as that many.
    gap: usize,
}

impl<'t> Iterator for Chunks<'t> {
    type Item = Chunk<'t>;

    fn next(&mut self) -> Option<Chunk<'t>> {
        loop {
            let first = self.rest.chars().next()?;
            if !is_inside(first) {
                self.skip(first)?;
                continue;
            }
            let (whole, tail) = self.rest.split_at(end_of_chunk(self.rest));
            self.rest = tail;
            let text = trim(whole);
            if text.is_empty() {
                self.leading |= ends_sentence(whole);
                self.gap += whole.len();
                continue;
            }
            let chunk = self.chunk(text, whole);
            (self.leading, self.before, self.gap) = (ends_sentence(whole), text, 0);
            return Some(chunk);
        }
    }
}

impl<'t> Chunks<'t> {
    /// Goes over a character that is part of no piece.
    fn skip(&mut self, first: char) -> Option<()> {
        self.rest = self.rest.get(first.len_utf8()..)?;
        self.gap += if first == ' ' { 1 } else { MARK };
        if first == '`' && !self.rest.starts_with('`') {
            self.span = if self.span.is_some() { None } else { self.rest.split('`').next() };
        }
        Some(())
    }

    fn chunk(&self, text: &'t str, whole: &str) -> Chunk<'t> {
        Chunk {
            text,
            origin: self.origin,
            ticked: self.span.is_some(),
            alone: self.span.is_some_and(|span| !span.trim().contains(char::is_whitespace)),
            called: self.rest.starts_with('(') && whole.ends_with(text),
            banged: whole.ends_with('!') && self.rest.starts_with(['(', '[', '{', '`']),
            spaced: self.gap == 1 && !self.leading,
            leading: self.leading,
            headline: self.headline,
            defined: KEYWORDS_OF_DEFINITIONS.contains(&self.before),
        }
    }
}

/// Of the words behind the first, more than half with a capital; in lines of a few words there is no telling.
fn is_headline(line: &str) -> bool {
    let words = line.split_whitespace().skip(1).filter(|word| word.len() >= SHORTEST_CAPITALIZED);
    let (mut all, mut capitalized) = (0, 0);
    for word in words.take(LONGEST_HEADLINE) {
        all += 1;
        capitalized += usize::from(word.starts_with(char::is_uppercase));
    }
    all >= SHORTEST_HEADLINE && 2 * capitalized > all
}

/// Headlines leave shorter words small.
const SHORTEST_CAPITALIZED: usize = 4;
/// Words of a headline behind its first: at least, and looked at.
const SHORTEST_HEADLINE: usize = 3;
const LONGEST_HEADLINE: usize = 30;

/// The gap that a mark of punctuation makes: words on its sides are no neighbours.
const MARK: usize = 2;

/// Links may hold what else ends a piece.
fn end_of_chunk(rest: &str) -> usize {
    let is_link = rest.starts_with("http://") || rest.starts_with("https://");
    let ends = |c: char| if is_link { c.is_whitespace() || "()<>[]\"`'".contains(c) } else { !is_inside(c) };
    rest.find(ends).unwrap_or(rest.len())
}

fn is_inside(c: char) -> bool {
    c.is_alphanumeric() || "_.:/\\-@#!~+$%*?".contains(c)
}

/// Without the punctuation of the sentence and the marks of emphasis around it.
fn trim(chunk: &str) -> &str {
    chunk
        .trim_end_matches(|c: char| ".:!?-*~/\\+".contains(c) && !keeps_slash(chunk, c))
        .trim_start_matches(|c: char| "*?!:+~%$".contains(c) || (c == '#' && !is_reference(chunk)))
}

/// `#1234`.
fn is_reference(chunk: &str) -> bool {
    chunk.strip_prefix('#').is_some_and(|number| number.starts_with(|c: char| c.is_ascii_digit()))
}

/// `src/auth/` is a folder; a lone `/` is none.
fn keeps_slash(chunk: &str, c: char) -> bool {
    c == '/' && chunk.len() > 2 && chunk.ends_with('/')
}

fn ends_sentence(whole: &str) -> bool {
    whole.ends_with(['.', '!', '?', ':', '-', '*', '#'])
}
