//! SIMD within a register (SWAR): eight bytes of text in one integer. The first byte is the lowest.

/// The value 1 in every byte.
pub const EACH: u64 = u64::from_le_bytes([1; 8]);
/// The high bit of every byte.
pub(crate) const HIGH: u64 = EACH << 7;

/// Packs the first eight bytes into an integer, padded with 0. The first byte is the lowest.
#[inline]
pub const fn packed(bytes: &[u8]) -> u64 {
    let length = bytes.len();
    if let Some(eight) = bytes.first_chunk() {
        u64::from_le_bytes(*eight)
    } else if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        // where the two chunks overlap, their bytes are equal
        u32::from_le_bytes(*first) as u64 | (u32::from_le_bytes(*last) as u64) << (8 * (length - 4))
    } else if length > 0 {
        let (middle, last) = (length / 2, length - 1);
        bytes[0] as u64 | (bytes[middle] as u64) << (8 * middle) | (bytes[last] as u64) << (8 * last)
    } else {
        0
    }
}

/// Converts eight ASCII characters to lower case.
#[inline]
pub fn lower_case(chunk: u64) -> u64 {
    chunk | (within(chunk, b'A', b'Z') >> 2)
}

/// Replaces the digits among eight ASCII characters by `0`.
#[inline]
pub fn zero_digits(chunk: u64) -> u64 {
    chunk & !((within(chunk, b'0', b'9') >> 7) * 0x0f)
}

/// Sets the high bit of each byte in `low..=high`. All bytes must be ASCII, so that no addition carries into the
/// next byte.
#[inline]
pub(crate) fn within(chunk: u64, low: u8, high: u8) -> u64 {
    let from = chunk.wrapping_add(EACH * u64::from(0x80 - low));
    let beyond = chunk.wrapping_add(EACH * u64::from(0x7f - high));
    (from ^ beyond) & HIGH
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_packed_from_the_lowest() {
        let bytes = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
        for length in 0..=bytes.len() {
            let mut expected = [0; 8];
            let most = length.min(8);
            expected[..most].copy_from_slice(&bytes[..most]);
            assert_eq!(packed(&bytes[..length]).to_le_bytes(), expected);
        }
    }

    #[test]
    fn every_ascii_character_is_folded_as_alone() {
        for c in 0u8..128 {
            let chunk = u64::from_le_bytes([b'a', c, b'Z', c, b'7', b' ', 0x7f, c]);
            let lower = u64::to_le_bytes(lower_case(chunk));
            let l = c.to_ascii_lowercase();
            assert_eq!(lower, [b'a', l, b'z', l, b'7', b' ', 0x7f, l], "{c}");
            let d = if c.is_ascii_digit() { b'0' } else { c };
            assert_eq!(u64::to_le_bytes(zero_digits(chunk)), [b'a', d, b'Z', d, b'0', b' ', 0x7f, d], "{c}");
        }
    }
}
