//! Kimatu: ranks groups of similar elements, and keeps groups with a high rank and groups related to them.

use rustc_hash::{FxHashMap, FxHashSet};
use serde::Deserialize;
use threshr_core::lcs::lcs_len;
use threshr_extract::baseline::{How, Method, System, SystemInput, SystemOption, option};
use threshr_html::blocks::ParagraphClass;
use threshr_html::text;
use threshr_html::text::Interner;
use threshr_html::{NodeId, Tag};

/// Keeps groups of blocks with a high rank and related groups, except functional blocks and quotations.
///
/// The published overview leaves many details open. This implementation makes the simplest choice for each of
/// them. A group is a sequence of adjacent blocks whose elements have the same tag, class and parent. Three
/// values of a group are divided by their maximum on the page: its length, the mean length of its blocks, and
/// its number of punctuation marks. The rank is the mean of these ratios and of one minus the share of
/// characters in links. A group with a high rank is a candidate. A group with a middle rank is kept if it has
/// the tag and class of a candidate. Functional blocks are short blocks that begin with the same two words,
/// such as "posted by", as at least two other short blocks on the page. A quotation is a small block that
/// repeats most of its words, in order, from one kept block before it. A short block is a possible heading if
/// it has a heading tag, or if it is all bold and does not end with a full stop, comma or semicolon. A
/// possible heading is kept if one of the next two blocks is kept.
pub(crate) static SYSTEM: System = System {
    name: "kimatu",
    summary: "ranks groups of similar elements by length, punctuation and links; drops functional blocks and quotations",
    source: "Kimatu, CleanEval 2007",
    options: &[
        SystemOption::new("candidate_rank", "0.5", "minimum rank (0 to 1) of a candidate"),
        SystemOption::new("kin_rank", "0.3", "minimum rank of a group with the tag and class of a candidate"),
        SystemOption::new("max_functional_words", "8", "maximum words of a functional block"),
        SystemOption::new("max_quote_words", "60", "maximum words of a quotation"),
        SystemOption::new(
            "quote_share",
            "0.8",
            "minimum share of the words of a quotation that are in a block before it, in order",
        ),
        SystemOption::new("max_heading_words", "20", "maximum words of a heading"),
    ],
    ..System::new(How::Plain(|settings| Ok(Box::new(option::read::<Kimatu>(settings)?))))
};

#[derive(Debug, Deserialize)]
struct Kimatu {
    candidate_rank: f64,
    kin_rank: f64,
    max_functional_words: usize,
    max_quote_words: usize,
    quote_share: f64,
    max_heading_words: usize,
}

/// Short blocks are functional blocks if at least this number of short blocks on the page begin with the same two
/// words.
const MIN_REPEATS: usize = 3;
/// Minimum number of words in a quotation.
const MIN_QUOTE_WORDS: usize = 5;
/// Maximum number of word comparisons for quotations. When it is reached, the remaining blocks of the page are not
/// dropped as quotations.
const MAX_COMPARED: usize = 1 << 26;

/// Tag and class, which are equal for similar elements.
type Kind = (Tag, Option<String>);

struct Group {
    start: usize,
    end: usize,
    kind: Kind,
    num_chars: f64,
    num_linked: f64,
    num_signs: f64,
}

impl Method for Kimatu {
    fn keep(&self, page: &SystemInput<'_>) -> Vec<bool> {
        let groups = groups(page);
        let mut kept = self.candidates(&groups, page.blocks.len());
        let words: Vec<Vec<u32>> = words(page);
        self.drop_functional(&words, &mut kept);
        self.drop_quotations(&words, &mut kept);
        for i in (0..page.blocks.len().saturating_sub(1)).rev() {
            let leads = kept[i + 1] || kept.get(i + 2) == Some(&true);
            kept[i] |= leads && self.is_heading(page, i, words[i].len());
        }
        kept
    }

    fn classes(&self, page: &SystemInput<'_>) -> Option<Vec<ParagraphClass>> {
        let class = |i: usize| {
            let tag = page.blocks.get(i).map_or(Tag::P, |b| page.doc.tag(b.node));
            let num_words = text::words(page.blocks.text(i)).count();
            match tag {
                _ if self.is_heading(page, i, num_words) => ParagraphClass::Heading,
                Tag::LI | Tag::DT | Tag::DD => ParagraphClass::List,
                _ => ParagraphClass::Paragraph,
            }
        };
        Some((0..page.blocks.len()).map(class).collect())
    }
}

impl Kimatu {
    /// Returns which blocks belong to a group with a high rank, or to a group with a middle rank and the tag and
    /// class of a group with a high rank.
    fn candidates(&self, groups: &[Group], num_blocks: usize) -> Vec<bool> {
        let ranks = ranks(groups);
        let strong: FxHashSet<&Kind> =
            groups.iter().zip(&ranks).filter(|g| *g.1 >= self.candidate_rank).map(|g| &g.0.kind).collect();
        let mut kept = vec![false; num_blocks];
        for (group, rank) in groups.iter().zip(ranks) {
            let is_kin = rank >= self.kin_rank && strong.contains(&group.kind);
            kept[group.start..group.end].fill(rank >= self.candidate_rank || is_kin);
        }
        kept
    }

    /// Drops functional blocks.
    fn drop_functional(&self, words: &[Vec<u32>], kept: &mut [bool]) {
        let begin = |words: &[u32]| match words {
            [a, b, ..] if words.len() <= self.max_functional_words => Some((*a, *b)),
            _ => None,
        };
        let mut counts: FxHashMap<(u32, u32), usize> = FxHashMap::default();
        words.iter().filter_map(|w| begin(w)).for_each(|b| *counts.entry(b).or_default() += 1);
        for (words, kept) in words.iter().zip(kept) {
            *kept &= begin(words).is_none_or(|b| counts[&b] < MIN_REPEATS);
        }
    }

    /// Drops quotations.
    fn drop_quotations(&self, words: &[Vec<u32>], kept: &mut [bool]) {
        let mut num_compared = 0;
        let mut before: Vec<usize> = Vec::new();
        let mut seen: FxHashSet<u32> = FxHashSet::default();
        for i in 0..words.len() {
            if !kept[i] {
                continue;
            }
            let small = (MIN_QUOTE_WORDS..=self.max_quote_words).contains(&words[i].len());
            let least = self.quote_share * words[i].len() as f64;
            let num_seen = words[i].iter().filter(|w| seen.contains(w)).count();
            if small && num_seen as f64 >= least {
                let is_quoted = |&j: &usize| {
                    num_compared += words[i].len() * words[j].len();
                    num_compared < MAX_COMPARED && lcs_len(&words[j], &words[i]) as f64 >= least
                };
                kept[i] = !before.iter().any(is_quoted);
            }
            if kept[i] {
                before.push(i);
                seen.extend(&words[i]);
            }
        }
    }

    fn is_heading(&self, page: &SystemInput<'_>, i: usize, num_words: usize) -> bool {
        let Some(block) = page.blocks.get(i) else { return false };
        let bold = |node: NodeId| matches!(page.doc.tag(node), Tag::B | Tag::STRONG);
        // a single bold element contains the whole block
        let is_bold = || bold(block.leaf) && page.blocks.spans(i).len() == 1;
        let ends = || page.blocks.text(i).ends_with(['.', ',', ';', '。', '，']);
        num_words > 0
            && num_words <= self.max_heading_words
            && (page.doc.tag(block.node).is_heading() || is_bold() && !ends())
    }
}

/// Returns the maximal sequences of blocks whose elements have the same tag, class and parent.
fn groups(page: &SystemInput<'_>) -> Vec<Group> {
    let doc = page.doc;
    let mut groups: Vec<Group> = Vec::new();
    let mut parent_of_last = None;
    for (i, block) in page.blocks.iter().enumerate() {
        let kind: Kind = (doc.tag(block.node), doc.attribute(block.node, "class").map(str::to_owned));
        let parent = doc.parent(block.node);
        let num = |text: &str| text.chars().filter(|c| !c.is_whitespace()).count() as f64;
        let text = page.blocks.text(i);
        let linked = page.blocks.spans(i).iter().filter(|s| s.link.is_some());
        let num_linked: f64 = linked.map(|s| num(page.blocks.slice(&s.text))).sum();
        let num_signs = text.chars().filter(|c| ".,;:!?。，；：！？".contains(*c)).count() as f64;
        match groups.last_mut() {
            Some(group) if group.kind == kind && parent_of_last == Some(parent) => {
                group.end = i + 1;
                group.num_chars += num(text);
                group.num_linked += num_linked;
                group.num_signs += num_signs;
            }
            _ => {
                groups.push(Group { start: i, end: i + 1, kind, num_chars: num(text), num_linked, num_signs })
            }
        }
        parent_of_last = Some(parent);
    }
    groups
}

/// Returns the rank of each group, 0 to 1.
fn ranks(groups: &[Group]) -> Vec<f64> {
    let mean = |g: &Group| g.num_chars / (g.end - g.start) as f64;
    let most = |value: &dyn Fn(&Group) -> f64| groups.iter().map(value).fold(1.0, f64::max);
    let (chars, means, signs) = (most(&|g| g.num_chars), most(&mean), most(&|g| g.num_signs));
    let rank = |g: &Group| {
        let links = g.num_linked / g.num_chars.max(1.0);
        (g.num_chars / chars + mean(g) / means + g.num_signs / signs + 1.0 - links) / 4.0
    };
    groups.iter().map(rank).collect()
}

/// Returns the word ids of every block. Case is ignored.
fn words(page: &SystemInput<'_>) -> Vec<Vec<u32>> {
    let mut interner = Interner::default();
    (0..page.blocks.len()).map(|i| interner.encode(page.blocks.text(i))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use threshr_extract::baseline::SystemChoice;
    use threshr_html::blocks as block;
    use threshr_html::blocks::Blocks;
    use threshr_html::{Visibility, parse_str};

    fn kept(html: &str) -> Vec<String> {
        let doc = parse_str(html);
        let blocks = Blocks::new(&doc, block::REGISTRY[0], Visibility::Visible);
        let kept =
            SystemChoice::parse("kimatu", &crate::systems()).expect("a system").method().expect("ready");
        let kept = kept.keep(&SystemInput::new(&doc, &blocks));
        (0..blocks.len()).filter(|&i| kept[i]).map(|i| blocks.text(i).to_owned()).collect()
    }

    const LONG: &str = "The committee met again, and it was decided, after long talks, to go on.";

    #[test]
    fn strong_groups_and_their_kin() {
        // The p of the first div are a group of 59 and 62 characters with 8 punctuation marks. All ratios are 1
        // and it has no links, so its rank is 1. The p of the second div has 16 characters and 1 mark: 16/121,
        // mean length 16/60.5, marks 1/8, so (.13 + .26 + .13 + 1)/4 = .38. It is not a candidate but has the tag
        // and class of one. The td has the same rank, but no candidate has its tag. The li are all links: (8/121
        // + 4/60.5)/4 = .03. "Now …" repeats 14 of its 15 words in order, so it is a quotation.
        let html = format!(
            "<ul><li><a href=/>Home</a><li><a href=/n>News</a></ul><div><p>{LONG}</p><p>Now {LONG}</p></div>\
             <div><p>They all went home.</p></div><table><td>They all went home.</td></table>"
        );
        assert_eq!(kept(&html), [LONG, "They all went home."]);
    }

    #[test]
    fn functional_blocks_go_and_headings_stay() {
        let posts: String = ["one", "two", "six"]
            .iter()
            .enumerate()
            .map(|(i, who)| {
                format!("<p>Posted by {who}</p><p>Post {i} by {who} says: {}</p>", LONG.replace("The", who))
            })
            .collect();
        let html = format!("<div><h2>Talk</h2>{posts}<p><b>The end</b></p></div>");
        let found = kept(&html);
        assert_eq!(found[0], "Talk");
        assert!(found.iter().all(|t| !t.starts_with("Posted")), "{found:?}");
        // "The end" is bold, but no block follows it
        assert!(found.iter().any(|t| t.starts_with("Post 0")));
    }

    #[test]
    fn quotations_repeat_most_words_in_order() {
        let kimatu: Kimatu =
            option::read(&SYSTEM.settings(&serde_json::Value::Null).expect("defaults")).expect("fits");
        let drop = |a: &[u32], b: &[u32]| {
            let mut kept = [true; 2];
            kimatu.drop_quotations(&[a.to_vec(), b.to_vec()], &mut kept);
            !kept[1]
        };
        let text: Vec<u32> = (0..100).collect();
        // 4 of 5 words in order are a share of .8; 4 of 6 are less; a block of 4 words is too short; words
        // out of order are not a quotation
        assert!(drop(&text, &[3, 9, 12, 50, 200]));
        assert!(!drop(&text, &[3, 9, 12, 50, 200, 201]));
        assert!(!drop(&text, &[3, 9, 12, 50]));
        assert!(!drop(&text, &[50, 12, 9, 3, 1]));
    }
}
