//! What kind of work a task asks for, how wide it is, how hard, and whether it is about tests.

use std::sync::LazyLock;

use regex::Regex;

use super::sections::{Line, Origin};
use super::{Action, Complexity, Entity, Frame, Keyword, QuotedPlace, Scope};
use crate::text::pattern;

/// The first line of a task as its words in lower case, without what is in front of the matter: `[Bug]`, `please`.
pub(super) struct Title {
    words: Vec<String>,
}

/// Words of a title that are looked at.
const LONGEST_TITLE: usize = 60;

const POLITENESS: &str =
    "please can could you we i i'd want wants to need should would like let's lets help me try hi hello";

impl Title {
    pub(super) fn of(lines: &[Line]) -> Title {
        let line = lines.iter().find(|line| line.origin == Origin::Title).or(lines.first());
        let text = line.map_or("", |line| line.text.trim_start());
        let tagged = text.strip_prefix('[').and_then(|rest| rest.split_once(']'));
        let text = tagged.map_or(text, |(_, rest)| rest);
        let words = text
            .split(|c: char| !(c.is_alphanumeric() || "-_'?:".contains(c)))
            .map(|word| word.trim_matches(['-', '_', '\'']).to_lowercase())
            .filter(|word| !word.is_empty())
            .take(LONGEST_TITLE)
            .skip_while(|word| is_among(word, POLITENESS))
            .collect();
        Title { words }
    }

    fn word(&self, at: usize) -> &str {
        self.words.get(at).map_or("", String::as_str)
    }

    fn has_any(&self, words: &str) -> bool {
        self.words.iter().any(|word| is_among(word, words))
    }
}

fn is_among(word: &str, words: &str) -> bool {
    words.split(' ').any(|one| one == word)
}

/// From the first verb of the title, then from what the text holds. `broke`: it has a panic or a backtrace.
pub(super) fn action(title: &Title, lines: &[Line], broke: bool) -> Action {
    let broke = broke || lines.iter().any(|line| line.origin == Origin::Message);
    match by_question(title).or_else(|| by_prefix(title)).or_else(|| by_verb(title)) {
        // "move occurs because …" is no order.
        Some(Action::Modify | Action::Refactor) if broke => Action::Debug,
        Some(action) => action,
        None if broke || title.has_any(TROUBLE) => Action::Debug,
        None => Action::Modify,
    }
}

const TROUBLE: &str = "error errors panic panics panicked panicking crash crashes bug fail fails failing failed failure broken breaks \
    wrong wrongly incorrect incorrectly invalid missing issue problem doesn't doesnt not can't cannot unable unexpected hang hangs \
    regression leak overflow overflows deadlock infinite never silently unsound";

/// `where is`, `which file`: search. `how does`, `why`, `what`: explain.
fn by_question(title: &Title) -> Option<Action> {
    let second = title.word(1);
    match title.word(0) {
        "where" if is_among(second, "is are does do did can should in to we the's") => Some(Action::Search),
        "which"
            if is_among(
                second,
                "file files module modules function functions method code crate type part",
            ) =>
        {
            Some(Action::Search)
        }
        "how" if is_among(second, "to do does is are can did") => Some(Action::Explain),
        "what" | "why" if is_among(second, "is are does do did happens") => Some(Action::Explain),
        _ => None,
    }
}

/// The kind of a conventional commit: `fix(parser): …`.
fn by_prefix(title: &Title) -> Option<Action> {
    // `feat:`, `feat(cli):`, `feat(cli)!:` are one to three words here.
    if !title.words.iter().take(3).any(|word| word.ends_with(':')) {
        return None;
    }
    match title.word(0).trim_end_matches(':') {
        "fix" | "bug" | "bugfix" | "hotfix" => Some(Action::Debug),
        "feat" | "feature" => Some(Action::Create),
        "refactor" | "cleanup" | "style" => Some(Action::Refactor),
        _ => None,
    }
}

const VERBS: [(&str, Action); 6] = [
    ("fix fixes fixed debug repair resolve correct prevent investigate diagnose solve", Action::Debug),
    (
        "add adds added implement implements create introduce support write build generate allow provide expose new",
        Action::Create,
    ),
    ("explain understand summarize summarise", Action::Explain),
    (
        "refactor rename move extract split simplify clean cleanup deduplicate inline restructure reorganize unify merge tidy",
        Action::Refactor,
    ),
    ("find locate grep", Action::Search),
    (
        "change update use make remove replace improve drop bump set switch migrate convert enable disable delete upgrade \
         extend adjust do don't document clarify",
        Action::Modify,
    ),
];

/// The first word, or the first after `crate:` in front, as a verb of one of the actions.
fn by_verb(title: &Title) -> Option<Action> {
    let at = title.words.iter().rposition(|word| word.ends_with(':')).map_or(0, |at| at + 1);
    let (verb, next) = (title.word(at), title.word(at + 1));
    match verb {
        "show" | "list" | "search" | "look" => {
            is_among(next, "me where all every the for which any").then_some(Action::Search)
        }
        "describe" | "tell" => is_among(next, "how what why me the").then_some(Action::Explain),
        _ => VERBS.iter().find(|(verbs, _)| is_among(verb, verbs)).map(|(_, action)| *action),
    }
}

static WIDE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i-u)\b(?:everywhere|throughout|code ?base|(?:project|workspace|repository|repo)-wide|across (?:all|the (?:project|workspace|repo|crate))|(?:all|every|each) (?:the )?(?:files?|crates?|modules?|packages?)|(?:entire|whole) (?:project|workspace|repository|crate))\b",
    )
});

pub(super) fn scope(lines: &[Line], entities: &[Entity], places: &[QuotedPlace], frames: &[Frame]) -> Scope {
    if lines.iter().any(|line| line.origin == Origin::Title && WIDE.is_match(line.text)) {
        return Scope::Codebase;
    }
    let pinned = entities.iter().any(|entity| entity.quoted) || !places.is_empty() || !frames.is_empty();
    if pinned { Scope::Focused } else { Scope::Module }
}

const FEW_KEYWORDS: usize = 10;
const FEW_ENTITIES: usize = 2;
const MANY_KEYWORDS: usize = 40;
const MANY_ENTITIES: usize = 5;

pub(super) fn complexity(
    action: Action,
    scope: Scope,
    keywords: &[Keyword],
    entities: &[Entity],
) -> Complexity {
    let many_entities = entities.len() > MANY_ENTITIES;
    match scope {
        Scope::Codebase => Complexity::Complex,
        _ if keywords.len() <= FEW_KEYWORDS && entities.len() <= FEW_ENTITIES => Complexity::Simple,
        _ if many_entities && (action == Action::Refactor || keywords.len() >= MANY_KEYWORDS) => {
            Complexity::Complex
        }
        _ => Complexity::Medium,
    }
}

static ASKS_FOR_TESTS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i-u)\b(?:add|adds|adding|write|extend|need|needs|missing|failing|flaky|unit|regression) (?:[a-z]+ ){0,3}tests?\b",
    )
});

/// The title speaks of tests, a sentence asks for them, or a path lies among them.
pub(super) fn wants_tests(title: &Title, lines: &[Line], places: &[QuotedPlace]) -> bool {
    title.has_any("test tests testing testcase testcases flaky")
        || lines.iter().any(|line| line.origin == Origin::Prose && ASKS_FOR_TESTS.is_match(line.text))
        || places.iter().any(|place| place.path.starts_with("tests/") || place.path.contains("/tests/"))
}

static SAYS_MANIFEST: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i-u)\b(?:dependenc(?:y|ies)|cargo\.toml|(?:cargo|crate) features?|feature (?:flag|gate)s?|msrv|rust-version|minimum supported rust|bump|upgrade)\b",
    )
});

/// A sentence speaks of what manifests say.
pub(super) fn wants_manifests(lines: &[Line]) -> bool {
    says(lines, &SAYS_MANIFEST)
}

static SAYS_DOCS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?i-u)\b(?:readme|docs|documentation|documented|docstrings?|book|changelog|guide|tutorial)\b")
});

/// A sentence speaks of documentation.
pub(super) fn wants_docs(lines: &[Line]) -> bool {
    says(lines, &SAYS_DOCS)
}

/// Whether the title or a sentence has the pattern.
fn says(lines: &[Line], pattern: &Regex) -> bool {
    let is_said = |line: &&Line| matches!(line.origin, Origin::Title | Origin::Prose);
    lines.iter().filter(is_said).any(|line| pattern.is_match(line.text))
}
