//! Patterns in the text of a block, such as URLs, e-mail addresses, dates, prices and telephone numbers.

use crate::{Column, Family, Grid, PageContext};
use threshr_page::text::text_patterns::{RELATIVE_DATE, scan};

/// The family.
pub(crate) struct Pattern;

const SOURCE: &str = "Victor (Marek et al. 2007)";

/// The patterns in the order of their bits, each with a description of what matches.
const PATTERNS: &[(&str, &str)] = &[
    ("url", "a URL: http://…, www.…, or a name under a common top-level domain (data/top_level_domains.tsv)"),
    ("email", "an e-mail address"),
    (
        "date",
        "a date: 3.5.2024, 2024-05-03, 3 May, May 2024, 3 de mayo de 2024, 5月3日, or a relative date such as \
         3 hours ago. Words: data/months.tsv, data/relative_dates.tsv, data/relative_dates_unspaced.tsv",
    ),
    ("time", "a time of day: 12:30, 12:30:05, 5pm, 14h30, 3点"),
    ("price", "a number beside a currency sign, or beside a word or code in data/currencies.tsv"),
    ("copyright", "©, ℗, (c), or the word copyright"),
    (
        "phone",
        "a telephone number: 7 to 15 digits, in groups or after +, separated only by spaces and ( ) . - /",
    ),
    ("percent", "a number before %"),
    ("handle", "a user name: @name"),
];

impl Family for Pattern {
    fn name(&self) -> &'static str {
        "pattern"
    }
    fn summary(&self) -> &'static str {
        "whether a block contains a URL, an e-mail address, a date, a price or a similar pattern"
    }
    fn columns(&self) -> Vec<Column> {
        let names = PATTERNS.iter().map(|p| p.0).collect::<Vec<_>>().join(", ");
        let first = format!(
            "number (from 1) of the first pattern in this list that occurs in the block: {names}; 0 if no \
             pattern occurs"
        );
        let mut columns = vec![Column::new("first", "code", first, SOURCE)];
        columns.extend(PATTERNS.iter().map(|(name, what)| {
            Column::new(format!("has_{name}"), "flag", format!("1 if the block has {what}"), SOURCE)
        }));
        let share = "share of the tokens (separated by white space) that belong to a pattern; if a pattern \
            consists of two tokens, only the second token is counted; 0 without tokens";
        columns.push(Column::new("share", "ratio", share, SOURCE));
        columns
    }

    fn fill(&self, page: &PageContext<'_>, out: &mut Grid<'_>) {
        for index in 0..page.len() {
            let (found, share) = scan(page.blocks.text(index));
            let found = found & !RELATIVE_DATE;
            let first = if found == 0 { 0 } else { found.trailing_zeros() + 1 };
            out.set(0, index, first as f32);
            for kind in 0..PATTERNS.len() {
                out.set(kind + 1, index, f32::from(found >> kind & 1));
            }
            out.set(PATTERNS.len() + 1, index, share);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::values;

    #[test]
    fn the_first_pattern_has_a_number() {
        let html = "<p>www.example.org 3.5.2024<p>12:30<p>plain text";
        assert_eq!(values(html, "pattern.first"), [1.0, 4.0, 0.0]);
        assert_eq!(values(html, "pattern.share"), [1.0, 1.0, 0.0]);
        assert_eq!(values(html, "pattern.has_date"), [1.0, 0.0, 0.0]);
    }
}
