//! The table of `threshr train --held-out`: what is predicted of held-out training pages.

use std::fmt::Write as _;
use std::io::Write;
use std::path::Path;
use threshr_core::{Error, Result};
use threshr_io::atomic::AtomicFile;
use threshr_train::HeldOutPage;

/// The columns before the probabilities of the types.
const COLUMNS: &str = "set,id,site,page_type,predicted_type,token_f1,quality,quality_low,quality_high";

/// Writes one line of CSV a page. The last columns are the probabilities of the types, by name.
pub(super) fn write(pages: &[HeldOutPage], path: &Path) -> Result<()> {
    let mut types: Vec<&str> = pages.iter().flat_map(|p| &p.page_types).map(|t| t.0.as_str()).collect();
    types.sort_unstable();
    types.dedup();
    let mut out = COLUMNS.to_owned();
    types.iter().for_each(|name| out.extend([",p_", name]));
    out.push('\n');
    for page in pages {
        let predicted = page.page_types.first().map_or("", |t| t.0.as_str());
        let names = [&page.set, &page.id, &page.site, page.page_type.as_deref().unwrap_or(""), predicted];
        let mut fields: Vec<String> = names.iter().map(|name| quoted(name)).collect();
        fields.push(page.token_f1.to_string());
        let quality = page.quality.map(|q| [q.expected, q.low, q.high]);
        fields.extend((0..3).map(|i| quality.map_or(String::new(), |q| q[i].to_string())));
        let probability = |name: &&str| page.page_types.iter().find(|t| t.0 == **name).map(|t| t.1);
        fields.extend(types.iter().map(|t| probability(t).map_or(String::new(), |p| p.to_string())));
        let _ = writeln!(out, "{}", fields.join(","));
    }
    let mut file = AtomicFile::create(path)?;
    file.write_all(out.as_bytes()).map_err(|e| Error::io(path, e))?;
    file.finish()
}

/// A field of CSV, in quotes where it needs them.
fn quoted(field: &str) -> String {
    match field.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", field.replace('"', "\"\"")),
        false => field.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use threshr_extract::page_level::Quality;

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
                "{COLUMNS},p_article,p_forum\n\"a,b\",1,x.example,forum,forum,0.5,0.5,0.25,1,0.25,0.75\n\
                 \"a,b\",1,x.example,,,0.5,,,,,\n"
            )
        );
    }
}
