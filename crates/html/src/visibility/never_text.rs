//! Rule: the content of some elements is never shown as text.

use crate::composition::is_shadow_root;
use crate::visibility::element::Element;
use crate::visibility::{NOT_TEXT, Walk, never_tags};

pub(crate) fn apply(walk: &mut Walk<'_>, element: &Element<'_>, flags: u8) -> u8 {
    let is_left_out =
        never_tags::is_left_out(walk.doc, element.tag) && !is_shadow_root(walk.doc, element.node);
    if is_left_out { flags | NOT_TEXT } else { flags }
}

#[cfg(test)]
mod tests {
    use crate::{Kind, parse_str};

    #[test]
    fn shadow_roots_are_shown_and_templates_are_not() {
        let doc =
            parse_str("<x-a><template shadowrootmode=open><p>a</p></template></x-a><template>b</template>");
        let shown = |&n: &u32| doc.kind(n) == Kind::Text && doc.is_visible(n);
        assert_eq!(doc.descendants(0).filter(shown).map(|n| doc.text(n)).collect::<String>(), "a");
    }
}
