//! The labels of a page with their reasons, as JSON.

use serde_json::{Value, json};
use threshr_core::Result;
use threshr_extract::{Explanation, Extraction, RawExtraction};
use threshr_html::blocks::Block;
use threshr_html::structure::GroupKind;
use threshr_output::TypeAndQuality;
use threshr_output::units::Unit;

/// Maximum number of characters of a block that the list of blocks shows.
const MAX_TEXT: usize = 600;
/// Maximum number of columns in the explanation of a block.
const MAX_COLUMNS: usize = 40;
/// Maximum number of units, and of posts, of a page that are shown.
const MAX_UNITS: usize = 5_000;
/// A label is doubtful if the distance between score and threshold is below this share of the largest
/// possible distance on the same side of the threshold.
const DOUBTFUL: f32 = 0.4;

/// An extraction as the application shows it.
#[derive(Debug, Clone, Copy)]
pub struct View<'e> {
    extraction: &'e Extraction,
}

impl<'e> View<'e> {
    /// Creates the view of an extraction.
    pub fn new(extraction: &'e Extraction) -> Self {
        View { extraction }
    }

    /// Returns the certainty of a label, from 0 to 1: the normalized distance of the score from the threshold.
    pub fn certainty(self, block: usize) -> f32 {
        let labels = self.extraction.labels();
        let (score, threshold) = (labels.scores[block], labels.threshold);
        let room = if score >= threshold { 1.0 - threshold } else { threshold };
        if room > 0.0 { ((score - threshold).abs() / room).clamp(0.0, 1.0) } else { 1.0 }
    }

    /// Returns whether a person should check a label: the score is near the threshold, or a filter dropped
    /// the block.
    pub fn is_doubtful(self, block: usize) -> bool {
        let labels = self.extraction.labels();
        let is_filtered = labels.scores[block] >= labels.threshold && !labels.kept[block];
        is_filtered || self.certainty(block) < DOUBTFUL
    }

    /// Returns for each block why its label differs from the score: because of its group, or because of a
    /// filter.
    fn reasons(self) -> Vec<Option<&'static str>> {
        let (blocks, labels) = (self.extraction.page_blocks(), self.extraction.labels());
        let is_above = |i: usize| labels.scores[i] >= labels.threshold;
        let by_score = |i: usize| is_above(i) == labels.kept[i];
        let other = |i| {
            if labels.kept[i] {
                "kept by a filter"
            } else {
                "left out by the policy, a filter or a selection"
            }
        };
        let mut reasons: Vec<Option<&'static str>> =
            (0..blocks.len()).map(|i| (!by_score(i)).then(|| other(i))).collect();
        for group in blocks.groups() {
            let range = group.blocks.clone();
            let is_kept = labels.kept[range.clone()].contains(&true);
            let is_whole = labels.kept[range.clone()].iter().all(|&kept| kept == is_kept);
            // If all scores of a group are high but the group is dropped, the reason is a filter.
            let is_mixed = range.clone().any(is_above) && !range.clone().all(is_above);
            if is_whole && (is_kept || is_mixed) {
                let reason = of_group(group.kind, is_kept);
                range.filter(|&i| !by_score(i)).for_each(|i| reasons[i] = Some(reason));
            }
        }
        reasons
    }

    /// Returns the threshold, the predictions for the page, the blocks in document order, and the posts.
    pub fn labels(self, predicted: Option<&TypeAndQuality>) -> Value {
        let quality = predicted.and_then(|page| page.quality);
        json!({
            "threshold": rounded(self.extraction.labels().threshold),
            "page_type": predicted.and_then(TypeAndQuality::page_type),
            "quality": quality.map(|q| {
                json!({ "expected": rounded(q.expected), "low": rounded(q.low), "high": rounded(q.high) })
            }),
            "blocks": self.blocks(),
            "posts": self.posts(),
        })
    }

    fn blocks(self) -> Vec<Value> {
        let (doc, blocks) = (self.extraction.document(), self.extraction.page_blocks());
        let labels = self.extraction.labels();
        let reasons = self.reasons();
        let block = |(index, block): (usize, &Block)| {
            let text: String = blocks.text(index).chars().take(MAX_TEXT).collect();
            let path = doc.path(block.leaf);
            let path: Vec<&str> = path.rsplit('>').take(4).collect();
            let mut value = json!({
                "text": text,
                "letters": blocks.num_chars(index),
                "path": path.into_iter().rev().collect::<Vec<_>>().join(" > "),
                "score": rounded(labels.scores[index]),
                "kept": labels.kept[index],
                "certainty": rounded(self.certainty(index)),
                "doubtful": self.is_doubtful(index),
                "reason": reasons[index],
            });
            if let Some(classes) = &labels.classes {
                value["class"] = json!(classes[index]);
            }
            value
        };
        blocks.iter().enumerate().map(block).collect()
    }

    /// Returns the posts and comments of the page. `depth` is the number of posts that a post indirectly replies
    /// to.
    fn posts(self) -> Vec<Value> {
        let posts = self.extraction.posts();
        let mut depths: Vec<usize> = Vec::new();
        let posts = posts.iter().take(MAX_UNITS).map(|post| {
            let depth = post.parent.and_then(|parent| depths.get(parent)).map_or(0, |depth| depth + 1);
            depths.push(depth);
            let of_blocks = post.blocks.first().map(|&block| self.extraction.page_blocks().text(block));
            json!({
                "kind": post.kind,
                "author": post.author,
                "date": post.date,
                "depth": depth,
                "text": start(post.text.as_deref().or(of_blocks).unwrap_or_default()),
                "blocks": post.blocks,
            })
        });
        posts.collect()
    }

    /// Returns the metadata with their sources, the charset, and the units in document order, each with its
    /// depth.
    ///
    /// # Errors
    /// If the units cannot be built.
    pub fn details(self) -> Result<Value> {
        Ok(json!({
            "metadata": self.extraction.metadata(),
            "encoding": self.extraction.document().encoding(),
            "units": units(&self.extraction.output().units(true)?),
        }))
    }
}

/// Returns the explanation of a block: its outcome, and the columns with the greatest contributions.
pub fn explained(found: &Explanation) -> Value {
    let shown = &found.contributions[..found.contributions.len().min(MAX_COLUMNS)];
    let rest = &found.contributions[shown.len()..];
    json!({
        "outcome": found.outcome,
        "base": found.base,
        "decision": found.decision,
        "columns": shown,
        "num_other": rest.len(),
        "other": rest.iter().map(|c| c.by).sum::<f32>(),
    })
}

/// Rounds a number to three decimal places.
pub fn rounded(number: f32) -> f64 {
    (f64::from(number) * 1e3).round() / 1e3
}

/// Returns the start of a text.
fn start(text: &str) -> String {
    text.chars().take(120).collect()
}

fn units(roots: &[Unit]) -> Vec<Value> {
    let mut todo: Vec<(usize, &Unit)> = roots.iter().rev().map(|unit| (0, unit)).collect();
    let mut shown = Vec::new();
    while let Some((depth, unit)) = todo.pop() {
        if shown.len() == MAX_UNITS {
            break;
        }
        todo.extend(unit.children.iter().rev().map(|child| (depth + 1, child)));
        let kind = serde_json::to_value(&unit.kind).unwrap_or_default();
        shown.push(json!({
            "depth": depth,
            "kind": kind,
            "text": start(&unit.inlines.text),
            "blocks": [unit.blocks.start, unit.blocks.end],
            "score": unit.score.map(rounded),
            "kept": unit.kept,
        }));
    }
    shown
}

/// Returns the reason for the label of a block whose group is kept or dropped as a whole.
fn of_group(kind: GroupKind, is_kept: bool) -> &'static str {
    match (kind, is_kept) {
        (GroupKind::Code, true) => "the whole code block is kept",
        (GroupKind::Code, false) => "the whole code block is left out",
        (GroupKind::Table, true) => "the whole table is kept",
        (GroupKind::Table, false) => "the whole table is left out",
        (GroupKind::Formula, true) => "the whole formula is kept",
        (GroupKind::Formula, false) => "the whole formula is left out",
        (GroupKind::Pair, true) => "the term and its definitions are kept together",
        (GroupKind::Pair, false) => "the term and its definitions are left out together",
        (GroupKind::Title, true) => "the title is kept with its box",
        (GroupKind::Title, false) => "the title is left out with its box",
        (GroupKind::Post, true) => "the whole post is kept",
        (GroupKind::Post, false) => "the whole post is left out",
    }
}
