//! Blocks of which the page itself tells what they are, whatever the policy: its headline, author and date below it, captions.

use super::attribute::for_each_word;
use super::{PageContext, thread};
use crate::page::{NodeId, Tag};
use crate::policy::{Policy, Property, property};

/// A property whose blocks pages tell.
pub(super) struct Kind {
    /// Its name.
    pub property: &'static str,
    /// The column that says at once which blocks these are and whether they count: trees see few columns each, and seldom both.
    pub column: &'static str,
    pub definition: fn() -> String,
    find: fn(&PageContext<'_>) -> Vec<usize>,
}

impl Kind {
    fn counts_under(&self, policy: Policy) -> bool {
        property(self.property).is_ok_and(|p| policy.has(p))
    }
}

pub(super) static KINDS: [Kind; 3] = [
    Kind {
        property: "title",
        column: "headline",
        definition: || "the headline (see position.is_headline)".into(),
        find: |page| page.headline().into_iter().collect(),
    },
    Kind {
        property: "byline",
        column: "credit",
        definition: || {
            format!(
                "author and date below the headline: of the {NEAR} blocks after it, up to the first of more than {MOST_WORDS} words, stamps (see thread.is_stamp), blocks of two words or more that begin with one of: {BY}, and blocks of whose innermost two elements one is <time> or has in class, id, itemprop or rel one of: {NAMES}; no captions"
            )
        },
        find: credits,
    },
    Kind {
        property: "captions",
        column: "caption",
        definition: || "captions of pictures and tables that are no links for the most part".into(),
        find: captions,
    },
];

/// Blocks after the headline among which author and date are looked for, and the most words that they have.
const NEAR: usize = 8;
const MOST_WORDS: u32 = 20;

/// Words that an author's line begins with.
const BY: &str =
    "by von por par di od av af door autor autorem author auteur autore written posted published text tekst";

/// Words of names of elements that hold author or date.
const NAMES: &str = "byline author authors dateline date datetime time timestamp posted published pubdate credit credits contributor";

/// Blocks of a page whose property is certain.
pub(crate) type Told = Vec<(u32, &'static Property)>;

/// Headline, author and date, captions of a page, one kind after the other.
pub(super) fn find(page: &PageContext<'_>) -> Told {
    let of_kind = |kind: &Kind| -> Told {
        let Ok(property) = property(kind.property) else { return Told::new() };
        (kind.find)(page).into_iter().map(|i| (i as u32, property)).collect()
    };
    KINDS.iter().flat_map(of_kind).collect()
}

/// Blocks of `told` that decision rules leave out: those that count under `policy` (`None`: under any), by a column that a model
/// has.
pub(crate) fn told_that_count<'t>(
    told: &'t Told,
    policy: Option<Policy>,
    columns: &[String],
) -> impl Iterator<Item = usize> + use<'t> {
    let is_left_out = |k: &&Kind| {
        let counts = policy.is_none_or(|policy| k.counts_under(policy));
        counts && columns.iter().any(|c| c.strip_prefix("policy.") == Some(k.column))
    };
    let kinds: Vec<&str> = KINDS.iter().filter(is_left_out).map(|k| k.property).collect();
    told.iter().filter(move |t| kinds.contains(&t.1.name)).map(|t| t.0 as usize)
}

/// Whether a policy counts blocks that pages tell.
pub(crate) fn counts_told(policy: Policy) -> bool {
    KINDS.iter().any(|k| k.counts_under(policy))
}

/// The column whose sign says whether the blocks that a page tells of `property` count.
pub(crate) fn told_column(property: &Property) -> Option<String> {
    KINDS.iter().find(|k| k.property == property.name).map(|k| format!("policy.{}", k.column))
}

fn captions(page: &PageContext<'_>) -> Vec<usize> {
    // most pages have none
    let has_any = page.doc.elements_with(is_caption_tag).next().is_some();
    let blocks = if has_any { page.len() } else { 0 };
    (0..blocks).filter(|&i| is_caption(page, i)).collect()
}

fn is_caption_tag(tag: Tag) -> bool {
    tag == Tag::FIGCAPTION || tag == Tag::CAPTION
}

fn is_caption(page: &PageContext<'_>, i: usize) -> bool {
    if 2 * page.stats[i].num_link_words > page.stats[i].num_words {
        return false;
    }
    let near = page.doc.ancestors_and_self(page.block(i).leaf).take(6);
    near.map(|n| page.doc.tag(n)).any(is_caption_tag)
}

fn credits(page: &PageContext<'_>) -> Vec<usize> {
    let Some(headline) = page.headline() else { return Vec::new() };
    let near = (headline + 1..page.len()).take(NEAR).take_while(|&i| page.stats[i].num_words <= MOST_WORDS);
    let is_credit = |&i: &usize| thread::is_stamp(page, i) || begins_with_by(page, i) || is_named_so(page, i);
    near.filter(is_credit).filter(|&i| !is_caption(page, i)).collect()
}

fn begins_with_by(page: &PageContext<'_>, i: usize) -> bool {
    let first = page.blocks.text(i).split(|c: char| !c.is_alphabetic()).find(|w| !w.is_empty());
    page.stats[i].num_words > 1 && first.is_some_and(|w| BY.split(' ').any(|by| w.eq_ignore_ascii_case(by)))
}

/// Whether one of its innermost two elements is for dates or has such a name.
fn is_named_so(page: &PageContext<'_>, i: usize) -> bool {
    let says = |node: NodeId, name: &str| {
        let mut found = false;
        if let Some(value) = page.doc.attribute(node, name) {
            for_each_word(value, |word| found |= NAMES.split(' ').any(|name| name == word));
        }
        found
    };
    let mut near = page.doc.ancestors_and_self(page.block(i).leaf).take(2);
    near.any(|node| {
        page.doc.tag(node) == Tag::TIME
            || ["class", "id", "itemprop", "rel"].iter().any(|name| says(node, name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::{self, Blocks};
    use crate::page::{Visibility, parse_str};

    fn found(html: &str) -> Vec<(u32, &'static str)> {
        let doc = parse_str(html);
        let blocks = Blocks::of(&doc, block::REGISTRY[0], Visibility::Visible);
        PageContext::new(&doc, &blocks).told().iter().map(|(i, p)| (*i, p.name)).collect()
    }

    #[test]
    fn headline_and_captions_are_told() {
        let html = "<title>Red shoes for rain | Shop</title><p>Menu<h1>Red shoes for rain</h1><p>Text.\
            <figure><img><figcaption>A shoe</figcaption></figure>\
            <figure><img><figcaption><a href=x>Another story</a></figcaption></figure>";
        assert_eq!(found(html), [(1, "title"), (3, "captions")]);
    }

    #[test]
    fn author_and_date_are_told_below_the_headline_and_above_the_text() {
        let long = "word ".repeat(21);
        let html = format!(
            "<p>By Nobody<h1>Red shoes for rain</h1><p>By Ann Miller<p>A lead of few words<p>3 May 2024, 12:30\
            <p class=entry-author>Bo Berg<p><time>yesterday</time><p>By<p>{long}<p>By Cy Young"
        );
        let byline = [2, 4, 5, 6].map(|i| (i, "byline"));
        assert_eq!(found(&html), [[(1, "title")].as_slice(), &byline].concat());
        assert!(found("<p>By Ann Miller<p>3 May 2024, 12:30").is_empty());
    }
}
