//! A key that no message can show.

use std::fmt;

/// What stands in its place.
const MASK: &str = "***";

/// A provider's key. Neither `Debug` nor `Display` shows it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// A key without the white space around it; `None` where nothing is left, or what no header can carry.
    pub fn new(key: &str) -> Option<Secret> {
        let key = key.trim();
        (!key.is_empty() && !key.contains(char::is_control)).then(|| Secret(key.to_owned()))
    }

    /// The key itself, for the request alone.
    #[cfg(feature = "remote")]
    pub(super) fn expose(&self) -> &str {
        &self.0
    }

    /// A text in which the key, should a server repeat it, is masked.
    #[cfg(feature = "remote")]
    pub(super) fn mask_in(&self, text: &str) -> String {
        text.replace(&self.0, MASK)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(MASK)
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(MASK)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_shown_nowhere() {
        let secret = Secret::new(" key-1234\n").unwrap();
        assert_eq!(format!("{secret} {secret:?} {:?}", Some(&secret)), "*** *** Some(***)");
        assert_eq!((Secret::new(" \n"), Secret::new("two\nlines")), (None, None));
    }
}
