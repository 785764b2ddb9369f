//! What every text passes before it leaves: secrets are masked, hidden characters are shown.

use crate::config::{Secret, Settings};
use crate::render::harmless;
use crate::text::redact;

/// Cleans texts by the settings.
pub(crate) struct Cleaner {
    mask: bool,
    /// Our own keys go out nowhere but in their headers, whatever the user wants to show.
    keys: Vec<Secret>,
}

impl Cleaner {
    pub fn new(settings: &Settings) -> Cleaner {
        Cleaner { mask: settings.mask.value, keys: settings.models.keys().cloned().collect() }
    }

    /// The text as it may leave. A second time changes nothing.
    pub fn clean(&self, text: &str) -> String {
        let masked = if self.mask { redact(text).text } else { text.into() };
        self.keys.iter().fold(harmless(&masked).into_owned(), |text, key| key.mask_in(&text))
    }
}
