//! Sessions in a process of their own, which every command and editor of the user shares.
//!
//! ```text
//! client ─▶ socket ─▶ serve ─▶ session::Dispatch
//!    │                  ▲
//!    └─▶ place (lock, socket, log)
//! ```

mod client;
mod connection;
mod log;
mod place;
mod serve;
mod socket;

pub use client::{Connection, Lost, build, connect, start, stop, wait_for};
pub(crate) use client::{connect_with, nobody_listens, wait_for_with};
pub use log::Log;
pub use place::{DaemonPlace, PlaceError};
pub use serve::{Ended, ServeError, serve};
