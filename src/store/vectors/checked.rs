//! Bytes of a row under a checksum, since the database itself has none: of the row's key too, so that what came under another one is
//! found out.

use crate::text::Digest;

/// Bytes of the digest that are kept: for what a disk gets wrong.
pub(super) const SUM: usize = 4;

/// What is kept of `bytes` under `key`.
pub(super) fn with_sum(key: &[u8], bytes: &[u8]) -> Vec<u8> {
    let whole = [key, bytes].concat();
    [bytes, &sum(&whole)].concat()
}

/// A key and, behind it, what was kept under it: the bytes again; `None` where they are damaged.
pub(super) fn without_sum(key_and_kept: &[u8], key: usize) -> Option<&[u8]> {
    let (whole, kept) = key_and_kept.split_last_chunk::<SUM>()?;
    if *kept == sum(whole) { whole.get(key..) } else { None }
}

fn sum(whole: &[u8]) -> [u8; SUM] {
    let mut sum = [0; SUM];
    sum.copy_from_slice(&Digest::of(whole).as_bytes()[..SUM]);
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damage_and_another_key_are_found_out() {
        let kept = with_sum(b"key", b"some bytes");
        let read = |key: &[u8], kept: &[u8]| without_sum(&[key, kept].concat(), 3).map(<[u8]>::to_owned);
        assert_eq!(read(b"key", &kept).as_deref(), Some(&b"some bytes"[..]));
        assert_eq!(read(b"kez", &kept), None);
        for at in 0..kept.len() {
            let mut damaged = kept.clone();
            damaged[at] ^= 1;
            assert_eq!(read(b"key", &damaged), None, "{at}");
            assert_eq!(read(b"key", &kept[..at]), None, "{at}");
        }
        assert_eq!(without_sum(b"", 0), None);
    }
}
