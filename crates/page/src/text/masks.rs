//! Classifies 64 bytes of text into bit masks. The lowest bit is the first byte.

use threshr_core::simd_u128::{Bytes, Matches};

/// Maximum number of bytes that are processed at once. It is one less than the number of bits, so that every run
/// ends before the last bit.
pub(crate) const PIECE: usize = 63;

/// Masks of byte classes. A byte that is in no mask is ASCII punctuation or a symbol.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Masks {
    pub(crate) upper: u64,
    pub(crate) lower: u64,
    pub(crate) digits: u64,
    /// White space.
    pub(crate) spaces: u64,
    /// `_` and non-ASCII bytes, which need the slow path.
    pub(crate) others: u64,
}

impl Masks {
    /// Classifies the first 64 bytes. Missing bytes are in no mask.
    #[inline]
    pub(crate) fn new(bytes: &[u8]) -> Self {
        match bytes.first_chunk() {
            Some(all) => Self::of_all(all),
            None => {
                let mut all = [0; 64];
                all[..bytes.len()].copy_from_slice(bytes);
                Self::of_all(&all)
            }
        }
    }

    #[inline]
    fn of_all(bytes: &[u8; 64]) -> Self {
        let mut masks = Masks::default();
        for (i, &part) in bytes.as_chunks::<16>().0.iter().enumerate() {
            let part = Bytes::new(part);
            let bits = |matches: Matches| u64::from(matches.bits()) << (16 * i);
            masks.upper |= bits(part.within(b'A', b'Z'));
            masks.lower |= bits(part.within(b'a', b'z'));
            masks.digits |= bits(part.within(b'0', b'9'));
            masks.spaces |= bits(part.within(b'\t', b'\r') | part.equal(b' '));
            masks.others |= bits(part.not_ascii() | part.equal(b'_'));
        }
        masks
    }
}

/// Returns a mask of the lowest `n` bits; `n` must be less than 64.
#[inline]
pub(crate) fn below(n: usize) -> u64 {
    (1 << n) - 1
}

/// Finds the runs of ones in `all` for which `part` is set in all bits from a bit in `starts` to the end of
/// the run. Returns the bit after each of these runs.
///
/// If `part` is set in the whole run, adding the start bit causes a carry beyond the end of the run. The last
/// bit of `all` must be 0.
#[inline]
pub(crate) fn filled(part: u64, starts: u64, all: u64) -> u64 {
    let after = !all & all << 1;
    part.wrapping_add(starts) & after
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_has_its_class() {
        for start in (0..=255u8).step_by(64) {
            let bytes: Vec<u8> = (start..=start + 63).collect();
            for length in [1, 17, 63, 64] {
                let bits = |is: fn(u8) -> bool| {
                    let kind = |(i, &b): (usize, &u8)| u64::from(is(b)) << i;
                    bytes[..length].iter().enumerate().map(kind).sum::<u64>()
                };
                let expected = Masks {
                    upper: bits(|b| b.is_ascii_uppercase()),
                    lower: bits(|b| b.is_ascii_lowercase()),
                    digits: bits(|b| b.is_ascii_digit()),
                    spaces: bits(|b| b.is_ascii() && char::from(b).is_whitespace()),
                    others: bits(|b| b == b'_' || !b.is_ascii()),
                };
                assert_eq!(Masks::new(&bytes[..length]), expected);
            }
        }
    }

    #[test]
    fn filled_runs_are_found() {
        // runs of ones: bits 1..3, 4..5 and 7..10
        let all = 0b011_1001_0110u64;
        let starts = all & !(all << 1);
        assert_eq!(filled(all, starts, all), 0b100_0010_1000);
        // without bit 7, the first bit of the last run; without bit 2, the second bit of the first run; only
        // the second run remains
        assert_eq!(filled(all & !(1 << 7), starts, all), 0b000_0010_1000);
        assert_eq!(filled(all & !(1 << 2), starts, all), 0b100_0010_0000);
        assert_eq!(filled(all, 1 << 4, all), 0b000_0010_0000);
    }
}
