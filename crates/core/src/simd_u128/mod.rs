//! SIMD comparisons of sixteen bytes at a time.
//!
//! [`Bytes`] holds sixteen bytes, and [`Matches`] is the mask of the bytes that pass a test. Processors with SSE2
//! (all of x86-64) use vector instructions. Other processors use integer arithmetic with the same results.

#[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "sse2"))))]
#[cfg_attr(
    all(test, target_arch = "x86_64", target_feature = "sse2"),
    expect(unreachable_pub, reason = "public where there is no SSE2")
)]
mod portable;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod sse2;

#[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
pub use portable::{Bytes, Matches};
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
pub use sse2::{Bytes, Matches};

#[cfg(test)]
mod tests {
    /// Checks an implementation on all 256 bytes.
    macro_rules! agrees_with_single_bytes {
        ($name:ident, $module:ident) => {
            #[test]
            fn $name() {
                use super::$module::Bytes;
                for start in (0..=255u8).step_by(16) {
                    let all: [u8; 16] = std::array::from_fn(|i| start + i as u8);
                    let mask =
                        |of: fn(u8) -> bool| (0..16).filter(|&i| of(all[i])).map(|i| 1 << i).sum::<u32>();
                    let bytes = Bytes::new(all);
                    assert_eq!(bytes.equal(b'a').bits(), mask(|b| b == b'a'));
                    assert_eq!(bytes.equal(200).bits(), mask(|b| b == 200));
                    assert_eq!(bytes.within(b'Z', 200).bits(), mask(|b| (b'Z'..=200).contains(&b)));
                    assert_eq!(bytes.within(0, b' ').bits(), mask(|b| b <= b' '));
                    assert_eq!(bytes.within(0, 255).bits(), mask(|_| true));
                    assert_eq!(bytes.not_ascii().bits(), mask(|b| !b.is_ascii()));
                    let either = bytes.equal(b'_') | bytes.within(b'\t', b'\r');
                    assert_eq!(either.bits(), mask(|b| matches!(b, b'_' | b'\t'..=b'\r')));
                    assert_eq!(bytes.lower_case(), all.map(|b| b.to_ascii_lowercase()));
                }
            }
        };
    }

    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    agrees_with_single_bytes!(sse2_agrees_with_single_bytes, sse2);
    agrees_with_single_bytes!(portable_agrees_with_single_bytes, portable);
}
