//! Measures how well gold and blocks of a set agree, and gives a verdict.

use crate::table;
use threshr::registries;
use threshr_core::{Error, Result};
use threshr_evaluate::metrics;
use threshr_evaluate::report::number;
use threshr_evaluate::{Entry, Kind, run_system, score};
use threshr_extract::baseline::SystemChoice;
use threshr_extract::filters::FilterChoice;
use threshr_extract::model::SetInfo;
use threshr_extract::recipe::Recipe;
use threshr_sets::gold;
use threshr_train::{Corpus, CorpusPage};

/// Agreement between the gold and the blocks of a set.
pub(super) struct Checked {
    /// Cells of the table row.
    pub row: Vec<String>,
    pub oracle: f64,
    /// The reason why the gold is wrong, if it is.
    pub error: Option<Error>,
    /// Index and oracle token F1 of each page with gold.
    pages: Vec<(usize, f64)>,
}

/// Above these shares of gold tokens that are in no block, gold is wrong or doubtful.
const WRONG: f64 = 0.5;
const DOUBTFUL: f64 = 0.1;
/// Below this oracle token F1, gold is doubtful.
const LEAST_ORACLE: f64 = 0.9;
/// Above this floor (token F1 of keeping everything), pages are assumed to have no boilerplate.
const HIGH_FLOOR: f64 = 0.9995;

/// Measures how well gold and blocks of a set agree.
pub(super) fn check(corpus: &Corpus) -> Result<Checked> {
    let pages = corpus.with_gold();
    if pages.is_empty() {
        return Err(gold::no_gold(&corpus.sets[0].name));
    }
    let metrics = metrics::by_names(&["token"])?;
    let none = FilterChoice::default();
    let run = |name: &str| -> Result<_> {
        let outcomes = run_system(
            &SystemChoice::parse(name, &registries().systems)?,
            corpus,
            &pages,
            &Recipe::default(),
        )?;
        let entry = Entry { name: name.into(), filter: none.name(), kind: Kind::Bound, outcomes };
        Ok(score(corpus, &pages, &entry, &entry.outcomes.iter().collect::<Vec<_>>(), &metrics, 0))
    };
    let (floor, oracle) = (run("keep-everything")?, run("oracle")?);
    let f1 = floor.summaries.iter().position(|s| s.column == "token_f1").unwrap_or_default();
    let (f, o) = (&floor.summaries[f1], &oracle.summaries[f1]);
    let num_blocks: usize = corpus.pages.iter().map(|p| p.blocks.len()).sum();
    let num_content: usize = corpus.pages.iter().map(|p| p.labels.iter().filter(|&&l| l).count()).sum();
    let measured = Measured::new(corpus, &pages, f.mean, o.mean);
    let error = measured.error().map(|e| e.at_path(&corpus.sets[0].name));
    let row = vec![
        corpus.sets[0].name.clone(),
        corpus.pages.len().to_string(),
        pages.len().to_string(),
        num_blocks.to_string(),
        number(num_content as f64 / num_blocks.max(1) as f64),
        format!("{:.4}", measured.unaligned()),
        format!("{:.4}", f.mean),
        format!("{:.4}", o.mean),
        format!("{:.4}–{:.4}", o.ci_low, o.ci_high),
        if error.is_some() { "wrong".to_owned() } else { measured.verdict() },
    ];
    let of_pages = pages.iter().zip(&oracle.pages).map(|(&p, s)| (p, s.values[f1])).collect();
    Ok(Checked { row, oracle: o.mean, error, pages: of_pages })
}

/// Returns a message for each set whose gold is doubtful or wrong. The verdicts are those of `data check`.
pub(crate) fn doubts(corpus: &Corpus) -> Vec<String> {
    let pages = corpus.with_gold();
    let of_set = |(index, set): (usize, &SetInfo)| {
        let pages: Vec<usize> = pages.iter().copied().filter(|&p| corpus.pages[p].set == index).collect();
        let mean = |kept: fn(&CorpusPage) -> Vec<bool>| {
            let f1 = |&p: &usize| corpus.pages[p].alignment.token_prf(&kept(&corpus.pages[p]))[2];
            pages.iter().map(f1).sum::<f64>() / pages.len().max(1) as f64
        };
        let (floor, oracle) = (mean(|page| vec![true; page.labels.len()]), mean(|page| page.labels.clone()));
        let measured = Measured::new(corpus, &pages, floor, oracle);
        let reason = match measured.error() {
            _ if pages.is_empty() => return None,
            Some(error) => format!("wrong: {error}"),
            None => measured.verdict(),
        };
        (reason != GOOD).then(|| {
            format!("the gold of {} is {reason}; `threshr data check --worst 10` shows pages", set.name)
        })
    };
    corpus.sets.iter().enumerate().filter_map(of_set).collect()
}

/// The verdict on gold without doubts.
const GOOD: &str = "good";

/// Maximum number of pages that a verdict names.
const MOST_NAMED: usize = 3;

/// Measurements on which the verdict depends.
struct Measured {
    num_gold: f64,
    num_unaligned: f64,
    /// Number of pages whose gold is empty.
    num_empty: usize,
    /// Ids of the pages whose gold contains HTML tags.
    tagged: Vec<String>,
    num_pages: usize,
    floor: f64,
    oracle: f64,
}

/// Returns whether the gold of a page has end tags that are not in the text of the page. A page about HTML
/// may show tags in its text.
fn has_tags(page: &CorpusPage) -> bool {
    let text = &page.blocks.text;
    page.gold.as_deref().is_some_and(|gold| end_tags(gold).any(|tag| !text.contains(tag)))
}

/// Returns the end tags in a text, such as `</p>`, with entities or without: `&lt;/p&gt;`.
fn end_tags(text: &str) -> impl Iterator<Item = &str> {
    ["</", "&lt;/"].into_iter().flat_map(move |open| {
        text.match_indices(open).filter_map(move |(start, _)| {
            let name = &text[start + open.len()..];
            let length = name.find(|c: char| !c.is_ascii_alphanumeric()).filter(|&length| length > 0)?;
            let close = [">", "&gt;"].into_iter().find(|close| name[length..].starts_with(close))?;
            name.starts_with(|c: char| c.is_ascii_alphabetic())
                .then(|| &text[start..start + open.len() + length + close.len()])
        })
    })
}

impl Measured {
    fn new(corpus: &Corpus, pages: &[usize], floor: f64, oracle: f64) -> Self {
        let sum = |value: fn(&threshr_train::Alignment) -> u32| -> f64 {
            pages.iter().map(|&p| f64::from(value(&corpus.pages[p].alignment))).sum()
        };
        Measured {
            num_gold: sum(|a| a.num_gold_tokens),
            num_unaligned: sum(|a| a.num_unaligned),
            num_empty: pages.iter().filter(|&&p| corpus.pages[p].alignment.num_gold_tokens == 0).count(),
            tagged: pages
                .iter()
                .map(|&p| &corpus.pages[p])
                .filter(|page| has_tags(page))
                .map(|page| page.id.clone())
                .collect(),
            num_pages: pages.len(),
            floor,
            oracle,
        }
    }

    fn unaligned(&self) -> f64 {
        self.num_unaligned / self.num_gold.max(1.0)
    }

    /// Returns the reason why the gold is wrong, if it is.
    fn error(&self) -> Option<Error> {
        if self.num_gold == 0.0 {
            return Some(
                Error::data(format!("the gold of all {} pages is empty", self.num_pages))
                    .expected("gold texts, or labels of content in the pages"),
            );
        }
        (self.unaligned() > WRONG).then(|| {
            Error::data(format!("{:.0} % of the gold is not on its page", 100.0 * self.unaligned()))
                .expected("gold texts that occur in their pages; check the format, the charset, and the assignment of texts to pages")
        })
    }

    /// Returns one word: good or doubtful. If doubtful, the reasons follow.
    fn verdict(&self) -> String {
        let mut doubts = Vec::new();
        if self.unaligned() > DOUBTFUL {
            doubts.push(format!("{:.0} % of the gold is not on its page", 100.0 * self.unaligned()));
        }
        if self.oracle < LEAST_ORACLE {
            doubts.push(format!(
                "the best choice of blocks has token F1 {:.2}, below {LEAST_ORACLE}: some blocks are only partly content, or the gold words differ from those of the page",
                self.oracle
            ));
        }
        if self.floor > HIGH_FLOOR {
            doubts.push("nothing is boilerplate".to_owned());
        }
        if self.num_empty > 0 {
            doubts.push(format!("{} of {} gold texts are empty", self.num_empty, self.num_pages));
        }
        if !self.tagged.is_empty() {
            let named: Vec<&str> = self.tagged.iter().take(MOST_NAMED).map(String::as_str).collect();
            let more = if self.tagged.len() > MOST_NAMED { ", …" } else { "" };
            doubts.push(format!(
                "{} of {} gold texts contain HTML tags (pages {}{more})",
                self.tagged.len(),
                self.num_pages,
                named.join(", ")
            ));
        }
        if doubts.is_empty() { GOOD.to_owned() } else { format!("doubtful: {}", doubts.join(", ")) }
    }
}

/// Formats a table of pages: first those with empty or tagged gold, then those with the lowest oracle token F1.
pub(super) fn worst_pages(corpus: &Corpus, checked: &Checked, num: usize) -> String {
    if num == 0 {
        return String::new();
    }
    let pages = checked.pages.clone();
    let mark = |p: usize| match &corpus.pages[p] {
        page if page.alignment.num_gold_tokens == 0 => "empty",
        page if has_tags(page) => "tags",
        _ => "",
    };
    // Pages without gold words and pages with tags come first, because their gold is wrong.
    let mut pages: Vec<_> = pages.into_iter().map(|(p, f1)| (mark(p), p, f1)).collect();
    pages.sort_by(|a, b| a.0.is_empty().cmp(&b.0.is_empty()).then(a.2.total_cmp(&b.2)));
    let row = |&(mark, p, f1): &(&str, usize, f64)| {
        let page = &corpus.pages[p];
        let a = &page.alignment;
        vec![
            page.id.clone(),
            format!("{f1:.4}"),
            a.num_gold_tokens.to_string(),
            a.num_unaligned.to_string(),
            page.blocks.len().to_string(),
            mark.to_owned(),
            page.url.clone().unwrap_or_default(),
        ]
    };
    let rows: Vec<_> = pages.iter().take(num).map(row).collect();
    format!(
        "\n{}\n{}",
        corpus.sets[0].name,
        table::plain(&["page", "oracle F1", "gold tokens", "unaligned", "blocks", "gold", "url"], &rows, 1)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn end_tags_are_found() {
        let found = |text| end_tags(text).collect::<Vec<_>>();
        assert_eq!(found("<p>a</p><h1 class=x>b</h1>\n</DIV>"), ["</p>", "</h1>", "</DIV>"]);
        assert_eq!(found("&lt;p&gt;a&lt;/p&gt;"), ["&lt;/p&gt;"]);
        for text in ["a </ b", "a < b > c", "</>", "</p", "</1>", "x</", "<- </- >", "and/or"] {
            assert!(found(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn verdicts_have_reasons() {
        let good = || Measured {
            num_gold: 100.0,
            num_unaligned: 1.0,
            num_empty: 0,
            tagged: Vec::new(),
            num_pages: 10,
            floor: 0.5,
            oracle: 0.99,
        };
        assert!(good().error().is_none());
        assert_eq!(good().verdict(), "good");
        let empty = Measured { num_empty: 2, ..good() };
        assert_eq!(empty.verdict(), "doubtful: 2 of 10 gold texts are empty");
        let tagged = ["a", "b", "c", "d"].map(str::to_owned).to_vec();
        let tagged = Measured { tagged, ..good() };
        assert_eq!(tagged.verdict(), "doubtful: 4 of 10 gold texts contain HTML tags (pages a, b, c, …)");
        let doubtful = Measured { num_unaligned: 20.0, oracle: 0.8, floor: 1.0, ..good() };
        let reasons =
            ["20 % of the gold is not on its page", "token F1 0.80, below 0.9", "nothing is boilerplate"];
        let verdict = doubtful.verdict();
        assert!(reasons.iter().all(|reason| verdict.contains(reason)) && doubtful.error().is_none());
        assert!(Measured { num_unaligned: 60.0, ..good() }.error().is_some());
        assert!(
            Measured { num_gold: 0.0, num_unaligned: 0.0, num_pages: 3, ..good() }
                .error()
                .is_some_and(|e| e.message.contains("all 3 pages"))
        );
    }
}
