//! Roles of elements by their class names.

use crate::text::word_list::word_list;
use crate::{Document, NodeId};

/// The sorted class names of `structure_classes.tsv`, and the roles of each.
static CLASSES: &[&str] = &word_list!("structure_classes.tsv");
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
    let Some(class) = doc.attribute(node, "class").filter(|class| class.len() <= MAX_CLASS) else {
        return false;
    };
    class.split_ascii_whitespace().any(|name| roles(name).split(' ').any(|r| r == role.name()))
}

/// The roles of a class name, separated by spaces; empty if it has none.
fn roles(name: &str) -> &'static str {
    let name: String =
        name.chars().filter(|c| !matches!(c, '-' | '_')).map(|c| c.to_ascii_lowercase()).collect();
    CLASSES.binary_search(&name.as_str()).map_or("", |at| ROLES[at])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Tag, parse_str};

    #[test]
    fn names_are_sorted_and_roles_are_known() {
        assert!(CLASSES.windows(2).all(|pair| pair[0] < pair[1]));
        let known: Vec<_> = all().map(Role::name).collect();
        assert!(ROLES.iter().all(|roles| roles.split(' ').all(|role| known.contains(&role))));
    }

    fn all() -> impl Iterator<Item = Role> {
        use Role::*;
        [
            Gutter,
            CodeCell,
            CodeList,
            Line,
            Toolbar,
            Permalink,
            BackLink,
            NoteReference,
            Embed,
            Callout,
            CalloutTitle,
            Emoji,
            Formula,
            RenderedFormula,
            DisplayFormula,
            Icon,
        ]
        .into_iter()
    }

    #[test]
    fn any_spelling_of_a_class_name_is_read() {
        let doc = parse_str("<p class='x Line-Numbers'>1</p>");
        let p = doc.elements_with(|tag| tag == Tag::P).next().expect("a paragraph");
        assert!(has_role(&doc, p, Role::Gutter) && !has_role(&doc, p, Role::Line));
    }
}
