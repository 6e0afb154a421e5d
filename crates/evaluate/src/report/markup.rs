//! Building blocks of reports: escaped text, numbers, tables, figures.

use std::fmt::Write;

/// Escapes text for elements and attributes. Characters that HTML and XML forbid become U+FFFD.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\t' | '\n' => out.push(c),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// A score with three digits; a dash for NaN and infinity.
pub(crate) fn number(value: f64) -> String {
    if value.is_finite() { format!("{value:.3}") } else { "–".to_owned() }
}

/// A score with its interval.
pub(crate) fn with_interval(value: f64, [low, high]: [f64; 2]) -> String {
    format!("{} ({}–{})", number(value), number(low), number(high))
}

/// A difference with sign and four digits.
pub(crate) fn signed(value: f64) -> String {
    if value.is_finite() { format!("{value:+.4}").replace('-', "−") } else { "–".to_owned() }
}

/// A p-value.
pub(crate) fn p_value(value: f64) -> String {
    match value {
        v if !v.is_finite() => "–".to_owned(),
        v if v < 1e-4 => "&lt; .0001".to_owned(),
        v => format!("{v:.4}"),
    }
}

/// A coordinate with one digit, which is enough for screens.
pub(crate) fn place(value: f64) -> String {
    let text = format!("{value:.1}");
    if text == "-0.0" { "0.0".to_owned() } else { text }
}

/// A table. The first `num_text` columns contain text, all others numbers. `head` is plain text; cells are
/// HTML.
pub(crate) fn table(head: &[&str], rows: &[Vec<String>], num_text: usize) -> String {
    let class = |i: usize| if i < num_text { "" } else { " class=\"n\"" };
    let mut out = String::from("<div class=\"scroll\"><table><thead><tr>");
    for (i, cell) in head.iter().enumerate() {
        let _ = write!(out, "<th scope=\"col\"{}>{}</th>", class(i), escape(cell));
    }
    out.push_str("</tr></thead><tbody>\n");
    for row in rows {
        out.push_str("<tr>");
        for (i, cell) in row.iter().enumerate() {
            let _ = write!(out, "<td{}>{cell}</td>", class(i));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody></table></div>\n");
    out
}

/// A figure: title, caption, drawing, and a folded table of its numbers. `title` is plain text; all others
/// are HTML.
pub(crate) fn figure(title: &str, caption: &str, svg: &str, data: &str) -> String {
    format!(
        "<figure>\n<figcaption><strong>{}</strong> {caption}</figcaption>\n{svg}<details><summary>The numbers</summary>\n{data}</details>\n</figure>\n",
        escape(title)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped() {
        assert_eq!(
            escape("<a href=\"x\">&'\u{1}\u{7f}"),
            "&lt;a href=&quot;x&quot;&gt;&amp;&#39;\u{fffd}\u{fffd}"
        );
        let html = table(&["<h>"], &[vec![escape("</td>")]], 1);
        assert!(html.contains("&lt;h&gt;") && html.contains("<td>&lt;/td&gt;</td>"), "{html}");
    }

    #[test]
    fn missing_numbers_are_dashes() {
        assert_eq!(
            (number(f64::NAN), number(0.25), signed(-0.5)),
            ("–".into(), "0.250".into(), "−0.5000".into())
        );
        assert_eq!(
            (p_value(1e-9), p_value(0.25), place(-0.01)),
            ("&lt; .0001".into(), "0.2500".into(), "0.0".into())
        );
    }
}
