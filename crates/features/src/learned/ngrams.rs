//! Log-odds of content for n-grams of words, learned from training pages.

use crate::learned::folded::FoldedWords;
use crate::learned::{Learner, Limits, Odds, Terms, TermsBuilder};
use crate::{Column, Family, Grid, PageContext};

/// The family.
pub(crate) struct Ngrams;

const SOURCE: &str = "n-gram language models of FIASCO, StupidOS and HTMLCleaner (CleanEval 2007), Pal 2009; \
    odds by site: threshr";

/// Maximum number of words of a block that are used.
const MAX_WORDS: usize = 120;
/// Lengths of the n-grams. There is one list per length.
const LENGTHS: [usize; 2] = [2, 3];

/// Columns: name, unit, definition.
const COLUMNS: &[(&str, &str, &str)] = &[
    ("sum", "nats", "log-likelihood ratio: sum of the log-odds of the known 2-grams and 3-grams"),
    ("per_word", "nats", "sum of the log-odds of the known 2-grams and 3-grams / number of words read"),
    ("pairs_mean", "nats", "mean log-odds of the known 2-grams"),
    ("triples_mean", "nats", "mean log-odds of the known 3-grams"),
    ("pairs_known", "ratio", "share of the 2-grams that are known"),
    ("triples_known", "ratio", "share of the 3-grams that are known"),
];

impl Family for Ngrams {
    fn name(&self) -> &'static str {
        "ngrams"
    }
    fn summary(&self) -> &'static str {
        "learned: log-likelihood ratio of content and boilerplate by 2-grams and 3-grams of words"
    }
    fn columns(&self) -> Vec<Column> {
        let column = |&(name, unit, what): &(&'static str, _, &str)| Column {
            neighbours: name == "per_word",
            ..Column::new(
                name,
                unit,
                format!(
                    "{what}. The first {MAX_WORDS} words of the block are read. Log-odds of content are \
                     learned from training pages; 0 if nothing is known"
                ),
                SOURCE,
            )
        };
        COLUMNS.iter().map(column).collect()
    }
    /// Returns false, because the family is slow and does not improve a model that uses the family `words`.
    fn is_in_all(&self) -> bool {
        false
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

impl Learner for Ngrams {
    fn limits(&self) -> Limits {
        Limits { min_sites: 6, max_terms: 40_000 }
    }

    fn num_slots(&self) -> usize {
        LENGTHS.len()
    }

    fn collect(&self, page: &PageContext<'_>, terms: &mut TermsBuilder<'_>) {
        let mut first = FoldedWords::new(terms.needs_text(), MAX_WORDS);
        for index in 0..page.len() {
            first.fold(page.blocks.text(index), page.words().block(index));
            let lists = LENGTHS.map(|length| {
                first.runs(length, terms);
                Some(terms.end_list(None))
            });
            terms.block(&lists);
        }
    }

    fn fill(&self, terms: &Terms, odds: Odds<'_>, out: &mut Grid<'_>) {
        for block in 0..terms.num_blocks() {
            let [pairs, triples] = [0, 1].map(|slot| {
                let list = terms.list(block, slot);
                let known = list.iter().map(|&id| odds.of(id)).filter(|o| !o.is_nan());
                let (sum, n) = known.fold((0.0f32, 0.0f32), |(sum, n), o| (sum + o, n + 1.0));
                (sum, n, list.len() as f32)
            });
            let sum = pairs.0 + triples.0;
            let values = [
                sum,
                // the number of words is the number of pairs plus one
                sum / (pairs.2 + 1.0),
                pairs.0 / pairs.1.max(1.0),
                triples.0 / triples.1.max(1.0),
                pairs.1 / pairs.2.max(1.0),
                triples.1 / triples.2.max(1.0),
            ];
            values.iter().enumerate().for_each(|(column, &value)| out.set(column, block, value));
        }
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
    fn known_ngrams_are_summed() {
        let doc = parse_str("<p>You can read all of it here</p><p>Alone");
        let blocks = Blocks::new(&doc, block::REGISTRY[0], Visibility::Visible);
        let page = PageContext::new(&doc, &blocks);
        let vocabulary: Vocabulary =
            serde_json::from_str(r#"{"you can": 1.0, "all of": 3.0, "read all of": -1.0, "alone": 9.0}"#)
                .expect("JSON");
        let mut values = vec![0.0; COLUMNS.len() * 2];
        <dyn Learner>::fill_page(&Ngrams, &page, &vocabulary, &mut Grid::new(&mut values, 2));
        let terms = <dyn Learner>::terms(&Ngrams, &page);
        let mut by_id = vec![0.0; COLUMNS.len() * 2];
        let odds = vocabulary.resolve(&terms);
        Learner::fill(&Ngrams, &terms, Odds::ById(&odds), &mut Grid::new(&mut by_id, 2));
        assert_eq!(by_id, values);
        let of = |block: usize| -> Vec<f32> { values.iter().skip(block).step_by(2).copied().collect() };
        assert_eq!(of(0), [3.0, 3.0 / 7.0, 2.0, -1.0, 2.0 / 6.0, 1.0 / 5.0]);
        assert_eq!(of(1), [0.0; 6]);
    }
}
