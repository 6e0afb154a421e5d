//! `threshr predict --explain`: what moved the score of each block.

use crate::error::{Error, Result};
use crate::page::Document;
use crate::pipeline::{Explanation, Fate, Pipeline, PredictOptions, Prediction};
use std::fmt::Write;

/// Columns shown of each block.
const MOST_COLUMNS: usize = 10;
/// Characters shown of each block.
const MOST_CHARS: usize = 70;

/// The blocks that `--explain` asks for; `None` for all.
pub fn blocks(text: &str) -> Result<Option<Vec<usize>>> {
    if text == "all" {
        return Ok(None);
    }
    let read = |n: &str| {
        let wrong = || {
            Error::recipe(format!("`{n}` is no block")).expected("numbers such as 0,3 (see --format blocks)")
        };
        n.trim().parse().map_err(|_| wrong())
    };
    text.split(',').map(read).collect::<Result<Vec<_>>>().map(Some)
}

/// Explains blocks of a page.
pub fn page(
    id: &str,
    doc: &Document,
    pipeline: &Pipeline,
    options: &PredictOptions,
    blocks: Option<&[usize]>,
) -> Result<String> {
    let (prediction, explanations) = pipeline.explain(doc, options, blocks)?;
    let mut out = String::new();
    explanations.iter().for_each(|e| write_block(&mut out, id, &prediction, e));
    Ok(out)
}

fn write_block(out: &mut String, id: &str, prediction: &Prediction, explanation: &Explanation) {
    let block = explanation.block;
    let text: String = prediction.blocks.text(block).chars().take(MOST_CHARS).collect();
    let label = match &explanation.fate {
        Fate::Kept => "content".to_owned(),
        Fate::BelowLeast => "boilerplate".to_owned(),
        Fate::Dropped(filter) => format!("boilerplate by filter {filter}"),
    };
    let rest: f32 = explanation.moves.iter().skip(MOST_COLUMNS).map(|m| m.by).sum();
    // writing to a string cannot fail
    let _ = writeln!(
        out,
        "{id} block {block}: {label}, score {:.3} where the page's least is {:.3}, decision value {:+.2} from {:+.2}: {}",
        prediction.scores[block],
        prediction.least_score,
        explanation.decision,
        explanation.base,
        text.replace('\n', " ")
    );
    for m in explanation.moves.iter().take(MOST_COLUMNS) {
        let _ = writeln!(out, "    {:+.3}  {} = {}", m.by, m.column, m.value);
    }
    if explanation.moves.len() > MOST_COLUMNS {
        let _ = writeln!(out, "    {rest:+.3}  {} other columns", explanation.moves.len() - MOST_COLUMNS);
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
