//! Roles of elements by their class names.

use crate::text::word_list::word_list;
use crate::{Document, NodeId, known_number};
use std::sync::LazyLock;

/// The sorted class names of `structure_classes.tsv`, which lists the roles of each name.
const CLASSES: &[&str] = &word_list!("structure_classes.tsv");
static ROLES: &[&str] = &word_list!("structure_classes.tsv", 1);

/// Maximum length in bytes of a class attribute that is read.
const MAX_CLASS: usize = 512;

/// The function of an element, as shown by its class name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Line numbers beside code.
    Gutter,
    /// Code beside line numbers.
    CodeCell,
    /// A table of code lines.
    CodeList,
    /// One line of code.
    Line,
    /// The title and the buttons of a code block.
    Toolbar,
    /// A link of a heading to itself.
    Permalink,
    /// A link from a note to its reference.
    BackLink,
    /// A reference to a note.
    NoteReference,
    /// An embedded post of another site.
    Embed,
    /// An admonition: a box with a note, a tip or a warning.
    Callout,
    /// The title of an admonition.
    CalloutTitle,
    /// An image of a single character.
    Emoji,
    /// An image of a formula.
    Formula,
    /// A formula as a script renders it.
    RenderedFormula,
    /// A display formula.
    DisplayFormula,
    /// A character of an icon font. The text of the element is the ligature name of the character.
    Icon,
    /// A formula whose text is TeX.
    Tex,
    /// A box that contains code and its title.
    CodeBox,
    /// A note inside the line of its reference.
    InlineNote,
    /// The marker of a note inside a line.
    NoteMark,
    /// The text of a forum post, even if the page marks it up as a quotation.
    PostText,
    /// A quotation of another post.
    Quote,
    /// A link to an enlarged view. It contains an image, and a bar with the file name and size of the image.
    Lightbox,
    /// A list of forum posts.
    Posts,
    /// A box with an image and its caption.
    Figure,
    /// A table whose rows each show one formula.
    Equations,
}

impl Role {
    /// All roles, in order.
    const ALL: [Role; 26] = [
        Role::Gutter,
        Role::CodeCell,
        Role::CodeList,
        Role::Line,
        Role::Toolbar,
        Role::Permalink,
        Role::BackLink,
        Role::NoteReference,
        Role::Embed,
        Role::Callout,
        Role::CalloutTitle,
        Role::Emoji,
        Role::Formula,
        Role::RenderedFormula,
        Role::DisplayFormula,
        Role::Icon,
        Role::Tex,
        Role::CodeBox,
        Role::InlineNote,
        Role::NoteMark,
        Role::PostText,
        Role::Quote,
        Role::Lightbox,
        Role::Posts,
        Role::Figure,
        Role::Equations,
    ];

    /// The name of the role in `structure_classes.tsv`.
    fn name(self) -> &'static str {
        match self {
            Role::Gutter => "gutter",
            Role::CodeCell => "codecell",
            Role::CodeList => "codelist",
            Role::Line => "line",
            Role::Toolbar => "toolbar",
            Role::Permalink => "permalink",
            Role::BackLink => "backlink",
            Role::NoteReference => "noteref",
            Role::Embed => "embed",
            Role::Callout => "callout",
            Role::CalloutTitle => "callouttitle",
            Role::Emoji => "emoji",
            Role::Formula => "formula",
            Role::RenderedFormula => "rendered",
            Role::DisplayFormula => "display",
            Role::Icon => "icon",
            Role::Tex => "tex",
            Role::CodeBox => "codebox",
            Role::InlineNote => "inlinenote",
            Role::NoteMark => "notemark",
            Role::PostText => "posttext",
            Role::Quote => "quote",
            Role::Lightbox => "lightbox",
            Role::Posts => "posts",
            Role::Figure => "figure",
            Role::Equations => "equations",
        }
    }
}

/// Whether one of the class names of an element has the given role.
pub fn has_role(doc: &Document, node: NodeId, role: Role) -> bool {
    Roles::new(doc, node).has(role)
}

/// The set of roles of an element, from its class names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Roles(u32);

/// Id of the attribute `class`.
const CLASS: u16 = known_number("class");

impl Roles {
    /// Reads the roles of an element from its class names.
    pub fn new(doc: &Document, node: NodeId) -> Self {
        doc.roles(node)
    }

    /// Parses the class attribute of an element.
    pub(crate) fn read(doc: &Document, node: NodeId) -> Self {
        let class = doc.numbered_attribute(node, CLASS).filter(|class| class.len() <= MAX_CLASS);
        let Some(class) = class else { return Roles::default() };
        let bytes = class.as_bytes();
        let (mut roles, mut start) = (0, 0);
        for (at, &byte) in bytes.iter().enumerate() {
            // known names contain neither white space nor control characters
            if byte <= b' ' {
                roles |= bits(&bytes[start..at]);
                start = at + 1;
            }
        }
        roles |= bits(&bytes[start..]);
        Roles(roles)
    }

    /// Whether the element has no role.
    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether the element has the given role.
    pub fn has(self, role: Role) -> bool {
        self.0 >> role as u32 & 1 == 1
    }
}

/// The roles of each class name of `CLASSES`, as a bit set.
static BITS: LazyLock<Vec<u32>> = LazyLock::new(|| {
    let bit =
        |name: &str| Role::ALL.iter().find(|role| role.name() == name).map_or(0, |&role| 1 << role as u32);
    ROLES.iter().map(|roles| roles.split(' ').map(bit).sum()).collect()
});

/// Maximum length in bytes of a class name that has a role.
const MAX_NAME: usize = 48;

/// For each first letter, the lengths of the known names as a bit set.
static LENGTHS: [u64; 26] = {
    let mut lengths = [0u64; 26];
    let mut i = 0;
    while i < CLASSES.len() {
        let name = CLASSES[i].as_bytes();
        assert!(name.len() <= MAX_NAME && name[0].is_ascii_lowercase());
        lengths[(name[0] - b'a') as usize] |= 1 << name.len();
        i += 1;
    }
    lengths
};

/// For each first letter, the second letters of the known names as a bit set.
static SECOND_LETTERS: [u32; 26] = {
    let mut letters = [0u32; 26];
    let mut i = 0;
    while i < CLASSES.len() {
        let name = CLASSES[i].as_bytes();
        assert!(name.len() >= 2 && name[1].is_ascii_lowercase());
        letters[(name[0] - b'a') as usize] |= 1 << (name[1] - b'a');
        i += 1;
    }
    letters
};

/// Whether a class name may have a role, by its length and first two letters. A fast test that rules out most
/// names.
fn may_have_role(name: &[u8]) -> bool {
    let &[first, second, ..] = name else { return false };
    let place = |byte: u8| (byte | 32).wrapping_sub(b'a');
    let (first, second) = (place(first), place(second));
    first < 26 && second < 26 && SECOND_LETTERS[usize::from(first)] >> second & 1 == 1
}

/// The roles of a class name, as a bit set.
fn bits(name: &[u8]) -> u32 {
    if name.len() > MAX_NAME || !may_have_role(name) {
        return 0;
    }
    let (mut buffer, mut len) = ([0u8; MAX_NAME], 0);
    for byte in name.iter().filter(|b| !matches!(b, b'-' | b'_')) {
        buffer[len] = byte.to_ascii_lowercase();
        len += 1;
    }
    let is_possible =
        buffer[0].is_ascii_lowercase() && LENGTHS[usize::from(buffer[0] - b'a')] >> len & 1 == 1;
    if !is_possible {
        return 0;
    }
    let found = CLASSES.binary_search_by(|class| class.as_bytes().cmp(&buffer[..len]));
    found.map_or(0, |at| BITS[at])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Tag, parse_str};

    #[test]
    fn names_are_sorted_and_roles_are_known() {
        assert!(CLASSES.windows(2).all(|pair| pair[0] < pair[1]));
        let known: Vec<_> = Role::ALL.into_iter().map(Role::name).collect();
        assert!(Role::ALL.iter().enumerate().all(|(i, &role)| role as usize == i));
        assert!(ROLES.iter().all(|roles| roles.split(' ').all(|role| known.contains(&role))));
    }

    #[test]
    fn any_spelling_of_a_class_name_is_read() {
        let doc = parse_str("<p class='x Line-Numbers'>1</p>");
        let p = doc.elements_with(|tag| tag == Tag::P).next().expect("a paragraph");
        assert!(has_role(&doc, p, Role::Gutter) && !has_role(&doc, p, Role::Line));
    }
}
