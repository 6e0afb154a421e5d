//! Writes the nodes of html5ever's tree builder into the flat tree.

use crate::names;
use crate::tree::{Document, NONE, NodeId};
use crate::tree_builder::tree_writer::{Flat, IGNORED};
use html5ever::interface::{ElemName, ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::{LocalName, Namespace, QualName};
use std::borrow::Cow;
use std::cell::RefCell;
use std::rc::Rc;

/// A node as the tree builder holds it: its index, and the name of an element.
#[derive(Debug, Clone)]
pub(crate) struct Handle {
    pub id: NodeId,
    name: Option<Rc<QualName>>,
    /// Whether it is an `<annotation-xml>` whose encoding is HTML.
    contains_html: bool,
}

pub(crate) struct FlatSink {
    flat: RefCell<Flat>,
    no_name: QualName,
}

impl FlatSink {
    /// For a page of `num_bytes`; with `marked`, text carries annotation marks.
    pub(super) fn new(num_bytes: usize, marked: bool) -> Self {
        FlatSink {
            flat: RefCell::new(Flat::new(num_bytes, marked)),
            no_name: QualName::new(None, html5ever::ns!(), html5ever::local_name!("")),
        }
    }
    /// Elements created so far.
    pub(super) fn num_elements(&self) -> u64 {
        self.flat.borrow().num_elements
    }
    fn handle(&self, id: NodeId) -> Handle {
        Handle { id, name: None, contains_html: false }
    }
}

/// Names and values of attributes.
fn pairs(attributes: &[html5ever::Attribute]) -> impl Iterator<Item = (names::Name<'_>, &str)> {
    attributes.iter().map(|a| (names::Name::of(&a.name.local), &*a.value))
}

/// The name of an element.
#[derive(Debug)]
pub(crate) struct Name<'a>(&'a QualName);

impl ElemName for Name<'_> {
    fn ns(&self) -> &Namespace {
        &self.0.ns
    }
    fn local_name(&self) -> &LocalName {
        &self.0.local
    }
}

impl TreeSink for FlatSink {
    type Handle = Handle;
    type Output = Document;
    type ElemName<'a> = Name<'a>;

    fn finish(self) -> Document {
        self.flat.into_inner().doc
    }
    fn parse_error(&self, _: Cow<'static, str>) {}
    fn get_document(&self) -> Handle {
        self.handle(0)
    }
    fn elem_name<'a>(&'a self, target: &'a Handle) -> Name<'a> {
        Name(target.name.as_deref().unwrap_or(&self.no_name))
    }
    fn create_element(
        &self,
        name: QualName,
        attrs: Vec<html5ever::Attribute>,
        flags: ElementFlags,
    ) -> Handle {
        let mut flat = self.flat.borrow_mut();
        let range = flat.add_attributes(pairs(&attrs));
        let tag = flat.doc.names.tag(names::Name::of(&name.local));
        Handle {
            id: flat.create_element(tag, range),
            name: Some(Rc::new(name)),
            contains_html: flags.mathml_annotation_xml_integration_point,
        }
    }
    fn create_comment(&self, _: StrTendril) -> Handle {
        self.handle(IGNORED)
    }
    fn create_pi(&self, _: StrTendril, _: StrTendril) -> Handle {
        self.handle(IGNORED)
    }
    fn append(&self, parent: &Handle, child: NodeOrText<Handle>) {
        let mut flat = self.flat.borrow_mut();
        match child {
            NodeOrText::AppendNode(node) => flat.link(parent.id, node.id, NONE),
            NodeOrText::AppendText(text) => flat.add_text(parent.id, &text, NONE),
        }
    }
    fn append_before_sibling(&self, sibling: &Handle, child: NodeOrText<Handle>) {
        let mut flat = self.flat.borrow_mut();
        let parent = flat.parent_of(sibling.id);
        match child {
            NodeOrText::AppendNode(node) => {
                flat.unlink(node.id);
                flat.link(parent, node.id, sibling.id);
            }
            NodeOrText::AppendText(text) => flat.add_text(parent, &text, sibling.id),
        }
    }
    fn append_based_on_parent_node(&self, element: &Handle, previous: &Handle, child: NodeOrText<Handle>) {
        let parent = self.flat.borrow().parent_of(element.id);
        if parent == NONE {
            self.append(previous, child);
        } else {
            self.append_before_sibling(element, child);
        }
    }
    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}
    fn get_template_contents(&self, target: &Handle) -> Handle {
        // the contents are children of the element: a template is hidden as a whole
        target.clone()
    }
    fn same_node(&self, x: &Handle, y: &Handle) -> bool {
        x.id == y.id
    }
    fn is_mathml_annotation_xml_integration_point(&self, target: &Handle) -> bool {
        target.contains_html
    }
    fn set_quirks_mode(&self, _: QuirksMode) {}
    fn add_attrs_if_missing(&self, target: &Handle, attrs: Vec<html5ever::Attribute>) {
        self.flat.borrow_mut().add_missing_attributes(target.id, pairs(&attrs));
    }
    fn remove_from_parent(&self, target: &Handle) {
        self.flat.borrow_mut().unlink(target.id);
    }
    fn reparent_children(&self, node: &Handle, new_parent: &Handle) {
        self.flat.borrow_mut().move_children(node.id, new_parent.id);
    }
}
