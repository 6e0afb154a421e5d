//! `threshr predict --explain`: the contribution of each column to the score of a block.

use std::fmt::Write;
use threshr_core::{Error, Result};
use threshr_extract::RawExtraction;
use threshr_extract::decision::Outcome;
use threshr_extract::{Explanation, Extraction};
use threshr_page::threads::PartKind;

/// Maximum number of columns that are shown for each block.
const MAX_COLUMNS: usize = 10;
/// Prefix of the column names in contributions of a site correction.
const OF_SITE: &str = "site: ";
/// Maximum number of characters of a block that are shown.
const MAX_CHARS: usize = 70;

/// Parses the block indices of `--explain`. Returns `None` for all blocks.
pub(super) fn blocks(text: &str) -> Result<Option<Vec<usize>>> {
    if text == "all" {
        return Ok(None);
    }
    let read = |n: &str| {
        let wrong = || {
            Error::invalid_option(format!("invalid block number `{n}`"))
                .expected("numbers such as 0,3 (see --format blocks)")
        };
        n.trim().parse().map_err(|_| wrong())
    };
    text.split(',').map(read).collect::<Result<Vec<_>>>().map(Some)
}

/// Formats the explanations of the blocks of a page as text.
pub(super) fn page(id: &str, extraction: &Extraction, explanations: &[Explanation]) -> String {
    let mut out = String::new();
    explanations.iter().for_each(|e| write_block(&mut out, id, extraction, e));
    out
}

fn write_block(out: &mut String, id: &str, extraction: &Extraction, explanation: &Explanation) {
    let block = explanation.block;
    let text: String = extraction.page_blocks().text(block).chars().take(MAX_CHARS).collect();
    let label = match &explanation.outcome {
        Outcome::Kept => "content".to_owned(),
        Outcome::BelowThreshold => "boilerplate".to_owned(),
        Outcome::LeftOut => "boilerplate, left out by the policy".to_owned(),
        Outcome::BesidePost => "boilerplate in a post".to_owned(),
        Outcome::Outside => "boilerplate outside --select".to_owned(),
        Outcome::Dropped(filter) => format!("boilerplate by filter {filter}"),
    };
    let part = explanation.part.map(|(kind, post)| format!(", {} {post}", of_post(kind))).unwrap_or_default();
    let rest: f32 = explanation.contributions.iter().skip(MAX_COLUMNS).map(|m| m.by).sum();
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        "{id} block {block}: {label}{part}, score {:.3}, threshold {:.3}, decision value {:+.2}, base {:+.2}: {}",
        extraction.labels().scores[block],
        extraction.labels().threshold,
        explanation.decision,
        explanation.base,
        text.replace('\n', " ")
    );
    for m in explanation.contributions.iter().take(MAX_COLUMNS) {
        let _ = writeln!(out, "    {:+.3}  {} = {}", m.by, m.column, m.value);
    }
    if explanation.contributions.len() > MAX_COLUMNS {
        let _ =
            writeln!(out, "    {rest:+.3}  {} other columns", explanation.contributions.len() - MAX_COLUMNS);
    }
    let of_site = || explanation.contributions.iter().filter(|m| m.column.starts_with(OF_SITE));
    if of_site().next().is_some() {
        let sum: f32 = of_site().map(|m| m.by).sum();
        let _ = writeln!(out, "    {sum:+.3}  the site correction, which is part of the columns above");
    }
}

fn of_post(kind: PartKind) -> &'static str {
    match kind {
        PartKind::Text => "text of post",
        PartKind::Mark => "author or date of post",
        PartKind::Beside => "part of post outside its text",
    }
}

#[cfg(test)]
mod tests {
    use super::blocks;

    #[test]
    fn blocks_are_read() {
        assert_eq!(blocks("all").expect("all"), None);
        assert_eq!(blocks("0, 3").expect("two"), Some(vec![0, 3]));
        assert!(blocks("x").is_err() && blocks("").is_err());
    }
}
