//! Finds the text of each record: the element whose content differs between records, without text of the template.

use super::series::{Record, own_elements, own_pieces};
use super::signs::Signs;
use super::tree::{NONE, Tree, mix, without_digits};
use super::words::{self, List};
use crate::metadata::text::{for_each_lower, has_digit};
use crate::names::element_names::{ID, ITEMPROP};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::borrow::Cow;
use std::hash::Hasher;
use threshr_html::Tag;

/// Maximum number of bytes of a template line, such as a label that all records have.
const MAX_SHARED: usize = 120;
/// A line belongs to the template only if at least this number of records, and at least this share of the records
/// in percent, have it.
const MIN_SHARED: usize = 3;
const SHARED_PERCENT: usize = 40;
/// Minimum share of the weight of the records that must be in their bodies.
const MIN_WEIGHT: f64 = 0.3;
/// Share of the weight that is sufficient for a body. A larger share does not improve the rank, because the
/// additional text may be signatures.
const ENOUGH: f64 = 0.75;
/// Maximum number of bytes of an edit note, and maximum number of words up to its verb.
const MAX_NOTE: usize = 200;
const MAX_NOTE_WORDS: usize = 5;
/// Maximum number of bytes of a counter or a button at the start or end of a text.
const MAX_BUTTON: usize = 40;
/// Microdata properties of the text of a post.
const TEXT_PROPERTIES: [&str; 5] = ["text", "articleBody", "reviewBody", "commentText", "description"];

/// The pieces of a record that are its author or date, and the name of the author.
pub(super) struct Marks {
    pub pieces: FxHashSet<u32>,
    pub author: String,
}

/// Statistics of the candidate elements in one slot.
#[derive(Default)]
struct Slot {
    records: usize,
    num: usize,
    weight: f64,
    /// Total weight of the records that have the slot.
    of: f64,
    bytes: f64,
    is_named: bool,
    is_record: bool,
    last: Option<usize>,
}

/// An element that may be the body of a record.
struct Place {
    record: usize,
    element: u32,
    slot: u64,
}

/// Returns the pieces of the text of each record in `members`, and the share of them whose text is in the most
/// frequent slot. A text that is the whole record is not counted for any slot.
pub(super) fn of_records(
    tree: &Tree<'_>,
    signs: &Signs,
    records: &[Record],
    members: &[usize],
    marks: &[Marks],
) -> (Vec<Vec<u32>>, f64) {
    let own: Vec<Vec<u32>> = members.iter().map(|&r| own_pieces(records, r).collect()).collect();
    let shared = shared(tree, &own, marks);
    let mut weight = vec![0u32; tree.pieces.len()];
    let mut totals = vec![0u32; members.len()];
    for (index, record) in members.iter().map(|&r| &records[r]).enumerate() {
        for is_strict in [true, false] {
            for &piece in &own[index] {
                let is_text = is_text(tree, signs, record, piece, is_strict) && !shared.contains(&piece);
                let is_mark = marks[index].pieces.contains(&piece);
                let text = tree.text(piece);
                weight[piece as usize] = if is_text && !is_mark { text.len() as u32 } else { 0 };
            }
            totals[index] = own[index].iter().map(|&piece| weight[piece as usize]).sum();
            if totals[index] > 0 {
                break;
            }
        }
    }
    let mut before = vec![0u32; weight.len() + 1];
    (0..weight.len()).for_each(|i| before[i + 1] = before[i] + weight[i]);
    let (places, slots) = places(tree, records, members, &own, &before, &totals);
    let ranks = ranks(&slots, members.len());
    let mut bodies = Vec::with_capacity(members.len());
    let mut uses: FxHashMap<u64, usize> = FxHashMap::default();
    for (index, record) in members.iter().map(|&r| &records[r]).enumerate() {
        let first = places.partition_point(|place| place.record < index);
        let of_record = || places[first..].iter().take_while(|place| place.record == index);
        let ranked = of_record().filter_map(|place| Some((*ranks.get(&place.slot)?, place.slot)));
        let chosen = ranked.min().map(|(_, slot)| slot);
        let elements: Vec<u32> = of_record().filter(|p| Some(p.slot) == chosen).map(|p| p.element).collect();
        if let Some(slot) = chosen.filter(|slot| !slots[slot].is_record) {
            *uses.entry(slot).or_default() += 1;
        }
        let is_whole = elements.is_empty() || elements.contains(&record.elements.start);
        let is_inside =
            |piece: u32| elements.is_empty() || elements.iter().any(|&e| tree.inside(e).contains(&piece));
        let root = |piece: u32| elements.iter().copied().find(|&e| tree.inside(e).contains(&piece));
        let mut pieces: Vec<u32> = own[index].iter().copied().filter(|&piece| is_inside(piece)).collect();
        pieces.retain(|&piece| {
            let parent = tree.pieces[piece as usize].parent;
            let part = if parent == NONE { NONE } else { signs.part[parent as usize] };
            let is_part = part != NONE && part > root(piece).unwrap_or(record.elements.start);
            let is_other = is_whole && weight[piece as usize] == 0;
            let in_quote = parent != NONE && signs.in_quote[parent as usize];
            !is_part && !is_other && (in_quote || !shared.contains(&piece))
        });
        bodies.push(without_notes(tree, pieces, is_whole));
    }
    let most = uses.values().max().copied().unwrap_or_default();
    (bodies, most as f64 / members.len().max(1) as f64)
}

/// Returns whether a piece may be text of its record. It must not be in a button. If `is_strict` is true, it
/// must not be in a panel either.
fn is_text(tree: &Tree<'_>, signs: &Signs, record: &Record, piece: u32, is_strict: bool) -> bool {
    let parent = tree.pieces[piece as usize].parent;
    if parent == NONE {
        return true;
    }
    let is_below = |e: u32| e != NONE && e > record.elements.start && record.elements.contains(&e);
    let is_tool = tree.around(parent).take(3).any(|e| tree.tag(e) == Tag::BUTTON);
    !(is_tool || is_strict && is_below(signs.panel[parent as usize]))
}

/// Returns the pieces whose text occurs in many records. Numbers and names of authors are ignored.
fn shared(tree: &Tree<'_>, own: &[Vec<u32>], marks: &[Marks]) -> FxHashSet<u32> {
    let mut uses: FxHashMap<u64, (usize, usize)> = FxHashMap::default();
    let mut shapes: Vec<(u32, u64)> = Vec::new();
    for (record, pieces) in own.iter().enumerate() {
        for &piece in pieces.iter().filter(|&&piece| tree.text(piece).len() <= MAX_SHARED) {
            let shape = shape(tree.text(piece), &marks[record].author);
            shapes.push((piece, shape));
            let uses = uses.entry(shape).or_insert((0, usize::MAX));
            if uses.1 != record {
                *uses = (uses.0 + 1, record);
            }
        }
    }
    let num = own.len();
    let is_shared = |times: usize| match num {
        2 => times == 2,
        _ => times >= MIN_SHARED && 100 * times >= SHARED_PERCENT * num,
    };
    shapes.into_iter().filter(|(_, shape)| is_shared(uses[shape].0)).map(|(piece, _)| piece).collect()
}

/// Hash of a text in lower case. Each number is replaced by 0, and the name of the author by `@`.
fn shape(text: &str, author: &str) -> u64 {
    let has_author = author.len() > 1 && text.contains(author);
    let text = if has_author { Cow::Owned(text.replace(author, "@")) } else { Cow::Borrowed(text) };
    let text =
        ["Re: ", "RE: ", "AW: ", "Re : "].iter().find_map(|reply| text.strip_prefix(reply)).unwrap_or(&text);
    let mut hasher = FxHasher::default();
    let mut was_number = false;
    for_each_lower(text.trim().chars(), |c| {
        let is_number = c.is_numeric() || was_number && matches!(c, ',' | '.');
        if !(is_number && was_number) {
            hasher.write_u32(if is_number { u32::from('0') } else { c.into() });
        }
        was_number = is_number;
    });
    hasher.finish()
}

/// Returns the elements of records that may be bodies, and their slots.
fn places(
    tree: &Tree<'_>,
    records: &[Record],
    members: &[usize],
    own: &[Vec<u32>],
    before: &[u32],
    totals: &[u32],
) -> (Vec<Place>, FxHashMap<u64, Slot>) {
    let mut places = Vec::new();
    let mut slots: FxHashMap<u64, Slot> = FxHashMap::default();
    for (index, &member) in members.iter().enumerate() {
        let record = &records[member];
        let mut ends: FxHashMap<u64, u32> = FxHashMap::default();
        let holds: u32 = own[index].iter().map(|&piece| tree.text(piece).len() as u32).sum();
        for e in own_elements(records, member) {
            let inside = tree.inside(e);
            let lost = |of: &dyn Fn(&std::ops::Range<u32>) -> u32| -> u32 {
                let inner = record.inside.iter().map(|&r| &records[r].pieces);
                inner.filter(|p| p.start >= inside.start && p.end <= inside.end).map(of).sum()
            };
            let between =
                |p: &std::ops::Range<u32>| before[p.end as usize] - before[p.start.min(p.end) as usize];
            let weight = between(&inside).saturating_sub(lost(&between));
            if weight > 0 {
                let bytes = (tree.bytes(&inside) - lost(&|p| tree.bytes(p))).min(holds);
                for slot in keys(tree, record, e) {
                    let end = ends.entry(slot).or_default();
                    if e < *end {
                        continue;
                    }
                    *end = tree.end(e);
                    let entry = slots.entry(slot).or_default();
                    if entry.last.replace(index) != Some(index) {
                        entry.records += 1;
                        entry.of += f64::from(totals[index]);
                    }
                    entry.num += 1;
                    entry.weight += f64::from(weight);
                    entry.bytes += f64::from(bytes);
                    entry.is_named |= e != record.elements.start && is_named(tree, e);
                    entry.is_record |= e == record.elements.start && record.elements.end == tree.end(e);
                    places.push(Place { record: index, element: e, slot });
                }
            }
        }
    }
    (places, slots)
}

fn is_named(tree: &Tree<'_>, e: u32) -> bool {
    tree.said(e).is(List::Body)
        || tree.said_by_id(e).is(List::Body)
        || tree.named(e, ITEMPROP).is_some_and(|p| TEXT_PROPERTIES.contains(&p))
}

/// Properties that elements at the same position in different records have in common, as hashes.
fn keys(tree: &Tree<'_>, record: &Record, e: u32) -> impl Iterator<Item = u64> {
    let is_quote = tree.tag(e) == Tag::BLOCKQUOTE && !tree.said(e).is(List::Body);
    if is_quote || matches!(tree.tag(e), Tag::A | Tag::LI | Tag::BUTTON) && e != record.elements.start {
        return [None; 5].into_iter().flatten();
    }
    let of_form = Some(mix(1, tree.form(e))).filter(|_| !tree.classes(e).is_empty());
    let property = tree.named(e, ITEMPROP).filter(|p| TEXT_PROPERTIES.contains(p));
    let of_property = property.map(|property| property.bytes().fold(4, |hash, b| mix(hash, b.into())));
    let of_id = tree.named(e, ID).filter(|id| has_digit(id)).map(|id| without_digits(id, 5));
    // Key by position: tags and sibling numbers of the elements from the record to the element.
    let mut place = 3;
    for around in tree.around(e).take_while(|&e| e >= record.elements.start).take(10) {
        // Siblings in a record are counted from its first element.
        let is_root = tree.parent(around).is_none_or(|parent| parent < record.elements.start);
        let first = || roots(tree, record).find(|&root| tree.tag(root) == tree.tag(around));
        let before = if is_root { first().map_or(0, |first| tree.nth(first)) } else { 0 };
        let number = tree.nth(around) - before;
        place = mix(place, mix(tree.tag(around).0.into(), number.into()));
    }
    [Some(mix(2, tree.path(e, 3))), of_form, of_property, of_id, Some(place)].into_iter().flatten()
}

/// Returns the top-level elements of a record.
fn roots(tree: &Tree<'_>, record: &Record) -> impl Iterator<Item = u32> {
    let within = |e: u32| Some(e).filter(|&e| e < record.elements.end);
    std::iter::successors(within(record.elements.start), move |&e| within(tree.end(e)))
}

/// Returns the rank of each slot that may contain bodies. The best slot has rank 0.
fn ranks(slots: &FxHashMap<u64, Slot>, num_records: usize) -> FxHashMap<u64, usize> {
    let score = |slot: &Slot| {
        let share = slot.records as f64 / num_records as f64;
        let cover = slot.weight / slot.of.max(1.0);
        let purity = slot.weight / slot.bytes.max(1.0);
        let several = slot.num as f64 / slot.records as f64 - 1.0;
        share.sqrt() * (cover / ENOUGH).min(1.0) + 0.8 * purity + if slot.is_named { 0.25 } else { 0.0 }
            - if slot.is_record { 0.15 } else { 0.0 }
            - 0.15 * several.min(2.0)
    };
    let usable = slots.iter().filter(|(_, slot)| slot.weight >= MIN_WEIGHT * slot.of);
    let mut all: Vec<(f64, f64, u64)> = usable.map(|(&key, slot)| (score(slot), slot.bytes, key)).collect();
    all.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2)));
    all.into_iter().enumerate().map(|(rank, (_, _, key))| (key, rank)).collect()
}

/// Removes edit notes, and the signature after a rule of hyphens or similar characters. If `trims` is true,
/// also removes links and numbers at the start and the end.
fn without_notes(tree: &Tree<'_>, pieces: Vec<u32>, trims: bool) -> Vec<u32> {
    let bytes = |pieces: &[u32]| pieces.iter().map(|&p| tree.text(p).len()).sum::<usize>();
    let mut kept: Vec<u32> = Vec::with_capacity(pieces.len());
    let mut at = 0;
    while at < pieces.len() {
        let block = tree.pieces[pieces[at] as usize].block;
        let end = at + pieces[at..].iter().take_while(|&&p| tree.pieces[p as usize].block == block).count();
        let mut line = &pieces[at..end];
        at = end;
        if let Some(cut) = line.iter().position(|&piece| is_rule(tree.text(piece))) {
            // A signature is short. A rule at the start does not begin a signature.
            let before = bytes(&kept) + bytes(&line[..cut]);
            if 2 * before >= bytes(&pieces[end - (line.len() - cut)..]) {
                line = &line[..cut];
                at = pieces.len();
            }
        }
        let text = tree.joined(line.iter().copied());
        if !is_note(&text) {
            kept.extend(line);
        }
    }
    if trims {
        let is_tool = |piece: &u32| {
            let text = tree.text(*piece);
            let in_link = tree.pieces[*piece as usize].span.link.is_some();
            !text.chars().any(char::is_alphabetic)
                || in_link && text.len() <= MAX_BUTTON && !text.contains("://")
        };
        let first = kept.iter().position(|piece| !is_tool(piece)).unwrap_or(0);
        let end = kept.iter().rposition(|piece| !is_tool(piece)).map_or(kept.len(), |last| last + 1);
        kept = kept[first..end].to_vec();
    }
    kept
}

/// Whether a text is a rule before a signature, such as `--`.
fn is_rule(text: &str) -> bool {
    let text = text.trim();
    text == "--" || text.len() >= 5 && text.bytes().all(|b| matches!(b, b'_' | b'-' | b'=' | b'*'))
}

/// Whether a line is an edit note.
fn is_note(text: &str) -> bool {
    if text.len() > MAX_NOTE || !has_digit(text) {
        return false;
    }
    let start: Vec<&str> = text.split_whitespace().take(MAX_NOTE_WORDS).collect();
    start.iter().any(|word| words::contains(word, List::Edit))
}
