//! Mail addresses that Cloudflare obfuscates: hexadecimal bytes; the first byte is the key with which all
//! other bytes are XORed.

use crate::{Document, Kind, NodeId};

/// Maximum length of an obfuscated address in hexadecimal digits.
const MAX_HIDDEN: usize = 512;

/// The mail address in the attribute `data-cfemail` of an element.
pub fn hidden_address(doc: &Document, node: NodeId) -> Option<String> {
    decoded(doc.attribute(node, "data-cfemail")?)
}

/// The mail address to which an obfuscated link leads.
pub fn hidden_target(doc: &Document, link: NodeId) -> Option<String> {
    let (_, rest) = doc.attribute(link, "href")?.split_once("/cdn-cgi/l/email-protection")?;
    let inside = || doc.descendants(link).take(8).find(|&n| doc.kind(n) == Kind::Element);
    rest.strip_prefix('#')
        .and_then(decoded)
        .or_else(|| hidden_address(doc, link))
        .or_else(|| hidden_address(doc, inside()?))
}

fn decoded(hidden: &str) -> Option<String> {
    if hidden.len() > MAX_HIDDEN || !hidden.is_ascii() {
        return None;
    }
    let byte = |at: usize| u8::from_str_radix(hidden.get(at..at + 2)?, 16).ok();
    let key = byte(0)?;
    let bytes: Option<Vec<u8>> = (1..hidden.len() / 2).map(|i| Some(byte(2 * i)? ^ key)).collect();
    let address = String::from_utf8(bytes?).ok()?;
    let is_address =
        address.contains('@') && !address.contains(|c: char| c.is_control() || c.is_whitespace() || c == '<');
    is_address.then_some(address)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Tag, parse_str};

    #[test]
    fn hidden_addresses_are_read() {
        let hidden = "422302206c2d3025";
        assert_eq!(decoded(hidden).as_deref(), Some("a@b.org"));
        for other in ["", "4", "42", "zz", "4223", "é422302206c2d3025"] {
            assert_eq!(decoded(other), None, "{other}");
        }
        let target = |html: &str| {
            let doc = parse_str(html);
            let link = doc.elements_with(|tag| tag == Tag::A).next().expect("a link");
            hidden_target(&doc, link)
        };
        for html in [
            format!("<a href='/cdn-cgi/l/email-protection#{hidden}'>mail</a>"),
            format!("<a href='/cdn-cgi/l/email-protection'><span data-cfemail={hidden}>x</span></a>"),
            format!("<a href='https://a.example/cdn-cgi/l/email-protection' data-cfemail={hidden}>x</a>"),
        ] {
            assert_eq!(target(&html).as_deref(), Some("a@b.org"), "{html}");
        }
        assert_eq!(target("<a href=/x>mail</a>"), None);
    }
}
