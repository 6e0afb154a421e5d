//! html5ever's tree builder writing straight into the flat tree.

use super::annotation::marks;
use super::tag::Tag;
use super::tree::{Attribute, Document, Kind, NONE, Node, NodeId};
use html5ever::interface::{ElemName, ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::{LocalName, Namespace, QualName};
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// A node as the tree builder holds it: its index, and its name for elements.
#[derive(Debug, Clone)]
pub(crate) struct Handle {
    pub id: NodeId,
    name: Option<Rc<QualName>>,
}

/// What comments and processing instructions become: they are never appended.
const IGNORED: NodeId = NONE;

/// Moving children costs one step each; beyond this many steps per node of the page (only a page made to be
/// slow gets there) children stay where they are, so that time remains linear.
const MOVES_PER_NODE: u64 = 64;

pub(crate) struct FlatSink {
    doc: RefCell<Document>,
    num_elements: Cell<u64>,
    moves: Cell<u64>,
    no_name: QualName,
    marks: Option<RefCell<marks::Reader>>,
}

impl FlatSink {
    /// `marked`: text carries the annotation marks of [`marks`].
    pub fn new(marked: bool) -> Self {
        FlatSink {
            doc: RefCell::new(Document::empty()),
            num_elements: Cell::new(0),
            moves: Cell::new(0),
            no_name: QualName::new(None, html5ever::ns!(), html5ever::local_name!("")),
            marks: marked.then(RefCell::default),
        }
    }
    /// Elements created so far.
    pub fn num_elements(&self) -> u64 {
        self.num_elements.get()
    }

    fn push_node(&self, node: Node) -> NodeId {
        let mut doc = self.doc.borrow_mut();
        // 4 billion nodes need over 100 GB; a page that large is not parsed further
        let Ok(id) = u32::try_from(doc.nodes.len()) else { return IGNORED };
        doc.nodes.push(node);
        id
    }

    fn handle(&self, id: NodeId) -> Handle {
        Handle { id, name: None }
    }

    /// Links `child`, which has no parent, before `before` or at the end of `parent`.
    fn link(&self, parent: NodeId, child: NodeId, before: NodeId) {
        if child == IGNORED || parent == IGNORED {
            return;
        }
        let mut doc = self.doc.borrow_mut();
        let prev = if before == NONE {
            std::mem::replace(&mut doc.nodes[parent as usize].last_child, child)
        } else {
            std::mem::replace(&mut doc.nodes[before as usize].prev, child)
        };
        match prev {
            NONE => doc.nodes[parent as usize].first_child = child,
            prev => doc.nodes[prev as usize].next = child,
        }
        let node = &mut doc.nodes[child as usize];
        (node.parent, node.prev, node.next) = (parent, prev, before);
    }

    fn unlink(&self, target: NodeId) {
        if target == IGNORED {
            return;
        }
        let mut doc = self.doc.borrow_mut();
        let Node { parent, prev, next, .. } = doc.nodes[target as usize];
        if parent == NONE {
            return;
        }
        match prev {
            NONE => doc.nodes[parent as usize].first_child = next,
            prev => doc.nodes[prev as usize].next = next,
        }
        match next {
            NONE => doc.nodes[parent as usize].last_child = prev,
            next => doc.nodes[next as usize].prev = prev,
        }
        let node = &mut doc.nodes[target as usize];
        (node.parent, node.prev, node.next) = (NONE, NONE, NONE);
    }

    /// Adds text at the end of `parent` or before `before`, to the text node there if its text is the newest.
    fn add_text(&self, parent: NodeId, text: &str, before: NodeId) {
        if parent == IGNORED || text.is_empty() {
            return;
        }
        let (start, end) = {
            let mut doc = self.doc.borrow_mut();
            let start = doc.text.len();
            match &self.marks {
                Some(reader) => reader.borrow_mut().read(text, &mut doc),
                None => doc.text.push_str(text),
            }
            let prev = match before {
                NONE => doc.nodes[parent as usize].last_child,
                before => doc.nodes[before as usize].prev,
            };
            let (Ok(start), Ok(end)) = (u32::try_from(start), u32::try_from(doc.text.len())) else {
                doc.text.truncate(start);
                return;
            };
            if prev != NONE {
                let node = &mut doc.nodes[prev as usize];
                if node.kind == Kind::Text && node.b == start {
                    node.b = end;
                    return;
                }
            }
            (start, end)
        };
        let child = self.push_node(Node::new(Kind::Text, Tag::HTML, start..end));
        self.link(parent, child, before);
    }

    fn add_attributes(&self, attrs: &[html5ever::Attribute]) -> std::ops::Range<u32> {
        let mut doc = self.doc.borrow_mut();
        let Document { attributes, values, names, .. } = &mut *doc;
        let first = attributes.len();
        for attr in attrs.iter().take(super::MAX_ATTRIBUTES) {
            let start = values.len();
            values.push_str(&attr.value);
            let (Ok(start), Ok(end)) = (u32::try_from(start), u32::try_from(values.len())) else { break };
            attributes.push(Attribute { name: names.number(&attr.name.local), start, end });
        }
        let clamp = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        clamp(first)..clamp(attributes.len())
    }

    fn parent_of(&self, node: NodeId) -> NodeId {
        if node == IGNORED { NONE } else { self.doc.borrow().nodes[node as usize].parent }
    }
}

/// The name of an element, as the tree builder asks for it.
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
        self.doc.into_inner()
    }
    fn parse_error(&self, _: Cow<'static, str>) {}
    fn get_document(&self) -> Handle {
        self.handle(0)
    }
    fn elem_name<'a>(&'a self, target: &'a Handle) -> Name<'a> {
        Name(target.name.as_deref().unwrap_or(&self.no_name))
    }
    fn create_element(&self, name: QualName, attrs: Vec<html5ever::Attribute>, _: ElementFlags) -> Handle {
        let range = self.add_attributes(&attrs);
        let tag = Tag(self.doc.borrow_mut().names.number(&name.local));
        self.num_elements.set(self.num_elements.get() + 1);
        Handle { id: self.push_node(Node::new(Kind::Element, tag, range)), name: Some(Rc::new(name)) }
    }
    fn create_comment(&self, _: StrTendril) -> Handle {
        self.handle(IGNORED)
    }
    fn create_pi(&self, _: StrTendril, _: StrTendril) -> Handle {
        self.handle(IGNORED)
    }
    fn append(&self, parent: &Handle, child: NodeOrText<Handle>) {
        match child {
            NodeOrText::AppendNode(node) => self.link(parent.id, node.id, NONE),
            NodeOrText::AppendText(text) => self.add_text(parent.id, &text, NONE),
        }
    }
    fn append_before_sibling(&self, sibling: &Handle, child: NodeOrText<Handle>) {
        let parent = self.parent_of(sibling.id);
        match child {
            NodeOrText::AppendNode(node) => {
                self.unlink(node.id);
                self.link(parent, node.id, sibling.id);
            }
            NodeOrText::AppendText(text) => self.add_text(parent, &text, sibling.id),
        }
    }
    fn append_based_on_parent_node(&self, element: &Handle, previous: &Handle, child: NodeOrText<Handle>) {
        if self.parent_of(element.id) == NONE {
            self.append(previous, child);
        } else {
            self.append_before_sibling(element, child);
        }
    }
    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}
    fn get_template_contents(&self, target: &Handle) -> Handle {
        // the contents hang below the element itself: a template is left out as a whole
        target.clone()
    }
    fn same_node(&self, x: &Handle, y: &Handle) -> bool {
        x.id == y.id
    }
    fn set_quirks_mode(&self, _: QuirksMode) {}
    fn add_attrs_if_missing(&self, target: &Handle, attrs: Vec<html5ever::Attribute>) {
        let missing: Vec<_> = {
            let doc = self.doc.borrow();
            attrs.into_iter().filter(|a| doc.attribute(target.id, &a.name.local).is_none()).collect()
        };
        if missing.is_empty() {
            return;
        }
        // an element's attributes stand together: copy the old ones behind the newest
        let mut doc = self.doc.borrow_mut();
        let old = doc.raw_attributes(target.id).to_vec();
        if old.len() + missing.len() > super::MAX_ATTRIBUTES {
            return;
        }
        let start = doc.attributes.len();
        doc.attributes.extend(old);
        drop(doc);
        let added = self.add_attributes(&missing);
        let node = &mut self.doc.borrow_mut().nodes[target.id as usize];
        (node.a, node.b) = (u32::try_from(start).unwrap_or(u32::MAX).min(added.end), added.end);
    }
    fn remove_from_parent(&self, target: &Handle) {
        self.unlink(target.id);
    }
    fn reparent_children(&self, node: &Handle, new_parent: &Handle) {
        let num_nodes = self.doc.borrow().nodes.len() as u64;
        loop {
            let child = self.doc.borrow().nodes[node.id as usize].first_child;
            if child == NONE || self.moves.get() > (num_nodes + 1000) * MOVES_PER_NODE {
                return;
            }
            self.moves.set(self.moves.get() + 1);
            self.unlink(child);
            self.link(new_parent.id, child, NONE);
        }
    }
}
