//! Builds a thread from a main series, a first post with another structure, and further series.

use super::body::{self, Marks};
use super::series::{self, Record, Series};
use super::signs::{Date, Signs};
use super::slots::{self, Author};
use super::tree::{NONE, Tree};
use super::words::List;
use super::{Thread, citations, gate, lead, links, parts, replies};
use crate::metadata::element_names::any_word;
use crate::metadata::{Post, PostKind};
use crate::names::element_names::{CLASS, ID, ITEMTYPE};
use rustc_hash::FxHashSet;
use threshr_html::{NodeId, Tag};

/// Maximum number of series that are tried as further series of the thread.
const MAX_FURTHER: usize = 40;
/// A further series is used only if at least this share of its records has a separate date and name.
const MIN_SHARE: f64 = 0.8;
/// Minimum number of bytes of the text of an article.
const MIN_ARTICLE: usize = 400;
/// Maximum number of ancestors of a record whose names may identify it as a comment.
const MAX_LEVELS: usize = 8;

/// Authors, dates and texts of the records of a series.
pub(super) struct Reading {
    pub authors: Vec<Option<Author>>,
    /// Index of the date of each record in [`Signs::dates`].
    pub dates: Vec<Option<usize>>,
    /// Pieces of the text of each record.
    pub bodies: Vec<Vec<u32>>,
    /// Pieces of author and date of each record.
    marks: Vec<Marks>,
    /// Share of the records whose date is in the most frequent slot.
    pub regular: f64,
    /// Share of the records whose text is in the most frequent slot of texts.
    pub alike: f64,
}

impl Reading {
    fn new(tree: &Tree<'_>, signs: &Signs, records: &[Record], members: &[usize]) -> Self {
        Reading::with_dates(tree, signs, records, members, slots::dates(signs, records, members))
    }

    /// Reads records whose dates are known, as [`slots::dates`] returns them.
    fn with_dates(
        tree: &Tree<'_>,
        signs: &Signs,
        records: &[Record],
        members: &[usize],
        (dates, regular): (Vec<Option<usize>>, f64),
    ) -> Self {
        let authors = slots::authors(tree, signs, records, members);
        let owners = series::owners(records, signs.dates.iter().map(|date| (date.at, date.piece)));
        let mut marks: Vec<Marks> = authors.iter().map(|author| marks(author.as_ref())).collect();
        for (date, owner) in signs.dates.iter().zip(owners) {
            if let Some(member) = owner.and_then(|owner| members.binary_search(&owner).ok()) {
                // If the element has no text, its date is in an attribute.
                let inside = tree.inside(date.at);
                if inside.contains(&date.piece) {
                    marks[member].pieces.insert(date.piece);
                    marks[member].pieces.extend(inside.filter(|_| date.is_named));
                }
            }
        }
        let (bodies, alike) = body::of_records(tree, signs, records, members, &marks);
        Reading { authors, dates, bodies, marks, regular, alike }
    }
}

fn marks(author: Option<&Author>) -> Marks {
    Marks {
        pieces: author.and_then(|author| author.piece).into_iter().collect(),
        author: author.map(|author| author.name.clone()).unwrap_or_default(),
    }
}

/// Returns the thread with the main series `main`, which is a series of `all`. Returns `None` if its records
/// are not posts.
pub(super) fn thread(tree: &Tree<'_>, signs: &Signs, main: &Series, all: &[Series]) -> Option<Thread> {
    let without_article = without_article(tree, main);
    let main = without_article.as_ref().unwrap_or(main);
    let everyone: Vec<usize> = (0..main.records.len()).collect();
    let dates = slots::dates(signs, &main.records, &everyone);
    if !gate::is_regular(main.records.len(), dates.1) {
        return None;
    }
    let reading = Reading::with_dates(tree, signs, &main.records, &everyone, dates);
    let confidence = gate::confidence(tree, signs, main, &main.records, &reading)?;
    let names_comments = main.records.iter().all(|record| is_comment(tree, record));
    let lead = lead(tree, signs, main, &reading, names_comments);
    let has_lead = matches!(lead, Lead::Post(_));
    let is_article = matches!(lead, Lead::Article);
    let main_records = lead.post().into_iter().chain(main.records.iter().cloned());
    let mut parts: Vec<(Record, usize)> = main_records.map(|record| (record, 0)).collect();
    let mut num_series = 1;
    for further in all.iter().take(MAX_FURTHER) {
        if further.is_named
            && !further.is_flat
            && !takes_text(&further.records, &main.records, &reading)
            && adds(tree, signs, &parts, further)
        {
            parts.extend(further.records.iter().map(|record| (record.clone(), num_series)));
            num_series += 1;
        }
    }
    parts.sort_by_key(|(record, _)| (record.elements.start, std::cmp::Reverse(record.elements.end)));
    let (mut records, of_series): (Vec<Record>, Vec<usize>) = parts.into_iter().unzip();
    series::nest(&mut records);
    let depths = match records.iter().any(|record| record.parent.is_some()) {
        true => vec![None; records.len()],
        false => replies::by_depth(tree, &records),
    };
    let mut drafts: Vec<Option<Post>> = vec![None; records.len()];
    let mut bodies: Vec<Vec<u32>> = vec![Vec::new(); records.len()];
    let mut builder = parts::Builder::default();
    // If there is no other first post and no further series, the records are unchanged, so they are not read
    // again.
    let mut known = (records == main.records).then_some(reading);
    for number in 0..num_series {
        let members: Vec<usize> = (0..records.len()).filter(|&r| of_series[r] == number).collect();
        let reading = known.take().unwrap_or_else(|| Reading::new(tree, signs, &records, &members));
        let dated = reading.dates.iter().filter(|date| date.is_some()).count();
        let drops_undated = 4 * dated >= 3 * members.len();
        for (member, &index) in members.iter().enumerate() {
            let (body, marks) = (&reading.bodies[member], &reading.marks[member].pieces);
            // A first post with another structure has no slots in common with the other records.
            let slots = if has_lead && index == 0 { usize::MAX } else { number };
            builder.add(tree, signs, &records, (slots, index), body, marks);
            let date = reading.dates[member].map(|number| &signs.dates[number]);
            if !body.is_empty() && (date.is_some() || !drops_undated) {
                let author = reading.authors[member].clone().unwrap_or_default();
                drafts[index] = Some(post(tree, signs, &records, index, author, date, body));
                bodies[index].clone_from(body);
            }
        }
    }
    let kinds = main.records.iter().map(|record| kind(tree, record, false));
    let is_plain = kinds.into_iter().all(|kind| kind == PostKind::Post);
    let is_comments = !has_lead && is_plain && (names_comments || is_article);
    let kind_of = |index: usize| match is_comments {
        true => PostKind::Comment,
        false => kind(tree, &records[index], of_series[index] > 0),
    };
    let mut number = 0..;
    let numbered = drafts.iter().enumerate().map(|(index, draft)| match draft {
        Some(_) => number.next().map(|number| (number, is_comments || kind_of(index) == PostKind::Review)),
        None => None,
    });
    let parts = builder.build(tree, &numbered.collect::<Vec<_>>());
    let cited = citations::parents(tree, signs, &records, &drafts, &bodies);
    let mut question = None;
    let mut posts: Vec<Post> = Vec::new();
    let mut places: Vec<Option<usize>> = vec![None; records.len()];
    for (index, draft) in drafts.into_iter().enumerate() {
        let parent =
            records[index].parent.or(depths[index]).or(cited[index]).and_then(|parent| places[parent]);
        let Some(draft) = draft else {
            places[index] = parent;
            continue;
        };
        places[index] = Some(posts.len());
        let kind = kind_of(index);
        if kind == PostKind::Question {
            question = Some(posts.len());
        }
        let parent = parent.or(question.filter(|_| kind == PostKind::Answer));
        posts.push(Post { kind, parent, confidence: Some(confidence as f32), ..draft });
    }
    Some(Thread { posts, parts, is_comments, confidence })
}

/// If the first record is an article that contains all other records, the other records are comments. Returns
/// the series without the article in this case.
fn without_article(tree: &Tree<'_>, series: &Series) -> Option<Series> {
    let [first, others @ ..] = &series.records[..] else { return None };
    let is_around = others.iter().all(|record| record.elements.end <= first.elements.end);
    if !is_around || is_comment(tree, first) || !others.iter().all(|record| is_comment(tree, record)) {
        return None;
    }
    let mut records = others.to_vec();
    series::nest(&mut records);
    Some(Series { records, ..series.clone() })
}

/// Returns the first post if it has another structure. The head of the first record is not a post.
fn lead(tree: &Tree<'_>, signs: &Signs, main: &Series, reading: &Reading, names_comments: bool) -> Lead {
    let found = main.records.first().and_then(|first| lead::find(tree, signs, first));
    let Some(found) = found else { return Lead::None };
    let mut records = vec![found];
    records.extend(main.records.iter().cloned());
    series::nest(&mut records);
    let members: Vec<usize> = (0..records.len()).collect();
    let own = Reading::new(tree, signs, &records, &members);
    let name = |author: &Option<Author>| author.as_ref().map(|author| author.name.clone());
    let value = |date: Option<usize>| date.map(|number| signs.dates[number].value());
    let is_head =
        name(&own.authors[0]) == name(&reading.authors[0]) && value(own.dates[0]) == value(reading.dates[0]);
    let has_sign = own.authors[0].as_ref().is_some_and(|a| a.has_evidence) || own.dates[0].is_some();
    let may_be = has_sign && !is_head && !own.bodies[0].is_empty();
    let bytes: usize = own.bodies[0].iter().map(|&piece| tree.text(piece).len()).sum();
    if may_be && lead::is_post(tree, &records, &own, names_comments) {
        Lead::Post(records.swap_remove(0))
    } else if !is_head && bytes >= MIN_ARTICLE {
        Lead::Article
    } else {
        Lead::None
    }
}

/// Content before the first record of a series.
enum Lead {
    /// A first post with another structure.
    Post(Record),
    /// A text that is not a post, such as an article.
    Article,
    None,
}

impl Lead {
    fn post(self) -> Option<Record> {
        match self {
            Lead::Post(record) => Some(record),
            Lead::Article | Lead::None => None,
        }
    }
}

/// Whether the records in `further` contain more than a fifth of the text of the records around them.
fn takes_text(further: &[Record], records: &[Record], reading: &Reading) -> bool {
    let is_inside = |inner: &Record, outer: &Record| {
        inner.elements.start > outer.elements.start && inner.elements.end <= outer.elements.end
    };
    let (mut all, mut taken) = (0, 0);
    for (record, body) in records.iter().zip(&reading.bodies) {
        let inner: Vec<&Record> = further.iter().filter(|inner| is_inside(inner, record)).collect();
        all += body.len();
        taken += body.iter().filter(|piece| inner.iter().any(|inner| inner.pieces.contains(piece))).count();
    }
    5 * taken > all
}

/// Returns whether a further series has separate dates and names, and its records do not partly overlap the
/// other records.
fn adds(tree: &Tree<'_>, signs: &Signs, parts: &[(Record, usize)], further: &Series) -> bool {
    let overlaps = |record: &Record| {
        parts.iter().any(|(other, _)| {
            let (a, b) = (&record.elements, &other.elements);
            let is_inside = a.start > b.start && a.end <= b.end || b.start > a.start && b.end <= a.end;
            a.start < b.end && b.start < a.end && !is_inside
        })
    };
    if further.records.iter().any(overlaps) {
        return false;
    }
    let mut all: Vec<(Record, bool)> = parts.iter().map(|(record, _)| (record.clone(), false)).collect();
    all.extend(further.records.iter().map(|record| (record.clone(), true)));
    all.sort_by_key(|(record, _)| (record.elements.start, std::cmp::Reverse(record.elements.end)));
    let (mut records, is_new): (Vec<Record>, Vec<bool>) = all.into_iter().unzip();
    series::nest(&mut records);
    let mut dates = vec![0usize; records.len()];
    let of_dates = signs.dates.iter().map(|date| (date.at, date.piece));
    series::owners(&records, of_dates).into_iter().flatten().for_each(|owner| dates[owner] += 1);
    let mut has_name = vec![false; records.len()];
    let of_names = || signs.named.iter().map(|&e| (e, tree.inside(e).start));
    series::owners(&records, of_names()).into_iter().flatten().for_each(|owner| has_name[owner] = true);
    // The existing records must keep their dates and names.
    let keeps = (0..records.len()).filter(|&r| !is_new[r] && dates[r] > 0).count();
    let names = (0..records.len()).filter(|&r| !is_new[r] && has_name[r]).count();
    let mut so_far: Vec<Record> = parts.iter().map(|(record, _)| record.clone()).collect();
    so_far.sort_by_key(|record| (record.elements.start, std::cmp::Reverse(record.elements.end)));
    let named: FxHashSet<usize> = series::owners(&so_far, of_names()).into_iter().flatten().collect();
    let own: Vec<usize> = (0..records.len()).filter(|&r| is_new[r]).collect();
    let good = own.iter().filter(|&&r| (1..=2).contains(&dates[r]) && has_name[r]).count();
    let share = |num: usize, of: usize| num as f64 / of.max(1) as f64;
    share(keeps, parts.len()) >= MIN_SHARE
        && names as f64 >= MIN_SHARE * named.len() as f64
        && share(good, own.len()) >= MIN_SHARE
        && has_authors(tree, signs, &records, &own)
}

/// Whether most of the members have a text and an author other than that of the parent record.
fn has_authors(tree: &Tree<'_>, signs: &Signs, records: &[Record], members: &[usize]) -> bool {
    let everyone: Vec<usize> = (0..records.len()).filter(|r| members.binary_search(r).is_err()).collect();
    let others = slots::authors(tree, signs, records, &everyone);
    let own = Reading::new(tree, signs, records, members);
    let name_of = |record: usize| {
        let member = everyone.binary_search(&record).ok()?;
        others[member].as_ref().map(|author| author.name.as_str())
    };
    let is_good = |member: &usize| {
        let name = own.authors[*member].as_ref().map(|author| author.name.as_str());
        let around = records[members[*member]].parent.and_then(name_of);
        name.is_some() && !own.bodies[*member].is_empty() && name != around
    };
    let num_good = (0..members.len()).filter(is_good).count();
    num_good as f64 >= MIN_SHARE * members.len() as f64
}

/// Returns whether names identify a record as a readers' comment, and no type or name identifies it as
/// another kind of post. Checks the element of the record, its ancestors, and the descendants that contain
/// the whole record.
fn is_comment(tree: &Tree<'_>, record: &Record) -> bool {
    let start = record.elements.start;
    let kind = tree.named(start, ITEMTYPE).unwrap_or_default();
    if kind.ends_with("Posting") || kind.ends_with("Answer") || kind.ends_with("Question") {
        return false;
    }
    let is = |e: u32, list: List| {
        tree.tag(e) != Tag::BODY && (tree.said(e).has(list) || tree.said_by_id(e).has(list))
    };
    let in_comments = || tree.around(start).skip(1).take(MAX_LEVELS).any(|e| is(e, List::Comments));
    let names_comment = |e: u32| is(e, List::Comment) && !is(e, List::Post);
    let is_inside = || !is(start, List::Post) && wrapped(tree, record).any(names_comment);
    names_comment(start) || kind.ends_with("Comment") || in_comments() || is_inside()
}

/// Returns the elements that contain the whole record, outermost first.
fn wrapped(tree: &Tree<'_>, record: &Record) -> impl Iterator<Item = u32> {
    let holds = |&child: &u32| tree.inside(child) == record.pieces;
    std::iter::successors(Some(record.elements.start), move |&e| tree.children(e).find(holds))
        .take(MAX_LEVELS)
}

/// Kind of a post of a thread.
fn kind(tree: &Tree<'_>, record: &Record, is_further: bool) -> PostKind {
    let start = record.elements.start;
    let value = |attribute| tree.named(start, attribute).unwrap_or_default();
    let kind = value(ITEMTYPE);
    let is = |wanted: &str| [CLASS, ID].iter().any(|&at| any_word(value(at), |word| word == wanted));
    if kind.ends_with("Review") || is("review") {
        PostKind::Review
    } else if kind.ends_with("Question") || is("question") {
        PostKind::Question
    } else if kind.ends_with("Answer") || is("answer") {
        PostKind::Answer
    } else if is_further && is("comment") {
        PostKind::Comment
    } else {
        PostKind::Post
    }
}

fn post(
    tree: &Tree<'_>,
    signs: &Signs,
    records: &[Record],
    index: usize,
    author: Author,
    date: Option<&Date>,
    body: &[u32],
) -> Post {
    let parents = body.iter().map(|&piece| tree.pieces[piece as usize].parent).filter(|&e| e != NONE);
    let nodes: FxHashSet<NodeId> = parents.map(|e| tree.node(e)).collect();
    let mut blocks: Vec<usize> =
        body.iter().map(|&piece| tree.pieces[piece as usize].block as usize).collect();
    blocks.dedup();
    Post {
        node: tree.node(records[index].elements.start),
        last: last_root(tree, &records[index]),
        kind: PostKind::Post,
        author: Some(author.name).filter(|name| !name.is_empty()),
        author_url: author.url,
        date: date.map(|date| date.iso.clone().unwrap_or_else(|| date.text.clone())),
        url: links::permalink(tree, records, index, date, &nodes),
        score: links::score(tree, records, index, &nodes),
        parent: None,
        blocks,
        text: Some(text(tree, signs, body)),
        confidence: None,
    }
}

/// Returns the last element of a record.
fn last_root(tree: &Tree<'_>, record: &Record) -> NodeId {
    let mut last = record.elements.start;
    while tree.end(last) < record.elements.end {
        last = tree.end(last);
    }
    tree.node(last)
}

/// Returns the text of pieces, one line per block. Lines of quotations begin with `> `.
fn text(tree: &Tree<'_>, signs: &Signs, pieces: &[u32]) -> String {
    let mut out = String::new();
    let block = |piece: &u32| tree.pieces[*piece as usize].block;
    for line in pieces.chunk_by(|a, b| block(a) == block(b)) {
        let mut text = String::new();
        let mut before: Option<u32> = None;
        for &piece in line {
            let span = &tree.pieces[piece as usize].span;
            match before {
                Some(before) if before + 1 == piece => {
                    let start = tree.pieces[before as usize].span.text.end;
                    text.push_str(tree.blocks.slice(&(start..span.text.start)));
                }
                Some(_) => text.push(' '),
                None => {}
            }
            text.push_str(tree.text(piece));
            before = Some(piece);
        }
        let parent = line.first().map_or(NONE, |&piece| tree.pieces[piece as usize].parent);
        let in_quote = parent != NONE && signs.in_quote[parent as usize];
        for line in text.lines() {
            if !out.is_empty() {
                out.push('\n');
            }
            out.push_str(if in_quote { "> " } else { "" });
            out.push_str(line);
        }
    }
    out
}
