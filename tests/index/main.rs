//! What is kept on disk of a workspace: it says what reading everything anew says, whatever was edited; several processes, a killed
//! writer, damage and foreign files leave it so.

#[path = "../support/mod.rs"]
mod support;

mod edits;
mod faults;
mod processes;
mod vectors;
#[cfg(unix)]
mod writers;
