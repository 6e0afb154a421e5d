//! The wrapper element of CleanEval pages.

use std::ops::Range;
use threshr_html::{Unwrap, Wrapper};

/// CleanEval's first line `<text id="…" title="…" encoding="…">`, and the `</text>` at the end of a page. Sets in
/// any format may contain CleanEval pages.
#[derive(Debug, Clone, Copy)]
pub struct CleanevalWrapper;

impl Unwrap for CleanevalWrapper {
    fn page(&self, html: &str) -> Option<(Wrapper, Range<usize>)> {
        let start = html.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
        let rest = start.strip_prefix("<text ")?;
        let line = rest.lines().next().unwrap_or("");
        // a title may contain quotes and `>`; the encoding is the last attribute and contains none of them
        let encoding = line.find(" encoding=").unwrap_or(0);
        let end = line[encoding..].find('>').map(|i| encoding + i)?;
        let tag = &rest[..end];
        if !tag.contains("id=") || !tag.contains("encoding=") {
            return None;
        }
        // The title may be missing.
        let value = |name: &str, next: &[&str]| {
            let from = tag.find(name).map(|i| i + name.len())?;
            let until = next.iter().find_map(|next| tag[from..].rfind(next)).map_or(tag.len(), |i| from + i);
            Some(tag[from..until].trim().trim_matches('"').to_owned())
        };
        let wrapper = Wrapper {
            url: value("id=", &[" title=", " encoding="]).unwrap_or_default(),
            title: value("title=", &[" encoding="]).unwrap_or_default(),
        };
        let page = &rest[end + 1..];
        let start = html.len() - page.len();
        let page = page.trim_end().strip_suffix("</text>").unwrap_or(page);
        Some((wrapper, start..start + page.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_and_removes_the_wrapper() {
        let html = "<text id=\"http://a/\" title=\"A > \"b\"\" encoding=\"unset\">\n<p>x</p></text>\n";
        let (wrapper, page) = CleanevalWrapper.page(html).expect("a wrapper");
        assert_eq!(wrapper, Wrapper { url: "http://a/".into(), title: "A > \"b".into() });
        assert_eq!(&html[page], "\n<p>x</p>");
        let html = "<text id=\"http://a/\" encoding=\"iso-8859-1\">x";
        let (wrapper, _) = CleanevalWrapper.page(html).expect("a wrapper");
        assert_eq!(wrapper, Wrapper { url: "http://a/".into(), title: String::new() });
        let html = "\u{feff}\n<text id=a encoding=b><p>x";
        assert_eq!(CleanevalWrapper.page(html).map(|(_, page)| &html[page]), Some("<p>x"));
        assert!(CleanevalWrapper.page("<text x>").is_none() && CleanevalWrapper.page("<p>").is_none());
    }
}
