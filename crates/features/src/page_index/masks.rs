//! What each of sixty-four bytes of a text is, as bits, the first lowest.

use threshr_html::text::simd_u128::{is, within};
use wide::u8x16;

/// Most bytes of a piece: one less than there are bits, so that every run ends before the last.
pub(crate) const PIECE: usize = 63;

/// The bytes that are of a kind: those without a bit in any field are signs.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Masks {
    pub upper: u64,
    pub lower: u64,
    pub digits: u64,
    /// White space.
    pub spaces: u64,
    /// `_`, and the bytes of what is not ASCII: words of such characters have rules of their own.
    pub others: u64,
}

impl Masks {
    /// Of the first 64 bytes; where there are fewer, those after them are signs.
    #[inline]
    pub fn of(bytes: &[u8]) -> Self {
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
            let part = u8x16::new(part);
            let bits = |bytes: u8x16| u64::from(bytes.to_bitmask()) << (16 * i);
            masks.upper |= bits(within(part, b'A', b'Z'));
            masks.lower |= bits(within(part, b'a', b'z'));
            masks.digits |= bits(within(part, b'0', b'9'));
            masks.spaces |= bits(within(part, b'\t', b'\r') | is(part, b' '));
            // the high bits are what is taken
            masks.others |= bits(part | is(part, b'_'));
        }
        masks
    }
}

/// The bits below `n`, which is less than 64.
#[inline]
pub(crate) fn below(n: usize) -> u64 {
    (1 << n) - 1
}

/// The runs of `all` that `part` of it fills from one of `starts` to the end, as the bits after them. Adding a run's first bit
/// carries through as much of it as is filled. The last bit of `all` is never set.
#[inline]
pub(crate) fn filled(part: u64, starts: u64, all: u64) -> u64 {
    let after = !all & all << 1;
    part.wrapping_add(starts) & after
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_has_its_kind() {
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
                assert_eq!(Masks::of(&bytes[..length]), expected);
            }
        }
    }

    #[test]
    fn runs_are_filled_or_not() {
        // runs 1..3, 4..5, 7..10
        let all = 0b011_1001_0110u64;
        let starts = all & !(all << 1);
        assert_eq!(filled(all, starts, all), 0b100_0010_1000);
        // without the first of the last run, without the second of the first, from the second run alone
        assert_eq!(filled(all & !(1 << 7), starts, all), 0b000_0010_1000);
        assert_eq!(filled(all & !(1 << 2), starts, all), 0b100_0010_0000);
        assert_eq!(filled(all, 1 << 4, all), 0b000_0010_0000);
    }
}
