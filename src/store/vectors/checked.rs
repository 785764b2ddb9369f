//! Bytes of a row under a checksum, since the database itself has none: of the row's key too, so that what came under another one is
//! found out.

/// Bytes of the checksum.
pub(super) const SUM: usize = 4;

/// Odd, with its bits well mixed: the golden ratio's.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

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

/// For what a disk gets wrong, not against anybody. A digest would be half of the time that it takes to read 300,000 rows.
fn sum(whole: &[u8]) -> [u8; SUM] {
    let (words, rest) = whole.as_chunks();
    let mut last = [0; size_of::<u64>()];
    last[..rest.len()].copy_from_slice(rest);
    // Each step turns different sums into different ones, so that one wrong word is never made good by what comes.
    let mixed = words.iter().chain([&last]).fold(whole.len() as u64, |sum, word| {
        let sum = (sum ^ u64::from_le_bytes(*word)).wrapping_mul(FACTOR);
        sum ^ (sum >> 32)
    });
    (mixed as u32).to_le_bytes()
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
