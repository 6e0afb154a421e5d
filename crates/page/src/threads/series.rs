//! Finds series. A series consists of records of the same form, which are nested or are siblings under one
//! element.

use super::signs::Signs;
use super::tree::{NONE, Tree, mix, without_digits};
use crate::metadata::text::has_digit;
use crate::names::element_names::{ID, ITEMTYPE};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;
use threshr_html::Tag;

/// Minimum and maximum number of records of a series.
const MIN_RECORDS: usize = 2;
const MAX_RECORDS: usize = 600;
/// Maximum number of elements in a flat record that precede the element with the date.
const MAX_BACK: usize = 12;
/// Maximum number of candidates that are scored.
const MAX_SERIES: usize = 400;

/// A candidate for a post: an element, or consecutive siblings.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Record {
    /// Range of element indices.
    pub elements: Range<u32>,
    /// Range of the pieces of text.
    pub pieces: Range<u32>,
    /// Indices of the records directly inside.
    pub inside: Vec<usize>,
    /// Index of the record around it.
    pub parent: Option<usize>,
}

impl Record {
    pub(super) fn new(tree: &Tree<'_>, element: u32) -> Self {
        let elements = element..tree.end(element);
        Record { elements, pieces: tree.inside(element), inside: Vec::new(), parent: None }
    }
}

/// Records with their score.
#[derive(Debug, Clone)]
pub(super) struct Series {
    /// The records, in document order.
    pub records: Vec<Record>,
    pub is_flat: bool,
    pub score: f64,
    /// Share of the non-link text of the page that is in the records.
    pub coverage: f64,
    /// Share of the records that are in parts of the page that refer to other pages.
    pub elsewhere: f64,
    /// Whether names or types identify the records as posts.
    pub is_named: bool,
    /// Share of the records with a date.
    pub dated: f64,
    /// Share of the records with an element that contains the name of a member.
    pub with_name: f64,
}

/// Sets `inside` and `parent` of each record. Records are in document order.
pub(super) fn nest(records: &mut [Record]) {
    for record in records.iter_mut() {
        (record.inside, record.parent) = (Vec::new(), None);
    }
    let mut open: Vec<usize> = Vec::new();
    for index in 0..records.len() {
        let start = records[index].elements.start;
        while open.last().is_some_and(|&last| records[last].elements.end <= start) {
            open.pop();
        }
        records[index].parent = open.last().copied();
        if let Some(&around) = open.last() {
            records[around].inside.push(index);
        }
        open.push(index);
    }
}

/// Returns the innermost record that contains each date or name, which is given by its element and its piece.
pub(super) fn owners(records: &[Record], signs: impl Iterator<Item = (u32, u32)>) -> Vec<Option<usize>> {
    let mut next = 0;
    let mut open: Vec<usize> = Vec::new();
    signs
        .map(|(at, piece)| {
            while next < records.len() && records[next].pieces.start <= piece {
                open.push(next);
                next += 1;
            }
            // Text between the elements of a flat record is in the parent element.
            let holds =
                |r: &Record| r.elements.contains(&at) || r.elements.start > at && r.pieces.contains(&piece);
            while open.last().is_some_and(|&last| !holds(&records[last])) {
                open.pop();
            }
            open.last().copied()
        })
        .collect()
}

/// Returns the series of a page, the best first.
pub(super) fn find(tree: &Tree<'_>, signs: &Signs) -> Vec<Series> {
    let mut holds_sign = vec![false; tree.len() as usize];
    let marks = signs.dates.iter().map(|date| date.at).chain(signs.named.iter().copied());
    for mark in marks {
        for around in tree.around(mark) {
            if std::mem::replace(&mut holds_sign[around as usize], true) {
                break;
            }
        }
    }
    let is_candidate = |e: u32| holds_sign[e as usize];
    let mut seen: FxHashSet<u64> = FxHashSet::default();
    let mut found: Vec<Series> = Vec::new();
    let mut add = |records: Vec<Record>, is_flat: bool| {
        let hash = |hash, r: &Record| mix(mix(hash, r.elements.start.into()), r.elements.end.into());
        if seen.len() < MAX_SERIES && seen.insert(records.iter().fold(0, hash)) {
            found.push(scored(tree, signs, records, is_flat));
        }
    };
    let mut groups: Vec<(u64, Vec<u32>)> = groups(tree, &is_candidate).into_iter().collect();
    groups.sort_by_key(|(_, members)| (members[0], members.len()));
    for (_, members) in groups {
        if (MIN_RECORDS..=MAX_RECORDS).contains(&members.len()) {
            let mut records: Vec<Record> = members.iter().map(|&e| Record::new(tree, e)).collect();
            nest(&mut records);
            add(records, false);
        }
    }
    for parent in (0..tree.len()).filter(|&e| is_candidate(e)) {
        for records in flat(tree, signs, parent) {
            add(records, true);
        }
    }
    found.sort_by(|a, b| b.score.total_cmp(&a.score));
    found
}

/// Groups candidate elements by properties that they have in common.
fn groups(tree: &Tree<'_>, is_candidate: &dyn Fn(u32) -> bool) -> FxHashMap<u64, Vec<u32>> {
    let mut groups: FxHashMap<u64, Vec<u32>> = FxHashMap::default();
    for e in (0..tree.len()).filter(|&e| is_candidate(e)) {
        let tag = tree.tag(e);
        let is_known = Tag::known(tree.doc.name(tree.node(e))).is_some();
        if is_known && !tag.is_block_level()
            || matches!(tag, Tag::HTML | Tag::BODY | Tag::BUTTON)
            || tag.is_heading()
        {
            continue;
        }
        let tag = u64::from(tag.0);
        let mut add = |kind: u64, key: u64| groups.entry(mix(mix(kind, tag), key)).or_default().push(e);
        for &class in tree.classes(e) {
            add(1, class);
        }
        add(2, tree.form(e));
        if let Some(id) = tree.named(e, ID).filter(|id| has_digit(id)) {
            add(3, without_digits(id, 0));
        }
        if let Some(kind) = tree.named(e, ITEMTYPE) {
            add(4, kind.bytes().fold(0, |hash, b| mix(hash, b.into())));
        }
        add(5, tree.parent(e).unwrap_or(NONE).into());
        add(6, tree.around(e).take(4).fold(0, |path, e| mix(path, tree.tag(e).0.into())));
        if !is_known {
            add(7, 0);
        }
    }
    groups
}

fn has_class(tree: &Tree<'_>, e: u32) -> bool {
    !tree.classes(e).is_empty()
}

/// Returns series of siblings under one element. In each record, one child contains a date of the same form.
fn flat(tree: &Tree<'_>, signs: &Signs, parent: u32) -> Vec<Vec<Record>> {
    let children: Vec<u32> = tree.children(parent).collect();
    if children.len() < 2 * MIN_RECORDS - 1 {
        return Vec::new();
    }
    // Dates of each form, as indices of the children that contain them.
    let mut by_form: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
    let end = tree.end(parent);
    let first = signs.dates.partition_point(|date| date.piece < tree.inside(parent).start);
    for date in signs.dates[first..].iter().take_while(|date| date.piece < tree.inside(parent).end) {
        if date.at > parent && date.at < end {
            let child = children.partition_point(|&child| child <= date.at) - 1;
            by_form.entry(date.form).or_default().push(child);
        }
    }
    let mut all: Vec<(u64, Vec<usize>)> = by_form.into_iter().collect();
    all.sort();
    let marks = all.into_iter().map(|(_, marks)| marks).filter(|marks| {
        // A child of the same form without a date is a separate record.
        let form = tree.form(children[marks[0]]);
        let is_like = |between: &u32| tree.form(*between) == form && has_class(tree, *between);
        (MIN_RECORDS..=MAX_RECORDS).contains(&marks.len())
            && marks.windows(2).all(|w| w[0] + 1 < w[1] && !children[w[0] + 1..w[1]].iter().any(is_like))
    });
    marks.map(|marks| records_at(tree, parent, &children, &marks)).collect()
}

/// Returns records that each contain one of the children `marks`.
fn records_at(tree: &Tree<'_>, parent: u32, children: &[u32], marks: &[usize]) -> Vec<Record> {
    let mut back = 0;
    while back < MAX_BACK {
        let step = back + 1;
        let is_between = |i: usize| if i == 0 { marks[0] >= step } else { marks[i] - marks[i - 1] > step };
        if !(0..marks.len()).all(is_between) {
            break;
        }
        let form = tree.form(children[marks[0] - step]);
        if !marks.iter().all(|&mark| tree.form(children[mark - step]) == form) {
            break;
        }
        back = step;
    }
    let longest = marks.windows(2).map(|w| w[1] - w[0]).max().unwrap_or(1);
    let starts: Vec<usize> = marks.iter().map(|mark| mark - back).collect();
    let mut records = Vec::with_capacity(starts.len());
    for (number, &start) in starts.iter().enumerate() {
        let end = starts.get(number + 1).copied().unwrap_or((start + longest).min(children.len()));
        let elements = children[start]..tree.end(children[end - 1]);
        let next = children.get(end).map_or(tree.inside(parent).end, |&next| tree.inside(next).start);
        let pieces = tree.inside(children[start]).start..next;
        records.push(Record { elements, pieces, inside: Vec::new(), parent: None });
    }
    records
}

/// Returns the pieces of a record without the pieces of inner records.
pub(super) fn own_pieces(records: &[Record], index: usize) -> impl Iterator<Item = u32> {
    let record = &records[index];
    outside(&record.pieces, record.inside.iter().map(|&inside| &records[inside].pieces))
}

/// Returns the elements of a record without the elements of inner records.
pub(super) fn own_elements(records: &[Record], index: usize) -> impl Iterator<Item = u32> {
    let record = &records[index];
    outside(&record.elements, record.inside.iter().map(|&inside| &records[inside].elements))
}

/// Returns the numbers of a range that are in none of the sorted `holes`.
fn outside<'r>(range: &Range<u32>, holes: impl Iterator<Item = &'r Range<u32>>) -> impl Iterator<Item = u32> {
    let (mut at, end) = (range.start, range.end);
    let mut holes = holes.peekable();
    std::iter::from_fn(move || {
        while let Some(hole) = holes.next_if(|hole| hole.start <= at) {
            at = at.max(hole.end);
        }
        at += 1;
        (at <= end).then(|| at - 1)
    })
}

/// Whether the class or id of an element identifies it as a post.
pub(super) fn names_post(tree: &Tree<'_>, e: u32) -> bool {
    tree.said(e).names_post || tree.said_by_id(e).names_post
}

fn scored(tree: &Tree<'_>, signs: &Signs, records: Vec<Record>, is_flat: bool) -> Series {
    let num = records.len();
    let share = |num_of: usize| num_of as f64 / num as f64;
    let dates = signs.dates.iter().map(|date| (date.at, date.piece));
    let mut of_form: FxHashMap<(u64, usize), u32> = FxHashMap::default();
    let mut num_dates = vec![0u32; num];
    let mut seen: FxHashMap<(u64, usize, &str), u64> = FxHashMap::default();
    for (date, owner) in signs.dates.iter().zip(owners(&records, dates)) {
        // Many pages show the date of a post twice, at two positions.
        let mut is_new =
            |owner: usize| *seen.entry((date.form, owner, date.value())).or_insert(date.place) == date.place;
        if let Some(owner) = owner.filter(|&owner| is_new(owner)) {
            *of_form.entry((date.form, owner)).or_default() += 1;
            num_dates[owner] += 1;
        }
    }
    let mut uses: FxHashMap<u64, (usize, usize)> = FxHashMap::default();
    for (&(form, _), &times) in &of_form {
        let uses = uses.entry(form).or_default();
        uses.0 += usize::from(times == 1);
        uses.1 += usize::from(times > 1);
    }
    let best = uses.iter().max_by_key(|(form, uses)| (uses.0 as i64 - uses.1 as i64, **form));
    let (form, several) = best.map_or((0, 0), |(form, uses)| (*form, uses.1));
    let is_dated = |r: usize| of_form.get(&(form, r)).map_or(num_dates[r] == 1, |&times| times == 1);
    let dated: Vec<bool> = (0..num).map(is_dated).collect();
    let mut has_name = vec![false; num];
    let named = signs.named.iter().map(|&e| (e, tree.inside(e).start));
    owners(&records, named).into_iter().flatten().for_each(|owner| has_name[owner] = true);
    let outer = || records.iter().filter(|r| r.parent.is_none());
    let bytes: u32 = outer().map(|r| tree.bytes(&r.pieces)).sum();
    let links: u32 = outer().map(|r| tree.link_bytes(&r.pieces)).sum();
    let all = 0..tree.pieces.len() as u32;
    let text = tree.bytes(&all) - tree.link_bytes(&all);
    let coverage = f64::from(bytes - links) / f64::from(text.max(1));
    let link_density = f64::from(links) / f64::from(bytes.max(1));
    let is_elsewhere = |r: &&Record| signs.elsewhere[r.elements.start as usize];
    let is_post = |r: &&Record| names_post(tree, r.elements.start);
    let is_type = |r: &&Record| {
        let kind = tree.named(r.elements.start, ITEMTYPE).unwrap_or_default();
        ["Posting", "Comment", "Comments", "Answer", "Question", "Review"].iter().any(|t| kind.ends_with(t))
    };
    let elsewhere = share(records.iter().filter(is_elsewhere).count());
    let (is_named, is_typed) = (records.iter().all(|r| is_post(&r)), records.iter().all(|r| is_type(&r)));
    let with_name = share(has_name.iter().filter(|n| **n).count());
    let signs = 0.15 + 0.5 * share(dated.iter().filter(|d| **d).count()) + 0.35 * with_name;
    let dated = share(num_dates.iter().filter(|&&num| num > 0).count());
    let score = coverage.powf(0.6)
        * signs.powi(2)
        * (1.0 - 0.9 * share(several))
        * (1.0 - (link_density - 0.35).max(0.0))
        * (1.0 - 0.7 * elsewhere)
        * if is_named { 1.12 } else { 1.0 }
        * if is_typed { 1.1 } else { 1.0 };
    Series { records, is_flat, score, coverage, elsewhere, is_named: is_named || is_typed, dated, with_name }
}
