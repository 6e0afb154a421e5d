//! Tests of sixteen bytes at a time.

use wide::u8x16;

/// Sets all bits of each byte that equals `byte`.
#[inline]
pub fn is(bytes: u8x16, byte: u8) -> u8x16 {
    bytes.simd_eq(u8x16::splat(byte))
}

/// Sets all bits of each byte in `low..=high`.
#[inline]
pub fn within(bytes: u8x16, low: u8, high: u8) -> u8x16 {
    let above = bytes - u8x16::splat(low);
    above.min(u8x16::splat(high - low)).simd_eq(above)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equals_tests_of_single_bytes() {
        for start in (0..=255u8).step_by(16) {
            let bytes: [u8; 16] = std::array::from_fn(|i| start + i as u8);
            let bits = |of: fn(u8) -> bool| (0..16).filter(|&i| of(bytes[i])).map(|i| 1 << i).sum::<u32>();
            let vector = u8x16::new(bytes);
            assert_eq!(is(vector, b'a').to_bitmask(), bits(|b| b == b'a'));
            assert_eq!(within(vector, b'Z', 200).to_bitmask(), bits(|b| (b'Z'..=200).contains(&b)));
            assert_eq!(within(vector, 0, b' ').to_bitmask(), bits(|b| b <= b' '));
        }
    }
}
