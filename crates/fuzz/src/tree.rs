//! Comparison of our tree builder with html5ever.

use crate::Target;
use threshr_html::{decode, oracle};

pub(crate) static TARGET: Target =
    Target { name: "tree", summary: "a page: our tree equals the tree of html5ever", body };

/// Maximum size of a page. The time of html5ever is quadratic in the depth of a page and in the number of
/// attributes of a tag.
const MAX_BYTES: usize = 1 << 16;

fn body(bytes: &[u8]) {
    if bytes.len() > MAX_BYTES {
        return;
    }
    // Removes U+FEFF, because html5ever drops it after scripts and `<meta charset>`.
    let html = with_semicolons(&decode(bytes, None).text.replace('\u{feff}', ""));
    for (scripting, xml) in [(true, false), (true, true), (false, true)] {
        if let Some(difference) = oracle::difference(&html, scripting, xml) {
            panic!("scripting {scripting}, XML {xml}: {difference}");
        }
    }
}

/// Adds the `;` to references to a line feed that lack it. After `<pre>`, html5ever keeps a line feed from a
/// reference without `;`, because it counts the parse error as a token. The standard drops the line feed.
fn with_semicolons(html: &str) -> String {
    let mut parts = html.split("&#");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (digits, radix) = match part.strip_prefix(['x', 'X']) {
            Some(digits) => (digits, 16),
            None => (part, 10),
        };
        let end = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
        let is_line_feed = u32::from_str_radix(&digits[..end], radix) == Ok(10);
        if is_line_feed && !digits[end..].starts_with(';') {
            out.push_str("&#10;");
            out.push_str(&digits[end..]);
        } else {
            out.push_str("&#");
            out.push_str(part);
        }
    }
    out
}
