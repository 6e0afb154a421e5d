//! WCC's language model: keeps blocks whose words are similar to the headings of the page.

use crate::shared::range;
use rustc_hash::FxHashMap;
use serde::Deserialize;
use serde_json::Value;
use threshr_core::Result;
use threshr_extract::baseline::SystemOption;
use threshr_extract::baseline::option;
use threshr_extract::baseline::{How, Method, System, SystemInput};
use threshr_html::text::Interner;

/// The headings of a page are the query. A block is kept if the Kullback-Leibler divergence between the query and
/// the block's smoothed unigram model is small.
///
/// The query consists of all headings `h1` to `h6`. If there are no headings, the query is `<title>`. If
/// there is no title either, the whole page is kept. A block's model interpolates its word frequencies with
/// those of the page (Jelinek-Mercer smoothing). Query words that occur in no block cannot distinguish blocks
/// and are ignored. Headings are also blocks. Neither the smoothing nor the threshold is published. On
/// CleanEval's development pages, the official score rises with the threshold, up to the score of
/// `keep-everything`. With the default threshold, the score is below that of `keep-everything` by about as
/// much as in the published run (60.6 against 62.2).
pub(crate) static SYSTEM: System = System {
    name: "wcc-lm",
    summary: "keeps blocks whose words are similar to the headings of the page, by Kullback-Leibler divergence",
    source: "Hofmann and Weerkamp, CleanEval 2007, Web corpus cleaning using content and structure (language models)",
    options: &[
        SystemOption::new("max_divergence", "10.0", "maximum divergence of a kept block, in bits"),
        SystemOption::new(
            "smoothing",
            "0.5",
            "weight of the words of the page in the model of a block, above 0, at most 1",
        ),
    ],
    ..System::new(How::Plain(build))
};

/// The options.
#[derive(Debug, Clone, Copy, Deserialize)]
struct Settings {
    max_divergence: f64,
    smoothing: f64,
}

fn build(settings: &Value) -> Result<Box<dyn Method>> {
    let settings: Settings = option::read(settings)?;
    range::check("wcc-lm.smoothing", settings.smoothing, 1e-9..=1.0)?;
    Ok(Box::new(WccLm { settings }))
}

#[derive(Debug)]
struct WccLm {
    settings: Settings,
}

impl Method for WccLm {
    fn keep(&self, page: &SystemInput<'_>) -> Vec<bool> {
        match self.divergences(page) {
            Some(all) => all.iter().map(|&d| d <= self.settings.max_divergence).collect(),
            None => vec![true; page.blocks.len()],
        }
    }
}

impl WccLm {
    /// Returns the divergence of each block in bits, infinite for a block without words; `None` if there is no
    /// query.
    fn divergences(&self, page: &SystemInput<'_>) -> Option<Vec<f64>> {
        let mut words = Interner::new();
        let blocks: Vec<Vec<u32>> =
            (0..page.blocks.len()).map(|i| words.encode(page.blocks.text(i))).collect();
        let in_heading = |i: &usize| {
            let leaf = page.blocks.get(*i).map_or(0, |b| b.leaf);
            page.doc.ancestors_and_self(leaf).any(|n| page.doc.tag(n).is_heading())
        };
        let mut query: Vec<u32> =
            (0..blocks.len()).filter(in_heading).flat_map(|i| blocks[i].clone()).collect();
        let num_known = words.len() as u32;
        if query.is_empty() {
            query = words.encode(&page.doc.title());
        }
        query.retain(|&w| w < num_known);
        if query.is_empty() {
            return None;
        }
        let query = counts(&query);
        let of_page = counts(&blocks.concat());
        let num_page = blocks.iter().map(Vec::len).sum::<usize>() as f64;
        let num_query = query.values().sum::<u32>() as f64;
        // sorted by word, so that floating-point sums are reproducible
        let mut query: Vec<(u32, f64, f64)> = query
            .into_iter()
            .map(|(w, n)| (w, f64::from(n) / num_query, f64::from(of_page[&w]) / num_page))
            .collect();
        query.sort_unstable_by_key(|q| q.0);
        Some(blocks.iter().map(|b| self.divergence(&query, b)).collect())
    }

    /// Returns the sum of q log2(q / p) over the words of the query. q is the word's share in the query, and p is
    /// its smoothed share in the block.
    fn divergence(&self, query: &[(u32, f64, f64)], block: &[u32]) -> f64 {
        if block.is_empty() {
            return f64::INFINITY;
        }
        let smoothing = self.settings.smoothing;
        let seen = counts(block);
        let term = |&(word, share, of_page): &(u32, f64, f64)| {
            let own = seen.get(&word).map_or(0.0, |&n| f64::from(n) / block.len() as f64);
            share * (share / ((1.0 - smoothing) * own + smoothing * of_page)).log2()
        };
        query.iter().map(term).sum()
    }
}

fn counts(words: &[u32]) -> FxHashMap<u32, u32> {
    let mut counts = FxHashMap::default();
    words.iter().for_each(|&w| *counts.entry(w).or_insert(0) += 1);
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use threshr_html::blocks as block;
    use threshr_html::blocks::Blocks;
    use threshr_html::{Visibility, parse_str};

    fn divergences(html: &str) -> Option<Vec<f64>> {
        let doc = parse_str(html);
        let blocks = Blocks::new(&doc, block::REGISTRY[0], Visibility::Visible);
        let lm = WccLm { settings: Settings { max_divergence: 5.0, smoothing: 0.5 } };
        lm.divergences(&SystemInput::new(&doc, &blocks))
    }

    #[test]
    fn divergences_are_those_worked_out_by_hand() {
        // 8 words: red 3, fox 3, home 2. Query: red 1/2, fox 1/2; each is 3/8 of the page. Heading: p = 1/2 · 1/2
        // + 1/2 · 3/8 = 7/16 for both, log2(8/7). "red fox fox": p(red) = 1/6 + 3/16 = 17/48, p(fox) = 1/3 + 3/16
        // = 25/48. "red home": p(red) = 7/16, p(fox) = 3/16. "home": 3/16 for both.
        let found = divergences("<h1>Red fox</h1><p>Red fox, fox!<p>red home<p>home").expect("a query");
        let half = |a: f64, b: f64| 0.5 * (0.5 / a).log2() + 0.5 * (0.5 / b).log2();
        let expected = [
            half(7.0 / 16.0, 7.0 / 16.0),
            half(17.0 / 48.0, 25.0 / 48.0),
            half(7.0 / 16.0, 3.0 / 16.0),
            half(3.0 / 16.0, 3.0 / 16.0),
        ];
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{found:?} {expected:?}");
    }

    #[test]
    fn the_title_stands_in_for_headings() {
        // `site` occurs in no block and is ignored, so the query is `fox` alone
        let found = divergences("<title>Fox site</title><p>fox<p>hen").expect("a query");
        assert!((found[0] - (1.0f64 / 0.75).log2()).abs() < 1e-12 && (found[1] - 2.0).abs() < 1e-12);
        assert!(divergences("<p>fox<p>hen").is_none());
        assert_eq!(divergences("<h1>–</h1><p>fox"), None);
    }

    #[test]
    fn options_are_checked() {
        assert!(build(&json!({"max_divergence": 1.0, "smoothing": 0.0})).is_err());
        assert!(build(&json!({"max_divergence": 1.0, "smoothing": 1.0})).is_ok());
    }
}
