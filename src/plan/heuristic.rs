//! The plan that rules make of an intent: what to look for, how far to go, and in which way. It serves where no model is, or
//! none that gives a valid answer.

use super::abbreviations::kin;
use super::keywords::TALK;
use super::{Action, Complexity, ContextPlan, Entity, Keyword, QueryIntent, Scope, Strategy};
use crate::text::{normalize, split_identifier};

/// What the plan must know of the workspace: the graph and the index answer.
pub trait PlanFacts {
    /// How many items the workspace defines under the last part of this path, below the parts before it.
    fn definitions(&self, path: &[String]) -> u32;
    /// Paths of files that have this lower-case word (in any form that [`normalize`] makes equal) as one of the words of a
    /// name, their folders' or their own, best first, at most `limit`.
    fn paths_with_word(&self, word: &str, limit: usize) -> Vec<String>;
    /// Where programs and libraries of the workspace begin (`src/main.rs`, `src/lib.rs`), best first.
    fn entry_files(&self) -> Vec<String>;
}

/// The plan of an intent. The same intent and facts give the same plan.
pub fn plan(intent: &QueryIntent, facts: &dyn PlanFacts) -> ContextPlan {
    let symbols = symbols(intent, facts);
    let patterns = patterns(intent, facts);
    let (strategy, why) = strategy(intent, &symbols, &patterns, facts);
    ContextPlan {
        keywords: intent.keywords.iter().take(MOST_KEYWORDS).cloned().collect(),
        include_tests: intent.wants_tests,
        max_depth: depth(intent),
        reasoning: why,
        strategy,
        symbols_to_find: symbols,
        file_patterns: patterns,
        shortlist: Vec::new(),
        shortlist_beliefs: Vec::new(),
        source: HEURISTIC.to_owned(),
    }
}

/// The source of plans that rules make.
pub const HEURISTIC: &str = "heuristic";
const MOST_KEYWORDS: usize = 48;
const MOST_SYMBOLS: usize = 12;
const MOST_PATTERNS: usize = 12;
const MOST_ENTRY_FILES: usize = 8;
/// A name that so many items bear pins nothing down, unless the task marks it as code.
const TOO_COMMON: u32 = 12;
/// Related items of a semantic search, by how hard the task is.
const TOP_K: [(Complexity, u32); 3] =
    [(Complexity::Simple, 20), (Complexity::Medium, 30), (Complexity::Complex, 50)];

/// Names of the task that the workspace defines.
fn symbols(intent: &QueryIntent, facts: &dyn PlanFacts) -> Vec<String> {
    let mut symbols: Vec<String> = Vec::new();
    // Of an item that is not there yet (`Add Config::contains_key`) the type that it is to belong to.
    let known = |entity: &Entity| {
        let owner = entity.path.split_last().map(|(_, owner)| owner);
        let owner =
            owner.filter(|owner| owner.last().is_some_and(|name| name.starts_with(char::is_uppercase)));
        let paths = [Some(entity.path.as_slice()), owner].into_iter().flatten();
        let (path, count) =
            paths.map(|path| (path, facts.definitions(path))).find(|(_, count)| *count > 0)?;
        (entity.quoted || count <= TOO_COMMON).then(|| path.join("::"))
    };
    let frames = intent
        .backtrace
        .iter()
        .filter(|frame| !frame.function.is_empty())
        .map(|frame| frame.function.clone());
    for symbol in intent.entities.iter().filter_map(known).chain(frames.filter(|function| {
        facts.definitions(&function.split("::").map(str::to_owned).collect::<Vec<_>>()) > 0
    })) {
        if symbols.len() < MOST_SYMBOLS && !symbols.contains(&symbol) {
            symbols.push(symbol);
        }
    }
    symbols
}

/// Globs for the places that the task quotes, and for folders and files named like its best words, or like the
/// abbreviations of those.
fn patterns(intent: &QueryIntent, facts: &dyn PlanFacts) -> Vec<String> {
    let quoted = intent.places.iter().map(|place| quoted_pattern(&place.path));
    let subjects = intent.keywords.iter().filter(|keyword| is_subject(keyword)).take(MOST_NAMING_WORDS);
    let words = subjects
        .flat_map(|keyword| [keyword.word.as_str()].into_iter().chain(kin(&keyword.word).iter().copied()));
    let named = words.flat_map(|word| named_patterns(word, facts));
    let mut patterns: Vec<String> = Vec::new();
    for pattern in quoted.chain(named) {
        if patterns.len() < MOST_PATTERNS && !patterns.contains(&pattern) {
            patterns.push(pattern);
        }
    }
    patterns
}

/// A path as the end of a workspace's path; of one on somebody else's machine its last names.
fn quoted_pattern(path: &str) -> String {
    let is_absolute = path.starts_with(['/', '~']) || path.get(1..2) == Some(":");
    let names: Vec<&str> = path.split('/').filter(|name| !name.is_empty()).collect();
    let kept = if is_absolute { names.len().min(NAMES_OF_ABSOLUTE) } else { names.len() };
    let path = names.get(names.len() - kept..).unwrap_or(&[]).join("/");
    let is_file = names.last().is_some_and(|name| name.contains('.'));
    if is_file { format!("**/{path}") } else { format!("**/{path}/**") }
}

/// Names of an absolute path that are looked for here: `src/a.rs`.
const NAMES_OF_ABSOLUTE: usize = 2;

/// Globs for the folders and files that have a word in their name, if these are few.
fn named_patterns(word: &str, facts: &dyn PlanFacts) -> Vec<String> {
    let paths = facts.paths_with_word(word, MOST_PATHS_OF_A_NAME + 1);
    if paths.len() > MOST_PATHS_OF_A_NAME {
        return Vec::new();
    }
    paths.iter().filter_map(|path| named_pattern(path, word)).collect()
}

/// The outermost name of a path that has the word: `**/auth/**` of `src/auth/token.rs`.
fn named_pattern(path: &str, word: &str) -> Option<String> {
    let has = |name: &&str| split_identifier(name).iter().any(|part| normalize(part) == normalize(word));
    let names: Vec<&str> = path.split('/').collect();
    let at = names.iter().position(has)?;
    let name = names.get(at)?;
    Some(if at + 1 == names.len() { format!("**/{name}") } else { format!("**/{name}/**") })
}

/// Words of the task that are tried as names of files.
const MOST_NAMING_WORDS: usize = 6;
/// A word in more paths than these names no module.
const MOST_PATHS_OF_A_NAME: usize = 12;

/// A word of the title, or marked as code.
fn is_subject(keyword: &Keyword) -> bool {
    keyword.weight >= SUBJECT && keyword.word.chars().count() >= SHORTEST_SUBJECT
}

/// More than the words that issues are written with.
fn says_something(keyword: &Keyword) -> bool {
    keyword.weight > TALK
}

/// The weight of a title's word.
const SUBJECT: f64 = 1.0;
const SHORTEST_SUBJECT: usize = 3;

/// How to search, and why in one sentence.
fn strategy(
    intent: &QueryIntent,
    symbols: &[String],
    patterns: &[String],
    facts: &dyn PlanFacts,
) -> (Strategy, String) {
    if !symbols.is_empty() && intent.scope != Scope::Codebase {
        let why = format!(
            "The task names {}, which the workspace defines: look at it, what it uses and what uses it.",
            listed(symbols)
        );
        return (Strategy::Focused { symbols: symbols.to_vec() }, why);
    }
    if !intent.keywords.iter().any(says_something) && patterns.is_empty() {
        let entry_files: Vec<String> = facts.entry_files().into_iter().take(MOST_ENTRY_FILES).collect();
        let why =
            "The task names nothing to hold on to: start where the programs and libraries begin.".to_owned();
        return (Strategy::EntryPointBased { entry_files }, why);
    }
    let asks = matches!(intent.action, Action::Search | Action::Explain);
    if !asks && !patterns.is_empty() {
        let why = format!(
            "The task is about a part of the workspace whose files are named {}: look at them and what belongs to them.",
            listed(patterns)
        );
        return (Strategy::Broad { patterns: patterns.to_vec() }, why);
    }
    let query = intent
        .keywords
        .iter()
        .take(WORDS_OF_QUERY)
        .map(|keyword| keyword.word.as_str())
        .collect::<Vec<_>>()
        .join(" ");
    let why = match asks {
        true => format!(
            "The task asks where or how something is done: look for the items closest to \"{query}\"."
        ),
        false => format!(
            "The task names no item or module of this workspace: look for the items closest to \"{query}\"."
        ),
    };
    let top_k =
        TOP_K.iter().find(|(complexity, _)| *complexity == intent.complexity).map_or(TOP_K[1].1, |(_, k)| *k);
    (Strategy::Semantic { query, top_k }, why)
}

/// Words of a semantic query: the best ones.
const WORDS_OF_QUERY: usize = 12;

/// Steps of the graph: few for a question about one thing, more where much changes.
fn depth(intent: &QueryIntent) -> u32 {
    match (intent.action, intent.complexity) {
        (Action::Search, _) | (_, Complexity::Simple) => 1,
        (Action::Refactor, _) | (_, Complexity::Complex) => 3,
        _ => 2,
    }
}

/// `a`, `a and b`, `a, b and 3 more`.
fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => format!("`{one}`"),
        [one, two] => format!("`{one}` and `{two}`"),
        [one, two, rest @ ..] => format!("`{one}`, `{two}` and {} more", rest.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::analyze;
    use super::*;

    /// A workspace that defines `UserService::find_by_email` and `Router` and has an `auth` folder.
    struct Facts;

    impl PlanFacts for Facts {
        fn definitions(&self, path: &[String]) -> u32 {
            match path.last().map(String::as_str) {
                Some("find_by_email" | "Router" | "UserService") => 1,
                Some("new") => 90,
                _ => 0,
            }
        }

        fn paths_with_word(&self, word: &str, limit: usize) -> Vec<String> {
            let paths = ["src/auth/mod.rs", "src/auth/token.rs"];
            paths
                .iter()
                .filter(|path| path.contains(word))
                .take(limit)
                .map(|path| (*path).to_owned())
                .collect()
        }

        fn entry_files(&self) -> Vec<String> {
            vec!["src/main.rs".into()]
        }
    }

    fn planned(query: &str) -> ContextPlan {
        plan(&analyze(query), &Facts)
    }

    #[test]
    fn an_item_that_the_workspace_defines_is_focused_on() {
        let plan = planned("Fix the bug in UserService.find_by_email");
        assert_eq!(plan.strategy, Strategy::Focused { symbols: vec!["UserService::find_by_email".into()] });
        assert_eq!(plan.symbols_to_find, ["UserService::find_by_email"]);
        assert_eq!(plan.source, "heuristic");
    }

    #[test]
    fn a_frame_that_the_workspace_defines_is_focused_on() {
        let plan = planned(
            "It dies\n   3: app::users::UserService::find_by_email\n             at src/users.rs:10:5\n",
        );
        assert_eq!(
            plan.strategy,
            Strategy::Focused { symbols: vec!["app::users::UserService::find_by_email".into()] }
        );
    }

    #[test]
    fn names_of_everything_pin_nothing_down() {
        assert!(planned("TypeScript new_thing and new").symbols_to_find.is_empty());
    }

    #[test]
    fn questions_are_semantic() {
        for query in ["Where is the login checked?", "How does auth expire tokens"] {
            assert!(matches!(planned(query).strategy, Strategy::Semantic { .. }), "{query}");
        }
    }

    #[test]
    fn a_module_is_broad() {
        let plan = planned("Implement auth");
        assert_eq!(plan.strategy, Strategy::Broad { patterns: vec!["**/auth/**".into()] });
        assert_eq!(planned("Implement authentication").file_patterns, ["**/auth/**"]);
        let plan = planned("Clean up src/net/ and a.rs");
        assert_eq!(
            plan.strategy,
            Strategy::Broad { patterns: vec!["**/src/net/**".into(), "**/a.rs".into()] }
        );
    }

    #[test]
    fn words_without_a_module_are_semantic() {
        let plan = planned("Colour the output");
        assert_eq!(plan.strategy, Strategy::Semantic { query: "colour output".into(), top_k: 20 });
    }

    #[test]
    fn nothing_to_hold_on_to_starts_at_the_entry_points() {
        for query in ["", "please fix it", "make it work", "!!!"] {
            let expected = Strategy::EntryPointBased { entry_files: vec!["src/main.rs".into()] };
            assert_eq!(planned(query).strategy, expected, "{query}");
        }
    }

    #[test]
    fn depth_grows_with_the_work() {
        assert_eq!(planned("Fix `Router`").max_depth, 1);
        assert_eq!(planned("Rename Router everywhere").max_depth, 3);
    }

    #[test]
    fn every_plan_says_why_in_one_sentence() {
        for query in ["", "Fix `Router`", "Implement auth", "Where is it?", "Colour the output"] {
            let why = planned(query).reasoning;
            assert!(why.ends_with('.') && why.matches(". ").count() == 0, "{query}: {why}");
        }
    }

    #[test]
    fn every_field_is_bounded() {
        let query: String = (0..500).map(|n| format!("`Router::m{n}` in src/f{n}.rs and word{n} ")).collect();
        let plan = planned(&query);
        assert!(plan.keywords.len() <= MOST_KEYWORDS && plan.symbols_to_find.len() <= MOST_SYMBOLS);
        assert!(plan.file_patterns.len() <= MOST_PATTERNS && plan.shortlist.is_empty());
    }
}
