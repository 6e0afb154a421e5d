//! Rule: the attribute `hidden`, inline styles and the role of a tooltip hide an element.

use crate::visibility::element::Element;
use crate::visibility::{CLOSED, HIDDEN, Walk, style};

pub(crate) fn apply(_: &mut Walk<'_>, element: &Element<'_>, flags: u8) -> u8 {
    let by_attribute = || {
        element.hidden.is_some_and(|value| !value.eq_ignore_ascii_case("until-found"))
            && !element.id.is_some_and(is_streamed)
    };
    // shown while the pointer is above another element
    if element.role == Some("tooltip") {
        return flags | HIDDEN | CLOSED;
    }
    if element.style.is_some_and(style::hides) || by_attribute() { flags | HIDDEN } else { flags }
}

/// Whether an id, such as `S:1f`, is that of a fragment streamed by React. The fragment is hidden until a script
/// moves it to its place.
fn is_streamed(id: &str) -> bool {
    let number = id.strip_prefix("S:");
    number.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests {
    use crate::tests::text;

    #[test]
    fn tooltips_are_hidden() {
        assert_eq!(text("<p>drum<span role=tooltip>A cylinder with teeth</span> turns"), "drum turns");
        assert_eq!(text("<p>a<span class=tooltip>b</span>"), "ab");
    }
}
