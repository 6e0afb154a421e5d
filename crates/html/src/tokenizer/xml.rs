//! Pages written by an XML serialiser.

use crate::tag::Tag;
use crate::trim::scan_tag;
use memchr::memchr_iter;

/// Minimum number of void elements written as `<br/>` on a serialised page that has no XML declaration at its
/// start.
const MIN_CLOSED: usize = 10;
/// Maximum share of void elements written without `/`: one in this number.
const OPEN_SHARE: usize = 50;

/// Returns whether a page was written by an XML serialiser. Such a page has void elements written as `<br/>`.
/// On such a page, self-closing raw-text elements such as `<script/>` are intended to be empty, but HTML
/// parsers read the rest of the page as their text.
pub(crate) fn is_serialised(html: &str) -> bool {
    let bytes = html.as_bytes();
    let (mut closed, mut all) = (0, 0);
    for start in memchr_iter(b'<', bytes).map(|at| at + 1) {
        let name = &bytes[start..bytes.len().min(start + Tag::LONGEST_VOID + 1)];
        let end = name.iter().position(|b| !b.is_ascii_alphanumeric()).unwrap_or(name.len());
        if is_void(&name[..end]) {
            all += 1;
            let end = scan_tag(bytes, start);
            closed += usize::from(bytes[..end.min(bytes.len())].ends_with(b"/"));
        }
    }
    let is_declared = html.trim_start().starts_with("<?xml ");
    (closed >= MIN_CLOSED || is_declared && closed > 0) && OPEN_SHARE * (all - closed) <= all
}

fn is_void(name: &[u8]) -> bool {
    let known = std::str::from_utf8(name).ok().and_then(|name| Tag::known(&name.to_ascii_lowercase()));
    known.is_some_and(Tag::is_void)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn void_elements_tell_who_wrote_the_page() {
        let closed = "<br/><IMG alt='>' src=a />".repeat(5);
        assert!(is_serialised(&closed) && is_serialised(&format!("{closed}<script/><p>a <b</p>")));
        assert!(!is_serialised(&closed[5..]) && !is_serialised(&format!("{closed}<hr>")));
        assert!(is_serialised(&format!("{}<hr>", closed.repeat(10))));
        assert!(is_serialised("<?xml version='1.0'?><br/>") && !is_serialised("<?xml version='1.0'?><br>"));
        assert!(!is_serialised("") && !is_serialised("<br") && !is_serialised("<"));
    }
}
