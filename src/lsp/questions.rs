//! What a ready server is asked, in places of a snapshot.

use std::sync::Arc;

use lsp_types::request::{
    CallHierarchyIncomingCalls, CallHierarchyOutgoingCalls, CallHierarchyPrepare, DocumentSymbolRequest,
    GotoDeclaration, GotoDefinition, GotoImplementation, GotoTypeDefinition, References, Request,
};
use lsp_types::{
    CallHierarchyIncomingCallsParams, CallHierarchyItem, CallHierarchyOutgoingCallsParams,
    CallHierarchyPrepareParams, DocumentSymbol, DocumentSymbolParams, DocumentSymbolResponse,
    GotoDefinitionParams, GotoDefinitionResponse, Location, OneOf, PartialResultParams, Range,
    ReferenceContext, ReferenceParams, TextDocumentIdentifier, TextDocumentPositionParams,
    WorkDoneProgressParams, WorkspaceSymbolResponse,
};

use crate::model::{Deadline, FileId, Span};
use crate::workspace::Snapshot;

use super::client::Client;
use super::convert::Converter;
use super::kinds::Documents;
use super::requests::{RelatedTests, WorkspaceSymbols, WorkspaceSymbolsParams};
use super::state::Shared;

/// A byte offset in a file of the snapshot.
pub type At = (FileId, u32);

/// A stretch of a file of the snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    pub file: FileId,
    pub span: Span,
}

/// Where an answer points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Target {
    Inside(Place),
    /// The standard library, a dependency, an ignored file, or a place that the snapshot's text does not have.
    Outside,
}

/// One function that calls or is called.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Call<Item = Place> {
    /// Of incoming calls the caller's name, of outgoing calls the callee's.
    pub item: Item,
    /// Where the calls stand: in the caller.
    pub sites: Vec<Place>,
}

/// Why there is no answer; never the same as an empty answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unanswered {
    #[error("the language server is not ready")]
    NotReady,
    #[error("the language server did not answer in time")]
    Deadline,
    #[error("the language server ended")]
    Ended,
    #[error("the language server does not know this question")]
    Unsupported,
    #[error("the language server refused: {0}")]
    Refused(String),
}

/// A ready server's knowledge of one snapshot; many threads may ask at once. Every answer is sorted and without duplicates. An answer
/// counts only if the server was ready the whole time.
pub struct Questions<'a> {
    client: Arc<Client>,
    shared: &'a Shared,
    epoch: u64,
    converter: Converter<'a>,
}

type Answer<T> = Result<T, Unanswered>;

impl<'a> Questions<'a> {
    pub(super) fn new(
        client: Arc<Client>,
        shared: &'a Shared,
        epoch: u64,
        snapshot: &'a Snapshot,
    ) -> Questions<'a> {
        let converter = Converter::new(snapshot, client.encoding());
        Questions { client, shared, epoch, converter }
    }

    /// Who answers: a server, and how often it has loaded anew. Answers of the same about the same code are the same.
    pub fn answerer(&self) -> (u64, u64) {
        (self.shared.number, self.epoch)
    }

    /// Items of the workspace with exactly this name, each with the name of what holds it (empty where the server tells none).
    ///
    /// # Errors
    /// Here and below: why there is no answer.
    pub fn symbols(&self, name: &str, deadline: &Deadline) -> Answer<Vec<(String, Place)>> {
        let params = WorkspaceSymbolsParams::all_symbols(name);
        let found = self.ask::<WorkspaceSymbols>("workspaceSymbolProvider", params, deadline)?;
        let found: Vec<(String, Option<String>, Location)> = match found {
            None => Vec::new(),
            Some(WorkspaceSymbolResponse::Flat(found)) => {
                found.into_iter().map(|it| (it.name, it.container_name, it.location)).collect()
            }
            Some(WorkspaceSymbolResponse::Nested(found)) => found
                .into_iter()
                .filter_map(|it| match it.location {
                    OneOf::Left(location) => Some((it.name, it.container_name, location)),
                    OneOf::Right(_) => None,
                })
                .collect(),
        };
        let known = found.into_iter().filter(|(found, ..)| found == name);
        Ok(sorted(known.filter_map(|(_, container, location)| {
            Some((container.unwrap_or_default(), self.converter.place(&location.uri, location.range)?))
        })))
    }

    pub fn definition(&self, at: At, deadline: &Deadline) -> Answer<Vec<Target>> {
        self.goto::<GotoDefinition>("definitionProvider", at, deadline)
    }

    pub fn declaration(&self, at: At, deadline: &Deadline) -> Answer<Vec<Target>> {
        self.goto::<GotoDeclaration>("declarationProvider", at, deadline)
    }

    pub fn type_definition(&self, at: At, deadline: &Deadline) -> Answer<Vec<Target>> {
        self.goto::<GotoTypeDefinition>("typeDefinitionProvider", at, deadline)
    }

    /// Of a trait its `impl`s, of a type the `impl`s for it, of a trait's method its implementations: those of the workspace.
    pub fn implementations(&self, at: At, deadline: &Deadline) -> Answer<Vec<Place>> {
        let targets = self.goto::<GotoImplementation>("implementationProvider", at, deadline)?;
        Ok(targets.into_iter().filter_map(Target::inside).collect())
    }

    /// Every place of the workspace that names it, its declaration excluded.
    pub fn references(&self, at: At, deadline: &Deadline) -> Answer<Vec<Place>> {
        let params = ReferenceParams {
            text_document_position: self.position(at)?,
            work_done_progress_params: WorkDoneProgressParams::default(),
            partial_result_params: PartialResultParams::default(),
            context: ReferenceContext { include_declaration: false },
        };
        let found = self.ask::<References>("referencesProvider", params, deadline)?.unwrap_or_default();
        Ok(sorted(found.iter().filter_map(|it| self.converter.place(&it.uri, it.range))))
    }

    /// Who calls the function at a place: functions of the workspace.
    pub fn incoming_calls(&self, at: At, deadline: &Deadline) -> Answer<Vec<Call>> {
        let mut calls = Vec::new();
        for item in self.call_items(at, deadline)? {
            let params = CallHierarchyIncomingCallsParams {
                item,
                work_done_progress_params: WorkDoneProgressParams::default(),
                partial_result_params: PartialResultParams::default(),
            };
            let found = self.ask::<CallHierarchyIncomingCalls>(CALLS, params, deadline)?;
            calls.extend(found.into_iter().flatten().filter_map(|call| {
                let item = self.converter.place(&call.from.uri, call.from.selection_range)?;
                Some(Call { item, sites: self.sites(item.file, &call.from_ranges) })
            }));
        }
        Ok(sorted(calls.into_iter()))
    }

    /// Whom the function at a place calls; the calls' sites are in its own file.
    pub fn outgoing_calls(&self, at: At, deadline: &Deadline) -> Answer<Vec<Call<Target>>> {
        let mut calls = Vec::new();
        for item in self.call_items(at, deadline)? {
            let file = self.converter.file(&item.uri);
            let params = CallHierarchyOutgoingCallsParams {
                item,
                work_done_progress_params: WorkDoneProgressParams::default(),
                partial_result_params: PartialResultParams::default(),
            };
            let found = self.ask::<CallHierarchyOutgoingCalls>(CALLS, params, deadline)?;
            calls.extend(found.into_iter().flatten().map(|call| {
                let item = self.converter.target(&call.to.uri, call.to.selection_range);
                Call { item, sites: file.map_or(Vec::new(), |file| self.sites(file, &call.from_ranges)) }
            }));
        }
        Ok(sorted(calls.into_iter()))
    }

    /// The names of the tests that reach the function at a place; `Unsupported` by any other server than rust-analyzer.
    pub fn related_tests(&self, at: At, deadline: &Deadline) -> Answer<Vec<Place>> {
        let params = self.position(at)?;
        let found = self.answer::<RelatedTests>(params, deadline)?.unwrap_or_default();
        let links = found.into_iter().filter_map(|test| test.runnable.location);
        Ok(sorted(links.filter_map(|it| self.converter.place(&it.target_uri, it.target_selection_range))))
    }

    /// Every item of a file with the place of its name.
    pub fn document_symbols(&self, file: FileId, deadline: &Deadline) -> Answer<Vec<(String, Place)>> {
        let params = DocumentSymbolParams {
            text_document: self.document(file)?,
            work_done_progress_params: WorkDoneProgressParams::default(),
            partial_result_params: PartialResultParams::default(),
        };
        let found = self.ask::<DocumentSymbolRequest>("documentSymbolProvider", params, deadline)?;
        let found = match found {
            None => Vec::new(),
            Some(DocumentSymbolResponse::Flat(found)) => {
                found.into_iter().map(|it| (it.name, it.location.range)).collect()
            }
            Some(DocumentSymbolResponse::Nested(found)) => flattened(found),
        };
        let place = |range| Some(Place { file, span: self.converter.span(file, range)? });
        Ok(sorted(found.into_iter().filter_map(|(name, range)| Some((name, place(range)?)))))
    }

    fn goto<R>(&self, capability: &str, at: At, deadline: &Deadline) -> Answer<Vec<Target>>
    where
        R: Request<Params = GotoDefinitionParams, Result = Option<GotoDefinitionResponse>>,
    {
        let params = GotoDefinitionParams {
            text_document_position_params: self.position(at)?,
            work_done_progress_params: WorkDoneProgressParams::default(),
            partial_result_params: PartialResultParams::default(),
        };
        let found = self.ask::<R>(capability, params, deadline)?;
        let target = |it: &Location| self.converter.target(&it.uri, it.range);
        Ok(match found {
            None => Vec::new(),
            Some(GotoDefinitionResponse::Scalar(location)) => vec![target(&location)],
            Some(GotoDefinitionResponse::Array(locations)) => sorted(locations.iter().map(target)),
            Some(GotoDefinitionResponse::Link(links)) => sorted(
                links.iter().map(|it| self.converter.target(&it.target_uri, it.target_selection_range)),
            ),
        })
    }

    fn call_items(&self, at: At, deadline: &Deadline) -> Answer<Vec<CallHierarchyItem>> {
        let params = CallHierarchyPrepareParams {
            text_document_position_params: self.position(at)?,
            work_done_progress_params: WorkDoneProgressParams::default(),
        };
        Ok(self.ask::<CallHierarchyPrepare>(CALLS, params, deadline)?.unwrap_or_default())
    }

    fn sites(&self, file: FileId, ranges: &[Range]) -> Vec<Place> {
        let place = |range: &Range| Some(Place { file, span: self.converter.span(file, *range)? });
        sorted(ranges.iter().filter_map(place))
    }

    fn position(&self, (file, offset): At) -> Answer<TextDocumentPositionParams> {
        let position = self.converter.position(file, offset).ok_or_else(no_such_place)?;
        Ok(TextDocumentPositionParams { text_document: self.document(file)?, position })
    }

    /// The document's name, opened where the server wants that.
    fn document(&self, file: FileId) -> Answer<TextDocumentIdentifier> {
        let (uri, text) =
            self.converter.uri(file).zip(self.converter.text(file)).ok_or_else(no_such_place)?;
        if self.client.kind().documents == Documents::Opened {
            self.client.open_document(&uri, text);
        }
        Ok(TextDocumentIdentifier { uri })
    }

    fn ask<R: Request>(&self, capability: &str, params: R::Params, deadline: &Deadline) -> Answer<R::Result> {
        if !self.client.can(capability) {
            return Err(Unanswered::Unsupported);
        }
        self.answer::<R>(params, deadline)
    }

    fn answer<R: Request>(&self, params: R::Params, deadline: &Deadline) -> Answer<R::Result> {
        self.still_ready()?;
        let answer = self.client.request::<R>(params, &self.client.patience(deadline))?;
        self.still_ready()?;
        Ok(answer)
    }

    fn still_ready(&self) -> Answer<()> {
        let is_ready = self.shared.read(|state| state.is_ready() && state.epoch == self.epoch);
        if is_ready { Ok(()) } else { Err(Unanswered::NotReady) }
    }
}

impl Target {
    /// The place in the workspace.
    pub fn inside(self) -> Option<Place> {
        match self {
            Target::Inside(place) => Some(place),
            Target::Outside => None,
        }
    }
}

const CALLS: &str = "callHierarchyProvider";

fn no_such_place() -> Unanswered {
    Unanswered::Refused("the snapshot has no such place".to_owned())
}

fn sorted<T: Ord>(found: impl Iterator<Item = T>) -> Vec<T> {
    let mut found: Vec<T> = found.collect();
    found.sort();
    found.dedup();
    found
}

/// All symbols of a tree: a stack, because a server may nest them as deep as it likes.
fn flattened(symbols: Vec<DocumentSymbol>) -> Vec<(String, Range)> {
    let mut found = Vec::new();
    let mut open = symbols;
    while let Some(symbol) = open.pop() {
        found.push((symbol.name, symbol.selection_range));
        open.extend(symbol.children.into_iter().flatten());
    }
    found
}
