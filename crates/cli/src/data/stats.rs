//! Statistics of a set.

use crate::table;
use std::collections::BTreeMap;
use threshr_evaluate::report::number;
use threshr_train::Corpus;

/// Formats the numbers of pages, sites, languages and types of a set, the page sizes, and the content
/// shares.
pub(super) fn stats(corpus: &Corpus) -> String {
    let set = &corpus.sets[0];
    let mut rows = Vec::new();
    let mut add = |name: &str, value: String| rows.push(vec![name.to_owned(), value]);
    let pages = &corpus.pages;
    let mut sites: Vec<&str> = pages.iter().map(|p| p.site.as_str()).collect();
    sites.sort_unstable();
    sites.dedup();
    let bytes: usize = pages.iter().map(|p| p.num_bytes).sum();
    let tokens =
        |p: &threshr_train::CorpusPage| p.alignment.num_tokens.iter().map(|&n| u64::from(n)).sum::<u64>();
    let kept = |p: &threshr_train::CorpusPage| -> f64 {
        p.alignment
            .share
            .iter()
            .zip(&p.alignment.num_tokens)
            .map(|(&s, &n)| f64::from(s) * f64::from(n))
            .sum()
    };
    let all: u64 = pages.iter().map(tokens).sum();
    add("sha256", set.sha256.clone());
    add("pages", format!("{}, {} with gold", pages.len(), corpus.with_gold().len()));
    add("sites", sites.len().to_string());
    add("bytes", format!("{bytes}, {:.1} KB a page", bytes as f64 / 1e3 / pages.len().max(1) as f64));
    add("blocks", pages.iter().map(|p| p.blocks.len()).sum::<usize>().to_string());
    add(
        "tokens",
        format!(
            "{all}, content share {}",
            number(pages.iter().map(kept).sum::<f64>() / (all as f64).max(1.0))
        ),
    );
    let mut count = |name: &str, value: &dyn Fn(&threshr_train::CorpusPage) -> Option<String>| {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        pages.iter().filter_map(value).for_each(|v| *counts.entry(v).or_default() += 1);
        let list: Vec<String> = counts.iter().map(|(k, n)| format!("{k} {n}")).collect();
        if !list.is_empty() {
            add(name, list.join(", "));
        }
    };
    count("languages", &|p| p.lang.clone());
    count("page types", &|p| p.page_type.clone());
    count("read as", &|p| Some(p.doc.encoding().to_owned()));
    format!("{}\n{}\n", set.name, table::plain(&["", ""], &rows, 2).trim_start_matches([' ', '\n']))
}
