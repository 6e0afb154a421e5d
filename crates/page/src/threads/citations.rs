//! Replies of records that are not nested: an attribute or a link states the parent, or the record quotes it.

use super::series::{Record, own_elements, own_pieces};
use super::signs::{MAX_NAME, Signs};
use super::tree::{NONE, Tree, mix};
use super::words::leads_to_member;
use crate::metadata::Post;
use crate::metadata::element_names::any_word;
use crate::metadata::text::{for_each_lower, key};
use rustc_hash::FxHashMap;

/// Maximum number of elements of a record that are searched for identifiers, and for links to other records.
const MAX_ROOTS: usize = 4;
const MAX_ELEMENTS: usize = 400;
/// Maximum number of texts of a record that may state who is quoted, and of words in such a text.
const MAX_LABELS: usize = 8;
const MAX_WORDS: usize = 12;
/// Attributes with the identifier of a record.
const IDS: [&str; 6] = ["id", "name", "data-id", "data-post-id", "data-comment-id", "data-content"];
/// Attributes of a record, and attributes of a quotation, with the identifier of the parent.
const PARENTS: [&str; 5] =
    ["data-parent", "data-parent-id", "data-parent-comment-id", "data-reply-to", "data-in-reply-to"];
const SOURCES: [&str; 4] = ["data-source", "data-post-id", "data-ipsquote-contentcommentid", "cite"];
/// Words in the class or rel of a link to the parent.
const PARENT_WORDS: [&str; 2] = ["parent", "replyto"];
/// Number of letters of the strings by which quotations are compared with texts. One in `ONE_IN` strings is compared.
const LETTERS: usize = 20;
const ONE_IN: u64 = 4;

/// Returns the parent of each record, which is an earlier record. For each record, `posts` has its post and `bodies`
/// the pieces of its text.
pub(super) fn parents(
    tree: &Tree<'_>,
    signs: &Signs,
    records: &[Record],
    posts: &[Option<Post>],
    bodies: &[Vec<u32>],
) -> Vec<Option<usize>> {
    let ids = ids(tree, records);
    let author =
        |post: &Option<Post>| key(post.as_ref().and_then(|p| p.author.as_deref()).unwrap_or_default());
    let names: Vec<String> = posts.iter().map(author).collect();
    let in_quote = |piece: u32| {
        let parent = tree.pieces[piece as usize].parent;
        parent != NONE && signs.in_quote[parent as usize]
    };
    let last_quote = bodies.iter().rposition(|body| body.iter().any(|&piece| in_quote(piece)));
    // The last record with a string, and the last record of an author.
    let mut by_string: FxHashMap<u64, usize> = FxHashMap::default();
    let mut by_name: FxHashMap<&str, usize> = FxHashMap::default();
    let mut parents = Vec::with_capacity(records.len());
    for (index, record) in records.iter().enumerate() {
        let before = |value: &str| find(&ids, value).filter(|&parent| parent < index);
        let roots = || record.elements.clone().take(MAX_ROOTS);
        let stated = || values(tree, roots(), &PARENTS).find_map(before);
        let elements = || own_elements(records, index).take(MAX_ELEMENTS);
        let linked = || {
            elements().find_map(|e| {
                let href = tree.attribute(e, "href")?;
                let target = before(href).filter(|_| !leads_to_member(href))?;
                let is_name = || key(&tree.joined(tree.inside(e))) == names[target];
                let names_it = || !names[target].is_empty() && is_name() || is_parent(tree, e);
                (signs.in_quote[e as usize] || names_it()).then_some(target)
            })
        };
        let quotes = || elements().filter(|&e| signs.in_quote[e as usize]);
        let of_quote = || values(tree, quotes(), &SOURCES).find_map(before);
        let (quoted, own): (Vec<u32>, Vec<u32>) =
            bodies[index].iter().copied().partition(|&piece| in_quote(piece));
        let copied = || most(strings(tree, &quoted).into_iter().filter_map(|s| by_string.get(&s).copied()));
        let named = || {
            let mut labels = own_pieces(records, index).filter(|&piece| in_quote(piece)).take(MAX_LABELS);
            labels.find_map(|piece| attributed(tree.text(piece), &by_name))
        };
        parents.push(stated().or_else(linked).or_else(of_quote).or_else(copied).or_else(named));
        if last_quote > Some(index) {
            by_string.extend(strings(tree, &own).into_iter().map(|string| (string, index)));
        }
        if !names[index].is_empty() {
            by_name.insert(&names[index], index);
        }
    }
    parents
}

/// Returns the values of attributes of elements.
fn values<'a>(
    tree: &Tree<'a>,
    elements: impl Iterator<Item = u32>,
    names: &[&str],
) -> impl Iterator<Item = &'a str> {
    elements.flat_map(move |e| names.iter().filter_map(move |name| tree.attribute(e, name)))
}

/// Returns the record of each identifier. `None` if several records have the identifier.
fn ids<'a>(tree: &Tree<'a>, records: &[Record]) -> FxHashMap<&'a str, Option<usize>> {
    let mut ids: FxHashMap<&str, Option<usize>> = FxHashMap::default();
    for (index, record) in records.iter().enumerate() {
        for value in values(tree, record.elements.clone().take(MAX_ROOTS), &IDS) {
            for id in [value, number(value)].into_iter().filter(|id| !id.is_empty()) {
                let of = ids.entry(id).or_insert(Some(index));
                *of = of.filter(|&other| other == index);
            }
        }
    }
    ids
}

/// Returns the digits at the end of a text.
fn number(text: &str) -> &str {
    &text[text.trim_end_matches(|c: char| c.is_ascii_digit()).len()..]
}

/// Returns the record that an identifier or an address identifies.
fn find(ids: &FxHashMap<&str, Option<usize>>, value: &str) -> Option<usize> {
    let value = value.trim();
    let id = value.rsplit_once('#').map_or(value, |(_, fragment)| fragment);
    ids.get(id).or_else(|| ids.get(number(id))).copied().flatten()
}

/// Whether class or rel identify a link as a link to the parent.
fn is_parent(tree: &Tree<'_>, link: u32) -> bool {
    let mut names = ["class", "rel"].iter().filter_map(|name| tree.attribute(link, name));
    names.any(|value| {
        let joined = value.replace(['-', '_'], "").to_ascii_lowercase();
        any_word(&joined, |word| PARENT_WORDS.iter().any(|parent| word.ends_with(parent)))
    })
}

/// Returns hashes of one in [`ONE_IN`] of the strings of [`LETTERS`] letters and digits in a text.
fn strings(tree: &Tree<'_>, pieces: &[u32]) -> Vec<u64> {
    const BASE: u64 = 0x9e37_79b9_7f4a_7c15;
    let out = (0..LETTERS).fold(1u64, |power, _| power.wrapping_mul(BASE));
    let texts = pieces.iter().flat_map(|&piece| tree.text(piece).chars());
    let mut last = [0u64; LETTERS];
    let (mut hash, mut at) = (0u64, 0);
    let mut found = Vec::new();
    for_each_lower(texts.filter(|c| c.is_alphanumeric()), |letter| {
        let letter = u64::from(letter);
        let oldest = std::mem::replace(&mut last[at % LETTERS], letter);
        hash = hash.wrapping_mul(BASE).wrapping_add(letter).wrapping_sub(oldest.wrapping_mul(out));
        let string = mix(hash, 0);
        if at + 1 >= LETTERS && string.is_multiple_of(ONE_IN) {
            found.push(string);
        }
        at += 1;
    });
    found
}

/// Returns the most frequent record; if several are equally frequent, the last.
fn most(records: impl Iterator<Item = usize>) -> Option<usize> {
    let mut times: FxHashMap<usize, usize> = FxHashMap::default();
    records.for_each(|record| *times.entry(record).or_default() += 1);
    times.into_iter().map(|(record, times)| (times, record)).max().map(|(_, record)| record)
}

/// Returns the last record of the author that a text before a quotation names: `Ann`, `Ann wrote:`, `Quote from: Ann`.
fn attributed(text: &str, by_name: &FxHashMap<&str, usize>) -> Option<usize> {
    let text = text.trim();
    if text.len() > 2 * MAX_NAME {
        return None;
    }
    let find = |part: &str| by_name.get(key(part).as_str()).copied();
    let cuts = || text.match_indices(char::is_whitespace).take(MAX_WORDS).map(|(at, _)| at);
    let start = || cuts().filter(|_| text.ends_with(':')).find_map(|at| find(&text[..at]));
    let end = || text.split_once(':').and_then(|(_, rest)| find(rest));
    find(text).or_else(start).or_else(end)
}
