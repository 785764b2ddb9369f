//! Requests that the types of the protocol do not have, or have otherwise than servers use them.

use lsp_types::request::Request;
use lsp_types::{LocationLink, TextDocumentPositionParams, WorkspaceSymbolResponse};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// `initialize` with its capabilities as they come: one strange capability is no reason to fail.
pub(super) enum Initialize {}

impl Request for Initialize {
    type Params = Value;
    type Result = Value;
    const METHOD: &'static str = "initialize";
}

/// `workspace/symbol` with rust-analyzer's two additions, which other servers ignore: functions too, and nothing of libraries.
pub(super) enum WorkspaceSymbols {}

impl Request for WorkspaceSymbols {
    type Params = WorkspaceSymbolsParams;
    type Result = Option<WorkspaceSymbolResponse>;
    const METHOD: &'static str = "workspace/symbol";
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct WorkspaceSymbolsParams {
    query: String,
    search_scope: String,
    search_kind: String,
}

impl WorkspaceSymbolsParams {
    pub(super) fn all_symbols(name: &str) -> WorkspaceSymbolsParams {
        WorkspaceSymbolsParams {
            query: name.to_owned(),
            search_scope: "workspace".to_owned(),
            search_kind: "allSymbols".to_owned(),
        }
    }
}

/// rust-analyzer's tests that reach an item.
pub(super) enum RelatedTests {}

impl Request for RelatedTests {
    type Params = TextDocumentPositionParams;
    type Result = Option<Vec<RelatedTest>>;
    const METHOD: &'static str = "rust-analyzer/relatedTests";
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct RelatedTest {
    pub(super) runnable: Runnable,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Runnable {
    pub(super) location: Option<LocationLink>,
}
