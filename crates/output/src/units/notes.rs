//! Notes that need a separate unit: several notes in one element, and notes inside a line of text, which are
//! moved below the line.

use crate::units::builder::{Builder, Open, container};
use crate::units::inline::{AtomKind, Link, Style};
use crate::units::leaf::{Leaf, Spans};
use crate::units::{Kind, Unit};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use threshr_html::{NodeId, Tag};

/// The interrupted line that contains an inline note, saved while the note is read.
struct Around {
    /// The element of the inline note.
    node: NodeId,
    leaf: Leaf,
    style: Style,
    link: Option<Rc<Link>>,
}

/// Maximum length in bytes of the marker of a note.
const MAX_SIGN: usize = 4;

/// The state of notes inside lines.
#[derive(Default)]
pub(super) struct InlineNotes {
    around: Option<Box<Around>>,
    /// The marker that the page shows before the next inline note.
    sign: Option<String>,
    labels: FxHashSet<String>,
    /// Finished notes, to be added after the unit that contains them.
    done: Vec<Unit>,
}

impl InlineNotes {
    /// Whether `node` is the element of the inline note that is being read.
    pub(super) fn is_open(&self, node: NodeId) -> bool {
        self.around.as_ref().is_some_and(|around| around.node == node)
    }

    pub(super) fn push(&mut self, note: Unit) {
        self.done.push(note);
    }
}

impl Builder<'_> {
    /// Ends the current note and begins the next one in the same element.
    pub(super) fn begin_next_note(&mut self, node: NodeId) {
        let Some(label) = self.context.notes.begin(node) else { return };
        let kind = Kind::FootnoteDefinition { label: label.to_owned() };
        let Some(open) = self.open.last() else { return };
        let element = open.node;
        if !matches!(open.unit.kind, Kind::FootnoteDefinition { .. }) {
            return;
        }
        self.close_leaf();
        self.close_unit();
        self.open.push(Open { node: element, unit: container(kind, node), cells: FxHashMap::default() });
    }

    /// Reads the marker before an inline note.
    pub(super) fn note_mark(&mut self, node: NodeId) {
        let doc = self.context.doc;
        let text: String = doc.descendants(node).map(|n| doc.text(n).trim()).collect();
        let is_number = !text.is_empty() && text.len() <= 4 && text.chars().all(char::is_alphanumeric);
        if self.inline_notes.around.is_none() {
            self.inline_notes.sign = is_number.then_some(text);
        }
    }

    /// Writes a reference in place of an inline note and begins the note. Returns whether `node` is treated as a
    /// note.
    pub(super) fn begin_inline_note(&mut self, node: NodeId, tag: Tag) -> bool {
        let is_kept = |block: usize| self.all || self.context.kept[block];
        // A reference may have the class of its note.
        let is_long = |spans: Spans| {
            let own = &self.context.blocks.spans(spans.block)[spans.first..=spans.last];
            own.iter().map(|span| span.text.len()).sum::<usize>() > MAX_SIGN
        };
        let has_text = self.spans_below(node).is_some_and(|spans| is_kept(spans.block) && is_long(spans));
        if tag.is_block_level() || self.inline_notes.around.is_some() || !has_text || !self.has_line() {
            return false;
        }
        let sign = self.inline_notes.sign.take().unwrap_or_default();
        let is_used = |label: &String| {
            self.inline_notes.labels.contains(label) || self.context.notes.note(label).is_some()
        };
        let label = if sign.is_empty() || is_used(&sign) {
            let mut numbers = (self.inline_notes.labels.len() + 1..).map(|number| number.to_string());
            numbers.find(|label| !is_used(label)).unwrap_or_default()
        } else {
            sign.clone()
        };
        let Some(mut leaf) = self.leaf.take() else { return false };
        leaf.push_atom(&sign, AtomKind::FootnoteReference { label: label.clone() }, None, false);
        let (style, link) = (std::mem::take(&mut self.style), self.link.take());
        self.inline_notes.around = Some(Box::new(Around { node, leaf, style, link }));
        self.inline_notes.labels.insert(label.clone());
        let unit = container(Kind::FootnoteDefinition { label }, node);
        self.open.push(Open { node, unit, cells: FxHashMap::default() });
        true
    }

    /// Whether a line is open and has text.
    fn has_line(&self) -> bool {
        self.leaf.as_ref().is_some_and(|leaf| !leaf.inlines.text.is_empty())
    }

    /// Ends an inline note and continues the line around it.
    pub(super) fn end_inline_note(&mut self, node: NodeId) {
        if let Some(around) = self.inline_notes.around.take_if(|around| around.node == node) {
            self.leaf = Some(around.leaf);
            (self.style, self.link) = (around.style, around.link);
        }
    }

    /// Adds finished inline notes after the unit that contains them, as soon as no table, list or line is
    /// open.
    pub(super) fn add_inline_notes(&mut self) {
        if self.inline_notes.done.is_empty() || self.inline_notes.around.is_some() {
            return;
        }
        let is_line = |open: &Open| {
            open.unit.kind.is_line() || matches!(open.unit.kind, Kind::Table { .. } | Kind::List { .. })
        };
        if !self.open.iter().any(is_line) {
            std::mem::take(&mut self.inline_notes.done).into_iter().for_each(|note| self.add(note));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::formats::tests::written;

    #[test]
    fn notes_inside_the_line_are_below_it() {
        let note = "<span class=sidenote>A <b>note</b>.</span>";
        for (html, expected) in [
            (format!("<p>a<label class=footref>1</label>{note} b<p>c"), "a[^1] b\n\n[^1]: A **note**.\n\nc"),
            (format!("<p>a{note} b{note} c"), "a[^1] b[^2] c\n\n[^1]: A **note**.\n\n[^2]: A **note**."),
            (format!("<ul><li>a{note}<li>b</ul><p>c"), "- a[^1]\n- b\n\n[^1]: A **note**.\n\nc"),
            (format!("<h2>a{note}</h2><p>c"), "## a[^1]\n\n[^1]: A **note**.\n\nc"),
            (format!("<p><i>a{note} b</i>"), "*a[^1] b*\n\n[^1]: A **note**."),
            ("<div class=sidenote>a</div><p>b".to_owned(), "a\n\nb"),
            ("<p>a<span class=sidenote><sup>2</sup></span>".to_owned(), "a<sup>2</sup>"),
        ] {
            assert_eq!(written("markdown", &html).trim(), expected, "{html}");
        }
        let html = format!("<table><tr><th>a{note}<th>b<tr><td>1<td>2</table><p>c");
        assert!(written("markdown", &html).contains("\n\n[^1]: A **note**.\n\nc"));
        assert_eq!(
            written("text", &format!("<p>a<label class=footref>1</label>{note} b")).trim(),
            "a1 b\nA note."
        );
    }

    #[test]
    fn notes_of_one_paragraph_are_told() {
        let html = "<p>a<sup><a href=#x>1</a></sup> b<sup><a href=#y>2</a></sup>\
                    <p><a name=x><sup>1</sup></a> c<br><a name=y><sup>2</sup></a> d";
        assert_eq!(written("markdown", html).trim(), "a[^1] b[^2]\n\n[^1]: c\n\n[^2]: d");
        let html = "<p>a<sup><a href=#x>1</a></sup> b<sup><a href=#y>2</a></sup>\
                    <p><a href=#r id=x>1</a> c<br><a href=#s id=y>2</a> d";
        assert_eq!(written("markdown", html).trim(), "a[^1] b[^2]\n\n[^1]: c\n\n[^2]: d");
        let html = "<p>a<sup>1</sup> b<sup>2</sup><h4>Notes</h4><p>1. c<br>2. d";
        assert_eq!(written("markdown", html).trim(), "a[^1] b[^2]\n\n#### Notes\n\n[^1]: c\n\n[^2]: d");
        let html = "<p>a<a class=footnote-reference href=#x>1</a><dl><dt id=x><a href=#r>1</a><dd>b</dl>";
        assert_eq!(written("markdown", html).trim(), "a[^1]\n\n[^1]: b");
    }

    #[test]
    fn notes_have_no_number_of_their_own() {
        let text = "<p>a<sup><a href=#n>4</a></sup>";
        for note in [
            "4. b",
            "[4] b",
            "[4]b",
            "(4) b",
            "4) b",
            "<sup>4</sup>b",
            "<a href=#r>4.</a> b",
            "<a href=#r>4</a>. b",
            "[<a href=#r>4</a>] b",
            "<b>4</b> b",
            "b <a href=#r>Back</a>",
            "↑ <sup><a href=#r>4.0</a></sup> b",
        ] {
            let html = format!("{text}<p id=n>{note}");
            assert_eq!(written("markdown", &html).trim(), "a[^4]\n\n[^4]: b", "{html}");
        }
        for (note, expected) in [
            ("4 men", "4 men"),
            ("44. b", "44\\. b"),
            ("4 Men", "Men"),
            ("... b", "... b"),
            ("4.5 m", "4.5 m"),
        ] {
            let html = format!("{text}<p id=n>{note}");
            assert_eq!(written("markdown", &html).trim(), format!("a[^4]\n\n[^4]: {expected}"), "{html}");
        }
        let html = format!("{text}<h3>Notes</h3><h5><a id=n href=#r>(4)</a></h5><p>b");
        assert_eq!(written("markdown", &html).trim(), "a[^4]\n\n### Notes\n\n[^4]: b");
    }
}
