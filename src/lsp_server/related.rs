//! What hangs together, and what stands over it: `dossier/graph`, `dossier/search`, code actions and code lenses.

use lsp_types::Position;
use serde_json::{Value, json};

use super::document::place_in_line;
use super::folders::{Folder, path_of_uri};
use super::requests::{Ask, GraphAsk, SearchAsk};
use super::texts::canonical;
use super::trouble::{Kind, Trouble};
use super::work::{Work, is_subject, lines};
use crate::client;
use crate::model::SymbolKind;
use crate::rpc::lock;
use crate::session::Question;
use crate::session::protocol::{Graph, GraphParams, OutlineItem, Search, SearchParams};

/// Milliseconds; whoever looks at a lens does not wait.
const GRAPH_TIME: u64 = 3_000;
/// Places that one answer names.
const MOST_PLACES: usize = 500;
const MOST_HITS: u32 = 100;
const HITS: u32 = 20;

impl Work {
    pub fn graph(&self, ask: &GraphAsk) -> Result<Value, Trouble> {
        let document = ask.text_document.as_ref().map(|document| document.uri.as_str());
        let folder = self.folder(ask.folder.as_deref(), document)?;
        let symbol = match (&ask.symbol, document, ask.position) {
            (Some(symbol), ..) => symbol.clone(),
            (None, Some(uri), Some(position)) => self.name_at(&folder, uri, position)?,
            _ => return Err(Trouble::new(Kind::Params, "give a `symbol`, or a document and a position")),
        };
        self.places(&folder, ask.question, symbol)
    }

    /// `dossier.tests`: the tests of the item that a range is in.
    pub fn tests(&self, ask: &Ask) -> Result<Value, Trouble> {
        let folder = self.folder(ask.folder.as_deref(), ask.document())?;
        let (Some(uri), Some(range)) = (ask.document(), ask.range) else {
            return Err(Trouble::new(Kind::Params, "give a document and a range"));
        };
        let symbol = self.name_at(&folder, uri, range.start)?;
        self.places(&folder, Question::Tests, symbol)
    }

    fn name_at(&self, folder: &Folder, uri: &str, position: Position) -> Result<String, Trouble> {
        let line = position.line.saturating_add(1);
        let path = folder.path_of(uri);
        let found = path.map(|path| self.item_at(folder, &path, line, line)).transpose()?.flatten();
        found.map(|item| item.name).ok_or_else(|| Trouble::new(Kind::NothingFound, "no item stands there"))
    }

    fn places(&self, folder: &Folder, question: Question, symbol: String) -> Result<Value, Trouble> {
        let task = self.task(folder, String::new(), &self.configuration());
        let params = GraphParams {
            place: client::protocol_place(&task.root, &task.settings),
            question,
            symbol: symbol.clone(),
            depth: 1,
            lsp: self.lsp(client::wish(&task.settings), folder),
            fresh: false,
            time_ms: GRAPH_TIME,
        };
        let answer = self.ask::<Graph>(&task, &params)?;
        let place = |item: &crate::session::Item| {
            let uri = folder.uri_of(&item.path);
            let own = item.name.rsplit("::").next().unwrap_or_default();
            let range = self
                .text_of(folder, &uri, &item.path, |text| place_in_line(text, item.line, own, self.columns));
            json!({ "uri": uri, "range": range, "name": item.name, "path": item.path })
        };
        let found = answer.report.answers.iter().take(MOST_PLACES);
        let places: Vec<Value> = found.map(|found| place(&found.item)).collect();
        Ok(json!({ "symbol": symbol, "question": question, "places": places, "notes": answer.notes }))
    }

    /// A document's text as this request goes by it.
    pub fn text(&self, ask: &Ask) -> Result<Value, Trouble> {
        let uri = ask.document().ok_or_else(|| Trouble::new(Kind::Params, "give a document"))?;
        let path = path_of_uri(uri).map(|path| canonical(&path));
        let unsaved = path.as_ref().and_then(|path| self.texts.get(path)).map(|text| text.to_string());
        let open = || lock(&self.server.documents).text(uri).map(str::to_owned);
        Ok(json!({ "text": unsaved.or_else(open) }))
    }

    /// Reads a document's text: the editor's, else the disk's, else none.
    fn text_of<T>(&self, folder: &Folder, uri: &str, path: &str, read: impl Fn(&str) -> T) -> T {
        if let Some(text) = lock(&self.server.documents).text(uri) {
            return read(text);
        }
        read(&std::fs::read_to_string(folder.root.join(path)).unwrap_or_default())
    }

    pub fn search(&self, ask: &SearchAsk) -> Result<Value, Trouble> {
        let folder = self.folder(ask.folder.as_deref(), None)?;
        let task = self.task(&folder, ask.query.clone(), &self.configuration());
        let params = SearchParams {
            place: client::protocol_place(&task.root, &task.settings),
            query: ask.query.clone(),
            mode: ask.mode,
            level: ask.level,
            limit: ask.limit.unwrap_or(HITS).min(MOST_HITS),
            tests: None,
            fresh: false,
            time_ms: GRAPH_TIME,
        };
        let found = self.ask::<Search>(&task, &params)?;
        let hits = found.hits.iter().map(|hit| {
            let mut json = json!(hit);
            json["uri"] = json!(folder.uri_of(&hit.path));
            json
        });
        Ok(json!({ "hits": hits.collect::<Vec<_>>(), "notes": found.notes }))
    }

    /// What can be asked about an item or a selection.
    pub fn actions(&self, params: &Value) -> Result<Value, Trouble> {
        let ask: Ask = serde_json::from_value(params.clone())
            .map_err(|error| Trouble::new(Kind::Params, error.to_string()))?;
        let (Some(uri), Some(range)) = (ask.document(), ask.range) else { return Ok(json!([])) };
        let only: Option<Vec<String>> = serde_json::from_value(params["context"]["only"].clone()).ok();
        if only.is_some_and(|only| !only.iter().any(|kind| kind.is_empty() || kind.starts_with("source"))) {
            return Ok(json!([]));
        }
        let Ok(folder) = self.folder(None, Some(uri)) else { return Ok(json!([])) };
        let Some(path) = folder.path_of(uri) else { return Ok(json!([])) };
        let (first, last) = lines(range);
        let item = self.item_at(&folder, &path, first, last)?;
        let what = match &item {
            Some(item) => format!("`{}`", item.name),
            None if range.start != range.end => "the selection".to_owned(),
            None => return Ok(json!([])),
        };
        let argument = json!({ "textDocument": { "uri": uri }, "range": range, "folder": folder.uri });
        let action = |title: String, command: &str| {
            json!({
                "title": title,
                "kind": "source.dossier",
                "command": { "title": title, "command": command, "arguments": [argument] },
            })
        };
        let mut actions = vec![
            action(format!("Explain the context for {what}"), "dossier.explain"),
            action(format!("Ask about {what}"), "dossier.prompt"),
            action(format!("Copy the dossier of {what}"), "dossier.context"),
        ];
        if item.is_some_and(|item| !item.is_test) {
            actions.push(action(format!("Show tests of {what}"), "dossier.tests"));
        }
        Ok(Value::Array(actions))
    }

    /// One lens for each item; what stands in it is found when it is seen.
    pub fn lenses(&self, params: &Value) -> Result<Value, Trouble> {
        let uri = params["textDocument"]["uri"].as_str().unwrap_or_default();
        if !self.configuration().has_lenses || path_of_uri(uri).is_none() {
            return Ok(json!([]));
        }
        let Ok(folder) = self.folder(None, Some(uri)) else { return Ok(json!([])) };
        let Some(path) = folder.path_of(uri) else { return Ok(json!([])) };
        let items = self.outline(&folder, &path)?;
        let lens = |item: &OutlineItem| {
            let line = item.name_line.saturating_sub(1);
            let at = Position { line, character: 0 };
            let data = json!({ "folder": folder.uri, "uri": uri, "symbol": item.name, "kind": item.kind });
            json!({ "range": { "start": at, "end": at }, "data": data })
        };
        let shown = items.iter().filter(|item| has_lens(item));
        Ok(Value::Array(shown.map(lens).collect()))
    }

    /// `3 callers · 1 implementation · 2 tests`
    pub fn lens(&self, mut lens: Value) -> Result<Value, Trouble> {
        let data = lens["data"].clone();
        let folder = self.folder(data["folder"].as_str(), None)?;
        let symbol = data["symbol"].as_str().unwrap_or_default().to_owned();
        let kind: Option<SymbolKind> = serde_json::from_value(data["kind"].clone()).ok();
        let mut parts = Vec::new();
        for (question, one, many) in questions(kind) {
            let found = self.places(&folder, question, symbol.clone())?;
            let count = found["places"].as_array().map_or(0, Vec::len);
            parts.push(format!("{count} {}", if count == 1 { one } else { many }));
        }
        let title = parts.join(" · ");
        let argument = json!({
            "textDocument": { "uri": data["uri"] },
            "range": lens["range"],
            "folder": data["folder"],
        });
        lens["command"] = json!({ "title": title, "command": "dossier.explain", "arguments": [argument] });
        Ok(lens)
    }
}

fn has_lens(item: &OutlineItem) -> bool {
    let is_shown = is_subject(item.kind) && !matches!(item.kind, SymbolKind::Module | SymbolKind::Impl);
    is_shown && !item.is_test
}

fn questions(kind: Option<SymbolKind>) -> Vec<(Question, &'static str, &'static str)> {
    let tests = (Question::Tests, "test", "tests");
    let implementations = (Question::Implementations, "implementation", "implementations");
    match kind {
        Some(SymbolKind::Function) => vec![(Question::Callers, "caller", "callers"), tests],
        Some(SymbolKind::Method) => vec![(Question::Callers, "caller", "callers"), implementations, tests],
        Some(SymbolKind::Struct | SymbolKind::Enum | SymbolKind::Trait | SymbolKind::Union) => {
            vec![(Question::Usages, "use", "uses"), implementations, tests]
        }
        _ => vec![(Question::Usages, "use", "uses")],
    }
}

/// Of a document that is shown where the editor shows nothing by itself.
pub(super) fn page_of(result: &Value) -> Option<(&'static str, String)> {
    let text = |field: &str| result[field].as_str().filter(|text| !text.is_empty()).map(str::to_owned);
    if let Some(explanation) = text("explanation") {
        return Some(("explanation.txt", explanation));
    }
    if let Some(answer) = text("answer") {
        return Some(("answer.md", answer));
    }
    if let Some(dossier) = text("text") {
        let name = match result["format"].as_str() {
            Some("xml") => "dossier.xml",
            Some("plain") => "dossier.txt",
            _ => "dossier.md",
        };
        return Some((name, dossier));
    }
    let places = result["places"].as_array()?;
    let line = |place: &Value| {
        let line = place["range"]["start"]["line"].as_u64().unwrap_or(0) + 1;
        let (path, name) = (place["path"].as_str(), place["name"].as_str());
        format!("{}:{line}: {}\n", path.unwrap_or_default(), name.unwrap_or_default())
    };
    let symbol = result["symbol"].as_str().unwrap_or_default();
    let found: String = places.iter().map(line).collect();
    let head = if places.is_empty() { "Nothing is known to test" } else { "Tests of" };
    Some(("tests.txt", format!("{head} {symbol}\n\n{found}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_editor_shows_as_a_document_is_the_part_for_a_reader() {
        assert_eq!(
            page_of(&json!({ "explanation": "a", "files": [] })),
            Some(("explanation.txt", "a".to_owned()))
        );
        assert_eq!(page_of(&json!({ "text": "a", "format": "xml" })), Some(("dossier.xml", "a".to_owned())));
        let places = json!({
            "symbol": "f",
            "places": [{ "path": "src/a.rs", "name": "t", "range": { "start": { "line": 3 } } }],
        });
        assert_eq!(page_of(&places), Some(("tests.txt", "Tests of f\n\nsrc/a.rs:4: t\n".to_owned())));
        assert_eq!(page_of(&json!({ "version": "1" })), None);
    }
}
