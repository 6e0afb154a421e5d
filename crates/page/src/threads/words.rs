//! Words in element names, addresses and short texts that indicate posts.

use crate::address::without_host;
use crate::metadata::element_names::{self as names, any_word};
use crate::names::element_names::{CLASS, ElementNames, ID};
use crate::word_lists::{WordBits, list};
use rustc_hash::FxHashMap;
use std::sync::LazyLock;

pub(super) const FILE: &str = include_str!("../../data/threads.tsv");

/// Maximum number of letters of a compound that contains a word for a post.
const MAX_COMPOUND: usize = 16;

/// A parameter name of a query with at most this number of letters is too short to be meaningful.
const MAX_SHORT_WORD: usize = 2;

/// A list of words that occur in names, addresses and short texts.
#[derive(Debug, Clone, Copy)]
pub(super) enum List {
    Action,
    Body,
    Comment,
    Comments,
    Day,
    Edit,
    Elsewhere,
    Link,
    MemberPage,
    NoName,
    NotAuthor,
    NotPostAuthor,
    NotPostDate,
    OtherDate,
    Panel,
    Part,
    Post,
    PostAuthor,
    PostDate,
    Quote,
    Score,
}

impl List {
    fn bit(self) -> u32 {
        1 << self as u32
    }
}

/// All words, each with a bit set of its lists.
static LISTS: LazyLock<WordBits> = LazyLock::new(|| {
    let own = [
        (List::Action, "action"),
        (List::Body, "body"),
        (List::Comments, "comments"),
        (List::Day, "day"),
        (List::Edit, "edit"),
        (List::Elsewhere, "elsewhere"),
        (List::Link, "link"),
        (List::MemberPage, "member_page"),
        (List::NoName, "no_name"),
        (List::OtherDate, "other_date"),
        (List::Panel, "panel"),
        (List::Part, "part"),
        (List::Quote, "quote"),
        (List::Score, "score"),
    ];
    let of_metadata = [
        (List::Comment, &names::COMMENT),
        (List::NotAuthor, &names::NOT_AUTHOR),
        (List::NotPostAuthor, &names::NOT_POST_AUTHOR),
        (List::NotPostDate, &names::NOT_POST_DATE),
        (List::Post, &names::POST),
        (List::PostAuthor, &names::POST_AUTHOR),
        (List::PostDate, &names::POST_DATE),
    ];
    let mut by_word: FxHashMap<&str, u32> = FxHashMap::default();
    let mut add = |list: List, word: &'static str| *by_word.entry(word).or_default() |= list.bit();
    own.iter().for_each(|&(bit, name)| list(FILE, name).into_iter().for_each(|word| add(bit, word)));
    of_metadata.iter().for_each(|(bit, words)| words.iter().for_each(|&word| add(*bit, word)));
    WordBits::new(by_word)
});

/// Whether a text contains a word of a list.
pub(super) fn contains(text: &str, list: List) -> bool {
    any_word(text, |word| is_in(word, list))
}

pub(super) fn is_in(word: &str, list: List) -> bool {
    LISTS.get(word) & list.bit() != 0
}

/// The word lists ([`List`]) that match an attribute value. The value has names separated by spaces, and a name has
/// words: `post-body` has `post` and `body`.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Said {
    /// Bit set of the lists that contain any word of a name.
    words: u32,
    /// Bit set of the lists that contain the last word of a name: `post-body` is a body. Digits at the end are ignored.
    heads: u32,
    /// Whether a word identifies an element as a post: `post`, `blockpost`, `comments`.
    pub names_post: bool,
    /// Whether the whole value is `name`.
    pub is_name: bool,
}

impl Said {
    pub(super) fn new(value: &str) -> Self {
        let mut said = Said { is_name: value.trim() == "name", ..Said::default() };
        for name in value.split_ascii_whitespace() {
            let mut head = 0;
            any_word(name, |word| {
                let own = LISTS.get(word);
                said.words |= own;
                let stem = word.trim_end_matches(|c: char| c.is_ascii_digit());
                if !stem.is_empty() {
                    head = if stem.len() == word.len() { own } else { LISTS.get(stem) };
                    let is_compound = || stem.ends_with("post") || stem.starts_with("postbit");
                    said.names_post |= head & (List::Post.bit() | List::Comment.bit()) != 0
                        || stem.len() <= MAX_COMPOUND && is_compound();
                }
                false
            });
            said.heads |= head;
        }
        said
    }

    /// Whether the list contains any word of a name.
    pub(super) fn has(self, list: List) -> bool {
        self.words & list.bit() != 0
    }

    /// Whether the list contains the last word of a name.
    pub(super) fn is(self, list: List) -> bool {
        self.heads & list.bit() != 0
    }
}

/// Returns the list words in class and id of each set of names.
pub(super) fn of_names(names: &ElementNames<'_>) -> Vec<[Said; 2]> {
    let said = |set, attribute| names.value_in(set, attribute).map(Said::new).unwrap_or_default();
    (0..names.num_sets() as u32).map(|set| [CLASS, ID].map(|attribute| said(set, attribute))).collect()
}

/// Whether an address leads to an action, such as a reply.
pub(super) fn leads_to_action(href: &str) -> bool {
    contains(href, List::Action)
}

/// Whether path or query of an address indicate a page about a member.
pub(super) fn leads_to_member(href: &str) -> bool {
    let rest = without_host(href);
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    // In a query, short words are arbitrary parameter names.
    contains(path, List::MemberPage)
        || any_word(query, |word| word.len() > MAX_SHORT_WORD && is_in(word, List::MemberPage))
}
