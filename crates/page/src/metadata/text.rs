//! Text of elements and attribute values, normalised for metadata.

use crate::word_lists::rows;
use threshr_html::{Document, Kind, NodeId, Tag, decoded_again, parse_str};

/// Maximum number of bytes of a value that are read. Longer values are truncated.
pub(crate) const MAX_VALUE: usize = 4000;
/// Maximum number of nodes of an element whose text is read.
const MAX_NODES: usize = 2000;

/// Collapses each run of white space to one space and removes invisible characters.
pub(crate) fn folded(text: &str) -> String {
    let text = cut(text, MAX_VALUE);
    // most texts
    if is_folded(text) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        let start = out.len();
        if start > 0 {
            out.push(' ');
        }
        match word.is_ascii() {
            true => out.push_str(word),
            false => out.extend(word.chars().filter(|&c| !is_invisible(c))),
        }
        if start > 0 && out.len() == start + 1 {
            out.truncate(start);
        }
    }
    out
}

/// Whether a text is ASCII without control characters and has single spaces between words only.
fn is_folded(text: &str) -> bool {
    let mut before = b' ';
    let mut fits = |byte: u8| {
        let before = std::mem::replace(&mut before, byte);
        matches!(byte, b'!'..=b'~') || byte == b' ' && before != b' '
    };
    let is_plain = text.bytes().all(&mut fits);
    is_plain && (before != b' ' || text.is_empty())
}

/// Whether a character is not shown, such as a soft hyphen.
pub(super) fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{ad}' | '\u{feff}' | '\u{2060}')
}

/// Collapses white space like [`folded`]. Before that, a text that was encoded twice is decoded once more, because
/// some of the characters that stand for its letters are white space or invisible.
pub(super) fn mended(text: &str) -> String {
    let text = cut(text, MAX_VALUE);
    decoded_again(text).map_or_else(|| folded(text), |text| folded(&text))
}

/// Whether a text has an ASCII digit.
pub(crate) fn has_digit(text: &str) -> bool {
    // without an early end, this is vectorised
    text.bytes().fold(false, |any, b| any | b.is_ascii_digit())
}

/// Returns at most the first `max` bytes of a string, cut at a character boundary.
pub(crate) fn cut(text: &str, max: usize) -> &str {
    let mut end = text.len().min(max);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Returns a value as plain text. Character references are resolved and tags are removed, because many sites
/// escape such values twice.
pub(crate) fn plain(text: &str) -> String {
    let mut text = mended(text);
    // a character reference may be escaped more than once
    for _ in 0..2 {
        if !has_reference(&text) {
            break;
        }
        // a `<` that does not start a tag is kept
        let doc = parse_str(&format!("<p>{}", text.replace('<', "&lt;")));
        text = mended(doc.source_text());
    }
    if has_tag(&text) {
        let doc = parse_str(&format!("<p>{text}"));
        text = of_node(&doc, doc.root());
    }
    text
}

fn has_reference(text: &str) -> bool {
    text.match_indices('&').any(|(at, _)| {
        let name = &text.as_bytes()[at + 1..text.len().min(at + 12)];
        let end = name.iter().position(|b| !b.is_ascii_alphanumeric() && *b != b'#');
        end.is_some_and(|end| end > 1 && name[end] == b';')
    })
}

/// Whether the text has a start or end tag of a known element, including its `>`.
fn has_tag(text: &str) -> bool {
    text.match_indices('<').any(|(at, _)| {
        let rest = &text[at + 1..];
        let rest = rest.strip_prefix('/').unwrap_or(rest);
        let len = rest.bytes().take_while(u8::is_ascii_alphanumeric).count();
        rest.contains('>') && Tag::known(&rest[..len].to_ascii_lowercase()).is_some()
    })
}

/// Returns the text of an element with collapsed white space. Block elements and line breaks separate words.
pub(crate) fn of_node(doc: &Document, node: NodeId) -> String {
    mended(&raw_text(doc, node, usize::MAX))
}

/// Returns the text of an element like [`of_node`]; `None` if it has more than `max` characters.
pub(super) fn short_of_node(doc: &Document, node: NodeId, max: usize) -> Option<String> {
    // four characters may stand for one that was encoded twice
    let text = mended(&raw_text(doc, node, 4 * max));
    (text.chars().count() <= max).then_some(text)
}

/// Returns the text of an element. If it has more than `max` visible characters, it may be truncated after them.
fn raw_text(doc: &Document, node: NodeId, max: usize) -> String {
    let (mut text, mut num_shown) = (String::new(), 0);
    let (mut skipped, mut last_block) = (None, None);
    for n in std::iter::once(node).chain(doc.descendants(node)).take(MAX_NODES) {
        if text.len() > MAX_VALUE || num_shown > max {
            break;
        }
        if skipped.is_some_and(|s| doc.ancestors(n).any(|a| a == s)) {
            continue;
        }
        skipped = None;
        match doc.kind(n) {
            Kind::Text => {
                let block = doc.ancestors(n).find(|&a| doc.tag(a).is_block_level());
                if block != last_block {
                    text.push(' ');
                    last_block = block;
                }
                let own = cut(doc.text(n), MAX_VALUE);
                num_shown += own.chars().filter(|&c| !c.is_whitespace() && !is_invisible(c)).count();
                text.push_str(own);
            }
            Kind::Element if is_unread(doc, n) => skipped = Some(n),
            Kind::Element if doc.tag(n) == Tag::BR => text.push(' '),
            _ => {}
        }
    }
    text
}

/// Whether the text of an element is not page content, such as a script or a button.
fn is_unread(doc: &Document, node: NodeId) -> bool {
    matches!(doc.tag(node), Tag::SCRIPT | Tag::STYLE | Tag::NOSCRIPT | Tag::TEMPLATE | Tag::SVG | Tag::BUTTON)
        || doc.tag(node) == Tag::TITLE && doc.ancestors(node).any(|a| doc.tag(a) == Tag::SVG)
}

/// Returns the letters and digits of a string in lower case, to compare names.
pub fn key(text: &str) -> String {
    let mut key = String::with_capacity(text.len());
    for_each_lower(text.chars().filter(|c| c.is_alphanumeric()), |c| key.push(c));
    key
}

/// Calls `each` with the characters in lower case. This is faster than `flat_map(char::to_lowercase)`.
pub(crate) fn for_each_lower(chars: impl Iterator<Item = char>, mut each: impl FnMut(char)) {
    for c in chars {
        if c.is_ascii() { each(c.to_ascii_lowercase()) } else { c.to_lowercase().for_each(&mut each) }
    }
}

/// Returns the phrases of a list in a data file. Each row has the list name and phrases separated by
/// `separator`.
pub(super) fn phrases(file: &'static str, list: &str, separator: &'static str) -> Vec<&'static str> {
    let of_list = rows(file).filter(|row: &[&str; 3]| row[0] == list).map(|[_, _languages, words]| words);
    of_list.flat_map(|words| words.split(separator)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_and_tags_are_read() {
        assert_eq!(plain("Rain &amp;amp; <em>snow</em>\n today"), "Rain & snow today");
        assert_eq!(plain("a < b && c; 5 <3 x"), "a < b && c; 5 <3 x");
        assert_eq!(plain("Vec<T> in Rust &lt;T&gt;"), "Vec<T> in Rust <T>");
        assert_eq!(folded(" a\u{200b}b \u{200b} c\u{a0}"), "ab c");
        assert_eq!(cut("äb", 1), "");
        assert_eq!(
            plain("MarÃ\u{ad}a &amp;amp; Jaro&Aring;&bdquo;, Ã\u{a0} Paris"),
            "María & Jaroń, à Paris"
        );
    }

    #[test]
    fn text_of_elements_separates_blocks() {
        let doc =
            parse_str("<div><p>a<b>b</b></p>c<br>d<script>x</script><svg><title>icon</title></svg></div>");
        let div = doc.elements_with(|t| t == Tag::DIV).next().expect("it is there");
        assert_eq!(of_node(&doc, div), "ab c d");
    }
}
