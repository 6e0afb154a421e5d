//! Roles of elements by their class names.

use crate::text::word_list::word_list;
use crate::{Document, NodeId, known_number};
use std::sync::LazyLock;

/// The sorted class names of `structure_classes.tsv`, and the roles of each.
const CLASSES: &[&str] = &word_list!("structure_classes.tsv");
static ROLES: &[&str] = &word_list!("structure_classes.tsv", 1);

/// Longest class attribute that is read, in bytes.
const MAX_CLASS: usize = 512;

/// What a class name says about an element.
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
    /// A post of another site.
    Embed,
    /// A box of advice.
    Callout,
    /// The title of a box of advice.
    CalloutTitle,
    /// A picture of a character.
    Emoji,
    /// A picture of a formula.
    Formula,
    /// A formula as a script draws it.
    RenderedFormula,
    /// A formula on lines of its own.
    DisplayFormula,
    /// A character of an icon font, written as a word.
    Icon,
}

impl Role {
    /// All roles, in order.
    const ALL: [Role; 16] = [
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
    ];

    /// Its name in the data file.
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
        }
    }
}

/// Whether a class name of an element has a role.
pub fn has_role(doc: &Document, node: NodeId, role: Role) -> bool {
    Roles::of(doc, node).has(role)
}

/// The roles of an element, read once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Roles(u32);

/// Number of the attribute with class names.
const CLASS: u16 = known_number("class");

impl Roles {
    /// The roles of the class names of an element.
    pub fn of(doc: &Document, node: NodeId) -> Self {
        doc.roles(node)
    }

    /// Reads the class names of an element.
    pub(crate) fn read(doc: &Document, node: NodeId) -> Self {
        let class = doc.numbered_attributes(node).find(|(number, _)| *number == CLASS);
        let Some((_, class)) = class.filter(|(_, class)| class.len() <= MAX_CLASS) else {
            return Roles::default();
        };
        let bytes = class.as_bytes();
        let (mut roles, mut start) = (0, 0);
        for (at, &byte) in bytes.iter().enumerate() {
            // no known name has a control character
            if byte <= b' ' {
                roles |= bits(&bytes[start..at]);
                start = at + 1;
            }
        }
        roles |= bits(&bytes[start..]);
        Roles(roles)
    }

    /// Whether there is none.
    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether the element has a role.
    pub fn has(self, role: Role) -> bool {
        self.0 >> role as u32 & 1 == 1
    }
}

/// The roles of each class name, as bits.
static BITS: LazyLock<Vec<u32>> = LazyLock::new(|| {
    let bit =
        |name: &str| Role::ALL.iter().find(|role| role.name() == name).map_or(0, |&role| 1 << role as u32);
    ROLES.iter().map(|roles| roles.split(' ').map(bit).sum()).collect()
});

/// Longest class name with a role, in bytes, with `-` and `_`.
const MAX_NAME: usize = 48;

/// For each first letter, the lengths of the names that begin with it, as bits.
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

/// For each first letter, the second letters of the names that begin with it, as bits.
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

/// Whether a class name begins as one with a role. Most names do not.
fn may_have_role(name: &[u8]) -> bool {
    let &[first, second, ..] = name else { return false };
    let place = |byte: u8| (byte | 32).wrapping_sub(b'a');
    let (first, second) = (place(first), place(second));
    first < 26 && second < 26 && SECOND_LETTERS[usize::from(first)] >> second & 1 == 1
}

/// The roles of a class name, as bits.
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
