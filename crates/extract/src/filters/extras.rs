//! Drops standfirst, key points and closing credits of an article, under policies that exclude extras.

use crate::filters::{Filter, Page};
use rustc_hash::FxHashSet;
use std::ops::Range;
use std::sync::LazyLock;
use threshr_html::text::{name_words, tokens};
use threshr_html::{NodeId, Tag};
use threshr_page::PageFacts;
use threshr_page::word_lists;

/// Drops the standfirst, key points and credits of an article.
///
/// - The filter is active under policies that exclude extras
///   ([`LeftOut::extras`](threshr_core::policy::LeftOut::extras)).
/// - On pages that are not running text, such as listings, threads and products, it drops nothing.
/// - Body paragraphs are kept blocks of 40 or more characters that are neither in a heading nor candidates for an
///   extra. If there are fewer than two, the filter drops nothing.
/// - A standfirst is between the headline and the first body paragraph. It is an element with a listed name,
///   a heading directly after the `<h1>`, or a block that repeats the description of the page. Such a block
///   must be in bold or italic type, or its element must differ from that of the next paragraph. Names that
///   some sites use for the first paragraph count only if three body paragraphs follow.
/// - Key points are before the third body paragraph: an element with a listed name, or a list after a line such as
///   `Key points`.
/// - Credits are after the last body paragraph: an element with a listed name, or a block that begins with words
///   such as `Reporting by`, with `Photo:` or with `©`.
///
/// No annotated data set labels these blocks, so a model cannot learn them.
pub(super) static FILTER: Filter = Filter {
    name: "extras",
    summary: "under policies without extras, drops standfirst, key points and closing credits of an article",
    source: "threshr",
    max_depth: 0,
    default_depth: 0,
    reads_tree: true,
    is_for: |left_out| left_out.extras,
    apply,
};

/// Minimum number of characters of a body paragraph, and of a standfirst that is a heading.
const MIN_CHARS: usize = 40;
/// Minimum number of body paragraphs of an article.
const MIN_BODY: usize = 2;
/// Minimum number of body paragraphs after a standfirst with an ambiguous name.
const MIN_BODY_BELOW: usize = 3;
/// Maximum number of blocks from the headline to the end of a standfirst.
const MAX_BELOW_HEADLINE: usize = 12;
/// Maximum number of blocks of a standfirst.
const MAX_STANDFIRST: usize = 4;
/// Maximum number of blocks of key points or of an element with credits.
const MAX_BLOCKS: usize = 20;
/// Maximum number of tokens of a credit line.
const MAX_CREDIT_TOKENS: usize = 60;
/// Minimum number of tokens of a page description that is compared with blocks.
const MIN_DESCRIPTION_TOKENS: usize = 5;
/// Maximum number of words of a listed name.
const MAX_NAME_WORDS: usize = 4;
/// Maximum number of words in all names of an element.
const MAX_NAMES_WORDS: usize = 64;
/// Words at the end of a name that do not change its meaning.
const NAME_ENDS: [&str; 9] =
    ["text", "paragraph", "p", "content", "wrapper", "container", "block", "section", "inner"];

/// A kind of text around the body of an article.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Extra {
    Standfirst,
    /// A standfirst whose name is also used for first paragraphs.
    Lead,
    Points,
    Credits,
}

/// Word lists of the filter. Each data file states its content and source.
struct Lists {
    /// Names of elements, whether other words may follow the name, and the kind of extra.
    names: Vec<(&'static str, bool, Extra)>,
    /// Lines that introduce key points.
    points: FxHashSet<Vec<String>>,
    /// Phrases at the start of credits.
    starts: FxHashSet<Vec<String>>,
    /// Phrases before a colon at the start of credits.
    labels: FxHashSet<Vec<String>>,
    /// Phrases anywhere in credits.
    anywhere: FxHashSet<Vec<String>>,
    /// Number of tokens of the longest phrase for credits.
    longest: usize,
}

static LISTS: LazyLock<Lists> = LazyLock::new(|| {
    let names =
        word_lists::rows(include_str!("../../data/extras/names.tsv")).map(|[_, part, place, name]| {
            let is_anywhere = place == "any";
            let part = match (part, is_anywhere) {
                ("standfirst", true) => Extra::Standfirst,
                ("standfirst", false) => Extra::Lead,
                ("points", _) => Extra::Points,
                _ => Extra::Credits,
            };
            (name, is_anywhere, part)
        });
    let points = word_lists::rows(include_str!("../../data/extras/points.tsv"));
    let credits: Vec<_> = word_lists::rows(include_str!("../../data/extras/credits.tsv")).collect();
    let of = |how: &str| -> FxHashSet<Vec<String>> {
        credits.iter().filter(|[_, kind, _]| *kind == how).map(|[.., text]| tokens(text)).collect()
    };
    let (starts, labels, anywhere) = (of("start"), of("label"), of("any"));
    let longest = [&starts, &labels, &anywhere].into_iter().flatten().map(Vec::len).max();
    Lists {
        names: names.collect(),
        points: points.map(|[_, text]| tokens(text)).collect(),
        longest: longest.unwrap_or(0),
        starts,
        labels,
        anywhere,
    }
});

fn apply(page: &Page<'_>, keep: &mut [bool], _: u32) {
    if !keep.contains(&true) {
        return;
    }
    let context = PageFacts::without_words(page.doc, page.blocks);
    if !context.is_running_text() {
        return;
    }
    let headline = context.headline();
    let found = candidates(page, headline);
    let repeated = repeated_description(page, headline);
    let is_body = |i: usize| {
        keep[i]
            && found[i].is_none()
            && !repeated.contains(&i)
            && page.num_chars(i) >= MIN_CHARS
            && !page.blocks.is_in(page.doc, i, Tag::is_heading)
    };
    let body: Vec<usize> = (0..keep.len()).filter(|&i| is_body(i)).collect();
    let (Some(&last), MIN_BODY..) = (body.last(), body.len()) else { return };
    let below = headline.map(|headline| &body[body.partition_point(|&i| i <= headline)..]);
    let first_below = below.and_then(|below| below.first().copied());
    let is_standfirst =
        |i: usize| headline.is_some_and(|h| i > h) && first_below.is_some_and(|first| i < first);
    let repeats = |i: usize| {
        repeated.contains(&i)
            && first_below
                .is_some_and(|first| container(page, i) != container(page, first) || is_marked(page, i))
    };
    let is_extra = |i: usize| match found[i] {
        Some(Extra::Standfirst) => is_standfirst(i),
        Some(Extra::Lead) => {
            // if there are several such elements, they are the first paragraphs
            let is_alone =
                (0..keep.len()).filter(|&i| found[i] == Some(Extra::Lead) && is_standfirst(i)).count() == 1;
            is_standfirst(i) && is_alone && below.is_some_and(|below| below.len() >= MIN_BODY_BELOW)
        }
        Some(Extra::Points) => body.get(2).is_none_or(|&third| i < third) && i < last,
        Some(Extra::Credits) => i > last,
        None => is_standfirst(i) && repeats(i),
    };
    let extras: Vec<usize> = (0..keep.len()).filter(|&i| keep[i] && is_extra(i)).collect();
    extras.into_iter().for_each(|i| keep[i] = false);
}

/// Returns the extra that each block may be, without regard to its position among the body paragraphs.
fn candidates(page: &Page<'_>, headline: Option<usize>) -> Vec<Option<Extra>> {
    let (doc, blocks) = (page.doc, page.blocks);
    let mut found = vec![None; blocks.len()];
    let below_headline = headline.map_or(0..0, |h| h + 1..(h + 1 + MAX_BELOW_HEADLINE).min(blocks.len()));
    for i in 0..blocks.len() {
        if is_credit(page, i) {
            found[i] = Some(Extra::Credits);
        }
        if let Some(list) = points_below(page, i) {
            found[i] = Some(Extra::Points);
            found[list].fill(Some(Extra::Points));
        }
    }
    for &node in blocks.elements() {
        let Some(part) = part_by_name(page, node) else { continue };
        let extent = page.blocks.inside(node);
        let is_article = headline.is_some_and(|h| extent.contains(&h));
        let is_fitting = match part {
            Extra::Standfirst | Extra::Lead => {
                extent.len() <= MAX_STANDFIRST
                    && below_headline.contains(&extent.start)
                    && extent.end <= below_headline.end
            }
            Extra::Points | Extra::Credits => extent.len() <= MAX_BLOCKS,
        };
        let is_whole = |i: usize| {
            doc.tag(node).is_block_level()
                || blocks.spans(i).iter().all(|s| doc.ancestors(s.node).any(|n| n == node))
        };
        if is_fitting && !is_article && extent.clone().all(is_whole) {
            found[extent].fill(Some(part));
        }
    }
    if let Some(i) = headline.and_then(|h| subheading(page, h)) {
        found[i] = Some(Extra::Standfirst);
    }
    found
}

/// Returns the extra that the class, the id or a similar attribute of an element indicates.
fn part_by_name(page: &Page<'_>, node: NodeId) -> Option<Extra> {
    if page.blocks.inside(node).is_empty() {
        return None;
    }
    let values = ["class", "id", "itemprop", "data-testid", "data-component", "data-gu-name"];
    let names =
        values.iter().filter_map(|name| page.doc.attribute(node, name)).flat_map(str::split_whitespace);
    let mut num_words = 0;
    names.take(MAX_NAMES_WORDS).find_map(|name| {
        let mut words = Vec::new();
        if name.len() <= MAX_NAME_BYTES {
            name_words::for_each(name, char::is_alphanumeric, |word| words.push(word.to_owned()));
        }
        num_words += words.len();
        if num_words > MAX_NAMES_WORDS { None } else { part_of(&words) }
    })
}

/// Maximum number of bytes of a name.
const MAX_NAME_BYTES: usize = 100;

/// Returns the extra that the words of a name indicate.
fn part_of(words: &[String]) -> Option<Extra> {
    (0..words.len()).find_map(|start| {
        let mut name = String::new();
        words[start..].iter().take(MAX_NAME_WORDS).enumerate().find_map(|(i, word)| {
            name.push_str(word);
            let rest = &words[start + i + 1..];
            let is_end = rest.iter().all(|w| NAME_ENDS.contains(&w.as_str()));
            // in `subtitle-link`, the second word denotes an element inside or next to the standfirst
            let is_other = rest.iter().any(|w| OTHER_PARTS.contains(&w.as_str()));
            let found = LISTS.names.iter().find(|n| n.0 == name && (n.1 && !is_other || is_end));
            found.map(|n| n.2)
        })
    })
}

/// Words after a listed name that show that the element is not an extra.
const OTHER_PARTS: [&str; 10] =
    ["image", "img", "photo", "picture", "media", "video", "ad", "link", "links", "icon"];

/// Returns the block after the headline if it is a long `<h2>` or `<h3>`, the headline is an `<h1>`, and the
/// parent element has no other heading of this level.
fn subheading(page: &Page<'_>, headline: usize) -> Option<usize> {
    let (doc, blocks) = (page.doc, page.blocks);
    let below = headline + 1;
    let heading =
        |i: usize| doc.ancestors_and_self(blocks.get(i)?.leaf).take(4).find(|&n| doc.tag(n).is_heading());
    let (above, own) = (heading(headline)?, heading(below)?);
    let tag = doc.tag(own);
    let is_fitting = doc.tag(above) == Tag::H1
        && matches!(tag, Tag::H2 | Tag::H3)
        && page.blocks.inside(own).len() == 1
        && page.num_chars(below) >= MIN_CHARS
        && !blocks.text(below).trim_end().ends_with(['?', '？']);
    let parent = doc.parent(own)?;
    let is_alike = |n: NodeId| n != own && doc.tag(n) == tag;
    (is_fitting && !doc.children(parent).any(is_alike)).then_some(below)
}

/// Returns the blocks of the list after a line such as `Key points`.
fn points_below(page: &Page<'_>, line: usize) -> Option<Range<usize>> {
    let (doc, blocks) = (page.doc, page.blocks);
    let text = blocks.text(line);
    // all listed lines are shorter
    if text.len() > MAX_NAME_BYTES || !LISTS.points.contains(&tokens(text)) {
        return None;
    }
    let first = line + 1;
    let lists =
        doc.ancestors_and_self(blocks.get(first)?.leaf).filter(|&n| matches!(doc.tag(n), Tag::UL | Tag::OL));
    let own = lists.map(|n| page.blocks.inside(n)).filter(|e| e.start == first && e.len() <= MAX_BLOCKS);
    own.max_by_key(Range::len)
}

/// Whether a block is a credit line according to its words.
fn is_credit(page: &Page<'_>, index: usize) -> bool {
    let text = page.blocks.text(index);
    let words = tokens(text);
    if words.is_empty() || words.len() > MAX_CREDIT_TOKENS {
        return false;
    }
    let lists = &*LISTS;
    let begins = |list: &FxHashSet<Vec<String>>| {
        (1..=lists.longest.min(words.len())).any(|n| list.contains(&words[..n]))
    };
    let start = text.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '©');
    let label = text.split([':', '：']).next().filter(|label| label.len() < text.len());
    let has = || {
        (1..=lists.longest.min(words.len()))
            .any(|n| words.windows(n).any(|part| lists.anywhere.contains(part)))
    };
    start.starts_with('©')
        || begins(&lists.starts)
        || label.is_some_and(|l| lists.labels.contains(&tokens(l)))
        || has()
}

/// Returns the blocks after the headline that repeat the description of the page word by word.
fn repeated_description(page: &Page<'_>, headline: Option<usize>) -> Vec<usize> {
    let Some(headline) = headline else { return Vec::new() };
    let is_description = |node: &NodeId| {
        ["name", "property"].iter().any(|name| {
            let value = page.doc.attribute(*node, name).unwrap_or_default();
            ["description", "og:description"].iter().any(|wanted| value.eq_ignore_ascii_case(wanted))
        })
    };
    let metas = page.doc.elements_with(|tag| tag == Tag::META).filter(is_description);
    let texts = metas.filter_map(|node| page.doc.attribute(node, "content")).map(tokens);
    let texts: Vec<_> = texts.filter(|t| t.len() >= MIN_DESCRIPTION_TOKENS).take(4).collect();
    let below = headline + 1..(headline + 1 + MAX_BELOW_HEADLINE).min(page.blocks.len());
    below.filter(|&i| !texts.is_empty() && texts.contains(&tokens(page.blocks.text(i)))).collect()
}

/// Returns the innermost block-level element around a block that contains more than one block.
fn container(page: &Page<'_>, index: usize) -> Option<NodeId> {
    let leaf = page.blocks.get(index)?.leaf;
    page.doc
        .ancestors_and_self(leaf)
        .find(|&n| page.doc.tag(n).is_block_level() && page.blocks.inside(n).len() > 1)
}

/// Whether all text of a block is in a heading or in bold or italic type.
fn is_marked(page: &Page<'_>, index: usize) -> bool {
    let marks = |tag| matches!(tag, Tag::STRONG | Tag::B | Tag::EM | Tag::I) || tag.is_heading();
    let is_marked = |node| page.doc.ancestors(node).take(4).any(|n| marks(page.doc.tag(n)));
    page.blocks.spans(index).iter().all(|span| is_marked(span.node))
}

#[cfg(test)]
mod tests {
    use crate::filters::{FilterChoice, Page};
    use threshr_core::policy::LeftOut;
    use threshr_html::blocks::{Blocks, REGISTRY};
    use threshr_html::{Visibility, parse_str};

    /// Returns the texts that the filter drops from a page whose blocks are all kept.
    fn dropped(html: &str) -> Vec<String> {
        let doc = parse_str(html);
        let blocks = Blocks::new(&doc, REGISTRY[0], Visibility::Visible);
        let mut keep = vec![true; blocks.len()];
        let left_out = LeftOut { extras: true, ..LeftOut::default() };
        let scores = vec![1.0; blocks.len()];
        let page = Page { left_out, ..Page::new(&doc, &blocks, &scores) };
        FilterChoice::default().under(left_out).apply(&page, &mut keep);
        (0..blocks.len()).filter(|&i| !keep[i]).map(|i| blocks.text(i).to_owned()).collect()
    }

    const HEAD: &str = "<title>Rain over the town</title><meta name=description content='It will rain on all days of May, they say.'>";
    const BODY: &str = "<div><p>It rained on all days of this week, and the river rose over the old bridge, which nobody in the town had seen \
                        before.<p>The mayor said that the bridge is closed for a week, and that the people of the town may use the \
                        other one.<p>The schools are closed, and the trains are late again on all lines that go to the north of the \
                        country.</div>";

    fn article(below_headline: &str, end: &str) -> Vec<String> {
        dropped(&format!("{HEAD}<h1>Rain over the town</h1>{below_headline}{BODY}{end}"))
    }

    #[test]
    fn the_standfirst_is_dropped() {
        for standfirst in [
            "<p class=article__standfirst>The river rises",
            "<p class=sub-title>The river rises",
            "<div itemprop=alternativeHeadline class=subHeadline><p>The river rises</div>",
            "<p class='post-lead'>The river rises",
            "<p class=lead-text>The river rises",
        ] {
            assert_eq!(article(standfirst, ""), ["The river rises"], "{standfirst}");
        }
        let long = "The river rises by the hour and the town fears the flood";
        assert_eq!(article(&format!("<h2>{long}</h2>"), ""), [long]);
        // the block is in another element than the paragraphs, or in bold type
        let description = "It will rain on all days of May, they say.";
        assert_eq!(article(&format!("<p>{description}</p>"), ""), [description]);
        for other in [
            "",
            "<p>The river rises",
            "<p class=lead-image>The river rises",
            "<p class=lead-story>The river rises",
            "<p class=lead>The river rises<p class=lead>The town fears",
            "<h2>The river</h2>",
            "<p>It will rain on some days of May, they say.",
        ] {
            assert!(article(other, "").is_empty(), "{other}");
        }
        // the first paragraph repeats the description
        let begin = "<h1>Rain over the town</h1>";
        let same = |p: &str| dropped(&format!("{HEAD}{begin}<div>{p}{}", BODY.trim_start_matches("<div>")));
        assert!(same(&format!("<p>{description}")).is_empty());
        assert_eq!(same(&format!("<p><b>{description}</b>")), [description]);
        // too few paragraphs after the standfirst; a heading that is one of several
        let text = "<p>It rained on all days of this week, and the river rose over the old bridge, which nobody had seen before.";
        assert!(dropped(&format!("{HEAD}{begin}<p class=lead>The river rises{text}{text}")).is_empty());
        assert!(
            dropped(&format!("{HEAD}{begin}<h2>{long}</h2>{text}<h2>Trains</h2>{text}{text}")).is_empty()
        );
    }

    #[test]
    fn key_points_are_dropped() {
        let points = ["Auf einen Blick", "Rain", "More rain"];
        assert_eq!(article("<h3>Auf einen Blick</h3><ul><li>Rain<li>More rain</ul>", ""), points);
        assert_eq!(
            article("<div class=key-points><b>Auf einen Blick</b><p>Rain<p>More rain</div>", ""),
            points
        );
        // these are kept: no list, another heading, and key points after the text
        assert!(article("<h3>Auf einen Blick</h3><p>Rain", "").is_empty());
        assert!(article("<h3>Trains</h3><ul><li>Rain</ul>", "").is_empty());
        assert!(article("", "<h3>Auf einen Blick</h3><ul><li>Rain</ul>").is_empty());
    }

    #[test]
    fn closing_credits_are_dropped() {
        for credit in [
            "Reporting by Ann Miller; editing by Joe Smith",
            "This article was first published in The Paper.",
            "© 2024 The Paper",
            "Photo: Ann Miller",
            "(Photo by Ann Miller)",
            "Alle Rechte vorbehalten",
            "Перевод: Анна",
            "责任编辑：王伟",
        ] {
            assert_eq!(article("", &format!("<p>{credit}")), [credit]);
            // a credit before the text is kept
            assert!(article("", &format!("<p>{credit}{BODY}")).is_empty(), "{credit}");
        }
        let bio = "<div class=author-bio><h3>Ann</h3><p>Ann Miller writes on rain, rivers and bridges for us.</div>";
        assert_eq!(article("", bio).len(), 2);
        for other in ["Photo albums are full of rain", "The reporting by us", "Foto", "It rains."] {
            assert!(article("", &format!("<p>{other}")).is_empty(), "{other}");
        }
        let long = format!("<p>Reporting by us {}", "is long and long ".repeat(20));
        assert!(article("", &long).is_empty());
    }

    #[test]
    fn pages_without_an_article_lose_nothing() {
        assert!(dropped("").is_empty());
        assert!(dropped("<h1>Rain</h1><p class=standfirst>The river rises<p>Photo: Ann").is_empty());
        // if there is no headline, there is no standfirst
        assert!(dropped(&format!("<p class=standfirst>The river rises{BODY}")).is_empty());
    }

    #[test]
    fn the_filter_is_added_where_extras_are_left_out() {
        let filter = FilterChoice::parse("repeats+comments+headings").expect("filters");
        let name =
            |filter: FilterChoice, extras| filter.under(LeftOut { extras, ..LeftOut::default() }).name();
        assert_eq!(name(filter, false), filter.name());
        assert_eq!(name(filter, true), format!("{}+extras", filter.name()));
        assert_eq!(name(FilterChoice::default(), true), "extras");
        let named = FilterChoice::parse("extras+repeats:3").expect("filters");
        assert_eq!(name(named, true), "extras+repeats:3");
    }
}
