//! Rule: attributes and inline styles hide elements.

use crate::composition::is_fragment_id;
use crate::visibility::element::Element;
use crate::visibility::style::Shown;
use crate::visibility::{APART, CLOSED, HIDDEN, INVISIBLE, Walk};

pub(crate) fn apply(_: &mut Walk<'_>, element: &Element<'_>, flags: u8) -> u8 {
    // a tooltip is shown only while the pointer is over another element, a popover only after a click
    if element.role == Some("tooltip") || element.is_popover && !element.is_displayed() {
        return flags | HIDDEN | CLOSED;
    }
    let by_attribute = || {
        element.hidden.is_some_and(|value| !value.eq_ignore_ascii_case("until-found"))
            && !element.is_displayed()
            && !element.id.is_some_and(is_fragment_id)
    };
    match element.shown {
        Shown::NotDisplayed => flags | HIDDEN,
        Shown::Apart => flags | HIDDEN | APART,
        Shown::Clipped if element.contains_page() => flags | HIDDEN,
        Shown::Clipped => flags | HIDDEN | CLOSED,
        _ if by_attribute() => flags | HIDDEN,
        Shown::Invisible => flags | HIDDEN | INVISIBLE,
        Shown::Yes | Shown::Visible => flags,
    }
}

#[cfg(test)]
mod tests {
    use crate::Visibility;
    use crate::blocks::{Blocks, REGISTRY};
    use crate::tests::text;

    #[test]
    fn tooltips_and_popovers_are_hidden() {
        assert_eq!(text("<p>drum<span role=tooltip>A cylinder with teeth</span> turns"), "drum turns");
        assert_eq!(text("<p>a<span class=tooltip>b</span>"), "ab");
        for value in ["popover", "popover=auto", "popover='manual'"] {
            assert_eq!(
                text(&format!("<p>one<div {value}>{}</div>two", "Subscribe now. ".repeat(9))),
                "onetwo"
            );
        }
    }

    #[test]
    fn a_style_shows_hidden_elements() {
        for hidden in ["hidden", "popover"] {
            assert_eq!(text(&format!("<p>one<div {hidden} style='display:flex'>two</div>")), "onetwo");
            assert_eq!(text(&format!("<p>one<div {hidden} style='color:red'>two</div>")), "one");
        }
    }

    #[test]
    fn text_for_screen_readers_is_hidden_and_never_revealed() {
        for style in ["position:absolute;left:-9999px", "clip:rect(0,0,0,0)"] {
            assert_eq!(text(&format!("<p>one<i style='{style}'>opens a new window</i>")), "one");
        }
        assert_eq!(text("<body style='clip:rect(0,0,0,0)'>shown by a script"), "shown by a script");
    }

    #[test]
    fn visible_elements_inside_invisible_ones_are_shown() {
        let visible = "<i style='visibility:visible'>b<u style='visibility:hidden'>c</u></i>";
        let page = |style: &str| text(&format!("<p>longer text<p style='{style}'>a{visible}d</p>"));
        assert_eq!(page("visibility:hidden"), "longer textb");
        assert_eq!(page("display:none"), "longer text");
        let doc = crate::parse_str(&format!("<p>longer text<p style='visibility:hidden'>a{visible}d"));
        let blocks = Blocks::new(&doc, REGISTRY[0], Visibility::Visible);
        assert_eq!(blocks.join(|_| true), "longer text\nb");
        let inside = format!("<b style='display:none'>e{visible}</b>");
        assert_eq!(text(&format!("<p>longer text<p style='visibility:hidden'>a{inside}")), "longer text");
    }
}
