//! Values as bytes and back: postcard, packed by zstd, under a checksum, since the database itself has none.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::text::Digest;

/// Bytes of the digest that are kept as a checksum: for what a disk gets wrong.
const CHECKSUM: usize = 8;

/// jj: level 1 packs the whole index into 5.2 MB in 0.07 s, 3 into 4.8 MB in 0.11 s, 6 into 4.6 MB in 0.29 s; lz4 into 6.7 MB.
const LEVEL: i32 = 3;

/// More than any value has; a damaged length asks for no more.
const LARGEST: usize = 1 << 30;

/// The value as bytes. Empty, and so not to be read again, where it cannot be put in any.
pub(super) fn encode<T: Serialize>(value: &T) -> Vec<u8> {
    let Ok(plain) = postcard::to_stdvec(value) else { return Vec::new() };
    let Ok(packed) = zstd::bulk::compress(&plain, LEVEL) else { return Vec::new() };
    let mut bytes = vec![0; CHECKSUM];
    bytes.extend_from_slice(&(plain.len() as u32).to_le_bytes());
    bytes.extend(packed);
    let sum = checksum(&bytes[CHECKSUM..]);
    bytes[..CHECKSUM].copy_from_slice(&sum);
    bytes
}

/// The value again; `None` where the bytes are not those of one.
pub(super) fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    let (sum, rest) = bytes.split_at_checked(CHECKSUM)?;
    let (len, packed) = rest.split_first_chunk()?;
    let len = u32::from_le_bytes(*len) as usize;
    if *sum != checksum(rest) || len > LARGEST {
        return None;
    }
    postcard::from_bytes(&zstd::bulk::decompress(packed, len).ok()?).ok()
}

fn checksum(bytes: &[u8]) -> [u8; CHECKSUM] {
    let mut sum = [0; CHECKSUM];
    sum.copy_from_slice(&Digest::of(bytes).as_bytes()[..CHECKSUM]);
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_comes_back_and_a_damaged_one_does_not() {
        let value: Vec<String> = (0..99).map(|n: u32| format!("value {n}")).collect();
        let bytes = encode(&value);
        assert_eq!(decode(&bytes), Some(value));
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            assert_eq!(decode::<Vec<String>>(&damaged), None, "{at}");
            assert_eq!(decode::<Vec<String>>(&bytes[..at]), None, "{at}");
        }
    }
}
