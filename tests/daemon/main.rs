//! The daemon with real processes: it answers as a command does by itself, knows what changed, outlives its clients, and leaves nothing
//! behind.

#![cfg(unix)]

#[path = "../support/mod.rs"]
mod support;
#[path = "support.rs"]
mod daemon;

mod ahead;
mod disk;
mod faults;
mod life;
mod limits;
mod meaning;
mod server;
mod wire;
mod work;
