//! Ruby: characters with their pronunciation. Without markup, it is written as `base(reading)`.

use crate::units::inline::{Atom, AtomKind, Inlines, Style};
use std::ops::Range;

/// Parentheses around a reading.
const OPEN: [char; 2] = ['(', '（'];
const CLOSE: [char; 2] = [')', '）'];

/// Turns the text of a ruby element, from byte `start` to the end of the line, into ruby atoms. The text is not
/// changed if it has another format, a style, several links, or atoms.
pub(super) fn mark(inlines: &mut Inlines, start: usize) {
    let Some(text) = inlines.text.get(start..).map(str::trim_start) else { return };
    // Leading white space is not part of the first base.
    let start = inlines.text.len() - text.len();
    let Some(pairs) = pairs(text, start) else { return };
    let is_after = |range: &Range<usize>| range.end > start;
    let mut runs = inlines.runs.iter().filter(|run| is_after(&run.text));
    let link = runs.clone().next().and_then(|run| run.link.clone());
    let is_plain = runs.all(|run| run.style == Style::default() && run.link == link);
    if !is_plain || inlines.atoms.iter().any(|atom| is_after(&atom.text)) {
        return;
    }
    for (base, reading, text) in pairs {
        inlines.atoms.push(Atom { text, kind: AtomKind::Ruby { base, reading }, link: link.clone() });
    }
}

/// Parses `base(reading)base(reading)…`. Returns base, reading and byte range of each pair.
fn pairs(text: &str, start: usize) -> Option<Vec<(String, String, Range<usize>)>> {
    let (mut pairs, mut at) = (Vec::new(), 0);
    while !text[at..].trim().is_empty() {
        let rest = &text[at..];
        let (base, inside) = rest.split_once(OPEN)?;
        let (reading, after) = inside.split_once(CLOSE)?;
        if base.trim().is_empty() || reading.trim().is_empty() || (base.to_owned() + reading).contains(OPEN) {
            return None;
        }
        let (begin, end) = (at + rest.len() - rest.trim_start().len(), text.len() - after.len());
        pairs.push((base.trim().to_owned(), reading.trim().to_owned(), start + begin..start + end));
        at = end;
    }
    Some(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::tests::written;

    #[test]
    fn bases_have_their_readings() {
        let text =
            |(base, reading, place): (String, String, Range<usize>)| format!("{base}|{reading}|{place:?}");
        let of =
            |ruby: &str| pairs(ruby, 2).map(|all| all.into_iter().map(text).collect::<Vec<_>>().join(" "));
        assert_eq!(of(" a(b)c（d）").as_deref(), Some("a|b|3..7 c|d|7..15"));
        assert_eq!(of("").as_deref(), Some(""));
        for other in ["a", "a(b", "(b)", "a()", "a(b)c", "a(b(c)"] {
            assert!(of(other).is_none(), "{other}");
        }
    }

    #[test]
    fn html_has_ruby_and_text_has_parentheses() {
        let element = "<ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp></ruby>";
        for page in [
            "<p>この<ruby>漢<rt>かん</rt>字<rt>じ</rt></ruby>です",
            "<p>この<ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp>字<rp>(</rp><rt>じ</rt><rp>)</rp></ruby>です",
        ] {
            let html = written("html", page);
            assert!(html.contains(&format!("この{element}<ruby>字<rp>")), "{html}");
            assert!(written("text", page).contains("この漢(かん)字(じ)です"), "{page}");
        }
        let html = written("html", "<p>a <a href=https://a.example/><ruby>漢<rt>かん</rt></ruby></a>");
        assert!(html.contains(&format!("<a href=\"https://a.example/\">{element}</a>")), "{html}");
        // text with a style is not changed
        let html = written("html", "<p>a <b><ruby>漢<rt>かん</rt></ruby></b>");
        assert!(html.contains("<strong>漢(かん)</strong>"), "{html}");
        assert!(written("markdown", "<p><ruby>漢<rt>かん</rt></ruby>").contains("漢(かん)"));
        assert!(
            written("tei", "<p><ruby>漢<rt>かん</rt></ruby>")
                .contains("<ruby><rb>漢</rb><rt>かん</rt></ruby>")
        );
    }
}
