//! The table that `threshr train --held-out` writes: predictions for held-out training pages.

use crate::{table, write_file};
use std::collections::BTreeSet;
use std::path::Path;
use threshr_core::Result;
use threshr_train::HeldOutPage;

/// Columns before the probabilities of the page types.
const COLUMNS: [&str; 9] = [
    "set",
    "id",
    "site",
    "page_type",
    "predicted_type",
    "token_f1",
    "quality",
    "quality_low",
    "quality_high",
];

/// Writes CSV with one line per page. The last columns are the probabilities of the page types.
pub(super) fn write(pages: &[HeldOutPage], path: &Path) -> Result<()> {
    let types: BTreeSet<&str> = pages.iter().flat_map(|p| &p.page_types).map(|t| t.0.as_str()).collect();
    let columns = types.iter().map(|name| format!("p_{name}"));
    let head: Vec<String> = COLUMNS.map(str::to_owned).into_iter().chain(columns).collect();
    let row = |page: &HeldOutPage| {
        let probability = |name: &&str| page.page_types.iter().find(|t| t.0 == **name).map(|t| t.1);
        (
            [
                page.set.clone(),
                page.id.clone(),
                page.site.clone(),
                page.page_type.clone().unwrap_or_default(),
            ],
            page.page_types.first().map(|t| t.0.clone()),
            page.token_f1,
            page.quality.map_or([None; 3], |q| [q.expected, q.low, q.high].map(Some)),
            types.iter().map(probability).collect::<Vec<_>>(),
        )
    };
    write_file(path, table::csv(&head, pages.iter().map(row))?.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use threshr_output::Quality;

    #[test]
    fn one_line_a_page() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("pages.csv");
        let page = HeldOutPage {
            set: "a,b".into(),
            id: "1".into(),
            site: "x.example".into(),
            page_type: Some("forum".into()),
            page_types: vec![("forum".into(), 0.75), ("article".into(), 0.25)],
            token_f1: 0.5,
            quality: Some(Quality { expected: 0.5, low: 0.25, high: 1.0 }),
        };
        let other = HeldOutPage { page_type: None, page_types: Vec::new(), quality: None, ..page.clone() };
        write(&[page, other], &path).expect("written");
        let text = std::fs::read_to_string(&path).expect("read");
        assert_eq!(
            text,
            format!(
                "{},p_article,p_forum\n\"a,b\",1,x.example,forum,forum,0.5,0.5,0.25,1.0,0.25,0.75\n\
                 \"a,b\",1,x.example,,,0.5,,,,,\n",
                COLUMNS.join(",")
            )
        );
    }
}
