//! SIMD within a register (SWAR): arithmetic on two 64-bit integers of eight bytes each.
//!
//! Source: Warren, 2012, "Hacker's Delight", chapters 2 and 6.

use std::ops::BitOr;

/// The high bit of each byte.
const HIGH: u64 = 0x8080_8080_8080_8080;

/// Sixteen bytes.
#[derive(Debug, Clone, Copy)]
pub struct Bytes([u64; 2]);

/// The mask of the bytes that pass a test. The high bit of each such byte is set; all other bits are 0.
#[derive(Debug, Clone, Copy)]
pub struct Matches([u64; 2]);

#[inline(always)]
fn splat(byte: u8) -> u64 {
    u64::from_ne_bytes([byte; 8])
}

/// Returns a mask with the high bit set in each byte of `x` that is 0.
#[inline(always)]
fn zero(x: u64) -> u64 {
    !(((x & !HIGH) + !HIGH) | x) & HIGH
}

/// Returns `x - y` for each pair of bytes, modulo 256.
#[inline(always)]
fn difference(x: u64, y: u64) -> u64 {
    ((x | HIGH) - (y & !HIGH)) ^ ((x ^ !y) & HIGH)
}

/// Returns a mask with the high bit set in each byte of `x` that is at most the corresponding byte of `y`.
#[inline(always)]
fn at_most(x: u64, y: u64) -> u64 {
    let low_bits_at_most = (y | HIGH) - (x & !HIGH);
    ((!x & y) | (!(x ^ y) & low_bits_at_most)) & HIGH
}

impl Bytes {
    /// Loads the bytes.
    #[inline]
    pub fn new(bytes: [u8; 16]) -> Self {
        let all = u128::from_le_bytes(bytes);
        Bytes([all as u64, (all >> 64) as u64])
    }

    /// Returns the mask of the bytes that equal `byte`.
    #[inline]
    pub fn equal(self, byte: u8) -> Matches {
        Matches(self.0.map(|x| zero(x ^ splat(byte))))
    }

    /// Returns the mask of the bytes in `low..=high`.
    #[inline]
    pub fn within(self, low: u8, high: u8) -> Matches {
        Matches(self.0.map(|x| at_most(difference(x, splat(low)), splat(high - low))))
    }

    /// Returns the mask of the non-ASCII bytes.
    #[inline]
    pub fn not_ascii(self) -> Matches {
        Matches(self.0.map(|x| x & HIGH))
    }

    /// Returns the bytes with ASCII letters in lower case.
    #[inline]
    pub fn lower_case(self) -> [u8; 16] {
        // upper-case letters lack the bit 0x20, which is the high bit shifted by 2
        let upper = self.within(b'A', b'Z').0;
        let [first, second] = std::array::from_fn(|i| u128::from(self.0[i] | upper[i] >> 2));
        (first | second << 64).to_le_bytes()
    }
}

impl Matches {
    /// Returns one bit per byte. The lowest bit belongs to the first byte.
    #[inline]
    pub fn bits(self) -> u32 {
        // the multiplication gathers the eight high bits in the highest byte
        let [first, second] = self.0.map(|x| ((x >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u32);
        first | second << 8
    }
}

impl BitOr for Matches {
    type Output = Self;

    #[inline]
    fn bitor(self, other: Self) -> Self {
        Matches([self.0[0] | other.0[0], self.0[1] | other.0[1]])
    }
}
