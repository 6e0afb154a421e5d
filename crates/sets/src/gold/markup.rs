//! CleanEval markup: `<p>`, `<h>` or `<l>` before each segment of text.

pub use threshr_html::blocks::ParagraphClass;

/// A segment of text with its class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment<'a> {
    /// Class of the segment.
    pub class: ParagraphClass,
    /// Text of the segment, on one or more lines.
    pub text: &'a str,
}

/// Splits text with markup into segments. A first line `URL: …` is skipped. Text before the first tag is a
/// paragraph. A segment ends at the next opening or closing tag.
pub fn segments(markup: &str) -> Vec<Segment<'_>> {
    let mut rest = markup.trim_start_matches('\u{feff}').trim_start();
    if rest.get(..4).is_some_and(|s| s.eq_ignore_ascii_case("url:")) {
        rest = rest.split_once('\n').map_or("", |(_, after)| after);
    }
    let mut found = Vec::new();
    let mut class = ParagraphClass::Paragraph;
    let mut start = 0;
    let mut at = 0;
    while let Some(open) = rest[at..].find('<').map(|i| at + i) {
        let Some((next, length)) = tag(&rest[open..]) else {
            at = open + 1;
            continue;
        };
        found.push(Segment { class, text: rest[start..open].trim() });
        class = next;
        start = open + length;
        at = start;
    }
    found.push(Segment { class, text: rest[start..].trim() });
    found.retain(|s| !s.text.is_empty());
    found
}

/// Parses the tag at the start of `text`. Returns the class of the text after it, and the length of the tag.
fn tag(text: &str) -> Option<(ParagraphClass, usize)> {
    let end = text.bytes().take(5).position(|b| b == b'>')?;
    let name = text[1..end].trim();
    let closing = name.starts_with('/');
    let class = match name.trim_start_matches('/').to_ascii_lowercase().as_str() {
        "p" => ParagraphClass::Paragraph,
        "h" => ParagraphClass::Heading,
        "l" => ParagraphClass::List,
        _ => return None,
    };
    Some((if closing { ParagraphClass::Paragraph } else { class }, end + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_segments() {
        let found = segments("URL: http://x\n\n <h>Title\n<p>Some\n text <b> 1 < 2\n<l>* a</l>\n<L>b");
        let expected = [
            (ParagraphClass::Heading, "Title"),
            (ParagraphClass::Paragraph, "Some\n text <b> 1 < 2"),
            (ParagraphClass::List, "* a"),
            (ParagraphClass::List, "b"),
        ];
        assert_eq!(found, expected.map(|(class, text)| Segment { class, text }));
        assert!(segments("").is_empty());
        assert_eq!(segments("plain").len(), 1);
    }
}
