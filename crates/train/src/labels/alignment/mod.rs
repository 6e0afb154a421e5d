//! Aligns a page's blocks with its gold, to find the content share of each block.
//!
//! 1. The tokens of page and gold are aligned by an exact longest common subsequence.
//! 2. Unaligned tokens are compared again without white space, because gold texts contain words that are joined
//!    by mistake.
//! 3. Whole blocks that have another position in the gold are searched for. Their alignment replaces
//!    alignments of single tokens with the same gold tokens.

mod moved;

use crate::labels::alignment::moved::moved;
use rustc_hash::FxHashMap;
use std::ops::Range;
use threshr_core::lcs;
use threshr_html::Document;
use threshr_html::blocks::Blocks;
use threshr_html::text::Interner;
use threshr_sets::gold::Gold;
use threshr_sets::gold::markup::{ParagraphClass, segments};

/// The alignment of a page's blocks with its gold.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Alignment {
    /// Content share of each block's tokens, `0.0..=1.0`; 0 for a block without tokens. If the labels are in
    /// the page's HTML, it is the share of the block's characters.
    pub share: Vec<f32>,
    /// Number of tokens of each block.
    pub num_tokens: Vec<u32>,
    /// Class of the gold paragraph that contains most of the block's aligned tokens, if the gold has markup.
    pub class: Vec<Option<ParagraphClass>>,
    /// Number of tokens of the gold.
    pub num_gold_tokens: u32,
    /// Number of gold tokens that are not found in any block.
    pub num_unaligned: u32,
}

impl Alignment {
    /// Aligns gold text with a page's blocks.
    pub fn of_text(blocks: &Blocks, gold: &str, markup: Option<&str>) -> Self {
        let mut interner = Interner::default();
        let (mut page, mut block_of, mut places) = (Vec::new(), Vec::new(), Vec::new());
        for index in 0..blocks.len() {
            let start = page.len();
            page.extend(interner.encode(blocks.text(index)));
            block_of.resize(page.len(), index as u32);
            places.push(start..page.len());
        }
        let (gold, class_of) = gold_tokens(&mut interner, gold, markup);
        let mut pairs = lcs::lcs_pairs(&page, &gold);
        lcs::compact(&mut pairs, &page, &gold);
        let mut stretches: Vec<(Range<usize>, Range<usize>)> =
            pairs.iter().map(|&(p, g)| (p as usize..p as usize + 1, g as usize..g as usize + 1)).collect();
        stretches.extend(glued(&pairs, &page, &gold, &interner.tokens()));
        let [mut page_hit, mut gold_hit] = hits(&stretches, &page, &gold);
        let moved = moved(&places, [&page, &gold], [&page_hit, &gold_hit]);
        if !moved.is_empty() {
            let [page_moved, gold_moved] = hits(&moved, &page, &gold);
            stretches.retain(|(p, g)| {
                !page_moved[p.clone()].contains(&true) && !gold_moved[g.clone()].contains(&true)
            });
            stretches.extend(moved);
            [page_hit, gold_hit] = hits(&stretches, &page, &gold);
        }
        let mut votes = vec![[0u32; 3]; blocks.len()];
        for (p, g) in stretches.iter().flat_map(|(p, g)| p.clone().zip(g.clone())) {
            if let Some(class) = class_of.get(g) {
                votes[block_of[p] as usize][*class as usize] += 1;
            }
        }
        let num_tokens: Vec<u32> = places.iter().map(|p| p.len() as u32).collect();
        let mut num_hits = vec![0u32; blocks.len()];
        page_hit.iter().zip(&block_of).filter(|h| *h.0).for_each(|(_, &b)| num_hits[b as usize] += 1);
        Alignment {
            share: num_hits
                .iter()
                .zip(&num_tokens)
                .map(|(&h, &n)| if n == 0 { 0.0 } else { h as f32 / n as f32 })
                .collect(),
            num_tokens,
            class: votes.into_iter().map(|v| if class_of.is_empty() { None } else { majority(v) }).collect(),
            num_gold_tokens: gold.len() as u32,
            num_unaligned: gold_hit.iter().filter(|&&h| !h).count() as u32,
        }
    }

    /// Aligns blocks with a gold text or with labels in the page. Also returns the gold as text, with one block
    /// per line.
    pub fn of_gold(doc: &Document, blocks: &Blocks, gold: &Gold) -> (Self, String) {
        match gold {
            Gold::Text { text, markup } => (Self::of_text(blocks, text, markup.as_deref()), text.clone()),
            Gold::InPage(annotation) => Self::of_labels(doc, blocks, &annotation.content),
        }
    }

    /// Reads the labels of an annotated document. `content` lists the labels that mean content. Also returns
    /// the gold as text, with one block per line.
    pub fn of_labels(doc: &Document, blocks: &Blocks, content: &[u8]) -> (Self, String) {
        let mut interner = Interner::default();
        let mut out = Alignment::default();
        let mut gold = Vec::new();
        for index in 0..blocks.len() {
            let (labelled, all, line) = labelled_text(doc, blocks, index, content);
            out.share.push(if all == 0 { 0.0 } else { labelled as f32 / all as f32 });
            out.num_tokens.push(interner.encode(blocks.text(index)).len() as u32);
            out.num_gold_tokens += interner.encode(&line).len() as u32;
            if !line.is_empty() {
                gold.push(line);
            }
        }
        out.class = vec![None; blocks.len()];
        (out, gold.join("\n"))
    }

    /// Returns the alignment of a page without gold. It contains only the numbers of tokens.
    pub fn without_gold(blocks: &Blocks) -> Self {
        Self::of_text(blocks, "", None)
    }

    /// Returns the share of the gold's tokens that are found in blocks; 1 if there are no gold tokens.
    pub fn aligned_share(&self) -> f32 {
        if self.num_gold_tokens == 0 {
            return 1.0;
        }
        1.0 - self.num_unaligned as f32 / self.num_gold_tokens as f32
    }

    /// Returns token precision, recall and F1 of the kept blocks, computed from aligned tokens. This is faster
    /// than a comparison of texts. If there are neither kept nor gold tokens, all three are 1.
    pub fn token_prf(&self, kept: &[bool]) -> [f64; 3] {
        let (mut num_kept, mut hits) = (0.0, 0.0);
        for ((&keep, &share), &tokens) in kept.iter().zip(&self.share).zip(&self.num_tokens) {
            if keep {
                num_kept += f64::from(tokens);
                hits += f64::from(tokens) * f64::from(share);
            }
        }
        let gold = f64::from(self.num_gold_tokens);
        if num_kept + gold == 0.0 {
            return [1.0; 3];
        }
        let precision = if num_kept == 0.0 { 0.0 } else { hits / num_kept };
        let recall = if gold == 0.0 { 1.0 } else { hits / gold };
        [precision, recall, 2.0 * hits / (num_kept + gold)]
    }

    /// Returns the labels: a block is content if its content share is at least `threshold`.
    pub fn labels(&self, threshold: f32) -> Vec<bool> {
        self.share.iter().zip(&self.num_tokens).map(|(&s, &n)| n > 0 && s >= threshold).collect()
    }
}

/// Returns for each token of page and gold whether it is in one of the span pairs.
fn hits(stretches: &[(Range<usize>, Range<usize>)], page: &[u32], gold: &[u32]) -> [Vec<bool>; 2] {
    let mut hits = [vec![false; page.len()], vec![false; gold.len()]];
    for (p, g) in stretches {
        hits[0][p.clone()].fill(true);
        hits[1][g.clone()].fill(true);
    }
    hits
}

/// Returns the number of the block's characters labelled as content, the number of all its characters (both
/// without white space), and the labelled text.
fn labelled_text(doc: &Document, blocks: &Blocks, index: usize, content: &[u8]) -> (usize, usize, String) {
    let num_chars = |text: &str| text.chars().filter(|c| !c.is_whitespace()).count();
    let (mut labelled, mut all) = (0, 0);
    let mut line = String::new();
    let mut end = None;
    for span in blocks.spans(index) {
        let source = |r: Range<u32>| &doc.source_text()[r.start as usize..r.end as usize];
        all += num_chars(source(span.source.clone()));
        if end.is_some_and(|end| end < span.text.start) {
            line.push(' ');
        }
        end = Some(span.text.end);
        let from = doc.labels().partition_point(|(r, _)| r.end <= span.source.start);
        for (r, class) in doc.labels()[from..].iter().take_while(|(r, _)| r.start < span.source.end) {
            let text = source(r.start.max(span.source.start)..r.end.min(span.source.end));
            if content.contains(class) {
                labelled += num_chars(text);
                line.push_str(text);
            } else {
                line.push(' ');
            }
        }
    }
    (labelled, all, line.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Returns the tokens of the gold and the paragraph class of each token. The classes are empty if there is no
/// markup.
fn gold_tokens(interner: &mut Interner, gold: &str, markup: Option<&str>) -> (Vec<u32>, Vec<ParagraphClass>) {
    let Some(markup) = markup else { return (interner.encode(gold), Vec::new()) };
    let (mut tokens, mut classes) = (Vec::new(), Vec::new());
    for segment in segments(markup) {
        let new = interner.encode(segment.text);
        classes.resize(classes.len() + new.len(), segment.class);
        tokens.extend(new);
    }
    (tokens, classes)
}

fn majority(votes: [u32; 3]) -> Option<ParagraphClass> {
    const CLASSES: [ParagraphClass; 3] =
        [ParagraphClass::Paragraph, ParagraphClass::Heading, ParagraphClass::List];
    let best = (0..3).rev().max_by_key(|&i| votes[i])?;
    (votes[best] > 0).then_some(CLASSES[best])
}

/// Maximum number of tokens that may be joined to one word.
const MAX_GLUED: usize = 4;

/// Finds pairs of unaligned spans in page and gold that differ only in white space. In each pair, one span is a
/// single token.
fn glued(
    pairs: &[(u32, u32)],
    page: &[u32],
    gold: &[u32],
    tokens: &[&str],
) -> Vec<(Range<usize>, Range<usize>)> {
    let mut found = Vec::new();
    let (mut p, mut g) = (0, 0);
    let ends = pairs.iter().map(|&(p, g)| (p as usize, g as usize)).chain([(page.len(), gold.len())]);
    for (p_end, g_end) in ends {
        if g < g_end && p < p_end {
            let split_in_page = joined(page, p..p_end, tokens);
            let split_in_gold = joined(gold, g..g_end, tokens);
            let (mut from, mut at) = (p, g);
            while at < g_end {
                let one = tokens[gold[at] as usize];
                if let Some(range) = next(&split_in_page, one, from) {
                    from = range.end;
                    found.push((range, at..at + 1));
                }
                at += 1;
            }
            let mut from_gold = g;
            for at in p..p_end {
                if let Some(range) = next(&split_in_gold, tokens[page[at] as usize], from_gold) {
                    from_gold = range.end;
                    found.push((at..at + 1, range));
                }
            }
        }
        (p, g) = (p_end + 1, g_end + 1);
    }
    found
}

/// Returns all sequences of 2 to [`MAX_GLUED`] neighbouring tokens in a span, joined to one word, with their
/// positions.
fn joined(text: &[u32], stretch: Range<usize>, tokens: &[&str]) -> FxHashMap<String, Vec<Range<usize>>> {
    let mut map: FxHashMap<String, Vec<Range<usize>>> = FxHashMap::default();
    // long spans without alignment are boilerplate, so only their start is searched
    const MAX_STRETCH: usize = 5_000;
    for start in stretch.clone().take(MAX_STRETCH) {
        let mut word = String::new();
        for end in start..stretch.end.min(start + MAX_GLUED) {
            word.push_str(tokens[text[end] as usize]);
            if end > start {
                map.entry(word.clone()).or_default().push(start..end + 1);
            }
        }
    }
    map
}

fn next(map: &FxHashMap<String, Vec<Range<usize>>>, word: &str, from: usize) -> Option<Range<usize>> {
    map.get(word)?.iter().find(|r| r.start >= from).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use threshr_html::blocks as block;
    use threshr_html::blocks::Blocks;
    use threshr_html::{ParseOptions, Visibility, parse, parse_str};
    use threshr_sets::labelling::Annotation;

    fn labelled(html: &str, annotation: &Annotation) -> Document {
        let labelling = Some(Arc::new(annotation.clone()) as _);
        parse(html.as_bytes(), &ParseOptions { labelling, ..ParseOptions::default() })
    }

    fn blocks(html: &str) -> Blocks {
        Blocks::new(&parse_str(html), block::REGISTRY[0], Visibility::Visible)
    }

    #[test]
    fn token_scores_of_kept_blocks() {
        let alignment = Alignment {
            share: vec![1.0, 0.5, 0.0],
            num_tokens: vec![4, 2, 10],
            num_gold_tokens: 10,
            ..Alignment::default()
        };
        // 6 tokens are kept, 5 of them are content, and the gold has 10
        assert_eq!(alignment.token_prf(&[true, true, false]), [5.0 / 6.0, 0.5, 10.0 / 16.0]);
        assert_eq!(alignment.token_prf(&[false; 3]), [0.0; 3]);
        let empty = Alignment { num_gold_tokens: 0, ..alignment };
        assert_eq!(
            (empty.token_prf(&[false; 3]), empty.token_prf(&[false, false, true])),
            ([1.0; 3], [0.0, 1.0, 0.0])
        );
    }

    #[test]
    fn shares_and_classes_follow_the_gold() {
        let page = blocks("<p>Home<p>News<h1>The Title</h1><p>Some real text, with words.<p>Home");
        let a =
            Alignment::of_text(&page, "ignored", Some("<h>The title\n<p>Some real text with other words"));
        assert_eq!(a.share, [0.0, 0.0, 1.0, 1.0, 0.0]);
        assert_eq!(a.class[2..4], [Some(ParagraphClass::Heading), Some(ParagraphClass::Paragraph)]);
        assert_eq!((a.num_gold_tokens, a.num_unaligned), (8, 1));
        assert_eq!(a.labels(0.5), [false, false, true, true, false]);
    }

    #[test]
    fn glued_words_are_found_on_either_side() {
        let a = Alignment::of_text(
            &blocks("<p>we made an attempt at<p>bothways"),
            "we made anattempt at both ways",
            None,
        );
        assert_eq!(a.share, [1.0, 1.0]);
        assert_eq!(a.num_unaligned, 0);
    }

    #[test]
    fn blocks_are_found_in_another_order_in_the_gold() {
        let page = blocks(
            "<p>Weight<p>three kilograms and a half more<p>Height<p>two metres<p>Home<p>three kilograms and a half more\
             <p>The chair is a chair as chairs are, and it is blue, and nothing else is",
        );
        let gold = "The chair is a chair as chairs are, and it is blue, and nothing else is. Weight: three kilograms and a half more. Height: two metres";
        let a = Alignment::of_text(&page, gold, None);
        // the repeated text occurs in the gold only once
        assert_eq!(a.share, [1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 1.0]);
        assert_eq!(a.num_unaligned, 0);
        // a short block may match by chance
        let a = Alignment::of_text(&page, "The chair is a chair as chairs are. two metres", None);
        assert_eq!((a.share[3], a.num_unaligned), (0.0, 2));
    }

    #[test]
    fn empty_pages_and_empty_gold_are_aligned() {
        assert_eq!(Alignment::of_text(&blocks(""), "", None), Alignment::default());
        assert_eq!(Alignment::of_text(&blocks("<p>a"), "", None).share, [0.0]);
        assert_eq!(Alignment::of_text(&blocks(""), "a", None).num_unaligned, 1);
    }

    #[test]
    fn labels_in_the_page_are_read() {
        let html = "<p><kw class=krdwrd-tag-1>Home</kw><p><kw class=krdwrd-tag-3>Good text</kw> <kw class=krdwrd-tag-1>edit</kw>";
        let annotation = Annotation::krdwrd();
        let doc = labelled(html, &annotation);
        let blocks = Blocks::new(&doc, block::REGISTRY[0], Visibility::Visible);
        let (a, gold) = Alignment::of_labels(&doc, &blocks, &annotation.content);
        assert_eq!(gold, "Good text");
        assert_eq!(a.share, [0.0, 8.0 / 12.0]);
        let html =
            "<p>x</p><!-- c --><p>alpha beta<br>gamma<p><b>one</b> <i>two</i>, <b>th</b>ree</p><!-- /c -->";
        let doc = labelled(html, &Annotation::markers("c", "/c"));
        let blocks = Blocks::new(&doc, block::REGISTRY[0], Visibility::Visible);
        assert_eq!(Alignment::of_labels(&doc, &blocks, &[1]).1, "alpha beta gamma\none two, three");
    }
}
