//! From what a model replied to a proposal: found among prose and fences, checked, bounded.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::model::Note;

use super::Offer;

/// Bytes of a reply that are looked at: a plan takes 2,000.
const LONGEST: usize = 256 * 1024;
/// Places where an object may begin that are tried.
const MOST_BEGINNINGS: usize = 64;
pub(super) const MOST_PATHS: usize = 10;
pub(super) const MOST_WORDS: usize = 12;
const MOST_PATTERNS: usize = 12;
/// Bytes of one word, name or pattern.
const LONGEST_WORD: usize = 128;
/// Characters of the reasoning.
const LONGEST_REASONING: usize = 300;
const DEEPEST: u32 = 3;

/// The fields of a plan; `strategy` and `source` may stand there and are not taken: the strategy follows from what is defined.
const FIELDS: [&str; 9] = [
    "shortlist",
    "keywords",
    "symbols_to_find",
    "file_patterns",
    "include_tests",
    "max_depth",
    "reasoning",
    "strategy",
    "source",
];

/// What a model proposes, checked: all lists are bounded, every path was offered.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Proposal {
    /// The most needed first.
    pub shortlist: Vec<String>,
    pub keywords: Vec<String>,
    pub symbols_to_find: Vec<String>,
    /// Globs over paths of the workspace, told with the plan: what is searched follows from the words and the shortlist.
    pub file_patterns: Vec<String>,
    pub include_tests: bool,
    pub max_depth: Option<u32>,
    pub reasoning: String,
    /// What of the reply was not taken.
    pub notes: Vec<Note>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Raw {
    shortlist: Vec<String>,
    keywords: Vec<String>,
    symbols_to_find: Vec<String>,
    file_patterns: Vec<String>,
    include_tests: Option<bool>,
    max_depth: Option<u32>,
    reasoning: Option<String>,
}

/// Reads a reply; in words, why it is no plan.
pub(super) fn read(reply: &str, offer: &Offer) -> Result<Proposal, String> {
    if reply.len() > LONGEST {
        return Err(format!("it has {} bytes", reply.len()));
    }
    // What a model thinks aloud may hold drafts.
    let said = reply.rsplit("</think>").next().unwrap_or(reply);
    let object = object(said)?;
    let unknown: Vec<&str> = object.keys().map(String::as_str).filter(|key| !FIELDS.contains(key)).collect();
    let mut notes = Vec::new();
    if !unknown.is_empty() {
        notes.push(Note::info(format!("the planner's unknown fields are ignored: {}", shown(&unknown))));
    }
    let raw: Raw = serde_json::from_value(Value::Object(object)).map_err(|error| error.to_string())?;
    let (shortlist, refused) = shortlist(&raw.shortlist, offer);
    if refused > 0 {
        notes.push(Note::warning(format!(
            "{refused} of the {} paths that the planner names were not offered: refused",
            raw.shortlist.len()
        )));
    }
    let proposal = Proposal {
        shortlist,
        keywords: words(raw.keywords, MOST_WORDS),
        symbols_to_find: words(raw.symbols_to_find, MOST_WORDS),
        file_patterns: words(raw.file_patterns, MOST_PATTERNS)
            .into_iter()
            .filter(|it| is_inside(it))
            .collect(),
        include_tests: raw.include_tests.unwrap_or(false),
        max_depth: raw.max_depth.map(|depth| depth.clamp(1, DEEPEST)),
        reasoning: line(raw.reasoning.unwrap_or_default()),
        notes,
    };
    match proposal.shortlist.is_empty() && proposal.keywords.is_empty() && proposal.symbols_to_find.is_empty()
    {
        true => Err("it proposes nothing that is here".to_owned()),
        false => Ok(proposal),
    }
}

/// The first JSON object that has a field of a plan.
fn object(said: &str) -> Result<Map<String, Value>, String> {
    let beginnings = said.match_indices('{').take(MOST_BEGINNINGS);
    let objects = beginnings.filter_map(|(start, _)| {
        let mut values = serde_json::Deserializer::from_str(&said[start..]).into_iter::<Value>();
        match values.next() {
            Some(Ok(Value::Object(object))) => Some(object),
            _ => None,
        }
    });
    let mut plans = objects.filter(|object| FIELDS.iter().any(|field| object.contains_key(*field)));
    plans.next().ok_or_else(|| "no JSON object with the fields of a plan".to_owned())
}

/// The offered ones among the paths, each once; and how many were not offered.
fn shortlist(paths: &[String], offer: &Offer) -> (Vec<String>, usize) {
    let (mut taken, mut refused) = (Vec::<String>::new(), 0);
    for path in paths {
        let plain = path.trim().trim_start_matches("./").replace('\\', "/");
        match offer.candidates.iter().any(|offered| offered.path == plain) {
            false => refused += 1,
            true if taken.contains(&plain) || taken.len() == MOST_PATHS => {}
            true => taken.push(plain),
        }
    }
    (taken, refused)
}

/// The words that can be searched for, each once.
fn words(words: Vec<String>, most: usize) -> Vec<String> {
    let mut taken: Vec<String> = Vec::new();
    for word in words.iter().map(|word| word.trim().trim_end_matches("()")) {
        let is_word = !word.is_empty() && word.len() <= LONGEST_WORD && !word.contains(char::is_control);
        if is_word && taken.len() < most && taken.iter().all(|known| known != word) {
            taken.push(word.to_owned());
        }
    }
    taken
}

fn is_inside(pattern: &str) -> bool {
    !pattern.starts_with(['/', '~']) && !pattern.contains("..") && !pattern.contains(':')
}

fn line(text: String) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().take(LONGEST_REASONING).collect()
}

fn shown(names: &[&str]) -> String {
    const MOST: usize = 5;
    let some: Vec<String> = names.iter().take(MOST).map(|name| name.chars().take(40).collect()).collect();
    some.join(", ")
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use proptest::prelude::*;

    use super::super::Offered;
    use super::*;
    use crate::plan::Action;

    fn offer() -> Offer {
        let candidates = ["src/login.rs", "src/basket.rs", "src/lib.rs"];
        let offered = |path: &&str| Offered { path: (*path).to_owned(), names: Vec::new() };
        Offer {
            task: "Fix the login".to_owned(),
            action: Action::Debug,
            candidates: candidates.iter().map(offered).collect(),
        }
    }

    fn check(reply: &str, expect: Expect) {
        let told = match read(reply, &offer()) {
            Err(why) => format!("refused: {why}"),
            Ok(proposal) => {
                let notes: Vec<String> = proposal.notes.iter().map(|note| note.text.clone()).collect();
                let Proposal { shortlist, keywords, symbols_to_find, file_patterns, .. } = proposal;
                format!("{shortlist:?} {keywords:?} {symbols_to_find:?} {file_patterns:?} {notes:?}")
            }
        };
        expect.assert_eq(&told);
    }

    #[test]
    fn a_plan_is_found_in_any_wrapping() {
        let plan = r#"{"shortlist": ["src/login.rs"], "keywords": ["session"]}"#;
        let wrapped = [
            plan.to_owned(),
            format!("Here is the plan:\n```json\n{plan}\n```\nGood luck!"),
            format!("<think>{{\"shortlist\": [\"src/lib.rs\"]}}</think>{plan}"),
            format!("I'd call `f {{ x }}` first. {plan} {{"),
            format!("[{plan}]"),
        ];
        for reply in wrapped {
            check(&reply, expect![[r#"["src/login.rs"] ["session"] [] [] []"#]]);
        }
    }

    #[test]
    fn what_is_no_plan_is_refused() {
        check("", expect!["refused: no JSON object with the fields of a plan"]);
        check(
            "J'ouvrirais src/login.rs, puis src/basket.rs.",
            expect!["refused: no JSON object with the fields of a plan"],
        );
        check(r#"{"shortlist": ["src/log"#, expect!["refused: no JSON object with the fields of a plan"]);
        check(r#"["src/login.rs"]"#, expect!["refused: no JSON object with the fields of a plan"]);
        check(r#"{"files": ["src/login.rs"]}"#, expect!["refused: no JSON object with the fields of a plan"]);
        check(
            r#"{"shortlist": "src/login.rs"}"#,
            expect![[r#"refused: invalid type: string "src/login.rs", expected a sequence"#]],
        );
        check(r#"{"keywords": [1, 2]}"#, expect!["refused: invalid type: integer `1`, expected a string"]);
        check(r#"{"shortlist": []}"#, expect!["refused: it proposes nothing that is here"]);
        check(&"{".repeat(200_000), expect!["refused: no JSON object with the fields of a plan"]);
        check(&"x".repeat(10_000_000), expect!["refused: it has 10000000 bytes"]);
    }

    #[test]
    fn only_what_was_offered_is_taken() {
        check(
            r#"{"shortlist": ["/etc/passwd", "../src/login.rs", "src/../src/login.rs", "./src/login.rs", "src\\login.rs", "src/Login.rs", ".env"],
                "file_patterns": ["/etc/**", "../**", "src/**/*.rs", "~/x", "c:/x"], "keywords": ["a", "a", " ", "b()"], "color": 1}"#,
            expect![[
                r#"["src/login.rs"] ["a", "b"] [] ["src/**/*.rs"] ["the planner's unknown fields are ignored: color", "5 of the 7 paths that the planner names were not offered: refused"]"#
            ]],
        );
    }

    proptest! {
        #[test]
        fn any_reply_gives_only_what_is_bounded(reply in r#"[{}\[\]":,a-z/. ]{0,80}"#, paths: Vec<String>) {
            let plan = serde_json::json!({ "shortlist": paths, "keywords": paths, "symbols_to_find": paths }).to_string();
            for reply in [reply, plan] {
                if let Ok(proposal) = read(&reply, &offer()) {
                    prop_assert!(proposal.shortlist.len() <= MOST_PATHS && proposal.keywords.len() <= MOST_WORDS);
                    prop_assert!(proposal.shortlist.iter().all(|path| offer().candidates.iter().any(|it| it.path == *path)));
                }
            }
        }
    }
}
