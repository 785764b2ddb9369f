//! What two texts, or two pieces of data, are known by to be the same.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The blake3 hash of some bytes.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Digest([u8; blake3::OUT_LEN]);

impl Digest {
    pub fn of(bytes: &[u8]) -> Digest {
        Digest(*blake3::hash(bytes).as_bytes())
    }

    /// Of several pieces in their order; where one ends counts too.
    pub fn of_all<P: AsRef<[u8]>>(pieces: impl IntoIterator<Item = P>) -> Digest {
        let mut hasher = blake3::Hasher::new();
        for piece in pieces {
            let piece = piece.as_ref();
            hasher.update(&(piece.len() as u64).to_le_bytes()).update(piece);
        }
        Digest(*hasher.finalize().as_bytes())
    }

    /// The digest that `as_bytes` gave; `None` for bytes of another length.
    pub fn from_bytes(bytes: &[u8]) -> Option<Digest> {
        bytes.try_into().ok().map(Digest)
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

/// In hexadecimal digits.
impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_of_pieces_count() {
        assert_eq!(Digest::of(b"a"), Digest::of(b"a"));
        assert_ne!(Digest::of_all(["ab", "c"]), Digest::of_all(["a", "bc"]));
        let empty = "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262";
        assert_eq!(Digest::of(b"").to_string(), empty);
    }
}
