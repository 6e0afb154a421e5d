//! Counts, words and patterns in the text of blocks.

pub mod hashing;
pub(crate) mod masks;
pub mod page_words;
pub mod running_text;
pub(crate) mod scan;
pub(crate) mod signs;
pub mod stats;
pub mod text_patterns;
pub mod word;
pub mod word_list;

/// `a / b`, or 0 if `b` is 0.
pub fn ratio(a: u32, b: u32) -> f32 {
    if b == 0 { 0.0 } else { (f64::from(a) / f64::from(b)) as f32 }
}
