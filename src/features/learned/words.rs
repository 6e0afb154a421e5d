//! Words that training pages show to be those of content or of boilerplate.

use super::super::{Column, Family, Grid, PageContext, Word};
use super::{Learner, Limits, Terms, TermsBuilder};
use crate::page::Tag;

/// The family.
pub(in super::super) struct Words;

const SOURCE: &str =
    "keywords of FIASCO and of StupidOS's n-gram models (CleanEval 2007); odds by site: threshr";

/// Words looked at in a block: what tells boilerplate stands at its begin.
const MOST_WORDS: usize = 24;
/// Most words of a block whose pairs are looked at.
const MOST_WORDS_PAIRS: usize = 12;
/// Most words of a block that is looked at as a whole.
const MOST_WORDS_PHRASE: usize = 6;
/// Blocks that a heading reaches down to.
const HEADING_REACH: usize = 60;

/// Lists of a block: words, pairs, the whole text, words and whole text of the heading above.
const SLOTS: usize = 5;

/// Columns in order: name and definition.
const COLUMNS: &[(&str, &str)] = &[
    ("mean", "mean log-odds of the known words among the first 24"),
    ("sum", "their sum"),
    ("max", "the greatest"),
    ("min", "the least"),
    ("known_share", "share of known words among the first 24 (a ratio)"),
    ("pairs", "sum of the log-odds of known pairs of adjacent words, in blocks of at most 12 words"),
    ("phrase", "log-odds of the whole text, in blocks of at most 6 words"),
    ("heading_mean", "mean log-odds, for what stands below, of the known words of the last heading above"),
    ("heading_phrase", "log-odds, for what stands below, of the whole text of the last heading above"),
];

impl Family for Words {
    fn name(&self) -> &'static str {
        "words"
    }
    fn summary(&self) -> &'static str {
        "learned: what a block's words and the heading above it say of it on other sites"
    }
    fn columns(&self) -> Vec<Column> {
        let column = |&(name, what): &(&'static str, &str)| Column {
            neighbours: matches!(name, "mean" | "phrase"),
            ..Column::of(
                name,
                if name == "known_share" { "ratio" } else { "nats" },
                format!("{what}; log-odds of content learned from training pages; 0 where nothing is known"),
                SOURCE,
            )
        };
        COLUMNS.iter().map(column).collect()
    }
    /// Without a vocabulary every column is 0.
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
        let mut first = FirstWords::default();
        for index in 0..page.len() {
            let words = page.words.block(index);
            first.fold(page.blocks.text(index), words);
            let own = first.lists(words.len(), terms);
            let above = heading.filter(|(at, _)| index - at <= HEADING_REACH).map_or([None; 2], |h| h.1);
            terms.block(&[own[0], own[1], own[2], above[0], above[1]]);
            if page.is_in(index, Tag::is_heading) {
                heading = Some((index, first.lists_under(words.len(), terms)));
            }
        }
    }

    fn fill(&self, terms: &Terms, odds: &[f32], out: &mut Grid<'_>) {
        let known = |block, slot| {
            let all = terms.list(block, slot).iter().map(|&id| odds[id as usize]);
            all.filter(|o: &f32| !o.is_nan())
        };
        for block in 0..terms.num_blocks() {
            let (mut sum, mut max, mut min, mut n) = (0.0f32, 0.0f32, 0.0f32, 0.0f32);
            for odds in known(block, 0) {
                (sum, max, min, n) = (sum + odds, max.max(odds), min.min(odds), n + 1.0);
            }
            let len = terms.list(block, 0).len().max(1) as f32;
            let (under, num_under) = known(block, 3).fold((0.0, 0.0f32), |(s, n), o| (s + o, n + 1.0));
            let values = [
                sum / n.max(1.0),
                sum,
                max,
                min,
                n / len,
                known(block, 1).sum(),
                known(block, 2).sum(),
                under / num_under.max(1.0),
                known(block, 4).sum(),
            ];
            values.iter().enumerate().for_each(|(column, &value)| out.set(column, block, value));
        }
    }
}

/// The first words of a block, lower-case, digits as 0, with a space between.
#[derive(Default)]
struct FirstWords {
    /// Begins with [`WHOLE`].
    text: String,
    /// Where each stands in it.
    at: Vec<(usize, usize)>,
    scratch: String,
}

/// Before the whole text of a block, and before what is said of blocks under a heading.
const WHOLE: &str = "= ";
const UNDER: &str = "under ";
/// Most characters of a word.
const MOST_CHARS: usize = 20;

impl FirstWords {
    fn fold(&mut self, text: &str, words: &[Word]) {
        self.text.clear();
        self.text.push_str(WHOLE);
        self.at.clear();
        for word in words.iter().take(MOST_WORDS) {
            if !self.at.is_empty() {
                self.text.push(' ');
            }
            let start = self.text.len();
            let word = word.of(text);
            let digit_as_0 = |c: char| if c.is_numeric() { '0' } else { c };
            if word.is_ascii() {
                let folded = word.bytes().map(|b| digit_as_0(b.to_ascii_lowercase() as char));
                self.text.extend(folded.take(MOST_CHARS));
            } else {
                let folded = word.chars().flat_map(char::to_lowercase);
                self.text.extend(folded.map(digit_as_0).take(MOST_CHARS));
            }
            self.at.push((start, self.text.len()));
        }
    }

    /// Lists of words, of pairs and of the whole text.
    fn lists(&self, num_words: usize, terms: &mut TermsBuilder<'_>) -> [Option<u32>; 3] {
        if self.at.is_empty() {
            return [None; 3];
        }
        self.at.iter().for_each(|&(start, end)| terms.term(&self.text[start..end]));
        let single = terms.end_list(None);
        let pairs = (num_words <= MOST_WORDS_PAIRS && self.at.len() > 1).then(|| {
            self.at.windows(2).for_each(|w| terms.term(&self.text[w[0].0..w[1].1]));
            terms.end_list(None)
        });
        let whole = (num_words <= MOST_WORDS_PHRASE).then(|| {
            terms.term(&self.text);
            terms.end_list(None)
        });
        [Some(single), pairs, whole]
    }

    /// Lists of words and of the whole text for what stands under them.
    fn lists_under(&mut self, num_words: usize, terms: &mut TermsBuilder<'_>) -> [Option<u32>; 2] {
        if self.at.is_empty() {
            return [None; 2];
        }
        let mut under = |term: &str, terms: &mut TermsBuilder<'_>| {
            self.scratch.clear();
            self.scratch.push_str(UNDER);
            self.scratch.push_str(term);
            terms.term(&self.scratch);
        };
        self.at.iter().for_each(|&(start, end)| under(&self.text[start..end], terms));
        let single = terms.end_list(None);
        let whole = (num_words <= MOST_WORDS_PHRASE).then(|| {
            under(&self.text, terms);
            terms.end_list(None)
        });
        [Some(single), whole]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::{self, Blocks};
    use crate::features::Vocabulary;
    use crate::page::{Visibility, parse_str};

    #[test]
    fn words_phrases_and_headings_are_found() {
        let doc = parse_str("<h2>Read more</h2><p>Share this 24 times</p>");
        let blocks = Blocks::of(&doc, block::REGISTRY[0], Visibility::Visible);
        let page = PageContext::new(&doc, &blocks);
        let terms = <dyn Learner>::terms(&Words, &page);
        let vocabulary: Vocabulary = serde_json::from_str(
            r#"{"share": -2.0, "00": 1.0, "share this": -3.0, "= read more": -4.0, "under = read more": -5.0, "under more": -1.0}"#,
        )
        .expect("JSON");
        let mut values = vec![0.0; COLUMNS.len() * 2];
        Learner::fill(&Words, &terms, &vocabulary.resolve(&terms), &mut Grid::new(&mut values, 2));
        let of = |block: usize| -> Vec<f32> { values.iter().skip(block).step_by(2).copied().collect() };
        assert_eq!(of(0), [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -4.0, 0.0, 0.0]);
        assert_eq!(of(1), [-0.5, -1.0, 1.0, -2.0, 0.5, -3.0, 0.0, -1.0, -5.0]);
    }
}
