//! Settings: one resolved value each, with where it came from.
//!
//! Two steps: `typed` is what somebody wrote and where, `settings` what it means. No IO: a face reads the
//! files and the environment and hands over their texts.

mod choice;
mod nearest;
mod name;
mod typed;
mod settings;
mod place;

pub use choice::{Format, Planner, Tests, UnknownWord};
pub use name::{Kind, Name};
pub use place::{WORKSPACE_FILE, cache_folder, trusted_file, user_file};
pub use settings::{DEFAULT_BUDGET, Setting, Settings, Sources, resolve, value_of};
pub use typed::{ConfigFile, Origin, Typed, Value};
