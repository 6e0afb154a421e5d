//! Stamps: short blocks with the date, and usually the author, of a post.

use crate::PageFacts;
use crate::text::text_patterns::Dates;

/// Maximum number of words of a stamp.
const MAX_STAMP_WORDS: u32 = 25;
/// Minimum number of digits of a stamp with a date or a time of day.
const MIN_STAMP_DIGITS: u32 = 3;
/// Maximum number of words of a stamp with a relative date. Longer blocks may be sentences that contain such a
/// date.
const MAX_RELATIVE_WORDS: u32 = 12;

/// Whether a block is a stamp: it is short, and contains a date, a time of day or a relative date.
pub fn is_stamp(page: &PageFacts<'_>, index: usize) -> bool {
    let s = &page.stats[index];
    let has_digits = s.num_digits >= MIN_STAMP_DIGITS && s.num_words <= MAX_STAMP_WORDS;
    let may_be_relative = s.num_digits > 0 && s.num_words <= MAX_RELATIVE_WORDS;
    if !(has_digits || may_be_relative) {
        return false;
    }
    let dates = Dates::new(page.blocks.text(index));
    has_digits && dates.any || may_be_relative && dates.relative
}
