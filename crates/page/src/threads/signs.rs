//! Evidence of posts: dates and names of members.

use super::tree::{NONE, Tree, mix};
use super::words::{self, List, Said, leads_to_action};
use crate::metadata::dates::{self, DateStyle};
use crate::metadata::text::{cut, folded, has_digit};
use crate::names::element_names::{CLASS, ITEMPROP, ROLE};
use crate::text::text_patterns::Dates;
use threshr_html::{Document, NodeId, Tag};

/// Maximum number of bytes of a text with a date.
pub(super) const MAX_DATE: usize = 110;
/// Maximum number of letters in addition to the date in the text of a date.
const MAX_BESIDE: usize = 60;
/// Maximum number of bytes of a text that has a date without a year.
const MAX_SHORT_DATE: usize = 40;
/// Maximum number of bytes of a name.
pub(super) const MAX_NAME: usize = 60;
/// Number of ancestors that determine the place of a date.
const PLACE_LEVELS: usize = 4;
/// Maximum number of dates, and names, that are read.
const MAX_SIGNS: usize = 10_000;
/// Maximum number of bytes of a label before a date.
const MAX_LABEL: usize = 40;
/// Attributes with a date.
const DATE_ATTRIBUTES: [&str; 8] = [
    "datetime",
    "data-time",
    "data-timestamp",
    "data-utime",
    "data-date",
    "data-datetime",
    "content",
    "title",
];

/// The attributes of a page that may have a date.
pub(super) struct DateAttributes {
    /// The numbers of [`DATE_ATTRIBUTES`], if the page has them.
    numbers: [Option<u16>; DATE_ATTRIBUTES.len()],
    /// Bit set of the lower bits of the numbers, which excludes most other attributes.
    filter: u64,
}

impl DateAttributes {
    pub(super) fn new(doc: &Document) -> Self {
        let numbers = DATE_ATTRIBUTES.map(|name| doc.attribute_number(name));
        let filter = numbers.iter().flatten().fold(0, |all, number| all | 1 << (number % 64));
        DateAttributes { numbers, filter }
    }

    /// Returns the values of an element that may contain a date, each with the index of its attribute in
    /// [`DATE_ATTRIBUTES`].
    pub(super) fn values<'a>(
        &self,
        doc: &'a Document,
        node: NodeId,
    ) -> impl Iterator<Item = (usize, &'a str)> {
        let place = |number| self.numbers.iter().position(|&known| known == Some(number));
        let known = doc
            .attributes_with(node, |number| self.filter >> (number % 64) & 1 != 0)
            .filter_map(move |(number, value)| Some((place(number)?, value)));
        known.filter(|(_, value)| value.len() <= MAX_DATE && has_digit(value))
    }
}

/// Whether an attribute, given by its index, is often not a date.
pub(super) fn is_text(attribute: usize) -> bool {
    matches!(DATE_ATTRIBUTES[attribute], "content" | "title")
}

/// A date that the page shows.
#[derive(Debug, Clone)]
pub(super) struct Date {
    /// The element that contains the date.
    pub at: u32,
    /// The piece that contains the date, if the date is text.
    pub piece: u32,
    /// Form of the element and of its parent.
    pub form: u64,
    /// Forms of more ancestors.
    pub place: u64,
    /// The date in ISO 8601, if day and year are known.
    pub iso: Option<String>,
    /// The text on the page.
    pub text: String,
    /// Whether the markup identifies it as a date.
    pub is_named: bool,
}

impl Date {
    /// Returns the date in ISO 8601, or as shown on the page.
    pub(super) fn value(&self) -> &str {
        self.iso.as_deref().unwrap_or(&self.text)
    }
}

/// Dates and names of a page.
pub(super) struct Signs {
    /// The dates, in document order.
    pub dates: Vec<Date>,
    /// For each element, the number of clues that it contains the name of a member.
    pub names: Vec<u8>,
    /// Elements with a name, in document order.
    pub named: Vec<u32>,
    /// For each element, whether it is a quotation or inside one.
    pub in_quote: Vec<bool>,
    /// For each element, the innermost panel that contains it or is the element itself.
    pub panel: Vec<u32>,
    /// For each element, the innermost part of a text that the template generates.
    pub part: Vec<u32>,
    /// For each element, whether it is in a part of the page about other pages.
    pub elsewhere: Vec<bool>,
}

impl Signs {
    /// Reads the evidence on a page. Returns `None` if the page has fewer than `min_dates` dates.
    pub(super) fn new(tree: &Tree<'_>, style: DateStyle<'_>, min_dates: usize) -> Option<Self> {
        let num = tree.len() as usize;
        let mut signs = Signs {
            dates: Vec::new(),
            names: vec![0; num],
            named: Vec::new(),
            in_quote: vec![false; num],
            panel: vec![NONE; num],
            part: vec![NONE; num],
            elsewhere: vec![false; num],
        };
        signs.read_places(tree);
        signs.read_dates(tree, style);
        if signs.dates.len() < min_dates {
            return None;
        }
        signs.read_names(tree);
        Some(signs)
    }

    fn read_places(&mut self, tree: &Tree<'_>) {
        for e in 0..tree.len() {
            let i = e as usize;
            let above = tree.parent(e).map(|parent| parent as usize);
            let said = tree.said(e);
            let is_quote = (tree.tag(e) == Tag::BLOCKQUOTE || said.has(List::Quote))
                && tree.tag(e) != Tag::A
                && !said.is(List::Body);
            self.in_quote[i] = is_quote || above.is_some_and(|above| self.in_quote[above]);
            let is_panel = said.is(List::Panel) || tree.tag(e) == Tag::BUTTON;
            self.panel[i] = if is_panel { e } else { above.map_or(NONE, |above| self.panel[above]) };
            let names_other = || said.has(List::Elsewhere) || tree.said_by_id(e).has(List::Elsewhere);
            let is_elsewhere = matches!(tree.tag(e), Tag::ASIDE | Tag::NAV)
                || !matches!(tree.tag(e), Tag::BODY | Tag::HTML) && names_other();
            self.elsewhere[i] = is_elsewhere || above.is_some_and(|above| self.elsewhere[above]);
            let is_button = matches!(tree.tag(e), Tag::BUTTON | Tag::SELECT)
                || tree.named(e, ROLE).is_some_and(|role| role.trim() == "button");
            // A link may expand the quotation.
            let expands = || tree.named(e, CLASS).is_some_and(|class| class.contains("expand"));
            let is_part = is_button || said.is(List::Part) || said.is(List::Link) && expands();
            self.part[i] = if is_part { e } else { above.map_or(NONE, |above| self.part[above]) };
        }
    }

    fn read_dates(&mut self, tree: &Tree<'_>, style: DateStyle<'_>) {
        let mut is_covered = vec![false; tree.pieces.len()];
        let attributes = DateAttributes::new(tree.doc);
        for e in 0..tree.len() {
            let inside = tree.inside(e);
            let is_time = tree.tag(e) == Tag::TIME;
            if self.in_quote[e as usize] || tree.bytes(&inside) as usize > MAX_DATE || tree.tag(e).is_void() {
                continue;
            }
            let mut values: Vec<(usize, &str)> = attributes.values(tree.doc, tree.node(e)).collect();
            values.sort_by_key(|&(place, _)| place);
            let value = values.into_iter().find_map(|(place, value)| {
                let shows_digit = || inside.clone().any(|piece| has_digit(tree.text(piece)));
                let is_title = DATE_ATTRIBUTES[place] == "title" && tree.tag(e) == Tag::A && !shows_digit();
                if is_title { None } else { dates::parse(value, style) }
            });
            if value.is_none() && !is_time || inside.clone().any(|p| is_covered[p as usize]) {
                continue;
            }
            let text = folded(&tree.joined(inside.clone()));
            if value.is_none() && text.is_empty() || is_other(tree, e, inside.start, "") {
                inside.for_each(|p| is_covered[p as usize] = true);
                continue;
            }
            let iso = value.or_else(|| dates::find(&text, style).map(|found| found.iso));
            self.push(tree, e, inside.start, iso, text, true);
            inside.for_each(|p| is_covered[p as usize] = true);
        }
        for piece in 0..tree.pieces.len() as u32 {
            let e = tree.pieces[piece as usize].parent;
            let text = tree.text(piece);
            if is_covered[piece as usize] || e == NONE || text.len() > MAX_DATE || self.in_quote[e as usize] {
                continue;
            }
            let Some((iso, shown)) = date_of(text, style) else { continue };
            if !is_other(tree, e, piece, text) {
                let is_named = tree.said(e).has(List::PostDate);
                self.push(tree, e, piece, iso, shown, is_named);
            }
        }
        self.dates.sort_by_key(|date| (date.piece, date.at));
        self.dates.dedup_by_key(|date| (date.piece, date.at));
        self.dates.truncate(MAX_SIGNS);
    }

    fn push(
        &mut self,
        tree: &Tree<'_>,
        at: u32,
        piece: u32,
        iso: Option<String>,
        text: String,
        is_named: bool,
    ) {
        let around = tree.around(at).nth(1).map_or(0, |parent| tree.form(parent));
        let form = mix(tree.form(at), around);
        let place = tree.path(at, PLACE_LEVELS);
        self.dates.push(Date { at, piece, form, place, iso, text, is_named });
    }

    fn read_names(&mut self, tree: &Tree<'_>) {
        for e in 0..tree.len() {
            if self.named.len() >= MAX_SIGNS {
                break;
            }
            let inside = tree.inside(e);
            let bytes = tree.bytes(&inside) as usize;
            if !(1..=MAX_NAME).contains(&bytes) || self.in_quote[e as usize] {
                continue;
            }
            let is = |value: Option<&str>, words: &[&str]| {
                value.is_some_and(|value| value.split_ascii_whitespace().any(|value| words.contains(&value)))
            };
            let href = || tree.attribute(e, "href").filter(|_| tree.tag(e) == Tag::A);
            let is_link = href().is_some_and(|href| words::leads_to_member(href) && !is_action(href));
            let is_named = names_author(tree.said(e));
            let is_marked = is(tree.named(e, ITEMPROP), &["author", "creator"])
                || is(tree.attribute(e, "rel"), &["author"]);
            let points = u8::from(is_link) + u8::from(is_named) + u8::from(is_marked);
            let has_letter = || inside.clone().any(|p| tree.text(p).chars().any(char::is_alphabetic));
            if points > 0 && has_letter() {
                self.names[e as usize] = points;
                self.named.push(e);
            }
        }
    }
}

/// Whether an address leads to an action, or stays on the page.
pub(super) fn is_action(href: &str) -> bool {
    href.starts_with('#') || href.starts_with("javascript") || leads_to_action(href)
}

/// Whether a class identifies an element as the name of an author.
pub(super) fn names_author(said: Said) -> bool {
    (said.has(List::PostAuthor) || said.is_name) && !said.is(List::NotPostAuthor) && !said.is(List::NotAuthor)
}

/// Returns the date in a short text, in two notations: in ISO 8601 if the text has day and year, and as shown
/// on the page.
fn date_of(text: &str, style: DateStyle<'_>) -> Option<(Option<String>, String)> {
    if text.len() < 3 || !may_be_date(text) {
        return None;
    }
    if let Some(found) = dates::find(text, style) {
        let letters = text.chars().filter(|c| c.is_alphabetic()).count();
        return (letters <= MAX_BESIDE && !found.is_modified).then(|| (Some(found.iso), folded(text)));
    }
    if text.len() > MAX_SHORT_DATE {
        return None;
    }
    let patterns = Dates::new(text);
    let is_day = || {
        let is_alone = text.split_whitespace().count() == 1;
        (is_alone || patterns.any) && words::contains(text, List::Day)
    };
    let is_date = patterns.relative || patterns.any && dates::has_month_and_day(text, style) || is_day();
    is_date.then(|| (None, folded(text)))
}

fn may_be_date(text: &str) -> bool {
    has_digit(text) || !text.is_ascii() || text.len() <= MAX_SHORT_DATE && words::contains(text, List::Day)
}

/// Whether a label before a date, or the name of an element, shows that the date is not that of the post.
fn is_other(tree: &Tree<'_>, at: u32, piece: u32, text: &str) -> bool {
    let is_other = |text: &str| words::contains(text, List::OtherDate);
    let before = piece.checked_sub(1).map(|before| tree.text(before)).filter(|before| {
        let near = tree.around(at).nth(2).is_none_or(|around| tree.inside(around).start < piece);
        near && before.len() <= MAX_LABEL && !has_digit(before)
    });
    let own = text.split(|c: char| c.is_ascii_digit()).next().unwrap_or_default();
    before.is_some_and(is_other)
        || is_other(cut(own, MAX_LABEL))
        || tree.around(at).take(2).any(|e| tree.said(e).has(List::NotPostDate))
}
