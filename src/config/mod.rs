//! Settings: one resolved value each, with where it came from.
//!
//! Two steps: `typed` is what somebody wrote and where, `settings` what it means. No IO: a face reads the
//! files and the environment and hands over their texts.

mod secret;
mod choice;
mod embedder;
mod nearest;
mod name;
mod typed;
mod settings;
mod models;
mod place;

pub use choice::{Format, ModelProvider, Planner, Tests, UnknownWord};
pub use embedder::{EmbedderChoice, ModelName, NoModelName};
pub use models::{DEFAULT_OLLAMA_EMBED_MODEL, DEFAULT_OLLAMA_MODEL, ModelSettings};
pub use name::{Kind, Name};
pub use place::{WORKSPACE_FILE, cache_folder, data_folder, state_folder, trusted_file, user_file};
pub use secret::{Address, Secret, without_password};
pub use settings::{DEFAULT_BUDGET, Setting, Settings, Sources, resolve, value_of};
pub use typed::{ConfigFile, Origin, Typed, Value};
