//! The flat tree: nodes, text, attributes and attribute values in four arrays. Nodes are linked by index. No
//! function is recursive, so that deep trees cannot overflow the stack.

use crate::geometry::Geometry;
use crate::names::Names;
use crate::source_map::SourceMap;
use crate::structure::names::Roles;
use crate::tag::Tag;
use crate::visibility::Layout;
use std::ops::Range;
use std::sync::OnceLock;
use threshr_core::Result;

/// Index of a node in a [`Document`]. The root has index 0.
pub type NodeId = u32;

/// The index that means "no node".
pub(crate) const NONE: NodeId = u32::MAX;

/// The kind of a node. The tree contains no comments, doctypes or processing instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The root.
    Document,
    /// An element.
    Element,
    /// Text.
    Text,
}

/// A node. `a..b` is the text range of a text node, or the range of an element's attributes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Node {
    pub kind: Kind,
    pub hidden: u8,
    pub tag: Tag,
    pub parent: NodeId,
    pub first_child: NodeId,
    pub last_child: NodeId,
    pub prev: NodeId,
    pub next: NodeId,
    pub a: u32,
    pub b: u32,
}

impl Node {
    pub(crate) fn new(kind: Kind, tag: Tag, range: Range<u32>) -> Self {
        let Range { start: a, end: b } = range;
        Node {
            kind,
            hidden: 0,
            tag,
            parent: NONE,
            first_child: NONE,
            last_child: NONE,
            prev: NONE,
            next: NONE,
            a,
            b,
        }
    }
}

/// An attribute: the id of its name and the range of its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Attribute {
    pub name: u16,
    pub start: u32,
    pub end: u32,
}

/// A parsed page.
#[derive(Debug, Clone)]
pub struct Document {
    pub(crate) nodes: Vec<Node>,
    pub(crate) text: String,
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) values: String,
    pub(crate) names: Names,
    pub(crate) labels: Vec<(Range<u32>, u8)>,
    /// The metadata that a data set stores around the page, if there is any.
    pub wrapper: Option<Wrapper>,
    pub(crate) encoding: &'static str,
    /// Number of bytes of the page before or after decoding, whichever is less.
    pub(crate) num_bytes: usize,
    /// Whether `<noscript>` is parsed as elements, because it contains more text than the visible page.
    pub(crate) shows_noscript: bool,
    /// Whether the page shows only notices until its scripts run.
    pub(crate) needs_rendering: bool,
    pub(crate) geometry: Option<Box<Geometry>>,
    pub(crate) source_map: Option<Box<SourceMap>>,
    /// The elements whose inline style determines the layout of their text, in parsing order.
    pub(crate) layouts: Vec<(NodeId, Layout)>,
    /// The elements with a role according to their class names, in parsing order. Computed at first use.
    roles: OnceLock<Vec<(NodeId, Roles)>>,
    /// The URL in `<link rel=canonical>` or in `og:url`. Computed at first use.
    stated_url: OnceLock<Option<String>>,
}

/// The metadata that a data set stores around a page, outside its HTML.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrapper {
    /// The page's URL.
    pub url: String,
    /// The page's title.
    pub title: String,
}

impl Document {
    pub(crate) fn empty() -> Self {
        Document {
            nodes: vec![Node::new(Kind::Document, Tag::HTML, 0..0)],
            text: String::new(),
            attributes: Vec::new(),
            values: String::new(),
            names: Names::default(),
            labels: Vec::new(),
            wrapper: None,
            encoding: "UTF-8",
            num_bytes: 0,
            shows_noscript: false,
            needs_rendering: false,
            geometry: None,
            source_map: None,
            layouts: Vec::new(),
            roles: OnceLock::new(),
            stated_url: OnceLock::new(),
        }
    }

    /// Returns the root of the tree, whose kind is [`Kind::Document`].
    pub fn root(&self) -> NodeId {
        0
    }
    /// Returns the number of bytes of the page before or after decoding, whichever is less.
    pub fn num_bytes(&self) -> usize {
        self.num_bytes
    }
    /// Returns the number of nodes, including detached ones.
    pub fn num_nodes(&self) -> usize {
        self.nodes.len()
    }
    /// The kind of `node`.
    pub fn kind(&self, node: NodeId) -> Kind {
        self.nodes[node as usize].kind
    }
    /// The tag of an element. Meaningless for other nodes.
    pub fn tag(&self, node: NodeId) -> Tag {
        self.nodes[node as usize].tag
    }
    /// The name of an element in lower case.
    pub fn name(&self, node: NodeId) -> &str {
        self.tag_name(self.tag(node))
    }
    /// Returns the name of one of this document's tags in lower case.
    pub fn tag_name(&self, tag: Tag) -> &str {
        self.names.name(tag.0)
    }
    /// The parent of `node`.
    pub fn parent(&self, node: NodeId) -> Option<NodeId> {
        some(self.nodes[node as usize].parent)
    }
    /// The first child of `node`.
    pub fn first_child(&self, node: NodeId) -> Option<NodeId> {
        some(self.nodes[node as usize].first_child)
    }
    /// The next sibling of `node`.
    pub fn next_sibling(&self, node: NodeId) -> Option<NodeId> {
        some(self.nodes[node as usize].next)
    }
    /// Returns the siblings after `node`, from the nearest on.
    pub fn next_siblings(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        std::iter::successors(self.next_sibling(node), |&n| self.next_sibling(n))
    }
    /// Returns the siblings before `node`, from the nearest on.
    pub fn previous_siblings(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        std::iter::successors(self.previous_sibling(node), |&n| self.previous_sibling(n))
    }
    /// The previous sibling of `node`.
    pub fn previous_sibling(&self, node: NodeId) -> Option<NodeId> {
        some(self.nodes[node as usize].prev)
    }
    /// The text of a text node; empty for other nodes.
    pub fn text(&self, node: NodeId) -> &str {
        &self.text[range(self.text_range(node))]
    }
    /// Returns the range of a text node in [`Document::source_text`], or an empty range for other nodes.
    pub fn text_range(&self, node: NodeId) -> Range<u32> {
        let n = &self.nodes[node as usize];
        if n.kind == Kind::Text { n.a..n.b } else { 0..0 }
    }
    /// The text of all text nodes in parsing order.
    pub fn source_text(&self) -> &str {
        &self.text
    }
    /// Returns the byte range of a node in the decoded page. The range of an element extends from its start
    /// tag to its end tag. The range of a text node extends from its first to its last byte. Offsets include
    /// a byte-order mark.
    ///
    /// Returns `None` for elements that the parser adds, and for all nodes if the page was parsed without
    /// [`ParseOptions::source_map`](crate::ParseOptions::source_map).
    pub fn source_of(&self, node: NodeId) -> Option<Range<usize>> {
        match self.kind(node) {
            Kind::Text => self.source_of_text(&self.text_range(node)),
            Kind::Element => self.source_map.as_ref()?.of_element(node),
            Kind::Document => None,
        }
    }
    /// Returns the byte range in the decoded page of a range of [`Document::source_text`]. See
    /// [`Document::source_of`].
    pub fn source_of_text(&self, text: &Range<u32>) -> Option<Range<usize>> {
        self.source_map.as_ref()?.of_text(text)
    }
    /// Shifts all source ranges by the number of bytes before the decoded text.
    pub(crate) fn shift_sources(&mut self, offset: usize) {
        if let Some(map) = &mut self.source_map {
            map.shift(offset);
        }
    }
    /// Returns the charset from which the page was decoded.
    pub fn encoding(&self) -> &'static str {
        self.encoding
    }
    /// Returns the layout of an element's text according to its inline style.
    pub(crate) fn layout(&self, node: NodeId) -> Layout {
        let found = self.layouts.binary_search_by_key(&node, |&(id, _)| id);
        found.map_or_else(|_| Layout::default(), |at| self.layouts[at].1)
    }
    /// Returns the roles of an element according to its class names.
    pub(crate) fn roles(&self, node: NodeId) -> Roles {
        let with_roles = self.roles.get_or_init(|| {
            let all = (0..).zip(&self.nodes).filter(|(_, n)| n.kind == Kind::Element && n.a < n.b);
            all.map(|(id, _)| (id, Roles::read(self, id))).filter(|(_, roles)| !roles.is_empty()).collect()
        });
        let found = with_roles.binary_search_by_key(&node, |&(id, _)| id);
        found.map_or_else(|_| Roles::default(), |at| with_roles[at].1)
    }
    /// Returns the value of the attribute `name`, which must be in lower case.
    pub fn attribute(&self, node: NodeId, name: &str) -> Option<&str> {
        let attributes = self.raw_attributes(node);
        if attributes.is_empty() {
            return None;
        }
        let number = self.names.find(name)?;
        let attribute = attributes.iter().find(|a| a.name == number)?;
        Some(&self.values[range(attribute.start..attribute.end)])
    }
    /// Returns the id of an attribute name; `None` if no element of the page has the attribute. Names that occur on many
    /// pages always have an id.
    pub fn attribute_number(&self, name: &str) -> Option<u16> {
        self.names.find(name)
    }
    /// Returns the name ids and the values of an element's attributes in source order.
    ///
    /// [`known_number`](crate::known_number) returns the ids of known names. In SVG and MathML, two attributes may
    /// have the same name; the first one counts.
    #[inline]
    pub fn numbered_attributes(&self, node: NodeId) -> impl Iterator<Item = (u16, &str)> {
        self.raw_attributes(node).iter().map(|a| (a.name, &self.values[range(a.start..a.end)]))
    }
    /// Like [`Document::numbered_attributes`], for the attributes whose ids satisfy `wanted`.
    ///
    /// This is faster than a filter, because only the values of these attributes are located.
    #[inline]
    pub fn attributes_with(
        &self,
        node: NodeId,
        wanted: impl Fn(u16) -> bool,
    ) -> impl Iterator<Item = (u16, &str)> {
        let found = self.raw_attributes(node).iter().filter(move |a| wanted(a.name));
        found.map(|a| (a.name, &self.values[range(a.start..a.end)]))
    }
    /// Returns the value of the first attribute with an id, such as one of [`known_number`](crate::known_number).
    #[inline]
    pub fn numbered_attribute(&self, node: NodeId, number: u16) -> Option<&str> {
        self.attributes_with(node, |name| name == number).next().map(|(_, value)| value)
    }
    /// Returns the names and values of an element's attributes in source order.
    #[inline]
    pub fn attributes(&self, node: NodeId) -> impl Iterator<Item = (&str, &str)> {
        self.raw_attributes(node)
            .iter()
            .map(|a| (self.names.name(a.name), &self.values[range(a.start..a.end)]))
    }
    /// Returns the length in bytes of an element's start tag, if it is written with quoted attribute values.
    pub(crate) fn markup_length(&self, node: NodeId) -> u32 {
        let attribute = |a: &Attribute| {
            let value = a.end - a.start;
            // markup of an attribute: a space before the name, and `=` and two quotes around the value
            1 + self.names.name(a.name).len() as u32 + if value > 0 { value + 3 } else { 0 }
        };
        self.name(node).len() as u32 + 2 + self.raw_attributes(node).iter().map(attribute).sum::<u32>()
    }
    #[inline]
    pub(crate) fn raw_attributes(&self, node: NodeId) -> &[Attribute] {
        let n = &self.nodes[node as usize];
        if n.kind == Kind::Element { &self.attributes[range(n.a..n.b)] } else { &[] }
    }
    /// Returns the ancestors of `node`, from its parent to the root.
    pub fn ancestors(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        std::iter::successors(self.parent(node), |&n| self.parent(n))
    }
    /// Returns `node` and its ancestors, up to the root.
    pub fn ancestors_and_self(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        std::iter::successors(Some(node), |&n| self.parent(n))
    }
    /// Returns the descendants of `node` in document order, without `node`.
    pub fn descendants(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        std::iter::successors(self.first_child(node), move |&n| {
            self.first_child(n).or_else(|| self.next_outside(n, node))
        })
    }
    /// Returns the elements whose tag satisfies `wanted`, in parsing order, including detached elements.
    ///
    /// This is faster than a walk over the tree.
    pub fn elements_with(&self, wanted: impl Fn(Tag) -> bool) -> impl Iterator<Item = NodeId> {
        let elements = (0..).zip(&self.nodes).filter(move |(_, n)| n.kind == Kind::Element && wanted(n.tag));
        elements.map(|(id, _)| id)
    }
    /// Returns whether the page has `<a>` elements and none of them has attributes. If so, each `<a>` counts as a
    /// link.
    pub fn has_bare_links(&self) -> bool {
        let mut links = self.elements_with(|tag| tag == Tag::A).peekable();
        links.peek().is_some() && links.all(|a| self.raw_attributes(a).is_empty())
    }
    /// The children of `node`, in order.
    pub fn children(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        std::iter::successors(self.first_child(node), |&n| self.next_sibling(n))
    }
    /// Returns the first node after the subtree of `node` in document order, within the subtree of `root`.
    pub fn next_outside(&self, node: NodeId, root: NodeId) -> Option<NodeId> {
        let mut at = node;
        while at != root {
            if let Some(next) = self.next_sibling(at) {
                return Some(next);
            }
            at = self.parent(at)?;
        }
        None
    }
    /// Returns the text of `<title>` with collapsed white space. If it is empty, returns the title from the
    /// wrapper, or an empty string.
    pub fn title(&self) -> String {
        let title = self.elements_with(|tag| tag == Tag::TITLE).next();
        let text: String =
            title.map(|t| self.descendants(t).map(|n| self.text(n)).collect()).unwrap_or_default();
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        match &self.wrapper {
            Some(wrapper) if text.is_empty() => wrapper.title.clone(),
            _ => text,
        }
    }
    /// Returns the page's URL from the wrapper, from `<link rel=canonical>` or from `og:url`, in this order.
    pub fn url(&self) -> Option<String> {
        let of_wrapper = self.wrapper.as_ref().and_then(|wrapper| web_url(&wrapper.url));
        of_wrapper.or_else(|| self.stated_url.get_or_init(|| self.find_url()).clone())
    }
    /// Returns the URL in `<link rel=canonical>` or in `og:url`.
    fn find_url(&self) -> Option<String> {
        let is = |n: NodeId, name: &str, value: &str| {
            self.attribute(n, name).is_some_and(|v| v.eq_ignore_ascii_case(value))
        };
        let (mut canonical, mut og) = (None, None);
        for node in self.elements_with(|tag| matches!(tag, Tag::LINK | Tag::META)) {
            match self.tag(node) {
                Tag::LINK if canonical.is_none() && is(node, "rel", "canonical") => canonical = Some(node),
                Tag::META if og.is_none() && is(node, "property", "og:url") => og = Some(node),
                _ => {}
            }
        }
        let canonical = canonical.and_then(|n| self.attribute(n, "href")).and_then(web_url);
        canonical.or_else(|| og.and_then(|n| self.attribute(n, "content")).and_then(web_url))
    }
    /// Returns the value of `<html lang>`, if it is not empty.
    pub fn language(&self) -> Option<&str> {
        let mut elements =
            self.children(0).filter(|&n| self.kind(n) == Kind::Element && self.tag(n) == Tag::HTML);
        let lang = self.attribute(elements.next()?, "lang")?.trim();
        (!lang.is_empty()).then_some(lang)
    }
    /// Returns whether the page shows no text, or only a notice, until its scripts have run.
    pub fn needs_rendering(&self) -> bool {
        self.needs_rendering
    }
    /// Returns the geometry of the elements as a browser renders them, if it is known.
    pub fn geometry(&self) -> Option<&Geometry> {
        self.geometry.as_deref()
    }
    /// Reads the geometry of the elements from a geometry file.
    ///
    /// # Errors
    /// Returns the errors of [`Geometry::read`].
    pub fn attach_geometry(&mut self, json: &[u8]) -> Result<()> {
        self.geometry = Some(Box::new(Geometry::read(json, self)?));
        Ok(())
    }
    /// Returns the number of bytes that nodes, text, attributes and attribute values occupy in memory.
    pub fn size(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>()
            + self.attributes.capacity() * size_of::<Attribute>()
            + self.text.capacity()
            + self.values.capacity()
    }
    /// Frees the attributes, which take most of a document's memory. Feature extraction needs them; later stages do
    /// not.
    pub fn drop_attributes(&mut self) {
        self.attributes = Vec::new();
        self.stated_url = OnceLock::new();
        self.values = String::new();
        self.nodes.iter_mut().filter(|n| n.kind == Kind::Element).for_each(|n| (n.a, n.b) = (0, 0));
    }
    /// Returns the labels read from the page: ranges of [`Document::source_text`], each with its class, in order.
    pub fn labels(&self) -> &[(Range<u32>, u8)] {
        &self.labels
    }
    /// Returns the names of the elements from `<html>` to `node`, such as `html>body>div>p`.
    pub fn path(&self, node: NodeId) -> String {
        let mut names: Vec<_> = self
            .ancestors_and_self(node)
            .filter(|&n| self.kind(n) == Kind::Element)
            .map(|n| self.name(n))
            .collect();
        names.reverse();
        names.join(">")
    }
}

fn some(node: NodeId) -> Option<NodeId> {
    (node != NONE).then_some(node)
}

/// Returns a URL of the web without the white space around it.
fn web_url(url: &str) -> Option<String> {
    let url = url.trim();
    (url.starts_with("http://") || url.starts_with("https://")).then(|| url.to_owned())
}

pub(crate) fn range(r: Range<u32>) -> Range<usize> {
    r.start as usize..r.end as usize
}
