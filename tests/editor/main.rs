//! `dossier lsp` alone, spoken to as an editor does: texts, requests, commands, lent language servers, faults.

#![cfg(unix)]

#[path = "../support/mod.rs"]
mod support;
#[path = "support.rs"]
mod editor;
mod wire;

mod faults;
mod lent;
mod model;
mod requests;
mod texts;
