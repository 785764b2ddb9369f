//! A workspace that stays open: what lives long between two requests, and the requests that it answers.
//!
//! ```text
//! request ─▶ dispatch ─▶ sessions ─▶ session ─▶ answer ─▶ pipeline
//!  (protocol)               (which)    (now)
//! ```

mod ahead;
mod answer;
mod caller;
mod dispatch;
mod host;
mod live;
mod memory;
mod overlay;
mod preview;
pub mod protocol;
mod related;
mod search;
mod sessions;
mod slots;
mod understand;

pub use answer::{dossier, graph, lookup, offer};
pub use caller::{Caller, FORWARD, Lender};
pub use dispatch::{Dispatch, Failure};
pub use host::{Host, Limits};
pub use overlay::Overlays;
pub use related::{Found, Item, Question, Report};
pub use search::{SearchError, search};
pub use sessions::Sessions;
