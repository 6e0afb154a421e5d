//! Searches for delimiters sixteen bytes at a time. The next delimiter is usually only a few bytes away.

use memchr::memchr3;
use threshr_core::simd_u128::Bytes;

/// Returns the length, at least `least` bytes, of the name at the start of a window. Returns `None` if the name
/// does not end in the window.
///
/// A control character, a space, `/`, `=` or `>` ends the name.
#[inline]
pub(crate) fn name_length(window: &[u8; 16], least: usize) -> Option<usize> {
    let bytes = Bytes::new(*window);
    let ends = bytes.within(0, b' ') | bytes.equal(b'/') | bytes.equal(b'=') | bytes.equal(b'>');
    let ends = ends.bits() >> least << least;
    (ends != 0).then(|| ends.trailing_zeros() as usize)
}

/// Returns the window with ASCII letters in lower case.
#[inline]
pub(crate) fn lower_case(window: &[u8; 16]) -> [u8; 16] {
    Bytes::new(*window).lower_case()
}

/// Returns the offset of the first byte that equals one of `wanted`.
#[inline]
pub(crate) fn find(wanted: [u8; 3], bytes: &[u8]) -> Option<usize> {
    let [a, b, c] = wanted;
    let (windows, _) = bytes.as_chunks();
    for (i, window) in windows.iter().take(2).enumerate() {
        let window = Bytes::new(*window);
        let found = (window.equal(a) | window.equal(b) | window.equal(c)).bits();
        if found != 0 {
            return Some(16 * i + found.trailing_zeros() as usize);
        }
    }
    let searched = 16 * windows.len().min(2);
    memchr3(a, b, c, &bytes[searched..]).map(|at| searched + at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_bytes_at_all_offsets() {
        for length in 0..80 {
            let mut bytes = vec![b'x'; length];
            assert_eq!(find([b'"', b'&', 0], &bytes), None);
            for at in (0..length).rev() {
                bytes[at] = [b'"', b'&', 0][at % 3];
                assert_eq!(find([b'"', b'&', 0], &bytes), Some(at));
            }
        }
    }

    #[test]
    fn names_end_at_delimiters() {
        for byte in 0..=255u8 {
            let mut window = *b"aBcDeFgHiJkLmNoP";
            assert_eq!(name_length(&window, 1), None);
            window[5] = byte;
            let ends = byte <= b' ' || b"/=>".contains(&byte);
            assert_eq!(name_length(&window, 0), ends.then_some(5), "{byte}");
            assert_eq!(name_length(&window, 6), None);
            let lower = window.map(|b| b.to_ascii_lowercase());
            assert_eq!(lower_case(&window), lower, "{byte}");
        }
        for (first, last) in (0..16).flat_map(|last| (0..=last).map(move |first| (first, last))) {
            let mut window = *b"aBcDeFgHiJkLmNoP";
            (window[first], window[last]) = (b'=', b'>');
            assert_eq!(name_length(&window, 0), Some(first));
            assert_eq!(name_length(&window, first + 1), (first < last).then_some(last));
        }
    }
}
