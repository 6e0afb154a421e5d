//! Stamps: blocks with the date and the author of a post.

use crate::PageFacts;
use crate::text::text_patterns::Dates;

/// Most words of a stamp: a block with the date and the author of a post.
const MAX_STAMP_WORDS: u32 = 25;
/// Fewest digits of a stamp.
const MIN_STAMP_DIGITS: u32 = 3;
/// Most words of a stamp with a relative date. Longer blocks may be sentences with one.
const MAX_RELATIVE_WORDS: u32 = 12;

/// Whether a block is a stamp: it is short, and has a date, a time of day or a relative date.
pub fn is_stamp(page: &PageFacts<'_>, index: usize) -> bool {
    let s = &page.stats[index];
    let has_digits = s.num_digits >= MIN_STAMP_DIGITS && s.num_words <= MAX_STAMP_WORDS;
    let may_be_relative = s.num_digits > 0 && s.num_words <= MAX_RELATIVE_WORDS;
    if !(has_digits || may_be_relative) {
        return false;
    }
    let dates = Dates::of(page.blocks.text(index));
    has_digits && dates.any || may_be_relative && dates.relative
}
