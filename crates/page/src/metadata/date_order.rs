//! Detects whether 3/5/2024 on a page is in March or in May.

use super::date_tokens::tokens;
use super::dates::{MAX_TEXT, YEARS};
use super::text::{cut, has_digit};
use std::cell::OnceCell;
use threshr_html::Document;
use threshr_html::blocks::Blocks;

/// Number of bytes at which the language sample is complete, and maximum number of bytes of one block in the
/// sample. Then the minimum number of bytes of such a block.
const SAMPLE_BYTES: usize = 1000;
const MIN_SAMPLE_BLOCK: usize = 40;

/// The order of day and month in the dates of a page, as far as the page itself shows it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct DateOrder {
    /// Whether the month comes first in unambiguous dates such as 5/13/2024.
    shown: Option<bool>,
    /// Whether the page is in English and its language tag names no country that writes the day first.
    is_american: bool,
}

/// The order of day and month on a page, which is determined when a date needs it.
#[derive(Debug)]
pub(crate) struct PageOrder<'a> {
    doc: &'a Document,
    blocks: &'a Blocks,
    url: Option<&'a str>,
    found: OnceCell<DateOrder>,
}

impl<'a> PageOrder<'a> {
    /// `url` is the URL of the page, which may indicate the order. `known` is the order, if it is known.
    pub(crate) fn new(
        doc: &'a Document,
        blocks: &'a Blocks,
        url: Option<&'a str>,
        known: Option<DateOrder>,
    ) -> Self {
        PageOrder { doc, blocks, url, found: known.map(OnceCell::from).unwrap_or_default() }
    }

    /// Whether 3/5/2024 on the page is in March.
    pub(crate) fn is_month_first(&self) -> bool {
        self.found.get_or_init(|| DateOrder::new(self.doc, self.blocks)).is_month_first(self.url)
    }

    /// Returns the order, if a date needed it.
    pub(crate) fn found(&self) -> Option<DateOrder> {
        self.found.get().copied()
    }
}

impl DateOrder {
    fn new(doc: &Document, blocks: &Blocks) -> Self {
        let texts = || (0..blocks.len()).map(move |i| blocks.text(i));
        let shown = shown_order(texts());
        let tag = doc.language().unwrap_or("en").to_ascii_lowercase();
        let mut parts = tag.split(['-', '_']);
        let is_english = parts.next() == Some("en");
        let is_american = parts.next().is_none_or(|region| matches!(region, "us" | "ph"));
        DateOrder {
            shown,
            is_american: shown.is_none() && is_english && is_american && has_english_text(texts()),
        }
    }

    /// Whether the page writes the month before the day. Unambiguous dates determine the order. If there are none, the
    /// month comes first on English pages without evidence of a country that writes the day first.
    pub(crate) fn is_month_first(self, url: Option<&str>) -> bool {
        const OTHERS: [&str; 8] = ["uk", "au", "nz", "ie", "in", "za", "eu", "sg"];
        let domain = || url.and_then(super::url::host).and_then(|h| h.rsplit('.').next());
        self.shown.unwrap_or_else(|| self.is_american && !domain().is_some_and(|d| OTHERS.contains(&d)))
    }
}

/// Whether the detected language is English or unknown. The text is checked because templates often state `en`
/// for other languages.
fn has_english_text<'b>(texts: impl Iterator<Item = &'b str>) -> bool {
    let mut sample = String::new();
    for text in texts.filter(|text| text.len() >= MIN_SAMPLE_BLOCK) {
        if sample.len() >= SAMPLE_BYTES {
            break;
        }
        sample.push_str(cut(text, SAMPLE_BYTES));
        sample.push('\n');
    }
    crate::language::language(&sample, None).is_none_or(|code| code == "en")
}

/// Whether the month comes first in the unambiguous dates of some texts, such as 5/13/2024. Returns `None` if
/// there are no such dates or if they contradict each other.
fn shown_order<'t>(texts: impl Iterator<Item = &'t str>) -> Option<bool> {
    let mut seen = [false; 2];
    let may_be_date = |text: &&str| text.len() <= MAX_TEXT && has_digit(text) && text.contains(['/', '-']);
    for text in texts.filter(may_be_date) {
        for window in tokens(text).windows(3) {
            let [first, second, year] = window else { continue };
            let separator = second.before.trim();
            let is_date = matches!(separator, "/" | "-")
                && year.before.trim() == separator
                && year.number_of(4..=4).is_some_and(|year| YEARS.contains(&(year as i32)));
            let (Some(a), Some(b)) = (first.number_of(1..=2), second.number_of(1..=2)) else { continue };
            if is_date && (1..=31).contains(&a.max(b)) && a.min(b) >= 1 && a.min(b) <= 12 && a.max(b) > 12 {
                seen[usize::from(b > 12)] = true;
            }
        }
    }
    match seen {
        [true, false] => Some(false),
        [false, true] => Some(true),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_with_one_reading_tell_the_order() {
        let order = |texts: &[&str]| shown_order(texts.iter().copied());
        assert_eq!(order(&["rain", "Posted 13/5/2024", "3/5/2024"]), Some(false));
        assert_eq!(order(&["5-13-2024"]), Some(true));
        for texts in [
            &["3/5/2024"][..],
            &["13/5/2024", "5/13/2024"],
            &["13/45/2024", "13/5-2024", "13.5.2024", "1/13/9999", "0/13/2024"],
            &[],
        ] {
            assert_eq!(order(texts), None, "{texts:?}");
        }
    }
}
