//! SSE2 vector instructions, called through the safe functions of `pulp`.

use pulp::core_arch::x86::Sse2;
use std::arch::x86_64::__m128i;
use std::ops::BitOr;

/// Sixteen bytes.
#[derive(Debug, Clone, Copy)]
pub struct Bytes(__m128i);

/// The mask of the bytes that pass a test. The high bit of each such byte is set; the other bits of a byte have no
/// meaning.
#[derive(Debug, Clone, Copy)]
pub struct Matches(__m128i);

/// Returns access to the instructions. The compiler removes the check, since the target has SSE2.
#[inline(always)]
fn sse2() -> Sse2 {
    Sse2::try_new().unwrap_or_else(|| unreachable!("the target has SSE2"))
}

#[inline(always)]
fn splat(byte: u8) -> __m128i {
    sse2()._mm_set1_epi8(byte.cast_signed())
}

impl Bytes {
    /// Loads the bytes.
    #[inline(always)]
    pub fn new(bytes: [u8; 16]) -> Self {
        Bytes(pulp::cast(bytes))
    }

    /// Returns the mask of the bytes that equal `byte`.
    #[inline(always)]
    pub fn equal(self, byte: u8) -> Matches {
        Matches(sse2()._mm_cmpeq_epi8(self.0, splat(byte)))
    }

    /// Returns the mask of the bytes in `low..=high`.
    #[inline(always)]
    pub fn within(self, low: u8, high: u8) -> Matches {
        let above = sse2()._mm_sub_epi8(self.0, splat(low));
        Matches(sse2()._mm_cmpeq_epi8(sse2()._mm_min_epu8(above, splat(high - low)), above))
    }

    /// Returns the mask of the non-ASCII bytes.
    #[inline(always)]
    pub fn not_ascii(self) -> Matches {
        // the high bit of a non-ASCII byte is set
        Matches(self.0)
    }

    /// Returns the bytes with ASCII letters in lower case.
    #[inline(always)]
    pub fn lower_case(self) -> [u8; 16] {
        // a space is 0x20, the bit that upper-case letters lack
        let bit = sse2()._mm_and_si128(self.within(b'A', b'Z').0, splat(b' '));
        pulp::cast(sse2()._mm_or_si128(self.0, bit))
    }
}

impl Matches {
    /// Returns one bit per byte. The lowest bit belongs to the first byte.
    #[inline(always)]
    pub fn bits(self) -> u32 {
        sse2()._mm_movemask_epi8(self.0).cast_unsigned()
    }
}

impl BitOr for Matches {
    type Output = Self;

    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        Matches(sse2()._mm_or_si128(self.0, other.0))
    }
}
