//! Carries labels over to other blocks of a page.

use crate::annotations::{Label, Record};
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

/// Carries the labels of a record over to other blocks of its page, because the page has changed or is segmented
/// differently. `sha256` is the hash of the page that contains `blocks`, see [`hash`](crate::annotations::hash).
/// Each block has its byte range in this page, if known, and its text. Returns one entry for each block.
///
/// A block with the range and the text of a labelled block gets its label. On an unchanged page, labelled
/// ranges that overlap the block are used next. If a labelled range contains the block, the block gets the
/// label of the range. Otherwise, the label is a majority vote of the ranges, weighted by the letters and
/// digits of the overlap. The vote is valid if labelled ranges cover more than half of the letters and digits
/// of the block. A tie gives [`Label::Unsure`]. Blocks whose range is unknown, or whose page has changed, get
/// labels by equal text: first by texts that are unique on both sides, then by the other texts in the order
/// of the page. A remaining text gets a label if all remaining labelled blocks with this text have the same
/// label. White space is normalised before texts are compared. All other blocks have no label.
pub fn carry_over(
    record: &Record,
    sha256: &str,
    blocks: &[(Option<Range<usize>>, &str)],
) -> Vec<Option<Label>> {
    let labelled =
        |(source, text): (&Option<Range<usize>>, &str)| Block { source: source.clone(), text: folded(text) };
    let old: Vec<Block> = record.labels.iter().map(|l| labelled((&l.source, &l.text))).collect();
    let labels: Vec<Label> = record.labels.iter().map(|l| l.label).collect();
    let new: Vec<Block> = blocks.iter().map(|(source, text)| labelled((source, text))).collect();
    let mut found = Found {
        old: &old,
        new: &new,
        labels: &labels,
        of_new: vec![None; new.len()],
        pairs: vec![None; new.len()],
        is_used: vec![false; old.len()],
    };
    found.at_same_place();
    if record.sha256 == sha256 {
        found.covered();
        // if both blocks have ranges, texts are not compared
        found.by_text(|block| block.source.is_none(), |_| true);
        found.by_text(|_| true, |block| block.source.is_none());
    } else {
        found.by_text(|_| true, |_| true);
    }
    found.of_new
}

/// Joins the words of a text with single spaces.
pub(crate) fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the number of letters and digits in a text; at least 1.
fn weight(text: &str) -> usize {
    text.chars().filter(|c| c.is_alphanumeric()).count().max(1)
}

struct Block {
    source: Option<Range<usize>>,
    text: String,
}

/// The labels found so far for new blocks.
struct Found<'a> {
    old: &'a [Block],
    new: &'a [Block],
    /// The labels of the old blocks.
    labels: &'a [Label],
    /// The labels of the new blocks.
    of_new: Vec<Option<Label>>,
    /// For each new block, the index of the old block with which it is paired.
    pairs: Vec<Option<usize>>,
    /// Whether each old block has been paired.
    is_used: Vec<bool>,
}

impl Found<'_> {
    fn pair(&mut self, new: usize, old: usize) {
        self.pairs[new] = Some(old);
        self.of_new[new] = Some(self.labels[old]);
        self.is_used[old] = true;
    }

    /// Pairs blocks that have the same range and text.
    fn at_same_place(&mut self) {
        let mut places: HashMap<(&Range<usize>, &str), usize> = HashMap::new();
        for (at, block) in self.old.iter().enumerate() {
            if let Some(source) = &block.source {
                places.entry((source, &block.text)).or_insert(at);
            }
        }
        let new = self.new;
        for (at, block) in new.iter().enumerate() {
            let Some(source) = &block.source else { continue };
            if let Some(&old) = places.get(&(source, block.text.as_str())).filter(|old| !self.is_used[**old])
            {
                self.pair(at, old);
            }
        }
    }

    /// Labels blocks by the labelled ranges that overlap them.
    fn covered(&mut self) {
        let mut sorted: Vec<(Range<usize>, usize)> =
            self.old.iter().zip(0..).filter_map(|(block, at)| Some((block.source.clone()?, at))).collect();
        sorted.sort_by_key(|(range, at)| (range.start, range.end, *at));
        // for each range, the greatest end of all ranges up to this range
        let ends: Vec<usize> = sorted
            .iter()
            .scan(0, |end, (range, _)| {
                *end = range.end.max(*end);
                Some(*end)
            })
            .collect();
        for (block, found) in self.new.iter().zip(&mut self.of_new).filter(|(_, found)| found.is_none()) {
            let Some(source) = &block.source else { continue };
            let begin = ends.partition_point(|&end| end <= source.start);
            let end = sorted.partition_point(|(range, _)| range.start < source.end);
            let near = sorted.get(begin..end).unwrap_or_default();
            let near = near.iter().filter(|(range, _)| range.end > source.start);
            *found = label_of_most(
                block,
                source,
                near.map(|(range, old)| (range, &self.old[*old].text, self.labels[*old])),
            );
        }
    }

    /// Labels blocks by equal text. Uses only unlabelled new blocks for which `is_new` returns true, and
    /// unpaired old blocks for which `is_old` returns true.
    fn by_text(&mut self, is_new: impl Fn(&Block) -> bool, is_old: impl Fn(&Block) -> bool) {
        let (old, new) = (self.old, self.new);
        let mut groups: HashMap<&str, Group> = HashMap::new();
        for (at, block) in new.iter().enumerate() {
            if self.of_new[at].is_none() && is_new(block) && !block.text.is_empty() {
                groups.entry(&block.text).or_default().new.push(at);
            }
        }
        for (at, block) in old.iter().enumerate() {
            if !self.is_used[at]
                && is_old(block)
                && let Some(group) = groups.get_mut(block.text.as_str())
            {
                group.old.push(at);
            }
        }
        for group in groups.values() {
            if let ([new], [old]) = (&group.new[..], &group.old[..]) {
                self.pair(*new, *old);
            }
        }
        self.in_order(&groups);
        for group in groups.values() {
            let labels: Vec<Label> = group.old.iter().map(|&old| self.labels[old]).collect();
            let Some(first) = labels.first().filter(|first| labels.iter().all(|label| label == *first))
            else {
                continue;
            };
            for &at in &group.new {
                self.of_new[at].get_or_insert(*first);
            }
        }
    }

    /// Pairs blocks of equal text whose positions lie between the neighbouring pairs.
    fn in_order(&mut self, groups: &HashMap<&str, Group>) {
        let new = self.new;
        // the old block of the next pair
        let mut next = vec![self.old.len(); new.len()];
        let mut after = self.old.len();
        for at in (0..new.len()).rev() {
            next[at] = after;
            after = self.pairs[at].unwrap_or(after);
        }
        // first old block that lies after the previous pair
        let mut begin = 0;
        for (at, block) in new.iter().enumerate() {
            if let Some(old) = self.pairs[at] {
                begin = old + 1;
                continue;
            }
            let Some(group) = groups.get(block.text.as_str()).filter(|_| self.of_new[at].is_none()) else {
                continue;
            };
            if group.new.binary_search(&at).is_err() {
                continue;
            }
            let first = group.old.partition_point(|&old| old < begin);
            let mut between = group.old[first..].iter().take_while(|old| **old < next[at]);
            if let Some(&old) = between.find(|old| !self.is_used[**old]) {
                self.pair(at, old);
                begin = old + 1;
            }
        }
    }
}

/// The old and the new blocks that have the same text, in the order of the page.
#[derive(Default)]
struct Group {
    old: Vec<usize>,
    new: Vec<usize>,
}

/// Returns the label of a block by the labelled ranges that overlap it: the label of the smallest range around the
/// block, otherwise the majority label weighted by letters and digits. `None` if the ranges cover at most half of
/// the block's letters and digits.
fn label_of_most<'a>(
    block: &Block,
    source: &Range<usize>,
    near: impl Iterator<Item = (&'a Range<usize>, &'a String, Label)>,
) -> Option<Label> {
    let all = weight(&block.text);
    let mut letters: BTreeMap<Label, usize> = BTreeMap::new();
    // of the labelled ranges that contain the block, the smallest is used
    let mut around: Option<(usize, Label)> = None;
    for (range, text, label) in near {
        if range.start <= source.start && range.end >= source.end {
            if text.contains(&block.text) && around.is_none_or(|(length, _)| range.len() < length) {
                around = Some((range.len(), label));
            }
        } else if range.start >= source.start && range.end <= source.end {
            if block.text.contains(text.as_str()) && !text.is_empty() {
                *letters.entry(label).or_default() += weight(text);
            }
        } else {
            let overlap = range.end.min(source.end) - range.start.max(source.start);
            // estimated letters in the overlap, as if the text were distributed evenly over its range
            let part = weight(text) as u128 * overlap as u128 / range.len().max(1) as u128;
            *letters.entry(label).or_default() += (part as usize).min(all);
        }
    }
    if let Some((_, label)) = around {
        return Some(label);
    }
    let most = letters.values().copied().max()?;
    let mut best = letters.iter().filter(|(_, num)| **num == most).map(|(label, _)| *label);
    let label = best.next()?;
    let covered: usize = letters.values().sum();
    (2 * covered > all).then(|| if best.next().is_some() { Label::Unsure } else { label })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::annotations::{BlockLabel, By, State, hash, now};
    use threshr_html::blocks::{self, Blocks, Segmentation};
    use threshr_html::{ParseOptions, Visibility, parse};

    fn record(page: &str, labels: &[(Option<Range<usize>>, &str, Label)]) -> Record {
        let label = |(source, text, label): &(Option<Range<usize>>, &str, Label)| BlockLabel {
            source: source.clone(),
            text: (*text).to_owned(),
            label: *label,
            by: By::Person,
        };
        Record {
            id: "1.html".to_owned(),
            url: None,
            sha256: hash(page.as_bytes()),
            annotator: "ada".to_owned(),
            time: now(),
            state: State::Done,
            model: None,
            labels: labels.iter().map(label).collect(),
        }
    }

    const C: Option<Label> = Some(Label::Content);
    const B: Option<Label> = Some(Label::Boilerplate);

    #[test]
    fn texts_find_their_labels_on_a_changed_page() {
        let texts = |labels: &[(&str, Label)]| {
            let labels: Vec<_> = labels.iter().map(|(text, label)| (None, *text, *label)).collect();
            record("old", &labels)
        };
        let carried = |record: &Record, blocks: &[&str]| {
            let blocks: Vec<_> = blocks.iter().map(|text| (None, *text)).collect();
            carry_over(record, &hash(b"new"), &blocks)
        };
        let (content, boilerplate) = (Label::Content, Label::Boilerplate);
        let old = texts(&[
            ("Menu", boilerplate),
            ("More", boilerplate),
            ("Rain", content),
            ("More", content),
            ("End", boilerplate),
        ]);
        assert_eq!(carried(&old, &["Menu", "More", "Rain", "More", "End"]), [B, B, C, C, B]);
        // the unique texts around `More` determine which block it is
        assert_eq!(carried(&old, &["Rain", "New", "More", "End"]), [C, None, C, B]);
        assert_eq!(carried(&old, &["More", "Rain"]), [B, C]);
        // white space is normalised; a text without a pair and with two labels gets no label
        assert_eq!(carried(&old, &[" Rain\n", "End", "More"]), [C, B, None]);
        let same = texts(&[("More", boilerplate), ("More", boilerplate), ("Rain", content)]);
        assert_eq!(carried(&same, &["Rain", "More", "More", "More"]), [C, B, B, B]);
        assert_eq!(carried(&same, &["", "rain"]), [None, None]);
        assert!(carried(&texts(&[]), &["Rain"])[0].is_none() && carried(&same, &[]).is_empty());
        // equal range and text identify a block, even on a changed page
        let placed = record("old", &[(Some(3..7), "More", content), (Some(9..13), "More", boilerplate)]);
        let blocks = [(Some(9..13), "More"), (Some(20..24), "More")];
        assert_eq!(carry_over(&placed, &hash(b"new"), &blocks)[0], B);
    }

    #[test]
    fn ranges_decide_on_an_unchanged_page() {
        let (content, boilerplate) = (Label::Content, Label::Boilerplate);
        let page = "x".repeat(100);
        let carried = |labels: &[(Option<Range<usize>>, &str, Label)],
                       block: (Option<Range<usize>>, &str)| {
            carry_over(&record(&page, labels), &hash(page.as_bytes()), &[block])[0]
        };
        let two = [(Some(0..10), "Long words", content), (Some(10..14), "Menu", boilerplate)];
        assert_eq!(carried(&two, (Some(0..14), "Long words Menu")), C);
        assert_eq!(carried(&two, (Some(5..10), "words")), C);
        assert_eq!(carried(&two, (Some(30..34), "Menu")), None, "another place");
        assert_eq!(carried(&two, (None, "Menu")), B);
        assert_eq!(carried(&two, (Some(10..40), "Menu and many other words of no label")), None);
        let equal = [(Some(0..4), "Rain", content), (Some(4..8), "Menu", boilerplate)];
        assert_eq!(carried(&equal, (Some(0..8), "Rain Menu")), Some(Label::Unsure));
        let nested = [(Some(0..90), "A Menu B", content), (Some(10..20), "Menu", boilerplate)];
        assert_eq!(carried(&nested, (Some(12..16), "Menu")), B);
        assert_eq!(carried(&nested, (Some(0..5), "A")), C);
        let partial = [(Some(0..10), "abcdefghij", content)];
        assert_eq!(carried(&partial, (Some(2..12), "cdefghij k")), C);
        assert_eq!(carried(&partial, (Some(8..18), "ijklmnopqr")), None);
        assert_eq!(carried(&[(None, "Rain", content)], (Some(0..4), "Rain")), C);
    }

    /// Returns the blocks of a page with their ranges.
    fn cut<'a>(doc: &threshr_html::Document, blocks: &'a Blocks) -> Vec<(Option<Range<usize>>, &'a str)> {
        (0..blocks.len()).map(|block| (blocks.source(doc, block), blocks.text(block))).collect()
    }

    #[test]
    fn another_segmentation_reads_the_labels() {
        let page = "<ul><li><a href=/>Home</a><li><a href=/b>News of the day</a></ul><h1>The <b>mill</b></h1>\
                    <p>It was <i>built</i> in 1841 by <a href=/c>two brothers</a>.<p>News of the day";
        let doc = parse(page.as_bytes(), &ParseOptions { source_map: true, ..ParseOptions::default() });
        let segmentation =
            |name: &str| -> &'static Segmentation { blocks::by_name(name).expect("a segmentation") };
        let [paragraphs, nodes] =
            ["paragraph", "text-node"].map(|name| Blocks::new(&doc, segmentation(name), Visibility::Visible));
        let (from, to) = (cut(&doc, &paragraphs), cut(&doc, &nodes));
        assert!(to.len() > from.len());
        let is_content = |range: &Option<Range<usize>>| {
            range.as_ref().is_some_and(|r| r.start >= page.find("<h1>").expect("a headline"))
        };
        let label = |range: &Option<Range<usize>>| {
            if is_content(range) { Label::Content } else { Label::Boilerplate }
        };
        for (from, to) in [(&from, &to), (&to, &from)] {
            let labels: Vec<_> =
                from.iter().map(|(range, text)| (range.clone(), *text, label(range))).collect();
            let carried = carry_over(&record(page, &labels), &hash(page.as_bytes()), to);
            let expected: Vec<_> = to.iter().map(|(range, _)| Some(label(range))).collect();
            assert_eq!(carried, expected, "{to:?}");
        }
    }
}
