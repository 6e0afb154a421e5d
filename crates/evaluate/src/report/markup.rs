//! Building blocks of reports: escaped text, numbers, tables, figures.

use std::fmt::Write;
use threshr_output::formats::escape;

/// Escapes all values that templates write.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Escaper;

impl askama::filters::Escaper for Escaper {
    fn write_escaped_str<W: Write>(&self, mut out: W, text: &str) -> std::fmt::Result {
        out.write_str(&escape(text))
    }
}

/// Formats a score with three decimal digits; a dash for NaN and infinity.
pub fn number(value: f64) -> String {
    if value.is_finite() { format!("{value:.3}") } else { "–".to_owned() }
}

/// Formats a score and its interval, if there is one.
pub fn with_interval(value: f64, interval: Option<[f64; 2]>) -> String {
    let interval = interval.map(|[low, high]| format!(" ({}–{})", number(low), number(high)));
    number(value) + &interval.unwrap_or_default()
}

/// Formats a difference with its sign and four decimal digits; a dash for NaN and infinity.
pub(crate) fn signed(value: f64) -> String {
    if value.is_finite() { format!("{value:+.4}").replace('-', "−") } else { "–".to_owned() }
}

/// Formats a p-value; `< .0001` for values below 0.0001, a dash for NaN and infinity.
pub(crate) fn p_value(value: f64) -> String {
    match value {
        v if !v.is_finite() => "–".to_owned(),
        v if v < 1e-4 => "< .0001".to_owned(),
        v => format!("{v:.4}"),
    }
}

/// A table.
#[derive(Debug)]
pub struct Table {
    /// Names of the columns.
    pub head: Vec<String>,
    /// The cells of each row.
    pub rows: Vec<Vec<String>>,
    /// Number of leading columns that contain text. All other columns contain numbers.
    pub num_text: usize,
}

impl Table {
    pub(super) fn new(head: &[&str], rows: Vec<Vec<String>>, num_text: usize) -> Self {
        Table { head: head.iter().map(|&cell| cell.to_owned()).collect(), rows, num_text }
    }
}

/// A chart together with the table of its numbers.
#[derive(Debug)]
pub struct Figure {
    /// The title, which states what the chart shows.
    pub title: String,
    /// How the numbers were measured.
    pub caption: String,
    /// CSS class and meaning of each kind of bar in the chart.
    pub legend: Vec<(&'static str, String)>,
    /// The chart as SVG.
    pub svg: String,
    /// The numbers of the chart.
    pub data: Table,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_numbers_are_dashes() {
        assert_eq!(
            (number(f64::NAN), number(0.25), signed(-0.5)),
            ("–".into(), "0.250".into(), "−0.5000".into())
        );
        assert_eq!((p_value(1e-9), p_value(0.25)), ("< .0001".into(), "0.2500".into()));
    }
}
