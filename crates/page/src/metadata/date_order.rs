//! Whether 3/5/2024 on a page is in March or in May.

use super::date_tokens::tokens;
use super::dates::{MAX_TEXT, YEARS};
use super::text::cut;
use threshr_html::Document;
use threshr_html::blocks::Blocks;

/// Bytes of text that tell the language of a page, and least bytes of a block in them.
const SAMPLE_BYTES: usize = 1000;
const MIN_SAMPLE_BLOCK: usize = 40;

/// Whether dates of the page have the month before the day. Dates that have one reading decide, such as
/// 13/5/2024. Without any: English text without a sign of another country.
pub(super) fn is_month_first(doc: &Document, blocks: &Blocks, url: Option<&str>) -> bool {
    const OTHERS: [&str; 8] = ["uk", "au", "nz", "ie", "in", "za", "eu", "sg"];
    let texts = || (0..blocks.len()).map(move |i| blocks.text(i));
    if let Some(order) = shown_order(texts()) {
        return order;
    }
    let tag = doc.language().unwrap_or("en").to_ascii_lowercase();
    let mut parts = tag.split(['-', '_']);
    let is_english = parts.next() == Some("en");
    let is_american = parts.next().is_none_or(|region| matches!(region, "us" | "ph"));
    let domain = url.and_then(super::url::host).and_then(|h| h.rsplit('.').next());
    is_english && is_american && !domain.is_some_and(|d| OTHERS.contains(&d)) && has_english_text(texts())
}

/// Whether the text is English as far as can be told. Templates often state `en` for other languages.
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

/// Whether the month stands before the day in dates of some texts that have one reading, such as 5/13/2024.
/// `None` if there are none, or dates of both orders.
fn shown_order<'t>(texts: impl Iterator<Item = &'t str>) -> Option<bool> {
    let mut seen = [false; 2];
    for text in texts.filter(|text| text.len() <= MAX_TEXT && text.contains(['/', '-'])) {
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
