//! Finds author and date of each record. Records of one form have them at the same position, a slot.

use super::series::{Record, own_pieces, owners};
use super::signs::{MAX_NAME, Signs};
use super::tree::{NONE, Tree};
use super::words::{self, List, leads_to_action};
use crate::metadata::authors;
use crate::metadata::element_names::any_word;
use crate::metadata::text::{folded, key};
use rustc_hash::{FxHashMap, FxHashSet};
use threshr_html::Tag;

/// Attributes of a record with the name of its author.
pub(super) const AUTHOR_ATTRIBUTES: [&str; 5] =
    ["data-author", "data-username", "data-user-name", "author", "data-poster"];
/// Minimum score of a slot whose text is a name.
const MIN_SLOT: f64 = 0.12;
const MIN_UNMARKED: f64 = 0.06;
/// Maximum number of elements of a record whose attributes are read.
const MAX_ROOTS: usize = 4;

/// The author of a record.
#[derive(Debug, Clone, Default)]
pub(super) struct Author {
    pub name: String,
    /// The URL of the page about the author, as written in the page.
    pub url: Option<String>,
    /// The piece that contains the name.
    pub piece: Option<u32>,
    /// Whether the markup identifies the text as a name.
    pub has_evidence: bool,
}

/// A short text that may be a name.
struct Candidate {
    record: usize,
    piece: u32,
    slot: u64,
    evidence: f64,
    name: String,
    /// Index among the short texts of the record.
    place: usize,
}

/// Returns the author of each record in `members`.
pub(super) fn authors(
    tree: &Tree<'_>,
    signs: &Signs,
    records: &[Record],
    members: &[usize],
) -> Vec<Option<Author>> {
    let is_date: FxHashSet<u32> = signs.dates.iter().map(|date| date.piece).collect();
    let mut candidates = Vec::new();
    for (member, &record) in members.iter().enumerate() {
        let mut place = 0;
        for piece in own_pieces(records, record) {
            let element = tree.pieces[piece as usize].parent;
            let text = tree.text(piece);
            if element == NONE
                || text.len() > MAX_NAME
                || is_date.contains(&piece)
                || signs.in_quote[element as usize]
            {
                continue;
            }
            let Some(name) = name(text) else { continue };
            let evidence = evidence(tree, signs, element);
            candidates.push(Candidate {
                record: member,
                piece,
                slot: tree.path(element, 3),
                evidence,
                name,
                place,
            });
            place += 1;
        }
    }
    let scores = scores(&candidates, members.len());
    // If no markup identifies a name, the best candidate is used.
    let least = if candidates.iter().all(|c| c.evidence == 0.0) { MIN_UNMARKED } else { MIN_SLOT };
    let mut best: Vec<Option<(f64, &Candidate)>> = vec![None; members.len()];
    for candidate in &candidates {
        let score = scores[&candidate.slot];
        let own = &mut best[candidate.record];
        if (score >= least || candidate.evidence >= 1.0 && score > 0.0)
            && own.is_none_or(|(other, _)| score > other)
        {
            *own = Some((score, candidate));
        }
    }
    let chosen = best.into_iter().map(|best| best.map(|(_, candidate)| author_at(tree, candidate)));
    let of = members.iter().map(|&record| &records[record]);
    chosen.zip(of).map(|(chosen, record)| stated(tree, record, chosen.as_ref()).or(chosen)).collect()
}

/// Returns the name in a short text, without labels such as `by` and `wrote:`.
fn name(text: &str) -> Option<String> {
    let text = folded(text);
    let text = text.trim_matches(|c: char| {
        c.is_whitespace()
            || matches!(c, ':' | ',' | '|' | '•' | '·' | '»' | '«' | '–' | '-' | '(' | ')' | '@')
    });
    let text =
        ["by ", "By ", "von ", "par "].iter().find_map(|label| text.strip_prefix(label)).unwrap_or(text);
    let text = ["View the profile of ", "Profile of "]
        .iter()
        .find_map(|l| text.strip_prefix(l))
        .unwrap_or(text)
        .trim();
    let is_name = text.split(' ').count() <= 6
        && !text.ends_with(['?', '!'])
        && text.chars().any(char::is_alphabetic)
        && any_word(text, |word| word.chars().any(char::is_alphabetic) && !words::is_in(word, List::NoName))
        && !authors::is_label(text);
    is_name.then(|| text.to_owned())
}

/// Returns the number of signs that an element contains a name, at most 3.
fn evidence(tree: &Tree<'_>, signs: &Signs, element: u32) -> f64 {
    let own = tree.inside(element);
    let mut points: f64 = 0.0;
    for around in tree.around(element).take(4) {
        let inside = tree.inside(around);
        if inside.len() > own.len() + 2 || tree.bytes(&inside) as usize > MAX_NAME {
            break;
        }
        points += f64::from(signs.names[around as usize]);
        let is_other = points == 0.0 && tree.said(around).is(List::NotPostAuthor);
        if is_other || tree.tag(around) == Tag::BUTTON {
            return 0.0;
        }
    }
    let is_action =
        tree.around(element).take(2).any(|e| tree.attribute(e, "href").is_some_and(leads_to_action));
    if is_action { 0.0 } else { points.min(3.0) }
}

/// Returns a score for each slot: how likely it contains the authors.
fn scores(candidates: &[Candidate], num_records: usize) -> FxHashMap<u64, f64> {
    #[derive(Default)]
    struct Slot<'c> {
        records: FxHashSet<usize>,
        names: FxHashSet<&'c str>,
        evidence: f64,
        places: usize,
        num: usize,
    }
    let mut slots: FxHashMap<u64, Slot<'_>> = FxHashMap::default();
    for candidate in candidates {
        let slot = slots.entry(candidate.slot).or_default();
        slot.records.insert(candidate.record);
        slot.names.insert(&candidate.name);
        slot.evidence += candidate.evidence;
        slot.places += candidate.place;
        slot.num += 1;
    }
    let score = |slot: &Slot<'_>| {
        let num = slot.num as f64;
        let of_records = slot.records.len() as f64;
        let share = of_records / num_records as f64;
        // A slot of names should have one name per record.
        let single = (of_records / num).powi(2);
        let distinct = match slot.names.len() {
            1 if slot.records.len() >= 3 => return 0.0,
            names => 0.5 + 0.5 * (names as f64 / of_records).min(1.0),
        };
        let evidence = slot.evidence / num;
        let place = 1.0 / (1.0 + 0.15 * slot.places as f64 / num);
        share.powf(0.5) * (0.15 + evidence) * distinct * single * place
    };
    slots.iter().map(|(&form, slot)| (form, score(slot))).collect()
}

fn author_at(tree: &Tree<'_>, candidate: &Candidate) -> Author {
    let element = tree.pieces[candidate.piece as usize].parent;
    Author {
        name: candidate.name.clone(),
        url: member_page(tree, element),
        piece: Some(candidate.piece),
        has_evidence: candidate.evidence > 0.0,
    }
}

/// Returns the address of the link around a name.
fn member_page(tree: &Tree<'_>, element: u32) -> Option<String> {
    let link = tree.around(element).take(4).find(|&e| tree.tag(e) == Tag::A)?;
    let href = tree.attribute(link, "href")?.trim();
    (!href.is_empty() && !href.starts_with(['#']) && !href.starts_with("javascript")).then(|| href.to_owned())
}

/// Whether an attribute of a record states its author.
pub(super) fn states_author(tree: &Tree<'_>, record: &Record) -> bool {
    stated_name(tree, record).is_some()
}

fn stated_name<'a>(tree: &Tree<'a>, record: &Record) -> Option<&'a str> {
    let roots = record.elements.clone().take(MAX_ROOTS);
    let mut values =
        roots.flat_map(|e| AUTHOR_ATTRIBUTES.iter().filter_map(move |name| tree.attribute(e, name)));
    let name = values.find(|v| !v.trim().is_empty() && v.len() <= MAX_NAME && !v.contains('<'))?;
    Some(name.trim())
}

/// Returns the author in an attribute of the record. Returns `None` if the visible author has the same name.
fn stated(tree: &Tree<'_>, record: &Record, shown: Option<&Author>) -> Option<Author> {
    let name = stated_name(tree, record)?;
    if shown.is_some_and(|shown| key(&shown.name) == key(name)) {
        return None;
    }
    let same =
        record.pieces.clone().find(|&p| tree.text(p).len() <= MAX_NAME && key(tree.text(p)) == key(name));
    let element = same.map(|piece| tree.pieces[piece as usize].parent);
    let url = element.and_then(|element| member_page(tree, element));
    Some(Author { name: name.to_owned(), url, piece: same, has_evidence: true })
}

/// Returns the index of the date of each record in `members`, and the share of them whose date is in the best slot.
pub(super) fn dates(signs: &Signs, records: &[Record], members: &[usize]) -> (Vec<Option<usize>>, f64) {
    struct Slot {
        /// The first date of each record as record and date index, sorted by record.
        dates: Vec<(usize, usize)>,
        num: usize,
        named: usize,
        first: usize,
    }
    let of = owners(records, signs.dates.iter().map(|date| (date.at, date.piece)));
    let mut slots: FxHashMap<u64, Slot> = FxHashMap::default();
    let mut seen: FxHashSet<usize> = FxHashSet::default();
    for (number, owner) in of.iter().enumerate() {
        let Some(record) = owner.and_then(|owner| members.binary_search(&owner).ok()) else { continue };
        let date = &signs.dates[number];
        let slot = slots.entry(date.form).or_insert(Slot { dates: Vec::new(), num: 0, named: 0, first: 0 });
        slot.num += 1;
        slot.named += usize::from(date.is_named);
        slot.first += usize::from(seen.insert(record));
        if !slot.dates.iter().rev().take(8).any(|(r, _)| *r == record) {
            slot.dates.push((record, number));
        }
    }
    let score = |slot: &Slot| {
        let num = slot.dates.len() as f64;
        let share = num / members.len() as f64;
        let texts: FxHashSet<&str> = slot.dates.iter().map(|(_, n)| signs.dates[*n].text.as_str()).collect();
        let is_one = if slot.dates.len() > 2 && texts.len() == 1 { 0.4 } else { 1.0 };
        is_one
            * share
            * (1.0
                + 0.6 * monotone(signs, &slot.dates)
                + 0.3 * slot.named as f64 / slot.num as f64
                + 0.2 * slot.first as f64 / slot.num as f64)
    };
    let mut all: Vec<(f64, u64, Slot)> =
        slots.into_iter().map(|(form, slot)| (score(&slot), form, slot)).collect();
    all.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let in_best = all.first().map_or(0, |(_, _, slot)| slot.dates.len());
    let mut dates = vec![None; members.len()];
    for (record, number) in all.into_iter().flat_map(|(_, _, slot)| slot.dates) {
        dates[record].get_or_insert(number);
    }
    (dates, in_best as f64 / members.len().max(1) as f64)
}

/// Returns how monotone the dates are, from 0 to 1. Ascending and descending order are equivalent.
fn monotone(signs: &Signs, dates: &[(usize, usize)]) -> f64 {
    let known: Vec<&str> =
        dates.iter().filter_map(|(_, number)| signs.dates[*number].iso.as_deref()).collect();
    if known.len() < 3 {
        return 0.5;
    }
    let pairs = || known.windows(2);
    let up = pairs().filter(|w| w[0] < w[1]).count();
    let down = pairs().filter(|w| w[0] > w[1]).count();
    if up + down == 0 {
        return 0.5;
    }
    let best = (known.len() - 1 - up.min(down)) as f64 / (known.len() - 1) as f64;
    ((best - 0.5) * 2.0).max(0.0)
}
