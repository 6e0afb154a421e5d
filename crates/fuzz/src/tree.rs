//! The tree builder beside html5ever.

use crate::Target;
use threshr_html::{decode, oracle};

pub(crate) static TARGET: Target =
    Target { name: "tree", summary: "a page: our tree equals that of html5ever", body };

fn body(bytes: &[u8]) {
    // html5ever drops U+FEFF after scripts and `<meta charset>`.
    let html = with_semicolons(&decode(bytes, None).text.replace('\u{feff}', ""));
    for scripting in [true, false] {
        if let Some(difference) = oracle::difference(&html, scripting) {
            panic!("scripting {scripting}: {difference}");
        }
    }
}

/// A page in which references to line feeds end in `;`. After `<pre>`, html5ever keeps a line feed whose reference has none,
/// because the error in between counts as a token. The standard drops it.
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
