//! Measures the agreement of two annotators.

use crate::annotations::{Label, Record, State, carry_over};
use std::collections::BTreeMap;

/// The agreement of two annotators over the pages that both have completed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Agreement {
    /// Number of pages that both annotators have completed.
    pub num_pages: usize,
    /// Number of blocks on these pages that both annotators have labelled.
    pub num_blocks: usize,
    /// Number of letters and digits in these blocks.
    pub num_letters: u64,
    /// Number of blocks of the first annotator for which the second annotator has no label. They are not compared.
    pub num_unmatched: usize,
    /// Agreement between content and non-content, see [`Label::is_content`]. Blocks that an annotator labelled
    /// unsure are ignored.
    pub binary: Kappa,
    /// Agreement on all labels.
    pub classes: Kappa,
    /// The blocks with two different labels, page by page.
    pub disagreements: Vec<Disagreement>,
}

/// Cohen's kappa: 1 if two annotators always agree, 0 if they agree as often as expected by chance. `None` if
/// there are no blocks, or if both annotators used only one and the same label.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Kappa {
    /// Kappa with equal weights for all blocks.
    pub by_block: Option<f64>,
    /// Kappa in which a block is weighted by its number of letters and digits.
    pub by_letter: Option<f64>,
}

/// A block that two annotators labelled differently.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disagreement {
    /// The page.
    pub id: String,
    /// The text of the block.
    pub text: String,
    /// The label of the first annotator.
    pub a: Label,
    /// The label of the second annotator.
    pub b: Label,
}

/// Compares the labels of the annotators `a` and `b`. If there are several records for a page and an annotator, the
/// last one is used. The labels of `b` are carried over to the blocks of `a`, see [`carry_over`].
pub fn agreement<'r>(records: impl IntoIterator<Item = &'r Record>, a: &str, b: &str) -> Agreement {
    let mut pages: BTreeMap<&str, [Option<&Record>; 2]> = BTreeMap::new();
    for record in records {
        for (side, name) in [a, b].into_iter().enumerate() {
            if record.annotator == name {
                pages.entry(&record.id).or_default()[side] = Some(record);
            }
        }
    }
    let mut found = Agreement::default();
    let (mut binary, mut classes) = (Counts::<2>::default(), Counts::<{ Label::ALL.len() }>::default());
    for [first, second] in pages.into_values() {
        let (Some(first), Some(second)) = (first, second) else { continue };
        if [first, second].iter().any(|record| record.state != State::Done) {
            continue;
        }
        found.num_pages += 1;
        let blocks: Vec<_> = first.labels.iter().map(|l| (l.source.clone(), l.text.as_str())).collect();
        for (block, other) in first.labels.iter().zip(carry_over(second, &first.sha256, &blocks)) {
            let Some(other) = other else {
                found.num_unmatched += 1;
                continue;
            };
            let num_letters = block.text.chars().filter(|c| c.is_alphanumeric()).count() as u64;
            found.num_blocks += 1;
            found.num_letters += num_letters;
            classes.add([block.label as usize, other as usize], num_letters);
            if let (Some(x), Some(y)) = (block.label.is_content(), other.is_content()) {
                binary.add([usize::from(x), usize::from(y)], num_letters);
            }
            if block.label != other {
                found.disagreements.push(Disagreement {
                    id: first.id.clone(),
                    text: block.text.clone(),
                    a: block.label,
                    b: other,
                });
            }
        }
    }
    (found.binary, found.classes) = (binary.kappa(), classes.kappa());
    found
}

/// Contingency table of two annotators with `N` labels.
struct Counts<const N: usize> {
    /// Number of blocks, by the first and the second label.
    blocks: [[u64; N]; N],
    /// Number of letters and digits in these blocks.
    letters: [[u64; N]; N],
}

impl<const N: usize> Default for Counts<N> {
    fn default() -> Self {
        Counts { blocks: [[0; N]; N], letters: [[0; N]; N] }
    }
}

impl<const N: usize> Counts<N> {
    fn add(&mut self, [a, b]: [usize; 2], num_letters: u64) {
        self.blocks[a][b] += 1;
        self.letters[a][b] += num_letters;
    }

    fn kappa(&self) -> Kappa {
        Kappa { by_block: kappa(&self.blocks), by_letter: kappa(&self.letters) }
    }
}

/// Cohen's kappa of a square contingency table: chance-corrected agreement, at most 1. `None` if the table is
/// empty, or if both annotators used only one and the same label, because the expected agreement by chance is
/// then 1.
pub fn kappa<const N: usize>(counts: &[[u64; N]; N]) -> Option<f64> {
    let total: u64 = counts.iter().flatten().sum();
    let total = total as f64;
    let row = |i: usize| counts[i].iter().sum::<u64>() as f64 / total;
    let column = |i: usize| counts.iter().map(|row| row[i]).sum::<u64>() as f64 / total;
    let agreed = (0..N).map(|i| counts[i][i]).sum::<u64>() as f64 / total;
    let by_chance: f64 = (0..N).map(|i| row(i) * column(i)).sum();
    let kappa = (agreed - by_chance) / (1.0 - by_chance);
    kappa.is_finite().then_some(kappa)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::annotations::{BlockLabel, By, hash, now};

    #[test]
    fn kappa_is_as_in_the_textbook() {
        // 50 grant applications, two readers: agreement 0.7, expected by chance 0.5
        assert!(kappa(&[[20, 5], [10, 15]]).is_some_and(|k| (k - 0.4).abs() < 1e-12));
        assert_eq!(kappa(&[[3, 0], [0, 4]]), Some(1.0));
        assert_eq!(kappa(&[[0, 2], [2, 0]]), Some(-1.0));
        assert_eq!((kappa(&[[5, 0], [0, 0]]), kappa(&[[0, 0], [0, 0]])), (None, None));
    }

    #[test]
    fn two_annotators_are_compared_on_the_pages_that_both_have_done() {
        let record = |id: &str, annotator: &str, state: State, labels: &[(&str, Label)]| Record {
            id: id.to_owned(),
            url: None,
            sha256: hash(id.as_bytes()),
            annotator: annotator.to_owned(),
            time: now(),
            state,
            model: None,
            labels: labels
                .iter()
                .map(|(text, label)| BlockLabel {
                    source: None,
                    text: (*text).to_owned(),
                    label: *label,
                    by: By::Person,
                })
                .collect(),
        };
        let (content, boilerplate, headline, unsure) =
            (Label::Content, Label::Boilerplate, Label::Headline, Label::Unsure);
        let first = [
            ("Rain", headline),
            ("Menu", boilerplate),
            ("Long rain", content),
            ("End", unsure),
            ("Own", content),
        ];
        let second = [("Rain", content), ("Menu", boilerplate), ("Long rain", content), ("End", boilerplate)];
        let records = [
            record("1", "ada", State::Draft, &[]),
            record("1", "ada", State::Done, &first),
            record("1", "bob", State::Done, &second),
            record("1", "eve", State::Done, &[]),
            record("2", "ada", State::Done, &first),
            record("2", "bob", State::Draft, &second),
            record("3", "ada", State::Done, &first),
        ];
        let found = agreement(&records, "ada", "bob");
        assert_eq!(
            (found.num_pages, found.num_blocks, found.num_letters, found.num_unmatched),
            (1, 4, 19, 1)
        );
        assert_eq!(found.binary, Kappa { by_block: Some(1.0), by_letter: Some(1.0) });
        let texts: Vec<_> = found.disagreements.iter().map(|d| (d.text.as_str(), d.a, d.b)).collect();
        assert_eq!(texts, [("Rain", headline, content), ("End", unsure, boilerplate)]);
        // agreement 2/4; expected by chance (1 * 2 + 1 * 2) / 16
        assert!(found.classes.by_block.is_some_and(|k| (k - 1.0 / 3.0).abs() < 1e-12), "{:?}", found.classes);
        assert_eq!(agreement(&records, "ada", "nobody"), Agreement::default());
    }
}
