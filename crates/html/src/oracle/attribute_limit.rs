//! Limits the attributes of a tag before html5ever reads the page.

use crate::trim::{markup, scan_tag};
use std::borrow::Cow;

/// Removes the attributes of each tag after the first `most`. Without such a tag the page is borrowed.
///
/// html5ever's tokenizer takes time quadratic in the number of attributes.
pub(crate) fn limit_attributes(html: &str, most: usize) -> Cow<'_, str> {
    let (mut out, mut copied) = (String::new(), 0);
    for tag in markup(html) {
        if let Some(cut) = first_beyond(html.as_bytes(), tag.start, most) {
            out.push_str(&html[copied..cut]);
            copied = tag.end;
        }
    }
    if copied == 0 {
        return Cow::Borrowed(html);
    }
    out.push_str(&html[copied..]);
    Cow::Owned(out)
}

/// Offset of the first attribute beyond the limit, in the tag or comment at `start`.
fn first_beyond(bytes: &[u8], start: usize, most: usize) -> Option<usize> {
    if bytes.get(start + 1) == Some(&b'!') {
        return None;
    }
    let (mut num, mut found) = (0, None);
    scan_tag(bytes, start + 1, |at| {
        num += 1;
        if num == most.saturating_add(1) {
            found = Some(at);
        }
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_only_beyond_the_limit() {
        assert!(matches!(limit_attributes("<a b=1 c='>' d><!-- <a b c d e f g> -->", 3), Cow::Borrowed(_)));
        assert_eq!(limit_attributes("x<a b=1 c='>' d e=\"'>\" f>y<i>", 3), "x<a b=1 c='>' d >y<i>");
        assert_eq!(limit_attributes("<a 1 2 3 4", 2), "<a 1 2 ");
        for raw in [
            "<script>if (a<b && c d e f g h) {}</script><p>",
            "<SCRIPT>if (a<b && c d e f g h) {}</Script ><p>",
            "<textarea>if a<b c d e f g h</textarea><p>",
            "<style>a<b c d e f g",
        ] {
            assert_eq!(limit_attributes(raw, 2), raw);
        }
        assert_eq!(limit_attributes("<script></script><a 1 2 3>", 2), "<script></script><a 1 2 >");
    }
}
