//! What no message may show: a provider's key, and the password that an address may hold.

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
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// A text in which the key, should a server repeat it, is masked.
    pub fn mask_in(&self, text: &str) -> String {
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

/// Where a server is, as the user wrote it. Neither `Debug` nor `Display` shows its password.
#[derive(Clone, PartialEq, Eq)]
pub struct Address(String);

impl Address {
    pub fn new(written: impl Into<String>) -> Address {
        Address(written.into())
    }

    /// As it was written, for the connection alone.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&without_password(&self.0))
    }
}

/// An address with what stands before its host masked. What is not even an address may hold a password too.
pub fn without_password(written: &str) -> String {
    let start = written.find("://").map_or(0, |scheme| scheme + 3);
    let (scheme, rest) = written.split_at(start);
    let authority = rest.split('/').next().unwrap_or(rest);
    match authority.rfind('@') {
        Some(end) => format!("{scheme}{MASK}{}", &rest[end..]),
        None => written.to_owned(),
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

    #[test]
    fn an_address_is_shown_without_its_password() {
        let address = Address::new("http://me:secret@example.org/a");
        assert_eq!(format!("{address} {address:?}"), "http://***@example.org/a http://***@example.org/a");
        assert_eq!(without_password("me:secret@ho st"), "***@ho st");
        assert_eq!(without_password("example.org:1"), "example.org:1");
    }
}
