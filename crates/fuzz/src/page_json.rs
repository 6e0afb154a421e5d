//! Checks of units and of JSON rows.

use crate::page_formats::written;
use serde_json::Value;
use std::ops::Range;
use threshr_output::formats::PageOutput;
use threshr_output::units::{Unit, walk};

/// Checks that a row is one line of JSON and contains the text of the page.
pub(crate) fn check_row(output: &PageOutput<'_>, text: &str) {
    let line = written(output, "jsonl");
    assert!(line.ends_with('\n') && !line.trim_end_matches('\n').contains('\n'), "not one line: {line}");
    let row: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
    assert_eq!(row["text"], text, "the row has another text");
    assert_eq!(row["markdown"].is_string(), output.added.markdown);
    assert_eq!(row["metadata"].is_object(), output.added.metadata);
    assert_eq!(row["units"].is_array(), output.added.units);
    if output.added.units {
        let mut num_units = 0;
        walk(&output.units(true).expect("within the limit"), &mut |_| num_units += 1);
        assert_eq!(count(&row["units"]), num_units, "units are missing in JSON");
    }
}

/// Checks that source ranges of units are inside the page, and that ranges within units are inside their
/// text.
pub(crate) fn check_units(output: &PageOutput<'_>, page: &str) {
    let units = output.units(true).expect("within the limit");
    walk(&units, &mut |unit| check_unit(unit, output, page));
}

/// Returns the number of units in JSON.
fn count(units: &Value) -> usize {
    units.as_array().into_iter().flatten().map(|unit| 1 + count(&unit["children"])).sum()
}

fn check_unit(unit: &Unit, output: &PageOutput<'_>, page: &str) {
    if let Some(source) = &unit.source {
        assert!(page.get(source.clone()).is_some(), "the source {source:?} is not in the page: {unit:?}");
    }
    let blocks = unit.blocks.clone();
    assert!(blocks.start <= blocks.end && blocks.end <= output.blocks.len(), "blocks {blocks:?}");
    assert!(unit.score.is_none_or(|score| (0.0..=1.0).contains(&score)), "score {:?}", unit.score);
    let text = &unit.inlines.text;
    let is_part = |range: &Range<usize>| text.get(range.clone()).is_some();
    let mut end = 0;
    for run in &unit.inlines.runs {
        assert!(is_part(&run.text) && run.text.start == end, "runs are not the text: {:?}", unit.inlines);
        end = run.text.end;
    }
    assert!(end == text.len() || unit.inlines.runs.is_empty(), "runs are not the text: {:?}", unit.inlines);
    for atom in &unit.inlines.atoms {
        assert!(is_part(&atom.text), "{atom:?} in {text:?}");
    }
}
