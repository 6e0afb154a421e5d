//! Log-odds of content for words, learned from training pages.

use crate::learned::folded::FoldedWords;
use crate::learned::terms::term_hash;
use crate::learned::{Learner, Limits, Odds, Terms, TermsBuilder};
use crate::{Column, Family, Grid, PageContext};
use threshr_html::Tag;
use threshr_page::text::hashing::{chained, hash_of};

/// The family.
pub(crate) struct Words;

const SOURCE: &str =
    "keywords of FIASCO and of StupidOS's n-gram models (CleanEval 2007); odds by site: threshr";

/// Maximum number of words of a block that are used. Words that indicate boilerplate are usually at the start.
const MAX_WORDS: usize = 24;
/// Maximum number of words of a block whose word pairs are used.
const MAX_WORDS_PAIRS: usize = 12;
/// Maximum number of words of a block whose whole text is a term.
const MAX_WORDS_PHRASE: usize = 6;
/// Maximum distance in blocks between a heading and a block that it applies to.
const HEADING_RANGE: usize = 60;

/// Number of lists per block: words, word pairs, whole text, words of the heading above, whole text of the
/// heading above.
const SLOTS: usize = 5;

/// Columns: name, definition.
const COLUMNS: &[(&str, &str)] = &[
    ("mean", "mean log-odds of the known words among the first 24"),
    ("sum", "sum of the log-odds of the known words among the first 24"),
    ("max", "greatest log-odds of a known word among the first 24, at least 0"),
    ("min", "least log-odds of a known word among the first 24, at most 0"),
    ("known_share", "share of the first 24 words that are known"),
    ("pairs", "sum of the log-odds of known pairs of adjacent words, for blocks of at most 12 words"),
    ("phrase", "log-odds of the whole text, for blocks of at most 6 words"),
    (
        "heading_mean",
        "mean log-odds of the known words in the last heading above, as words of a heading above a block",
    ),
    ("heading_phrase", "log-odds of the whole text of the last heading above, as a heading above a block"),
];

impl Family for Words {
    fn name(&self) -> &'static str {
        "words"
    }
    fn summary(&self) -> &'static str {
        "learned: log-odds of content for the words of a block and of the heading above it"
    }
    fn columns(&self) -> Vec<Column> {
        let column = |&(name, what): &(&'static str, &str)| Column {
            neighbours: matches!(name, "mean" | "phrase"),
            ..Column::new(
                name,
                if name == "known_share" { "ratio" } else { "nats" },
                format!("{what}. Log-odds of content are learned from training pages; 0 if nothing is known"),
                SOURCE,
            )
        };
        COLUMNS.iter().map(column).collect()
    }
    fn reads_words(&self, _wanted: &[bool]) -> bool {
        true
    }

    /// Leaves the columns 0, because the learner computes them.
    fn fill(&self, _: &PageContext<'_>, _: &mut Grid<'_>) {}
    fn learner(&self) -> Option<&dyn Learner> {
        Some(self)
    }
}

impl Learner for Words {
    fn limits(&self) -> Limits {
        Limits { min_sites: 6, max_terms: 12_000 }
    }

    fn num_slots(&self) -> usize {
        SLOTS
    }

    fn collect(&self, page: &PageContext<'_>, terms: &mut TermsBuilder<'_>) {
        let mut heading: Option<(usize, [Option<u32>; 2])> = None;
        let mut first = FirstWords::new(terms.needs_text());
        terms.reserve(page.words().len().min(MAX_WORDS * page.len()), 3 * page.len(), page.len());
        for index in 0..page.len() {
            let words = page.words().block(index);
            first.words.fold(page.blocks.text(index), words);
            let own = first.lists(words.len(), terms);
            let above = heading.filter(|(at, _)| index - at <= HEADING_RANGE).map_or([None; 2], |h| h.1);
            terms.block(&[own[0], own[1], own[2], above[0], above[1]]);
            if page.is_in(index, Tag::is_heading) {
                heading = Some((index, first.lists_under(words.len(), terms)));
            }
        }
    }

    fn fill(&self, terms: &Terms, odds: Odds<'_>, out: &mut Grid<'_>) {
        // branch-free: unknown terms are counted as 0
        let odds_of = |block, slot| {
            let all = terms.list(block, slot).iter().map(|&id| odds.of(id));
            all.map(|o| if o.is_nan() { (0.0, 0.0) } else { (o, 1.0) })
        };
        let sum_of = |block, slot| odds_of(block, slot).map(|o| o.0).sum::<f32>();
        for block in 0..terms.num_blocks() {
            let (mut sum, mut max, mut min, mut n) = (0.0f32, 0.0f32, 0.0f32, 0.0f32);
            for (odds, one) in odds_of(block, 0) {
                (sum, max, min, n) = (sum + odds, max.max(odds), min.min(odds), n + one);
            }
            let len = terms.list(block, 0).len().max(1) as f32;
            let (under, num_under) = odds_of(block, 3).fold((0.0, 0.0f32), |(s, n), o| (s + o.0, n + o.1));
            let values = [
                sum / n.max(1.0),
                sum,
                max,
                min,
                n / len,
                sum_of(block, 1),
                sum_of(block, 2),
                under / num_under.max(1.0),
                sum_of(block, 4),
            ];
            values.iter().enumerate().for_each(|(column, &value)| out.set(column, block, value));
        }
    }
}

/// Builds term lists from the first words of a block.
struct FirstWords {
    words: FoldedWords,
    /// Hashes of the prefixes [`WHOLE`] and [`UNDER`] as terms.
    whole: u64,
    under: u64,
}

/// Prefixes of the terms for the whole text of a block, and for the heading above a block.
const WHOLE: &str = "=";
const UNDER: &str = "under";

impl FirstWords {
    fn new(with_text: bool) -> Self {
        let words = FoldedWords::new(with_text, MAX_WORDS);
        FirstWords { words, whole: term_hash(WHOLE), under: term_hash(UNDER) }
    }

    /// Adds the lists of the words, the word pairs and the whole text.
    fn lists(&self, num_words: usize, terms: &mut TermsBuilder<'_>) -> [Option<u32>; 3] {
        if self.words.hashes.is_empty() {
            return [None; 3];
        }
        self.words.runs(1, terms);
        let single = terms.end_list(None);
        let pairs = (num_words <= MAX_WORDS_PAIRS && self.words.hashes.len() > 1).then(|| {
            self.words.runs(2, terms);
            terms.end_list(None)
        });
        let whole = (num_words <= MAX_WORDS_PHRASE).then(|| {
            terms.term_of(self.all_after(self.whole), || format!("{WHOLE} {}", self.words.text));
            terms.end_list(None)
        });
        [Some(single), pairs, whole]
    }

    /// Adds the lists of a heading for the blocks below it: its words and its whole text.
    fn lists_under(&self, num_words: usize, terms: &mut TermsBuilder<'_>) -> [Option<u32>; 2] {
        if self.words.hashes.is_empty() {
            return [None; 2];
        }
        for (i, &hash) in self.words.hashes.iter().enumerate() {
            let text = || format!("{UNDER} {}", self.words.word(i));
            terms.term_of(chained(self.under, hash), text);
        }
        let single = terms.end_list(None);
        let whole = (num_words <= MAX_WORDS_PHRASE).then(|| {
            let hash = self.all_after(chained(self.under, hash_of(WHOLE.as_bytes(), |chunk| chunk)));
            terms.term_of(hash, || format!("{UNDER} {WHOLE} {}", self.words.text));
            terms.end_list(None)
        });
        [Some(single), whole]
    }

    /// Returns the hash of the term that consists of `head` and all words.
    fn all_after(&self, head: u64) -> u64 {
        self.words.hashes.iter().fold(head, |head, &word| chained(head, word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Vocabulary;
    use threshr_html::blocks as block;
    use threshr_html::blocks::Blocks;
    use threshr_html::{Visibility, parse_str};

    #[test]
    fn words_phrases_and_headings_are_found() {
        let doc = parse_str("<h2>Read more</h2><p>Share this 24 times</p>");
        let blocks = Blocks::new(&doc, block::REGISTRY[0], Visibility::Visible);
        let page = PageContext::new(&doc, &blocks);
        let terms = <dyn Learner>::terms(&Words, &page);
        let vocabulary: Vocabulary = serde_json::from_str(
            r#"{"share": -2.0, "00": 1.0, "share this": -3.0, "= read more": -4.0, "under = read more": -5.0, "under more": -1.0}"#,
        )
        .expect("JSON");
        let mut values = vec![0.0; COLUMNS.len() * 2];
        Learner::fill(
            &Words,
            &terms,
            Odds::ById(&vocabulary.resolve(&terms)),
            &mut Grid::new(&mut values, 2),
        );
        let mut by_hash = vec![0.0; COLUMNS.len() * 2];
        <dyn Learner>::fill_page(&Words, &page, &vocabulary, &mut Grid::new(&mut by_hash, 2));
        assert_eq!(by_hash, values);
        let of = |block: usize| -> Vec<f32> { values.iter().skip(block).step_by(2).copied().collect() };
        assert_eq!(of(0), [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -4.0, 0.0, 0.0]);
        assert_eq!(of(1), [-0.5, -1.0, 1.0, -2.0, 0.5, -3.0, 0.0, -1.0, -5.0]);
    }
}
