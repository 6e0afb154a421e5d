//! Declarative shadow roots: browsers show the children of the host element in the slots of its shadow root.

use crate::composition::Composer;
use crate::tag::Tag;
use crate::tree::{Document, Kind, NONE, NodeId};
use rustc_hash::FxHashMap;

/// Whether a template is a declarative shadow root, which browsers show.
pub(crate) fn is_shadow_root(doc: &Document, template: NodeId) -> bool {
    doc.tag(template) == Tag::TEMPLATE
        && doc
            .attribute(template, "shadowrootmode")
            .is_some_and(|mode| ["open", "closed"].iter().any(|known| mode.eq_ignore_ascii_case(known)))
}

impl Composer<'_> {
    /// Moves the children of each host into the slots of its shadow root. The children replace the fallback
    /// content of the slot.
    pub(super) fn fill_slots(&mut self, templates: &[NodeId]) {
        for &root in templates {
            let host = self.flat.parent_of(root);
            if host == NONE || !is_shadow_root(self.doc(), root) {
                continue;
            }
            let Some(found) = self.slots(root) else { return };
            let doc = self.doc();
            // if several slots have the same name, the first one is used
            let mut slots: FxHashMap<String, (NodeId, bool)> = FxHashMap::default();
            for slot in found {
                slots
                    .entry(doc.attribute(slot, "name").unwrap_or_default().to_owned())
                    .or_insert((slot, false));
            }
            let children: Vec<NodeId> = doc.children(host).filter(|&child| child != root).collect();
            for child in children {
                if is_shadow_root(self.doc(), child) {
                    // only the first shadow root of a host is valid
                    self.flat.unlink(child);
                    continue;
                }
                let is_element = self.doc().kind(child) == Kind::Element;
                let name = if is_element { self.doc().attribute(child, "slot") } else { None };
                let wanted = name.unwrap_or_default().to_owned();
                let Some(&(slot, is_filled)) = slots.get(&wanted) else { continue };
                if !self.may_move(child, slot) {
                    continue;
                }
                if !is_filled {
                    while let Some(fallback) = self.doc().first_child(slot) {
                        self.flat.unlink(fallback);
                    }
                }
                slots.insert(wanted, (slot, true));
                self.place(child, slot, NONE);
            }
        }
    }

    /// Returns the slots of a shadow root, without those of nested shadow roots. Returns `None` if the maximum number
    /// of searched nodes is reached.
    fn slots(&mut self, root: NodeId) -> Option<Vec<NodeId>> {
        let mut slots = Vec::new();
        let mut at = self.doc().first_child(root);
        while let Some(node) = at {
            self.left = self.left.checked_sub(1)?;
            let doc = self.doc();
            let is_inner_root = is_shadow_root(doc, node);
            if doc.kind(node) == Kind::Element && doc.name(node) == "slot" {
                slots.push(node);
            }
            let below = doc.first_child(node).filter(|_| !is_inner_root);
            at = below.or_else(|| doc.next_outside(node, root));
        }
        Some(slots)
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::text;

    fn card(shadow: &str, light: &str) -> String {
        text(&format!("<x-card><template shadowrootmode=open>{shadow}</template>{light}</x-card>!"))
    }

    #[test]
    fn children_are_shown_in_their_slots() {
        let shadow = "<slot name=a>A</slot>-<slot>B</slot>-<slot name=c>C</slot>";
        assert_eq!(
            card(shadow, "<p slot=c>3</p>two<p slot=a>1</p><b slot=a>one</b> <i>more</i>"),
            "1one-two more-3!"
        );
        assert_eq!(card(shadow, ""), "A-B-C!");
        assert_eq!(card("a<slot></slot>", "<p slot=x>left</p>"), "aleft!", "no slot has this name");
        assert_eq!(
            card(shadow, "<template shadowrootmode=open>second</template>"),
            "A-B-C!",
            "the first root counts"
        );
        assert_eq!(text("<x-a><template shadowrootmode=none>a</template>b</x-a>"), "b");
        assert_eq!(text("<template><slot>a</slot></template><p slot=b>c"), "c");
    }

    #[test]
    fn each_host_has_its_own_slots() {
        let inner = "<y-box><template shadowrootmode=open>[<slot></slot>]</template><slot></slot></y-box>";
        assert_eq!(card(&format!("({inner})"), "word"), "([word])!");
        assert_eq!(card("(<slot></slot>)", &inner.replace("<slot></slot></y", "word</y")), "([word])!");
    }

    #[test]
    fn hostile_slots_take_linear_time() {
        let shadow = format!("<template shadowrootmode=open>{}<slot></slot></template>", "<div>".repeat(60));
        let page = format!("<a-b>{shadow}").repeat(200);
        assert!(text(&format!("{page}end")).contains("end"));
    }
}
