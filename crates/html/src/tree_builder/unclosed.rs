//! Self-closing raw-text elements that would contain the rest of the page.

use crate::tokenizer::{StartTag, ends_name};
use memchr::memrchr_iter;

/// The offset of the last end tag of each raw-text element that occurs as a self-closing tag, if there is one.
#[derive(Debug, Default)]
pub(super) struct Unclosed(Vec<(String, Option<usize>)>);

impl Unclosed {
    /// Whether no end tag of the element follows a start tag.
    pub(super) fn is_unclosed(&mut self, tag: &StartTag<'_>) -> bool {
        let name = tag.name().text();
        let known = self.0.iter().find(|entry| entry.0 == name).map(|entry| entry.1);
        let last = known.unwrap_or_else(|| {
            let last = last_end_tag(tag.source.as_bytes(), name.as_bytes());
            self.0.push((name.to_owned(), last));
            last
        });
        last.is_none_or(|last| last < tag.end)
    }
}

/// Returns the offset of the last end tag called `name`.
fn last_end_tag(page: &[u8], name: &[u8]) -> Option<usize> {
    memrchr_iter(b'<', page).find(|&at| {
        let after = page[at + 1..].strip_prefix(b"/").and_then(|rest| rest.split_at_checked(name.len()));
        after.is_some_and(|(found, rest)| {
            found.eq_ignore_ascii_case(name) && rest.first().is_some_and(|&b| ends_name(b))
        })
    })
}

#[cfg(test)]
mod tests {
    use crate::tests::text;

    #[test]
    fn elements_that_would_contain_the_rest_of_the_page_are_empty() {
        for tag in
            ["script src=a.js", "STYLE", "iframe src='b'", "textarea name=c", "title", "xmp", "noframes"]
        {
            assert_eq!(text(&format!("<p>one<{tag} /><p>two")), "onetwo", "{tag}");
        }
        assert_eq!(text("<p>one<script src=a /><p>two<script>x</script><p>three"), "onethree");
        assert_eq!(text("<p>one<script>x</script><p>two<script src=a /><p>three</scripts>"), "onetwothree");
        assert_eq!(text("<p>one<script src=a /><p>two</SCRIPT >three"), "onethree");
        assert_eq!(text("<p>one<script src=a><p>two"), "one");
    }
}
