//! JSON: the public contract of a pack, version 1. `docs/pack.schema.json` is its schema. Fields may be added,
//! never change their meaning.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::visible::json_escaped;
use super::{RenderOptions, body};
use crate::budget::{BudgetUse, ContextPack, Dropped, Entry, Freshness, Level};
use crate::lsp::ServerStatus;
use crate::model::{LineRange, Note, Signal};
use crate::plan::{Action, Complexity, ContextPlan, Entity, Frame, Keyword, QueryIntent, QuotedPlace, Scope};

const VERSION: u32 = 1;
/// Digits behind the point that a score keeps: the rest is noise of the arithmetic.
const SCORE_STEPS: f64 = 10_000.0;
const MILLISECOND_STEPS: f64 = 10.0;

pub(super) fn pack(pack: &ContextPack, options: &RenderOptions) -> String {
    let ContextPack {
        query,
        workspace,
        intent,
        plan,
        confidence,
        files,
        dropped,
        ranking,
        budget,
        language_server,
        freshness,
        notes,
        timings,
    } = pack;
    line(&Pack {
        version: VERSION,
        query,
        workspace,
        intent: Intent::of(intent),
        plan,
        confidence: rounded(*confidence, SCORE_STEPS),
        files: files.iter().map(|entry| file(entry, options)).collect(),
        dropped: dropped
            .iter()
            .map(|d| Dropped { score: rounded(d.score, SCORE_STEPS), ..d.clone() })
            .collect(),
        ranking,
        budget,
        language_server,
        freshness,
        notes,
        timings_ms: Timings(timings),
    })
}

pub(super) fn entry(entry: &Entry, options: &RenderOptions) -> String {
    line(&file(entry, options))
}

/// One line. Plain data with names for keys serializes always: there is no error to tell.
fn line(value: &impl Serialize) -> String {
    let json = serde_json::to_string(value).unwrap_or_default();
    json_escaped(&json).into_owned() + "\n"
}

#[derive(Serialize)]
struct Pack<'a> {
    version: u32,
    query: &'a str,
    workspace: &'a str,
    intent: Intent<'a>,
    plan: &'a ContextPlan,
    confidence: f64,
    files: Vec<File<'a>>,
    dropped: Vec<Dropped>,
    ranking: &'a [String],
    budget: &'a BudgetUse,
    language_server: &'a ServerStatus,
    freshness: &'a Freshness,
    notes: &'a [Note],
    timings_ms: Timings<'a>,
}

/// What of the query's analysis is promised to others; the analyzer may know more.
#[derive(Serialize)]
struct Intent<'a> {
    action: Action,
    keywords: &'a [Keyword],
    entities: &'a [Entity],
    places: &'a [QuotedPlace],
    backtrace: &'a [Frame],
    scope: Scope,
    complexity: Complexity,
    wants_tests: bool,
}

impl Intent<'_> {
    fn of(intent: &QueryIntent) -> Intent<'_> {
        Intent {
            action: intent.action,
            keywords: &intent.keywords,
            entities: &intent.entities,
            places: &intent.places,
            backtrace: &intent.backtrace,
            scope: intent.scope,
            complexity: intent.complexity,
            wants_tests: intent.wants_tests,
        }
    }
}

#[derive(Serialize)]
struct File<'a> {
    path: &'a str,
    rank: u32,
    score: f64,
    level: Level,
    ranges: &'a [LineRange],
    tokens: u32,
    reasons: Vec<Signal>,
    /// The text of the entry; `null` where none is shown.
    content: Option<String>,
}

fn file<'a>(entry: &'a Entry, options: &RenderOptions) -> File<'a> {
    let shown = options.content && !entry.chunks.is_empty();
    let rounded_weight =
        |reason: &Signal| Signal { weight: rounded(reason.weight, SCORE_STEPS), ..reason.clone() };
    File {
        path: &entry.path,
        rank: entry.rank,
        score: rounded(entry.score, SCORE_STEPS),
        level: entry.level,
        ranges: &entry.ranges,
        tokens: entry.tokens,
        reasons: entry.reasons.iter().map(rounded_weight).collect(),
        content: shown.then(|| body::text(entry, options.line_numbers)),
    }
}

/// A map in the order of the stages.
struct Timings<'a>(&'a [(&'static str, f64)]);

impl Serialize for Timings<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (stage, milliseconds) in self.0 {
            map.serialize_entry(stage, &rounded(*milliseconds, MILLISECOND_STEPS))?;
        }
        map.end()
    }
}

fn rounded(value: f64, steps: f64) -> f64 {
    (value * steps).round() / steps
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::super::testing::{awkward, entry as an_entry, gap, lines, pack as a_pack, reason};
    use super::super::{Format, render};
    use super::*;
    use crate::model::Note;
    use crate::plan::Strategy;

    const JSON: RenderOptions = RenderOptions { format: Format::Json, line_numbers: false, content: true };

    fn parsed(pack: &ContextPack, options: &RenderOptions) -> Value {
        serde_json::from_str(&render(pack, options)).unwrap()
    }

    /// A pack in which no list is empty.
    fn full_pack() -> ContextPack {
        let mut mention = an_entry("b.rs", vec![]);
        mention.reasons = vec![reason(0.1 + 0.2, "r")];
        let mut pack = a_pack("q", vec![awkward(), mention]);
        pack.dropped = vec![Dropped { path: "c.rs".into(), rank: 3, score: 0.1, why: "over budget".into() }];
        pack.notes = vec![Note::warning("w")];
        let keyword = Keyword { word: "w".into(), weight: 1.0 };
        pack.intent.keywords.push(keyword.clone());
        pack.intent.entities.push(Entity { text: "A::b".into(), path: vec!["A".into()], quoted: true });
        pack.intent.places.push(QuotedPlace { path: "p".into(), line: None });
        pack.intent.backtrace.push(Frame { function: "f".into(), path: None, line: Some(1) });
        pack.plan.keywords.push(keyword);
        pack
    }

    #[test]
    fn the_schema_fits_what_is_printed() {
        let schema: Value = serde_json::from_str(include_str!("../../docs/pack.schema.json")).unwrap();
        let strategies = [
            Strategy::Focused { symbols: vec!["s".into()] },
            Strategy::Broad { patterns: vec!["s".into()] },
            Strategy::EntryPointBased { entry_files: vec!["s".into()] },
            Strategy::Semantic { query: "q".into(), top_k: 3 },
        ];
        for strategy in strategies {
            let mut pack = full_pack();
            pack.plan.strategy = strategy;
            fits(&parsed(&pack, &JSON), &schema, &schema, "$").unwrap();
        }
    }

    #[test]
    fn content_is_the_text_of_the_entry() {
        let code = "a\u{1b}\u{202e}\0 ]]>\n";
        let pack =
            a_pack("q", vec![an_entry("a.rs", vec![lines(1, code), gap(2)]), an_entry("b.rs", vec![])]);
        let json = parsed(&pack, &JSON);
        assert_eq!(json["files"][0]["content"], format!("{code}// … 2 lines\n"));
        assert_eq!(json["files"][1]["content"], Value::Null);
        let bare = parsed(&pack, &RenderOptions { content: false, ..JSON });
        assert_eq!(bare["files"][0]["content"], Value::Null);
    }

    #[test]
    fn numbers_are_rounded_and_odd_ones_do_no_harm() {
        let mut pack = full_pack();
        pack.confidence = f64::NAN;
        let json = parsed(&pack, &JSON);
        assert_eq!(json["files"][1]["reasons"][0]["weight"], 0.3);
        assert_eq!(json["confidence"], Value::Null);
        assert_eq!(json["timings_ms"]["total"], 350.0);
    }

    /// The part of JSON Schema that our schema uses. A field that the schema does not name is an error here:
    /// what is printed and what is promised grow together.
    fn fits(value: &Value, schema: &Value, root: &Value, at: &str) -> Result<(), String> {
        if let Some(name) = schema["$ref"].as_str() {
            let name = name.trim_start_matches("#/$defs/");
            return fits(value, &root["$defs"][name], root, at);
        }
        if let Some(choices) = schema["oneOf"].as_array() {
            let fitting = choices.iter().filter(|choice| fits(value, choice, root, at).is_ok()).count();
            return if fitting == 1 { Ok(()) } else { Err(format!("{at}: fits {fitting} of the choices")) };
        }
        if let Some(expected) = schema.get("const") {
            return if value == expected { Ok(()) } else { Err(format!("{at}: {value} is not {expected}")) };
        }
        if let Some(names) = schema["enum"].as_array() {
            return if names.contains(value) {
                Ok(())
            } else {
                Err(format!("{at}: {value} is none of {names:?}"))
            };
        }
        has_type(value, &schema["type"])
            .then_some(())
            .ok_or_else(|| format!("{at}: {value} is not {}", schema["type"]))?;
        match value {
            Value::Array(items) => {
                items.iter().try_for_each(|item| fits(item, &schema["items"], root, &format!("{at}[]")))
            }
            Value::Object(fields) => {
                for name in schema["required"].as_array().into_iter().flatten() {
                    let name = name.as_str().unwrap_or_default();
                    fields.get(name).ok_or_else(|| format!("{at}.{name} is missing"))?;
                }
                fields.iter().try_for_each(|(name, field)| {
                    let at = format!("{at}.{name}");
                    let known = schema["properties"].get(name).or(schema.get("additionalProperties"));
                    fits(field, known.ok_or(format!("{at} is not in the schema"))?, root, &at)
                })
            }
            _ => Ok(()),
        }
    }

    fn has_type(value: &Value, names: &Value) -> bool {
        let is = |name: &Value| match name.as_str().unwrap_or_default() {
            "null" => value.is_null(),
            "string" => value.is_string(),
            "boolean" => value.is_boolean(),
            "integer" => value.is_u64(),
            "number" => value.is_number(),
            "array" => value.is_array(),
            "object" => value.is_object(),
            _ => false,
        };
        names.as_array().map_or_else(|| is(names), |names| names.iter().any(is))
    }
}
