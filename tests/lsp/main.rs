//! The client of language servers, end to end: against a double that misbehaves as told, and against real servers.

#![cfg(unix)]

mod double;
mod support;

mod client;
mod other_server;
mod rust_analyzer;
