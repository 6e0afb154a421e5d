//! Columns about the scores of a page's blocks and about its kept text.

use crate::type_and_quality::block_facts::{BlockFacts, HOLDERS, ratio};
use crate::type_and_quality::structure::LONG;

/// Score intervals. For each, a column has the share of words in blocks with such a score.
const BANDS: [(f32, f32); 6] = [(0.1, 0.3), (0.3, 0.5), (0.5, 0.7), (0.7, 0.9), (0.9, 0.97), (0.97, 1.01)];
/// Quantile levels. For each, a column has the quantile of the scores of kept blocks.
const QUANTILES: [f64; 4] = [0.1, 0.25, 0.5, 0.75];
/// Number of words below which a block is short.
const SHORT: u32 = 6;

/// Names of the columns that are not about a score interval, a quantile or an element, in order.
const NAMES: &[&str] = &[
    "words",
    "kept_words",
    "kept_share",
    "blocks",
    "kept_blocks",
    "kept_block_share",
    "mean_kept_length",
    "mean_length",
    "entropy",
    "block_entropy",
    "kept_entropy",
    "dropped_entropy",
    "expected_share",
    "expected_precision",
    "expected_recall",
    "expected_f1",
    "least_kept",
    "greatest_dropped",
    "greatest",
    "runs",
    "runs_per_block",
    "mean_change",
    "first_kept",
    "last_kept",
    "density",
    "kept_link_share",
    "kept_long_share",
    "long_share",
    "long_kept_share",
    "kept_short_share",
    "longest_kept",
    "kept_sentence_ends",
    "kept_marks",
    "kept_digits",
    "kept_capitals",
    "kept_questions",
];

/// Returns the names of the columns, in order.
pub(crate) fn column_names() -> Vec<String> {
    let mut names: Vec<String> = NAMES.iter().map(|n| format!("scores.{n}")).collect();
    names.extend(BANDS.iter().map(|b| format!("scores.share_from_{}", b.0)));
    names.extend(QUANTILES.iter().map(|q| format!("scores.kept_quantile_{q}")));
    for of in ["kept_words_in", "words_in", "kept_blocks_in"] {
        names.extend(HOLDERS.iter().map(|h| format!("scores.{of}_{}", h.1)));
    }
    names
}

/// A block with its score and label.
struct ScoredBlock<'a> {
    facts: &'a BlockFacts,
    words: f64,
    score: f64,
    /// Binary entropy of the score, in nats.
    entropy: f64,
    kept: bool,
}

/// Totals over blocks.
#[derive(Debug, Clone, Copy, Default)]
struct Totals {
    words: f64,
    blocks: f64,
}

/// Returns the columns of a page. `scores` and `kept` have one entry per block.
pub(crate) fn columns(facts: &[BlockFacts], scores: &[f32], kept: &[bool]) -> Vec<f32> {
    let predict = |((facts, &score), &kept): ((_, &f32), &bool)| {
        let facts: &BlockFacts = facts;
        let score = f64::from(score);
        ScoredBlock { facts, words: f64::from(facts.words), score, entropy: entropy(score), kept }
    };
    let page: Vec<ScoredBlock<'_>> = facts.iter().zip(scores).zip(kept).map(predict).collect();
    let mut out = general(&page);
    out.extend(shape(&page));
    out.extend(kept_text(&page));
    let (mut of_bands, mut of_holders) = ([0.0; BANDS.len()], [[Totals::default(); 2]; HOLDERS.len()]);
    for block in &page {
        let inside = |&(from, to): &(f32, f32)| block.score >= f64::from(from) && block.score < f64::from(to);
        if let Some(band) = BANDS.iter().position(inside) {
            of_bands[band] += block.words;
        }
        if let Some(holder) = HOLDERS.iter().position(|holder| holder.0 == block.facts.holder) {
            let totals = &mut of_holders[holder][usize::from(block.kept)];
            totals.words += block.words;
            totals.blocks += 1.0;
        }
    }
    let words = sum(&page, |_| true, |b| b.words);
    out.extend(of_bands.map(|of_band| ratio(of_band, words)));
    let mut of_kept: Vec<f64> = page.iter().filter(|b| b.kept).map(|b| b.score).collect();
    of_kept.sort_by(f64::total_cmp);
    out.extend(QUANTILES.iter().map(|q| quantile(&of_kept, *q) as f32));
    let (kept_words, num_kept) = (sum(&page, |b| b.kept, |b| b.words), of_kept.len() as f64);
    out.extend(of_holders.map(|[_, kept]| ratio(kept.words, kept_words)));
    out.extend(of_holders.map(|[dropped, kept]| ratio(dropped.words + kept.words, words)));
    out.extend(of_holders.map(|[_, kept]| ratio(kept.blocks, num_kept)));
    out
}

fn sum(
    page: &[ScoredBlock<'_>],
    which: impl Fn(&ScoredBlock<'_>) -> bool,
    of: impl Fn(&ScoredBlock<'_>) -> f64,
) -> f64 {
    page.iter().filter(|b| which(b)).map(of).sum()
}

fn quantile(sorted: &[f64], q: f64) -> f64 {
    let place = q * sorted.len().saturating_sub(1) as f64;
    let below = place.floor() as usize;
    match (sorted.get(below), sorted.get(below + 1)) {
        (Some(a), Some(b)) => a + (b - a) * (place - below as f64),
        (Some(a), None) => *a,
        _ => 0.0,
    }
}

/// Returns the binary entropy of a score, in nats.
fn entropy(score: f64) -> f64 {
    let term = |p: f64| if p > 0.0 { -p * p.ln() } else { 0.0 };
    term(score) + term(1.0 - score)
}

/// Returns sizes, entropies, and the precision, recall and F1 that the scores predict.
fn general(page: &[ScoredBlock<'_>]) -> Vec<f32> {
    let all = |_: &ScoredBlock<'_>| true;
    let (kept, dropped) = (|b: &ScoredBlock<'_>| b.kept, |b: &ScoredBlock<'_>| !b.kept);
    let words = sum(page, all, |b| b.words);
    let kept_words = sum(page, kept, |b| b.words);
    let (num_blocks, num_kept) = (page.len() as f64, sum(page, kept, |_| 1.0));
    let expected = sum(page, all, |b| b.words * b.score);
    let hits = sum(page, kept, |b| b.words * b.score);
    let uncertain = |b: &ScoredBlock<'_>| b.words * b.entropy;
    vec![
        words as f32,
        kept_words as f32,
        ratio(kept_words, words),
        num_blocks as f32,
        num_kept as f32,
        ratio(num_kept, num_blocks),
        ratio(kept_words, num_kept + 1.0),
        ratio(words, num_blocks),
        ratio(sum(page, all, uncertain), words),
        ratio(sum(page, all, |b| b.entropy), num_blocks),
        ratio(sum(page, kept, uncertain), kept_words),
        ratio(sum(page, dropped, uncertain), words - kept_words),
        ratio(expected, words),
        ratio(hits, kept_words),
        ratio(hits, expected),
        ratio(2.0 * hits, kept_words + expected),
    ]
}

/// Returns extreme scores, and columns about the positions of kept blocks on the page.
fn shape(page: &[ScoredBlock<'_>]) -> Vec<f32> {
    let extreme = |which: fn(&ScoredBlock<'_>) -> bool, least: bool| {
        let scores = page.iter().filter(|b| which(b)).map(|b| b.score);
        if least { scores.reduce(f64::min) } else { scores.reduce(f64::max) }.unwrap_or(0.0) as f32
    };
    let num_kept = sum(page, |b| b.kept, |_| 1.0);
    let pairs = || page.iter().zip(page.iter().skip(1));
    let runs = pairs().filter(|(a, b)| a.kept != b.kept).count() as f64;
    let change: f64 = pairs().map(|(a, b)| (a.score - b.score).abs()).sum();
    let first = page.iter().position(|b| b.kept);
    let last = page.iter().rposition(|b| b.kept);
    let num_blocks = page.len() as f64;
    let place = |at: Option<usize>| at.map_or(0.0, |at| ratio(at as f64, num_blocks));
    let between = first.zip(last).and_then(|(first, last)| page.get(first..=last)).unwrap_or_default();
    vec![
        extreme(|b| b.kept, true),
        extreme(|b| !b.kept, false),
        extreme(|_| true, false),
        runs as f32,
        ratio(runs, num_kept + 1.0),
        ratio(change, num_blocks - 1.0),
        place(first),
        place(last),
        ratio(sum(between, |b| b.kept, |b| b.words), sum(between, |_| true, |b| b.words)),
    ]
}

/// Returns the columns about the kept text.
fn kept_text(page: &[ScoredBlock<'_>]) -> Vec<f32> {
    let kept = |b: &ScoredBlock<'_>| b.kept;
    let words = sum(page, |_| true, |b| b.words);
    let (kept_words, num_kept) = (sum(page, kept, |b| b.words), sum(page, kept, |_| 1.0));
    let is_long = |b: &ScoredBlock<'_>| b.facts.words >= LONG;
    let long = sum(page, is_long, |b| b.words);
    let long_kept = sum(page, |b| b.kept && is_long(b), |b| b.words);
    let of_kept = |of: fn(&BlockFacts) -> u32| sum(page, kept, |b| f64::from(of(b.facts)));
    let chars = of_kept(|f| f.chars);
    vec![
        ratio(of_kept(|f| f.link_words), kept_words),
        ratio(long_kept, kept_words),
        ratio(long, words),
        ratio(long_kept, long),
        ratio(sum(page, |b| b.kept && b.facts.words < SHORT, |_| 1.0), num_kept),
        page.iter().filter(|b| b.kept).map(|b| b.facts.words).max().unwrap_or(0) as f32,
        ratio(sum(page, |b| b.kept && b.facts.ends_sentence, |_| 1.0), num_kept),
        ratio(of_kept(|f| f.marks), chars),
        ratio(of_kept(|f| f.digits), chars),
        ratio(of_kept(|f| f.capitals), kept_words),
        ratio(of_kept(|f| f.questions), kept_words),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::type_and_quality::block_facts::Holder;

    fn block(words: u32, holder: Holder) -> BlockFacts {
        BlockFacts {
            words,
            link_words: 1,
            chars: 5 * words,
            marks: 1,
            digits: 0,
            capitals: 1,
            questions: 0,
            sentences: 1,
            holder,
            ends_sentence: true,
        }
    }

    #[test]
    fn columns_by_name() {
        let facts = [block(10, Holder::Heading), block(30, Holder::Paragraph), block(10, Holder::Item)];
        let values = columns(&facts, &[0.2, 0.9, 0.5], &[false, true, true]);
        let names = column_names();
        assert_eq!(names.len(), values.len());
        let value = |name: &str| {
            values[names.iter().position(|n| n.strip_prefix("scores.") == Some(name)).expect(name)]
        };
        let (hits, expected) = (27.0 + 5.0, 2.0 + 27.0 + 5.0);
        for (name, expected) in [
            ("words", 50.0),
            ("kept_share", 0.8),
            ("expected_f1", 2.0 * hits / (40.0 + expected)),
            ("expected_precision", hits / 40.0),
            ("least_kept", 0.5),
            ("greatest_dropped", 0.2),
            ("runs", 1.0),
            ("mean_change", 0.55),
            ("density", 1.0),
            ("longest_kept", 30.0),
            ("long_kept_share", 1.0),
            ("share_from_0.5", 0.2),
            ("kept_quantile_0.5", 0.7),
            ("kept_words_in_paragraph", 0.75),
            ("words_in_heading", 0.2),
            ("kept_blocks_in_item", 0.5),
        ] {
            assert!((value(name) - expected).abs() < 1e-6, "{name}: {} {expected}", value(name));
        }
    }

    #[test]
    fn pages_without_blocks_or_kept_blocks_have_finite_columns() {
        for (facts, scores, kept) in
            [(&[][..], &[][..], &[][..]), (&[block(0, Holder::Other)][..], &[0.0][..], &[false][..])]
        {
            let values = columns(facts, scores, kept);
            assert_eq!(values.len(), column_names().len());
            assert!(values.iter().all(|v| v.is_finite()));
        }
    }
}
